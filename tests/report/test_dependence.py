"""What is known of dependence is in every number and sentence: declared, else inferred, else said to be absent."""

import io
import json
import re

import msgspec
import numpy as np
import pytest
from report_studies import study, task, trial
from rich.console import Console
from shared_evaluations import evaluation_study

from honestly.comparisons import comparison
from honestly.errors import FormatError, StatisticsError
from honestly.leaderboards import leaderboard, render_html, study_report
from honestly.records import Outcome, Tags
from honestly.scores import DEFAULT_POLICY, Declared, study_scores
from honestly.stats import Scores, compare, compare_all, score_all

pytestmark = pytest.mark.slow

ALPHA = 0.05


def families(path, seed, *, agents=4, samples=None):
    """A study whose tasks come in families of any size and correlation, weighted or not; trials are missing, scores tie."""
    rng = np.random.default_rng(seed)
    samples = samples or int(rng.choice([1, 5]))
    sizes = rng.integers(1, int(rng.choice([2, 4, 12])), rng.integers(3, 30))
    shared = rng.choice([0.0, 0.1, 0.3])
    names = [f"agent-{i}" for i in range(agents)]
    tasks, trials = [], []
    ability = 0.5 + rng.choice([0.0, 0.1, 0.3]) * rng.uniform(-1, 1, agents)
    for family, size in enumerate(sizes.tolist()):
        luck = rng.normal(0, shared, agents)
        for i in range(size):
            name = f"task-{family}-{i}"
            weight = float(rng.integers(1, 4)) if seed % 4 == 3 else 1.0
            tasks.append(task(name, cluster=f"family {family}", weight=weight))
            chance = np.clip(ability + luck + rng.normal(0, 0.2), 0, 1)
            for a, agent in enumerate(names):
                for k in range(samples):
                    if rng.random() > 0.03:
                        won = rng.random() < chance[a]
                        trials.append(trial(agent, name, k, Outcome.PASSED if won else Outcome.FAILED))
    return study(path, names, tasks, trials, samples=samples)


CONDITION = "if rare large differences can be excluded"


def plain(report):
    return json.loads(msgspec.json.encode(report.to_plain()))


def said_of_pairs(text):
    """What a page says of all pairs: how many there are, and how many differ after Holm, and alone."""
    more = r"(?: and \d+ more if rare large differences can be excluded)?"
    said = rf"Of (\d+) pairs?, (\d+) differs? after correcting for all{more}, (\d+) without the correction"
    found = re.findall(said, text)
    return [tuple(map(int, each)) for each in found]


def shown(report):
    console = Console(width=400, file=io.StringIO())
    console.print(report)
    return console.file.getvalue()


@pytest.mark.parametrize("seed", [*range(20), 174, 186, 190, 310])
def test_no_sentence_says_more_than_the_strictest_of_the_numbers_beside_it(tmp_path, seed):
    made = families(tmp_path / "x", seed)
    report = study_report(made)
    board = plain(report)
    pairs = board["pairs"]
    counts = [sum(pair[p] is not None and pair[p] <= ALPHA for pair in pairs) for p in ("p_holm", "p_value")]
    for page in (board["sentence"], shown(report), re.sub(r"\s+", " ", render_html(report.board))):
        assert said_of_pairs(page) in ([(len(pairs), *counts)], [])
        assert "after Holm" not in " ".join(board["warnings"])
    assert said_of_pairs(board["sentence"]) == [(len(pairs), *counts)]

    first, second = (row["name"] for row in board["agents"][:2])
    top = next(pair for pair in pairs if {pair["a"], pair["b"]} == {first, second})
    claims = {": more than chance (": "p_value", "also after correcting for all pairs": "p_holm"}
    for words, p in claims.items():
        assert words not in board["sentence"] or (top[p] is not None and top[p] <= ALPHA)
    if top["p_value"] is None:
        assert "cannot be estimated" in board["sentence"] or "share the lead" in board["sentence"]
    elif top["p_value"] > ALPHA and "share the lead" not in board["sentence"]:
        said = ("cannot tell the two apart", ", are equal", CONDITION)
        assert any(words in board["sentence"] for words in said)

    better = {row["name"]: 0 for row in board["agents"]}
    for pair in pairs:
        if pair["p_holm"] is not None and pair["p_holm"] <= ALPHA:
            better[pair["b"] if pair["difference"] > 0 else pair["a"]] += 1
    assert all(row["rank_interval"][0] == 1 + better[row["name"]] for row in board["agents"])

    for pair in pairs[:3]:
        two = plain(comparison(made, pair["a"], pair["b"]))
        ahead = "is ahead" in two["verdict"]
        if None in {two["p_value"], pair["p_value"], two["independent"]["p_value"]}:
            assert two["p_value"] == pair["p_value"]
            assert not ahead
            continue
        assert two["p_value"] == pytest.approx(pair["p_value"], rel=1e-9)
        assert two["independent"]["p_value"] == pytest.approx(pair["independent"]["p_value"], rel=1e-9)
        conditional = CONDITION in two["verdict"]
        assert ahead == (two["claim"]["shown"] != "cannot tell" and two["difference"] != 0)
        assert conditional == (two["claim"]["shown"] == f"shown {CONDITION}" and two["difference"] != 0)
        assert ahead or two["p_value"] > ALPHA or two["difference"] == 0
        assert not ahead or conditional or two["interval"][0] * two["interval"][1] > 0 or two["robust"] is None
        assert ahead == ("cannot tell" not in two["sentence"] and "same score" not in two["sentence"])
        alone = two["independent"]["p_value"]
        assert conditional or ("if tasks were independent" in two["sentence"]) == (
            (alone <= ALPHA) != (two["p_value"] <= ALPHA)
        )


