"""What we compute for the four files with one evaluation each: every agent, every pair, the summary.

The files also hold what eval-arena prints. Its numbers follow from ours: it divides by N where an unbiased variance
divides by N - 1, which takes `se²` off every variance, and its p-value rounds expected wins down (STATISTICS in the
shared folder lists what is wrong with that).
"""

from functools import cache

import numpy as np
import pytest
from reference_values import Claim, p_value, share
from shared_data import SHARED, trials

from honestly import stats
from honestly.stats import t_two_sided
from honestly.stats._special import normal_sf

FLIPS = 20_000


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
    """Nine submissions, 80 tasks, five trials each; trials without a verdict are void, families are clusters."""
    outcome = {True: "passed", False: "failed", None: "void"}
    return stats.Scores.from_rows(
        (trial["submission"], trial["task_id"], trial["rep"], outcome[trial["is_resolved"]], family(trial["task_id"]))
        for trial in trials()
    )


@cache
def resolved(name):
    if name == "terminal_bench_9":
        return terminal_bench().resolve(stats.Policy(void="fail"))
    scores = stats.Scores.from_eval_arena(evaluation_file(name))
    return scores.resolve(stats.Policy(missing="drop")).on_common_questions()


def claims(name, golden):
    scores = resolved(name)
    yield Claim(("n_questions",), len(scores.questions))
    clustered = scores.clusters is not None
    yield Claim(("clusters",), len(set(scores.clusters)) if clustered else None)
    if name != "terminal_bench_9":
        yield Claim(("n_models",), len(scores.agents))
    for model in golden["models"]:
        yield from _agent(scores, model["model"], ("models", model["model"]))
    if name != "terminal_bench_9":
        # The win rates of Terminal-Bench are over thirteen submissions.
        yield from _win_rates(scores)
    found = []
    for pair in golden["pairs"]:
        row = _Pair(scores, pair["a"], pair["b"])
        found.append(row)
        yield from row.honest(pair["honest"])
        yield from row.eval_arena()
    yield from _tables(scores, golden)
    if "summary" in golden:
        for key, value in _summary(scores, found).items():
            yield Claim(("summary", *key), value)


def _agent(scores, agent, at):
    yield Claim((*at, "model"), agent)
    row = scores.row(agent)
    for place, samples in enumerate(sorted(set(scores.n[row].tolist()))):
        yield Claim((*at, "K", str(place)), samples)
    estimate, parts = stats.score(scores, agent, method="t"), stats.noise_components(scores, agent)
    honest = {
        "n": estimate.n,
        "mean": estimate.mean,
        "se": estimate.se,
        "var_mean": estimate.se**2,
        "var_pred": parts.prediction.value,
        "var_data": parts.data.value,
        "var_total": parts.total.value,
    }
    if scores.clusters is not None:
        honest["se_cluster"] = stats.clustered_mean(scores.mean[row], scores.cluster_codes, kind="CR1").se
    yield from (Claim((*at, "honest", key), value) for key, value in honest.items())
    theirs = {
        "pass1": estimate.mean,
        "pass@count": float((scores.mean[row] > 0).mean()),
        "SE(A)": _root(parts.total.value - estimate.se**2, estimate.n),
        "SE_x(A)": _root(parts.data.value - estimate.se**2, estimate.n),
        "SE_pred(A)": _root(parts.prediction.value, estimate.n),
    }
    yield from (Claim((*at, "eval_arena", key), value) for key, value in theirs.items())


def _win_rates(scores):
    wins = stats.pair_inconsistency(scores).wins / len(scores.questions)
    for agent, rate in zip(scores.agents, np.nanmean(wins, axis=1), strict=True):
        yield Claim(("models", agent, "eval_arena", "win_rate"), rate)


def _root(variance, questions):
    return float(np.sqrt(variance / questions))


