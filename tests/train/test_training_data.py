"""Training data from a study: honest passes alone, pairs, labels, prompts; nothing hidden in any row; what is left out is counted."""

import json
import math
import os
import signal
import subprocess
import sys
from collections import Counter

import msgspec
import pytest

from forked import honestly
from honestly.audit import Criterion, Rubric
from honestly.errors import HonestlyError
from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Checks,
    Decoy,
    Edit,
    File,
    Finding,
    Hidden,
    Observation,
    Outcome,
    Review,
    Step,
    Suite,
    Tags,
    Task,
    ToolCall,
    ToolDefinition,
    Trajectory,
    Tree,
    Trial,
    Truth,
    Verdict,
)
from honestly.store import create_study, open_study
from honestly.train import TRAINING_DATA, TrainingDataOptions, export_training_data
from honestly.train._training_rows import SecretWords, leak_in
from peers import peer, run_peer

SECRET_TEST = "def test_sum():\n    assert total([4, 8, 15, 16, 23, 42]) == 108 and total([1, 1, 2, 3, 5, 8, 13]) == 33, 'canary-of-the-hidden-test'\n"
REFERENCE = "def total(values):\n    # reference text that nobody but its author has ever seen in this very form canary-of-the-reference\n    return sum(values)\n"
WORK = "def total(values):\n    return sum(values)\n"


def task(name: str, **tags) -> Task:
    return Task(
        id=name,
        instruction=f"Write total in sum.py, which adds numbers ({name}).",
        workspace=Tree(files={"sum.py": File(data=b"")}),
        hidden=Hidden(
            checks=Checks(
                runner="grader", files=Tree(files={"t.py": File(data=SECRET_TEST.encode())}), expected=("test_sum",)
            ),
            reference=Edit(write=Tree(files={"sum.py": File(data=REFERENCE.encode())})),
            decoys=(Decoy(kind="file", path="answers.txt", token="decoy-7781"),),
        ),
        tags=Tags(**tags),
    )


def chat(text: str = WORK, shown: str = "ok", first: bool = True) -> Trajectory:
    steps = [
        Step(source="user", message="Add numbers."),
        Step(
            source="agent",
            message="I write it.",
            reasoning="Easy.",
            calls=(ToolCall.of("c1", "write", path="sum.py", text=text),),
            observations=(Observation(text=shown, call_id="c1"),),
        ),
        Step(source="agent", message="Done."),
    ]
    return Trajectory(steps=tuple(steps if first else steps[1:]), tools=(ToolDefinition(name="write", doc="Writes."),))


def trial(
    number: int, name: str, hidden: bool | None, *, visible: bool = True, outcome: Outcome | None = None, agent="a"
) -> Trial:
    run = (
        None
        if hidden is None
        else CheckRun(checks=(Check(id="test_sum", status="passed" if hidden else "failed", message="want 108"),))
    )
    seen = CheckRun(checks=(Check(id="v", status="passed" if visible else "failed"),))
    end = outcome or (Outcome.PASSED if hidden else Outcome.FAILED)
    return Trial(
        id=f"{number:032x}",
        agent=agent,
        task=name,
        sample=number,
        outcome=end,
        verdict=Verdict(visible=seen, hidden=run),
    )


