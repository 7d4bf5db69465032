"""The disclosure page: every rate of some studies with all that it must not be told without, as HTML or Markdown.

The page takes `DisclosedRate`, which cannot be built without denominator, tasks, arm, interval, judge and its version,
unread share, hash of the suite and dates; a study that lacks one of them gives an error that names it, and no page.
What could not be measured is listed with the reason, and never as a rate. What an imported study cannot know (the hash
of its suite, what agents were told, dates) is left out by name. Errata that a study holds stand at the top:
a rate whose correction is known is not to be read before it.

Not covered: whether the rates are good. A page that is complete can still be about a poor judge.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.agents import PromptArm
from honestly.audit import coverage_words
from honestly.errors import StatisticsError
from honestly.show import (
    Figures,
    Shown,
    filled,
    level_text,
    markdown_text as _md,
    p_value,
    percent_text,
    points_text,
    printable_text_line,
)
from honestly.stress._figure import rate_figures
from honestly.stress._judged import UNKNOWN_ARM, JudgedSet
from honestly.stress._paired import Differential, arm_differences
from honestly.stress._rates import DisclosedRate, Unmeasured, rates_of
from honestly.stress._report import StressReport
from honestly.work import write_file


@dataclass(frozen=True, slots=True, repr=False)
class Disclosure(Shown):
    """Every rate of some studies with all that it must not be told without."""

    main_table: ClassVar[str] = "rates"

    rates: tuple[DisclosedRate, ...]
    unmeasured: tuple[Unmeasured, ...]
    differences: tuple[Differential, ...]
    arms: tuple[PromptArm, ...]
    """The texts, in full."""
    errata: tuple[str, ...]
    judges: tuple[str, ...] = field(default=())
    """Name and version of each judge."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON; what is not finite becomes null."""
        plain = Shown.to_plain(self)
        for arm, said in zip(plain["arms"], self.arms, strict=True):
            arm["hash"] = said.hash
        return plain

    @property
    def arms_unknown(self) -> bool:
        """Whether of some rates it is not known what the agents were told."""
        return any(rate.arm == UNKNOWN_ARM.name and not rate.arm_hash for rate in self.rates)

    @property
    def figures(self) -> Figures:
        """The figures of the page, by name."""
        return Figures(rate_figures(self.rates, self.differences))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for text in self.errata:
            yield Text(f"Erratum. {printable_text_line(text)}", style="bold")
        yield StressReport((*self.rates, *self.unmeasured), self.differences, ())


def make_disclosure(sets: Sequence[JudgedSet], level: float = 0.95) -> Disclosure:
    """The disclosure of these sets.

    Args:
        sets: of one or more studies.
        level: coverage of the intervals.

    Raises:
        StatisticsError: there is no rate at all, or one of them lacks something; the message names what.
    """
    told: list[DisclosedRate] = []
    lost: list[Unmeasured] = []
    for judged in sets:
        for rate in rates_of(judged, level):
            (told if isinstance(rate, DisclosedRate) else lost).append(rate)  # type: ignore[arg-type]
    nameless = Counter((judged.name, judged.judge.measure) for judged in sets if not judged.version)
    if twice := sorted({name for (name, _), count in nameless.items() if count > 1}):
        raise StatisticsError(
            f"several imported studies are called {', '.join(twice)}, and nothing says whether their tasks are alike; "
            "disclose them apart"
        )
    if not told:
        reasons = "; ".join(sorted({each.reason for each in lost})) or "the studies hold no trials"
        raise StatisticsError(f"there is no rate to disclose: {reasons}; run honestly audit on the study first")
    arms = {
        condition.arm.hash: condition.arm
        for judged in sets
        for condition in judged.conditions
        if condition.arm is not UNKNOWN_ARM
    }
    return Disclosure(
        rates=tuple(told),
        unmeasured=tuple(lost),
        differences=tuple(each for judged in sets for each in arm_differences(judged, level)),
        arms=tuple(sorted(arms.values(), key=lambda arm: (arm.prompt != "", arm.name, arm.hash))),
        errata=tuple(dict.fromkeys(text for judged in sets for text in judged.errata)),
        judges=tuple(dict.fromkeys(f"{rate.judge}, version {rate.judge_version}" for rate in told)),
    )


def write_disclosure(told: Disclosure, path: Path) -> None:
    """Writes the page, whole or not at all: Markdown to a `.md`, HTML to anything else.

    Raises:
        HonestlyError: the file cannot be written.
    """
    text = disclosure_markdown(told) if path.suffix.lower() == ".md" else disclosure_html(told)
    write_file(path, text)


