"""From scores of several suites to the arrays of a fit, and what must be said about them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError
from honestly.stats._resolved import ResolvedScores
from honestly.stats.hierarchy._design import Design, Floats, Integers

LINK = 10  # two agents with fewer common questions are hardly compared by them
_LEAST, _SMALLEST_SHAPE, _FEW_UNITS = 4, 0.3, 20
_REPEATED = 10  # as `Scores.warnings`: with fewer repeated questions an honest agent may never disagree with itself


@dataclass(frozen=True, slots=True, eq=False)
class JoinedScores:
    """Several suites side by side; arrays have the shape (agents, questions)."""

    agents: tuple[str, ...]
    suites: tuple[str, ...]
    questions: tuple[str, ...]
    suite: Integers
    passed: Floats
    trials: Floats
    weights: Floats
    """Of each question within its suite, summing to 1 there; shape (Q,)."""
    unit: Integers
    """What was drawn independently, the cluster of each question or the question itself; shape (Q,)."""
    shapes: Floats
    """Parameter of the random weight of each unit, shape (units,)."""
    fewest: int
    """Units of the suite that has fewest."""
    common: Integers
    """Questions that two agents both have, shape (agents, agents)."""
    notes: tuple[str, ...]


def join(suites: Mapping[str, ResolvedScores]) -> JoinedScores:
    """Put suites side by side; agents are the same where their names are.

    Raises:
        StatisticsError: there is no suite, a suite has fewer than two questions, or an agent has no sample.
    """
    if not suites:
        raise StatisticsError("there is no suite; give at least one study")
    agents = tuple(dict.fromkeys(agent for scores in suites.values() for agent in scores.agents))
    notes: list[str] = []
    passed, trials, weights, units = [], [], [], []
    shapes: list[Floats] = []
    for name, scores in suites.items():
        if len(scores.questions) < _LEAST:
            raise StatisticsError(
                f"suite {name!r} has {len(scores.questions)} of the {_LEAST} questions that a spread takes at least"
            )
        rows = [agents.index(agent) for agent in scores.agents]
        block = np.zeros((2, len(agents), len(scores.questions)))
        block[0, rows], block[1, rows] = _counted_samples(name, scores, notes)
        passed.append(block[0])
        trials.append(block[1])
        weight = np.ones(len(scores.questions)) if scores.weights is None else scores.weights
        weights.append(weight / weight.sum())
        codes = np.arange(len(weight)) if scores.cluster_codes is None else scores.cluster_codes
        count = int(codes.max()) + 1
        units.append(codes + sum(len(each) for each in shapes))
        shapes.append(np.full(count, max(1 - 2 / count, _SMALLEST_SHAPE)))
        notes += _about(name, scores, count)
    all_trials = np.hstack(trials)
    idle = [agent for agent, row in zip(agents, all_trials, strict=True) if not row.any()]
    if idle:
        raise StatisticsError(f"no sample counts of {', '.join(idle[:5])}: leave the agent out, or change the policy")
    seen = (all_trials > 0).astype(np.int64)
    common = seen @ seen.T
    return JoinedScores(
        agents=agents,
        suites=tuple(suites),
        questions=tuple(question for scores in suites.values() for question in scores.questions),
        suite=np.repeat(np.arange(len(suites)), [len(scores.questions) for scores in suites.values()]),
        passed=np.hstack(passed),
        trials=all_trials,
        weights=np.concatenate(weights),
        unit=np.concatenate(units),
        shapes=np.concatenate(shapes),
        fewest=min(len(each) for each in shapes),
        common=common,
        notes=(*notes, *_link_notes(agents, common)),
    )


def _counted_samples(name: str, scores: ResolvedScores, notes: list[str]) -> tuple[Floats, Floats]:
    """Passes and samples; a sample that was written several times is counted once."""
    trials = scores.n.astype(np.float64)
    passed = np.where(scores.n > 0, np.nan_to_num(scores.mean) * trials, 0.0)
    repeated = scores.n >= 2
    inside = (passed > 1e-9) & (passed < trials - 1e-9)
    both = (passed > 0).any(axis=1) & (passed < trials).any(axis=1)
    copied = (repeated.sum(axis=1) >= _REPEATED) & ~(inside & repeated).any(axis=1) & both
    if copied.any():
        who = ", ".join(agent for agent, is_copied in zip(scores.agents, copied, strict=True) if is_copied)
        notes.append(f"{name}: repeated samples of {who} never disagree, and are counted as one sample each")
        scale = np.where(copied[:, None] & repeated, 1 / np.maximum(trials, 1), 1.0)
        passed, trials = passed * scale, trials * scale
    return passed, trials


def _about(name: str, scores: ResolvedScores, units: int) -> list[str]:
    notes = []
    if not scores.binary:
        notes.append(f"{name}: graded samples count as fractions of a pass, which takes them for noisier than they are")
    if scores.shared_samples:
        notes.append(
            f"{name}: samples that agents share are taken as independent; differences between them are blurred"
        )
    if units < _FEW_UNITS:
        notes.append(f"{name}: {units} independent questions or clusters are few; intervals for new ones are too short")
    return notes


def _link_notes(agents: tuple[str, ...], common: Integers) -> list[str]:
    """A note where agents cannot be compared through questions that they share."""
    linked = common >= LINK
    groups: list[list[int]] = []
    left = set(range(len(agents)))
    while left:
        group, edge = [], [min(left)]
        while edge:
            at = edge.pop()
            if at in left:
                left.remove(at)
                group.append(at)
                edge += np.flatnonzero(linked[at]).tolist()
        groups.append(sorted(group))
    if len(groups) == 1:
        return []
    words = "; ".join(", ".join(agents[i] for i in group[:4]) + (", ..." if len(group) > 4 else "") for group in groups)
    note = (
        f"linking is weak: between these groups of agents no two share {LINK} questions ({words}); their differences "
    )
    return [note + "rest on the assumption that each agent's questions are a random part of the suite"]


def covariate_columns(covariates: Mapping[str, ArrayLike], questions: int) -> tuple[tuple[str, ...], Floats]:
    """Names and standardised columns of covariates: numbers, or texts, of which each but the commonest has a column.

    Raises:
        StatisticsError: a covariate has another length, holds what is not finite, or is the same everywhere.
    """
    names: list[str] = []
    columns: list[NDArray[np.float64]] = []
    for name, given in covariates.items():
        values, before = np.asarray(given), len(columns)
        if values.shape != (questions,):
            raise StatisticsError(
                f"covariate {name!r} has shape {values.shape}; expected one value for each of {questions} questions"
            )
        if values.dtype.kind in "UO":
            texts, counts = np.unique(values.astype(str), return_counts=True)
            for text in np.delete(texts, counts.argmax()):
                names.append(f"{name}={text}")
                columns.append(np.asarray(values.astype(str) == text, dtype=np.float64))
        else:
            numbers = values.astype(np.float64)
            if not np.isfinite(numbers).all():
                raise StatisticsError(
                    f"covariate {name!r} is not finite for {int((~np.isfinite(numbers)).sum())} questions; give all"
                )
            names.append(name)
            columns.append(numbers)
        if len(columns) == before or np.ptp(columns[-1]) == 0:
            raise StatisticsError(
                f"covariate {name!r} is the same for every question, and explains nothing; leave it out"
            )
    table = np.stack(columns, axis=1) if columns else np.zeros((questions, 0))
    spread = table.std(axis=0) if columns else np.ones(0)
    return tuple(names), (table - table.mean(axis=0)) / spread if columns else table


def design_of(joined: JoinedScores, columns: Floats, *, two_parameter: bool, interaction: bool | None) -> Design:
    """The model's parts; without a wish there is an interaction where any cell has several samples."""
    several = bool((joined.trials > 1).any())
    return Design(joined.suite, columns, two_parameter, several if interaction is None else interaction)
