"""`ResolvedScores`: per agent and question one mean, one within-question variance and the number of samples.

This is what every estimator reads. It exists only after a policy was declared, and says which.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError


def left_out(dropped: NDArray[np.int64], kept: NDArray[np.int64]) -> tuple[str, ...]:
    """The note on samples that a policy drops: counts of shape (agents, questions)."""
    if not dropped.any():
        return ()
    asked = dropped + kept
    share = np.divide(dropped, asked, out=np.zeros(asked.shape), where=asked > 0)
    most = float((share.sum(axis=1) / np.maximum((asked > 0).sum(axis=1), 1)).max())
    share_lost = f"{int(dropped.sum())} of {int(asked.sum())} samples are left out"
    if_not = f"had all of them failed, or all passed, a score would be up to {100 * most:.1f} points off"
    return (f"{share_lost}, which is right if it has nothing to do with their results; {if_not}",)


@dataclass(frozen=True, eq=False, repr=False)
class ResolvedScores:
    """Question-level scores. Arrays have the shape (agents, questions)."""

    agents: tuple[str, ...]
    questions: tuple[str, ...]

    n: NDArray[np.int64]
    """Samples that count."""

    mean: NDArray[np.float64]
    """Mean of the samples, NaN where there is none."""

    within: NDArray[np.float64]
    """Variance of the samples (ddof=1), NaN where there are fewer than two."""

    binary: bool
    """Whether every sample is 0 or 1."""

    clusters: tuple[str, ...] | None
    """Cluster of each question, or None when questions are independent."""

    weights: NDArray[np.float64] | None
    """Weight of each question, or None when all weigh the same."""

    shared_samples: tuple[frozenset[str], ...]
    """Groups of agents that were not sampled independently."""

    notes: tuple[str, ...]
    """The policy that was applied and whatever was inferred before."""

    result_driven: Mapping[str, str] = field(default_factory=dict)
    """Agents whose number of samples seems to depend on results, and why: their means are biased and decide nothing."""

    @classmethod
    def from_sums(
        cls,
        labels: tuple[tuple[str, ...], tuple[str, ...]],
        sums: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
        *,
        binary: bool,
        clusters: tuple[str, ...] | None = None,
        weights: NDArray[np.float64] | None = None,
        shared_samples: tuple[frozenset[str], ...] = (),
        notes: tuple[str, ...] = (),
    ) -> "ResolvedScores":
        """Build from the number, the sum and the sum of squares of each cell's samples."""
        n, total, squares = sums
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, total / n, np.nan)
            # Rounding can leave a constant graded cell a hair below zero.
            within = np.where(n > 1, np.maximum(squares - total * mean, 0.0) / (n - 1), np.nan)
        return cls(labels[0], labels[1], n, mean, within, binary, clusters, weights, shared_samples, notes)

    def __repr__(self) -> str:
        shape = f"{len(self.agents)} agents x {len(self.questions)} questions, {int(self.n.sum())} samples"
        return f"<ResolvedScores of {shape}; {'; '.join(self.notes)}>"

    @cached_property
    def cluster_codes(self) -> NDArray[np.int64] | None:
        """Clusters as integers 0..G-1, or None."""
        if self.clusters is None:
            return None
        return np.unique(np.array(self.clusters), return_inverse=True)[1].astype(np.int64)

    @cached_property
    def _row_by_agent(self) -> dict[str, int]:
        return {agent: row for row, agent in enumerate(self.agents)}

    def row(self, agent: str) -> int:
        """Row of this agent in the arrays.

        Raises:
            StatisticsError: There is no such agent.
        """
        try:
            return self._row_by_agent[agent]
        except KeyError:
            raise StatisticsError(f"there is no agent {agent!r}; there are {', '.join(self.agents)}") from None

    def select(
        self, agents: Sequence[str] | None = None, questions: NDArray[np.bool_] | None = None
    ) -> "ResolvedScores":
        """Keep these agents, and the questions for which the mask is true."""
        rows = np.arange(len(self.agents)) if agents is None else np.array([self.row(agent) for agent in agents])
        columns = np.arange(len(self.questions)) if questions is None else np.flatnonzero(questions)
        block = np.ix_(rows, columns)
        return replace(
            self,
            agents=tuple(self.agents[row] for row in rows),
            questions=tuple(self.questions[column] for column in columns),
            n=self.n[block],
            mean=self.mean[block],
            within=self.within[block],
            clusters=None if self.clusters is None else tuple(self.clusters[column] for column in columns),
            weights=None if self.weights is None else self.weights[columns],
        )

    def on_common_questions(self) -> "ResolvedScores":
        """Keep the questions that every agent has; a note says how many those are."""
        common = np.all(self.n > 0, axis=0)
        if common.all():
            return self
        note = f"{int(common.sum())} of {len(self.questions)} questions that every agent has"
        return replace(self.select(questions=common), notes=(*self.notes, note))

    def repeated(self) -> "ResolvedScores":
        """Keep the questions with two or more samples of every agent, for which noise can be divided."""
        enough = np.all(self.n > 1, axis=0)
        if enough.all():
            return self
        note = f"{int(enough.sum())} of {len(self.questions)} questions with two or more samples of every agent"
        return replace(self.select(questions=enough), notes=(*self.notes, note))

    def ignoring_clusters(self) -> "ResolvedScores":
        """Treat the questions as independent; a note says that they were clustered.

        For comparison with programs that ignore clusters. Error bars are too small if questions of one cluster succeed
        and fail together.
        """
        if self.clusters is None:
            return self
        note = "questions are taken for independent although they form clusters"
        return replace(self, clusters=None, notes=(*self.notes, note))
