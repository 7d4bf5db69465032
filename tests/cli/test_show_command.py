"""`honestly show` of a real run, of other people's trials, of hostile ones, and in a real terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from terminal import Terminal

from honestly.cli import cli
from honestly.formats import read_terminal_bench
from honestly.records import (
    Agent,
    Attempt,
    Check,
    CheckRun,
    Edit,
    File,
    Finding,
    Observation,
    Outcome,
    Step,
    StudyFacts,
    Task,
    ToolCall,
    Tree,
    Trial,
    Verdict,
    encode,
)
from honestly.store import create_study, open_study

KEYS = "id agent task sample outcome reason visible hidden tampered seconds usd input_tokens output_tokens attempts"
EVIL = "look\x1b]0;owned\x07\x1b[2J\u202e\u2066\x9b31m\x1bPq#0\x1b\\"
BIG = "f" * 32


def run(*arguments, code=0):
    found = CliRunner().invoke(cli, [*map(str, arguments)], env={"COLUMNS": "110"})
    assert found.exit_code == code, found.output + repr(found.exception)
    return found.output


def plain(*arguments):
    return json.loads(CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False).stdout)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Three agents of known truth at two embedded tasks, and one whose endpoint is dead."""
    path = tmp_path_factory.mktemp("ran") / "s.honestly"
    tasks = ["--task", "api-move", "--task", "cache-tags"]
    agents = ["-a", "honest:name=sure,easy=1,medium=1,hard=1", "-a", "special-case", "-a", "tamper-runner:rate=1"]
    run("run", "embedded", *tasks, *agents, "-k", 2, "-o", path, "--json")
    with open_study(path, "write") as store:
        dead = Agent(name="dead/endpoint")
        store.add([dead])
        for number, task in enumerate(["api-move", "cache-tags"]):
            reason = f"ModelError: http://10.0.0.{number}:80{number}/v1: there is no connection after {number}.5 s"
            trial = Trial(
                id=f"{number}{'e' * 31}", agent=dead.name, task=task, sample=0, outcome=Outcome.VOID, reason=reason,
                earlier=(Attempt(outcome=Outcome.VOID, reason="the key was refused"),),
            )  # fmt: skip
            store.add_trial(trial)
    return path


@pytest.fixture
def hostile(tmp_path):
    """A trial in which everything tries to act on a terminal, and one of 12,000 steps."""
    path = tmp_path / "evil.honestly"
    call = ToolCall.of("1", f"bash{EVIL}", command=f"ls {EVIL}")
    step = Step(source="agent", message=EVIL, calls=(call,), observations=(Observation(text=EVIL, call_id="1"),))
    check = Check(id=f"c{EVIL}", status="failed", message=f"wrong{EVIL}")
    trial = Trial(
        id=BIG,
        agent=f"a{EVIL}",
        task="t",
        sample=0,
        outcome=Outcome.FAILED,
        verdict=Verdict(hidden=CheckRun(checks=(check,)), tampered=(EVIL,)),
        earlier=(Attempt(outcome=Outcome.VOID, reason=EVIL),),
    )
    edit = Edit(write=Tree.of({f"x{EVIL}.py": File(data=EVIL.encode())}))
    long = (Step(source="agent", message=f"step number {n} {'x' * 300}") for n in range(12000))
    with create_study(path, StudyFacts()) as store:
        store.add([Agent(name=trial.agent), Task(id="t", instruction=EVIL)])
        store.add_trial(trial, (each for each in [step] * 3), {"final.json": encode(edit)})
        many = Trial(id="0" * 32, agent=trial.agent, task="t", sample=1, outcome=Outcome.VOID, reason=EVIL)
        store.add_trial(many, long)
        store.add([Finding(trial=BIG, detector="d", version="1", state="flagged", note=EVIL)])
    return path


def test_the_table_has_the_fixed_keys_and_one_row_for_each_trial(ran):
    rows = plain("show", ran)["trials"]
    assert len(rows) == 14
    assert all(list(row) == KEYS.split() for row in rows)
    dead = [row for row in rows if row["agent"] == "dead/endpoint"]
    assert [(row["outcome"], row["attempts"], row["hidden"]) for row in dead] == [("void", 2, None)] * 2
    assert all(row["hidden"] and row["reason"] == "" for row in rows if row["agent"] == "sure")
    cheats = [row for row in rows if row["agent"] == "special-case"]
    assert all(row["visible"] and not row["hidden"] and "hidden checks" in row["reason"] for row in cheats)


