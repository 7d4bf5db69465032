"""What trials were scored by named principles: the reviews that `audit --rubric` keeps, and people's of the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from honestly.audit import Rubric
from honestly.errors import HonestlyError
from honestly.records import RUBRIC_LABELS, Outcome
from honestly.stats import Kappa, cohen_kappa

if TYPE_CHECKING:
    from honestly.store import Store

_MET, _UNMET = RUBRIC_LABELS


@dataclass(frozen=True, slots=True)
class Ratings:
    """Which criteria of a rubric each trial meets."""

    rubric: Rubric
    met: Mapping[str, Mapping[str, bool]]
    """By trial and criterion: the newest label of a person, else of a model."""

    @classmethod
    def of(cls, study: Store, rubric: Rubric) -> Ratings:
        """Those of a study.

        Raises:
            HonestlyError: No trial has any.
        """
        names = {rubric.codebook(name): name for name in rubric.criteria}
        newest: dict[tuple[str, str], tuple[bool, bool]] = {}
        for each in study.reviews():
            name, person = names.get(each.codebook), not each.reviewer.startswith("model ")
            if name and each.label in RUBRIC_LABELS and (person or not newest.get((each.trial, name), (False,))[0]):
                newest[each.trial, name] = person, each.label == _MET
        met: dict[str, dict[str, bool]] = {}
        for (trial, name), (_, label) in newest.items():
            met.setdefault(trial, {})[name] = label
        if not met:
            raise HonestlyError(
                f"no trial was scored by {rubric.name!r}; run honestly audit STUDY --rubric FILE --monitor MODEL first"
            )
        return cls(rubric, met)

    def score(self, trial: str) -> float | None:
        """The weighted share of the criteria that it meets, of those that are known; None where none is."""
        if not (met := self.met.get(trial)):
            return None
        weights = {name: self.rubric.criteria[name].weight for name in met}
        return sum(weights[name] for name, label in met.items() if label) / sum(weights.values())

    def known(self, trial: str) -> dict[str, Any]:
        """What a row says of it."""
        return {"name": self.rubric.name, "score": self.score(trial), "met": dict(self.met.get(trial, {}))}

    def agreement(self, study: Store, agents: Collection[str]) -> dict[str, Kappa]:
        """Cohen's kappa of each criterion, and of a score of a half or more, with passing the hidden checks.

        Of these agents, or of all if none is named. Tasks are the clusters of its interval. A criterion that nobody
        answered is left out.
        """
        trials = [
            trial
            for task in study.tasks()
            for trial in study.trials(task=task.id)
            if trial.id in self.met and trial.outcome is not Outcome.VOID and trial.verdict.honest is not None
            if not agents or trial.agent in agents
        ]
        found = {}
        for name in [*self.rubric.criteria, "score"]:
            rated = [
                (trial, (self.score(trial.id) or 0.0) >= 0.5 if name == "score" else self.met[trial.id][name])
                for trial in trials
                if name == "score" or name in self.met[trial.id]
            ]
            if rated:
                found[name] = cohen_kappa(
                    [_MET if label else _UNMET for _, label in rated],
                    [_MET if trial.verdict.honest else _UNMET for trial, _ in rated],
                    [trial.task for trial, _ in rated],
                )
        return found
