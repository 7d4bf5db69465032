"""When a change is kept: for the search (`race`), on evidence (`paired`), or because a number went down (`naive`).

`race` is free to explore, and claims nothing: what is kept is where the search goes on, and only the proof says what
it is worth. It is SMAC's race (Hutter, Hoos & Leyton-Brown 2011): all candidates meet the same seeds, so that the
incumbent's values are there already; a candidate that falls behind on two, four, eight of them is dropped, one that is
ahead on all of them takes its place. At first there are eight, and one more with every fourth attempt, so that the
incumbent's luck does not last. What differs: behind is half a standard error, and not any difference.

`paired` measures candidate and incumbent on the same fresh seeds, pair after pair, until `stats.KeepRule` has decided:
the chance that the loop keeps any change without a gain is `alpha` at most, over all of its attempts, however many.
Each test has the level that `stats.next_level` gives it, which is journalled; what changes nothing, or fails before a
pair is measured, spends none. What a change must gain is declared: a least gain, and what each line more or less is
worth (Autoresearch's simplicity criterion).
Which of a pair is measured first is drawn. What cannot be measured twice on a seed where the incumbent can has lost.
Where the metric is declared to be the same on every seed, a few pairs that agree decide (`agreeing_pairs`), until any
candidate's value has ever changed by itself: from then on every test goes to its end.

`naive` is what most published loops do: one evaluation of the candidate against the recorded score of the best. It
keeps noise, and is there so that this can be seen.
"""

import math
from statistics import mean, stdev

from msgspec.structs import replace

from honestly.improve._declare import BASELINE
from honestly.improve._evaluate import Evaluation
from honestly.improve._journal import Decided
from honestly.improve._record import RunRecord
from honestly.stats import KeepRule, next_level

KEEPS = ("race", "paired", "naive")
FLOOR = 4
"""Evaluations of the unchanged baseline before the first attempt: how noisy is it?"""
_MOST_LOST = 3
_FIRST, _BEHIND = 2, 0.5
_SEEDS, _EVERY = 8, 4
"""How many seeds a race has at first, and with how many attempts it has one more."""


async def decide_attempt(run: RunRecord, n: int, candidate: str, incumbent: str) -> Decided:
    """The decision about attempt `n`."""
    how = {"race": _race_decision, "paired": _paired_decision, "naive": _naive_decision}[run.declared_terms.keep]
    decided = await how(run, n, candidate, incumbent)
    broken = broken_constraint(run, candidate) if decided.kept else ""
    return replace(decided, kept=False, status="constraint", why=f"{decided.why}, but {broken}") if broken else decided


