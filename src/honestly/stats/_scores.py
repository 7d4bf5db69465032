"""`Scores`: agents x questions x samples, kept as counts per cell, with everything an estimator must know.

Counts, not rates: what happened in a cell (an agent on a question) stays visible, and so does what is missing.
Clusters, question weights and shared samples travel with the numbers. `Scores.resolve` applies a declared `Policy` and
gives the `ResolvedScores` from which every statistic is computed.

Not covered: the trials themselves; they live in a study.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError
from honestly.stats._cells import OUTCOMES, Cells, count_eval_arena, count_frame, count_rows
from honestly.stats._clusters import infer_clusters
from honestly.stats._policy import Policy
from honestly.stats._resolved import ResolvedScores, left_out
from honestly.stats._retried import by_rule, extreme_last, fewer_where_failed, last_samples, until_passed

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_INTERIOR_NEEDS = 10  # with fewer repeated questions an honest agent may never disagree with itself


@dataclass(frozen=True, slots=True)
class DataWarning:
    """Something about the data that a reader of the result must know."""

    kind: str
    """Stable identifier: `"no-interior"` for repeated samples that always agree, `"samples-depend"` for samples whose
    number seems to depend on their results."""

    agent: str
    """The agent concerned."""

    message: str
    """What was found and what it may mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """Samples with a value strictly between 0 and 1; arrays of shape (agents, questions)."""

    count: NDArray[np.int64]
    """How many such samples the cell has."""

    total: NDArray[np.float64]
    """Sum of their values."""

    squares: NDArray[np.float64]
    """Sum of their squared values."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """The results of each agent on each question, as counts. Arrays have the shape (agents, questions).

    Use `from_rows`, `from_counts`, `from_eval_arena` or `from_frame` rather than this constructor.

    Raises:
        StatisticsError: Labels repeat, shapes disagree, counts are negative or exceed what was planned.
    """

    agents: tuple[str, ...]
    """Names, unique."""

    questions: tuple[str, ...]
    """Names, unique."""

    passed: NDArray[np.int64]
    failed: NDArray[np.int64]
    limit: NDArray[np.int64]
    """Samples in which the agent ran out of time, turns or budget."""

    void: NDArray[np.int64]
    """Samples that the harness or the infrastructure spoilt."""

    planned: NDArray[np.int64]
    """Samples that should exist; what is short of it is missing, and 0 means that the question was not asked."""

    graded: Graded | None = None
    clusters: tuple[str, ...] | None = None
    """Cluster of each question; questions of one cluster may succeed and fail together."""

    weights: NDArray[np.float64] | None = None
    """Weight of each question in the score, positive; None weighs all the same."""

    shared_samples: tuple[frozenset[str], ...] = ()
    """Groups of agents that were not sampled independently (same seeds, same generations)."""

    notes: tuple[str, ...] = ()
    """What was inferred on the way, to be said with the results."""

    last_passed: NDArray[np.int64] | None = None
    """Whether the last sample of a cell passed, 1 or 0, and -1 where that is not known; None where no order is."""

    last_extreme: NDArray[np.int64] | None = None
    """Whether the last grade of a cell is above all others, 1, or below, 0, and -1 for neither; None without grades, or
    where no order is known."""

    def __post_init__(self) -> None:
        for name, labels in (("agent", self.agents), ("question", self.questions)):
            if not labels:
                raise StatisticsError(f"there is no {name} in these scores; give at least one trial")
            if len(set(labels)) != len(labels):
                twice = sorted({label for label in labels if labels.count(label) > 1})
                raise StatisticsError(f"{name} names must be unique; found twice: {twice[:5]}")
        shape = (len(self.agents), len(self.questions))
        for name in (*OUTCOMES, "planned"):
            counts = getattr(self, name)
            if counts.shape != shape or counts.dtype.kind != "i" or (counts < 0).any():
                raise StatisticsError(
                    f"{name} must contain counts of shape {shape}; found {counts.dtype} {counts.shape}"
                )
        if self.clusters is not None and len(self.clusters) != shape[1]:
            raise StatisticsError(f"{len(self.clusters)} clusters for {shape[1]} questions; give one for each")
        if self.weights is not None and not (
            self.weights.shape == shape[1:] and np.isfinite(self.weights).all() and (self.weights > 0).all()
        ):
            raise StatisticsError(f"weights must be {shape[1]} positive numbers, one for each question")
        over = np.argwhere(self.observed > self.planned)
        if over.size:
            a, q = over[0]
            raise StatisticsError(
                f"agent {self.agents[a]!r} has {self.observed[a, q]} samples of question {self.questions[q]!r}, but "
                f"{self.planned[a, q]} were planned; correct the plan or the data"
            )

    def __repr__(self) -> str:
        names = (*OUTCOMES, "missing")
        tally = {name: int(getattr(self, name).sum()) for name in names}
        if self.graded is not None:
            tally["graded"] = int(self.graded.count.sum())
        counts = ", ".join(f"{count} {name}" for name, count in tally.items() if count)
        shape = f"{len(self.agents)} agents x {len(self.questions)} questions"
        clusters = "" if self.clusters is None else f" in {len(set(self.clusters))} clusters"
        return f"<Scores of {shape}{clusters}: {counts or 'no'} samples>"

    @classmethod
    def from_rows(cls, rows: Iterable[object], planned: int | None = None) -> "Scores":
        """Count trials given in long form.

        Args:
            rows: Tuples `(agent, question, sample, outcome)` or `(agent, question, sample, outcome, cluster)`. `sample`
                tells repeated trials apart; whole numbers are their order. `outcome` is one of `"passed"`, `"failed"`,
                `"limit"`, `"void"`, or a bool, or a value in [0, 1].
            planned: Samples that every agent should have of every question. Without it, what is there counts as
                planned, and only a cell without any sample is missing.

        Raises:
            StatisticsError: A row has another shape (a flat list of 0/1), an unknown outcome, or is a duplicate.
        """
        return cls._from_cells(count_rows(rows), planned)

    @classmethod
    def from_eval_arena(cls, path: str | Path, planned: int | None = None) -> "Scores":
        """Read JSONL in the format of eval-arena: one line per (model, question) with `pass1` and `count`.

        Args:
            path: The file; `condition` becomes part of the agent's name (`model|condition`), `cluster` the cluster.
            planned: As for `from_rows`.

        Raises:
            StatisticsError: A line is malformed, a cell occurs twice, or a rate is impossible for its stated count.
            OSError: The file cannot be read.
        """
        return cls._from_cells(count_eval_arena(path), planned)

    @classmethod
    def from_frame(
        cls,
        frame: "IntoDataFrame",
        *,
        agent: str = "agent",
        question: str = "question",
        sample: str = "sample",
        outcome: str = "outcome",
        cluster: str | None = None,
    ) -> "Scores":
        """Count a pandas, polars or other frame with one trial per row (needs the extra `frames`).

        Args:
            frame: Any eager frame that narwhals understands.
            agent: Column with the agent's name.
            question: Column with the question's name.
            sample: Column that tells repeated trials apart.
            outcome: Column with the outcome, as for `from_rows`.
            cluster: Column with the question's cluster, if any.

        Raises:
            StatisticsError: narwhals is not installed, a column is absent, or the rows are malformed.
        """
        return cls._from_cells(count_frame(frame, (agent, question, sample, outcome, cluster)), None)

    @classmethod
    def from_counts(
        cls,
        agents: Sequence[str],
        questions: Sequence[str],
        passed: ArrayLike,
        failed: ArrayLike,
        *,
        limit: ArrayLike = 0,
        void: ArrayLike = 0,
        planned: ArrayLike | None = None,
        graded: Graded | None = None,
    ) -> "Scores":
        """Build from arrays of counts that broadcast to (agents, questions), in the order given.

        `planned` is as for `from_rows`, or an array; 0 in it means that the question was not asked of that agent.
        Samples with a value between 0 and 1 come as `graded`.
        """
        shape = (len(agents), len(questions))
        passes, failures = _checked_counts("passed", passed, shape), _checked_counts("failed", failed, shape)
        limits, voids = _checked_counts("limit", limit, shape), _checked_counts("void", void, shape)
        observed = passes + failures + limits + voids + (0 if graded is None else graded.count)
        plan = _default_plan(observed) if planned is None else _checked_counts("planned", planned, shape)
        return cls(tuple(agents), tuple(questions), passes, failures, limits, voids, plan, graded)

    @classmethod
    def _from_cells(cls, cells: Cells, planned: int | None) -> "Scores":
        agents, questions = cells.labels()
        if not agents:
            raise StatisticsError("no trials were given; expected rows (agent, question, sample, outcome)")
        table = cells.cell_arrays(agents, questions)
        passed, failed, limit, void, count = (table[name].astype(np.int64) for name in (*OUTCOMES, "graded"))
        graded = Graded(count, table["graded_sum"], table["graded_squares"]) if count.any() else None
        observed = passed + failed + limit + void + count
        plan = _default_plan(observed) if planned is None else np.full(observed.shape, planned, dtype=np.int64)
        stated = ~np.isnan(table["planned"])
        plan[stated] = table["planned"][stated].astype(np.int64)
        made = cls(agents, questions, passed, failed, limit, void, plan, graded, cells.clusters(questions))
        ends = cells.ends(agents, questions)
        return made if ends is None else replace(made, last_passed=ends[0], last_extreme=ends[1])

    @cached_property
    def observed(self) -> NDArray[np.int64]:
        """Samples of each cell that exist, whatever their outcome."""
        total = self.passed + self.failed + self.limit + self.void
        return total if self.graded is None else total + self.graded.count

    @cached_property
    def missing(self) -> NDArray[np.int64]:
        """Samples of each cell that were planned and do not exist."""
        return self.planned - self.observed

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """Agents whose samples are not what they seem: `"no-interior"` and `"samples-depend"`.

        `no-interior`: repeated samples never disagree, although some questions pass and some fail. A leaderboard that
        repeats one run K times under another name looks like this (ten of sixteen models of LiveCodeBench did); so does
        a deterministic agent. In both cases there is one sample, not K. Asked of agents with at least ten questions
        that have two or more samples.

        `samples-depend`: samples seem to have been added until one passed or was good enough, to have ended with a pass
        or a failure, or to lack failures (`honestly.stats._retried`). What is resolved from such scores carries the
        warning as a note.
        """
        found = []
        verdicts = self.passed + self.failed
        interior = (self.passed > 0) & (self.failed > 0)
        if self.graded is not None:
            interior |= self.graded.count > 0
        for a, agent in enumerate(self.agents):
            repeated = verdicts[a] >= 2
            passes, questions = int(self.passed[a, repeated].sum()), int(repeated.sum())
            if questions < _INTERIOR_NEEDS or interior[a, repeated].any():
                continue
            if 0 < passes < int(verdicts[a, repeated].sum()):
                found.append(
                    DataWarning(
                        "no-interior",
                        agent,
                        f"{agent}: {questions} questions with up to {int(verdicts[a].max())} samples each, and never "
                        "do two samples of a question disagree. Either the agent is deterministic or one sample was "
                        "written K times; its prediction noise is not measured",
                    )
                )
        return (*found, *self._retried)

    def dependent_samples(self, agents: Iterable[str]) -> tuple[str, ...]:
        """The warnings `samples-depend` of these agents, in words; where there is one, their means decide nothing."""
        return tuple(warning.message for warning in self._retried if warning.agent in {*agents})

    @cached_property
    def _retried(self) -> dict[DataWarning, bool]:
        """Those warnings, and whether failures seem to be left out, which matters where missing ones do not count."""
        found = {}
        taken = self.passed + self.failed + self.limit
        if self.graded is not None:
            taken = taken + self.graded.count
        biased = "Means over such samples are biased, and no error bar knows it"
        by_chance = "with numbers of samples that no result decided, that has a chance of"
        among = max(1, sum(len({*each[each > 0].tolist()}) > 1 for each in taken))
        for row, agent in enumerate(self.agents):
            trace = self._trace(row, taken[row], among)
            said = trace or self._trace_of_lost(row, taken[row], among)
            if said is not None:
                seen, chance = said
                how = "" if chance is None else f"; {by_chance} {chance}"
                found[DataWarning("samples-depend", agent, f"{agent}: {seen}{how}. {biased}")] = trace is None
        return found

    def _trace(self, row: int, taken: NDArray[np.int64], among: int) -> tuple[str, str | None] | None:
        """What in an agent's samples speaks for a number that depends on results, and how rare that is by chance."""
        passed, most = self.passed[row], int(taken.max(initial=0))
        unknown = np.full(taken.shape, -1)
        last, extreme = (unknown if each is None else each[row] for each in (self.last_passed, self.last_extreme))
        if self.graded is None or not self.graded.count[row].any():
            if (rule := by_rule(passed, taken, last, among)) is not None:
                asked = f"each of {int((taken > 0).sum())} questions was sampled"
                return f"{asked} {rule}, or {most} samples were there, it seems", None
            if (until := until_passed(passed, taken, among)) is not None:
                seen = f"{until[0]} of {until[1]} questions with 2 to {most - 1} samples have exactly one pass"
                return f"{seen}, as if samples were added until one passed", f"at most {until[2]:.2g}"
            if (ended := last_samples(passed, taken, last, among)) is not None:
                often = 2 * ended[0] > ended[1]
                seen = f"{ended[0] if often else ended[1] - ended[0]} of {ended[1]} questions with passes and failures"
                how = "pass, as if samples were added after a failure" if often else "failure, as if it had ended them"
                return f"{seen} end with a {how}", f"{ended[2]:.2g}"
        elif (stop := extreme_last(taken, extreme, among)) is not None:
            seen = f"{stop[0]} of {stop[1]} questions with 2 to {most - 1} samples end with their "
            seen += "best grade, as if a good one" if stop[3] else "worst grade, as if a bad one"
            return f"{seen} had ended them", f"{stop[2]:.2g}"
        return None

    def _trace_of_lost(self, row: int, taken: NDArray[np.int64], among: int) -> tuple[str, str] | None:
        """The same, of failures that may have been left out."""
        numbers = taken + self.void[row]
        some = taken > 0
        total = self.passed[row] if self.graded is None else self.passed[row] + self.graded.total[row]
        lost = fewer_where_failed(total[some] / taken[some], numbers[some], among)
        if lost is None:
            return None
        others = np.delete(self.observed, row, axis=0)
        if (((others == numbers) | (others == 0) | (numbers == 0)).all(axis=1) & others.any(axis=1)).any():
            return None
        seen = f"questions with fewer samples have lower scores (correlation {lost[0]:.2f})"
        return f"{seen}, as if failures had been left out", f"{lost[1]:.2g}"

    def with_clusters(self, clusters: Mapping[str, str] | Sequence[str]) -> "Scores":
        """Set the clusters: a mapping from question to cluster, or one label per question.

        Raises:
            StatisticsError: A question has no cluster.
        """
        if isinstance(clusters, Mapping):
            absent = [question for question in self.questions if question not in clusters]
            if absent:
                raise StatisticsError(f"no cluster for {len(absent)} questions (first: {absent[:5]})")
            clusters = [clusters[question] for question in self.questions]
        return replace(self, clusters=tuple(clusters))

    def with_inferred_clusters(self) -> "Scores":
        """Read clusters off the question ids where the pattern is clear; a note says so."""
        if self.clusters is not None:
            return self
        if (inferred := infer_clusters(self.questions)) is None:
            return self
        return replace(self, clusters=inferred.labels, notes=(*self.notes, inferred.note))

    def with_weights(self, weights: Mapping[str, float]) -> "Scores":
        """Set a weight for each question; means and standard errors use the same weights.

        Raises:
            StatisticsError: A question has no weight, or one that is not positive.
        """
        return replace(self, weights=np.array([weights.get(question, math.nan) for question in self.questions]))

    def with_shared_samples(self, *groups: Iterable[str]) -> "Scores":
        """Declare groups of agents whose samples are not independent given the question.

        A paired comparison inside a group stays valid; its division into prediction and data noise does not, and is
        refused.
        """
        return replace(self, shared_samples=(*self.shared_samples, *(frozenset(group) for group in groups)))

    def resolve(self, policy: Policy | None = None) -> ResolvedScores:
        """Apply a policy to limits, voids and missing samples.

        Args:
            policy: The declared choices; without one, data that need any are refused.

        Raises:
            StatisticsError: There are such samples and the policy does not say what they count as.
        """
        policy = policy or Policy()
        n, total = self.passed + self.failed, self.passed.astype(np.float64)
        squares = total.copy()
        if self.graded is not None:
            n = n + self.graded.count
            total, squares = total + self.graded.total, squares + self.graded.squares
        dropped = np.zeros_like(n)
        for name in ("limit", "void", "missing"):
            counts, choice = getattr(self, name), getattr(policy, name)
            if choice == "error" and counts.any():
                raise StatisticsError(
                    f"{int(counts.sum())} samples are {name}, in {int((counts > 0).sum())} cells of "
                    f"{int((counts > 0).any(axis=1).sum())} agents; declare what they count as, for example "
                    f"Policy({name}='fail') or Policy({name}='drop')"
                )
            if choice in ("fail", "pass"):
                n = n + counts
            if choice == "drop":
                dropped = dropped + counts
            if choice == "pass":
                total, squares = total + counts, squares + counts
        driven = {
            warning.agent: warning.message
            for warning, is_lost in self._retried.items()
            if not is_lost or policy.missing not in ("fail", "pass")
        }
        said = (*left_out(dropped, n), *driven.values())
        found = ResolvedScores.from_sums(
            (self.agents, self.questions),
            (n, total, squares),
            binary=self.graded is None,
            clusters=self.clusters,
            weights=self.weights,
            shared_samples=self.shared_samples,
            notes=(*self.notes, f"policy: {policy}", *said),
        )
        return replace(found, result_driven=driven)

    def bounds(self, policy: Policy | None = None) -> tuple[ResolvedScores, ResolvedScores]:
        """Scores with every void and missing sample failed, and with every one passed.

        The order of two agents does not depend on those samples only if the lower score of the one exceeds the upper
        score of the other. `policy.limit` is applied in both; the rest of the policy is not used.
        """
        limit = (policy or Policy()).limit
        return (
            self.resolve(Policy(limit=limit, void="fail", missing="fail")),
            self.resolve(Policy(limit=limit, void="pass", missing="pass")),
        )


def resolved_scores(scores: Scores | ResolvedScores) -> ResolvedScores:
    """Scores of which every sample counts as something.

    Raises:
        StatisticsError: some are limits, void or missing, and nobody has said what they count as: `Scores.resolve`.
    """
    return scores.resolve() if isinstance(scores, Scores) else scores


def _checked_counts(name: str, values: ArrayLike, shape: tuple[int, int]) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iub":
        raise StatisticsError(f"{name} must contain whole counts, not rates; found {array.dtype}")
    try:
        return np.broadcast_to(array, shape).astype(np.int64)
    except ValueError as error:
        raise StatisticsError(f"{name} has shape {array.shape}; expected (agents, questions) = {shape}") from error


def _default_plan(observed: NDArray[np.int64]) -> NDArray[np.int64]:
    """The plan of cells that name none, in which what is there was planned; an empty cell should have
    had the agent's most common number of samples.
    """
    plan = observed.copy()
    for row in plan:
        if (row == 0).any():
            frequency = np.bincount(row[row > 0], minlength=2)
            row[row == 0] = int(np.flatnonzero(frequency == frequency.max())[-1]) if frequency.any() else 1
    return plan
