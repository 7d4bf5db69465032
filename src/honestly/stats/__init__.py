"""Statistics of repeated agent evaluations, in numpy and usable alone.

Start with `Scores` (from rows, counts, a frame or a file), declare a `Policy`, `resolve`, and ask: `score`, `compare`,
`compare_all`, `rank_intervals`, `noise_components`, `pass_at_k`, `repeat_consistency`. Every result says what it is
about (`Estimand`), and gives NaN with a reason rather than a comfortable number.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.stats._agreement import kendall_w, tau_b
    from honestly.stats._allpairs import AllPairs, compare_all
    from honestly.stats._anytime import DifferenceSequence, WinLossTest, sequence_radius, win_loss_evidence
    from honestly.stats._betting import BettingTest, ClusterBets
    from honestly.stats._bradley_terry import BradleyTerry, Preference, bradley_terry
    from honestly.stats._budget import Allocation, Caps, DesignPrices, Purchase, best_purchase
    from honestly.stats._change_alarm import ChangeAlarm, alarm_evidence, change_alarm, tolerated_rates
    from honestly.stats._clusters import InferredClusters, infer_clusters
    from honestly.stats._compare import Comparison, UnpairedComparison, compare, compare_unpaired
    from honestly.stats._conformal import (
        Calibration,
        ConformalReport,
        ConformalVariant,
        Threshold,
        calibrated_thresholds,
        conformal_report,
        conformal_threshold,
        coverage_interval,
        option_scores,
        prediction_sets,
    )
    from honestly.stats._consistency import Consistency, repeat_consistency
    from honestly.stats._design import DesignVariance, pilot_variance, prior_variance
    from honestly.stats._equivalence import ComparedAgents, Equivalence, EquivalenceVerdict, equivalence_test
    from honestly.stats._flips import Flips, fisher_exact, question_flips, samples_for_certainty
    from honestly.stats._gate import GateVerdict, Regression, regression_test
    from honestly.stats._hack_rate import HackRate, HiddenFailures, hack_rate
    from honestly.stats._health import (
        Band,
        Difficulty,
        Inconsistency,
        ItemQuality,
        item_quality,
        pair_inconsistency,
        question_difficulty,
    )
    from honestly.stats._inference import (
        CONDITIONAL,
        ClaimVerdict,
        MeanAnswer,
        MeanClaim,
        MeanQuestion,
        assumptions,
    )
    from honestly.stats._intervals import (
        bounded_interval,
        clopper_pearson_interval,
        difference_of_intervals,
        jeffreys_interval,
        mean_interval,
        t_interval,
        wilson_interval,
    )
    from honestly.stats._kappa import Kappa, LabelAgreement, cohen_kappa, krippendorff_alpha
    from honestly.stats._keep import KeepRule, KeepTest, next_level
    from honestly.stats._ladder import Ladder, Rung, climb_ladder
    from honestly.stats._least_squares import LeastSquares, least_squares
    from honestly.stats._macro import macro_mean
    from honestly.stats._means import ClusterSummary, MeanEstimate, clustered_mean, mean_of_questions
    from honestly.stats._multiplicity import SignificanceCounts, benjamini_hochberg, count_significant, holm_adjusted
    from honestly.stats._noise import NoiseComponents, VarianceComponent, noise_components, paired_noise
    from honestly.stats._paired_tests import mcnemar_exact, mcnemar_mid, share_difference_interval, sign_flip
    from honestly.stats._passk import PassComparison, PassEstimate, compare_pass, pass_all_k, pass_at_k
    from honestly.stats._plan import (
        Demands,
        PlanCurve,
        Sizing,
        design_power,
        detectable_gap,
        gap_curve,
        headline_gap,
        headline_questions,
        power_curve,
        questions_needed,
        samples_needed,
    )
    from honestly.stats._policy import Estimand, Policy
    from honestly.stats._ppi import (
        Labelled,
        PpiEstimate,
        Predictions,
        cross_fit,
        external_predictions,
        ppi_difference,
        ppi_mean,
        ridge_fit,
    )
    from honestly.stats._prevalence import (
        Counted,
        Prevalence,
        Stratum,
        audit_bound,
        audit_size,
        audited_prevalence,
        prevalence_estimate,
        stratified_prevalence,
    )
    from honestly.stats._ranks import RankIntervals, bootstrap_means, rank_intervals
    from honestly.stats._resolved import ResolvedScores
    from honestly.stats._score import ScoreEstimate, score, score_all
    from honestly.stats._scores import DataWarning, Graded, Scores
    from honestly.stats._sequential import Decision, FixedSize, RuleVerdict, SequentialTest
    from honestly.stats._spearman import RankCorrelation, rank_correlation_range, spearman_correlation
    from honestly.stats._special import t_quantile, t_two_sided
    from honestly.stats._spending import PlannedLooks, Spending, alpha_spent, look_boundaries
    from honestly.stats._stability import (
        Saturation,
        Separation,
        SplitHalf,
        checkpoint_signal_to_noise,
        pair_signal,
        score_saturation,
        score_separation,
        split_half,
    )
    from honestly.stats._stopping import StoppingMethod, StoppingRule, early_gap, early_questions, parse_claim
    from honestly.stats._suites import RankShift, SuiteAgreement, suite_agreement
    from honestly.stats._validity import Validity, score_validity
    from honestly.stats.hierarchy._diagnostics import Convergence
    from honestly.stats.hierarchy._fit import HierarchyFit, ItemEstimates, fit_hierarchy
    from honestly.stats.hierarchy._frontier import Frontier, accuracy_cost_frontier
    from honestly.stats.hierarchy._posterior import Posterior, PosteriorRanks

__all__ = [
    "CONDITIONAL",
    "AllPairs",
    "Allocation",
    "Band",
    "BettingTest",
    "BradleyTerry",
    "Calibration",
    "Caps",
    "ChangeAlarm",
    "ClaimVerdict",
    "ClusterBets",
    "ClusterSummary",
    "ComparedAgents",
    "Comparison",
    "ConformalReport",
    "ConformalVariant",
    "Consistency",
    "Convergence",
    "Counted",
    "DataWarning",
    "Decision",
    "Demands",
    "DesignPrices",
    "DesignVariance",
    "DifferenceSequence",
    "Difficulty",
    "Equivalence",
    "EquivalenceVerdict",
    "Estimand",
    "FixedSize",
    "Flips",
    "Frontier",
    "GateVerdict",
    "Graded",
    "HackRate",
    "HiddenFailures",
    "HierarchyFit",
    "Inconsistency",
    "InferredClusters",
    "ItemEstimates",
    "ItemQuality",
    "Kappa",
    "KeepRule",
    "KeepTest",
    "LabelAgreement",
    "Labelled",
    "Ladder",
    "LeastSquares",
    "MeanAnswer",
    "MeanClaim",
    "MeanEstimate",
    "MeanQuestion",
    "NoiseComponents",
    "PassComparison",
    "PassEstimate",
    "PlanCurve",
    "PlannedLooks",
    "Policy",
    "Posterior",
    "PosteriorRanks",
    "PpiEstimate",
    "Predictions",
    "Preference",
    "Prevalence",
    "Purchase",
    "RankCorrelation",
    "RankIntervals",
    "RankShift",
    "Regression",
    "ResolvedScores",
    "RuleVerdict",
    "Rung",
    "Saturation",
    "ScoreEstimate",
    "Scores",
    "Separation",
    "SequentialTest",
    "SignificanceCounts",
    "Sizing",
    "Spending",
    "SplitHalf",
    "StoppingMethod",
    "StoppingRule",
    "Stratum",
    "SuiteAgreement",
    "Threshold",
    "UnpairedComparison",
    "Validity",
    "VarianceComponent",
    "WinLossTest",
    "accuracy_cost_frontier",
    "alarm_evidence",
    "alpha_spent",
    "assumptions",
    "audit_bound",
    "audit_size",
    "audited_prevalence",
    "benjamini_hochberg",
    "best_purchase",
    "bootstrap_means",
    "bounded_interval",
    "bradley_terry",
    "calibrated_thresholds",
    "change_alarm",
    "checkpoint_signal_to_noise",
    "climb_ladder",
    "clopper_pearson_interval",
    "clustered_mean",
    "cohen_kappa",
    "compare",
    "compare_all",
    "compare_pass",
    "compare_unpaired",
    "conformal_report",
    "conformal_threshold",
    "count_significant",
    "coverage_interval",
    "cross_fit",
    "design_power",
    "detectable_gap",
    "difference_of_intervals",
    "early_gap",
    "early_questions",
    "equivalence_test",
    "external_predictions",
    "fisher_exact",
    "fit_hierarchy",
    "gap_curve",
    "hack_rate",
    "headline_gap",
    "headline_questions",
    "holm_adjusted",
    "infer_clusters",
    "item_quality",
    "jeffreys_interval",
    "kendall_w",
    "krippendorff_alpha",
    "least_squares",
    "look_boundaries",
    "macro_mean",
    "mcnemar_exact",
    "mcnemar_mid",
    "mean_interval",
    "mean_of_questions",
    "next_level",
    "noise_components",
    "option_scores",
    "pair_inconsistency",
    "pair_signal",
    "paired_noise",
    "parse_claim",
    "pass_all_k",
    "pass_at_k",
    "pilot_variance",
    "power_curve",
    "ppi_difference",
    "ppi_mean",
    "prediction_sets",
    "prevalence_estimate",
    "prior_variance",
    "question_difficulty",
    "question_flips",
    "questions_needed",
    "rank_correlation_range",
    "rank_intervals",
    "regression_test",
    "repeat_consistency",
    "ridge_fit",
    "samples_for_certainty",
    "samples_needed",
    "score",
    "score_all",
    "score_saturation",
    "score_separation",
    "score_validity",
    "sequence_radius",
    "share_difference_interval",
    "sign_flip",
    "spearman_correlation",
    "split_half",
    "stratified_prevalence",
    "suite_agreement",
    "t_interval",
    "t_quantile",
    "t_two_sided",
    "tau_b",
    "tolerated_rates",
    "wilson_interval",
    "win_loss_evidence",
]

__getattr__, __dir__ = lazy_exports(__name__)
