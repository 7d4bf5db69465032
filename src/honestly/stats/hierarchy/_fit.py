"""`fit_hierarchy`: one model of agents, questions and suites, beside the design-based estimates.

The model is written down in `_design.py`, how it is fitted in `_sampler.py`. A score on exactly these questions is the
mean of the probabilities at them, of which those of cells without a sample are predicted. A score on new questions is
their mean under random weights (the Bayesian bootstrap), the same for all agents, by cluster where there are clusters:
the model's normal difficulties serve to pool, and no score rests on the shape of their tails. Its interval has room for
questions that were not drawn (`guarded_scores`). The weights are Dirichlet
of parameter (G - 2) / G for G questions or clusters, which makes the variance of a mean the unbiased S² / G.

Not covered: dependence between questions beyond their suite and their covariates, and cells that are missing because of
what would have been in them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from honestly.errors import StatisticsError
from honestly.stats._intervals import check_coverage
from honestly.stats._resolved import ResolvedScores
from honestly.stats.hierarchy._data import JoinedScores, covariate_columns, design_of, join
from honestly.stats.hierarchy._design import Design, Floats, Integers, draw_prior
from honestly.stats.hierarchy._diagnostics import Convergence, judge_convergence
from honestly.stats.hierarchy._posterior import (
    Posterior,
    PosteriorRanks,
    guarded_scores,
    mean_over_suites,
    rank_draws,
    summarise_draws,
)
from honestly.stats.hierarchy._sampler import Sampler

_WARM_UP = 500
_THIN = (3, 6, 12, 24)
"""Sweeps for each kept draw; if the draws do not suffice, the next is tried, and what came before was warm-up."""
_FEW_AGENTS = 15  # with fewer, discriminations are hardly ever identified
_BARELY, _SOME = 0.5, 0.1


@dataclass(frozen=True, slots=True, eq=False)
class ItemEstimates:
    """The estimates of the questions; arrays have one entry for each, in the order of `HierarchyFit.questions`."""

    difficulty: Posterior
    """Ability in logits at which half of the samples pass."""
    difficulty_shrinkage: Floats
    """Posterior over prior variance, given the suite: 0 is known from the data, 1 is the prior and nothing else."""
    discrimination: Posterior | None
    """Two-parameter model: slope of the log-odds in ability."""
    discrimination_shrinkage: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class HierarchyFit:
    """The posterior of the hierarchical model."""

    agents: tuple[str, ...]
    suites: tuple[str, ...]
    questions: tuple[str, ...]
    """Of all suites, one after the other."""
    suite: Integers
    """Suite of each question, shape (questions,)."""
    new: Posterior
    """Scores on new questions of each suite's kind, shape (agents, suites)."""
    these: Posterior
    """Scores on exactly these questions, as if every agent had answered all of them, shape (agents, suites)."""
    overall: Posterior
    """Mean of `new` over suites, each weighing the same, shape (agents,)."""
    ranks: PosteriorRanks
    """Ranks by the overall score."""
    ability: Posterior
    """In logits, over all suites, shape (agents,)."""
    items: ItemEstimates
    effects: dict[str, Posterior]
    """Of covariates: change of difficulty, in logits, for one standard deviation."""
    scales: dict[str, Posterior]
    """Standard deviations in logits: `agents`, `questions` (one for each suite), `agents by suite`, `agents by
    questions`, `discrimination` (of its logarithm); those that the model has."""
    predicted: Floats
    """Probability that one more sample of a cell passes, shape (agents, questions)."""
    overall_draws: Floats
    """Draws of the overall scores, shape (draws, agents): what `accuracy_cost_frontier` needs."""
    common: Integers
    """Questions that two agents both have, shape (agents, agents)."""
    convergence: Convergence
    level: float
    """Probability of every interval and of the simultaneous ranks."""
    seed: int
    notes: tuple[str, ...]


