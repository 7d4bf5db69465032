"""Is what a loop found better than what it began with? What somebody's files show of it, and what they do not.

The score that made a candidate the winner is too high: it was chosen for its luck too. So the comparison is made where
the winner was measured again; where it never was, nothing is proved, and the selected scores are shown for what they
are. Where only means are known, the two count as unpaired, and each task as one pass or fail.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.comparisons import IF_EXCLUDED
from honestly.errors import StatisticsError
from honestly.improve._claim import GainClaim
from honestly.improve._loop_report import GainVerdict, gain_verdict
from honestly.records import Tags
from honestly.scores import granted_words
from honestly.show import (
    FittingTable,
    Shown,
    finite_or_none,
    level_text,
    p_is,
    p_value,
    percent_text,
    plural_text,
    points_text,
    printable_text_line,
)
from honestly.stats import (
    Policy,
    Scores,
    assumptions,
    compare,
    difference_of_intervals,
    fisher_exact,
    holm_adjusted,
    wilson_interval,
)
from honestly.tasks import clusters_of

ProofVerdict = Literal[GainVerdict, "not measured again", "nothing was kept"]

_BEST, _START = "best", "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class GainProof:
    """The proof of one claim; scores are fractions of 1, None is what they do not hold."""

    name: str
    winner: str
    verdict: ProofVerdict
    sentence: str
    baseline: float | None = None
    """The start's score in the comparison."""
    best: float | None = None
    """The winner's there."""
    difference: float | None = None
    se: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    """Two-sided, before any correction for other claims of the same files."""
    p_holm: float | None = None
    """With Holm's correction for all claims that were read together."""
    p_if_excluded: float | None = None
    """As `p_value`, if rare large differences can be excluded."""
    n: int = 0
    """Tasks of the comparison."""
    clusters: int | None = None
    """Clusters that they form; None where they count as independent."""
    assumed: tuple[str, ...] = ()
    """What interval and p-value take for granted."""
    paired: bool = False
    selected: float
    """The winner's score on the tasks that chose it."""
    fresh: float | None
    """Its score when it was measured again."""
    optimism: float | None = None
    """Selected less fresh, both of the same tasks: the luck of the choice, or tasks remembered."""
    candidates: int
    """Changes that were tried; 0 where that is not known."""
    held_out: bool | None
    """Whether the tasks of the comparison had not chosen the winner."""
    missing: tuple[str, ...]
    best_of_n: float | None = None
    """What best-of-N found with the same budget."""
    tampering: int | None = None
    """Candidates that changed what they may not."""
    flagged: int | None = None
    """Kept changes that an audit suspects."""


@dataclass(frozen=True, slots=True, repr=False)
class ProofReport(Shown):
    """All claims that were read together."""

    main_table: ClassVar[str] = "claims"

    claims: tuple[GainProof, ...]
    alpha: float

    def to_plain(self) -> dict[str, object]:
        """The claim's fields where there is one, and all of them under `claims`."""
        found = Shown.to_plain(self)
        return {**found["claims"][0], **found} if len(self.claims) == 1 else found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if len(self.claims) == 1:
            yield from _one(self.claims[0])
            return
        table = FittingTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for title in ("claim", "start", "best", "gain", f"{level_text(1 - self.alpha)} interval", "p", "verdict"):
            name = title == "claim"
            right = not name and title != "verdict"
            table.add_column(title, justify="right" if right else "left", no_wrap=not name, overflow="fold")
        for claim in self.claims:
            table.add_row(*map(Text, _claim_row(claim)))
        yield table
        shown, likely = (sum(claim.verdict.startswith(word) for claim in self.claims) for word in ("better", "better,"))
        many, more = plural_text(len(self.claims), "claim"), f", {likely} of them {IF_EXCLUDED}" if likely else ""
        yield Text(f"{shown} of {many} hold after Holm's correction for all (p is corrected){more}.", style="bold")
        common = [what for what in self.claims[0].missing if all(what in claim.missing for claim in self.claims)]
        yield from (Text(f"missing in all: {what}", style="dim") for what in common)


def _one(claim: GainProof) -> Iterator[Text]:
    style = {"better": "bold green", "worse": "bold red"}.get(claim.verdict, "bold yellow")
    yield Text.assemble((claim.verdict, style), ": ", claim.sentence)
    if claim.optimism is not None:
        then, again = percent_text(claim.selected), percent_text(claim.fresh)
        lost = f"{then} when it was chosen and {again} when it was measured again: {points_text(claim.optimism)}"
        yield Text(f"On the same tasks the winner scored {lost} points from the luck of the choice.")
    yield from (Text(f"missing: {what}", style="dim") for what in claim.missing)


def _claim_row(claim: GainProof) -> tuple[str, ...]:
    low, high = claim.interval or (math.nan, math.nan)
    ends = f"{points_text(low)} to {points_text(high)}" if claim.interval else "–"
    scores = (percent_text(claim.baseline), percent_text(claim.best), points_text(claim.difference))
    return (printable_text_line(claim.name), *scores, ends, p_value(claim.p_holm), claim.verdict)


def proof_report(
    claims: Sequence[GainClaim], alpha: float = 0.05, clusters: Mapping[str, str] | str = ""
) -> ProofReport:
    """The evidence of files for improvement loops.

    Args:
        claims: what was read of them; together they are one family of tests.
        alpha: level of the tests, and of the intervals.
        clusters: the cluster of each task, or `none`; empty for what their ids show.

    Raises:
        StatisticsError: clusters are given, and a claim names no tasks, or others.
    """
    found = [_gain_proof(claim, alpha, clusters) for claim in claims]
    tested = [(p, p if (q := each.p_if_excluded) is None else q) for each in found if (p := each.p_value) is not None]
    adjusted = iter(zip(*(holm_adjusted(each).tolist() for each in zip(*tested, strict=True)), strict=True))
    return ProofReport(
        tuple(each if each.p_value is None else _decided_proof(each, next(adjusted), alpha) for each in found), alpha
    )


