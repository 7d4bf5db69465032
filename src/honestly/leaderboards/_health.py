"""Is the suite any good? What its tasks tell about these agents, in a few numbers and sentences."""

import math
from dataclasses import dataclass

from honestly.show import finite_or_none, level_text, number_text, percent_text, plural_text, printable_text_line
from honestly.stats import (
    Band,
    ResolvedScores,
    item_quality,
    pair_inconsistency,
    question_difficulty,
    score_saturation,
    score_separation,
    split_half,
)

_SEED = 0
_SPLITS = 200
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Health:
    """Health of the tasks as a measuring instrument, for these agents."""

    bands: dict[str, int]
    """Tasks by the share of all agents' samples that solve them."""
    suspects: tuple[str, ...]
    """Tasks on which better agents do worse (negative tau with all other tasks), the worst first."""
    weaker_wins: float | None
    """Of the tasks on which two agents disagree, the share that the weaker wins; median over pairs."""
    half_tau: float | None
    """Kendall's tau of the orders by two random halves of the tasks, mean over splits."""
    reliability: float | None
    """Spearman-Brown reliability of the scores, from the same halves."""
    separation: float | None
    """Spread of the scores in typical standard errors of a difference."""
    headroom: float | None
    """1 - the best score."""
    certain_headroom: float | None
    """1 - the upper end of the best score's interval."""
    informative: float | None
    """Share of tasks on which at least two agents differ."""
    reason: str
    """Why something is None, or empty."""


def measured_health(resolved: ResolvedScores, level: float) -> Health:
    """Measure the tasks by what the agents did on them."""
    bands = {str(band): count for band, count in question_difficulty(resolved).counts.items()}
    known = [agent for agent, n in zip(resolved.agents, resolved.n, strict=True) if n.any()]
    if not known:
        return Health(bands, (), *(None,) * 7, "no trial counts")
    scored = resolved.select(known)
    left = score_saturation(scored, level=level)
    common = int((scored.n > 0).all(axis=0).sum())
    weaker = tau = reliability = spread = math.nan
    suspects: tuple[str, ...] = ()
    reason = "" if len(known) > 2 and common > 3 else "ranks need three agents with four tasks in common"
    if len(known) > 1:
        weaker = pair_inconsistency(scored).share_quantiles((0.5,))[0]
        spread = score_separation(scored).ratio
    if not reason:
        halves = split_half(scored, splits=_SPLITS, seed=_SEED)
        tau, reliability, reason = halves.tau, halves.spearman_brown, halves.reason or ""
        suspects = item_quality(scored).suspect_questions
    return Health(
        bands=bands,
        suspects=suspects,
        weaker_wins=finite_or_none(weaker),
        half_tau=finite_or_none(tau),
        reliability=finite_or_none(reliability),
        separation=finite_or_none(spread),
        headroom=finite_or_none(left.headroom),
        certain_headroom=finite_or_none(left.certain_headroom),
        informative=finite_or_none(left.informative),
        reason=reason,
    )


def health_words(found: Health, level: float) -> list[str]:
    """Sentences that say how well the tasks measure."""
    tasks = sum(found.bands.values())
    never, always, sweet = (found.bands[str(band)] for band in (Band.NEVER, Band.ALWAYS, Band.SWEET))
    solved = f"Tasks never solved: {never} of {tasks}; always: {always}; "
    words = [f"{solved}in 5 to 30% of trials, where an improvement shows most: {sweet}."]
    if found.half_tau is not None:
        words.append(
            "Two random halves of the tasks rank the agents with a Kendall's tau of "
            f"{number_text(found.half_tau, 2)}; the "
            f"reliability of the scores is {number_text(found.reliability, 2)}."
        )
    if found.weaker_wins is not None:
        words.append(
            f"Where two agents disagree on a task, the weaker one wins {percent_text(found.weaker_wins, 0)}% of "
            "the time "
            "(median over pairs; 50% would be luck alone)."
        )
    if found.headroom is not None:
        words.append(
            f"The best agent leaves {percent_text(found.headroom)} points of headroom, "
            f"{percent_text(found.certain_headroom)} "
            f"with {level_text(level)} confidence."
        )
    if found.suspects:
        names = ", ".join(map(printable_text_line, found.suspects[:_SHOWN]))
        more = f" and {len(found.suspects) - _SHOWN} more" if len(found.suspects) > _SHOWN else ""
        words.append(
            f"On {plural_text(len(found.suspects), 'task')} better agents do worse: {names}{more}. With few "
            "agents some do "
            "by chance; read them before trusting them."
        )
    return words
