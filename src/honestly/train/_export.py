"""Trials of a study as training data, a line a row: chats, pairs, rewards, and prompts for reinforcement learning.

The study is read task by task, so that what is in memory is one task's trials, however many rows there are. Whole
families of tasks are held out, by a hash of the family and the seed. Each trial is a row, or is counted under the one
reason for which it is none. The folder is there whole or not at all; the same command writes the same bytes again. A
journal in a folder beside it says after each task how far the files were, so that after a kill it goes on from there.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from honestly.audit import Rubric
from honestly.errors import HonestlyError
from honestly.records import Outcome, Suite, Task, Trial
from honestly.stats import Kappa
from honestly.store import Store
from honestly.tasks import MeasuredTasks
from honestly.train._dialects import DIALECTS
from honestly.train._ratings import Ratings
from honestly.train._training_rows import (
    Message,
    SecretWords,
    UnusableError,
    chat_messages,
    family_of,
    is_failure,
    is_honest_pass,
    known_of,
    leak_in,
    tools_text,
    trial_standing,
)
from honestly.work import Journal, file_errors

TRAINING_DATA = {
    "sft": "chats of honest passes, for supervised fine-tuning",
    "preference": "pairs: an honest pass, and a failure or a hack of the same task",
    "reward-model": "chats with a label: honest pass, or failure or hack",
    "rl": "prompts for reinforcement learning, a row a task, without any answer",
}
"""What `export --to` writes for trainers."""
_RATED = ("preference", "reward-model")
_JOURNAL = "progress-"
_MEASURED = "it is measured on, or shares words with what is"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingDataOptions:
    """How training data are chosen and split."""

    per_task: int | None = None
    """Most rows of a task; which ones is drawn by the seed."""
    held_out: float = 0.0
    """Share of the families of tasks whose rows go to `test.jsonl`: at least one, and never all."""
    seed: int = 0
    apart_from: tuple[Suite, ...] = ()
    """What is measured on: no task of it or with an id of it, and none that shares 13 words in a row with it."""
    agents: tuple[str, ...] = ()
    """Only these; all where empty."""
    task: str = ""
    """Only this one."""
    licence: str = ""
    """Of the tasks, as the rows say it."""
    dialect: str = ""
    """Of `sft`: `openhands`, `swe-agent` or `agentlab`, which write calls as text; OpenAI's chats where empty."""
    rubric: Rubric | None = None
    """Named principles by which trials were scored (`audit --rubric`): scores in each row, and pairs by them."""


