"""Recipes: which claims hold by the intervals over seeds, resumed runs, pages, and what each reward is."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.errors import HonestlyError
from honestly.recipes import RECIPES, ArmResult, Recipe, RecipeClaim, recipe_report, run_recipe, write_pages
from honestly.recipes._asking_played import played_episodes, read_words, twin_task
from honestly.recipes._asking_twins import (
    ALWAYS,
    FISHING,
    NEVER,
    ORACLE,
    TRAINED,
    Tasks,
    drawn_twins,
    episode_rewards,
    play_episodes,
)
from honestly.recipes._hacklab import write_flagged
from honestly.recipes._levers import NO_LEVER, PAID_HIDDEN, UNSEEN, VETO, arm_payments
from honestly.recipes._selfplay import guide_reward, solve_plateau, solve_reward
from honestly.recipes._spikes import BATCH, EXPERTS, batch_gradients, first_weights
from honestly.recipes._ssd import (
    OPS,
    SIZE,
    TOY,
    TOY_TAUGHT,
    WORDS,
    Decoder,
    Model,
    best_decoder,
    closed_form,
    peoples_programs,
    sampled_programs,
)
from honestly.store import open_study


def made(values: dict[str, list[float]], *claims: RecipeClaim) -> tuple[Recipe, list[ArmResult]]:
    """A recipe whose arms have these mean scores, by seed, over ten problems each."""
    recipe = Recipe(
        name="made", title="Made", source="nobody", metric="share", arms=tuple(values), claims=claims, unsaid=("all",),
        run=lambda arm, seed, quick: ({f"p{at}": float(at < 10 * values[arm][seed]) for at in range(10)}, {"m": 1.0, "n": 50.0}),
    )  # fmt: skip
    return recipe, []


def test_a_claim_holds_where_its_interval_over_seeds_excludes_zero(tmp_path):
    recipe, _ = made(
        {"a": [0.9, 0.8, 0.9, 0.8, 0.9], "b": [0.1, 0.2, 0.1, 0.1, 0.2], "c": [0.1, 0.2, 0.2, 0.2, 0.1]},
        RecipeClaim("a beats b", "a", "b"), RecipeClaim("b beats a", "b", "a"), RecipeClaim("b beats c", "b", "c"),
        RecipeClaim("b is like c", "b", "c", within=0.2), RecipeClaim("a has a large m", "a", 0.5, "m", counted="n"),
        RecipeClaim("m without a count", "a", 0.5, "m"),
    )  # fmt: skip
    report = recipe_report(recipe, run_recipe(recipe, tmp_path, range(5)))
    held = {claim.text: claim.holds for claim in report.claims}
    assert held == {
        "a beats b": True, "b beats a": False, "b beats c": False, "b is like c": True, "a has a large m": True,
        "m without a count": False,
    }  # fmt: skip
    for claim in report.claims[:3]:
        assert (claim.p_holm <= 0.05) == (claim.low > 0 or claim.high < 0)
    assert report.claims[1].why == "the opposite is seen"
    plain = report.to_plain()
    assert [set(arm) for arm in plain["arms"]] == [{"name", "seeds", "value", "low", "high"}] * 3
    assert all({"text", "holds"} <= set(claim) for claim in plain["claims"])


def test_one_seed_has_no_interval_and_claims_nothing(tmp_path):
    recipe, _ = made({"a": [1.0], "b": [0.0]}, RecipeClaim("a beats b", "a", "b"))
    report = recipe_report(recipe, run_recipe(recipe, tmp_path, [0]))
    assert not report.claims[0].holds
    assert math.isnan(report.arms[0].low)


@pytest.mark.slow
def test_false_claims_are_rare_when_all_are_counted():
    rng = np.random.default_rng(3)
    false, studies = 0, 200
    claims = tuple(RecipeClaim(f"{arm} beats base", arm, "base") for arm in "abc")
    for _ in range(studies):
        values = {arm: rng.normal(0.5, 0.05, 5) for arm in ("base", "a", "b", "c")}
        recipe, _ = made({arm: [0.0] for arm in values}, *claims)
        rows = [
            ArmResult(recipe="made", arm=arm, seed=seed, quick=False, scores={"p": float(value)}, measures={})
            for arm, each in values.items() for seed, value in enumerate(each)
        ]  # fmt: skip
        false += any(claim.holds for claim in recipe_report(recipe, rows).claims)
    assert false / studies <= 0.06


def test_a_page_gives_numpys_numbers_and_a_study_in_which_more_is_better(tmp_path):
    recipe = Recipe(
        name="made", title="Made", source="nobody", metric="share hacked", arms=("a", "b"), claims=(), unsaid=(),
        run=lambda arm, seed, quick: ({"p": np.float64(arm == "a")}, {"m": np.float64(0.5)}), lower_is_better=True,
    )  # fmt: skip
    results = run_recipe(recipe, tmp_path / "r", range(2))
    page, *_, table = write_pages(recipe_report(recipe, results), results, tmp_path, lower_is_better=True)
    assert "1 minus those of this page" in page.read_text()
    scores = {line.split(",")[0]: line.split(",")[2] for line in table.read_text().splitlines()[1:]}
    assert scores == {"a": "0", "b": "1"}


def test_a_stopped_run_goes_on_and_makes_nothing_twice(tmp_path):
    calls = []
    recipe, _ = made({"a": [0.5] * 3, "b": [0.5] * 3})

    def run(arm, seed, quick):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append((arm, seed))
        return {"p": 1.0}, {}

    stopping = Recipe(**{name: getattr(recipe, name) for name in recipe.__slots__} | {"run": run})
    with pytest.raises(KeyboardInterrupt):
        run_recipe(stopping, tmp_path, range(3))
    calls[3:] = []
    again = []
    going = Recipe(
        **{name: getattr(recipe, name) for name in recipe.__slots__}
        | {"run": lambda arm, seed, quick: (again.append((arm, seed)), ({"p": 1.0}, {}))[1]}
    )
    assert len(run_recipe(going, tmp_path, range(3))) == 6
    assert len(calls) == 3
    assert set(again).isdisjoint(calls)
    other = Recipe(**{name: getattr(recipe, name) for name in recipe.__slots__} | {"name": "other"})
    with pytest.raises(HonestlyError, match="contains results of made"):
        run_recipe(other, tmp_path, range(3))
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "made.honestly").touch()
    with pytest.raises(HonestlyError, match="contains other files"):
        run_recipe(recipe, tmp_path / "theirs", range(3))


def test_the_rewards_of_guided_self_play():
    rates = np.array([0.0, 0.125, 0.25, 0.5, 0.875, 1.0])
    assert solve_reward(rates).tolist() == [
        0,
        0.875,
        0.75,
        0.5,
        0,
        0,
    ]  # the 70th percentile of the middle four is 0.5375
    assert guide_reward(np.array([5.0, 5.0, 0.0]), np.array([0.0, 3.0, 2.0]), np.array([0.0, 0.0, 1.0])).tolist() == [
        8,
        0,
        0,
    ]
    steps = np.arange(1, 301)
    assert solve_plateau(0.1 + 0.6 / (1 + (40 / steps) ** 2)) == pytest.approx(0.7, abs=0.02)


def test_self_distillation_in_closed_form():
    rng = np.random.default_rng(1)
    base = rng.dirichlet(np.full(12, 0.5), 50)
    assert Decoder()(base) == pytest.approx(base)  # T 1 with nothing cut teaches what is known: the fixed point
    taught = Decoder(1.6)(base)
    assert Decoder(0.7)(taught) == pytest.approx(Decoder(1.6 * 0.7)(base))  # temperatures multiply
    cut = Decoder(1.6, min_p=0.2)(base)
    at_base = Decoder(1.6 * 0.7, min_p=0.2**1.6, before=True)(base)
    assert Decoder(0.7)(cut) == pytest.approx(at_base)  # what is learned is truncation before tempering
    kept = Decoder(1.0, top_p=0.8)(base)
    assert (np.where(kept > 0, base, 0).sum(axis=1) >= 0.8 - 1e-9).all()


def test_the_toy_system_of_self_distillation_gives_the_published_numbers():
    """Appendix C.4 of arXiv:2604.01193: entropies, what SSD leaves, best success and temperature, gaps over top-p."""
    entropy = {name: -(each * np.log2(each)).sum() for name, each in TOY.items()}
    assert (round(entropy["lock"], 2), round(entropy["fork"], 2)) == (1.61, 2.81)
    assert TOY_TAUGHT["lock"][:3].round(3).tolist() == [0.948, 0.052, 0.0]
    assert TOY_TAUGHT["fork"][:2].round(3) == pytest.approx([0.169, 0.344], abs=0.0011)
    assert [(each > 0).sum() for each in TOY_TAUGHT.values()] == [4, 5, 2]
    assert TOY_TAUGHT["root"].max() == pytest.approx(0.406, abs=5e-4)
    found, fixed = closed_form(), "toy, best T at top-p 0.8"
    assert (round(100 * found["base"][fixed], 2), round(found["base"]["toy, that T"], 2)) == (8.32, 0.64)
    assert (round(100 * found["SSD"][fixed], 2), round(found["SSD"]["toy, that T"], 2)) == (13.76, 2.09)
    heats = np.linspace(0.05, 2.5, 300)
    gaps = []
    for top_p in (0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        decoders = [Decoder(t, top_p=top_p) for t in heats]
        gaps.append(100 * (best_decoder(TOY_TAUGHT, decoders)[0] - best_decoder(TOY, decoders)[0]))
    assert (round(min(gaps), 1), round(max(gaps), 1)) == (1.4, 5.4)
    # What the paper does not try: the base model, free to truncate before it tempers, does without SSD.
    free = {arm: round(100 * each["toy, best truncate-then-temper"], 1) for arm, each in found.items()}
    assert free == {"base": 25.5, "SSD": 24.7}


def test_programs_pass_where_an_interpreter_says_so():
    class Perfect:
        def chances(self, x):
            value, target = x[:, 3 : 3 + SIZE].argmax(axis=1), x[:, 3 + SIZE : 3 + 2 * SIZE].argmax(axis=1)
            gap, end = (target - value) % SIZE, OPS
            digit = np.minimum(gap, 9)
            said = np.where(gap == 0, end, 0)
            said = np.where(x[:, 1] == 1, OPS + digit, said)
            said = np.where(
                x[:, 2] == 1, OPS + 10 + (value + x[:, 3 + 2 * SIZE + OPS + 1 :][:, :10].argmax(axis=1)) % SIZE, said
            )
            return np.eye(WORDS)[said]

    first, last = np.divmod(np.arange(SIZE * SIZE), SIZE)
    found = sampled_programs(Perfect(), (first, last), Decoder(), np.random.default_rng(0))
    assert found.passed.all()
    x, words = peoples_programs(np.random.default_rng(0), 200)
    values = x[:, 2] == 1
    assert (words[values] >= OPS + 10).all()
    assert not sampled_programs(
        Model(np.random.default_rng(0)), (first, last), Decoder(), np.random.default_rng(0)
    ).passed.all()


def test_what_questions_earn():
    rng = np.random.default_rng(0)
    tasks = drawn_twins(rng, 200)
    earned = {
        name: episode_rewards(play_episodes(tasks, name, rng), TRAINED).mean()
        for name in (ALWAYS, NEVER, FISHING, ORACLE)
    }
    assert earned[ORACLE] == pytest.approx(1 + 0.05 / 2)  # half of the twins are vague
    assert earned[ORACLE] > earned[NEVER] > earned[FISHING] > earned[ALWAYS]
    found = play_episodes(tasks, ORACLE, rng)
    assert (found["low"] == tasks.missing_slots.sum(axis=1)).all()
    assert not found["medium"].any()
    assert not found["high"].any()


def test_a_vague_twin_leaves_out_what_its_facts_say_and_nothing_else():
    tasks = drawn_twins(np.random.default_rng(0), 50)
    for wanted, words in zip(tasks.wanted.tolist(), tasks.words.tolist(), strict=True):
        task, table = twin_task("t", wanted, words, [1, 2])
        prompt = table.instruction([fact.name for fact in table.facts])
        assert read_words(prompt) == words
        assert all(fact.says in task.instruction and fact.says not in prompt for fact in table.facts)
        assert len(table.facts) == sum(word >= 8 for word in words[:3])


def test_in_the_environment_who_asks_where_something_is_missing_passes_and_who_does_not_seldom_does():
    tasks = drawn_twins(np.random.default_rng(1), 4)
    found = {name: played_episodes(tasks, name, np.random.default_rng(2)) for name in (ORACLE, NEVER)}
    assert all(each.passed and each.told == each.facts == each.questions for each in found[ORACLE])
    assert [each.passed for each in found[NEVER][::2]] == [True] * 4
    assert sum(each.passed for each in found[NEVER][1::2]) < 4
    fishing = played_episodes(Tasks(tasks.wanted[:2], tasks.words[:2]), FISHING, np.random.default_rng(2))
    assert [(each.told, each.questions) for each in fishing] == [(0, 1)] * 2


@pytest.mark.slow
def test_the_command_writes_a_page_and_a_study(tmp_path):
    runner = CliRunner()
    words = ["recipe", "selfplay", "--quick", "--seeds", "2", "-o", str(tmp_path / "r")]
    done = runner.invoke(cli, [*words, "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["arms"][0].keys() == {"name", "seeds", "value", "low", "high"}
    page = (tmp_path / "r" / "recipe.md").read_text()
    assert "nothing may be claimed" in page
    assert all(claim["text"] in page for claim in answer["claims"])
    assert "<h2>Claims</h2>" in (tmp_path / "r" / "recipe.html").read_text()
    again = runner.invoke(cli, [*words, "--json"])
    assert json.loads(again.stdout) == answer
    report = runner.invoke(cli, ["report", str(tmp_path / "r" / "selfplay.honestly"), "--json"])
    ranked = {each["name"]: each["honest"] for each in json.loads(report.stdout)["agents"]}
    assert ranked == {arm["name"]: pytest.approx(arm["value"]) for arm in answer["arms"]}
    assert runner.invoke(cli, ["recipe", "nobody"]).exit_code != 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.needs])
def test_each_recipe_runs_quickly_and_says_the_same_twice(tmp_path, name):
    recipe = RECIPES[name]
    first, second = (run_recipe(recipe, tmp_path / part, range(1), quick=True) for part in "ab")
    assert first == second
    assert {row.arm for row in first} == set(recipe.arms)


@pytest.mark.slow
def test_levers_are_paid_as_the_environment_really_pays():
    """Hacks pass the visible tests of their kind of task alone; each lever takes away what it says."""
    hacks = {("table", "table"), ("equal", "equal")}
    earned = {
        arm: {cell for cell, (reward, _) in arm_payments(arm).items() if reward}
        for arm in (NO_LEVER, UNSEEN, PAID_HIDDEN, VETO)
    }
    honest = {(task, "right") for task in ("none", "table", "equal")}
    assert earned == {
        NO_LEVER: honest | hacks, UNSEEN: honest | {("equal", "equal")}, PAID_HIDDEN: honest, VETO: honest | {("table", "table")},
    }  # fmt: skip
    assert {cell for cell, (_, alone) in arm_payments(PAID_HIDDEN).items() if alone} == hacks


def test_slopes_of_the_mixture_of_experts_are_those_of_finite_differences():
    rng = np.random.default_rng(0)
    weights, bias = first_weights(rng), np.zeros(EXPERTS)
    words = rng.integers(0, 11, (BATCH, 2)) + np.array([0, 11])
    right = rng.integers(0, 11, BATCH)
    for clamp in (0.0, 0.7):
        found = batch_gradients(weights, words, right, bias, clamp=clamp)[1]
        for at, each in enumerate(weights):
            place = tuple(rng.integers(0, size) for size in each.shape) if at else (int(words[0, 0]), 3)
            kept, ends = each[place], []
            for moved in (1e-6, -1e-6):
                each[place] = kept + moved
                ends.append(batch_gradients(weights, words, right, bias, clamp=clamp)[0])
            each[place] = kept
            assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(found[at][place], abs=1e-7)


@pytest.mark.slow
def test_what_the_monitor_flags_is_a_study_for_the_audit(tmp_path):
    write_flagged(tmp_path / "f.honestly", 0, False)
    with open_study(tmp_path / "f.honestly") as study:
        trials = list(study.trials())
        assert len(trials) > 50
        hacks = sum(trial.verdict.visible.passed and not trial.verdict.hidden.passed for trial in trials)
        assert hacks > 0.9 * len(trials)
        steps = study.trajectory(trials[0].id).steps
    assert [step.source for step in steps] == ["user", "agent"]
    assert CliRunner().invoke(cli, ["audit", str(tmp_path / "f.honestly"), "--json"]).exit_code == 0
