"""The proof page of a loop of ours: winner, baseline and control on fresh seeds, the luck of the choice, the audit.

Winner against baseline and winner against best-of-N are each a paired comparison on seeds that were drawn after the
loop had ended; the verdict is the weaker of the two. By sign flips (exact where it can be) and Student's interval, and
where a `bound` is declared by the answer of `stats` that holds for every law as well: without it nothing excludes that
a change loses much on seeds too rare to have been drawn, and `better` has that condition. Where the winner has no
number on a fresh seed and the other has one, it is not better.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, stdev
from typing import ClassVar, Literal, get_args

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.improve._audit import DiffFlag
from honestly.improve._declare import BASELINE, Constraint
from honestly.improve._prove import LoopEvidence
from honestly.scores import granted_words
from honestly.show import FittingTable, Shown, level_text, number_text, p_is, plural_text, printable_text_line
from honestly.stats import MeanAnswer, MeanQuestion, assumptions, sign_flip, t_quantile

GainVerdict = Literal[
    "worse",
    "worse, if rare large differences can be excluded",
    "cannot tell",
    "better, if rare large differences can be excluded",
    "better",
]
LoopVerdict = Literal[GainVerdict, "nothing was kept", "not measured yet"]

_WEAKEST_FIRST: tuple[GainVerdict, ...] = get_args(GainVerdict)

_FEWEST = 3
_MOST_FLAGS = 12


@dataclass(frozen=True, slots=True)
class FreshGain:
    """One side's gain over another on the same fresh seeds, positive where it is better."""

    gain: float
    se: float
    interval: tuple[float, float]
    p_value: float
    n: int
    """Fresh seeds on which both have a score."""
    failed: int
    """Fresh seeds on which the one has none and the other has one."""
    verdict: GainVerdict
    undone_by: tuple[float, float] | None
    """The share of seeds that may not have been drawn, and the loss there that would undo the gain; None where no such
    loss is left to be excluded."""
    assumed: tuple[str, ...]
    """What interval and p-value take for granted."""


@dataclass(frozen=True, slots=True)
class HeldMetric:
    """A metric that must not get worse, on the fresh seeds."""

    name: str
    margin: float
    gain: float | None
    """The winner's over the unchanged project, positive where it is better."""
    p_value: float | None
    """One-sided, of the null hypothesis that it is worse by the margin or more; None where no seed was worse by it."""
    verdict: Literal["worse", "cannot tell", "no worse"]