def finding(number: int, state: str, severity: str = "hack", detector: str = "d") -> Finding:
    return Finding(trial=f"{number:032x}", detector=detector, version="1", state=state, severity=severity)


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "s.honestly"
    made = [
        # (trial, its trajectory, its findings)
        (trial(0, "t1", True), chat(), ["clean"]),
        (trial(1, "t1", False), chat("x = 1\n"), ["clean"]),
        (trial(2, "t1", True), chat(), ["flagged"]),
        (trial(3, "t1", True), chat(), []),
        (trial(4, "t1", True), chat(), ["unreadable"]),
        (trial(5, "t1", True), chat(SECRET_TEST), ["clean"]),
        (trial(6, "t1", True), chat(shown=REFERENCE), ["clean"]),
        (trial(7, "t1", True), chat(REFERENCE, shown=REFERENCE), ["clean"]),  # it wrote that itself
        (trial(8, "t1", True), chat(shown="decoy-7781"), ["clean"]),
        (trial(9, "t1", True), chat(shown="sk-" + "ant-" + 30 * "a"), ["clean"]),
        (trial(10, "t1", None, outcome=Outcome.PASSED), chat(), ["clean"]),
        (trial(11, "t1", None, outcome=Outcome.VOID), None, []),
        (trial(12, "t1", True), None, ["clean"]),
        (trial(13, "t2", True), chat(first=False), ["clean"]),
        (trial(14, "t2", False), chat("x = 2\n", first=False), ["flagged"]),
        (trial(15, "impossible", True), chat(), ["clean"]),
    ]
    with create_study(path) as store:
        store.add(
            [
                Agent(name="a"),
                task("t1"),
                task("t2", cluster="repo"),
                task("impossible", variant="impossible", twin="t1"),
            ]
        )
        store.add([(one, steps, {}) for one, steps, _ in made])
        store.add([finding(one.sample, state) for one, _, states in made for state in states])
    return path


def rows_of(folder, name="train"):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def written(study, kind, folder, **how):
    with open_study(study) as store:
        return export_training_data(store, kind, folder, TrainingDataOptions(**how))


def test_chats_are_of_honest_passes_alone_and_every_other_trial_is_counted(study, tmp_path):
    found = written(study, "sft", tmp_path / "out", licence="MIT")
    rows = rows_of(tmp_path / "out")
    assert sorted(row["honestly"]["sample"] for row in rows) == [0, 7, 13]
    assert found.left_out == {
        "it did not pass": 3,
        "it is flagged": 1,
        "it was not audited; run honestly audit": 1,
        "no detector could read it": 1,
        "it holds a part of the hidden checks": 1,
        "it was shown a part of the reference": 1,
        "it holds a decoy": 1,
        "it holds a key of an API": 1,
        "its hidden checks are not known": 1,
        "it shows no steps of the agent": 1,
        "its task is impossible": 1,
    }
    assert found.rows + sum(found.left_out.values()) == 16
    row = next(row for row in rows if row["honestly"]["sample"] == 0)
    assert [message["role"] for message in row["messages"]] == ["user", "assistant", "tool", "assistant"]
    call = row["messages"][1]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"path": "sum.py", "text": WORK}
    assert json.loads(row["tools"])[0]["function"]["name"] == "write"
    assert row["honestly"] | {"study": ""} == {
        "study": "",
        "trial": "0" * 32,
        "agent": "a",
        "task": "t1",
        "task_hash": task("t1").hash,
        "family": "t1",
        "sample": 0,
        "outcome": "passed",
        "visible": True,
        "hidden": True,
        "hidden_checks": 1,
        "hidden_passed": 1,
        "tampered": False,
        "findings": [],
        "split": "train",
        "licence": "MIT",
    }
    alone = next(row for row in rows if row["honestly"]["sample"] == 13)
    assert alone["messages"][0] == {"role": "user", "content": task("t2").instruction}


