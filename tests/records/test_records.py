"""The vocabulary: what goes out comes back, identities are stable, and no path leaves its tree."""

import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from honestly.errors import FormatError, TaskError
from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Checks,
    Edit,
    File,
    Hidden,
    Outcome,
    Step,
    Suite,
    Task,
    ToolCall,
    Trajectory,
    Tree,
    Trial,
    Usage,
    Verdict,
    decode,
    encode,
    trial_id,
)

paths = st.lists(
    st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1).filter(
        lambda part: part not in {".", ".."}
    ),
    min_size=1,
    max_size=4,
).map("/".join)
trees = st.dictionaries(
    paths, st.builds(File, data=st.binary(max_size=40), mode=st.sampled_from(["file", "exec"])), max_size=5
).map(lambda files: Tree(files=files))


def a_task(**changes):
    settings = {
        "id": "t",
        "instruction": "do it",
        "workspace": Tree.of({"a.py": "x = 1\n"}),
        "hidden": Hidden(
            checks=Checks(
                runner="grader", files=Tree.of({"check_a.py": "def test_a(ws): ..."}), expected=("check_a.test_a",)
            ),
            reference=Edit(write=Tree.of({"a.py": "x = 2\n"})),
        ),
    }
    return Task(**(settings | changes))


@given(trees)
def test_a_tree_survives_encoding_with_its_hash(tree):
    again = decode(encode(tree), Tree)
    assert again == tree
    assert again.hash == tree.hash


@given(trees, trees)
def test_laying_a_tree_over_another_keeps_every_path_that_is_in_no_ones_way_and_prefers_the_upper(upper, lower):
    both = upper.over(lower)
    in_the_way = {
        path for path in lower.files for put in upper.files if path.startswith(f"{put}/") or put.startswith(f"{path}/")
    }
    assert set(both.files) == set(upper.files) | (set(lower.files) - in_the_way)
    assert all(both.files[path] == file for path, file in upper.files.items())


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a\0b", ".."])
def test_paths_that_leave_the_tree_are_refused(path):
    with pytest.raises(TaskError, match="relative"):
        Tree.of({path: "x"})
    with pytest.raises((TaskError, FormatError)):
        decode(encode({"files": {path: {}}}), Tree)


def test_an_edit_deletes_first_and_then_writes():
    tree = Tree.of({"a": "1", "b": "2"})
    assert Edit(write=Tree.of({"a": "3"}), delete=("a", "b", "absent")).apply(tree) == Tree.of({"a": "3"})


def possible(tree):
    """Whether a directory could hold the tree: no path is a file and a folder at once."""
    return not any(other.startswith(path + "/") for path in tree.files for other in tree.files)


@given(trees.filter(possible), trees.filter(possible))
def test_the_edit_between_two_trees_makes_one_the_other(before, after):
    edit = Edit.between(before, after)
    assert edit.apply(before) == after
    assert edit.write.files.keys() | set(edit.delete) <= before.files.keys() | after.files.keys()
    assert Edit.between(after, after) == Edit()


def test_links_are_read_as_links_and_special_files_are_refused(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f.sh").write_text("x")
    (tmp_path / "d" / "f.sh").chmod(0o755)
    (tmp_path / "outside").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    tree = Tree.read(tmp_path)
    assert tree.files["outside"] == File(data=b"/etc/passwd", mode="link")
    assert tree.files["folder"] == File(data=b"/etc", mode="link")
    assert tree.files["d/f.sh"].mode == "exec"
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TaskError, match="pipe is neither"):
        Tree.read(tmp_path)


def test_the_public_part_of_a_task_holds_nothing_hidden():
    task = a_task()
    assert task.public().hidden is None
    assert b"x = 2" not in encode(task.public())
    assert task.public().workspace == task.workspace


def test_every_field_of_a_task_is_part_of_its_hash():
    base = a_task()
    others = [
        a_task(id="u"),
        a_task(version="2"),
        a_task(instruction="do that"),
        a_task(workspace=Tree.of({"a.py": "x = 3\n"})),
        a_task(hidden=None),
        a_task(timeout_s=5.0),
    ]
    assert len({task.hash for task in [base, *others]}) == len(others) + 1
    assert a_task().hash == base.hash


def test_a_suite_refuses_the_same_task_twice_and_names_what_it_has():
    with pytest.raises(TaskError, match="more than once: t"):
        Suite(name="s", version="1", tasks=(a_task(), a_task()))
    with pytest.raises(TaskError, match="it has: t"):
        Suite(name="s", version="1", tasks=(a_task(),)).task("absent")


def test_trial_ids_are_the_same_in_another_process():
    mine = trial_id(a_task().hash, Agent(name="a", settings={"b": 1, "a": 2}).hash, 3, 7)
    code = (
        "import sys; sys.path.insert(0, 'tests/records'); from test_records import a_task; from honestly.records import *;"
        "print(trial_id(a_task().hash, Agent(name='a', settings={'a': 2, 'b': 1}).hash, 3, 7))"
    )
    theirs = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert theirs == mine
    assert len({trial_id("t", "a", sample, seed) for sample in range(10) for seed in range(10)}) == 100


def test_only_all_passed_counts_as_passed():
    passed, skipped = Check(id="a", status="passed"), Check(id="b", status="skipped")
    assert CheckRun(checks=(passed,)).passed
    assert not CheckRun(checks=(passed, skipped)).passed
    assert not CheckRun(checks=()).passed
    assert Verdict().honest is None
    assert Verdict(hidden=CheckRun(checks=(passed,))).honest is True
    assert Verdict(hidden=CheckRun(checks=(passed,)), tampered=("x",)).honest is False


def test_unknown_fields_and_bad_values_are_named():
    with pytest.raises(FormatError, match="unknown field `extra`"):
        decode(b'{"id":"x","agent":"a","task":"t","sample":0,"outcome":"passed","extra":1}', Trial)
    with pytest.raises(FormatError, match=r"\$\.outcome"):
        decode(b'{"id":"x","agent":"a","task":"t","sample":0,"outcome":"maybe"}', Trial)
    with pytest.raises(FormatError, match="not a Trial"):
        decode(b"{", Trial)


def test_a_tool_call_keeps_its_arguments_as_they_were_sent():
    call = ToolCall.of("1", "bash", command="ls", nested={"a": [1, None]})
    trajectory = Trajectory(steps=(Step(source="agent", calls=(call,)),))
    again = decode(encode(trajectory), Trajectory)
    assert again.steps[0].calls[0].argument("nested") == {"a": [1, None]}
    assert again.steps[0].calls[0].argument("absent") is None
    assert encode(again) == encode(trajectory)


def test_outcomes_are_exactly_four():
    assert [str(outcome) for outcome in Outcome] == ["passed", "failed", "limit", "void"]


def test_what_two_consumed_is_their_sum_and_what_neither_reported_stays_unknown():
    both = Usage(input_tokens=3, usd=0.5) + Usage(input_tokens=4, output_tokens=0)
    assert both == Usage(input_tokens=7, output_tokens=0, usd=0.5)
    assert (both.tokens, Usage(usd=1.0).tokens, Usage(output_tokens=2).tokens) == (7, None, 2)
