"""Scores under other policies: does the order of the agents depend on trials without a verdict?

Beside the declared policy stand the two ends (every void and missing trial failed, every one passed), leaving them out,
and, where agents ran into limits, leaving those out, too. The names of the variants say what happens to void and
missing trials. A variant that changes no score is not shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from honestly.show import finite_or_none, plural_text, printable_text_line
from honestly.stats import Policy, ResolvedScores, Scores, mean_of_questions

DEFAULT_POLICY = Policy(limit="fail", void="fail", missing="drop")
"""The default policy: limit and void count as failed, missing trials are left out. Printed with every report, with both
bounds.
"""

MUCH_VOID = 0.1
"""Share of void trials from which every answer says so."""
_SAME, _FEW_NAMES = 1e-12, 3


@dataclass(frozen=True, slots=True)
class PolicyWords:
    """The policy in words."""

    limit: Literal["error", "fail", "drop"]
    void: Literal["error", "fail", "drop", "pass"]
    missing: Literal["error", "fail", "drop", "pass"]
    text: str
    """The policy as a sentence."""
    undecided: Literal["fail", "pass"] = "pass"
    """What undecided trials count as; those by `chance` as failed, always."""

    @property
    def policy(self) -> Policy:
        """The policy that these words describe."""
        return Policy(limit=self.limit, void=self.void, missing=self.missing)


@dataclass(frozen=True, slots=True)
class Variant:
    """Scores and ranks under one policy, in the order of the leaderboard's rows."""

    name: str
    """What reports call this policy."""
    policy: PolicyWords
    """How trials without a verdict count."""
    scores: tuple[float | None, ...]
    """None where an agent has no score under it."""
    ranks: tuple[int | None, ...]


def policy_words(policy: Policy) -> PolicyWords:
    """A policy as plain data."""
    return PolicyWords(limit=policy.limit, void=policy.void, missing=policy.missing, text=str(policy))


def void_caution(scores: Scores, names: Sequence[str], policy: Policy) -> str:
    """That many of these agents' trials are void, and what they count as; empty where few are."""
    rows = [scores.agents.index(name) for name in names]
    void, there = (counts[rows].sum(axis=1).tolist() for counts in (scores.void, scores.observed))
    if not any(void) or sum(void) < MUCH_VOID * sum(there):
        return ""
    words = {"fail": "counted as failed", "drop": "left out", "pass": "counted as passed"}.get(policy.void, "")
    each = ", ".join(f"{count:,} of {printable_text_line(name)}" for name, count in zip(names, void, strict=True))
    whose = f" ({each})" if 1 < len(names) <= _FEW_NAMES else ""
    are = "is" if sum(void) == 1 else "are"
    return f"{sum(void):,} of {plural_text(sum(there), 'trial')} {are} void{whose} and {words}."


def score_ranks(scores: Sequence[float | None]) -> tuple[int | None, ...]:
    """1 + the number of higher scores, for each score; None for None. Differences of rounding are ties."""
    known = [score for score in scores if score is not None]
    return tuple(None if s is None else 1 + sum(other > s + _SAME for other in known) for s in scores)


def question_means(resolved: ResolvedScores) -> list[float | None]:
    """Question-weighted mean of each agent."""
    return [finite_or_none(mean) for mean in mean_of_questions(resolved.mean, resolved.weights).mean]


def other_policies(policy: Policy) -> tuple[tuple[str, Policy], ...]:
    """The other policies with which a result is compared."""
    return (
        ("failed", Policy(limit=policy.limit, void="fail", missing="fail")),
        ("left out", Policy(limit=policy.limit, void="drop", missing="drop")),
        ("passed", Policy(limit=policy.limit, void="pass", missing="pass")),
        ("left out with limits", Policy(limit="drop", void="drop", missing="drop")),
    )


def policy_variants(scores: Scores, policy: Policy) -> tuple[Variant, ...]:
    """Scores and ranks under the declared policy, and under other policies that change a score."""
    found = [_policy_variant("declared", scores, policy)]
    for name, other in other_policies(policy):
        variant = _policy_variant(name, scores, other)
        same = [i for i, before in enumerate(found) if _equal(before.scores, variant.scores)]
        if not same:
            found.append(variant)
        elif same[0] == 0 and found[0].name == "declared":
            found[0] = replace(found[0], name=f"declared: {name}")
    return tuple(found)


def _equal(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    return all(
        x == y or (x is not None and y is not None and abs(x - y) < _SAME) for x, y in zip(one, other, strict=True)
    )


def _policy_variant(name: str, scores: Scores, policy: Policy) -> Variant:
    means = question_means(scores.resolve(policy))
    return Variant(name, policy_words(policy), tuple(means), score_ranks(means))