def _gain_proof(claim: GainClaim, alpha: float, clusters: Mapping[str, str] | str) -> GainProof:
    # The fairest pair that there is: both measured again; the winner again, on the start's tasks; or as selected.
    if claim.fresh is not None and claim.fresh_baseline is not None:
        before, after = claim.fresh_baseline, claim.fresh
    elif claim.fresh is not None and claim.held_out is False:
        before, after = claim.baseline, claim.fresh
    else:
        before, after = claim.baseline, claim.selected
    proof = GainProof(
        name=claim.name,
        winner=claim.best,
        verdict="nothing was kept",
        sentence="No change was kept; the best is the start itself.",
        selected=claim.selected.score,
        fresh=claim.fresh.score if claim.fresh else None,
        candidates=claim.candidates,
        held_out=claim.held_out,
        missing=claim.missing,
    )
    if claim.best == "seed":
        return proof
    if claim.fresh is not None and claim.held_out is False:
        proof = replace(proof, optimism=claim.selected.score - claim.fresh.score)
    common = sorted(before.tasks.keys() & after.tasks.keys())
    if len(common) > 1:
        rows = [(who, task, 0, side.tasks[task]) for who, side in ((_BEST, after), (_START, before)) for task in common]
        groups, _ = clusters_of(dict.fromkeys(common, Tags()), clusters)
        scores = Scores.from_rows(rows)
        scores = scores if groups is None else scores.with_clusters(groups)
        found = compare(scores.resolve(Policy()), _BEST, _START, level=1 - alpha)
        approximate = found.p_value if found.claim is None else found.claim.approximate.p_value
        return replace(
            proof,
            baseline=sum(before.tasks[task] for task in common) / len(common),
            best=sum(after.tasks[task] for task in common) / len(common),
            difference=found.difference, se=finite_or_none(found.se), interval=found.interval,
            p_value=finite_or_none(found.p_value), p_if_excluded=finite_or_none(approximate),
            n=len(common), paired=True, clusters=None if groups is None else len(set(groups.values())),
            assumed=granted_words(
                assumptions() if found.claim is None else found.claim.assumed, clustered=groups is not None
            ),
        )  # fmt: skip
    if clusters and clusters != "none":
        raise StatisticsError(f"claim {printable_text_line(claim.name)!r} has no scores of tasks; clusters need them")
    if not (n := min(before.n, after.n)):
        return _one_number(proof, before.score, after.score)
    passed = [round(side.score * side.n) for side in (after, before)]
    ends = [wilson_interval(k, side.n, 1 - alpha) for k, side in zip(passed, (after, before), strict=True)]
    (of_best, of_start) = ((float(low), float(high)) for low, high in ends)
    spread = sum(side.score * (1 - side.score) / side.n for side in (before, after))
    return replace(
        proof,
        baseline=before.score,
        best=after.score,
        difference=after.score - before.score,
        se=math.sqrt(spread) or None,
        interval=difference_of_intervals(after.score, of_best, before.score, of_start),
        p_value=(p := float(fisher_exact(passed[0], passed[1], after.n, before.n))),
        p_if_excluded=p,
        n=n,
        assumed=granted_words(assumptions()),
    )


def _one_number(proof: GainProof, before: float, after: float) -> GainProof:
    """Two scores of which nobody knows the tasks, the unit or the noise."""
    of = f" from {plural_text(proof.candidates, 'candidate')}" if proof.candidates else ""
    words = f"As selected{of}: {before:.5g} at the start, {after:.5g} at the end, each one number in units of its own."
    words += " Nothing says how much of that is noise; nothing is proved."
    scores = {"baseline": before, "best": after, "difference": after - before}
    return replace(proof, verdict="not measured again", sentence=words, **scores)  # type: ignore[arg-type]


def _decided_proof(proof: GainProof, p_holm: tuple[float, float], alpha: float) -> GainProof:
    verdict: ProofVerdict = "cannot tell"
    if min(p_holm) <= alpha and proof.difference:
        verdict = gain_verdict(proof.difference, is_shown=p_holm[0] <= alpha)
    proof = replace(proof, p_holm=p_holm[0], verdict=verdict)
    word, _, excluded = verdict.partition(", ")
    low, high = proof.interval or (math.nan, math.nan)
    groups = "" if proof.clusters is None else f" in {plural_text(proof.clusters, 'cluster')}"
    pairs = "paired" if proof.paired else "unpaired, because scores of tasks are not there"
    how = f"{plural_text(proof.n, 'task')}{groups}, {pairs}"
    p = f"{p_is(proof.p_if_excluded)}, but {p_is(proof.p_value)} if they cannot" if excluded else p_is(proof.p_value)
    ends = f"{level_text(1 - alpha)} interval {points_text(low)} to {points_text(high)}, {p}"
    numbers = f"{points_text(proof.difference)} points ({how}; {ends})"
    if proof.fresh is None and proof.candidates:
        of = plural_text(proof.candidates, "candidate")
        words = f"As selected from {of}: {numbers}. That is the luck of the choice too; nothing is proved."
        return replace(proof, verdict="not measured again", sentence=words)
    where = {True: "on tasks that had not chosen it", False: "on the tasks that chose it", None: ""}[proof.held_out]
    said = "and the start cannot be told apart" if word == "cannot tell" else f"is {word} than the start"
    words = " ".join(filter(None, (f"{printable_text_line(proof.winner)} {said}", where)))
    return replace(proof, sentence=f"{words}{excluded and f', {excluded}'}: {numbers}.")