def fit_hierarchy(
    suites: Mapping[str, ResolvedScores],
    *,
    seed: int,
    two_parameter: bool = False,
    interaction: bool | None = None,
    covariates: Mapping[str, ArrayLike] | None = None,
    level: float = 0.95,
    chains: int = 4,
    draws: int = 1000,
    tell: Callable[[int, int], None] | None = None,
) -> HierarchyFit:
    """Fit agents, questions and suites together.

    Args:
        suites: scores of each suite by its name; agents of the same name are the same agent.
        seed: of the chains. The same seed and data give the same result.
        two_parameter: whether questions differ in how sharply they tell agents apart (2PL); else Rasch.
        interaction: whether agents have questions that suit them beyond ability, which repeated samples show. None:
            wherever a cell has several samples. Without it, samples of a cell count as if they were of other questions,
            and intervals are too short.
        covariates: values for every question, in the order of the suites: numbers, or texts for categories.
        level: probability of intervals.
        chains: independent Markov chains, at least two.
        draws: draws kept of each.
        tell: told how far it is: sweeps done, of how many; more may follow where chains mix slowly.

    Raises:
        StatisticsError: there are no suites, too few questions, an agent without samples, or a covariate that does not
            fit.

    Source: Rasch 1960; Birnbaum 1968, in Lord & Novick; Gelman & Hill 2007, section 14.3; half-t scales: Gelman 2006,
    Bayesian Analysis 1:515; Rubin 1981, Annals of Statistics 9:130, for the bootstrap.
    """
    check_coverage(level)
    if chains < 2 or draws < 100:
        raise StatisticsError(f"{chains} chains of {draws} draws cannot be checked; take two chains of 100 at least")
    joined = join(suites)
    names, columns = covariate_columns(covariates or {}, len(joined.questions))
    design = design_of(joined, columns, two_parameter=two_parameter, interaction=interaction)
    rng = np.random.default_rng(seed)
    start = draw_prior(design, len(joined.agents), chains, rng)
    sampler = Sampler(design, joined.passed[None], joined.trials[None], start, rng)
    done = 0

    def advance(sweeps: int, total: int) -> None:
        nonlocal done
        for _ in range(sweeps):
            sampler.sweep()
        done += sweeps
        if tell is not None:
            tell(done, total)

    total = _WARM_UP + _THIN[0] * draws
    for _ in range(10):
        advance(_WARM_UP // 10, total)
    for thin in _THIN:
        kept = _Kept(sampler, joined)
        for _ in range(draws):
            advance(thin, total)
            kept.add()
        reached = judge_convergence(kept.draws_by_name(), ("b", "gap", *("log_alpha", "slope gap") * two_parameter))
        if reached.has_converged:
            break
        total += 2 * thin * draws
    return _fit_result(joined, design, names, kept, reached, level, seed)


class _Kept:
    """Draws, as they come."""

    def __init__(self, sampler: Sampler, joined: JoinedScores) -> None:
        self.sampler, self.joined, self.count = sampler, joined, 0
        self._draws: dict[str, list[Floats]] = {}
        self.predicted = np.zeros(joined.trials.shape)
        self._weights = sampler.design.suite_members * joined.weights[:, None]

    def add(self) -> None:
        """Keep where the chains are now."""
        at, design = self.sampler.at, self.sampler.design
        chance = self.sampler.pass_probabilities()
        self.predicted += chance.mean(axis=0)
        self.count += 1
        gap = (at.b - at.coefficients @ design.columns.T) / at.sigma[:, design.suite]
        found = {
            "theta": at.theta,
            "new": np.einsum("raq,rqs->ras", chance, self._redrawn_weights(len(chance)), optimize=True),
            "these": chance @ self._weights,
            "s_theta": at.s_theta[:, None],
            "sigma": at.sigma,
            "coefficients": at.coefficients,
            "b": at.b,
            "gap": gap,
        }
        if design.suites > 1:
            found["omega"] = at.omega[:, None]
        if design.interaction:
            found["phi"] = at.phi[:, None]
        if design.two_parameter:
            found |= {"tau": at.tau[:, None], "log_alpha": at.log_alpha, "slope gap": at.log_alpha / at.tau[:, None]}
        for name, value in found.items():
            self._draws.setdefault(name, []).append(value.reshape(len(value), -1).copy())

    def _redrawn_weights(self, chains: int) -> Floats:
        """Weights that stand for another draw of each suite's questions, or clusters of them; (chains, Q, suites)."""
        drawn = self.sampler.rng.standard_gamma(self.joined.shapes, (chains, len(self.joined.shapes)))
        weights = drawn[:, self.joined.unit, None] * self._weights
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def draws_by_name(self) -> dict[str, Floats]:
        """Draws by name, each of shape (chains, draws, values)."""
        return {name: np.stack(values, axis=1) for name, values in self._draws.items()}


def _fit_result(
    joined: JoinedScores,
    design: Design,
    names: tuple[str, ...],
    kept: _Kept,
    reached: Convergence,
    level: float,
    seed: int,
) -> HierarchyFit:
    chains = kept.draws_by_name()
    flat = {name: values.reshape(-1, values.shape[2]) for name, values in chains.items()}
    shape = (-1, len(joined.agents), len(joined.suites))
    new = flat["new"].reshape(shape)
    overall = new.mean(axis=2)
    predicted = kept.predicted / kept.count
    weights = design.suite_members * joined.weights[:, None]
    scores = guarded_scores(new, predicted, weights, joined.unit, level)
    scales = {"agents": "s_theta", "questions": "sigma", "agents by suite": "omega", "agents by questions": "phi"}
    scales["discrimination"] = "tau"
    items = ItemEstimates(
        difficulty=summarise_draws(flat["b"], level),
        difficulty_shrinkage=flat["gap"].var(axis=0),
        discrimination=summarise_draws(np.exp(flat["log_alpha"]), level) if design.two_parameter else None,
        discrimination_shrinkage=flat["slope gap"].var(axis=0) if design.two_parameter else None,
    )
    effects = flat["coefficients"][:, design.suites :]
    return HierarchyFit(
        agents=joined.agents,
        suites=joined.suites,
        questions=joined.questions,
        suite=joined.suite,
        new=scores,
        these=summarise_draws(flat["these"].reshape(shape), level),
        overall=mean_over_suites(new, scores, level),
        ranks=rank_draws(overall, predicted, weights.mean(axis=1), joined.unit, joined.fewest - 1, level),
        ability=summarise_draws(flat["theta"], level),
        items=items,
        effects={name: summarise_draws(effects[:, j], level) for j, name in enumerate(names)},
        scales={words: summarise_draws(flat[name], level) for words, name in scales.items() if name in flat},
        predicted=predicted,
        overall_draws=overall,
        common=joined.common,
        convergence=reached,
        level=level,
        seed=seed,
        notes=(*_convergence_note(reached), *joined.notes, *_identification_notes(joined, design, items)),
    )


def _convergence_note(reached: Convergence) -> list[str]:
    if reached.has_converged:
        return []
    whole = f"R-hat {reached.r_hat:.3f}, {reached.ess:.0f} effective draws, worst: {reached.worst}"
    items = f"of single questions {reached.items_r_hat:.3f} and {reached.items_ess:.0f}"
    advice = "do not use these numbers; fit a simpler model, or keep more draws"
    return [f"the chains have NOT converged ({whole}; {items}): {advice}"]


def _identification_notes(joined: JoinedScores, design: Design, items: ItemEstimates) -> list[str]:
    """Notes on what the data say of single questions, and whether more parts were asked for than can be seen."""
    notes = []
    agents = len(joined.agents)
    prior_only = float((items.difficulty_shrinkage > _BARELY).mean())
    if prior_only > _SOME:
        notes.append(
            f"difficulties of single questions: {100 * prior_only:.0f}% have a posterior about as wide as the prior "
            f"(shrinkage above {_BARELY:g}, {agents} agents); read none of these singly"
        )
    if items.discrimination_shrinkage is not None:
        prior_only = float((items.discrimination_shrinkage > _BARELY).mean())
        if agents < _FEW_AGENTS or prior_only > _SOME:
            notes.append(
                f"discriminations are not identified by {agents} agents: of {100 * prior_only:.0f}% the posterior is "
                f"nearly as wide as the prior (shrinkage above {_BARELY:g}); read none singly"
            )
    if not design.interaction and (joined.trials > 1).any():
        notes.append("samples of a cell count as independent questions, because no interaction was asked for")
    return notes
