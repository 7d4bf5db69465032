"""The command line as its users meet it: real processes, real studies."""

import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console
from rich.live import Live
from rich.text import Text

from forked import honestly
from honestly.cli import cli
from honestly.command import print_json, say_on_stderr
from honestly.errors import TaskError
from honestly.records import Agent, Check, CheckRun, Outcome, Task, Trial, Verdict
from honestly.sandbox.covert import CHANNELS, CONTENTION
from honestly.store import create_study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two agents, ten tasks, three samples: one good, one bad."""
    path = tmp_path_factory.mktemp("cli") / "s.honestly"
    with create_study(path) as made:
        made.add([Agent(name="good"), Agent(name="bad"), *(Task(id=f"t{i}", instruction="x") for i in range(10))])
        for agent, rate in (("good", 9), ("bad", 2)):
            for i in range(10):
                for sample in range(3):
                    passed = (i * 7 + sample) % 10 < rate
                    run = CheckRun(checks=(Check(id="c", status="passed" if passed else "failed"),))
                    made.add_trial(
                        Trial(
                            id=f"{agent}-{i}-{sample}",
                            agent=agent,
                            task=f"t{i}",
                            sample=sample,
                            verdict=Verdict(hidden=run),
                            outcome=Outcome.PASSED if passed else Outcome.FAILED,
                        )
                    )
    return path


@pytest.mark.slow
def test_help_names_every_command_and_loads_none():
    shown = honestly("--help")
    assert shown.returncode == 0
    for name in ("demo", "run", "report", "compare", "gate"):
        assert f"  {name} " in shown.stdout
    code = "import sys\nfrom click.testing import CliRunner\nfrom honestly.cli import cli\nCliRunner().invoke(cli, ['--help'])\nprint(sorted({'numpy', 'rich', 'jinja2', 'anyio', 'sqlite3', 'msgspec'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@pytest.mark.parametrize(
    "command",
    ["demo", "run", "bench samples", "study import", "report", "compare", "task list", "task check", "doctor"],
)
def test_every_command_has_help_and_json(command):
    shown = honestly(*command.split(), "--help")
    assert shown.returncode == 0
    assert "--json" in shown.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["run", "embedded", "--agent", "nop", "--out", "x.honestly"],
        ["stress", "pairs", "embedded", "--not-in", "embedded", "--out", "x.jsonl"],
        ["tasks", "check", "embedded"],
        ["tasks", "harden", "embedded"],
        ["tasks", "make-impossible", "embedded", "--out", "two"],
    ],
)
def test_tasks_are_chosen_by_one_option_everywhere_and_by_its_older_spelling(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for option in ("--task", "--only"):
        with pytest.raises(TaskError, match="has no task absent"):
            CliRunner().invoke(cli, [*words, option, "absent"], catch_exceptions=False)
    told = CliRunner().invoke(cli, [*words, "--help"]).stdout
    assert "--task ID" in told
    assert "--only" not in told


def test_a_defect_of_an_import_says_how_many_it_affects(tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,outcome,mood\na,t,passed,good\n")
    words = ["import", tmp_path / "t.csv", "--out", tmp_path / "t.honestly", "--json"]
    said = json.loads(CliRunner().invoke(cli, map(str, words), catch_exceptions=False).stdout)
    counts = {"files", "found", "kept", "refused", "repaired"}
    assert set(said) == {"study", "format", "trials", "agents", "outcomes", "defects", *counts}
    assert (said["found"], said["kept"], said["refused"]) == (1, 1, 0)
    defect = {"kind": "column left out", "where": "t.csv", "detail": "mood", "count": 1}
    assert said["defects"] == [{**defect, "effect": "noted", "example": "mood"}]


@pytest.mark.parametrize("module", ["honestly._late", "honestly.cli", "click"])
def test_ctrl_c_while_modules_are_loaded_says_no_traceback(module):
    code = f"""
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
sys.orig_argv[1:3] = ["-m", "honestly"]
runpy.run_module("honestly", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize("moment", ["click.echo", "gc.freeze", "sys.exit"])
@pytest.mark.parametrize("first", ["KeyboardInterrupt", "TaskError('no')"])
def test_ctrl_c_while_a_command_ends_says_no_traceback(first, moment):
    """The second of two within milliseconds, or one that comes a little late."""
    module, _, name = moment.partition(".")
    code = f"""
import atexit, gc, os, signal, sys, click
from honestly.cli import cli, main
from honestly.errors import TaskError
def end(*_, **__): raise {first}
def late(*given, was={moment}, **more): os.kill(os.getpid(), signal.SIGINT); return was(*given, **more)
signal.signal(signal.SIGINT, signal.default_int_handler)
{module}.{name} = late
cli.main = end
atexit.register(print, "cleared away")
atexit.register(os.kill, os.getpid(), signal.SIGINT)
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode in {130, -signal.SIGINT, *({2} if "no" in first else ())}, done.stderr
    assert (done.stdout == "cleared away\n") == (done.returncode > 0)


def test_a_mistyped_command_is_answered_with_the_close_one():
    shown = honestly("raport")
    assert shown.returncode == 2
    assert "Did you mean 'honestly report'?" in shown.stderr


def test_report_prints_one_json_object_with_the_promised_keys(study):
    shown = honestly("report", study, "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    said = json.loads(shown.stdout)
    assert set(said["policy"]) >= {"limit", "void", "missing"}
    assert [row["name"] for row in said["agents"]] == ["good", "bad"]
    keys = {"name", "n", "trials", "honest", "se", "interval", "visible", "hack_rate", "limit", "void", "missing"}
    for row in said["agents"]:
        assert keys <= set(row)
        assert (row["n"], row["trials"], row["visible"], row["hack_rate"]) == (10, 30, None, None)


def test_compare_prints_one_json_object_with_the_promised_keys(study):
    said, swapped = (
        json.loads(honestly("compare", study, *pair, "--json").stdout) for pair in (("good", "bad"), ("bad", "good"))
    )
    assert {"a", "b", "n", "difference", "se", "interval", "p_value", "verdict"} <= set(said)
    assert (said["a"], said["b"], said["n"]) == ("good", "bad", 10)
    assert said["difference"] > 0
    assert swapped["difference"] == -said["difference"]
    assert swapped["p_value"] == said["p_value"]


def test_reports_for_people_are_on_standard_output(study):
    shown = honestly("report", study)
    assert shown.stdout.startswith("good leads with ")
    assert "Policy:" not in shown.stdout
    assert "Policy:" in honestly("report", study, "--details").stdout
    assert honestly("compare", study, "good", "bad").stdout.startswith("good is ahead of bad by ")


@pytest.mark.slow
def test_files_are_written_where_asked(study, tmp_path):
    shown = honestly("report", study, "--html", tmp_path / "r.html", "--figures", tmp_path / "f", "--json")
    assert shown.returncode == 0
    assert json.loads(shown.stdout)
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    names = {path.name for path in (tmp_path / "f").iterdir()}
    assert any(name.endswith(".svg") for name in names)
    assert {name.removesuffix(".svg") for name in names if name.endswith(".svg")} == {
        name.removesuffix(".vl.json") for name in names if name.endswith(".vl.json")
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "absent.honestly"], "absent.honestly"),
        (["compare", "STUDY", "good", "worse"], "worse"),
        (["run", "nowhere", "--agent", "nop", "--out", "x.honestly"], "no suite at 'nowhere'"),
        (["run", "embedded", "--agent", "nob", "--out", "x.honestly"], "no agent 'nob' (did you mean 'nop'?)"),
        (["tasks", "check", "--task", "absent"], "has no task absent"),
        (["import", "/nonexistent", "--out", "x.honestly"], "/nonexistent"),
        (["report", "STUDY", "--void", "maybe"], "maybe"),
        (["report"], "Name a STUDY"),
    ],
)
def test_wrong_input_is_one_clear_line_and_exit_code_two(study, tmp_path, words, said):
    shown = honestly(*[str(study) if word == "STUDY" else word for word in words], cwd=tmp_path)
    assert shown.returncode == 2
    assert said in shown.stderr
    assert "Traceback" not in shown.stderr
    assert shown.stdout == ""
    assert not list(tmp_path.iterdir())


def test_a_report_changes_nothing_and_leaves_nothing_beside_the_study(study):
    before = study.read_bytes()
    honestly("report", study)
    assert study.read_bytes() == before
    assert [path.name for path in study.parent.iterdir()] == [study.name]


@pytest.mark.slow
def test_tasks_can_be_listed_for_people_and_programs():
    said = json.loads(honestly("task", "list", "--json").stdout)
    assert said["suite"] == "embedded"
    assert len(said["tasks"]) >= 30
    assert {"id", "hash", "category", "difficulty", "variant", "visible", "hidden", "wrong"} <= set(said["tasks"][0])
    shown = honestly("task", "list")
    assert said["tasks"][0]["id"] in shown.stdout


@pytest.mark.slow
def test_a_task_that_is_not_fair_gives_exit_code_one(tmp_path):
    import shutil

    source = Path(__file__).parents[2] / "suites" / "embedded" / "split-bill"
    shutil.copytree(str(source), tmp_path / "suite" / "split-bill")
    right = tmp_path / "suite" / "split-bill" / "solution"
    shutil.copytree(right / "reference", right / "wrong" / "secretly-right")
    shown = honestly("task", "check", tmp_path / "suite")
    assert shown.returncode == 1
    assert "the wrong solution 'secretly-right' fails the hidden checks" in shown.stdout
    assert "test_arguments_are_left_alone: passed by None, " in shown.stdout
    assert "Guesses pass 0 of 1 task, and 1 of " in shown.stdout


@pytest.mark.slow
def test_an_unsandboxed_run_needs_the_flag_and_is_recorded(tmp_path):
    out = tmp_path / "s.honestly"
    words = ["run", "embedded", "--task", "split-bill", "--agent", "oracle", "--out", out, "--json"]
    shown = honestly(*words, "--unsafe-no-sandbox")
    assert shown.returncode == 0
    from honestly.store import open_study

    with open_study(out) as made:
        assert made.facts().sandbox == "none"
        assert [trial.outcome for trial in made.trials()] == ["passed"]
    assert honestly(*words, "--samples", "2").returncode == 0
    with open_study(out) as made:
        assert made.facts().sandbox == "none", "half of its trials ran without isolation"


@pytest.mark.slow
def test_doctor_says_what_this_machine_gives():
    shown = honestly("doctor", "--json")
    said = json.loads(shown.stdout)
    assert said["usable"] is True
    tried = {one["channel"] for one in said["channels"]}
    assert len(said["channels"]) > 40
    assert not tried & set(said["not_tried"])
    assert tried | set(said["not_tried"]) == {channel.name for channel in (*CHANNELS, *CONTENTION)}
    unexpected = [one for one in said["channels"] if one["bits"] != 0 and not one["known"]]
    assert shown.returncode == (1 if unexpected else 0)
    assert [one["channel"] for one in unexpected if one["way"] == "samples"] == []
    assert all(layer["detail"] or layer["present"] for layer in said["layers"])
    assert [layer["advice"] for layer in said["layers"] if not layer["present"]] == [
        layer["advice"] for layer in said["layers"] if layer["advice"]
    ]


def test_terminal_escapes_in_other_peoples_files_do_not_reach_the_terminal(tmp_path):
    import shutil

    source = Path(__file__).parents[2] / "suites" / "embedded" / "split-bill"
    shutil.copytree(str(source), tmp_path / "suite" / "split-bill")
    toml = tmp_path / "suite" / "split-bill" / "task.toml"
    toml.write_text(toml.read_text().replace('category = "debug"', 'category = "\\u001b[2Jdebug"'))
    shown = honestly("task", "list", tmp_path / "suite")
    assert shown.returncode == 0
    assert "\x1b" not in shown.stdout
    refused = honestly("task", "list", tmp_path / "\x1b[2Jnowhere")
    assert "\x1b" not in refused.stderr


def test_a_json_object_is_the_same_whether_its_members_are_there_or_made_as_they_are_written(capsys):
    members = {"a": [1, {"b": "x\ny"}], "many": {"é\n": [{"c": None}], "none": {}}, "empty": {}, "z": 0.5}
    print_json(members)
    whole = capsys.readouterr().out
    print_json({**members, "many": iter(members["many"].items()), "empty": iter(())})
    assert capsys.readouterr().out == whole
    assert json.loads(whole) == members
    print_json([1])
    assert capsys.readouterr().out == "[\n  1\n]\n"


def test_what_is_said_while_a_table_is_live_stands_above_it_and_stays():
    shown = io.StringIO()
    with Live(Text("a table"), console=Console(file=shown, force_terminal=True), auto_refresh=False) as live:
        say_on_stderr("finishing the 2 in flight")
        live.update(Text("the table"), refresh=True)
    assert "finishing the 2 in flight\n" in shown.getvalue(), "else the table is drawn over it"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_closed_stream_is_no_traceback(closed):
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m honestly help run {closed}', sys.executable], capture_output=True, text=True, check=False
    )
    lost = closed.startswith(">")
    said = "error: standard output is closed\n" if closed == ">&-" else ""
    assert (done.returncode, done.stderr) == (2 if lost else 0, said)


def test_two_agents_that_nobody_names_are_listed_as_the_sentence_has_them(tmp_path):
    rows = [f"{agent},t{n},{'passed' if agent == 'zed' else 'failed'}" for n in range(9) for agent in ("alpha", "zed")]
    (tmp_path / "s.csv").write_text("\n".join(["agent,task,outcome", *rows]))
    lines = honestly("compare", "s.csv", cwd=tmp_path).stdout.splitlines()
    assert lines[0].startswith("zed is ahead of alpha")
    assert [line.split() for line in lines if line[:2] in {"A ", "B "}] == [
        ["A", "100.0%", "zed"],
        ["B", "0.0%", "alpha"],
    ]
    named = honestly("compare", "s.csv", "alpha", "zed", "--json", cwd=tmp_path)
    assert json.loads(named.stdout)["a"] == "alpha"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("study", "rm", ""), "An argument is empty"),
        (("study", "compact", ""), "An argument is empty"),
        (("task", "new", ""), "An argument is empty"),
        (("run", "embedded", "-a", "nop", "-o", "mysql://a/b"), "no address of a study"),
        (("task", "new", "loop"), "links that lead to themselves"),
        (("uncertainty", "x.zip"), "x.zip"),
        (("run", "embedded", "-a", "nop", "-k", "1e3"), "found '1e3'; expected a whole number from 1 to 10000"),
        (("gate", "t.csv", "--at-least", "70%"), "found '70%'; expected a number from 0 to 100"),
        (("run", "embedded", "-a", "nop:name=a\nb", "--dry-run"), "expected printable characters"),
        (("run", "embedded", "-a", "nop", "--sandbox", "nosuch:x", "--dry-run"), "there is no module 'nosuch'"),
        (("bench", "samples", "t.csv", "t.csv"), "expected one JSON object per line"),
        (("stats", "prefer", "t.csv"), "found agent=a, task=t, passed=1"),
        (("deps", "nosuch"), "there is no folder and no study nosuch"),
        (("improve", "run", "nosuch"), "there is no project nosuch"),
        (("watch", "empty"), "empty contains no training log"),
        (("report", "loop"), "loop is a link to itself"),
        (("rerun", "t.csv"), "honestly export --to bundle"),
    ],
)
def test_odd_names_are_refused_in_a_line(words, said, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04junk")
    (tmp_path / "t.csv").write_text("agent,task,passed\na,t,1\n")
    (tmp_path / "empty").mkdir()
    done = honestly(*words, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr, said in done.stderr) == (2, False, True), done.stderr


@pytest.mark.parametrize("words", [("audit", "t.csv"), ("audit", "conduct", "t.csv"), ("export", "t.csv", "--to", "atif", "-o", "out")])  # fmt: skip
def test_a_command_that_can_read_no_trial_says_so_and_does_not_succeed(words, tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,passed\na,t,1\n")
    done = honestly(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert "no trial could be read" in done.stderr or "nothing was written" in done.stderr
    call = '{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"mutate","arguments":"{\\"blob\\":1}"}}]}'
    (tmp_path / "chat.json").write_text('{"messages": [{"role":"user","content":"Mend it."},' + call + "]}")
    done = honestly("audit", "chat.json", cwd=tmp_path)
    assert (done.returncode, "each has edits or commands that are not understood" in done.stderr) == (1, True)


@pytest.mark.parametrize(("least", "code"), [("10", 0), ("90", 1)])
def test_a_reader_that_goes_away_changes_no_verdict(least, code, tmp_path):
    rows = "".join(f"a,t{i},{int(i % 2)}\n" for i in range(200))
    (tmp_path / "t.csv").write_text(f"agent,task,passed\n{rows}")
    command = f"{sys.executable} -m honestly gate t.csv --at-least {least} | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True).returncode == code


def test_an_error_of_a_plug_in_is_a_line_and_no_verdict(tmp_path):
    (tmp_path / "broken.py").write_text("def loader(*a, **k):\n    raise RuntimeError('boom')\n")
    (tmp_path / "t.csv").write_text("agent,task,passed\na,t,1\n")
    done = honestly("gate", "t.csv", "--from", "broken:loader", "--at-least", "10", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "unexpected RuntimeError: boom" in done.stderr
    assert "broken.py, line 2" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b'{"a":1', "not JSON: expected ',' delimiter (line 1, column 7)"),
        ("a.eval", b"PK\x03\x04junk", "damaged zip archive"),
        ("a.csv", b"a,b\n\0,1\n", "bytes of value 0"),
        ("a.csv", b"", "empty file"),
        ("folder/a", None, "contains no file"),
    ],
)
def test_what_is_no_result_is_said_with_what_was_found(name, content, said, tmp_path):
    (tmp_path / "folder").mkdir()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = honestly("report", tmp_path / name.removesuffix("/a"), cwd=tmp_path)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_table_that_is_refused_is_not_said_to_be_imported(tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,passed\na,t,maybe\n")
    done = honestly("report", "t.csv", cwd=tmp_path)
    assert (done.returncode, "imported as" in done.stderr) == (2, False), done.stderr


def test_a_file_whose_name_is_like_an_option_is_known(tmp_path):
    (tmp_path / "-dash.csv").write_text("agent,task,outcome\na,t,passed\n")
    done = honestly("report", "-dash.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "write ./-dash.csv" in done.stderr
    assert honestly("report", "./-dash.csv", cwd=tmp_path).returncode == 0


def test_an_unknown_page_is_answered_with_the_pages_that_speak_of_it():
    for words, page in ((["pass@k"], "methods/pass-at-k"), (["api", "keys"], "models")):
        said = honestly("help", *words).stdout
        assert f"honestly help {page})" in said, said


def test_an_address_in_place_of_a_folder_is_to_be_cloned():
    assert "clone or download it first" in honestly("task", "from", "repo", "https://example.org/a/b").stderr


def test_a_day_that_is_none_is_refused(tmp_path):
    done = honestly("task", "from", "repo", tmp_path, "--since", "2024-2-1")
    assert (done.returncode, "YYYY-MM-DD" in done.stderr) == (2, True), done.stderr


def test_an_empty_study_and_many_agents_are_named_as_what_they_are(tmp_path):
    (tmp_path / "e.honestly").touch()
    assert "empty file; expected a study" in honestly("report", tmp_path / "e.honestly").stderr
    with create_study(tmp_path / "s.honestly") as made:
        made.add([Agent(name=f"a{n}") for n in range(12)])
    assert "a6, … and 3 more)" in honestly("compare", tmp_path / "s.honestly").stderr
