"""Every number of the reference files that this room answers for, on all four data sets, to 1e-9 or better.

Reference p-values from random sign flips have a Monte-Carlo error of their own and are held to five standard errors.
"""

from functools import cache

import numpy as np
import pytest
from shared_data import SHARED, reference

from honestly import stats

RUNS = 20_000
CLOSED_FORM = 1e-9
# p-values span ninety orders of magnitude, so they are compared by their ratio.
RELATIVE = 1e-9
DATA_SETS = ("terminal_bench_9", "lcb_codegeneration", "swebench_bash_only_4models", "interactive_swe")


def family(task):
    """The task families of the Terminal-Bench references: the first two words of the id."""
    return "-".join(task.split(".")[0].split("-")[:2])


def evaluation_file(name):
    path = SHARED / "data" / "evals" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"evaluation data {path.name} are not beside the repository")
    return path


@cache
def terminal_bench():
    import json

    path = SHARED / "data" / "terminal-bench" / "trials.jsonl"
    if not path.exists():
        pytest.skip("Terminal-Bench trials are not beside the repository")
    outcome = {True: "passed", False: "failed", None: "void"}
    trials = [json.loads(line) for line in path.read_text().splitlines()]
    return stats.Scores.from_rows(
        (trial["submission"], trial["task_id"], trial["rep"], outcome[trial["is_resolved"]], family(trial["task_id"]))
        for trial in trials
    )


@cache
def resolved(name):
    if name == "terminal_bench_9":
        return terminal_bench().resolve(stats.Policy(void="fail"))
    scores = stats.Scores.from_eval_arena(evaluation_file(name))
    return scores.resolve(stats.Policy(missing="drop")).on_common_questions()


def same(ours, theirs, tolerance=CLOSED_FORM):
    """Equal to the reference, whose null means not estimable."""
    if theirs is None:
        return np.isnan(ours)
    return abs(ours - theirs) <= tolerance


def same_p(ours, theirs):
    return ours == pytest.approx(theirs, rel=RELATIVE, abs=0)


@pytest.mark.parametrize("name", DATA_SETS)
def test_scores_and_their_noise(name):
    scores, expected = resolved(name), reference(name)
    assert len(expected["models"]) == len(scores.agents)
    for model in expected["models"]:
        honest, agent = model["honest"], model["model"]
        estimate, parts = stats.score(scores, agent, method="t"), stats.noise(scores, agent)
        assert estimate.n == honest["n"] == parts.n
        assert same(estimate.mean, honest["mean"])
        assert same(estimate.se, honest["se"])
        assert same(estimate.se**2, honest["var_mean"])
        assert same(parts.prediction.value, honest["var_pred"])
        assert same(parts.data.value, honest["var_data"])
        assert same(parts.total.value, honest["var_total"])
        if "se_cluster" in honest:
            values = scores.mean[scores.row(agent)]
            assert same(stats.clustered_mean(values, scores.cluster_codes, kind="CR1").se, honest["se_cluster"])


@pytest.mark.parametrize("name", DATA_SETS)
def test_pairs_one_by_one(name):
    scores, expected = resolved(name), reference(name)
    agents = len(scores.agents)
    assert len(expected["pairs"]) == agents * (agents - 1) // 2
    for pair in expected["pairs"]:
        honest = pair["honest"]
        found = stats.compare(scores, pair["a"], pair["b"], method="t")
        assert found.n == honest["n"]
        assert same(found.difference, honest["diff"])
        assert same(found.se, honest["se"])
        assert same(found.statistic, honest["t"])
        assert same_p(found.p_value, honest["p_t"])
        assert same_p(2 * _normal_sf(abs(found.statistic)), honest["p_z"])
        assert same(found.noise.prediction.value, honest["var_pred"])
        assert same(found.noise.data.value, honest["var_data"])
        assert same(found.noise.total.value, honest["var_total"])
        unpaired = stats.compare_unpaired(scores.ignoring_clusters(), pair["a"], pair["b"])
        assert same(unpaired.se, honest["se_unpaired"])
        if "wins" in honest:
            _check_mcnemar(scores, pair, honest)
        if "se_cr2" in honest:
            _check_clusters(scores, pair, honest)
        if "p_signflip" in honest:
            exact = stats.sign_flip(scores.mean[scores.row(pair["a"])] - scores.mean[scores.row(pair["b"])])
            error = np.sqrt(exact * (1 - exact) / RUNS)
            assert abs(exact - honest["p_signflip"]) <= 5 * error + 1 / RUNS


def _normal_sf(z):
    from honestly.stats._special import normal_sf

    return float(normal_sf(z))


def _check_mcnemar(scores, pair, honest):
    mid = stats.compare(scores, pair["a"], pair["b"], method="mcnemar-mid")
    exact = stats.compare(scores, pair["a"], pair["b"], method="mcnemar-exact")
    assert (mid.wins, mid.losses) == (honest["wins"], honest["losses"])
    assert same_p(mid.p_value, honest["p_mcnemar_mid"])
    assert same_p(exact.p_value, honest["p_mcnemar_exact"])


