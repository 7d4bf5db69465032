"""What numbers mean: statistics of repeated agent evaluations, in numpy and usable alone.

Start with `Scores` (from rows, counts, a frame or a file), declare a `Policy`, `resolve`, and ask: `score`, `compare`,
`noise`. Every result says what it is about (`Estimand`), and gives NaN with a reason rather than a comfortable number.
"""

from honestly.stats._clusters import InferredClusters, infer_clusters
from honestly.stats._compare import Comparison, UnpairedComparison, compare, compare_unpaired
from honestly.stats._estimand import Estimand
from honestly.stats._intervals import clopper_pearson_interval, jeffreys_interval, wilson_interval
from honestly.stats._means import ClusterSummary, MeanEstimate, clustered_mean, mean_of_questions
from honestly.stats._multiplicity import SignificanceCounts, benjamini_hochberg, count_significant, holm
from honestly.stats._noise import NoiseComponents, VarianceComponent, noise, paired_noise
from honestly.stats._paired_tests import mcnemar_exact, mcnemar_mid, sign_flip
from honestly.stats._policy import Policy
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import ScoreEstimate, score, score_all
from honestly.stats._scores import DataWarning, Graded, Scores

__all__ = [
    "ClusterSummary",
    "Comparison",
    "DataWarning",
    "Estimand",
    "Graded",
    "InferredClusters",
    "MeanEstimate",
    "NoiseComponents",
    "Policy",
    "ResolvedScores",
    "ScoreEstimate",
    "Scores",
    "SignificanceCounts",
    "UnpairedComparison",
    "VarianceComponent",
    "benjamini_hochberg",
    "clopper_pearson_interval",
    "clustered_mean",
    "compare",
    "compare_unpaired",
    "count_significant",
    "holm",
    "infer_clusters",
    "jeffreys_interval",
    "mcnemar_exact",
    "mcnemar_mid",
    "mean_of_questions",
    "noise",
    "paired_noise",
    "score",
    "score_all",
    "sign_flip",
    "wilson_interval",
]
