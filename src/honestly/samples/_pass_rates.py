"""pass@k of ready-made samples, with what stands beside it: who failed how, what tampered, what is missing.

The unit is the problem: pass@k is estimated without bias for each and averaged, and the interval comes from the spread
between problems, however many samples each has. A void sample counts as failed, as in every other harness, and is
counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from honestly.show import finite_or_none, plural_text
from honestly.stats import PassEstimate, Policy, ResolvedScores, Scores, pass_at_k

if TYPE_CHECKING:
    from honestly.runner import JudgedSample, RejudgedPasses


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
    """The pass rates of samples."""

    estimates: tuple[PassEstimate, ...]
    """pass@k, all checks together, for every k that was asked for and that all problems have samples for."""
    by_check: Mapping[str, tuple[PassEstimate, ...]]
    """Rates by each check alone, for checks that at least half of the problems have (`base` and `plus`)."""
    left_out: Mapping[str, str]
    """Each pass@k that was asked for and is not there, and why."""
    outcomes: Mapping[str, int]
    """Samples by status: passed, failed, error, timeout, void."""
    tampered: int
    """Samples whose verdict carries a sign of tampering; none of them passed."""
    undecided: int
    """Samples of which it could not be found out whether they would pass again, and those with checks whose pass proves
    nothing: these passed, unless it was chance, or the policy is strict."""
    doubts: Mapping[str, int]
    """Samples of `undecided` by reason: what `Verdict.doubt` names, or `again`, of which there is no second verdict."""
    strict: bool
    """Whether all of `undecided` count as failed."""
    looks_like: tuple[LooksLike, ...]
    broken: Mapping[str, str]
    """Problems whose own reference or tests do not run, and what is wrong with them; their samples count as failed."""
    problems: Mapping[str, Sequence[JudgedSample]]
    """The samples of each problem, in their order."""
    rejudged: RejudgedPasses | None = None
    """Passes that were judged again, and how many of them did not survive."""

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
            **({"strict": True} if self.strict else {}),
            **_pass_values(self.estimates),
            "n": len(self.problems),
            "samples": self.samples,
            "tampered": self.tampered,
            "undecided": self.undecided,
            "outcomes": dict(self.outcomes),
            "estimates": [_estimate(estimate) for estimate in self.estimates],
            "checks": {name: _pass_values(estimates) for name, estimates in self.by_check.items()},
            "left_out": dict(self.left_out),
            "looks_like": [asdict(found) for found in self.looks_like],
            "broken": dict(self.broken),
            "rejudged": {"n": again.n, "disagree": again.disagree} if (again := self.rejudged) else None,
        }

    def results(self) -> Iterator[tuple[str, list[dict[str, object]]]]:
        """Each problem with its samples' results, made as they are asked for."""
        for name, found in self.problems.items():
            yield name, [_sample_result(sample) for sample in found]


def pass_rates(
    found: Iterable[JudgedSample],
    ks: Sequence[int],
    *,
    level: float = 0.95,
    rejudged: RejudgedPasses | None = None,
    strict: bool = False,
    broken: Mapping[str, str] = MappingProxyType({}),
) -> PassRates:
    """Rates, counts and signs of judged samples.

    Args:
        found: the samples, in any order; at least one.
        ks: which pass@k.
        level: of the intervals.
        rejudged: what came of judging passes again, if they were.
        strict: whether passes that are undecided count as failed.
        broken: problems that are known to be broken, with the reason; those that samples met are added.
    """
    problems: dict[str, list[JudgedSample]] = defaultdict(list)
    for sample in found:
        problems[sample.problem].append(sample)
    least = min(problems, key=lambda name: len(problems[name]))
    fewest = len(problems[least])
    fitting = [k for k in ks if k <= fewest]
    everything = _resolved_scores(
        {
            name: [s.judged.passed and not (strict and s.judged.undecided) for s in samples]
            for name, samples in problems.items()
        }
    )
    return PassRates(
        estimates=tuple(pass_at_k(everything, _AGENT, k, level=level) for k in fitting),
        by_check=_by_check(problems, fitting, level, strict=strict),
        left_out={f"pass@{k}": f"{least} has {plural_text(fewest, 'sample')}" for k in ks if k > fewest},
        outcomes=Counter(sample.judged.status for samples in problems.values() for sample in samples),
        tampered=sum(bool(sample.judged.tampered) for samples in problems.values() for sample in samples),
        undecided=sum(_is_undecided(sample) for samples in problems.values() for sample in samples),
        doubts=Counter(
            sample.judged.doubt or "again"
            for samples in problems.values()
            for sample in samples
            if _is_undecided(sample)
        ),
        strict=strict,
        looks_like=_looks_like(problems),
        broken={**_broken_problems(problems), **broken},
        problems=problems,
        rejudged=rejudged,
    )


def _is_undecided(sample: JudgedSample) -> bool:
    judged = sample.judged
    return judged.status == "undecided" or (bool(judged.undecided) and set(judged.checks.values()) == {"passed"})


def _resolved_scores(passed: Mapping[str, Sequence[bool]]) -> ResolvedScores:
    counts = [sum(samples) for samples in passed.values()]
    failed = [len(samples) - count for samples, count in zip(passed.values(), counts, strict=True)]
    planned = [[len(samples) for samples in passed.values()]]
    scores = Scores.from_counts([_AGENT], list(passed), [counts], [failed], planned=planned)
    return scores.with_inferred_clusters().resolve(Policy())


def _by_check(
    problems: Mapping[str, Sequence[JudgedSample]], ks: Sequence[int], level: float, *, strict: bool
) -> dict[str, tuple[PassEstimate, ...]]:
    """For every check that at least half of the problems have, the rates over these; empty if that is only one."""
    passed: Mapping[str, dict[str, list[bool]]] = defaultdict(dict)
    for name, samples in problems.items():
        for check in {check: None for sample in samples for check in sample.judged.checks}:
            passed[check][name] = [
                sample.judged.checks.get(check) == "passed" and not (strict and sample.judged.undecided)
                for sample in samples
            ]
    passed = {check: rows for check, rows in passed.items() if 2 * len(rows) >= len(problems)}
    if len(passed) < 2:
        return {}
    return {
        check: tuple(pass_at_k(_resolved_scores(rows), _AGENT, k, level=level) for k in ks)
        for check, rows in passed.items()
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


def _broken_problems(problems: Mapping[str, Sequence[JudgedSample]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, samples in problems.items():
        for sample in samples:
            if sample.judged.status == "error":
                found.setdefault(name, sample.judged.result.removeprefix("failed: ").removeprefix("ProblemError: "))
    return found


def _pass_values(estimates: Iterable[PassEstimate]) -> dict[str, object]:
    return {f"pass@{estimate.k}": estimate.value for estimate in estimates}


def _estimate(estimate: PassEstimate) -> dict[str, object]:
    return {
        "k": estimate.k,
        "value": estimate.value,
        "se": finite_or_none(estimate.se),
        "interval": [finite_or_none(bound) for bound in estimate.interval],
        "level": estimate.level,
        "about": str(estimate.estimand),
        "reason": estimate.reason,
        "notes": list(estimate.notes),
    }


def _sample_result(sample: JudgedSample) -> dict[str, object]:
    judged = sample.judged
    return {
        "completion_id": sample.number,
        "passed": judged.passed,
        "status": judged.status,
        "result": judged.result,
        "tampered": list(judged.tampered),
        "undecided": list(judged.undecided),
        "doubt": judged.doubt,
        "checks": judged.checks,
        "looks_like": list(sample.signs),
        "again": judged.again,
    }