@dataclass(slots=True)
class ExportedRows:
    """The result of an export."""

    folder: str
    rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Trials (for `rl`: tasks) that make no row, by the reason."""
    agreement: dict[str, Kappa] = field(default_factory=dict)
    """Of a rubric: how far each criterion, and a score of a half or more, agree with honest passes."""


def export_training_data(
    study: Store,
    kind: str,
    folder: Path,
    options: TrainingDataOptions | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> ExportedRows:
    """Writes `train.jsonl`, and `test.jsonl` where families are held out, into a new folder.

    Raises:
        HonestlyError: There is no such kind, or the folder cannot be made.
    """
    how = options or TrainingDataOptions()
    if kind not in TRAINING_DATA:
        raise HonestlyError(f"{kind!r} is not a kind of training data; expected {', '.join(TRAINING_DATA)}")
    if not 0 <= how.held_out < 1:
        raise HonestlyError(f"{how.held_out} of the families cannot be held out; expected a share from 0 to below 1")
    if how.dialect and (kind != "sft" or how.dialect not in DIALECTS):
        raise HonestlyError(f"{kind} has no form {how.dialect!r}; expected --to sft --as {'|'.join(DIALECTS)}")
    if how.rubric and kind not in _RATED:
        raise HonestlyError(f"{kind} takes no rubric; expected --to {' or --to '.join(_RATED)}")
    ratings = Ratings.of(study, how.rubric) if how.rubric else None
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "is not empty" if folder.is_dir() else "is a file"
        raise HonestlyError(f"{folder} {what}; expected a new folder, so give another name")
    found, measured = ExportedRows(str(folder)), MeasuredTasks(how.apart_from)
    held_out = _held_out(study, how)
    part = folder.with_name(f".{folder.name}.part")
    names = ("train", "test") if how.held_out else ("train",)
    with file_errors(part, HonestlyError), _Progress(part, names, _state_of(study, kind, how)) as written:
        for task in study.tasks():
            if how.task and task.id != how.task:
                continue
            if task.id not in written.done:
                split = "test" if family_of(task) in held_out else "train"
                rows = _TaskRows(study, task, how, split, Counter(), ratings)
                why = _task_unusable(task, measured)
                made = rows.none(why, kind) if why else getattr(rows, _METHODS[kind])()
                written.write(task.id, split, map(msgspec.json.encode, made), rows.left_out)
            done = written.done[task.id]
            found.rows += done.rows
            found.left_out.update(done.left_out)
            progress(found.rows)
    with file_errors(folder, HonestlyError):
        for each in part.glob(f"{_JOURNAL}*"):
            each.unlink()
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    found.agreement = ratings.agreement(study, how.agents) if ratings else {}
    return found


class _TaskDone(msgspec.Struct, frozen=True):
    """How long the files of an export were after a task, and what came of it."""

    task: str
    rows: int
    sizes: dict[str, int]
    left_out: dict[str, int]


class _Progress:
    """The files of an export that may have been begun before, of the same state of study and options."""

    def __init__(self, part: Path, names: tuple[str, ...], state: str) -> None:
        part.mkdir(parents=True, exist_ok=True)
        self._stack = ExitStack()
        self._journal = self._stack.enter_context(Journal(part / f"{_JOURNAL}{state}", kind="training data"))
        rows = self._journal.rows(msgspec.json.Decoder(_TaskDone).decode, "a task of an export")
        self.done = {row.task: row for row in rows}
        last = list(self.done.values())[-1].sizes if self.done else dict.fromkeys(names, 0)
        self._files: dict[str, BinaryIO] = {
            name: self._stack.enter_context((part / f"{name}.jsonl").open("ab")) for name in names
        }
        for name, file in self._files.items():
            if file.seek(0, os.SEEK_END) < last[name]:
                raise HonestlyError(f"{part / name}.jsonl is shorter than it was; remove {part} and start again")
            file.truncate(last[name])

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, task: str, split: str, lines: Iterator[bytes], left_out: Counter[str]) -> None:
        """The rows of a task, then that it is done."""
        file, count = self._files[split], 0
        for line in lines:
            file.write(line + b"\n")
            count += 1
        file.flush()
        sizes = {name: each.seek(0, os.SEEK_END) for name, each in self._files.items()}
        self.done[task] = _TaskDone(task, count, sizes, dict(left_out))
        self._journal.append(msgspec.json.encode(self.done[task]))


def _state_of(study: Store, kind: str, how: TrainingDataOptions) -> str:
    """What the rows depend on; where the study is no file, never the same twice."""
    try:
        found = study.path.stat()
        of_study: object = (str(study.path.absolute()), found.st_size, found.st_mtime_ns)
    except OSError:
        of_study = os.urandom(8).hex()
    suites = [[suite.name, *(task.hash for task in suite.tasks)] for suite in how.apart_from]
    rubric = how.rubric and msgspec.json.encode(how.rubric)
    words = (of_study, study.facts().strict, kind, suites, rubric, replace(how, apart_from=(), rubric=None))
    return blake2b(repr(words).encode(), digest_size=16).hexdigest()


_METHODS = {"sft": "chats", "preference": "pairs", "reward-model": "labelled", "rl": "prompts"}


def _task_unusable(task: Task, measured: MeasuredTasks) -> str:
    if task.tags.variant == "impossible":
        return "its task is impossible"
    return _MEASURED if measured.has_id(task.id) or measured.training_leak(task) else ""


def _held_out(study: Store, how: TrainingDataOptions) -> set[str]:
    """The families that are held out: the share that was asked for, at least one, and never all."""
    families = sorted({family_of(task) for task in study.tasks()}, key=lambda name: _hashed_share(how.seed, name))
    count = max(1, round(how.held_out * len(families))) if how.held_out else 0
    return set(families[: min(count, len(families) - 1)])


def _hashed_share(seed: int, name: str) -> float:
    """A number from 0 to 1 that belongs to a name."""
    return int.from_bytes(blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()) / 2**64


@dataclass(slots=True)
class _TaskRows:
    """The rows of one task."""

    study: Store
    task: Task
    how: TrainingDataOptions
    split: str
    left_out: Counter[str]
    ratings: Ratings | None = None

    def none(self, reason: str, kind: str) -> Iterator[dict[str, Any]]:
        """No row: the reason is counted for each trial, or for the task."""
        self.left_out[reason] += 1 if kind == "rl" else sum(1 for _ in self._trials())
        return iter(())

    def chats(self) -> Iterator[dict[str, Any]]:
        for trial, prompt, answer, _, known in self._usable(self._honest):
            if self.how.dialect:
                try:
                    rows = list(DIALECTS[self.how.dialect]([*prompt, *answer], trial.id))
                except UnusableError as why:
                    self.left_out[str(why)] += 1
                    continue
                yield from ({**row, "honestly": known} for row in rows)
                continue
            tools = tools_text(self.study.trajectory(trial.id))
            yield {"messages": [*prompt, *answer], "tools": tools, "honestly": known}

    def labelled(self) -> Iterator[dict[str, Any]]:
        for _, prompt, answer, label, known in self._usable(self._labelled):
            yield {"prompt": prompt, "completion": answer, "label": label, "honestly": known}

    def pairs(self) -> Iterator[dict[str, Any]]:
        """Passes against failures; of what is left, under a rubric, trials of one verdict by their scores."""
        waiting: dict[bytes, list[_Side]] = {}
        most = self.how.per_task
        count = 0
        for trial, prompt, answer, label, known in self._usable(self._labelled, most=None):
            side = _Side(prompt, answer, known, label, self.ratings.score(trial.id) if self.ratings else None)
            others = waiting.setdefault(msgspec.json.encode(prompt), [])
            other = next((each for each in others if each.label != label), None)
            if other is None or (most is not None and count >= most):
                others.append(side)
                continue
            others.remove(other)
            count += 1
            yield _pair_row(*((side, other) if label else (other, side)), by="verdict")
        for others in waiting.values() if self.ratings else ():
            rated = sorted((each for each in others if each.score is not None), key=lambda each: each.score or 0.0)
            while len(rated) > 1 and (most is None or count < most):
                worse, better = rated[0], next((each for each in rated[::-1] if each.label == rated[0].label), rated[0])
                rated.remove(worse)
                if (better.score or 0.0) > (worse.score or 0.0):
                    rated.remove(better)
                    others.remove(worse)
                    others.remove(better)
                    count += 1
                    yield _pair_row(better, worse, by="rubric")
        if alone := sum(map(len, waiting.values())):
            self.left_out["no partner with the same prompt, or more than a task may have"] += alone

    def prompts(self) -> Iterator[dict[str, Any]]:
        task = self.task
        if task.hidden is None:
            self.left_out["its hidden checks are not known"] += 1
            return
        said = [{"role": "user", "content": task.instruction}]
        if leak := leak_in(said, SecretWords.of(task)):
            self.left_out[leak] += 1
            return
        outcomes = Counter(trial.outcome for trial in self._trials())
        yield {
            "data_source": "honestly",
            "prompt": said,
            "ability": task.tags.category or "code",
            "env_class": "honestly",
            "reward_model": {"style": "rule", "ground_truth": task.hash},
            "reward_spec": {"method": "rule", "ground_truth": task.hash},
            "extra_info": {
                "task": task.id,
                "task_hash": task.hash,
                "family": family_of(task),
                "language": task.tags.language,
                "difficulty": task.tags.difficulty,
                "trials": outcomes.total() - outcomes[Outcome.VOID],
                "passed": outcomes[Outcome.PASSED],
                "split": self.split,
                "licence": self.how.licence or "unknown",
            },
        }

    def _trials(self) -> list[Trial]:
        strict = self.study.facts().strict
        trials = [
            trial.counted_trial(strict=strict)
            for trial in self.study.trials(task=self.task.id)
            if not self.how.agents or trial.agent in self.how.agents
        ]
        return sorted(trials, key=lambda trial: _hashed_share(self.how.seed, trial.id))

    def _usable(
        self, label_of: Callable[[Trial, str], bool], most: int | None = -1
    ) -> Iterator[tuple[Trial, list[Message], list[Message], bool, dict[str, Any]]]:
        """The trials that may be rows, with prompt, answer, label, and what is known of each."""
        most = self.how.per_task if most == -1 else most
        taken, secret = Counter[bool](), SecretWords.of(self.task)
        references = {agent.name for agent in self.study.agents() if agent.program == "oracle"}
        for trial in self._trials():
            state, flagged = trial_standing(self.study.findings(trial.id))
            try:
                if trial.agent in references:
                    raise UnusableError("its agent applies the reference")
                label = label_of(trial, state)
                prompt, answer = chat_messages(self.study.trajectory(trial.id), self.task)
                if leak := leak_in([*prompt, *answer], secret):
                    raise UnusableError(leak)
                if most is not None and taken[label] >= most:
                    raise UnusableError("its task has as many rows as it may")
            except UnusableError as why:
                self.left_out[str(why)] += 1
                continue
            taken[label] += 1
            how = self.how
            known = known_of(
                trial, self.task, flagged, split=self.split, licence=how.licence, study=self.study.path.name
            )
            if self.ratings:
                known["rubric"] = self.ratings.known(trial.id)
            yield trial, prompt, answer, label, known

    @staticmethod
    def _honest(trial: Trial, state: str) -> bool:
        if trial.outcome is not Outcome.PASSED:
            raise UnusableError("it did not pass")
        return _TaskRows._labelled(trial, state) or _refuse("it is flagged")

    @staticmethod
    def _labelled(trial: Trial, state: str) -> bool:
        if trial.outcome is Outcome.VOID:
            raise UnusableError("it is void")
        if is_failure(trial, state):
            return False
        if trial.verdict.honest is None:
            raise UnusableError("its hidden checks are not known")
        if state == "not audited":
            raise UnusableError("it was not audited; run honestly audit")
        if state == "unread":
            raise UnusableError("no detector could read it")
        if not is_honest_pass(trial, state):
            raise UnusableError("its pass is undecided")
        if trial.truth is not None and trial.truth.succeeded:
            raise UnusableError("its agent, one of known truth, played the reference")
        return True


class _Side(NamedTuple):
    """A trial that may be one side of a pair."""

    prompt: list[Message]
    answer: list[Message]
    known: dict[str, Any]
    label: bool
    score: float | None


def _pair_row(good: _Side, bad: _Side, *, by: str) -> dict[str, Any]:
    return {
        "prompt": good.prompt,
        "chosen": good.answer,
        "rejected": bad.answer,
        "by": by,
        "honestly": good.known,
        "rejected_honestly": bad.known,
    }


def _refuse(reason: str) -> bool:
    raise UnusableError(reason)
