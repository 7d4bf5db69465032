"""Runs of GEPA and of OpenEvolve: what their files show, and files that are not what they should be."""

import json
import pickle
import random
from contextlib import suppress

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings, strategies as st

from honestly.cli import cli
from honestly.errors import FormatError
from honestly.improve import proof_report, read_claims

BASE = {"prompt": "level 0.4"}


def proved(path, kind):
    (found,) = proof_report(read_claims(path, kind)).claims
    return found


def gepa_run(folder, seed, **more):
    """A real run in which every change is noise: the scores of all candidates have one law."""
    gepa = pytest.importorskip("gepa", reason="the extra gepa is not installed")
    rng = random.Random(seed)

    class Adapter:
        propose_new_texts = None

        def evaluate(self, batch, candidate, capture_traces=False):
            scores = [float(rng.random() < 0.5) for _ in batch]
            return gepa.EvaluationBatch(outputs=[object() for _ in batch], scores=scores, trajectories=scores)

        def make_reflective_dataset(self, candidate, eval_batch, components_to_update):
            return {name: [{"Feedback": "more"}] for name in components_to_update}

    return gepa.optimize(
        BASE, trainset=list(range(9)), valset=list(range(20)), adapter=Adapter(), max_metric_calls=250, seed=seed,
        reflection_lm=lambda _: f"```\nlevel {rng.random()}\n```", run_dir=str(folder), track_best_outputs=False, **more,
    )  # fmt: skip


@pytest.mark.parametrize("cached", [False, True])
def test_a_run_of_gepa_that_chose_noise_proves_nothing(tmp_path, cached):
    told = gepa_run(tmp_path / "run", 1, cache_evaluation=cached)
    (claim,) = read_claims(tmp_path / "run", "gepa")
    assert claim.best == f"candidate {told.best_idx}"
    assert claim.kept == told.num_candidates - 1 > 2
    assert claim.candidates >= claim.kept
    assert claim.selected.score == pytest.approx(told.val_aggregate_scores[told.best_idx])
    assert claim.baseline.tasks == {str(key): score for key, score in told.val_subscores[0].items()}
    found = proved(tmp_path / "run", "gepa")
    assert (found.verdict, found.n, found.paired, found.fresh) == ("not measured again", 20, True, None)
    assert "the winner measured again, after it was chosen" in found.missing
    answer = CliRunner().invoke(cli, ["improve", "prove", str(tmp_path / "run"), "--from", "gepa"])
    assert "the luck of the choice" in " ".join(answer.stdout.split())


def state(folder, pool, **more):
    folder.mkdir(exist_ok=True)
    (folder / "gepa_state.bin").write_bytes(pickle.dumps({"prog_candidate_val_subscores": pool, **more}))
    return folder


def test_other_states_of_gepa(tmp_path):
    (old,) = read_claims(state(tmp_path / "a", [[0.0, 1.0], [1.0, 1.0]]), "gepa")
    assert (old.best, old.selected.tasks) == ("candidate 1", {"0": 1.0, "1": 1.0})
    none = proved(state(tmp_path / "b", [{0: 0.5, 1: 0.5}, {0: 0.5, 1: 0.5}]), "gepa")
    assert none.verdict == "nothing was kept"
    own = proved(
        state(tmp_path / "c", [{0: -7.0}, {0: -3.5}], full_program_trace=[{"new_subsample_scores": [1]}] * 4), "gepa"
    )
    assert (own.verdict, own.baseline, own.best, own.p_value, own.candidates) == (
        "not measured again",
        -7.0,
        -3.5,
        None,
        4,
    )
    assert "-7 at the start, -3.5 at the end" in own.sentence


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ([], "no candidates"), ([{}], "has no scores"), ([[0.0], [None]], "expected a number"), ([{0: 1e308, 1: 1e308}], "expected"),
        ([{0: float("nan")}], "expected a number"), ("scores", "no candidates"), ([{0: True}], "expected a number"), ([3], "has no scores"),
        ([{0: 1 << 50_000}], "expected a number"), ([["a"]], "expected a number"), (["ab"], "expected a number"),
    ],
)  # fmt: skip
def test_a_state_that_is_none_is_refused(tmp_path, pool, words):
    with pytest.raises(FormatError, match=words):
        read_claims(state(tmp_path / "x", pool), "gepa")


def test_a_state_that_would_run_something_is_read_and_not_run(tmp_path):
    class Hostile:
        def __reduce__(self):
            return open, (str(tmp_path / "made"), "w")

    run = state(tmp_path / "x", [{0: 0.0}, {0: 1.0}], adapter_state=Hostile())
    assert proved(run, "gepa").best == 1.0
    with pytest.raises(FormatError, match="no candidates"):
        read_claims(state(tmp_path / "y", Hostile()), "gepa")
    assert not (tmp_path / "made").exists()


