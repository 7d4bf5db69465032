"""Statistics of repeated agent evaluations, in numpy and usable alone.

Start with `Scores` (from rows, counts, a frame or a file), declare a `Policy`, `resolve`, and ask: `score`, `compare`,
`compare_all`, `rank_intervals`, `noise_components`, `pass_at_k`, `repeat_consistency`. Every result says what it is
about (`Estimand`), and gives NaN with a reason rather than a comfortable number.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.stats._agreement import kendall_w as kendall_w, tau_b as tau_b
    from honestly.stats._allpairs import AllPairs as AllPairs, compare_all as compare_all
    from honestly.stats._anytime import (
        DifferenceSequence as DifferenceSequence,
        WinLossTest as WinLossTest,
        sequence_radius as sequence_radius,
        win_loss_evidence as win_loss_evidence,
    )
    from honestly.stats._betting import BettingTest as BettingTest, ClusterBets as ClusterBets
    from honestly.stats._bradley_terry import (
        BradleyTerry as BradleyTerry,
        Preference as Preference,
        bradley_terry as bradley_terry,
    )
    from honestly.stats._budget import (
        Allocation as Allocation,
        Caps as Caps,
        DesignPrices as DesignPrices,
        Purchase as Purchase,
        best_purchase as best_purchase,
    )
    from honestly.stats._change_alarm import (
        ChangeAlarm as ChangeAlarm,
        alarm_evidence as alarm_evidence,
        change_alarm as change_alarm,
        tolerated_rates as tolerated_rates,
    )
    from honestly.stats._clusters import InferredClusters as InferredClusters, infer_clusters as infer_clusters
    from honestly.stats._compare import (
        Comparison as Comparison,
        UnpairedComparison as UnpairedComparison,
        compare as compare,
        compare_unpaired as compare_unpaired,
    )
    from honestly.stats._conformal import (
        Calibration as Calibration,
        ConformalReport as ConformalReport,
        ConformalVariant as ConformalVariant,
        Threshold as Threshold,
        calibrated_thresholds as calibrated_thresholds,
        conformal_report as conformal_report,
        conformal_threshold as conformal_threshold,
        coverage_interval as coverage_interval,
        option_scores as option_scores,
        prediction_sets as prediction_sets,
    )
    from honestly.stats._consistency import Consistency as Consistency, repeat_consistency as repeat_consistency
    from honestly.stats._design import (
        DesignVariance as DesignVariance,
        pilot_variance as pilot_variance,
        prior_variance as prior_variance,
    )
    from honestly.stats._equivalence import (
        ComparedAgents as ComparedAgents,
        Equivalence as Equivalence,
        EquivalenceVerdict as EquivalenceVerdict,
        equivalence_test as equivalence_test,
    )
    from honestly.stats._flips import (
        Flips as Flips,
        fisher_exact as fisher_exact,
        question_flips as question_flips,
        samples_for_certainty as samples_for_certainty,
    )
    from honestly.stats._gate import (
        GateVerdict as GateVerdict,
        Regression as Regression,
        regression_test as regression_test,
    )
    from honestly.stats._hack_rate import HackRate as HackRate, HiddenFailures as HiddenFailures, hack_rate as hack_rate
    from honestly.stats._health import (
        Band as Band,
        Difficulty as Difficulty,
        Inconsistency as Inconsistency,
        ItemQuality as ItemQuality,
        item_quality as item_quality,
        pair_inconsistency as pair_inconsistency,
        question_difficulty as question_difficulty,
    )
    from honestly.stats._inference import (
        CONDITIONAL as CONDITIONAL,
        ClaimVerdict as ClaimVerdict,
        MeanAnswer as MeanAnswer,
        MeanClaim as MeanClaim,
        MeanQuestion as MeanQuestion,
        assumptions as assumptions,
    )
    from honestly.stats._intervals import (
        bounded_interval as bounded_interval,
        clopper_pearson_interval as clopper_pearson_interval,
        difference_of_intervals as difference_of_intervals,
        jeffreys_interval as jeffreys_interval,
        mean_interval as mean_interval,
        t_interval as t_interval,
        wilson_interval as wilson_interval,
    )
    from honestly.stats._kappa import (
        Kappa as Kappa,
        LabelAgreement as LabelAgreement,
        cohen_kappa as cohen_kappa,
        krippendorff_alpha as krippendorff_alpha,
    )
    from honestly.stats._keep import KeepRule as KeepRule, KeepTest as KeepTest, next_level as next_level
    from honestly.stats._ladder import Ladder as Ladder, Rung as Rung, climb_ladder as climb_ladder
    from honestly.stats._least_squares import LeastSquares as LeastSquares, least_squares as least_squares
    from honestly.stats._macro import macro_mean as macro_mean
    from honestly.stats._means import (
        ClusterSummary as ClusterSummary,
        MeanEstimate as MeanEstimate,
        clustered_mean as clustered_mean,
        mean_of_questions as mean_of_questions,
    )
    from honestly.stats._multiplicity import (
        SignificanceCounts as SignificanceCounts,
        benjamini_hochberg as benjamini_hochberg,
        count_significant as count_significant,
        holm_adjusted as holm_adjusted,
    )
    from honestly.stats._noise import (
        NoiseComponents as NoiseComponents,
        VarianceComponent as VarianceComponent,
        noise_components as noise_components,
        paired_noise as paired_noise,
    )
    from honestly.stats._paired_tests import (
        mcnemar_exact as mcnemar_exact,
        mcnemar_mid as mcnemar_mid,
        share_difference_interval as share_difference_interval,
        sign_flip as sign_flip,
    )
    from honestly.stats._passk import (
        PassComparison as PassComparison,
        PassEstimate as PassEstimate,
        compare_pass as compare_pass,
        pass_all_k as pass_all_k,
        pass_at_k as pass_at_k,
    )
    from honestly.stats._plan import (
        Demands as Demands,
        Sizing as Sizing,
        design_power as design_power,
        detectable_gap as detectable_gap,
        headline_gap as headline_gap,
        headline_questions as headline_questions,
        questions_needed as questions_needed,
        samples_needed as samples_needed,
    )
    from honestly.stats._policy import Estimand as Estimand, Policy as Policy
    from honestly.stats._ppi import (
        Labelled as Labelled,
        PpiEstimate as PpiEstimate,
        Predictions as Predictions,
        cross_fit as cross_fit,
        external_predictions as external_predictions,
        ppi_difference as ppi_difference,
        ppi_mean as ppi_mean,
        ridge_fit as ridge_fit,
    )
    from honestly.stats._prevalence import (
        Counted as Counted,
        Prevalence as Prevalence,
        Stratum as Stratum,
        audit_bound as audit_bound,
        audit_size as audit_size,
        audited_prevalence as audited_prevalence,
        prevalence_estimate as prevalence_estimate,
        stratified_prevalence as stratified_prevalence,
    )
    from honestly.stats._ranks import (
        RankIntervals as RankIntervals,
        bootstrap_means as bootstrap_means,
        rank_intervals as rank_intervals,
    )
    from honestly.stats._resolved import ResolvedScores as ResolvedScores
    from honestly.stats._score import ScoreEstimate as ScoreEstimate, score as score, score_all as score_all
    from honestly.stats._scores import DataWarning as DataWarning, Graded as Graded, Scores as Scores
    from honestly.stats._sequential import (
        Decision as Decision,
        FixedSize as FixedSize,
        RuleVerdict as RuleVerdict,
        SequentialTest as SequentialTest,
    )
    from honestly.stats._spearman import (
        RankCorrelation as RankCorrelation,
        rank_correlation_range as rank_correlation_range,
        spearman_correlation as spearman_correlation,
    )
    from honestly.stats._special import t_quantile as t_quantile, t_two_sided as t_two_sided
    from honestly.stats._spending import (
        PlannedLooks as PlannedLooks,
        Spending as Spending,
        alpha_spent as alpha_spent,
        look_boundaries as look_boundaries,
    )
    from honestly.stats._stability import (
        Saturation as Saturation,
        Separation as Separation,
        SplitHalf as SplitHalf,
        score_saturation as score_saturation,
        score_separation as score_separation,
        split_half as split_half,
    )
    from honestly.stats._stopping import (
        StoppingMethod as StoppingMethod,
        StoppingRule as StoppingRule,
        early_gap as early_gap,
        early_questions as early_questions,
        parse_claim as parse_claim,
    )
    from honestly.stats._suites import (
        RankShift as RankShift,
        SuiteAgreement as SuiteAgreement,
        suite_agreement as suite_agreement,
    )
    from honestly.stats._validity import Validity as Validity, score_validity as score_validity
    from honestly.stats.hierarchy._diagnostics import Convergence as Convergence
    from honestly.stats.hierarchy._fit import (
        HierarchyFit as HierarchyFit,
        ItemEstimates as ItemEstimates,
        fit_hierarchy as fit_hierarchy,
    )
    from honestly.stats.hierarchy._frontier import (
        Frontier as Frontier,
        accuracy_cost_frontier as accuracy_cost_frontier,
    )
    from honestly.stats.hierarchy._posterior import Posterior as Posterior, PosteriorRanks as PosteriorRanks


__getattr__, __dir__ = lazy_exports(__name__)
