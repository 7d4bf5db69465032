"""One evaluation: seven things can come of it, and one of them is a number."""

import anyio
import pytest

from honestly.errors import TaskError
from honestly.improve import evaluate, read_target
from honestly.improve._evaluate import read_metrics
from honestly.records import Edit, Tree
from honestly.sandbox import open_sandbox
from improve.loop_parts import project, unsafe_box


def measured(tmp_path, knobs, judge=None, toml=None, box=unsafe_box):
    files = {} if judge is None else {"judge.sh": judge}
    target = read_target(project(tmp_path / "p", **files, **({} if toml is None else {"toml": toml})))
    return anyio.run(evaluate, target, Edit(write=Tree.of({"knobs.py": knobs})), 7, box)


TOGETHER = 'change = ["knobs.py"]\nevaluate = "python3 knobs.py"\nmetric = "loss"\ndirection = "lower"\nseconds = 2\n'


@pytest.mark.parametrize(
    ("program", "status", "value"),
    [
        ("print('loss: 0.5')", "ok", 0.5),
        ("print('{\"loss\": 2}')", "ok", 2.0),
        ('print(\'{"loss": 2, "correct": false}\')', "wrong", None),
        ("print('loss: nan')", "nan", None),
        ("print('{\"loss\": Infinity}')", "nan", None),
        ('print(\'{"error": 0.0, "timeout": true}\')', "unmeasured", None),
        ("print('{\"loss\": true}')", "unmeasured", None),
        ("print('gain: 3')", "unmeasured", None),
        ("raise SystemExit(3)", "crash", None),
        ("while True: pass", "timeout", None),
        ("print('loss: 1' + ' ' * 3_000_000)", "crash", None),
    ],
)
def test_only_a_finite_metric_is_a_number(tmp_path, program, status, value):
    found = measured(tmp_path, program, toml=TOGETHER)
    assert (found.status, found.value) == (status, value), found.log


def test_an_evaluator_that_fails_measures_nothing_whoever_made_it_fail(tmp_path):
    found = measured(tmp_path, "LEVEL = 1", judge="exit 4")
    assert (found.status, found.value) == ("unmeasured", None)
    assert "exit status 4" in found.log


def test_the_evaluator_comes_from_the_declaration_and_the_candidate_cannot_see_its_seed(tmp_path):
    toml = TOGETHER.replace(
        '"python3 knobs.py"', '"sh judge.sh"\nproduce = "python3 knobs.py"\nhidden = ["secret.txt"]'
    )
    judge = 'if [ $1 = score ]; then cat > got; test "$(cat got)" = "$(echo no $HONESTLY_SEED)" && echo loss: 0 || echo loss: 1; fi'
    nosy = "import os, pathlib\nprint('no' if not pathlib.Path('secret.txt').exists() else 'seen', os.environ['HONESTLY_SEED'])"
    target = read_target(project(tmp_path / "p", toml, **{"judge.sh": judge, "secret.txt": "x"}))
    edit = Edit(write=Tree.of({"knobs.py": nosy, "judge.sh": "echo loss: -5"}))
    frozen = target.frozen_candidate(target.agent_tree, edit.apply(target.agent_tree))
    assert frozen.tampered == ("judge.sh",)
    found = anyio.run(evaluate, target, frozen.edit, 7, open_sandbox)
    assert (found.status, found.value) == ("ok", 1.0)
    assert "secret.txt" not in target.agent_tree.files


def test_what_may_not_change_is_put_back_and_new_files_are_left_out(tmp_path):
    target = read_target(project(tmp_path / "p"))
    left = Tree.of(
        {
            **{name: file.data for name, file in target.agent_tree.files.items()},
            "knobs.py": "LEVEL = 0\n",
            "judge.sh": "x",
        }
        | {"run.log": "log", "sitecustomize.py": "x", "__pycache__/a.pyc": b"x"}
    )
    frozen = target.frozen_candidate(target.agent_tree, left)
    assert frozen.tampered == ("judge.sh", "sitecustomize.py")
    assert frozen.stray == ("run.log",)
    assert list(frozen.edit.write.files) == ["knobs.py"]
    gone = target.frozen_candidate(target.agent_tree, Tree())
    assert (gone.edit.delete, gone.tampered) == (("knobs.py",), ("improve.toml", "judge.sh"))


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("change = []", "change"),
        ("change = [", "improve.toml"),
        (TOGETHER.replace("knobs.py", "nothing.py"), "no file"),
        (TOGETHER + "colour = 1", "colour"),
        (TOGETHER.replace('["knobs.py"]', '["*.toml", "knobs.py"]'), "itself may not change"),
        (TOGETHER + 'hidden = ["knobs.py"]', "may change and is hidden"),
        (TOGETHER.replace('"python3 knobs.py"', '"python3 knobs.py"\nproduce = "true"'), "evaluates, so"),
        (TOGETHER.replace("lower", "down"), "direction"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(tmp_path, toml, words):
    with pytest.raises(TaskError, match=words):
        read_target(project(tmp_path / "p", toml))


def test_metrics_of_hostile_output_are_numbers_or_nothing():
    assert read_metrics(b"[" * 100_000) == (True, {})
    assert read_metrics(b'{"a": 1' + b"0" * 400 + b"}")[1]["a"] == float("inf")
    assert read_metrics(b'{"correct": 1, "a": 1}') == (False, {"a": 1.0, "correct": 1.0})
    assert read_metrics(b"val_bpb: 1.5\nnote: x\nval_bpb:  1.25e0\n")[1] == {"val_bpb": 1.25}
    assert read_metrics(b"\xff\xfe{")[1] == {}
