"""The hierarchical model's answers on one study or several: agents, questions, suites, money.

Each study is a suite. Agents of the same name are the same agent, and tasks belong to their study. What the numbers
mean is said in `honestly.stats.fit_hierarchy`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StatisticsError
from honestly.rankings._frontier import frontier_figure
from honestly.scores import (
    DEFAULT_POLICY,
    UNDECLARED,
    Declared,
    Interval,
    PolicyWords,
    StudyCounts,
    StudyData,
    count_study,
    find_agent,
    granted_words,
    policy_words,
)
from honestly.show import (
    Figures,
    Shown,
    all_of,
    as_json,
    dim_line,
    hundredths_text,
    interval_text,
    level_text,
    number_text,
    numbers_table,
    percent_text,
    plural_text,
    printable_text_line,
    span_text,
)
from honestly.stats import (
    CONDITIONAL,
    ClaimVerdict,
    Convergence,
    Frontier,
    HierarchyFit,
    Policy,
    Posterior,
    ResolvedScores,
    accuracy_cost_frontier,
    assumptions,
    fit_hierarchy,
)

_TAGS = ("category", "language", "difficulty", "date")
_COST = "cost"
_AGENT = "agent:"
_MOST_SUITES = 4
_MODEL = ("log-odds that add normal abilities and difficulties", "missing cells like those that are there")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A posterior mean, its standard deviation, and its interval."""

    mean: float
    sd: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class ModelAgent:
    """One agent. Scores are fractions of 1; `new` and `these` are by suite."""

    name: str
    score: Estimate
    """On new questions, mean over suites."""
    new: dict[str, Estimate]
    these: dict[str, Estimate]
    """On exactly these questions, as if the agent had answered all of them."""
    ability: Estimate
    """In logits."""
    rank_interval: tuple[int, int]
    """All agents' ranks lie in theirs together, with the stated probability."""
    rank_verdict: ClaimVerdict
    """How strongly its ranks are shown: the weakest of the claims that part it from others."""
    p_rank: tuple[float, ...]
    """Probability of each rank, the best first, as far as the model is right."""
    samples: int
    usd: Estimate | None
    """Cost of a sample in US dollars; None where no cost is known."""
    p_frontier: float | None
    """Probability that no other agent is as good and as cheap."""


@dataclass(frozen=True, slots=True)
class ModelItem:
    """One question."""

    suite: str
    task: str
    difficulty: Estimate
    shrinkage: float
    """Posterior over prior variance of the difficulty: 1 is the prior and nothing else."""
    discrimination: Estimate | None
    discrimination_shrinkage: float | None


