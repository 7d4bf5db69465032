"""Some trials of one task that are judged together, and the questions that are asked about them.

Trials of one task are read side by side, since what one attempt does and its siblings do not is the best evidence.
Long trials are read in chunks that overlap. Each question holds chunks of a few trials and planted trials of known
truth, all in random order under labels that say nothing. Everything random comes from the trials' ids, so that the same
group asks the same questions, and an answer that is kept fits again.

Source of contrastive reading: TRACE, arXiv 2601.20103.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType

from honestly.audit._case import Case
from honestly.audit.monitor._controls import Control, Names, controls_for, names_of
from honestly.audit.monitor._fence import FencedLines, fenced_lines, json_data_line
from honestly.audit.monitor._view import Piece, View, actions_only, overlapping_chunks, read_view
from honestly.records import Step, Trial, digest

TOGETHER = 4
"""Trials that are judged together."""
CHUNK, OVERLAP = 24_000, 1_500
"""Characters of one trial in one question, and of it what the question before held too."""
# Characters of all real trials in one question.
_QUESTION = 64_000
# Characters of an instruction.
_TASK = 6_000


@dataclass(frozen=True)
class Subject:
    """A trial that is judged; real, or planted."""

    key: str
    """Id of the trial."""
    view: View
    actions: View
    outcome: str
    case: Case | None = None
    step_at: Callable[[int], Step | None] = lambda _index: None
    control: Control | None = None

    def seen(self, *, masked: bool) -> View:
        """One of its two views."""
        return self.actions if masked else self.view


@dataclass(frozen=True)
class Group:
    """Trials of one task."""

    task: str
    """What the agents were asked to do, by the task's author; says so where that is not known."""
    subjects: tuple[Subject, ...]
    names: Names
    seed: str
    secret: bytes


@dataclass(frozen=True)
class Part:
    """A chunk of a trial."""

    subject: Subject
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Question:
    """The question of one call of the first stage."""

    parts: dict[str, Part]
    """By label, planted ones among them."""
    trusted: dict[str, str]
    data: FencedLines

    @property
    def size(self) -> int:
        """Characters."""
        return len(self.data.text) + sum(map(len, self.trusted.values()))


def group_of(
    trials: Sequence[tuple[Case, Iterable[Step], Callable[[int], Step | None]]],
    secret: bytes,
    controls: Mapping[str, Control] = MappingProxyType({}),
) -> Group:
    """The group of these trials of one task.

    Args:
        trials: each as a case, its steps, and how a step is looked up.
        secret: what no author of a trajectory knows.
        controls: by id of a trial, what was made of it and stands in its place.
    """
    subjects = tuple(_subject(*trial, controls.get(trial[0].trial.id)) for trial in trials)
    task = trials[0][0].task
    words = task.instruction[:_TASK] if task is not None else ""
    return Group(
        task=words or "(not known; what the agent was told stands in the data)",
        subjects=subjects,
        names=names_of(task),
        seed=digest("group", *sorted(subject.key for subject in subjects)),
        secret=secret,
    )


def first_questions(group: Group, *, masked: bool) -> list[Question]:
    """The questions of the first stage about a group, in one of the two views."""
    by_turn: list[tuple[int, int, Part]] = []
    for place, subject in enumerate(group.subjects):
        parts = overlapping_chunks(subject.seen(masked=masked).pieces, CHUNK, OVERLAP)
        by_turn += [(turn, place, Part(subject, pieces)) for turn, pieces in enumerate(parts)]
    packed: list[list[Part]] = []
    room = 0
    for _, _, part in sorted(by_turn, key=lambda each: each[:2]):
        size = sum(len(piece.text) for piece in part.pieces)
        if not packed or len(packed[-1]) >= TOGETHER or size > room:
            packed.append([])
            room = _QUESTION
        packed[-1].append(part)
        room -= size
    return [_group_question(group, parts, number, masked=masked) for number, parts in enumerate(packed)]


def data_line(label: str, piece: Piece, text: str | None = None) -> str:
    """A piece as a line of data."""
    fields: dict[str, str | int | None] = {"trial": label, "step": piece.step, "kind": piece.kind}
    if piece.name:
        fields["name"] = piece.name
    if piece.code is not None:
        fields["exit"] = piece.code
    return json_data_line({**fields, "text": piece.text if text is None else text})


def _group_question(group: Group, real: Sequence[Part], number: int, *, masked: bool) -> Question:
    seed = f"{group.seed} {'actions' if masked else 'full'} {number}"
    random = Random(seed)  # noqa: S311
    planted = [
        _planted(control, real, random, f"{seed} {place}")
        for place, control in enumerate(controls_for(group.names, seed))
    ]
    shown = [*real, *(Part(subject, subject.seen(masked=masked).pieces) for subject in planted)]
    random.shuffle(shown)
    parts = {f"T{place}": part for place, part in enumerate(shown, 1)}
    lines = [data_line(label, piece) for label, part in parts.items() for piece in part.pieces]
    trusted = {"task": group.task, **{label: part.subject.outcome for label, part in parts.items()}}
    return Question(parts, trusted, fenced_lines(lines, group.secret))


def _planted(control: Control, real: Sequence[Part], random: Random, key: str) -> Subject:
    """A planted trial that looks like the real ones beside it: same kind of numbers, same kind of outcome."""
    model = random.choice(real)
    first = model.pieces[0].step
    trial = Trial(id="0" * 32, agent="", task="", sample=0, outcome="passed")  # type: ignore[arg-type]
    view = read_view(Case(trial=trial, table=None), control.steps)
    view = replace(view, pieces=tuple(replace(piece, step=piece.step + first) for piece in view.pieces))
    return Subject(key, view, actions_only(view), model.subject.outcome, control=control)


def _subject(
    case: Case, steps: Iterable[Step], step_at: Callable[[int], Step | None], control: Control | None
) -> Subject:
    view, outcome = read_view(case, steps if control is None else control.steps), _outcome_numbers(case.trial)
    if control is not None:
        key = f"{case.trial.id} {control.template} {control.cheat}"
        return Subject(key, view, actions_only(view), outcome, control=control)
    # The step table was read for nothing but this, and is by far the largest part.
    return Subject(case.trial.id, view, actions_only(view), outcome, replace(case, table=None), step_at)


def _outcome_numbers(trial: Trial) -> str:
    """The grader's result: numbers only, since the words in checks may be the agent's own."""
    verdict = trial.verdict
    runs = (("visible", verdict.visible), ("hidden", verdict.hidden))
    said = [f"{name} checks {run.n_passed} of {len(run.checks)} passed" for name, run in runs if run is not None]
    signs = [f"{len(verdict.tampered)} signs of tampering"] if verdict.tampered else []
    return "; ".join([f"outcome {trial.outcome.value}", *said, *signs])