@dataclass(frozen=True, slots=True, repr=False)
class LoopProof(Shown):
    """Whether a loop's gain is real. Scores are in units of the metric; None is what was not measured."""

    main_table: ClassVar[str] = "flags"

    name: str
    loop: str
    keep: str
    agent: str
    metric: str
    higher: bool
    baseline: float | None
    """The unchanged project on the fresh seeds."""
    best: float | None
    """The winner there."""
    difference: float | None
    """Gain of the winner, positive where it is better."""
    se: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    verdict: LoopVerdict
    """The weaker of `over_baseline` and `over_best_of_n`."""
    over_baseline: FreshGain | None
    """The winner's gain over the unchanged project."""
    selected: float | None
    """The winner's score when it was chosen."""
    fresh: float | None
    """Its score on the fresh seeds: `best` again, under the name that `selected` is to be compared with."""
    optimism: float | None
    """By how much `selected` is better than `fresh`: the luck of the choice."""
    optimism_interval: tuple[float, float] | None
    n: int
    """Fresh seeds on which both have a score."""
    failed: int
    """Fresh seeds on which the winner has none and the baseline has one."""
    best_of_n: float | None
    """The control's winner on the fresh seeds: best of as many attempts without feedback."""
    over_best_of_n: FreshGain | None
    """The winner's gain over it: the value of feedback."""
    attempts: int
    kept: int
    constraints: tuple[HeldMetric, ...]
    """Those that were declared; the verdict is `better` only where all are no worse."""
    tampering: int
    """Attempts that changed what they may not; all were put back."""
    flagged: int
    """Kept changes in which something is flagged."""
    flags: tuple[DiffFlag, ...]
    wrongly: tuple[int, ...]
    """Kept changes that are known to gain nothing, where the agent's truth is known."""
    trusted: bool
    """Whether the command that evaluates ran together with the candidate, so that its word is taken."""
    alpha: float

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        style = {"better": "bold green", "worse": "bold red"}.get(self.verdict, "bold yellow")
        yield Text.assemble((self.verdict, style), ": ", self._proof_headline())
        if self.n:
            table = FittingTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
            table.add_column("on the fresh seeds")
            table.add_column(printable_text_line(self.metric), justify="right")
            table.add_column("winner is better by", justify="right")
            table.add_column("which is")
            table.add_row("winner of the loop", _value_text(self.best), "", "")
            rows = (
                ("unchanged project", self.baseline, self.over_baseline),
                ("best of N, no feedback", self.best_of_n, self.over_best_of_n),
            )
            for name, value, over in rows:
                if over is not None:
                    table.add_row(name, _value_text(value), _gain_text(over.gain, over.interval), over.verdict)
            yield table
        yield from map(Text, self._condition_lines())
        if self.optimism is not None and self.optimism_interval is not None:
            low, high = self.optimism_interval
            yield Text(
                f"When it was chosen the winner scored {_value_text(self.selected)}: "
                f"{_value_text(self.optimism, sign=True)} "
                f"better than on fresh seeds ({level_text(1 - self.alpha)} interval {_value_text(low, sign=True)} to "
                f"{_value_text(high, sign=True)}), the luck of the choice."
            )
        yield from map(Text, self._audit_lines())

    def _proof_headline(self) -> str:
        tried = (
            f"{printable_text_line(self.agent)} made {plural_text(self.attempts, 'attempt')}, of which "
            f"{self.kept} were kept"
        )
        if self.over_baseline is None:
            return f"{tried}."
        over = [self._gain_words(self.over_baseline, "the unchanged project")]
        if self.over_best_of_n is not None:
            over.append(self._gain_words(self.over_best_of_n, "best of N without feedback"))
        metric = printable_text_line(self.metric)
        return f"on {self._tested_on()} the winner's {metric} is {', and '.join(over)}; {tried}."

    def _gain_words(self, found: FreshGain, other: str) -> str:
        low, high = found.interval
        words = (
            f"better than {other}'s by {_value_text(found.gain, sign=True)} ({level_text(1 - self.alpha)} interval "
            f"{_value_text(low, sign=True)} to {_value_text(high, sign=True)}, {p_is(found.p_value)})"
        )
        failed = plural_text(found.failed, "fresh seed")
        return f"{words}, but has none on {failed} on which that has one" if found.failed else words

    def _condition_lines(self) -> Iterator[str]:
        """What was declared beside the metric, and what a condition means in numbers."""
        for each in self.constraints:
            p = "" if each.p_value is None else f", {p_is(each.p_value)}"
            yield (
                f"{each.verdict}: {printable_text_line(each.name)}, better by {_value_text(each.gain, sign=True)} than "
                f"the unchanged project's; it may be worse by {_value_text(each.margin)}{p}"
            )
        pairs = ((self.over_baseline, "the unchanged project"), (self.over_best_of_n, "best of N"))
        for found, other in pairs:
            if found is not None and found.undone_by is not None:
                share, loss = found.undone_by
                yield (
                    f"Up to {share:.1%} of all seeds may be of a kind that was not drawn; if the winner loses "
                    f"{_value_text(loss)} to {other} there, nothing is gained. Declare a `bound` in "
                    "improve.toml that excludes it."
                )

    def _tested_on(self) -> str:
        attacked = self.loop == "harden"
        return f"{plural_text(self.n, 'task')} attacked afresh" if attacked else plural_text(self.n, "fresh seed")

    def _audit_lines(self) -> Iterator[str]:
        if self.trusted:
            yield "The evaluating command ran in one sandbox with the candidate; what it printed was believed."
        if self.best_of_n is None and self.n and self.loop != "harden":
            yield "missing: what best-of-N finds with the same budget and no feedback"
        yield (
            f"Audit: {plural_text(self.tampering, 'attempt')} changed files that may not change (put back); "
            f"{self.flagged} of {self.kept} kept changes are flagged."
        )
        first: dict[tuple[str, str], DiffFlag] = {}
        many: dict[tuple[str, str], int] = {}
        for each in self.flags:
            key = (each.flag, each.path)
            many[key] = many.get(key, 0) + 1
            if key not in first or (each.kept and not first[key].kept):
                first[key] = each
        for key, each in list(first.items())[:_MOST_FLAGS]:
            where = f"attempt {each.attempt}, {'kept' if each.kept else 'dropped'}"
            more = f" and {many[key] - 1} more" if many[key] > 1 else ""
            line = f": {printable_text_line(each.line)}" if each.line else ""
            yield f"  {each.flag} in {printable_text_line(each.path)} ({where}{more}){line}"
        if self.wrongly:
            told = ", ".join(map(str, self.wrongly[:10]))
            yield f"The agent's truth is known: kept without a gain: attempt {told}."