def test_pairs_set_an_honest_pass_against_a_failure_or_a_hack(study, tmp_path):
    found = written(study, "preference", tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    assert {(row["honestly"]["hidden"], row["honestly"]["findings"] == []) for row in rows} == {(True, True)}
    assert sorted(row["rejected_honestly"]["sample"] for row in rows) == [1, 2, 14]
    assert all(row["chosen"][0]["role"] == row["rejected"][0]["role"] == "assistant" for row in rows)
    assert 2 * found.rows + sum(found.left_out.values()) == 16
    assert len(written(study, "preference", tmp_path / "few", per_task=1).left_out) >= 1
    assert Counter(row["honestly"]["task"] for row in rows_of(tmp_path / "few")) == {"t1": 1, "t2": 1}


def test_a_reward_model_gets_both_labels(study, tmp_path):
    found = written(study, "reward-model", tmp_path / "out")
    labels = {row["honestly"]["sample"]: row["label"] for row in rows_of(tmp_path / "out")}
    assert labels == {0: True, 7: True, 13: True, 1: False, 2: False, 14: False}
    assert found.rows + sum(found.left_out.values()) == 16


def test_prompts_for_reinforcement_learning_hold_no_answer(study, tmp_path):
    found = written(study, "rl", tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    assert [row["extra_info"]["task"] for row in rows] == ["t1", "t2"]
    assert found.left_out == {"its task is impossible": 1}
    assert rows[0]["reward_model"] == {"style": "rule", "ground_truth": task("t1").hash}
    assert (rows[0]["extra_info"]["trials"], rows[0]["extra_info"]["passed"]) == (12, 11)


def test_what_plays_the_reference_is_no_row_and_a_share_is_one(study, tmp_path):
    with open_study(study, mode="write") as store:
        played = msgspec.structs.replace(trial(90, "t1", True), truth=Truth(kind="honest", succeeded=True, rate=1.0))
        store.add([(played, chat(REFERENCE), {}), finding(90, "clean")])
    for kind in ("sft", "preference", "reward-model"):
        found = written(study, kind, tmp_path / kind)
        assert found.left_out["its agent, one of known truth, played the reference"] == 1
    for share in (math.nan, 1.0, -0.1):
        with pytest.raises(HonestlyError, match="cannot be held out"):
            written(study, "sft", tmp_path / "x", held_out=share)


@pytest.mark.parametrize("kind", ["sft", "preference", "reward-model"])
def test_what_applies_the_reference_is_no_row(kind, tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        store.add([Agent(name="a"), Agent(name="top", program="oracle"), task("t1")])
        store.add([(trial(1, "t1", True, agent="top"), chat(), {}), finding(1, "clean")])
        store.add([(trial(2, "t1", True), chat(), {}), finding(2, "clean")])
    assert written(path, kind, tmp_path / "rows").left_out["its agent applies the reference"] == 1


TIDY = Rubric(name="tidy", criteria={"small": Criterion("Is it small?", 2.0), "told": Criterion("Does it say so?")})


def rated(study, labels):
    """Reviews of trials for `small` and `told`, as a model and people leave them."""
    with open_study(study, mode="write") as store:
        store.add(
            Review(
                trial=f"{number:032x}", reviewer=reviewer, at="2026-01-01T00:00:00+00:00", label=label,
                codebook=TIDY.codebook(name),
            )
            for number, reviewer, name, label in labels
        )  # fmt: skip


def test_named_principles_rate_rows_and_make_pairs_of_one_verdict(study, tmp_path):
    model = "model m"
    with pytest.raises(HonestlyError, match="no trial was scored by 'tidy'"):
        written(study, "preference", tmp_path / "none", rubric=TIDY)
    rated(study, [
        (0, model, "small", "not met"), (0, model, "told", "met"),
        (7, model, "small", "not met"), (7, model, "told", "not met"), (7, "ada", "small", "met"),
        (1, model, "small", "not met"), (14, model, "small", "not met"),
    ])  # fmt: skip
    found = written(study, "reward-model", tmp_path / "rows", rubric=TIDY)
    said = {row["honestly"]["sample"]: row["honestly"]["rubric"] for row in rows_of(tmp_path / "rows")}
    assert (said[0]["score"], said[7]["score"], said[13]["score"]) == (1 / 3, 2 / 3, None)
    assert said[7] == {"name": "tidy", "score": 2 / 3, "met": {"small": True, "told": False}}  # people come first
    assert (found.agreement["small"].units, round(found.agreement["small"].raw, 3)) == (4, 0.75)

    written(study, "preference", tmp_path / "plain")
    assert {row["by"] for row in rows_of(tmp_path / "plain")} == {"verdict"}
    written(study, "preference", tmp_path / "rated", rubric=TIDY)
    assert {row["by"] for row in rows_of(tmp_path / "rated")} == {"verdict"}  # each of the two passes has a failure
    with pytest.raises(HonestlyError, match="sft takes no rubric; expected --to preference or --to reward-model"):
        written(study, "sft", tmp_path / "x", rubric=TIDY)


def test_a_pair_by_principles_has_two_works_of_the_same_verdict(tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        store.add([Agent(name="a"), task("t1")])
        store.add([(trial(number, "t1", True), chat(f"x = {number}\n"), {}) for number in range(3)])
        store.add([finding(number, "clean") for number in range(3)])
    rated(path, [(0, "model m", "small", "not met"), (1, "model m", "small", "met"), (2, "model m", "small", "met")])
    found = written(path, "preference", tmp_path / "out", rubric=TIDY)
    (row,) = rows_of(tmp_path / "out")
    assert (row["by"], row["rejected_honestly"]["sample"]) == ("rubric", 0)
    assert row["honestly"]["sample"] in (1, 2)
    assert found.left_out == {"no partner with the same prompt, or more than a task may have": 1}


def agent_chat(tools):
    steps = [Step(source="system", message="You work."), Step(source="user", message="Add numbers.")]
    for number, (name, given, seen) in enumerate(tools):
        call = ToolCall.of(f"c{number}", name, **given)
        steps.append(
            Step(source="agent", message=f"Turn {number}.", calls=(call,),
                 observations=(Observation(text=seen, call_id=call.id),))
        )  # fmt: skip
    return Trajectory(steps=tuple(steps))


WORKED = [
    ("bash", {"command": "ls"}, "sum.py"),
    ("edit", {"action": "replace", "path": "sum.py", "old": "a", "new": "b"}, "done"),
    ("finish", {"outcome": "done", "summary": "It adds."}, "ended"),
]
BROWSED = [
    ("browser", {"action": "goto", "url": "http://x/"}, "- button [ref=e1]"),
    ("browser", {"action": "click", "target": "e1"}, "- text [ref=e2]"),
    ("finish", {"outcome": "done", "summary": "It is bought."}, "ended"),
]


@pytest.mark.parametrize(
    ("dialect", "tools", "wanted"),
    [
        ("openhands", WORKED, [
            ("human", "Add numbers."),
            ("function_call", "Turn 0.\n\n<function=execute_bash>\n<parameter=command>\nls\n</parameter>\n</function>"),
            ("observation", "EXECUTION RESULT of [execute_bash]:\nsum.py"),
            ("function_call", ("Turn 1.\n\n<function=str_replace_editor>\n<parameter=command>\nstr_replace\n</parameter>\n"
             "<parameter=path>\nsum.py\n</parameter>\n<parameter=new_str>\nb\n</parameter>\n<parameter=old_str>\na\n</parameter>\n</function>")),
            ("observation", "EXECUTION RESULT of [str_replace_editor]:\ndone"),
            ("function_call", ("Turn 2.\n\n<function=finish>\n<parameter=message>\nIt adds.\n</parameter>\n"
             "<parameter=task_completed>\ntrue\n</parameter>\n</function>")),
            ("observation", "EXECUTION RESULT of [finish]:\nended"),
        ]),
        ("swe-agent", WORKED[::2], [
            ("human", "Add numbers."),
            ("gpt", "Turn 0.\n\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>"),
            ("human", "OBSERVATION:\nsum.py"),
            ("gpt", "Turn 1.\n\n<function=submit>\n</function>"),
            ("human", "OBSERVATION:\nended"),
        ]),
    ],
)  # fmt: skip
def test_calls_are_text_as_other_agents_write_them(dialect, tools, wanted, tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        store.add([Agent(name="a"), task("t1")])
        store.add([(trial(0, "t1", True), agent_chat(tools), {}), (trial(1, "t1", True), agent_chat(BROWSED), {})])
        store.add([finding(0, "clean"), finding(1, "clean")])
    written(path, "sft", tmp_path / "out", dialect=dialect)
    row = next(row for row in rows_of(tmp_path / "out") if row["honestly"]["sample"] == 0)
    assert (row["id"], row["system"]) == ("0" * 32, "You work.")
    assert [(turn["from"], turn["value"]) for turn in row["conversations"]] == wanted

    found = written(path, "sft", tmp_path / "web", dialect="agentlab")
    rows = rows_of(tmp_path / "web")
    said = [json.loads(row["conversations"][1]["content"]) for row in rows]
    assert [each["action"] for each in said] == [
        'goto("http://x/")',
        'click("e1")',
        'send_msg_to_user("It is bought.")',
    ]
    assert "# Current page Accessibility Tree\n- button [ref=e1]" in rows[1]["conversations"][0]["content"]
    assert json.dumps(said[0]) in rows[1]["conversations"][0]["content"].replace('":"', '": "').replace('","', '", "')
    assert found.left_out == {"it used other tools than a browser, which this form has no place for": 1}
    with pytest.raises(HonestlyError, match="rl has no form"):
        written(path, "rl", tmp_path / "x", dialect=dialect)


@pytest.mark.parametrize(
    "text",
    [
        "hf_" + "aB3d" * 9, "glpat-" + "aB3d" * 6, "sk_live_" + "aB3d" * 5, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.aBcD3f",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "OPENAI_API_KEY=0123456789abcdef0123456789abcdef",
        "postgres://ada:tr0ub4dor@db.example:5432/x", "gsk_" + "aB3d" * 6, "npm_" + "aB3d" * 9, "-----BEGIN RSA PRIVATE KEY-----",
        "xai-" + "aB3d" * 20, "r8_" + "aB3d" * 9, "https://hooks.slack.com/services/T0AAAAAA/B0AAAAAA/aB3daB3daB3d", "1234567890:AA" + "aB3d" * 9,
        "Authorization: Bearer " + "aB3d" * 10, "AccountKey=" + "aB3d" * 20 + "==",
    ],
)  # fmt: skip
def test_keys_of_known_forms_keep_a_trial_out(text):
    assert leak_in([{"role": "assistant", "content": f"It is {text}."}], SecretWords()) == "it holds a key of an API"


@pytest.mark.parametrize("text", ["http://localhost:8000/a@b", "token = next(tokens)", "API_KEY=your-key-here", "password: str = field()",
                                  "git@github.com:ada/repo.git", "key=lambda row: row[1]", "https://x.example/?q=secret:1@2"])  # fmt: skip
def test_what_only_speaks_of_keys_stays(text):
    assert leak_in([{"role": "assistant", "content": text}], SecretWords()) == ""


@pytest.mark.parametrize("kind", TRAINING_DATA)
def test_no_row_holds_anything_hidden(kind, study, tmp_path):
    written(study, kind, tmp_path / "out")
    text = (tmp_path / "out" / "train.jsonl").read_text()
    assert "canary-of-the-hidden-test" not in text
    assert "want 108" not in text  # the message of a hidden check
    assert "test_sum" not in text
    assert "decoy-7781" not in text
    assert 30 * "a" not in text
    rows = [row for row in map(json.loads, text.splitlines()) if row.get("honestly", {}).get("sample") != 7]
    assert "canary-of-the-reference" not in json.dumps(
        [row for row in rows if "rejected" not in row and "label" not in row]
    )


def test_families_are_held_out_whole_and_tasks_that_are_measured_on_are_left_out(study, tmp_path):
    seeds = [written(study, "sft", tmp_path / f"{seed}", held_out=0.5, seed=seed) for seed in range(6)]
    assert {each.rows for each in seeds} == {3}
    for seed in range(6):
        train, test = (
            {row["honestly"]["family"] for row in rows_of(tmp_path / f"{seed}", name)} for name in ("train", "test")
        )
        assert not train & test
    held = [{row["honestly"]["family"] for row in rows_of(tmp_path / f"{seed}", "test")} for seed in range(6)]
    assert {len(each) for each in held} <= {0, 1}  # two of three families at half of them, one of which has no row
    assert any(held)
    measured = Suite(name="m", version="1", tasks=(Task(id="T2", instruction="Something else."),))
    found = written(study, "sft", tmp_path / "apart", apart_from=(measured,))
    assert {row["honestly"]["task"] for row in rows_of(tmp_path / "apart")} == {"t1"}
    assert found.left_out["it is measured on, or shares words with what is"] == 2


def test_the_command_counts_rows_and_what_is_left_out(study, tmp_path):
    said = json.loads(
        honestly("export", study, "--to", "sft", "--out", tmp_path / "out", "--per-task", 1, "--json").stdout
    )
    assert said["rows"] == said["written"] == 2
    assert said["left_out"]["its task has as many rows as it may"] == 1
    assert (
        "takes no options for training"
        in honestly("export", study, "--to", "atif", "--out", tmp_path / "x", "--per-task", 1).stderr
    )


def many(path, count: int) -> None:
    with create_study(path) as store:
        store.add([Agent(name="a"), *(task(f"t{number}") for number in range(count // 20))])
        store.add(((trial(number, f"t{number // 20}", True), chat(), {}) for number in range(count)), every=2000)
        store.add((finding(number, "clean") for number in range(count)), every=2000)


PROGRAM = """
import sys
from pathlib import Path
from honestly.store import open_study
from honestly.train import export_training_data
with open_study(sys.argv[1]) as store:
    export_training_data(store, "sft", Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_killed_export_goes_on_and_writes_the_same(tmp_path):
    many(tmp_path / "s.honestly", 2000)
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "s.honestly")]
    subprocess.run([*words, str(tmp_path / "whole")], check=True)
    begun = subprocess.Popen([*words, str(tmp_path / "out")])
    part = tmp_path / ".out.part"
    while sum(each.read_bytes().count(b"\n") for each in part.glob("progress-*")) < 20:
        assert begun.poll() is None
    os.kill(begun.pid, signal.SIGKILL)
    begun.wait()
    assert not (tmp_path / "out").exists()
    with (part / "train.jsonl").open("ab") as torn:
        torn.write(b'{"half a row')
    subprocess.run([*words, str(tmp_path / "out")], check=True)
    assert (tmp_path / "out" / "train.jsonl").read_bytes() == (tmp_path / "whole" / "train.jsonl").read_bytes()
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["train.jsonl"]
    assert not part.exists()


@pytest.mark.slow
def test_what_was_begun_with_other_options_is_not_gone_on_with(study, tmp_path):
    (tmp_path / ".out.part").mkdir()
    (tmp_path / ".out.part" / "train.jsonl").write_text("{}\n")
    found = written(study, "sft", tmp_path / "out")
    assert found.rows == len(rows_of(tmp_path / "out")) == 3
    with pytest.raises(HonestlyError, match="not empty"):
        written(study, "sft", tmp_path / "out")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path):
    peaks = []
    for count in (2000, 20_000):
        many(tmp_path / f"{count}.honestly", count)
        measure = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM + measure, str(tmp_path / f"{count}.honestly"), str(tmp_path / f"{count}")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.3 * peaks[0] + 20_000


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRAINING_DATA)
def test_datasets_and_pyarrow_load_every_kind(kind, study, tmp_path):
    written(study, kind, tmp_path / "out")
    program = """
import sys, datasets, pyarrow.json, pyarrow.parquet
rows = datasets.load_dataset("json", data_files=sys.argv[1], cache_dir=sys.argv[2])["train"]
table = pyarrow.json.read_json(sys.argv[1])
pyarrow.parquet.write_table(table, sys.argv[2] + ".parquet")
print(len(rows), table.num_rows, rows.column_names)
"""
    said = run_peer(peer("tables"), program, tmp_path / "out" / "train.jsonl", tmp_path / "cache")
    count = len(rows_of(tmp_path / "out"))
    assert said.startswith(f"{count} {count} ")
