"""Scores by a rubric: a model says of each trial which criteria it meets, with true quotes, more than once.

These are another judge's numbers than those of tests: they have a table of their own, beside how far the model agrees
with itself when it reads again, and with people who labelled the same trials under the same codebook. Each answer is
kept as a review; people's come by `honestly review STUDY --import`, with the same codebook.

Not covered: whether a criterion matters; an answer that is wrong twice in the same way.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly._loose import read_whole
from honestly._toml import toml_table
from honestly.audit._ask import chosen_cells, judge_messages
from honestly.audit._study import Progress
from honestly.audit.conduct._judge import trial_view
from honestly.audit.monitor._cost import Estimate, MonitorBudget
from honestly.audit.monitor._run import Monitor
from honestly.audit.monitor._turns import JudgeCalls, NoAnswerError
from honestly.errors import StoreError
from honestly.records import RUBRIC, RUBRIC_LABELS, Review, digest
from honestly.show import Shown, as_json, dim_line, numbers_table, plural_text, printable_text_line
from honestly.stats import Kappa, Scores, cohen_kappa, score
from honestly.store import Cell, Store

# Bytes of a rubric's file, and its criteria.
_MOST_TEXT, _MOST_CRITERIA = 100_000, 20
MET, UNMET = RUBRIC_LABELS
_RULES = """\
You read trials of coding agents and say which criteria of a rubric each meets. The criteria are the user's; the trial \
is evidence.

{data}