def loop_proof(found: LoopEvidence, alpha: float = 0.05) -> LoopProof:
    """A page that says whether a loop's gain is real, from its measurements.

    Args:
        found: by `honestly.improve.prove_run`.
        alpha: level of the test, and of the intervals.
    """
    verdict: LoopVerdict
    roles, gain_over = found.fresh, partial(fresh_gain, alpha=alpha, higher=found.higher, bound=found.bound)
    gain = gain_over(roles["best"], roles["baseline"])
    over = gain_over(roles["best"], roles["control"]) if "control" in roles else None
    held = tuple(held_metric(*each, alpha) for each in found.constraints)
    best = _mean_or_none(roles["best"])
    luck = luck_of_choice(found.selected, roles["best"], alpha, higher=found.higher)
    if found.best == BASELINE:
        verdict, gain, over = "nothing was kept", None, None
    elif gain is None:
        verdict = "not measured yet"
    else:
        shown = [gain.verdict]
        if "control" in roles:
            shown.append(over.verdict if over else "cannot tell")
        shown += ["worse" if each.verdict == "worse" else "cannot tell" for each in held if each.verdict != "no worse"]
        verdict = min(shown, key=_WEAKEST_FIRST.index)
    return LoopProof(
        name=found.name,
        loop=found.loop,
        keep=found.keep,
        agent=found.agent,
        metric=found.metric,
        higher=found.higher,
        baseline=_mean_or_none(roles["baseline"]),
        best=best,
        difference=gain.gain if gain else None,
        se=gain.se if gain else None,
        interval=gain.interval if gain else None,
        p_value=gain.p_value if gain else None,
        verdict=verdict,
        over_baseline=gain,
        selected=mean(found.selected) if found.selected else None,
        fresh=best,
        optimism=luck[0] if luck else None,
        optimism_interval=luck[1] if luck else None,
        n=gain.n if gain else 0,
        failed=gain.failed if gain else 0,
        best_of_n=_mean_or_none(roles.get("control", ())),
        over_best_of_n=over,
        attempts=found.attempts,
        kept=found.kept,
        constraints=held if gain else (),
        tampering=found.tampering,
        flagged=len({each.attempt for each in found.flags if each.kept}),
        flags=found.flags,
        wrongly=found.wrongly,
        trusted=found.trusted,
        alpha=alpha,
    )


def fresh_gain(
    new: Sequence[float | None], old: Sequence[float | None], alpha: float, *, higher: bool, bound: float | None = None
) -> FreshGain | None:
    """The gain of one side over another, paired by seed; None with fewer than three pairs.

    Args:
        new: scores of the one side, None where there is none.
        old: scores of the other on the same seeds.
        alpha: the interval holds 1 - alpha.
        higher: whether more is better.
        bound: the largest size of a difference; 0 where what was not drawn is like what was drawn, None where nobody
            knows.
    """
    sign = 1 if higher else -1
    gains = [sign * (a - b) for a, b in zip(new, old, strict=False) if a is not None and b is not None]
    failed = sum(a is None and b is not None for a, b in zip(new, old, strict=False))
    n = len(gains)
    if n < _FEWEST:
        return None
    middle, se = mean(gains), stdev(gains) / math.sqrt(n)
    half = t_quantile(1 - alpha, n - 1.0) * se
    interval, p_value = (middle - half, middle + half), sign_flip(gains, seed=0)
    is_free = False
    if bound and max(map(abs, gains)) <= bound:
        low, high = (end / bound for end in interval)
        # The law-free part needs values between -1 and 1.
        claim = MeanQuestion(middle / bound, se / bound, n - 1.0, np.array(gains) / bound).claim(
            1 - alpha, 0.0, approximate=MeanAnswer("sign flips", (low, high), p_value)
        )
        if claim.guaranteed.p_value <= alpha or p_value > alpha:
            low, high = claim.guaranteed.interval
            interval, p_value, is_free = (low * bound, high * bound), claim.guaranteed.p_value, True
    verdict: GainVerdict = "cannot tell"
    is_shown = is_free or bound == 0
    if p_value <= alpha and (middle < 0 or (middle > 0 and not failed)):
        verdict = gain_verdict(middle, is_shown=is_shown)
    undrawn = 1 - alpha ** (1 / n)
    undone = (undrawn, middle * (1 - undrawn) / undrawn) if verdict.startswith("better,") else None
    granted = granted_words(assumptions(is_law_free=is_free), "gains", unit="seeds")
    return FreshGain(middle, se, interval, p_value, n, failed, verdict, undone, granted)