def _check_clusters(scores, pair, honest):
    found = stats.compare(scores, pair["a"], pair["b"])
    assert found.method.startswith("paired CR2")
    assert same(found.se, honest["se_cr2"])
    assert same(found.df, honest["df_bm"])
    assert same_p(found.p_value, honest["p_cr2"])
    assert same(found.clusters.effective, honest["g_eff"])
    assert found.clusters.clusters == honest["clusters"]
    differences = scores.mean[scores.row(pair["a"])] - scores.mean[scores.row(pair["b"])]
    crude = stats.clustered_mean(differences, scores.cluster_codes, kind="CR1")
    assert same(crude.se, honest["se_cluster"])
    assert same_p(_two_sided(crude), honest["p_cluster"])
    naive = stats.compare(scores, pair["a"], pair["b"], method="t").se
    assert same((float(crude.se) / naive) ** 2, honest["deff"])


def _two_sided(estimate):
    from honestly.stats._special import t_two_sided

    return float(t_two_sided(estimate.mean / estimate.se, estimate.df))


@pytest.mark.parametrize("name", DATA_SETS)
def test_all_pairs_at_once(name):
    scores, expected = resolved(name), reference(name)
    table = stats.compare_all(scores, method="t")
    row = {agent: i for i, agent in enumerate(table.agents)}
    for pair in expected["pairs"]:
        i, j, honest = row[pair["a"]], row[pair["b"]], pair["honest"]
        assert table.n[i, j] == honest["n"]
        assert same(table.difference[i, j], honest["diff"])
        assert same(table.se[i, j], honest["se"])
        assert same_p(table.p_value[i, j], honest["p_t"])
        assert same(table.prediction[i, j], honest["var_pred"])
        assert same(table.data[i, j], honest["var_data"])
        assert same(table.total[i, j], honest["var_total"])
        if "p_holm" in honest:
            assert same_p(table.p_holm[i, j], honest["p_holm"])
            assert same_p(table.p_bh[i, j], honest["p_bh"])
    if "summary" in expected:
        summary, counts = expected["summary"], table.counts()
        assert counts.family == summary["pairs"]
        assert (counts.uncorrected, counts.holm, counts.benjamini_hochberg) == (
            summary["t_sig05"],
            summary["holm05"],
            summary["bh05"],
        )
        assert same(np.median(table.upper(table.se)), summary["median_se_at_K"])


@pytest.mark.parametrize("name", ["terminal_bench_9", "swebench_bash_only_4models", "interactive_swe"])
def test_all_clustered_pairs_at_once(name):
    scores, expected = resolved(name), reference(name)
    table = stats.compare_all(scores)
    assert table.method.startswith("paired CR2")
    row = {agent: i for i, agent in enumerate(table.agents)}
    for pair in expected["pairs"]:
        i, j, honest = row[pair["a"]], row[pair["b"]], pair["honest"]
        assert same(table.se[i, j], honest["se_cr2"])
        assert same(table.df[i, j], honest["df_bm"])
        assert same_p(table.p_value[i, j], honest["p_cr2"])


def test_mid_p_is_the_default_of_single_samples_only():
    scores, expected = resolved("lcb_codegeneration"), reference("lcb_codegeneration")
    table = stats.compare_all(scores)
    row = {agent: i for i, agent in enumerate(table.agents)}
    singles = 0
    for pair in expected["pairs"]:
        honest, p_value = pair["honest"], table.p_value[row[pair["a"]], row[pair["b"]]]
        singles += "p_mcnemar_mid" in honest
        assert same_p(p_value, honest.get("p_mcnemar_mid", honest["p_t"]))
        assert same_p(stats.compare(scores, pair["a"], pair["b"]).p_value, p_value)
    assert 0 < singles < len(expected["pairs"])


def test_policies_for_trials_without_a_verdict():
    scores, expected = terminal_bench(), reference("golden_tb_nulls")
    failed, dropped = (scores.resolve(stats.Policy(void=choice)).ignoring_clusters() for choice in ("fail", "drop"))
    low, high = scores.bounds()
    assert scores.void.sum() == sum(expected[agent]["null"] for agent in scores.agents)
    for row, agent in enumerate(scores.agents):
        golden = expected[agent]
        assert scores.void[row].sum() == golden["null"]
        assert same(stats.score(failed, agent).mean, golden["acc_null_fail"])
        assert same(stats.score(low, agent).mean, golden["acc_null_fail"])
        assert same(stats.score(high, agent).mean, golden["acc_null_pass"])
        assert same(stats.score(dropped, agent).mean, golden["acc_drop_question_mean"])
        assert stats.score(dropped, agent).n == golden["tasks_left"]
        # The pooled mean is what must not be reported; the reference gives it to show that it differs.
        pooled = np.nansum(dropped.n[row] * dropped.mean[row]) / dropped.n[row].sum()
        assert same(pooled, golden["acc_drop_pooled"])
    # The reference ranked the dropped scores by pooled trials, and its leader changes all the same.
    pooled = np.nansum(dropped.n * dropped.mean, axis=1) / dropped.n.sum(axis=1)
    for score, order in ((np.nanmean(failed.mean, axis=1), "_rank_fail"), (pooled, "_rank_drop")):
        theirs = [agent for agent in expected[order] if agent in scores.agents]
        ordered = [score[scores.agents.index(agent)] for agent in theirs]
        assert ordered == sorted(ordered, reverse=True)
    leaders = [found.agents[np.nanargmax(np.nanmean(found.mean, axis=1))] for found in (failed, dropped)]
    assert leaders == [expected["_rank_fail"][0], expected["_rank_drop"][0]]


