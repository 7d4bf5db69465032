"""The tree of commands: a first screen, groups, help under headings, old names with new ones, and no traceback anywhere."""

import itertools
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from forked import honestly
from honestly.cli import COMMANDS, FIRST_SCREEN, GROUPS, _renamed, cli, words_below
from honestly.cli._pages import best_answers, page_names, pages_folder
from honestly.command import Verb
from honestly.errors import HonestlyError
from honestly.store import create_study, open_study

RESERVED = {
    "effect",
    "calibrate",
    "credit",
    "record",
    "guard",
    "setup",
    "deps",
    "watch",
    "recipe",
    "uncertainty",
    "check",
}


def command_at(words: str) -> click.Command:
    found, rest = cli, words.split()
    while rest:
        _, found, rest = found.resolve_command(click.Context(found), rest)
    return found


def test_the_first_screen_has_at_most_twelve_verbs_in_three_groups():
    shown = honestly("--help").stdout
    verbs = [name for names in FIRST_SCREEN.values() for name in names]
    assert len(FIRST_SCREEN) == 3
    assert len(verbs) <= 12
    assert re.findall(r"^  ([a-z]+)  ", shown, re.MULTILINE) == verbs
    assert len(shown.splitlines()) <= 40


def test_an_option_that_needs_another_is_refused_without_it(tmp_path):
    alone = [
        (words, param.opts[0], need[1])
        for words in COMMANDS
        for param in command_at(words).params
        if (need := re.match(r"With (--[\w-]+):", getattr(param, "help", None) or ""))
    ]
    assert len(alone) >= 15
    for words, option, need in alone:
        assert need in [name for param in command_at(words).params for name in param.opts], (words, option)
    with create_study(tmp_path / "s.honestly"):
        pass
    given = {
        ("show", "--kind"): ("s.honestly", "--kind", "run"),
        ("audit", "--readings"): ("s.honestly", "--readings", "3"),
        ("check", "--model"): ("--model", "script:x"),
        ("gate", "--names"): ("s.honestly", "--at-least", "5", "--names", "PyPI=n"),
        ("bench hunt", "--tell"): (".", "--tell", "ann"),
    }
    for (words, option), rest in given.items():
        assert (words, option) in [each[:2] for each in alone]
        done = honestly(*words.split(), *rest, cwd=tmp_path)
        assert done.returncode == 2, (words, done.stderr)
        assert f"{option} has no effect without --" in done.stderr, (words, done.stderr)


def test_help_all_names_every_command_with_its_line():
    shown = " ".join(honestly("--help-all").stdout.split())
    for words, (_, line) in COMMANDS.items():
        assert f" {words} " in shown, words
        assert line[:30] in shown, words


@pytest.mark.parametrize("words", [*COMMANDS, *GROUPS])
def test_every_command_of_the_table_is_there(words):
    found = command_at(words)
    assert isinstance(found, Verb if words in COMMANDS else click.Group)
    assert found.help


def test_no_reserved_name_is_taken_for_something_else():
    rooms = {words.split()[0]: place.partition(".")[0] for words, (place, _) in COMMANDS.items()}
    homes = {"deps": "guard", "setup": "guard", "watch": "train", "credit": "people", "recipe": "recipes"}
    homes["record"] = "recording"
    assert {rooms[name] for name in RESERVED & rooms.keys()} == {
        homes.get(name, name) for name in RESERVED & rooms.keys()
    }
    assert not (RESERVED & {old.split()[0] for old in _renamed.COMMANDS})


