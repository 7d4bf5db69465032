"""A study as scores of agents and tasks, with clusters, weights and the policy.

From here every statistic is computed. A study is read by `StudyData`, which every store has, a long table that is not
imported, and two studies put together; `count_study` counts it, by outcome and by the visible checks. What makes two
agents incomparable stands here, too, since every answer about several of them has to say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.scores._counted import CountedTable
    from honestly.scores._counts import (
        OnlyTasks,
        StudyCounts,
        count_study,
        find_agent,
        fitting_names,
        study_scores,
    )
    from honestly.scores._data_quality import DataQuality, data_quality
    from honestly.scores._declared import UNDECLARED, Declared
    from honestly.scores._fairness import (
        UNFAIR,
        Pairing,
        Side,
        Unfair,
        differences_between,
        duplicated_ids,
        refuse_unfair,
        some_names,
        unfair_reason,
    )
    from honestly.scores._numbers import Independent, Interval, Noise, granted_words, interval_of, noise_of
    from honestly.scores._study_data import StudyData
    from honestly.scores._style import STYLE, style_of
    from honestly.scores._variants import (
        DEFAULT_POLICY,
        MUCH_VOID,
        PolicyWords,
        Variant,
        other_policies,
        policy_variants,
        policy_words,
        question_means,
        score_ranks,
        void_caution,
    )

__all__ = [
    "DEFAULT_POLICY",
    "MUCH_VOID",
    "STYLE",
    "UNDECLARED",
    "UNFAIR",
    "CountedTable",
    "DataQuality",
    "Declared",
    "Independent",
    "Interval",
    "Noise",
    "OnlyTasks",
    "Pairing",
    "PolicyWords",
    "Side",
    "StudyCounts",
    "StudyData",
    "Unfair",
    "Variant",
    "count_study",
    "data_quality",
    "differences_between",
    "duplicated_ids",
    "find_agent",
    "fitting_names",
    "granted_words",
    "interval_of",
    "noise_of",
    "other_policies",
    "policy_variants",
    "policy_words",
    "question_means",
    "refuse_unfair",
    "score_ranks",
    "some_names",
    "study_scores",
    "style_of",
    "unfair_reason",
    "void_caution",
]

__getattr__, __dir__ = lazy_exports(__name__)
