"""pass@k of ready-made samples, with what stands beside it: who failed how, what tampered, what is missing.

The unit is the problem: pass@k is estimated without bias for each and averaged, and the interval comes from the spread
between problems, however many samples each has. A void sample counts as failed, as in every other harness, and is
counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from honestly.report._text import all_of, finite, level_text, percent, plural, printable
from honestly.stats import PassEstimate, Policy, ResolvedScores, Scores, pass_at_k

if TYPE_CHECKING:
    from honestly.runner import JudgedSample


_AGENT = "samples"


@dataclass(frozen=True, slots=True)
class LooksLike:
    """Samples that carry one sign of reaching for the judge. No verdict: honest code can carry one."""

    sign: str
    samples: tuple[str, ...]
    """`HumanEval/3 sample 0`, ..."""
    passed: int
    """How many of them passed."""


@dataclass(frozen=True, slots=True)
class PassRates:
    """What samples came to."""

    estimates: tuple[PassEstimate, ...]
    """pass@k, all checks together, for every k that was asked for and that all problems have samples for."""
    by_check: Mapping[str, tuple[PassEstimate, ...]]
    """The same for each check alone, where problems have several (`base` and `plus`)."""
    left_out: Mapping[str, str]
    """Each pass@k that was asked for and is not there, and why."""
    outcomes: Mapping[str, int]
    """Samples by status: passed, failed, error, timeout, void."""
    tampered: int
    """Samples whose verdict carries a sign of tampering; none of them passed."""
    looks_like: tuple[LooksLike, ...]
    broken: Mapping[str, str]
    """Problems whose own reference or tests do not run, and what is wrong with them; their samples count as failed."""
    problems: Mapping[str, Sequence[JudgedSample]]
    """The samples of each problem, in their order."""

    @property
    def samples(self) -> int:
        """Number of samples."""
        return sum(self.outcomes.values())

    def to_plain(self) -> dict[str, object]:
        """Everything as plain data; a number that cannot be estimated is None."""
        return {**self.summary(), "results": dict(self.results())}

    def summary(self) -> dict[str, object]:
        """Rates and counts as plain data, without each sample's own result."""
        return {
            **_values(self.estimates),
            "n": len(self.problems),
            "samples": self.samples,
            "tampered": self.tampered,
            "outcomes": dict(self.outcomes),
            "estimates": [_estimate(estimate) for estimate in self.estimates],
            "checks": {name: _values(estimates) for name, estimates in self.by_check.items()},
            "left_out": dict(self.left_out),
            "looks_like": [
                {"sign": found.sign, "samples": list(found.samples), "passed": found.passed}
                for found in self.looks_like
            ],
            "broken": dict(self.broken),
        }

    def results(self) -> Iterator[tuple[str, list[dict[str, object]]]]:
        """Each problem with its samples' results, made as they are asked for."""
        for name, found in self.problems.items():
            yield name, [_sample(sample) for sample in found]


def pass_rates(found: Iterable[JudgedSample], ks: Sequence[int], *, level: float = 0.95) -> PassRates:
    """Rates, counts and signs of judged samples.

    Args:
        found: the samples, in any order; at least one.
        ks: which pass@k.
        level: of the intervals.
    """
    problems: dict[str, list[JudgedSample]] = defaultdict(list)
    for sample in found:
        problems[sample.problem].append(sample)
    least = min(problems, key=lambda name: len(problems[name]))
    fewest = len(problems[least])
    fitting = [k for k in ks if k <= fewest]
    everything = _resolved({name: [s.judged.passed for s in samples] for name, samples in problems.items()})
    return PassRates(
        estimates=tuple(pass_at_k(everything, _AGENT, k, level=level) for k in fitting),
        by_check=_by_check(problems, fitting, level),
        left_out={f"pass@{k}": f"{least} has {plural(fewest, 'sample')}" for k in ks if k > fewest},
        outcomes=Counter(sample.judged.status for samples in problems.values() for sample in samples),
        tampered=sum(bool(sample.judged.tampered) for samples in problems.values() for sample in samples),
        looks_like=_looks_like(problems),
        broken=_broken(problems),
        problems=problems,
    )


def _resolved(passed: Mapping[str, Sequence[bool]]) -> ResolvedScores:
    counts = [sum(samples) for samples in passed.values()]
    failed = [len(samples) - count for samples, count in zip(passed.values(), counts, strict=True)]
    planned = [[len(samples) for samples in passed.values()]]
    return Scores.from_counts([_AGENT], list(passed), [counts], [failed], planned=planned).resolve(Policy())


def _by_check(
    problems: Mapping[str, Sequence[JudgedSample]], ks: Sequence[int], level: float
) -> dict[str, tuple[PassEstimate, ...]]:
    """For every check, the rates over the problems that have it; empty where all problems have only one."""
    passed: dict[str, dict[str, list[bool]]] = defaultdict(dict)
    for name, samples in problems.items():
        for check in {check: None for sample in samples for check in sample.judged.checks}:
            passed[check][name] = [sample.judged.checks.get(check) == "passed" for sample in samples]
    if len(passed) < 2:
        return {}
    return {
        check: tuple(pass_at_k(_resolved(rows), _AGENT, k, level=level) for k in ks) for check, rows in passed.items()
    }