def test_every_old_name_leads_to_a_command_and_says_so_once():
    for old, new in _renamed.COMMANDS.items():
        words, lines = _renamed.with_new_names(old.split())
        assert words == new.split()
        assert len(lines) == 1
        assert repr(new) in lines[0]
        assert new in COMMANDS or new in GROUPS, new
        assert old not in COMMANDS, old
    for words, renamed in _renamed.OPTIONS.items():
        names = {name for param in command_at(words).params for name in param.opts}
        assert set(renamed.values()) <= names, words
        assert not set(renamed) & names, words


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("tasks from-commit . HEAD --into x", "task from commit . HEAD --out x"),
        ("tasks check mine --only=a -- --only", "task check mine --task=a -- --only"),
        ("agent --model m", "agent do --model m"),
        ("improve . status", "improve run . status"),
        ("improve status loop", "improve status loop"),
        ("run embedded -a nop --budget-usd 1", "run embedded -a nop --trial-usd 1"),
        ("stress run r.toml -a nop --budget-tokens=5", "audit stress run r.toml -a nop --trial-tokens=5"),
        ("memory revoke f k", "agent memory rm f k"),
        ("calibrate s.honestly --level 0.9", "calibrate s.honestly --alpha 0.1"),
        ("disclose s.honestly --level=0.99 -o p.md", "audit disclose s.honestly --alpha=0.01 -o p.md"),
        ("study ls", "study list"),
        ("model s.honestly", "stats fit s.honestly"),
    ],
)
def test_old_words_become_new_ones(line, now):
    assert _renamed.with_new_names(line.split())[0] == now.split()


def test_new_words_stay_as_they_are():
    for words in COMMANDS:
        assert _renamed.with_new_names([*words.split(), "--into-x", "improve"]) == (
            [*words.split(), "--into-x", "improve"],
            [],
        )
    for group, command in _renamed.BARE.items():
        assert command in words_below(group)


@pytest.mark.slow
def test_an_old_name_answers_as_the_new_one_and_says_so_on_standard_error():
    old, new = honestly("tasks", "list", "--json"), honestly("task", "list", "--json")
    assert old.stdout == new.stdout
    assert old.stderr == new.stderr.rstrip("\n") + "note: 'tasks' is now 'task'; the old name works until version 0.4\n"


def test_a_command_with_many_options_shows_the_usual_ones_first():
    usual, whole = (honestly("run", word).stdout for word in ("--help", "--help-all"))
    assert len(re.findall(r"^  -", usual, re.MULTILINE)) <= 12
    assert "--budget" in usual
    assert "--breaker" not in usual
    assert "--breaker" in whole
    titles = re.findall(r"^([A-Z][a-z ]+):$", whole, re.MULTILINE)
    assert titles[:5] == ["Options", "What", "Model", "Limits of one trial", "Statistics"]


@pytest.mark.parametrize("words", ["run", "audit", "gate", "report", "review", "stats plan", "improve run", "compare"])
def test_help_fits_a_screen(words):
    assert len(honestly(*words.split(), "--help").stdout.splitlines()) <= 45


def test_a_verb_has_others_below_it():
    assert "honestly audit conduct" in honestly("audit", "--help").stdout
    assert honestly("audit", "conduct", "--help").stdout.startswith("Usage: honestly audit conduct")
    assert honestly("audit", "stress", "--help").stdout.count("\n  ") >= 6


@pytest.mark.parametrize(("typed", "meant"), [("reprot", "report"), ("certify", "task certify")])
def test_a_mistyped_or_misplaced_command_is_answered_with_the_near_one(typed, meant):
    done = honestly(typed)
    assert done.returncode == 2
    assert f"honestly {meant}" in done.stderr


def words_of(generator):
    pool = [*(each for words in COMMANDS for each in words.split()), *_renamed.COMMANDS, "--help", "--help-all", "--json", "-k", "-a", "x", "",
            "-", "--", "é", "--out", "--only", "a/b/0", "999999999999999999999", "absent.honestly", "--version"]  # fmt: skip
    return [generator.choice(pool) for _ in range(generator.randint(0, 5))]