@pytest.mark.parametrize("name", ["swebench_bash_only_4models", "interactive_swe"])
def test_what_takes_questions_as_independent_equals_the_statistics_alone(tmp_path, name):
    made, path = evaluation_study(tmp_path / "x", name)
    board = leaderboard(made, declared=Declared(clusters={t.id: t.id[:8] for t in made.tasks()}))
    resolved = Scores.from_eval_arena(path).resolve(DEFAULT_POLICY).ignoring_clusters()
    rows = {row.name: row for row in board.agents}
    for estimate in score_all(resolved):
        row = rows[estimate.agent]
        assert row.independent.se == pytest.approx(estimate.se, rel=1e-9)
        assert row.independent.interval == pytest.approx(estimate.interval, rel=1e-9)
        assert row.se != pytest.approx(estimate.se, rel=1e-3)
    pairs = compare_all(resolved)
    low, high = pairs.headline_interval()
    for pair in board.pairs:
        i, j = resolved.row(pair.a), resolved.row(pair.b)
        assert pair.independent.se == pytest.approx(pairs.se[i, j], rel=1e-9)
        assert pair.independent.p_value == pytest.approx(pairs.p_value[i, j], rel=1e-9, abs=1e-300)
        assert pair.independent.interval == pytest.approx((low[i, j], high[i, j]), rel=1e-9)


def test_the_report_on_swebench_does_not_contradict_itself(tmp_path):
    made, _ = evaluation_study(tmp_path / "x", "swebench_bash_only_4models")
    board = leaderboard(made)
    assert (board.clusters.count, round(board.clusters.effective, 1)) == (12, 3.9)
    assert (board.significance.uncorrected, board.significance.holm) == (0, 0)
    # 3.9 clusters cannot exclude one that is otherwise: Student's t finds three pairs, which the word says.
    assert sum(CONDITION in pair.verdict for pair in board.pairs) == 3
    assert CONDITION in board.sentence
    counts = "0 differ after correcting for all, 0 without the correction and 3 more if rare large differences can be"
    assert counts in board.sentence
    assert not any("Holm" in warning for warning in board.warnings)
    assert any("too few for a certain error bar" in warning for warning in board.warnings)
    report = comparison(made, "gpt-5-mini", "sonnet-4-5")
    expected = compare(study_scores(made).resolve(DEFAULT_POLICY), "gpt-5-mini", "sonnet-4-5")
    assert (report.se, report.interval, report.p_value) == (expected.se, expected.interval, expected.p_value)


def test_clusters_of_one_question_change_nothing(tmp_path):
    names = ["a", "b"]
    trials = [trial(n, f"t{i}", k, Outcome.PASSED if (i * k + len(n)) % 3 else Outcome.FAILED)
              for n in names for i in range(12) for k in range(2)]  # fmt: skip
    bare = study(tmp_path / "bare", names, [task(f"t{i}") for i in range(12)], trials)
    each = study(tmp_path / "each", names, [task(f"t{i}", cluster=f"c{i}") for i in range(12)], trials)
    one, other = plain(leaderboard(bare)), plain(leaderboard(each))
    assert (one["agents"], one["pairs"], one["clusters"]) == (other["agents"], other["pairs"], None)
    assert "no clusters are declared" in shown(study_report(bare))
    assert "independent of each other, as the tasks declare" in shown(study_report(each))