def disclosure_html(told: Disclosure) -> str:
    """The page as one self-contained HTML document: no script, nothing from elsewhere, all names escaped."""
    level = level_text(told.rates[0].level)
    return str(
        filled(
            "stress",
            "disclosure.html",
            told=told,
            sets=_rates_by_set(told),
            figures=told.figures.values(),
            level=level,
            left_out=left_out,
            understood=understood_lines,
        )
    )


def _rates_by_set(told: Disclosure) -> list[tuple[tuple[str, str, str], list[DisclosedRate]]]:
    """Rates by set and measure, which are never merged."""
    groups: dict[tuple[str, str, str], list[DisclosedRate]] = {}
    for rate in told.rates:
        groups.setdefault((rate.suite, rate.suite_version, rate.measure), []).append(rate)
    return list(groups.items())


def disclosure_markdown(told: Disclosure) -> str:
    """The page as Markdown, with everything that could act there escaped."""
    lines = ["# Disclosed rates", ""]
    lines += [f"> **Erratum.** {_md(text)}" for text in told.errata] or ["No erratum is known."]
    for (suite, version, measure), rates in _rates_by_set(told):
        named = f"Set `{_md(version)}`" if version else "The hash of the set is not known"
        lines += ["", f"## {_md(suite)}: {_md(measure)}", "", f"{named}. Sets are never merged.", ""]
        lines += [
            f"| agent | arm | rate | {level_text(rates[0].level)} interval | found of read | tasks | unread | void |"
        ]
        lines += ["|---|---|---:|---:|---:|---:|---:|---:|"]
        for rate in rates:
            cells = (
                _md(rate.agent) + (f" at {_md(rate.checkpoint)}" if rate.checkpoint else ""),
                f"{_md(rate.arm)} {_md(rate.arm_version)} (`{rate.arm_hash[:12]}`)" if rate.arm_hash else _md(rate.arm),
                f"{percent_text(rate.rate)}%",
                f"{percent_text(rate.low)} to {percent_text(rate.high)}%",
                f"{rate.found} of {rate.trials}",
                str(rate.tasks),
                f"{rate.unread} ({percent_text(rate.unread_share)}%)",
                str(rate.void),
            )
            lines.append(f"| {' | '.join(cells)} |")
        one = rates[0]
        days = (
            f"Trials from {one.first[:10]} to {one.last[:10]}" if one.first else "The days of the trials are not known"
        )
        lines += ["", f"Judge: {_md(one.judge)}, version {_md(one.judge_version)}. {days}."]
        lines[-1] += f" Interval: {' · '.join(sorted({_md(rate.method) for rate in rates}))}."
        lines += ["", *(f"- {_md(line)}" for line in understood_lines(rates))]
        lines += ["", _md(left_out(rates))] if one.imported_from else []
    lines += _md_differences(told)
    if told.unmeasured:
        lines += ["", "## Not measured", ""]
        lines += [
            f"- {_md(each.suite)}, {_md(each.agent)}, {_md(each.arm)}, {_md(each.measure)}: {_md(each.reason)} "
            f"({each.unread} unread, {each.void} void)"
            for each in told.unmeasured
        ]
    lines += ["", "## What agents were told before the task", ""]
    for arm in told.arms:
        lines.append(f"- **{_md(arm.name)}** {_md(arm.version)} (`{arm.hash[:12]}`): {_md(arm.prompt) or 'nothing'}")
    lines += [f"- **{UNKNOWN_ARM.name}**: {UNKNOWN_ARM.source}"] if told.arms_unknown else []
    return "\n".join(lines) + "\n"


def understood_lines(rates: Sequence[DisclosedRate]) -> list[str]:
    """A line for each agent on how much of what it did is understood."""
    return [
        f"{rate.agent}{f' at {rate.checkpoint}' * bool(rate.checkpoint)}: {coverage_words(rate.coverage)}"
        for rate in rates
    ]


def left_out(rates: Sequence[DisclosedRate]) -> str:
    """The gaps of an import about these rates, in a sentence."""
    unknown = dict.fromkeys(what for rate in rates for what in rate.unknown)
    known = f"left out, because the import does not say: {', '.join(unknown)}" if unknown else "nothing is left out"
    return f"Imported from {rates[0].imported_from}; {known}."


def _md_differences(told: Disclosure) -> list[str]:
    if not told.differences:
        return []
    lines = ["", "## What the prompt changes", ""]
    lines += ["| set | agent | measure | arms | points | interval | tasks | p (Holm) |"]
    lines += ["|---|---|---|---|---:|---:|---:|---:|"]
    for each in told.differences:
        paired = each.paired
        lines.append(
            f"| {_md(each.suite)} | {_md(each.agent)} | {_md(each.measure)} | {_md(each.arm)} - {_md(each.against)} | "
            f"{points_text(paired.difference)} | {points_text(paired.low)} to {points_text(paired.high)} | "
            f"{paired.tasks} | "
            f"{p_value(each.p_holm)} |"
        )
    return lines