def _looks_like(problems: Mapping[str, Sequence[JudgedSample]]) -> tuple[LooksLike, ...]:
    carriers: dict[str, list[JudgedSample]] = defaultdict(list)
    for samples in problems.values():
        for sample in samples:
            for sign in sample.signs:
                carriers[sign].append(sample)
    most_first = sorted(carriers.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        LooksLike(sign, tuple(f"{s.problem} sample {s.number}" for s in found), sum(s.judged.passed for s in found))
        for sign, found in most_first
    )


def _broken(problems: Mapping[str, Sequence[JudgedSample]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, samples in problems.items():
        for sample in samples:
            if sample.judged.status == "error":
                found.setdefault(name, sample.judged.result.removeprefix("failed: ").removeprefix("ProblemError: "))
    return found


def _values(estimates: Iterable[PassEstimate]) -> dict[str, object]:
    return {f"pass@{estimate.k}": estimate.value for estimate in estimates}


def _estimate(estimate: PassEstimate) -> dict[str, object]:
    return {
        "k": estimate.k,
        "value": estimate.value,
        "se": finite(estimate.se),
        "interval": [finite(bound) for bound in estimate.interval],
        "level": estimate.level,
        "about": str(estimate.estimand),
        "reason": estimate.reason,
        "notes": list(estimate.notes),
    }


def _sample(sample: JudgedSample) -> dict[str, object]:
    judged = sample.judged
    return {
        "completion_id": sample.number,
        "passed": judged.passed,
        "status": judged.status,
        "result": judged.result,
        "tampered": list(judged.tampered),
        "checks": judged.checks,
        "looks_like": list(sample.signs),
    }


_SHOWN = 3
_LONGEST = 160
_LOOKS = "Looks like reaching for the judge; no verdict depends on it:"
_LOOKS_FINE = "No sample looks like reaching for its judge."
_OUTCOMES = {"passed": "passed", "failed": "failed", "timeout": "ran out of time", "error": "met a broken problem"}


class RatesView:
    """Rates that rich can print: `Console().print(RatesView(rates, "HumanEval", notes))`."""

    def __init__(self, rates: PassRates, name: str, notes: Sequence[str] = ()) -> None:
        """Args:
        rates: what is shown.
        name: of the problems.
        notes: further sentences, at the end.
        """
        self._rates, self._name, self._notes = rates, name, notes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        rates = self._rates
        counts = f"{plural(len(rates.problems), 'problem')}, {plural(rates.samples, 'sample')}"
        yield Text(f"{printable(self._name)}: {counts}", style="bold")
        yield Text()
        yield _rates_table(rates)
        yield Text()
        for line in _lines(rates):
            yield Text(line, style="dim")
        for warning in _warnings(rates):
            yield Text.assemble(("! ", "bold yellow"), warning)
        yield Text(_LOOKS if rates.looks_like else _LOOKS_FINE, style="" if rates.looks_like else "dim")
        for found in rates.looks_like:
            yield Padding(Text(_sign(found)), (0, 0, 0, 2), expand=False)
        for note in self._notes:
            yield Text(note, style="dim")


def _rates_table(rates: PassRates) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("%", justify="right", style="bold")
    table.add_column(f"{level_text(rates.estimates[0].level)} interval" if rates.estimates else "", justify="right")
    for estimate in rates.estimates:
        table.add_row(f"pass@{estimate.k}", *_cells(estimate))
    for check, estimates in rates.by_check.items():
        for estimate in estimates:
            table.add_row(Text(f"pass@{estimate.k}, {printable(check)} alone"), *_cells(estimate), style="dim")
    return table


def _cells(estimate: PassEstimate) -> tuple[str, str]:
    low, high = map(finite, estimate.interval)
    return percent(estimate.value), "–" if low is None else f"[{percent(low)}, {percent(high)}]"


def _lines(rates: PassRates) -> Iterator[str]:
    parts = [f"{rates.outcomes[key]:,} {words}" for key, words in _OUTCOMES.items() if rates.outcomes.get(key)]
    if parts:
        yield f"Of the samples, {all_of(parts)}."
    if rates.estimates:
        yield f"Unbiased estimates; the intervals are for {rates.estimates[0].estimand}, with problems as the unit."
    for note in dict.fromkeys(note for estimate in rates.estimates for note in estimate.notes):
        yield f"{printable(note)}."
    if rates.left_out:
        why = next(iter(rates.left_out.values()))
        yield f"Not estimated: {all_of(list(rates.left_out))}, since {printable(why)}."


def _warnings(rates: PassRates) -> Iterator[str]:
    if void := rates.outcomes.get("void"):
        yield f"{plural(void, 'sample')} could not be judged, counted as failed; run it again to judge them."
    if rates.tampered:
        yield f"{plural(rates.tampered, 'sample')} tampered with the judge, counted as failed."
    for name, words in list(rates.broken.items())[:_SHOWN]:
        yield f"The problem {printable(name)} is broken: {printable(words)[:_LONGEST]}"
    if len(rates.broken) > _SHOWN:
        yield f"{len(rates.broken) - _SHOWN} more problems are broken (--json lists them)."


def _sign(found: LooksLike) -> str:
    shown = ", ".join(map(printable, found.samples[:_SHOWN])) + (", ..." if len(found.samples) > _SHOWN else "")
    return f"{found.sign}: {plural(len(found.samples), 'sample')}, {found.passed} of them passed ({shown})"