def evolved(folder, **more):
    """What OpenEvolve 0.4.1 writes: two checkpoints, and the best of the run."""
    programs = [
        {"id": "a" * 8, "parent_id": None, "generation": 0, "iteration_found": 0, "metrics": {"combined_score": 0.4, "level": 4.0}},
        {"id": "b" * 8, "parent_id": "a" * 8, "generation": 1, "iteration_found": 2, "metrics": {"combined_score": 0.7, "level": 5.0},
         "metadata": {"changes": "Full rewrite", "parent_metrics": {"combined_score": 0.4, "level": 4.0}, "island": 0}},
        {"id": "c" * 8, "parent_id": "b" * 8, "generation": 2, "iteration_found": 9, "metrics": {"combined_score": 1.25, "level": 7.0}},
    ]  # fmt: skip
    head = {
        "islands": [["a" * 8]],
        "best_program_id": "c" * 8,
        "last_iteration": 10,
        "feature_stats": {"complexity": {"min": 1}},
    }
    best = {"id": "c" * 8, "generation": 2, "iteration": 9, "metrics": {"combined_score": 1.25, "level": 7.0}}
    files = {f"checkpoints/checkpoint_10/programs/{each['id']}.json": each for each in programs}
    files |= {"checkpoints/checkpoint_9/programs/x.json": {"id": "x"}, "checkpoints/checkpoint_10/metadata.json": head}
    files |= {"best/best_program_info.json": best, "checkpoints/checkpoint_10/best_program_info.json": best}
    for name, content in {**files, **more}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_a_run_of_openevolve_is_two_numbers(tmp_path):
    run = evolved(tmp_path / "out")
    for place in (run, run / "checkpoints" / "checkpoint_10"):
        found = proved(place, "openevolve")
        assert (found.verdict, found.baseline, found.best, found.candidates) == ("not measured again", 0.4, 1.25, 10)
        assert found.p_value is None
        assert "the start measured several times, which says how much of a score is noise" in found.missing
    keys = "baseline best difference se interval p_value verdict selected fresh n best_of_n tampering flagged"
    answer = CliRunner().invoke(cli, ["improve", "prove", str(run), "--from", "openevolve", "--json"])
    assert set(keys.split()) <= set(json.loads(answer.stdout))


def test_a_start_that_left_the_population_is_known_by_its_children(tmp_path):
    run = evolved(tmp_path / "out")
    (run / "checkpoints" / "checkpoint_10" / "programs" / f"{'a' * 8}.json").unlink()
    assert proved(run, "openevolve").baseline == 0.4
    (run / "checkpoints" / "checkpoint_10" / "programs" / f"{'b' * 8}.json").unlink()
    with pytest.raises(FormatError, match="no longer in the population"):
        read_claims(run, "openevolve")


def test_scores_are_those_by_which_openevolve_chooses(tmp_path):
    def scored(metrics):
        best = {"id": "c" * 8, "generation": 2, "metrics": metrics}
        return proved(evolved(tmp_path / "out", **{"best/best_program_info.json": best}), "openevolve")

    assert scored({"a": 1, "b": 2.0, "complexity": 90, "ok": True, "note": "x"}).best == 1.5
    assert scored({"complexity": 90}).best == 90
    late = scored({"error": 0.0, "timeout": True})
    assert late.best == 0.0
    assert "an evaluation of the winner that did not end with timeout" in late.missing
    for metrics in ({}, {"ok": True}, {"combined_score": "high"}, {"combined_score": float("inf")}, {"a": 1 << 2000}):
        with pytest.raises(FormatError):
            scored(metrics)


def test_the_start_as_the_best_claims_nothing(tmp_path):
    best = {"id": "a" * 8, "generation": 0, "metrics": {"combined_score": 0.4}}
    assert (
        proved(evolved(tmp_path / "out", **{"best/best_program_info.json": best}), "openevolve").verdict
        == "nothing was kept"
    )


def test_other_directories_are_refused(tmp_path):
    for kind, words in (("gepa", "gepa_state.bin"), ("openevolve", "checkpoints")):
        for place in (tmp_path, tmp_path / "none"):
            with pytest.raises(FormatError, match=words):
                read_claims(place, kind)


@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_files_are_read_or_refused(tmp_path, data):
    run = evolved(tmp_path / "out")
    gepa = state(tmp_path / "g", [{0: 0.0, 1: 1.0}, {0: 1.0, 1: 1.0}])
    (gepa / "run_log.json").write_text(
        '[{"i": 0, "tasks": [{"new_subsample_scores": [1.0]}], "new_subsample_scores": [1.0]}]'
    )
    files = sorted(path for folder in (run, gepa) for path in folder.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files))
    text, at = path.read_bytes(), data.draw(st.integers(0, 400))
    new = data.draw(
        st.one_of(st.binary(max_size=3), st.sampled_from([b"null", b"[]", b"{}", b"1e999", b'"', b"NaN", b"-1"]))
    )
    path.write_bytes(text[:at] + new + text[at + data.draw(st.integers(0, 9)) :])
    for place, kind in ((run, "openevolve"), (gepa, "gepa")):
        with suppress(FormatError):
            proved(place, kind)