Answer with JSON only: {{"criteria": [{{"name": the criterion's, "met": true, false, or null where the trial shows \
nothing about it, "step": number, "quote": copied letter by letter from `text` of that step, at most 200 \
characters}}]}}, one entry for each criterion. Where `met` is null, step is 0 and quote is empty. A quote that is not \
in its step makes its answer void."""


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question that is answered by yes or no."""

    ask: str
    weight: float = 1.0


class Rubric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Your own criteria for a trial, in addition to its tests."""

    name: str
    criteria: dict[str, Criterion]
    version: str = "1"

    def codebook(self, criterion: str) -> str:
        """The codebook of the reviews for one criterion."""
        words = self.criteria[criterion].ask.strip()
        return f"{RUBRIC}{self.name} {criterion} {digest(words)[:8]}"


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    met: bool | None
    step: int
    quote: str


class _Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    criteria: list[_Said]

    def problem(self, labels: Collection[str]) -> str:
        """The problem with it; empty for nothing."""
        named = sorted(each.name for each in self.criteria)
        return "" if named == sorted(labels) else f"expected one entry for each of {', '.join(labels)}"


class RubricRow(NamedTuple):
    """One agent's score: the weighted share of criteria that its trials meet, mean over tasks."""

    agent: str
    score: float
    low: float
    high: float
    tasks: int
    trials: int
    unknown: int
    """Answers that were void, or that the trial shows nothing about: of trials, criteria and readings."""
    criteria: dict[str, float | None]
    """The share of answers that say it is met; None without any."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RubricReport(Shown):
    """Scores by a model under a rubric, and how far they can be repeated."""

    main_table: ClassVar[str] = "rows"

    rubric: str
    version: str
    model: str
    readings: int
    rows: tuple[RubricRow, ...]
    codebooks: dict[str, str]
    """Under which answers are kept as reviews, by criterion; people's labels of it say the same one."""
    itself: dict[str, Kappa]
    """Agreement of the first two readings, by criterion."""
    people: dict[str, Kappa]
    """Agreement of the first reading with the newest label of a person, by criterion; of those that people labelled."""
    unread: int
    """Trials of which too little could be shown to it."""
    left: int
    """Readings that were not made, or whose server gave no answer."""
    stopped: str
    calls: int
    usd: float | None
    """US dollars; None where a price is not known."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return as_json(fields | {"rows": [row._asdict() for row in self.rows]})

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        title = f"{self.model} by the rubric {self.rubric} {self.version}, {self.readings} readings; no test is in this"
        names = list(self.rows[0].criteria) if self.rows else []
        rows = [
            (
                row.agent,
                "–" if math.isnan(row.score) else f"{row.score:.0%} [{row.low:.0%}, {row.high:.0%}]",
                f"{row.tasks}",
                f"{row.unknown}",
                *("–" if share is None else f"{share:.0%}" for share in row.criteria.values()),
            )
            for row in self.rows
        ]
        widths = {"agent": 0, "score [95%]": 16, "tasks": 5, "unknown": 7} | dict.fromkeys(names, 8)
        yield numbers_table(printable_text_line(title), widths, rows, options.max_width)
        for words, found in (("with itself, read again", self.itself), ("with people", self.people)):
            said = [f"{name} {kappa_text(kappa)}" for name, kappa in found.items()]
            yield Text(printable_text_line(f"agrees {words} (kappa): {'; '.join(said) or 'not measured'}"))
        if self.unread or self.left:
            yield dim_line(f"{plural_text(self.unread, 'trial')} could not be shown, {self.left} readings are missing")
        if self.stopped:
            yield Text(printable_text_line(f"stopped: {self.stopped}"))


def read_rubric(path: Path) -> Rubric:
    """Read a rubric from a TOML file: `name`, `version`, and for each criterion a table with `ask` and `weight`.

    Raises:
        StoreError: It holds none.
    """
    try:
        found = msgspec.convert(toml_table(read_whole(path, _MOST_TEXT, "a rubric", StoreError)), Rubric)
    except ValueError as error:
        # It may be an error of TOML, of UTF-8, or of msgspec.
        raise StoreError(f"{path} is not a rubric: {error}; docs/audit.md shows one") from error
    weights = [each.weight for each in found.criteria.values()]
    if not found.name.strip() or not 1 <= len(weights) <= _MOST_CRITERIA or not min(weights) > 0:
        raise StoreError(f"{path}: expected a name and 1 to {_MOST_CRITERIA} criteria of positive weight")
    if not max(weights) < float("inf") or not all(each.ask.strip() for each in found.criteria.values()):
        raise StoreError(f"{path}: expected a question and a finite weight in each criterion")
    return found


def rubric_estimate(study: Store, judge: Monitor, rubric: Rubric, readings: int) -> Estimate:
    """The estimated cost of a rubric's scores. Nothing is asked."""
    found = Estimate(judge.model.name)
    for cell in chosen_cells(study, judge):
        if view := trial_view(study, cell.id):
            asked = judge_messages(study, cell, view, _question(rubric, 1), b"estimate", _RULES)
            for _ in range(readings):
                found.add(sum(len(message.text) for message in asked))
    return found


async def rubric_study(
    study: Store, judge: Monitor, rubric: Rubric, readings: int = 2, progress: Progress | None = None
) -> RubricReport:
    """Score each trial by the rubric, so many times, and keep the first reading's answers as reviews.

    Raises:
        StoreError: The study cannot be written.
    """
    cells = chosen_cells(study, judge)
    turns = JudgeCalls(MonitorBudget(judge.prices, judge.budget), judge.folder)
    work = _Reading(study, rubric, turns, judge, left=len(cells) * readings)
    done = count(1)

    async def read_one(asked: tuple[Cell, int]) -> bool:
        try:
            return await work.read(*asked)
        finally:
            if progress is not None:
                progress(next(done), len(cells) * readings, f"{turns.purse.calls} calls")

    waiting = [(cell, reading) for cell in cells for reading in range(1, readings + 1)]
    await turns.ask_waiting(waiting, read_one, judge.jobs)
    _keep_reviews(study, f"model {judge.model.name}", rubric, work.said)
    purse = turns.purse
    tasks = {cell.id: cell.task for cell in cells}

    def agreements(other: Callable[[str], dict[str, str]]) -> dict[str, Kappa]:
        """Of the first reading with other labels, by criterion."""
        found = {}
        for name in rubric.criteria:
            mine, theirs = work.answers(name, 1), other(name)
            if both := [trial for trial in mine if trial in theirs]:
                first, second, where = ([of[trial] for trial in both] for of in (mine, theirs, tasks))
                found[name] = cohen_kappa(first, second, where)
        return found

    return RubricReport(
        rubric=rubric.name,
        version=rubric.version,
        model=judge.model.name,
        readings=readings,
        rows=tuple(
            _rubric_row(agent, [c for c in cells if c.agent == agent], work, rubric)
            for agent in sorted({cell.agent for cell in cells})
        ),
        codebooks={name: rubric.codebook(name) for name in rubric.criteria},
        itself=agreements(lambda name: work.answers(name, 2)),
        people=agreements(lambda name: _people_labels(study, rubric.codebook(name))),
        unread=len(work.unread),
        left=work.left,
        stopped=turns.stopped,
        calls=purse.calls,
        usd=None if purse.unpriced else purse.usd,
    )


@dataclass
class _Reading:
    study: Store
    rubric: Rubric
    turns: JudgeCalls
    asker: Monitor
    left: int
    unread: set[str] = field(default_factory=set)
    said: dict[tuple[str, int], dict[str, _Said]] = field(default_factory=dict)
    """Answers whose quotes stand, by trial and reading, by criterion."""

    def __post_init__(self) -> None:
        self.judge = self.turns.judge(self.asker.model, self.asker.timeout_s)

    async def read(self, cell: Cell, reading: int) -> bool:
        """Asks about one trial; returns whether there was an answer of the model."""
        view = trial_view(self.study, cell.id)
        if view is None:
            self.unread.add(cell.id)
            self.left -= 1
            return False
        asked = _question(self.rubric, reading)
        messages = judge_messages(self.study, cell, view, asked, self.turns.secret, _RULES)
        try:
            found = (await self.judge.valid_reply(messages, _Reply, list(self.rubric.criteria))).criteria
        except NoAnswerError:
            found = []
        self.left -= 1
        self.said[cell.id, reading] = {
            each.name: each for each in found if each.met is not None and view.has_quote(each.step, each.quote)
        }
        return bool(found)

    def answers(self, criterion: str, reading: int) -> dict[str, str]:
        """The label of each trial for a criterion in one reading; of those that have one."""
        return {
            trial: MET if said[criterion].met else UNMET
            for (trial, number), said in self.said.items()
            if number == reading and criterion in said
        }


def _question(rubric: Rubric, reading: int) -> str:
    lines = [f"- {name}: {criterion.ask}" for name, criterion in rubric.criteria.items()]
    return "\n".join([f"Which of these criteria does the trial meet? (reading {reading})", *lines])


def _rubric_row(agent: str, cells: Sequence[Cell], work: _Reading, rubric: Rubric) -> RubricRow:
    """A trial's score is over the criteria that were answered; a task's the mean of its trials'."""
    by_task: dict[str, list[float]] = defaultdict(list)
    met: dict[str, list[bool]] = {name: [] for name in rubric.criteria}
    asked = 0
    for cell in cells:
        readings = [said for (trial, _), said in work.said.items() if trial == cell.id]
        asked += len(readings) * len(rubric.criteria)
        for said in readings:
            for name, each in said.items():
                met[name].append(bool(each.met))
            weight = sum(rubric.criteria[name].weight for name in said)
            if weight:
                by_task[cell.task].append(sum(rubric.criteria[n].weight for n, e in said.items() if e.met) / weight)
    means = [(agent, task, 0, sum(some) / len(some)) for task, some in by_task.items()]
    found = score(Scores.from_rows(means), agent) if means else None
    low, high = found.interval if found is not None else (math.nan, math.nan)
    return RubricRow(
        agent=agent,
        score=found.mean if found is not None else math.nan,
        low=float(low),
        high=float(high),
        tasks=len(means),
        trials=len(cells),
        unknown=asked - sum(map(len, met.values())),
        criteria={name: sum(some) / len(some) if some else None for name, some in met.items()},
    )


def _people_labels(study: Store, codebook: str) -> dict[str, str]:
    """The newest label of a person for each trial under a codebook."""
    found = {
        each.trial: each.label
        for each in study.reviews()
        if each.codebook == codebook and not each.reviewer.startswith("model ")
    }
    return {trial: label for trial, label in found.items() if label in (MET, UNMET)}


def _keep_reviews(study: Store, reviewer: str, rubric: Rubric, said: dict[tuple[str, int], dict[str, _Said]]) -> None:
    newest = {(each.trial, each.codebook): each.label for each in study.reviews() if each.reviewer == reviewer}
    at = datetime.now(UTC).isoformat(timespec="microseconds")
    study.add(
        Review(
            trial=trial,
            reviewer=reviewer,
            at=at,
            label=MET if each.met else UNMET,
            note=f"step {each.step}: {each.quote[:200]!r}",
            codebook=rubric.codebook(name),
        )
        for (trial, reading), answers in said.items()
        for name, each in answers.items()
        if reading == 1 and newest.get((trial, rubric.codebook(name))) != (MET if each.met else UNMET)
    )


def kappa_text(kappa: Kappa) -> str:
    """Agreement as text: kappa, its interval and the number of units."""
    low, high = kappa.interval
    interval = f" [{low:.2f}, {high:.2f}]" if not math.isnan(low) else ""
    value = f"{kappa.kappa:.2f}" if not math.isnan(kappa.kappa) else "unknown"
    return f"{value}{interval} of {kappa.units}"