def test_pass_at_k_and_pass_all_k():
    scores, expected = resolved("terminal_bench_9").ignoring_clusters(), reference("golden_tb_passk")
    for agent, golden in expected.items():
        for label, (value, se) in ((k, v) for k, v in golden.items() if not k.startswith("plugin")):
            estimate = (stats.pass_at_k if "@" in label else stats.pass_all_k)(scores, agent, int(label[-1]))
            assert same(estimate.value, value)
            assert same(estimate.se, se)
        rate = scores.mean[scores.row(agent)]
        assert same(np.mean(rate**5), golden["plugin_pass^5"])
        assert same(np.mean(1 - (1 - rate) ** 5), golden["plugin_pass@5"])


def test_consistency():
    scores, expected = resolved("terminal_bench_9"), reference("golden_tb_consistency")
    for agent, golden in expected.items():
        found = stats.consistency(scores, agent)
        assert same(found.outcome, golden["unbiased"])
        assert same(found.inflated, golden["hal"])
        assert same(found.flaky, golden["frac_flaky"])
        assert same(found.intraclass_correlation, golden["icc"])


def test_kinds_of_standard_error():
    scores, expected = resolved("terminal_bench_9").ignoring_clusters(), reference("golden_tb_se_kinds")
    drawn = stats.bootstrap_means(scores, 4_000, seed=5)
    for column, agent in enumerate(scores.agents):
        golden, estimate = expected[agent], stats.score(scores, agent)
        assert same(estimate.mean, golden["mean"])
        assert same(estimate.se_fixed, golden["tb_leaderboard_stderr"])
        assert same(estimate.se, golden["question_se"])
        assert same(estimate.se / estimate.se_fixed, golden["ratio_q_over_lb"])
        # Both bootstraps have about 1 to 2% Monte-Carlo error of their own.
        assert drawn[:, column].std() == pytest.approx(golden["boot_question"], rel=0.06)
        assert estimate.se < golden["boot_two_level"]


@pytest.mark.parametrize("name", ["lcb_codegeneration", "swebench_bash_only_4models"])
def test_marginal_ranks_and_share_leading(name):
    scores, golden = resolved(name).ignoring_clusters(), reference("golden_benchmark_health")[name]
    found = stats.rank_intervals(scores, seed=11, bootstraps=4_000)
    drawn = stats.bootstrap_means(scores, 4_000, seed=11)
    best = drawn.max(axis=1, keepdims=True)
    tied = (drawn >= best - 1e-12).sum(axis=1) > 1
    for i, agent in enumerate(found.agents):
        low, high = golden["rank_ci95"][agent]
        # Ends of a quantile interval move by one rank between two bootstraps.
        assert abs(found.marginal_low[i] - low) <= 1
        assert abs(found.marginal_high[i] - high) <= 1
        assert found.low[i] <= found.marginal_low[i] + 1
        assert found.high[i] >= found.marginal_high[i] - 1
        share = golden["p_top1"].get(agent)
        if share is not None:
            # The reference gave ties to one of the tied; we split them.
            error = 4 * np.sqrt(max(share * (1 - share), 0.001) * (1 / 2_000 + 1 / 4_000))
            assert abs(found.p_top[i] - share) <= error + tied.mean()
    assert found.p_top.sum() == pytest.approx(1)


def test_clusters_are_inferred_where_the_references_have_them():
    for name in ("swebench_bash_only_4models", "interactive_swe"):
        scores = stats.Scores.from_eval_arena(evaluation_file(name))
        inferred = stats.infer_clusters(scores.questions)
        assert inferred.pattern == "repository"
        assert inferred.labels == scores.clusters
    # Terminal-Bench: variants only; the hand-made families of the references are coarser.
    inferred = stats.infer_clusters(terminal_bench().questions)
    assert inferred.pattern == "variant"
    assert len(set(inferred.labels)) == 70
    assert stats.infer_clusters(resolved("lcb_codegeneration").questions) is None


def test_the_data_that_claim_ten_samples_and_have_one():
    """LiveCodeBench gives ten of its models K = 10 in a format that shows no interior value; ours says so."""
    scores = stats.Scores.from_eval_arena(evaluation_file("lcb_codegeneration"))
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