@dataclass(frozen=True, slots=True, repr=False)
class ModelReport(Shown):
    """Everything that `honestly stats fit` says."""

    main_table: ClassVar[str] = "agents"

    sentence: str
    converged: bool
    """Whether the numbers can be used."""
    suites: tuple[str, ...]
    agents: tuple[ModelAgent, ...]
    """The best first."""
    items: tuple[ModelItem, ...]
    """The hardest first."""
    scales: dict[str, tuple[Estimate, ...]]
    """Standard deviations in logits."""
    effects: dict[str, Estimate]
    """Of covariates on difficulty, in logits for one standard deviation."""
    convergence: Convergence
    level: float
    seed: int
    policy: PolicyWords
    notes: tuple[str, ...]
    assumed: tuple[str, ...]
    """What scores, ranks and their intervals take for granted."""
    fit: HierarchyFit
    """The fit itself, for whoever goes on in Python."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        return as_json({each.name: getattr(self, each.name) for each in fields(self) if each.name != "fit"})

    @property
    def figures(self) -> Figures:
        """The frontier, where at least two agents have costs."""
        rows = [
            (row.name, row.score.mean, row.score.interval, row.usd.mean, row.usd.interval, row.p_frontier or 0.0)
            for row in self.agents
            if row.usd is not None
        ]
        return Figures([frontier_figure(rows, self.level)] if len(rows) > 1 else [])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.sentence, style="bold" if self.converged else "bold red")
        yield Text()
        suites = self.suites if 1 < len(self.suites) <= _MOST_SUITES else ()
        priced = any(row.usd for row in self.agents)
        widths = {"agent": 0, "score": 5, f"{level_text(self.level)} interval": 12, "rank": 5}
        widths |= dict.fromkeys(map(printable_text_line, suites), 5)
        widths |= {"usd": 7, "P(frontier)": 11} if priced else {}
        yield numbers_table(
            "Scores on new questions, %", widths, (_model_row(row, suites,
            priced=priced) for row in self.agents),
            options.max_width,
        )  # fmt: skip
        yield Text()
        for name, values in self.scales.items():
            yield dim_line(f"sd of {name}: {', '.join(number_text(each.mean, 2) for each in values)} logits")
        for name, effect in self.effects.items():
            low, high = effect.interval
            yield Text(
                f"{printable_text_line(name)}: {number_text(effect.mean, 2, sign=True)} logits of difficulty for "
                "one standard "
                f"deviation [{number_text(low, 2, sign=True)}, {number_text(high, 2, sign=True)}]"
            )
        for note in self.notes:
            yield Text.assemble(("! ", "bold yellow"), printable_text_line(note))
        found = self.convergence
        yield dim_line(f"Policy: {self.policy.text}. R-hat {found.r_hat:.3f}, {found.ess:,.0f} effective draws.")
        yield dim_line(f"Taken for granted: {'; '.join(self.assumed)}.")
        yield dim_line(f"Difficulties of all {len(self.items)} questions: --json.")


def _model_row(row: ModelAgent, suites: Sequence[str], *, priced: bool) -> tuple[str, ...]:
    cells = [row.name, hundredths_text(row.score.mean), interval_text(*row.score.interval)]
    cells += [span_text(row.rank_interval), *(hundredths_text(row.new[suite].mean) for suite in suites)]
    if priced:
        cells += [number_text(row.usd.mean, 4) if row.usd else "–", number_text(row.p_frontier, 2)]
    return tuple(cells)


def model_report(
    studies: Sequence[tuple[str, StudyData]],
    policy: Policy = DEFAULT_POLICY,
    *,
    seed: int = 0,
    draws: int = 1000,
    two_parameter: bool = False,
    covariates: Sequence[str] = (),
    alpha: float = 0.05,
    declared: Declared = UNDECLARED,
    tell: Callable[[int, int], None] | None = None,
) -> ModelReport:
    """Fit the hierarchical model to studies, each a suite.

    Args:
        studies: name and store of each.
        policy: what trials at a limit, spoilt by the harness, or missing count as.
        seed: of the chains.
        draws: draws kept of each of four chains.
        two_parameter: whether questions differ in discrimination.
        covariates: category, language, difficulty or date, tags of the tasks; `cost`, what trials of a task cost
            against other trials of the same agents; or `agent:NAME`, whose results are then a regressor of difficulty
            and who is no agent any more.
        alpha: intervals hold `1 - alpha`.
        declared: what is known of the tasks beyond their tags and ids.
        tell: told how far it is.

    Raises:
        StatisticsError: a study has nothing to score, or a covariate is not known of every task.
        AgentError: a name fits no agent, or several.
    """
    evaluations = {name: count_study(store, declared) for name, store in studies}
    if len(evaluations) < len(studies):
        raise StatisticsError("two studies have the same name; each is a suite, so rename the file of one")
    resolved = {name: _resolved(name, found, policy) for name, found in evaluations.items()}
    agents = list(dict.fromkeys(agent for scores in resolved.values() for agent in scores.agents))
    places = [(name, question) for name, scores in resolved.items() for question in scores.questions]
    costs = _mean_costs(studies, agents, places)
    values, controls = _covariate_values(covariates, resolved, evaluations, costs)
    kept = {name: s.select([agent for agent in s.agents if agent not in controls]) for name, s in resolved.items()}
    settings: dict[str, Any] = {"seed": seed, "draws": draws, "level": 1 - alpha, "tell": tell}
    fit = fit_hierarchy(kept, two_parameter=two_parameter, covariates=values, **settings)
    costs = costs[[agents.index(agent) for agent in fit.agents]]
    priced = [i for i in range(len(fit.agents)) if np.isfinite(costs[i]).any()]
    notes = list(dict.fromkeys((*fit.notes, *_cost_notes(fit, priced))))
    frontier = (
        accuracy_cost_frontier(
            [fit.agents[i] for i in priced], fit.overall_draws[:, priced], costs[priced], seed=seed, level=1 - alpha
        )
        if priced
        else None
    )
    samples = [sum(int(s.n[s.row(agent)].sum()) for s in kept.values() if agent in s.agents) for agent in fit.agents]
    rows = [_model_agent(fit, i, samples[i], frontier) for i in range(len(fit.agents))]
    granted = assumptions(is_law_free=False)
    order = np.argsort(-fit.items.difficulty.mean, kind="stable").tolist()
    return ModelReport(
        sentence=_fit_sentence(fit),
        converged=fit.convergence.has_converged,
        suites=fit.suites,
        agents=tuple(sorted(rows, key=lambda row: -row.score.mean)),
        items=tuple(_model_item(fit, q) for q in order),
        scales={name: tuple(_all_estimates(scale)) for name, scale in fit.scales.items()},
        effects={name: _all_estimates(effect)[0] for name, effect in fit.effects.items()},
        convergence=fit.convergence,
        level=fit.level,
        seed=seed,
        policy=policy_words(policy),
        notes=tuple(notes),
        assumed=(*granted_words(granted, clustered=any(s.clusters for s in kept.values())), *_MODEL),
        fit=fit,
    )


def _resolved(name: str, evaluation: StudyCounts, policy: Policy) -> ResolvedScores:
    if evaluation.scores is None:
        raise StatisticsError(
            f"study {printable_text_line(name)} has no agents, or no tasks that can be passed honestly"
        )
    scores = evaluation.scores.resolve(policy)
    return scores.select([agent for agent, n in zip(scores.agents, scores.n, strict=True) if n.any()])


def _covariate_values(
    wanted: Sequence[str],
    suites: Mapping[str, ResolvedScores],
    evaluations: Mapping[str, StudyCounts],
    costs: NDArray[np.float64],
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Values of each covariate for all questions, and the agents that are used as such."""
    values: dict[str, NDArray[Any]] = {}
    controls = []
    tags = [task.tags for found in evaluations.values() for task in found.tasks if not task.impossible]
    for name in wanted:
        if name.startswith(_AGENT):
            known = list(dict.fromkeys(agent for scores in suites.values() for agent in scores.agents))
            agent = find_agent(known, name.removeprefix(_AGENT))
            controls.append(agent)
            values[agent] = np.concatenate([_log_odds(agent, scores) for scores in suites.values()])
        elif name == _COST:
            values[name] = _log_costs(costs)
        elif name in _TAGS:
            texts = [str(getattr(each, name)) for each in tags]
            if unknown := sum(not text for text in texts):
                raise StatisticsError(
                    f"{unknown} of {len(texts)} tasks have no tag {name}; a covariate must be known of all"
                )
            values[name] = np.array(
                [date.fromisoformat(text).toordinal() for text in texts] if name == "date" else texts
            )
        else:
            raise StatisticsError(
                f"no covariate {printable_text_line(name)}; there are {', '.join(_TAGS)} (tags of the tasks), "
                "cost and agent:NAME"
            )
    return values, controls