def test_filters_combine_and_sorting_keeps_what_is_not_known_last(ran):
    def names(*options):
        return [(row["agent"], row["task"], row["sample"]) for row in plain("show", ran, *options)["trials"]]

    assert names("--agent", "special", "--task", "cache-tags") == [("special-case", "cache-tags", k) for k in (0, 1)]
    assert names("--outcome", "void", "--outcome", "passed", "--where", "agent~DEAD", "--limit", "1") == [
        ("dead/endpoint", "api-move", 0)
    ]
    assert names("--where", "visible=yes", "--where", "hidden=no", "--where", "sample>0", "--task", "api-move") == [
        ("special-case", "api-move", 1)
    ]
    assert len(names("--where", "seconds=none")) == 2
    assert [name for name, *_ in names("--sort", "-seconds")][-2:] == ["dead/endpoint"] * 2
    seconds = [row["seconds"] for row in plain("show", ran, "--sort", "seconds")["trials"]][:-2]
    assert seconds == sorted(seconds)
    assert names("--where", "seconds>100000") == []


def test_why_groups_by_reason_and_its_commands_show_what_they_say(ran):
    found = plain("show", ran, "--why")["reasons"]
    assert {each["outcome"]: each["trials"] for each in found}["void"] == 2
    for group in found:
        words = group["command"].split()
        assert words[:2] == ["honestly", "show"]
        again = plain(*words[1:])["trials"]
        assert len(again) == group["trials"]
        assert group["example"] in {row["id"] for row in again}
    assert "there is no connection after …" in run("show", ran, "--why", "--outcome", "void")


def test_a_report_says_the_same_reasons(ran):
    text = " ".join(run("report", ran, "--details").split())
    assert "2 void 2 ModelError: http://…" in text
    assert "--outcome void --why" in text
    assert [each["trials"] for each in plain("report", ran)["reasons"] if each["outcome"] == "void"] == [2]


def test_a_trial_is_found_by_any_unique_beginning_or_by_its_names(ran):
    row = next(row for row in plain("show", ran)["trials"] if row["agent"] == "special-case")
    by_id = plain("show", ran, row["id"][:10])
    assert by_id["id"] == row["id"]
    assert plain("show", ran, f"special-case/{row['task']}/{row['sample']}") == by_id
    assert plain("show", ran, "dead/endpoint/api-move/0")["earlier"][0]["reason"] == "the key was refused"
    assert plain("show", ran, "dead/endpoint/api-move")["attempts"] == 2
    for name, said in [
        ("specialcase/api-move/0", "did you mean 'special-case/api-move/0'"),
        ("zzz", "expected an id"),
        ("special-case/api-move", "2 trials"),
    ]:
        assert said in str(CliRunner().invoke(cli, ["show", str(ran), name]).exception)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agent", "spezial-case"], "did you mean 'special-case'"),
        (["--task", "cache-tag5"], "did you mean 'cache-tags'"),
        (["--where", "secnds>1"], "did you mean 'seconds'"),
        (["--where", "seconds>soon"], "expected a number"),
        (["--where", "seconds=soon"], "expected a number"),
        (["--where", "hidden=soon"], "expected yes, no or none"),
        (["--where", "outcome=soon"], "expected one of passed, failed"),
        (["--where", "no condition"], "is not a condition"),
        (["--sort", "agnet"], "did you mean 'agent'"),
    ],
)
def test_mistakes_are_told_with_what_was_meant(ran, options, said):
    assert said in str(CliRunner().invoke(cli, ["show", str(ran), *options]).exception)


def test_a_page_says_what_failed_and_what_was_done(ran):
    text = run("show", ran, "special-case/cache-tags/0")
    for words in ("hidden checks: ", "failed check_cache_tags.", "0 agent", "final change", "+++ b/cachebox/cache.py"):
        assert words in text
    whole = plain("show", ran, "special-case/cache-tags/0", "--full")
    assert len(whole["steps"]) == whole["steps_total"]
    assert whole["verdict"]["hidden"]["checks"]
    one = plain("show", ran, "special-case/cache-tags/0", "--steps", "1")["steps"]
    for more in ([], ["--json"]):
        absent = CliRunner().invoke(cli, ["show", str(ran), "special-case/cache-tags/0", "--steps", "999", *more])
        assert "there is no step 999" in str(absent.exception)
    assert [step["index"] for step in one] == [1]
    assert one[0] == whole["steps"][1]
    assert "attempt 2; before it:" in run("show", ran, "dead/endpoint/api-move/0")


def test_nothing_that_a_trial_holds_acts_on_a_terminal(hostile):
    for arguments in ([], ["--why"], [BIG[:9]], [BIG, "--full"], [BIG, "--steps", "0:9"], ["0000"]):
        text = run("show", hostile, *arguments)
        assert all(char.isprintable() or char == "\n" for char in text)
        assert "look" in text