class _Pair:
    """One comparison, in all the ways the references know."""

    def __init__(self, scores, a, b):
        self.scores, self.a, self.b = scores, a, b
        self.at = ("pairs", f"{a} - {b}")
        self.plain = stats.compare(scores, a, b, method="t")
        self.unpaired = stats.compare_unpaired(scores.ignoring_clusters(), a, b)
        self.difference = scores.mean[scores.row(a)] - scores.mean[scores.row(b)]
        if scores.clusters is not None:
            self.robust = stats.compare(scores, a, b)
            self.crude = stats.clustered_mean(self.difference, scores.cluster_codes, kind="CR1")
            self.p_crude = float(t_two_sided(self.crude.mean / self.crude.se, self.crude.df))

    def honest(self, golden):
        at, plain = (*self.at, "honest"), self.plain
        yield from (Claim((*self.at, side), name) for side, name in (("a", self.a), ("b", self.b)))
        values = {
            "n": plain.n,
            "diff": plain.difference,
            "se": plain.se,
            "t": plain.statistic,
            "var_pred": plain.noise.prediction.value,
            "var_data": plain.noise.data.value,
            "var_total": plain.noise.total.value,
            "se_unpaired": self.unpaired.se,
        }
        chances = {"p_t": plain.p_value, "p_z": 2 * float(normal_sf(abs(plain.statistic)))}
        if "wins" in golden:
            mid, exact = (
                stats.compare(self.scores, self.a, self.b, method=f"mcnemar-{kind}") for kind in ("mid", "exact")
            )
            values |= {"wins": mid.wins, "losses": mid.losses}
            chances |= {"p_mcnemar_mid": mid.p_value, "p_mcnemar_exact": exact.p_value}
        if self.scores.clusters is not None:
            clusters = self.robust.clusters
            values |= {"se_cr2": self.robust.se, "df_bm": self.robust.df, "g_eff": clusters.effective}
            values |= {"clusters": clusters.clusters, "se_cluster": self.crude.se}
            values |= {"deff": (float(self.crude.se) / plain.se) ** 2}
            p_cr2 = float(t_two_sided(self.robust.statistic, self.robust.df))  # a claim's has a floor: its few signs
            chances |= {"p_cr2": p_cr2, "p_cluster": self.p_crude}
        yield from (Claim((*at, key), value) for key, value in values.items())
        yield from (p_value((*at, key), value) for key, value in chances.items())
        if "p_signflip" in golden:
            flips = stats.sign_flip(self.difference)
            # Theirs are random signs, and count the data themselves as one of them.
            claim = share((*at, "p_signflip"), flips, flips, FLIPS, errors=5)
            yield Claim(claim.path, flips, claim.absolute + 1 / FLIPS)

    def eval_arena(self):
        at, plain, scores = (*self.at, "eval_arena"), self.plain, self.scores
        a, b = scores.mean[scores.row(self.a)], scores.mean[scores.row(self.b)]
        won, lost = float((a * (1 - b)).sum()), float((b * (1 - a)).sum())
        values = {
            "total": plain.n,
            "accA": stats.score(scores, self.a).mean,
            "accB": stats.score(scores, self.b).mean,
            "sum(A!=B)": won + lost,
            "sum(A-B)": won - lost,
            "SE_signtest": np.sqrt(won + lost) / plain.n,
            "SE_pred(A-B)": _root(plain.noise.prediction.value, plain.n),
            "SE_x(A-B)": _root(plain.noise.data.value - plain.se**2, plain.n),
            "SE(A-B)": _root(plain.noise.total.value - plain.se**2, plain.n),
            "corr(A,B)": np.corrcoef(a, b)[0, 1],
        }
        yield from (Claim((*at, key), value) for key, value in values.items())
        self.rounded = [float(stats.mcnemar_exact(int(one), int(won + lost) - int(one))) for one in (won, lost)]
        yield p_value((*at, "pvalue"), self.rounded[0])
        yield p_value((*at, "pvalue_swapped"), self.rounded[1])