def test_no_words_end_in_a_traceback(tmp_path, monkeypatch):
    """Only what is answered at once: words that would begin a run lack what it needs."""
    monkeypatch.chdir(tmp_path)
    generator = random.Random(7)
    slow = {
        "demo",
        "do",
        "doctor",
        "serve-mcp",
        "mcp",
        "view",
        "check",
        "certify",
        "harden",
        "tasks",
        "run",
        "languages",
        "status",
    }
    for _ in range(60):
        words = words_of(generator)
        if slow & set(words):
            continue
        done = CliRunner().invoke(cli, words)
        assert (
            done.exception is None
            or isinstance(done.exception, SystemExit | click.ClickException)
            or (type(done.exception).__module__.startswith("honestly"))
        ), (words, done.exception)


PLAIN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "NO_COLOR": "1"}
PLAIN |= {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}


@pytest.mark.parametrize("columns", ["40", *(pytest.param(each, marks=pytest.mark.slow) for each in ("80", "200"))])
@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(each, marks=pytest.mark.slow) for each in ("latin-1", "utf-8"))]
)
def test_every_width_and_encoding_is_answered(columns, encoding):
    env = PLAIN | {"COLUMNS": columns, "PYTHONIOENCODING": encoding}
    for words in (["--help-all"], ["run", "--help-all"], ["task", "list"], ["help", "methods/pass-at-k"], ["absent"]):
        done = subprocess.run([sys.executable, "-m", "honestly", *words], env=env, capture_output=True)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        assert done.returncode == (2 if words == ["absent"] else 0)
        done.stdout.decode(encoding)
        done.stderr.decode(encoding)


def test_a_terminal_of_no_width_is_answered():
    env = PLAIN | {"COLUMNS": "0", "LINES": "0"}
    done = subprocess.run([sys.executable, "-m", "honestly", "task", "list"], env=env, capture_output=True)
    assert b"split-bill" in done.stdout


