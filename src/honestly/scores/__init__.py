"""A study as scores of agents and tasks, with clusters, weights and the policy.

From here every statistic is computed. A study is read by `StudyData`, which every store has, a long table that is not
imported, and two studies put together; `count_study` counts it, by outcome and by the visible checks. What makes two
agents incomparable stands here, too, since every answer about several of them has to say it.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.scores._counted import CountedTable as CountedTable
    from honestly.scores._counts import (
        OnlyTasks as OnlyTasks,
        StudyCounts as StudyCounts,
        count_study as count_study,
        find_agent as find_agent,
        fitting_names as fitting_names,
        study_scores as study_scores,
    )
    from honestly.scores._data_quality import DataQuality as DataQuality, data_quality as data_quality
    from honestly.scores._declared import UNDECLARED as UNDECLARED, Declared as Declared
    from honestly.scores._fairness import (
        UNFAIR as UNFAIR,
        Pairing as Pairing,
        Side as Side,
        Unfair as Unfair,
        differences_between as differences_between,
        duplicated_ids as duplicated_ids,
        refuse_unfair as refuse_unfair,
        some_names as some_names,
        unfair_reason as unfair_reason,
    )
    from honestly.scores._numbers import (
        Independent as Independent,
        Interval as Interval,
        Noise as Noise,
        granted_words as granted_words,
        interval_of as interval_of,
        noise_of as noise_of,
    )
    from honestly.scores._study_data import StudyData as StudyData
    from honestly.scores._style import STYLE as STYLE, style_of as style_of
    from honestly.scores._variants import (
        DEFAULT_POLICY as DEFAULT_POLICY,
        MUCH_VOID as MUCH_VOID,
        PolicyWords as PolicyWords,
        Variant as Variant,
        other_policies as other_policies,
        policy_variants as policy_variants,
        policy_words as policy_words,
        question_means as question_means,
        score_ranks as score_ranks,
        void_caution as void_caution,
    )


__getattr__, __dir__ = lazy_exports(__name__)
