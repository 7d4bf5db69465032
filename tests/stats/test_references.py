"""Every value of every reference file: reproduced, or listed here with the reason why it cannot be.

Closed forms agree to 1e-9 (p-values: by their ratio), simulations within four or so Monte-Carlo standard errors of both
sides. The claims are in `reference_evaluations`, `reference_goldens` and `reference_simulations`.
"""

import warnings

import numpy as np
import pytest
import reference_evaluations as evaluations
import reference_goldens as goldens
import reference_simulations as simulations
from reference_values import Claim, leaves, matches, unclaimed
from shared_data import SHARED, reference

from honestly import stats
from sampled import sampled

EVALUATIONS = ("interactive_swe", "lcb_codegeneration", "swebench_bash_only_4models", "terminal_bench_9")
CLAIMS = {
    **{name: (lambda golden, name=name: evaluations.claims(name, golden),) for name in EVALUATIONS},
    "golden_benchmark_health": (goldens.health,),
    "golden_budget_allocation": (goldens.budget,),
    "golden_cluster_cr2": (simulations.clustered_sizes,),
    "golden_conformal": (goldens.conformal,),
    "golden_coverage": (simulations.coverage,),
    "golden_ppi": (goldens.prediction_powered, simulations.prediction_powered),
    "golden_sequential": (simulations.sequential,),
    "golden_tb_consistency": (goldens.consistency,),
    "golden_tb_nulls": (goldens.nulls,),
    "golden_tb_passk": (goldens.pass_rates,),
    "golden_tb_power": (goldens.power,),
    "golden_tb_se_kinds": (goldens.kinds_of_error,),
}

ORIGIN = "says where the data are from, and what another program took for them"
THIRTEEN = "over thirteen submissions, of which nine are handed out"
GIVEN = "given to the calculation, not found by it"
NO_ROWS = "the probabilities of its options, 500 and 4,000 rows, are not handed out; MAPIE and crepes are compared row by row on made-up ones in test_conformal"
NO_RATINGS = "its ratings and predictions are not handed out; ppi_py is compared on made-up ones in test_ppi"
EXCUSED = {
    **{name: {"dataset": ORIGIN, "source": ORIGIN, "note": ORIGIN, "eval_arena_*": ORIGIN} for name in EVALUATIONS},
    "golden_benchmark_health": {"terminal_bench > *": THIRTEEN, "lcb_testoutput > *": "the data set is not handed out"},
    "golden_budget_allocation": {
        "v?": f"{GIVEN}: medians {THIRTEEN}",
        **{f"grid > * > {key}": GIVEN for key in ("cq", "budget", "run_cost")},
    },
    "golden_conformal": {
        "*coverage": NO_ROWS,
        "*mean_set_size": NO_ROWS,
        "*empty": NO_ROWS,
        "*singleton": NO_ROWS,
        "accuracy": NO_ROWS,
        "*rows_different_from_mine": NO_ROWS,
    },
    "golden_ppi": {
        "mine > [014]": NO_RATINGS,
        "ppi_py_*": NO_RATINGS,
        "classical > *": NO_RATINGS,
        "n": GIVEN,
        "N": GIVEN,
    },
    "golden_tb_nulls": {"_rank_* > *": f"{THIRTEEN}; the order of the nine is compared below"},
    "golden_tb_power": {
        "two_level_se_inflation > *": f"median and largest {THIRTEEN}",
        "mde80 > *": f"medians {THIRTEEN}; what follows from them is compared",
    },
}
EXCUSED["terminal_bench_9"] |= {"n_models": THIRTEEN, "models > * > eval_arena > win_rate": THIRTEEN}


@pytest.mark.published
def test_every_reference_file_is_known():
    if not (SHARED / "refs").exists():
        pytest.skip("reference values are not beside the repository")
    assert {path.stem for path in (SHARED / "refs").glob("*.json")} == set(CLAIMS)


LONG = {"golden_coverage", "golden_ppi", "lcb_codegeneration", "golden_cluster_cr2", "interactive_swe"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(CLAIMS, lambda name: name not in LONG))
def test_every_value_is_reproduced_or_excused(name):
    golden = reference(name)
    values, excuses = dict(leaves(golden)), EXCUSED.get(name, {})
    claimed, wrong = set(), []
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        for claim in (claim for claims in CLAIMS[name] for claim in claims(golden)):
            claimed.add(claim.path)
            if claim.path not in values or not claim.holds(values[claim.path]):
                wrong.append((claim, values.get(claim.path)))
    assert wrong == []
    assert claimed
    assert unclaimed(values, claimed, excuses) == []
    # An excuse that excuses nothing is a mistake, too.
    left = [path for path in values if path not in claimed]
    assert [pattern for pattern in excuses if not any(matches(path, pattern) for path in left)] == []


def test_a_wrong_value_is_no_agreement():
    assert Claim(("x",), 1.0).holds(1.0 + 1e-10)
    assert not Claim(("x",), 1.0).holds(1.0 + 1e-8)
    assert not Claim(("x",), 1.0).holds(None)
    assert Claim(("x",), np.nan).holds(None)
    assert not Claim(("x",), np.nan).holds(0.0)
    assert unclaimed([("a", "b"), ("c",)], {("c",)}, ["a > c"]) == [("a", "b")]


@pytest.mark.published
def test_orders_of_nine_among_thirteen():
    """Counting what was not scored as failed, and leaving it out, by pooled trials as the reference did."""
    expected, found = reference("golden_tb_nulls"), stats.score_validity(evaluations.terminal_bench())
    for key, ranks in (("_rank_fail", found.rank_strict), ("_rank_drop", found.rank_if_scorable)):
        order = [found.agents.index(agent) for agent in expected[key] if agent in found.agents]
        assert (np.diff(ranks[order]) >= 0).all()
        assert found.agents[order[0]] == expected[key][0]
    assert found.warnings[0].startswith(f"{expected['_rank_fail'][0]} leads if unscored")
    assert f"{expected['_rank_drop'][0]} if they are left out" in found.warnings[0]
    assert not found.decided


@pytest.mark.published
def test_clusters_are_inferred_where_the_references_have_them():
    for name in ("swebench_bash_only_4models", "interactive_swe"):
        scores = stats.Scores.from_eval_arena(evaluations.evaluation_file(name))
        inferred = stats.infer_clusters(scores.questions)
        assert inferred.pattern == "repository"
        assert inferred.labels == scores.clusters
    # Terminal-Bench: variants only; the hand-made families of the references are coarser.
    inferred = stats.infer_clusters(evaluations.terminal_bench().questions)
    assert inferred.pattern == "variant"
    assert len(set(inferred.labels)) == 70
    assert stats.infer_clusters(evaluations.resolved("lcb_codegeneration").questions) is None


@pytest.mark.published
def test_the_data_that_claim_ten_samples_and_have_one():
    """LiveCodeBench gives ten of its models K = 10 in a format that shows no interior value; ours says so."""
    scores = stats.Scores.from_eval_arena(evaluations.evaluation_file("lcb_codegeneration"))
    single = np.all(scores.planned == 1, axis=1)
    assert single.sum() == 10
    claimed = stats.Scores.from_counts(
        scores.agents,
        scores.questions,
        np.where(single[:, None], 10, 1) * scores.passed,
        np.where(single[:, None], 10, 1) * scores.failed,
    )
    assert scores.warnings == ()
    assert [warning.agent for warning in claimed.warnings] == [
        agent for agent, one in zip(scores.agents, single, strict=True) if one
    ]
    assert {warning.kind for warning in claimed.warnings} == {"no-interior"}