def _log_costs(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log cost of each question against the same agents' mean, mean over the agents that report it."""
    known = costs > 0
    if not known.any(axis=0).all():
        raise StatisticsError(f"{int((~known.any(axis=0)).sum())} tasks have no trial that reports a cost above 0")
    logs = np.log(np.where(known, costs, 1.0))
    logs -= logs.sum(axis=1, keepdims=True) / np.maximum(known.sum(axis=1, keepdims=True), 1)
    return np.asarray((logs * known).sum(axis=0) / known.sum(axis=0))


def _log_odds(agent: str, scores: ResolvedScores) -> NDArray[np.float64]:
    """Empirical log-odds of an agent's failures at each question; half a pass and half a failure are added."""
    if agent not in scores.agents or not (n := scores.n[scores.row(agent)]).all():
        raise StatisticsError(f"{printable_text_line(agent)} did not run every question, and cannot be a covariate")
    passed = scores.mean[scores.row(agent)] * n
    return np.asarray(np.log((n - passed + 0.5) / (passed + 0.5)))


def _mean_costs(
    studies: Sequence[tuple[str, StudyData]], agents: Sequence[str], places: Sequence[tuple[str, str]]
) -> NDArray[np.float64]:
    """Mean reported cost of a trial, shape (agents, questions); NaN where none is reported."""
    row, column = ({key: at for at, key in enumerate(keys)} for keys in (agents, places))
    total, count = np.zeros((2, len(row), len(column)))
    for name, store in studies:
        for cell in store.cells():
            if cell.usd is not None and cell.agent in row and (name, cell.task) in column:
                at = row[cell.agent], column[name, cell.task]
                total[at] += cell.usd
                count[at] += 1
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _cost_notes(fit: HierarchyFit, priced: Sequence[int]) -> list[str]:
    without = [printable_text_line(agent) for i, agent in enumerate(fit.agents) if i not in priced]
    if not priced or not without:
        return []
    return [f"no trial of {all_of(without[:4])} reports a cost; the frontier is of the other agents"]


def _all_estimates(posterior: Posterior) -> list[Estimate]:
    return [_estimate_at(posterior, at) for at in np.ndindex(posterior.mean.shape)]


def _estimate_at(posterior: Posterior, at: tuple[int, ...]) -> Estimate:
    mean, sd, low, high = (float(a[at]) for a in (posterior.mean, posterior.sd, posterior.low, posterior.high))
    return Estimate(mean, sd, (low, high))


def _model_agent(fit: HierarchyFit, i: int, samples: int, frontier: Frontier | None) -> ModelAgent:
    name = fit.agents[i]
    place = frontier.agents.index(name) if frontier is not None and name in frontier.agents else None
    return ModelAgent(
        name=name,
        score=_estimate_at(fit.overall, (i,)),
        new={suite: _estimate_at(fit.new, (i, s)) for s, suite in enumerate(fit.suites)},
        these={suite: _estimate_at(fit.these, (i, s)) for s, suite in enumerate(fit.suites)},
        ability=_estimate_at(fit.ability, (i,)),
        rank_interval=(int(fit.ranks.low[i]), int(fit.ranks.high[i])),
        rank_verdict=fit.ranks.verdict[i],
        p_rank=tuple(fit.ranks.probability[i].tolist()),
        samples=samples,
        usd=_estimate_at(frontier.cost, (place,)) if frontier is not None and place is not None else None,
        p_frontier=float(frontier.probability[place]) if frontier is not None and place is not None else None,
    )


def _model_item(fit: HierarchyFit, q: int) -> ModelItem:
    items = fit.items
    return ModelItem(
        suite=fit.suites[fit.suite[q]],
        task=fit.questions[q],
        difficulty=_estimate_at(items.difficulty, (q,)),
        shrinkage=float(items.difficulty_shrinkage[q]),
        discrimination=_estimate_at(items.discrimination, (q,)) if items.discrimination is not None else None,
        discrimination_shrinkage=(
            float(items.discrimination_shrinkage[q]) if items.discrimination_shrinkage is not None else None
        ),
    )


def _fit_sentence(fit: HierarchyFit) -> str:
    if not fit.convergence.has_converged:
        return "The chains have not converged: no number below may be used."
    best = int(fit.overall.mean.argmax())
    where = f"{plural_text(len(fit.questions), 'question')} of {plural_text(len(fit.suites), 'suite')}"
    text = (
        f"{printable_text_line(fit.agents[best])} scores {percent_text(fit.overall.mean[best])}% on new "
        f"questions, by {where}"
    )
    others = [i for i in range(len(fit.agents)) if i != best]
    if not others:
        return f"{text}."
    verdicts = fit.ranks.verdicts[best]
    unclear = [printable_text_line(fit.agents[i]) for i in others if verdicts[i] == "cannot tell"]
    doubtful, behind = sum(verdicts[i] == CONDITIONAL for i in others), len(others) - len(unclear)
    if not behind:
        return f"{text}; the data cannot tell it from any other agent."
    of = "" if doubtful == behind else f" of {doubtful}"
    only = f",{of} {CONDITIONAL.removeprefix('shown ')}" if doubtful else ""
    text = f"{text}, and is ahead of {plural_text(behind, 'agent')}{only}"
    more = [f"{len(unclear) - 3} more"] if len(unclear) > 4 else []
    apart = f"; the data cannot tell it from {all_of(unclear[: 3 if more else 4] + more)}" if unclear else ""
    return f"{text}{apart}."