def _tables(scores, golden):
    """All pairs at once give what they give one by one, and know the whole family."""
    plain = stats.compare_all(scores, method="t")
    default = stats.compare_all(scores)
    row = {agent: place for place, agent in enumerate(plain.agents)}
    for pair in golden["pairs"]:
        at, honest = ("pairs", f"{pair['a']} - {pair['b']}", "honest"), pair["honest"]
        cell = row[pair["a"]], row[pair["b"]]
        for key, matrix in (("n", plain.n), ("diff", plain.difference), ("se", plain.se), ("t", plain.statistic)):
            yield Claim((*at, key), matrix[cell])
        for key, matrix in (("var_pred", plain.prediction), ("var_data", plain.data), ("var_total", plain.total)):
            yield Claim((*at, key), matrix[cell])
        yield p_value((*at, "p_t"), plain.p_value[cell])
        if "p_holm" in honest:
            yield p_value((*at, "p_holm"), plain.p_holm[cell])
            yield p_value((*at, "p_bh"), plain.p_bh[cell])
        if scores.clusters is not None:
            yield Claim((*at, "se_cr2"), default.se[cell])
            yield Claim((*at, "df_bm"), default.df[cell])
            yield p_value((*at, "p_cr2"), default.p_value[cell])
        else:
            # Mid-p is the default of pairs with single samples, and of no others.
            default_key = "p_mcnemar_mid" if "p_mcnemar_mid" in honest else "p_t"
            yield p_value((*at, default_key), default.p_value[cell])
            yield p_value((*at, default_key), stats.compare(scores, pair["a"], pair["b"]).claim.approximate.p_value)


def _summary(scores, pairs):
    counts = stats.compare_all(scores, method="t").counts()
    parts = [(pair.plain.noise.prediction.value, pair.plain.noise.data.value) for pair in pairs]
    parts = np.array([part for part in parts if not np.isnan(part[0])]).reshape(-1, 2)
    of_total = parts[:, 0] / parts.sum(axis=1)
    first, second = np.array([pair.rounded for pair in pairs]).T <= 0.05
    clustered = scores.clusters is not None
    quantiles = (("q05", 0.05), ("median", 0.5), ("q95", 0.95))
    return {
        ("pairs",): counts.family,
        ("ea_sig05",): first.sum(),
        ("ea_sig05_swapped",): second.sum(),
        ("ea_asymmetric",): sum(abs(one - other) > 1e-12 for one, other in (pair.rounded for pair in pairs)),
        ("t_sig05",): counts.uncorrected,
        ("holm05",): counts.holm,
        ("bh05",): counts.benjamini_hochberg,
        ("pairs_with_components",): len(parts),
        **(
            {("share_pred_of_total", key): np.quantile(of_total, level) for key, level in quantiles}
            if len(parts)
            else {}
        ),
        **({} if len(parts) else {("share_pred_of_total",): None}),
        ("neg_var_data",): (parts[:, 1] < 0).sum(),
        ("pred_gt_data",): (parts[:, 0] > parts[:, 1]).sum(),
        ("median_se_single",): np.median([pair.plain.noise.se_total for pair in pairs]),
        ("median_se_at_K",): np.median([pair.plain.se for pair in pairs]),
        ("median_se_unpaired",): np.median([pair.unpaired.se for pair in pairs]),
        ("median_deff",): np.median([(pair.crude.se / pair.plain.se) ** 2 for pair in pairs]) if clustered else None,
        ("cluster_sig05",): sum(pair.p_crude <= 0.05 for pair in pairs) if clustered else None,
        ("no_solve",): stats.question_difficulty(scores).counts[stats.Band.NEVER],
        ("all_solve",): stats.question_difficulty(scores).counts[stats.Band.ALWAYS],
        ("tau_neg",): (stats.item_quality(scores).tau_with_itself < 0).sum(),
    }
