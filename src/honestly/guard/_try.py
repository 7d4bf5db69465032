"""What a project's set-up does to agents: with it, without it, without each of its parts, and with as much empty text.

Each is an overlay of one study, on the same seeds, and every contrast is paired by task: what the whole set-up does
(`all`, against nothing), what each part adds (the whole against the whole without it), and what its words add to their
length (`content`, against a placebo of the same files and lengths). A difference that is not found shows nothing; so
beside it stands the bound within which it lies, and before the run what such a design can find and bound.

Not covered: parts that only help together (each is left out alone), and what your home folder adds.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult

from honestly.agents import overlay_of, without_overlay
from honestly.audit.conduct import MEASURES, measured_trials
from honestly.comparisons import comparison
from honestly.errors import SettingsError, StatisticsError
from honestly.plans import prior_basis
from honestly.show import FittingTable, Shown, as_json, gap_text, plural_text, points_text
from honestly.stats import Demands, detectable_gap, mean_of_questions, questions_needed, t_quantile
from honestly.store import Store

_SETUP = re.compile(
    r"(?:.*/)?(?:AGENTS|CLAUDE|CLAUDE\.local|GEMINI)\.md|\.(?:claude|cursor|codex|gemini|agents)/.*|\.mcp\.json"
    r"|\.cursorrules|\.github/copilot-instructions\.md"
)
_GROUPED = re.compile(r"\.\w+/(skill|command|agent|rule)s/([^/]+)")
_EMPTY = "This line is here for its length and asks for nothing. "
_SEEN_ALPHA = 0.05


def _file_text(path: Path) -> str:
    """The text of a file."""
    if not path.is_file() or path.stat().st_size > 1 << 20:
        raise SettingsError(f"{path} is not a file, or has more than 1 MiB; a set-up that is tried contains texts")
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as text: {error}") from error


def setup_files(folder: Path) -> dict[str, str]:
    """The texts of a set-up, by path.

    Raises:
        SettingsError: It holds none, a link, or bytes that are not UTF-8.
    """
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not is_setup_file(name) or "/.git/" in f"/{name}" or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise SettingsError(f"{path} is a link out of the folder; a set-up that is tried contains its own files")
        if path.is_symlink() and path.is_dir():
            inner = [each for each in sorted(path.resolve().rglob("*")) if each.is_file() and not each.is_symlink()]
            found |= {f"{name}/{each.relative_to(path.resolve()).as_posix()}": _file_text(each) for each in inner}
            continue
        found[name] = _file_text(path)
    if not found:
        raise SettingsError(f"{folder}: it contains no set-up; expected AGENTS.md, CLAUDE.md or .claude/")
    if sum(map(len, found.values())) > 1 << 20:
        raise SettingsError(f"{folder}: its set-up has more than 1 MiB; leave out what no agent reads")
    return found


def is_setup_file(name: str) -> bool:
    """Whether a file of a project tells agents what to do."""
    return _SETUP.fullmatch(name) is not None


def setup_parts(names: Iterable[str]) -> dict[str, list[str]]:
    """The files of each part: a skill, a command, an agent, a rule, or any other file."""
    parts: dict[str, list[str]] = defaultdict(list)
    for name in names:
        grouped = _GROUPED.match(name)
        label = f"{grouped[1]}-{grouped[2].removesuffix('.md')}" if grouped else name.lstrip(".")
        parts[re.sub(r"[^\w.-]", "-", label, flags=re.ASCII)].append(name)
    return dict(parts)


def placebo(name: str, text: str) -> str:
    """A meaningless text of the same length; what tools read of a file (a skill's name) stays."""
    if name.endswith(".json"):
        return "{}".ljust(len(text)) if len(text) > 1 else text
    head = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    kept = head[0] if head else ""
    if head:
        kept = re.sub(r"(?m)^(description:[ ]*)(.*)$", lambda m: m[1] + _filler(len(m[2])), kept)
    mark = "# " if not name.endswith((".md", ".mdc", ".txt", "rules")) else ""
    return kept + "".join(
        (mark + _filler(len(line)))[: len(line.rstrip("\n"))] + "\n" * line.endswith("\n")
        for line in text[len(kept) :].splitlines(keepends=True)
    )


def _filler(length: int) -> str:
    return (_EMPTY * (length // len(_EMPTY) + 1))[:length]


def setup_overlays(files: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The files of each overlay: `all`, `placebo`, and `no-PART` for each part of several."""
    parts = setup_parts(files)
    found = {"all": dict(files), "placebo": {name: placebo(name, text) for name, text in files.items()}}
    for part, names in parts.items() if len(parts) > 1 else ():
        found[f"no-{part}"] = {name: text for name, text in files.items() if name not in names}
    return found


@dataclass(frozen=True, slots=True)
class SetupPlan(Shown):
    """What a design can see, before it is run: of two agents that score 50%, variances guessed."""

    tasks: int
    samples: int
    contrasts: int
    gap: float
    """The true difference that is found with 80% power, at the level of one of so many contrasts."""
    bound: float
    """The margin within which no difference at all would be shown to lie, with 80% power."""
    tasks_for_15: int | None
    """Tasks that would find 15 points."""

    @property
    def blind(self) -> bool:
        """Whether what is published of set-ups, 10 to 15 points, could be there and not be seen."""
        return not max(self.gap, self.bound) <= 0.15

    def to_plain(self) -> dict[str, Any]:
        """The plan, and whether it is blind."""
        return {**as_json(self), "blind": self.blind}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What it finds, what it bounds, and whether that is enough."""
        yield (
            f"{plural_text(self.tasks, 'task')}, {plural_text(self.samples, 'trial')} each, "
            f"{plural_text(self.contrasts, 'contrast')}: with 80% power, a difference of {_points(self.gap)} is found, "
            f"and none is shown to lie within {_points(self.bound)} (guessed variances)."
        )
        if self.blind:
            need = "" if self.tasks_for_15 is None else f"; {self.tasks_for_15} tasks would find 15"
            yield f"This design cannot see 10 to 15 points, the size of published effects of set-ups{need}."


def _points(gap: float) -> str:
    return f"{gap_text(gap)} points" if gap < 1 else "100 points or more"


def setup_plan(tasks: int, samples: int, contrasts: int) -> SetupPlan:
    """The effect that a design can detect.

    Raises:
        StatisticsError: There are fewer than two tasks.
    """
    if tasks < 2:
        raise StatisticsError(f"a paired comparison needs at least two tasks; found {tasks}")
    variance, demands = prior_basis(0.5).variance, Demands(comparisons=contrasts)
    found = detectable_gap(variance, questions=tasks, samples=(samples, samples), demands=demands)
    bound = found.se * (t_quantile(0.90, tasks - 1) + t_quantile(0.80, tasks - 1))
    need = questions_needed(variance, gap=0.15, samples=(samples, samples), demands=demands).questions_to_buy
    return SetupPlan(tasks, samples, contrasts, float(found.gap), float(bound), need)


@dataclass(frozen=True, slots=True)
class SetupPart:
    """The effect of one part of a configuration: the agent with it minus the agent without it."""

    agent: str
    part: str
    """`all`, `content`, or the name of a part."""
    tasks: int
    difference: float | None
    """In the share of tasks solved."""
    interval: tuple[float, float] | None
    """95%, of this contrast alone."""
    p_value: float | None
    equivalent_within: float | None
    """The difference lies within this, either way, at the level of 95% each; None where nothing can be said."""
    equivalent: bool
    """Whether that is the margin which was declared, or less."""
    cost_ratio: float | None
    cost_interval: tuple[float, float] | None
    turns_ratio: float | None
    turns_interval: tuple[float, float] | None
    conduct_difference: float | None
    """In the mean of all measures of conduct that had an occasion, 1 the better end."""
    conduct_interval: tuple[float, float] | None
    reason: str = ""
    """Why something is None."""


@dataclass(frozen=True, slots=True)
class SetupTry(Shown):
    """The effects of a configuration and its parts."""

    study: str
    margin: float
    plan: SetupPlan
    parts: tuple[SetupPart, ...]

    main_table = "parts"

    def to_plain(self) -> dict[str, Any]:
        """The parts, and what the design could see."""
        return {**as_json(self), "plan": self.plan.to_plain()}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A row for each contrast, and what none of them can say."""
        table = FittingTable("agent", "what", "success", "95%", "within", "cost", "turns", "conduct", box=None)
        for each in self.parts:
            table.add_row(
                each.agent,
                each.part,
                _tried_line(each.difference, points_text),
                _tried_line(each.interval, lambda ends: f"{points_text(ends[0])} to {points_text(ends[1])}"),
                _tried_line(each.equivalent_within, gap_text),
                _tried_line(each.cost_ratio, lambda ratio: f"x{ratio:.2f}"),
                _tried_line(each.turns_ratio, lambda ratio: f"x{ratio:.2f}"),
                _tried_line(each.conduct_difference, points_text),
            )
        yield table
        shown = [each.part for each in self.parts if each.equivalent]
        yield (
            f"Shown to change less than {_points(self.margin)}: {', '.join(shown) or 'nothing'}. Where neither a "
            "difference nor that is shown, the study was too small to tell."
        )
        yield from dict.fromkeys(each.reason for each in self.parts if each.reason)
        if self.plan.blind:
            yield self.plan


def _tried_line(value: Any, words: Callable[[Any], str]) -> str:  # noqa: ANN401 - any field of a row
    return "-" if value is None else words(value)


def setup_effects(study: Store, name: str, plan: SetupPlan, margin: float) -> SetupTry:
    """The effects that a study of `setup try` shows.

    Raises:
        StatisticsError: An arm has no trials to compare.
    """
    arms: dict[str, dict[str, str]] = defaultdict(dict)
    for record in study.agents():
        laid = overlay_of(record)
        arms[without_overlay(record).name][laid[0] if laid else ""] = record.name
    found: _Measured = {kind: defaultdict(lambda: defaultdict(list)) for kind in ("usd", "tokens", "turns", "conduct")}
    for trial in study.trials():
        usage, info = trial.usage, study.trajectory_info(trial.id)
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        for kind, value in (("usd", usage.usd), ("tokens", tokens or None), ("turns", info.steps if info else None)):
            if value is not None and trial.outcome != "void":
                found[kind][trial.agent][trial.task].append(float(value))
    for seen in measured_trials(study):
        if seen.shares is None:
            continue
        values = [
            share.seen / share.of if each.good == "high" else 1 - share.seen / share.of
            for each in MEASURES
            if (share := seen.shares.get(each.name)) is not None
        ]
        if values:
            found["conduct"][seen.arm][seen.task].append(float(np.mean(values)))
    measured = found
    rows = []
    for agent, of in arms.items():
        if "all" not in of:
            continue
        whole = of["all"]
        against = [("all", of.get("")), ("content", of.get("placebo"))]
        against += [(arm.removeprefix("no-"), other) for arm, other in of.items() if arm.startswith("no-")]
        rows += [
            _contrast(study, agent, part, (whole, other), measured, margin)
            for part, other in against
            if other is not None
        ]
    return SetupTry(name, margin, plan, tuple(rows))


_Measured = dict[str, dict[str, dict[str, list[float]]]]


def _contrast(
    study: Store, agent: str, part: str, pair: tuple[str, str], measured: _Measured, margin: float
) -> SetupPart:
    found = comparison(study, *pair, margin=margin)
    test = found.margin
    ends = None if test is None else test.interval
    within = None if ends is None or None in ends else max(abs(ends[0] or 0.0), abs(ends[1] or 0.0))
    usd = _paired(measured["usd"], pair, ratio=True)
    cost = usd if usd[0] is not None else _paired(measured["tokens"], pair, ratio=True)
    turns = _paired(measured["turns"], pair, ratio=True)
    conduct = _paired(measured["conduct"], pair, ratio=False)
    return SetupPart(
        agent, part, found.n, found.difference, found.interval, found.p_value, within,
        test is not None and test.verdict == "equivalent", *cost, *turns, *conduct,
        reason="" if cost[0] is not None else "The agent reports neither cost nor tokens.",
    )  # fmt: skip


def _paired(
    values: Mapping[str, Mapping[str, Sequence[float]]], pair: tuple[str, str], *, ratio: bool
) -> tuple[float | None, tuple[float, float] | None]:
    """The mean over tasks of the difference, or of the ratio, of two agents' means, with its 95% interval."""
    first, second = (values.get(name, {}) for name in pair)
    steps = []
    for task in sorted(first.keys() & second.keys()):
        a, b = float(np.mean(first[task])), float(np.mean(second[task]))
        if not ratio:
            steps.append(a - b)
        elif a > 0 and b > 0:
            steps.append(math.log(a / b))
    if not steps:
        return None, None
    found = mean_of_questions(np.array(steps))
    mean, se = float(found.mean), float(found.se)
    half = t_quantile(1 - _SEEN_ALPHA, float(found.df)) * se if math.isfinite(se) else math.nan
    ends = None if math.isnan(half) else (mean - half, mean + half)
    if not ratio:
        return mean, ends
    return math.exp(mean), None if ends is None else (math.exp(ends[0]), math.exp(ends[1]))