def test_of_many_steps_only_those_that_are_shown_are_read(hostile, monkeypatch):
    from honestly.store import _payloads

    read = []
    unpack = _payloads.unpacked_frame
    monkeypatch.setattr(_payloads, "unpacked_frame", lambda data, size: (read.append(size), unpack(data, size))[1])
    text = run("show", hostile, "0000")
    assert "step number 14 " in text
    assert "step number 11999 " in text
    assert "step number 15 " not in text
    assert "steps 15 to 11984 (--steps 15:11984)" in text
    with open_study(hostile) as store:
        size = store.trajectory_info("0" * 32).size
    assert 0 < sum(read) < size / 2
    assert "step number 6000 " in run("show", hostile, "0000", "--steps", "6000:6001")


@pytest.mark.slow
def test_other_peoples_trials_are_shown_too(tmp_path):
    path = tmp_path / "tb.honestly"
    source = Path(__file__).parents[2].parent / "shared" / "data" / "terminal-bench"
    if not source.is_dir():
        pytest.skip("the Terminal-Bench results are not beside this repository")
    with create_study(path, StudyFacts(imported_from=source.name)) as store:
        store.add(read_terminal_bench(source))
    rows = plain("show", path, "--outcome", "void", "--where", "reason=parse_error")["trials"]
    assert len(rows) == 131
    text = run("show", path)
    assert "3,600 trials, the first 50" in text
    assert "agent_timeout" in run("show", path, "--why", "--outcome", "limit")


@pytest.mark.slow
def test_in_a_terminal_a_trial_comes_through_the_pager(ran, tmp_path):
    terminal = Terminal(
        *("-m", "honestly", "show", str(ran), "special-case/cache-tags/0"),
        cwd=tmp_path,
        env={"PAGER": "less", "LESS": ""},
    )
    terminal.until("special-case at cache-tags", "lines 1-")
    terminal.press("G")
    terminal.until("(the end)")
    terminal.press("q")
    assert terminal.ended() == 0


def test_a_narrow_table_keeps_the_outcome(tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,passed\nclaude-code+opus,sort-a-linked-list-in-place,1\nnop,b,0\n")
    assert CliRunner().invoke(cli, ["study", "import", f"{tmp_path}/t.csv", "-o", f"{tmp_path}/s"]).exit_code == 0
    shown = CliRunner().invoke(cli, ["show", f"{tmp_path}/s"], env={"COLUMNS": "40"}).stdout.splitlines()
    assert shown[1].split() == ["id", "agent", "task", "outcome"]
    assert [line.split()[-1] for line in shown[2:4]] == ["passed", "failed"]
    assert max(map(len, shown)) <= 40


@pytest.mark.slow
def test_the_table_fits_a_terminal(ran, tmp_path):
    terminal = Terminal("-m", "honestly", "show", str(ran), cwd=tmp_path, env={"COLUMNS": "72"})
    assert terminal.ended() == 0
    lines = re.sub(r"\x1b\[[0-9;]*m|\r", "", terminal.shown).split("\n")
    table = lines[: next(n for n, line in enumerate(lines) if "shows one of them" in line)]
    assert sum("void" in line for line in table) == 2
    assert max(map(len, table)) <= 72


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("run embedded --task cache-tgs --agent nop -o {new}", "cache-tags"),
        ("compare {study} spezial-case sure", "special-case"),
        ("export {study} {new} --to atif --agent tamper-runer", "tamper-runner:rate=1"),
        ("export {study} {new} --to atif --task cache-tgs", "cache-tags"),
        ("audit {study} --monitor http://127.0.0.1:9/v1#x --estimate --agent spezial-case", "special-case"),
        ("audit {study} --monitor http://127.0.0.1:9/v1#x --estimate --task api-mvoe", "api-move"),
        ("replay {study} sure/api-mvoe/0", "sure/api-move/0"),
    ],
)
def test_every_command_answers_a_mistyped_name_with_the_nearest(ran, tmp_path, words, near):
    given = [word.format(study=ran, new=tmp_path / "new") for word in words.split()]
    error = CliRunner().invoke(cli, given).exception
    assert f"did you mean {near!r}?" in str(error)
    assert not (tmp_path / "new").exists()


def test_the_last_words_of_a_program_that_left_no_steps_are_shown(tmp_path):
    study = tmp_path / "s.honestly"
    line = "cli:sh -c 'echo > x; echo out of words; echo no such key >&2; exit 3' {instruction}"
    ran = CliRunner().invoke(cli, ["run", "embedded", "--task", "split-bill", "-a", line, "--out", str(study)])
    assert ran.exit_code == 0, ran.output
    with open_study(study) as store:
        (trial,) = store.trials()
    shown = CliRunner().invoke(cli, ["show", str(study), trial.id[:8]]).output
    assert "its program ended: exit status 3" in shown
    assert "stderr: no such key" in shown
    assert "stdout: out of words" in shown