def test_what_is_declared_counts_before_what_ids_show(tmp_path):
    names = ["a", "b"]
    ids = [f"org__repo{r}-{i}" for r in range(4) for i in range(4)]
    trials = [trial(n, t, 0, Outcome.PASSED if (j + len(n) * k) % 3 else Outcome.FAILED)
              for k, n in enumerate(names) for j, t in enumerate(ids)]  # fmt: skip
    bare = study(tmp_path / "bare", names, [task(t) for t in ids], trials)
    tagged = study(tmp_path / "tagged", names, [task(t, cluster=t[-1]) for t in ids], trials)
    assert study_scores(bare).clusters == tuple(t[:-2] for t in ids)
    assert len(set(study_scores(tagged).clusters)) == 4
    assert "as the tasks declare" in study_scores(tagged).notes[-1]
    assert study_scores(tagged, Declared(clusters="none")).clusters is None
    by_hand = {t: "one" if i < 8 else t for i, t in enumerate(ids)}
    assert study_scores(tagged, Declared(clusters=by_hand)).clusters == tuple(by_hand.values())
    assert len(set(study_scores(tagged, Declared(clusters="difficulty")).clusters)) == 1
    with pytest.raises(StatisticsError, match="no cluster is given for 15 of 16 tasks"):
        study_scores(bare, Declared(clusters={ids[0]: "x"}))
    with pytest.raises(StatisticsError, match="no task of the study has a tag 'language'"):
        study_scores(bare, Declared(clusters="language"))


def test_weights_are_in_every_score(tmp_path):
    names, ids = ["a", "b"], ["t0", "t1", "t2", "t3"]
    won = {"a": (1, 0, 0, 1), "b": (0, 1, 1, 1)}
    trials = [trial(n, t, 0, Outcome.PASSED if won[n][j] else Outcome.FAILED) for n in names for j, t in enumerate(ids)]
    tasks = [task(t, weight=w) for t, w in zip(ids, (7.0, 1.0, 1.0, 1.0), strict=True)]
    made = study(tmp_path / "x", names, tasks, trials)
    scores = {row.name: row.honest for row in leaderboard(made).agents}
    assert scores == pytest.approx({"a": 0.8, "b": 0.3})
    report = comparison(made, "a", "b")
    assert (report.score_a, report.score_b, report.difference) == pytest.approx((0.8, 0.3, 0.5))
    assert "weigh 1.00 to 7.00 in every score, as the tasks declare" in shown(study_report(made))
    equal = leaderboard(made, declared=Declared(weights="none"))
    assert {row.name: row.honest for row in equal.agents} == pytest.approx({"a": 0.5, "b": 0.75})


def test_tags_of_old_tasks_keep_their_hash():
    assert task("t").hash == msgspec.json.decode(msgspec.json.encode(task("t")), type=type(task("t"))).hash
    assert msgspec.json.encode(Tags(category="repair")) == b'{"category":"repair"}'


def test_clusters_and_weights_are_read_from_files_as_a_command_line_names_them(tmp_path):
    csv, mapping = tmp_path / "c.csv", tmp_path / "c.json"
    csv.write_text("question,cluster,weight\nt0,x,1\nt1,x,2.5\n")
    mapping.write_text('{\n "t0": "x",\n "t1": "x"\n}')
    assert Declared.from_options(str(csv), str(csv)) == Declared({"t0": "x", "t1": "x"}, {"t0": 1.0, "t1": 2.5})
    assert Declared.from_options(str(mapping)) == Declared({"t0": "x", "t1": "x"})
    assert Declared.from_options("tag:language", "tag:weight") == Declared("language")
    assert Declared.from_options("none", "none") == Declared("none", "none")
    with pytest.raises(FormatError, match=r"there is no file or tag 'nowhere\.csv'"):
        Declared.from_options("nowhere.csv")
    csv.write_text("question,cluster\nt0,x\nt0,y\n")
    with pytest.raises(FormatError, match=r"c\.csv:3: t0 has the cluster x in a row above, and y"):
        Declared.from_options(str(csv))
    csv.write_text("question,weight\nt0,heavy\n")
    with pytest.raises(FormatError, match="the weight of t0 is 'heavy'"):
        Declared.from_options("", str(csv))
    with pytest.raises(FormatError, match="expected the columns question and cluster; found question, weight"):
        Declared.from_options(str(csv))