def test_an_answer_is_never_written_over_a_study(tmp_path):
    place = tmp_path / "a.honestly"
    create_study(place).close()
    size = place.stat().st_size
    for words in (
        ["run", "embedded", "-a", "nop", "--save-config", place, "--dry-run"],
        ["run", "embedded", "-a", "nop", "--task", "split-bill", "--log", place, "--out", tmp_path / "new.honestly"],
        ["report", place, "--html", place],
        ["audit", "disclose", place, "--out", place],
        ["review", place, "--export", place],
        ["export", place, "--to", "bundle", "--out", place],
    ):
        found = CliRunner().invoke(cli, [*map(str, words)])
        assert place.stat().st_size == size, words
        open_study(place).close()
        assert found.exit_code or "nothing" in found.output, words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "https://example.com/a.json"], "is an address, which is not read; download it"),
        (["run", "embedded", "-a", "honest", "-m", "gpt-5"], "does not say whose model; expected VENDOR:MODEL"),
        (["run", "STUDY", "-a", "nop"], "is a study, not a suite"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(words, said, tmp_path):
    create_study(tmp_path / "a.honestly").close()
    found = CliRunner().invoke(cli, [str(tmp_path / "a.honestly") if word == "STUDY" else word for word in words])
    assert said in str(found.exception or found.output)


def test_results_from_a_pipe_are_refused_in_a_line():
    done = subprocess.run([sys.executable, "-m", "honestly", "report", "/dev/stdin"], input="agent,task,passed\n", capture_output=True, text=True)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "/dev/stdin is not read; write the results to a file, and name it" in done.stderr


def test_names_that_are_no_text_are_read(tmp_path):
    place = os.fsencode(tmp_path) + b"/caf\xe9.honestly"
    create_study(Path(os.fsdecode(place))).close()
    for words in (["status", place], ["study", "list", str(tmp_path)], ["show", place]):
        done = subprocess.run([sys.executable, "-m", "honestly", *words], capture_output=True, env=os.environ)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        assert done.returncode in {0, 2}


def test_a_minus_stays_one_where_the_terminal_lacks_it():
    env = PLAIN | {"PYTHONIOENCODING": "latin-1", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    code = "import sys, honestly.cli\nsys.stdout.reconfigure(errors='plain-or-replace')\nprint('−19.2 日')"
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True).stdout == b"-19.2 ?\n"


def test_a_pipe_that_closes_early_is_no_error():
    for words in ("--help-all", "help"):
        command = f"{sys.executable} -m honestly {words} | head -1"
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
        assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("honestly rep", {"report"}), ("honestly task fr", {"from"}), ("honestly task from re", {"repo"}),
     ("honestly run --sam", {"--samples"}), ("honestly nosuch --", {"--help-all", "--version", "--help"}),
     ("honestly run x -m goo", {"google"}), ("honestly report x --from kern", {"kernelbench"}), ("honestly improve run x --loop ref", {"reflect"}), ("honestly run emb", {"embedded"}),
     ("honestly run embedded -a no", {"nop"}), ("honestly run embedded --arm anti", {"anti-hack"}),
     ("honestly run embedded --memory pla", {"placebo"}), ("honestly run embedded --on ra", {"ray"}), ("honestly run embedded --task api-", {"api-move"}),
     ("honestly report x --by cat", {"category"}), ("honestly image rm no-such", {"no-such"}), ("honestly compare s", {"s"}), ("honestly deps s", {"s"}),
     ("honestly export --to juni", {"junit"}), ("honestly help repl", {"replay"}), ("honestly task get quix", {"quixbugs"}),
     ("honestly recipe selfplay-", {"selfplay-transformer"}), ("honestly audit --rej", {"--rejudge"}), ("honestly gate --cannot-tell p", {"pass"})],
)  # fmt: skip
def test_the_shell_completes_commands_and_options(typed, offered):
    env = os.environ | {"_HONESTLY_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run([str(Path(sys.executable).with_name("honestly"))], env=env, capture_output=True, text=True)
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == offered, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_lines_give_a_completion(shell):
    env = os.environ | {"_HONESTLY_COMPLETE": f"{shell}_source"}
    done = subprocess.run([str(Path(sys.executable).with_name("honestly"))], env=env, capture_output=True, text=True)
    assert "_HONESTLY_COMPLETE" in done.stdout
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_pages_that_help_names_are_there():
    named = set()
    for words in COMMANDS:
        context = click.Context(command_at(words))
        text = " ".join(
            [context.command.help or "", *(getattr(each, "help", "") or "" for each in context.command.params)]
        )
        named |= set(re.findall(r"docs/([\w/-]+)\.md", text))
    assert len(named) > 10
    for page, _ in itertools.product(sorted(named), [0]):
        assert honestly("help", page).stdout.startswith("# "), page
    assert "first-hour" in honestly("help").stdout


def test_help_loads_neither_numbers_nor_agents():
    """So that each help takes less than 200 ms of CPU."""
    code = """
import sys, click
from honestly.cli import cli
from honestly.cli._tree import COMMANDS
for words in COMMANDS:
    found, rest = cli, words.split()
    while rest:
        _, found, rest = found.resolve_command(click.Context(found), rest)
    found.get_help(click.Context(found))
    heavy = {"numpy", "honestly.runner._run", "honestly.agents._make", "honestly.verify._verify"} & set(sys.modules)
    assert not heavy, (words, heavy)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", ["effect", "check", "audit"])
def test_help_is_as_wide_as_the_terminal(words):
    for columns in (40, 80):
        env = PLAIN | {"COLUMNS": str(columns), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        shown = subprocess.run(
            [sys.executable, "-m", "honestly", words, "--help"], env=env, capture_output=True, text=True
        )
        assert max(map(len, shown.stdout.splitlines())) <= columns


@pytest.mark.parametrize("width", [40, pytest.param(80, marks=pytest.mark.slow)])
def test_help_of_every_command_fits_a_narrow_terminal(width):
    for words in (*GROUPS, *COMMANDS):
        shown = CliRunner().invoke(cli, [*words.split(), "--help-all"], terminal_width=width - 2, prog_name="honestly")
        assert [line for line in shown.output.splitlines() if len(line) > width] == [], words


FOUND = {
    "uninstall": "store", "upgrade": "stability", "openrouter": "models", "azure": "models", "bedrock": "models",
    "http proxy": "models", "telemetry": "store", "cite": "stability", "license": "stability", "licence": "stability",
    "report a vulnerability": "sandbox", "codespaces": "sandbox", "docker": "sandbox", "contamination": "report",
    "share results": "view", "delete a study": "study", "disk full": "faults", "resume": "run", "rate limit": "models",
    "timeout": "tasks", "internet access": "agent", "the patch of a trial": "show", "compare prompts": "agent",
    "cost per task": "report", "windows": "sandbox", "macos": "sandbox", "pandas": "notebook", "where is the cache": "store",
    "how do I compare two agents": "compare", "parallel": "run", "rubric": "audit", "swe-bench": "suites",
    "full prompt": "external-agents", "subscription": "external-agents", "give the agent an mcp server": "external-agents", "flaky tests": "tasks-certify",
    "filter tasks by tag": "run", "annotate trials": "review", "token usage": "show", "redact secrets": "external-agents",
    "add my own detector": "extending", "github action": "gate", "rerun failed trials": "run", "temperature": "agent",
    "install offline": "sandbox", "exclude task": "report", "dotenv": "models", "env file": "models", "cpu cores": "tasks",
    "reproduce a study": "export", "own metric": "import", "debug task shell": "external-agents", "color": "commands",
    "NO_COLOR": "commands", "monorepo": "tasks-from", "apt packages": "images", "steps limit": "agent", "add samples": "run",
    "how long does it take": "run", "statistical significance": "compare", "confidence interval 90": "report",
    "false positives of the audit": "audit-corpora", "compare two commits": "check", "hide tests from the agent": "verdicts",
    "jupyter": "notebook", "ollama": "models", "postgres": "store", "export to wandb": "export",
    "how many tasks do I need": "plan", "exit codes": "commands", "subset": "run", "allowlist": "sandbox", "filter tasks": "run",
    "budget cap dollars": "run", "why did a trial fail": "show", "pass@k five times": "run", "random sample of tasks": "run",
    "run a single task": "tasks", "epochs": "run", "max tokens": "agent", "few shot examples": "agent", "mock the model": "models",
    "view logs in the browser": "view", "RAG": "uncertainty", "custom scorer": "import", "langchain": "external-agents",
    "kubernetes": "sandbox", "slurm": "ray", "human baseline": "record", "regression test in CI": "gate", "gold patch": "tasks",
    "create a dataset": "tasks", "javascript assertion": "tasks", "prompt injection": "stress", "yaml config": "run",
    "opentelemetry": "status", "production traces": "import", "slack notification": "run", "max connections": "models",
    "out of memory": "sandbox", "GPU": "suites", "private docker registry": "images", "majority vote": "audit",
    "item response theory": "model", "plot results": "report", "pareto": "model", "sign results": "check", "jenkins": "gate",
    "what does void mean": "run", "rename an agent": "agent", "sample size": "plan", "import from langsmith": "import",
    "corporate firewall": "models", "does adding an MCP server help": "run", "turn on network for agent": "agent",
    "budget in dollars": "run", "infrastructure errors": "run", "what the agent did step by step": "show",
    "how many tasks detect 3 points": "plan", "hidden tests too narrow": "tasks-certify", "claude code hooks": "run",
    "corporate proxy certificate": "models", "fail fast stop after first failure": "run", "prompt caching": "models",
    "claude -p own flags": "external-agents", "pin version of claude code": "external-agents", "langfuse": "import",
}  # fmt: skip


@pytest.mark.parametrize(("words", "page"), FOUND.items())
def test_help_finds_the_page_that_answers_some_words(words, page):
    answers = best_answers(words, pages_folder(), page_names())
    assert any(re.search(rf"honestly help {page}\b", answer) for answer in answers[:3]), answers


def test_the_command_that_help_prints_for_the_sample_size_runs():
    printed = best_answers("how many samples power", pages_folder(), page_names())[0]
    words = re.findall(r"`honestly ([^`]+)`", printed)[0].split()
    assert "you need 2,181 questions" in " ".join(CliRunner().invoke(cli, words).output.split())


def test_help_answers_words_and_refuses_what_nothing_speaks_of():
    assert "no telemetry" in honestly("help", "no", "telemetry").stdout
    done = honestly("help", "reprot")
    assert (done.returncode, "did you mean 'report'" in done.stderr) == (0, True)
    assert "(honestly help report)" in done.stdout
    assert "honestly sets the flags" in honestly("help", "claude", "-p", "flags").stdout
    done = honestly("help", "qwzx")
    assert (done.returncode, done.stdout) == (2, "")
    assert "none speaks of it" in done.stderr


@pytest.mark.parametrize("given", [["--expect", ""], ["--expect="], ["--mirror", ""]])
def test_an_empty_option_as_of_an_unset_variable_is_refused(given):
    done = CliRunner().invoke(cli, ["task", "get", "quixbugs", *given])
    assert done.exit_code == 2
    assert "is empty" in done.output


@pytest.mark.parametrize("words", ["task list", "plugin list", "plugin skill", "image list", "task new", "status"])
def test_a_command_without_words_behind_it_is_answered(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, words.split())
    assert done.exit_code in {0, 2} or isinstance(done.exception, HonestlyError), done.exception


def test_a_place_without_a_name_and_an_unknown_format_are_named(tmp_path):
    create_study(tmp_path / "a.honestly").close()
    done = honestly("export", str(tmp_path / "a.honestly"), "--to", "junit", "--out", "/")
    assert (done.returncode, "without a name" in done.stderr, "Traceback" in done.stderr) == (2, True, False)
    done = honestly("export", str(tmp_path / "a.honestly"), "--to", "nosuch")
    assert (done.returncode, "nosuch" in done.stderr) == (2, True)


def test_a_current_folder_that_is_gone_is_named(tmp_path):
    command = f"mkdir gone; cd gone; rmdir ../gone; {sys.executable} -m honestly run embedded -a nop --dry-run"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "current folder was removed" in done.stderr) == (2, True), done.stderr[-500:]


def test_an_error_that_nobody_can_read_keeps_its_exit_code():
    with Path("/dev/full").open("w") as full:
        assert subprocess.run([sys.executable, "-m", "honestly", "absent"], stderr=full).returncode == 2


def test_a_wrong_setting_names_the_file_that_it_came_from(tmp_path):
    (tmp_path / "c.toml").write_text('agents = ["nop"]\n')
    done = honestly("run", "-c", str(tmp_path / "c.toml"))
    assert (done.returncode, "c.toml" in done.stderr) == (2, True)


def test_help_of_the_viewer_needs_none_of_its_packages():
    code = "import sys, honestly.web._cli; assert not {'starlette', 'nh3', 'uvicorn'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_reading_a_study_loads_nothing_that_runs_work():
    """Sandboxes, sites and the client of models would double the time of `show`, `report` and `compare`."""
    names = {"httpx2", "honestly.sites._site", "honestly.verify._verify"}
    code = f"import sys\nfrom honestly.studies import Study, open\nprint({names} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")


def _needing_a_word() -> list[str]:
    """Commands that refuse to start without an argument or an option."""
    return [words for words in COMMANDS if any(each.required for each in command_at(words).params)]


@pytest.mark.parametrize("is_there", [False, True], ids=["no study", "a study in runs"])
@pytest.mark.parametrize("words", _needing_a_word())
def test_a_missing_argument_or_option_is_explained(words, is_there, tmp_path, monkeypatch):
    """The newest study takes the place of a missing one, so that the next argument is asked for."""
    monkeypatch.chdir(tmp_path)
    if is_there:
        Path("runs").mkdir()
        create_study("runs/s.honestly").close()
    said = CliRunner().invoke(cli, words.split()).output.rpartition("Error: ")[2]
    if "Missing" in said:
        assert len(said.partition(". ")[2].split()) >= 5, said
        assert "\\" not in said
        assert not re.search(r"'\. [A-Z|]+ (?:are worth|is worth|has now)", said), "in the middle of a sentence"


def test_what_other_programs_say_is_answered_with_commands_that_there_are():
    assert {words for words in _renamed.ELSEWHERE if not words.startswith(("help ", "--"))} <= set(COMMANDS)
    assert not {word for words in _renamed.ELSEWHERE.values() for word in words.split()} & set(words_below(""))
    assert set(_renamed.VERBS) <= {words.split()[-1] for words in COMMANDS}


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("agent tikets -m m", "agent tikets -m m"),
        ("improve start", "improve start"),
        ("agent 'repair the tests' -m m", "agent do 'repair the tests' -m m"),
        ("agent -m m", "agent do -m m"),
        ("improve there", "improve run there"),
        ("improve made --new=curve", "improve run made --new=curve"),
    ],
)
def test_one_bare_word_below_a_group_is_never_a_task_for_an_agent(words, new, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    assert _renamed.with_new_names(shlex.split(words))[0] == shlex.split(new)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("setup lint nosuch", "there is no folder 'nosuch'. `cli setup lint DIR`: Look for"),
        ("setup lint a.csv", "found a file, 'a.csv'; expected a folder. `cli setup lint DIR`"),
        ("report a.csv --figures a.csv", "found a file, 'a.csv'; expected a folder; name another, which is made if"),
        ("gate a.csv --junit sub", "found a folder, 'sub'; expected a file: add a file's name, such as sub/NAME"),
        ("rerun sub", "found a folder, 'sub'; expected a file. `cli rerun BUNDLE`"),
        ("rerun b.csv", "there is no file 'b.csv' (did you mean 'a.csv'?)"),
        ("plugin new detectr x", "found 'detectr' (did you mean 'detector'?); expected agent, detector"),
        ("run embedded -a nop extra", "Unexpected argument 'extra'; expected only SUITE."),
        ("gate a.csv --at-least 5 --cannot-tell maybe", "found 'maybe'; expected pass or fail"),
        ("stats plan --agents a", "--agents needs 2 values."),
        ("report -", "'-' is none; write the results to a file, and name it"),
        ("run embedded --jobs", "--jobs needs a value. Expected --jobs NUMBER: How many trials"),
        ("run embedded --zzz", "No such option '--zzz'. cli run --help-all lists all options."),
        ("run embedded --limit 5", "No such option '--limit'. Did you mean '--draw'?"),
        ("export s --format csv", "No such option '--format'. Did you mean '--to'?"),
        ("eval embedded", "No such command 'eval'. Did you mean 'honestly run'?"),
        ("list", "No such command 'list'. Did you mean 'honestly study list'?"),
        ("study delete x", "Did you mean 'honestly study rm'?"),
        ("agent tikets", "No such command 'tikets'. Did you mean 'honestly agent tickets'?"),
        ("rm", "Did you mean 'honestly study rm'?"),
        ("leaderbord", "Did you mean 'honestly report'?"),
        ("merg", "`honestly help merg` searches"),
        ("study show x", "Did you mean 'honestly show'?"),
        ("agent start", "No such command 'start'. There are: "),
        ("run embedded --api-key x", "Keys come from the environment"),
        ("guard init", "No such command 'init'. There are: "),
        ("shwo", "Did you mean 'honestly show'?"),
        ("run embedded --temperature 0", "No such option '--temperature'. It is a setting of the agent: -a honest:"),
        ("run embedded --agnet nop", "Did you mean '--agent'?"),
        ("show s --ful", "Did you mean '--full'?"),
        ("show s --final", "No such option '--final'. cli show --help-all lists all options."),
        ("zebra", "`honestly help zebra` searches the documentation; honestly --help-all lists all commands."),
    ],
)
def test_what_the_parser_refuses_names_what_it_found_what_it_expected_and_what_to_do(
    words, said, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("agent,task,passed\na,t,1\n")
    (tmp_path / "sub").mkdir()
    done = CliRunner().invoke(cli, words.split())
    assert done.exit_code == 2
    assert said in done.output
