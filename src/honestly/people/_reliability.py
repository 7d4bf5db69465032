"""How far the people who reviewed a study agree: each pair, and all of them together.

Only labels that were given without seeing the others' count: not those that settle. Trials of one task are alike, so
intervals go by tasks. `cannot tell` is a label like the others here: two people who cannot tell agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from honestly.people._labels import TrialLabels
from honestly.stats import Kappa, cohen_kappa, krippendorff_alpha


@dataclass(frozen=True, slots=True)
class Reliability:
    """Agreement of reviewers beyond chance, with its parts."""

    labelled: Mapping[str, int]
    """Trials that each person labelled."""
    pairs: Mapping[tuple[str, str], Kappa]
    """Cohen's kappa of each two people who labelled a trial in common."""
    all: Kappa
    """Krippendorff's alpha of everybody."""
    blind: int
    """Trials that two people or more labelled without seeing what detectors said."""
    disputed: int
    """Trials that people differ about, and nobody has settled."""
    settled: int


def reliability(labels: Mapping[str, TrialLabels], tasks: Mapping[str, str]) -> Reliability:
    """Measure how far reviewers agree.

    Args:
        labels: what people now say of each trial.
        tasks: the task of each trial.
    """
    people: dict[str, dict[str, str]] = {}
    for trial, said in labels.items():
        for review in said.opinions:
            people.setdefault(review.reviewer, {})[trial] = review.label
    pairs = {}
    for first, second in combinations(sorted(people), 2):
        both = [trial for trial in people[first] if trial in people[second]]
        if both:
            one, other = ([people[name][trial] for trial in both] for name in (first, second))
            pairs[first, second] = cohen_kappa(one, other, [tasks[trial] for trial in both])
    several = [said for said in labels.values() if len(said.opinions) > 1]
    return Reliability(
        labelled={name: len(trials) for name, trials in sorted(people.items())},
        pairs=pairs,
        all=krippendorff_alpha(
            [[review.label for review in said.opinions] for said in several], [tasks[said.trial] for said in several]
        ),
        blind=sum(sum(review.blind for review in said.opinions) > 1 for said in several),
        disputed=sum(said.disputed for said in labels.values()),
        settled=sum(said.ruling is not None for said in labels.values()),
    )