async def _race_decision(run: RunRecord, n: int, candidate: str, incumbent: str) -> Decided:
    said = run.target.declaration
    required, noise = required_gain(run, candidate, incumbent), run.gain_scale()
    steady = said.deterministic and not run.state.changed_by_itself
    # Counted by attempts, so that a loop that was cut off goes on as it would have.
    seeds = _FIRST if steady else min(said.keep.most, _SEEDS + n // _EVERY)
    mine, gains = list[float](), list[float]()
    for at in range(seeds):
        old = await run.evaluate_with_retry(incumbent, run.seed("score", at), f"score {at}")
        new = await run.evaluate_with_retry(candidate, run.seed("score", at), f"score {at}")
        if "spent" in {new.status, old.status}:
            why = "the budget was spent before it was decided"
            return replace(_decided_event(n, candidate, mine, gains, why), status="spent")
        if new.value is None:
            why = f"{new.status} on evaluation {at + 1}: {public_words(run, new)}"
            return _dropped_attempt(n, candidate, why, new.status)
        if old.value is None:
            continue
        mine.append(new.value)
        gains.append(said.improvement_over(new.value, old.value))
        looks = len(gains)
        behind = sum(gains) / looks - required < -_BEHIND * noise / math.sqrt(looks)
        if behind and looks >= _FIRST and looks & (looks - 1) == 0:  # two, four, eight ...
            break
    kept = len(gains) >= _FIRST and at + 1 == seeds and sum(gains) / len(gains) > required
    why = f"mean gain {sum(gains) / max(len(gains), 1):+.3g} on {len(gains)} shared seeds"
    return _decided_event(n, candidate, mine, gains, f"{why}; the search continues from it" if kept else why, kept=kept)


async def _paired_decision(run: RunRecord, n: int, candidate: str, incumbent: str) -> Decided:
    level, gains = _level(run, n), list[float]()
    decided = await _tested_decision(run, n, (candidate, incumbent), level, gains)
    return replace(decided, level=level) if gains else decided


async def _tested_decision(run: RunRecord, n: int, pair: tuple[str, str], level: float, gains: list[float]) -> Decided:
    """The decision of one test; `gains` gets that of each pair."""
    candidate, incumbent = pair
    said = run.target.declaration
    required = required_gain(run, candidate, incumbent)
    bound = None if said.bound is None else said.bound + abs(required)
    rule = KeepRule(alpha=level, attempts=1, most=said.keep.most, bound=bound)
    test = rule.test(scale=run.gain_scale())
    mine: list[float] = []
    lost = at = 0
    while test.choice == "continue":
        # Both on one seed, in an order that is drawn; the incumbent not at all where the candidate fails by itself.
        seed = run.seed("keep", n, candidate, at)
        # A fixed order would compare places in it, too: machines that take turns, or that slow down.
        swapped = run.seed("order", n, candidate, at) % 2 == 1
        old = await run.evaluate_with_retry(incumbent, seed, f"keep {n} {at}") if swapped else None
        new = await run.evaluate_with_retry(candidate, seed, f"keep {n} {at}")
        if old is None and (new.value is not None or new.status == "unmeasured"):
            old = await run.evaluate_with_retry(incumbent, seed, f"keep {n} {at}")
        at += 1
        if "spent" in {new.status, old.status if old else ""}:
            why = "the budget was spent before it was decided"
            return replace(_decided_event(n, candidate, mine, gains, why), status="spent")
        if new.value is None and (new.status != "unmeasured" or (old is not None and old.value is not None)):
            return _dropped_attempt(
                n, candidate, f"{new.status} on evaluation {at}: {public_words(run, new)}", new.status
            )
        if new.value is None or old is None or old.value is None:
            lost += 1
            if lost >= _MOST_LOST:
                why = (
                    f"{lost} pairs could not be measured: {public_words(run, new if new.value is None else old or new)}"
                )
                return _dropped_attempt(n, candidate, why, "unmeasured")
            continue
        mine.append(new.value)
        gains.append(said.improvement_over(new.value, old.value))
        if said.deterministic and (kept := _same_everywhere(run, gains, required)) is not None:
            why = "on every seed" if kept else f"no more than {required:.4g}"
            return _decided_event(n, candidate, mine, gains, f"it gains {gains[0]:.4g}, {why}", kept=kept)
        if said.bound is not None and abs(gains[-1]) > said.bound:
            return _dropped_attempt(
                n, candidate, f"a difference beyond the declared bound: {gains[-1]:.4g}", "unmeasured"
            )
        test.feed(gains[-1] - required)
    odds = math.exp(min(max(0.0, test.log_evidence), 700.0))
    kept = test.choice == "keep"
    needed = f" over {required:.3g} required" if required else ""
    gain = f"mean gain {sum(gains) / len(gains):+.3g}{needed} over {len(gains)} pairs"
    why = f"{gain} (evidence {odds:.3g}, threshold {1 / rule.level:.0f})"
    return _decided_event(n, candidate, mine, gains, why, kept=kept)


def _level(run: RunRecord, n: int) -> float:
    """The level of an attempt's test: what it had before, where it was begun and not decided."""
    state, attempts = run.state, run.state.total_budget.attempts
    if n in state.levels:
        return state.levels[n]
    kept = {m for (arm, m), each in state.decided.items() if arm == "loop" and each.kept}
    spent = [level for m, level in state.levels.items() if m not in kept]
    said = run.target.declaration
    alpha = said.keep.alpha / (2 if said.deterministic else 1)  # the other half is for pairs that agree
    return next_level(alpha, spent, None if attempts is None else attempts - n + 1)


def _same_everywhere(run: RunRecord, gains: list[float], required: float) -> bool | None:
    """Whether a metric without noise decides already; None where more pairs are needed, or it has noise after all."""
    if run.state.changed_by_itself:
        return None
    if gains[0] <= required:
        return False
    return True if len(gains) >= agreeing_pairs(run.target.declaration.keep.alpha / 2) else None


def agreeing_pairs(alpha: float) -> int:
    """How many pairs must agree before a metric that is declared deterministic decides.

    If a share q of all runs differ, whatever was kept so far had to meet none: with probability (1-q)^4 q^(pairs-1) at
    most, summed over all attempts, on either side, since every attempt measures the incumbent once more and the first
    that differs ends the shortcut. The worst q is found here.
    """
    return next(
        pairs
        for pairs in range(2, 64)
        if max(2 * (q / 100) ** (pairs - 1) * (1 - q / 100) ** FLOOR for q in range(1, 100)) <= alpha
    )


async def _naive_decision(run: RunRecord, n: int, candidate: str, incumbent: str) -> Decided:  # noqa: ARG001
    said = run.target.declaration
    new = await run.evaluate(candidate, run.seed("keep", n, candidate, 0), f"keep {n} 0")
    if new.value is None:
        return _dropped_attempt(n, candidate, f"{new.status}: {public_words(run, new)}", new.status)
    best = run.state.score
    gain = math.inf if best is None else said.improvement_over(new.value, best)
    why = f"{new.value:.4g} against {best if best is None else format(best, '.4g')}, one run"
    return _decided_event(n, candidate, [new.value], [gain], why, kept=gain > 0)


def broken_constraint(run: RunRecord, candidate: str) -> str:
    """Which declared constraint a candidate breaks on its evaluations so far, in words; empty where none."""
    for name, said in run.target.declaration.constraints.items():
        new, old = (
            [
                each.metrics.get(name)
                for each in run.state.evaluated.values()
                if each.id == who and each.value is not None
            ]
            for who in (candidate, BASELINE)
        )
        known = [[value for value in values if value is not None] for values in (new, old)]
        if not all(known) or None in new:
            return f"`{name}` was not printed"
        worse = (mean(known[1]) - mean(known[0])) * (1 if said.direction == "higher" else -1)
        if worse > said.margin:
            return f"`{name}` is {mean(known[0]):.4g}, and {mean(known[1]):.4g} unchanged"
    return ""


def required_gain(run: RunRecord, candidate: str, incumbent: str) -> float:
    """The gain that a candidate must exceed, by the declared worth of its lines."""
    keep = run.target.declaration.keep
    return keep.minimum_gain + keep.line * (run.added_lines(candidate) - run.added_lines(incumbent))


def _decided_event(
    n: int, candidate: str, mine: list[float], gains: list[float], why: str, *, kept: bool = False
) -> Decided:
    score = sum(mine) / len(mine) if mine else None
    gain = sum(gains) / len(gains) if gains and math.isfinite(sum(gains)) else None
    sd = stdev(gains) if len(gains) > 1 else None
    return Decided(
        arm="loop",
        n=n,
        id=candidate,
        kept=kept,
        why=why,
        status="ok",
        score=score,
        gain=gain,
        pairs=len(gains),
        spread=sd,
    )


def _dropped_attempt(n: int, candidate: str, why: str, status: str) -> Decided:
    return Decided(arm="loop", n=n, id=candidate, kept=False, why=why, status=status)


def public_words(run: RunRecord, measured: Evaluation) -> str:
    """The words about an evaluation that an agent may be told: of the candidate its words, of the
    evaluator its public metrics.
    """
    if measured.status in {"crash", "timeout"}:
        lines = measured.log.strip().splitlines()
        return lines[-1][:200] if lines else ""
    private = run.target.declaration.private
    return ", ".join(f"{name} {value:.5g}" for name, value in measured.metrics.items() if name not in private)