def gain_verdict(gain: float, *, is_shown: bool) -> GainVerdict:
    """What a gain is called that is shown, or shown if rare large differences can be excluded."""
    return _WEAKEST_FIRST[(4 if is_shown else 3) if gain > 0 else (0 if is_shown else 1)]


def held_metric(
    name: str, said: Constraint, new: Sequence[float | None], old: Sequence[float | None], alpha: float
) -> HeldMetric:
    """Whether a metric is no worse than another by more than a margin: one-sided, by the answer that fits its bound.

    Args:
        name: of the metric.
        said: its constraint.
        new: its values of the winner on the fresh seeds, None where none was printed.
        old: those of the unchanged project on the same seeds.
        alpha: level of the test.
    """
    sign = 1 if said.direction == "higher" else -1
    gains = [sign * (a - b) for a, b in zip(new, old, strict=False) if a is not None and b is not None]
    if len(gains) < max(_FEWEST, len(new), len(old)):  # a value that was not printed is not a good one
        return HeldMetric(name, said.margin, _mean_or_none(gains), None, "cannot tell")
    if min(gains) >= -said.margin:
        return HeldMetric(name, said.margin, mean(gains), None, "no worse")
    if max(gains) == min(gains):
        return HeldMetric(name, said.margin, gains[0], None, "worse")
    n, scale = len(gains), (said.bound or max(map(abs, gains))) + said.margin
    left = np.array([(gain + said.margin) / scale for gain in gains])
    claim = MeanQuestion(float(left.mean()), float(left.std(ddof=1)) / math.sqrt(n), n - 1.0, left).claim(
        1 - alpha, 0.0
    )
    answer = claim.guaranteed if said.bound else claim.approximate
    verdict: Literal["worse", "cannot tell", "no worse"] = "no worse" if answer.p_above <= alpha else "cannot tell"
    if answer.p_below <= alpha:
        verdict = "worse"
    return HeldMetric(name, said.margin, mean(gains), answer.p_above, verdict)


def luck_of_choice(
    chosen: Sequence[float], again: Sequence[float | None], alpha: float, *, higher: bool
) -> tuple[float, tuple[float, float]] | None:
    """By how much the score that chose a winner is better than its true score, and Student's interval of that.

    What was selected is known; in doubt is the true score alone, of which the fresh seeds tell.
    """
    fresh = [value for value in again if value is not None]
    if len(fresh) < _FEWEST or not chosen:
        return None
    luck = (1 if higher else -1) * (mean(chosen) - mean(fresh))
    half = t_quantile(1 - alpha, len(fresh) - 1.0) * stdev(fresh) / math.sqrt(len(fresh))
    return luck, (luck - half, luck + half)


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _value_text(value: float | None, *, sign: bool = False) -> str:
    if value is None or not math.isfinite(value):
        return "–"
    size = abs(value)
    digits = 0 if size == round(size) else max(0, 3 - math.floor(math.log10(size))) if size else 0
    return number_text(value, min(digits, 6), sign=sign)


def _gain_text(gain: float | None, interval: tuple[float, float]) -> str:
    return (
        f"{_value_text(gain, sign=True)} [{_value_text(interval[0], sign=True)}, {_value_text(interval[1], sign=True)}]"
    )
