"""A run as a file: what is written is read as the same, the command line goes before it, and slips are named."""

import json

import pytest
from hypothesis import given, strategies as st

from forked import honestly
from honestly.errors import SettingsError
from honestly.studies import RunSettings, read_run_config, run_config_text

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(suite=TEXT, agents=st.lists(TEXT, min_size=1, max_size=3), tasks=st.lists(TEXT, max_size=2), samples=st.integers(1, 9),
       usd=st.none() | st.floats(0, 1e6), strict=st.booleans())  # fmt: skip
def test_what_is_written_is_read_as_the_same(tmp_path_factory, suite, agents, tasks, samples, usd, strict):
    path = tmp_path_factory.mktemp("config") / "study.toml"
    settings = RunSettings(suite, agents, tasks=tasks, samples=samples, budget_usd=usd, strict=strict)
    path.write_text(run_config_text(settings), "utf-8")
    assert RunSettings(**read_run_config(path)) == settings


@pytest.mark.slow
def test_a_file_says_what_a_command_line_says_which_goes_before(tmp_path):
    words = (
        "run",
        "embedded",
        "-a",
        "nop",
        "-a",
        "honest:name=h,easy=0.5",
        "--task",
        "api-move",
        "-k",
        "3",
        "--seed",
        "4",
    )
    by_words = honestly(*words, "--save-config", "study.toml", "--dry-run", "--json", "-o", "s.honestly", cwd=tmp_path)
    assert by_words.returncode == 0, by_words.stderr
    by_file = honestly("run", "-c", "study.toml", "--dry-run", "--json", cwd=tmp_path)
    assert json.loads(by_file.stdout) == json.loads(by_words.stdout)
    fewer = json.loads(
        honestly("run", "-c", "study.toml", "-k", "1", "-a", "nop", "--dry-run", "--json", cwd=tmp_path).stdout
    )
    assert (fewer["samples"], fewer["to_run"]) == (1, 1)


def test_the_mark_of_an_editor_is_not_part_of_the_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_bytes(b'\xef\xbb\xbfsuite = "embedded"\n')
    assert read_run_config(path) == {"suite": "embedded"}


def test_an_agent_is_a_table_too(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        'suite = "embedded"\nagents = ["nop", {use = "claude-code", model = "a:b", name = "x,y", fast = true}]\n'
    )
    assert read_run_config(path)["agents"] == ["nop", "claude-code:model=a:b,name='x,y',fast=true"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('suit = "embedded"', "did you mean 'suite'"),
        ("suite = ", "cannot be read as settings of a run, which are TOML"),
        ("k = 3", "did you mean 'samples'?); there are: suite, agents, "),
        ("agents = [3]", "an agent is 3"),
        ("tasks = [1, 2]", "expected a text"),
        ("[budget]\nusd = 3", "expected a text"),
        ("samples = 0", "study.toml: samples is 0; expected at least 1"),
        (
            "seed = 1\nseed = 2",
            "study.toml cannot be read as settings of a run, which are TOML: seed is given twice (line 2)",
        ),
        ("seed = 2026-11-29", "seed is 2026-11-29; expected a whole number"),
        ("seed = {a = 1}", "seed is a table; expected a whole number"),
        ("agents = []", "study.toml: agents is empty"),
        ('tasks = ["nosuch"]', "settings were also read from study.toml"),
        ('out = "-"', "'-' is none"),
        ('samples = "many"', "samples"),
        ("strict = 3", "strict is 3; expected true or false"),
        ("seed = 1.5", "seed is 1.5; expected a whole number"),
        ("budget = 5", "budget is 5; expected a text in quotes"),
        ('[[agents]]\nuse = "nop"\nname = ["a"]', "name of an agent is"),
    ],
)
def test_a_slip_is_named(tmp_path, text, said):
    (tmp_path / "study.toml").write_text(text)
    done = honestly("run", "embedded", "-a", "nop", "-c", "study.toml", "--dry-run", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    if "nosuch" not in text and "out =" not in text:
        with pytest.raises(SettingsError):
            read_run_config(tmp_path / "study.toml")


def test_settings_are_not_written_over_another_file(tmp_path):
    words = ("run", "embedded", "-a", "nop", "--task", "split-bill", "--dry-run", "--save-config", "a")
    for _ in range(2):
        assert honestly(*words, cwd=tmp_path).returncode == 0
    (tmp_path / "a").write_text("agent,task,passed\n")
    assert honestly(*words, cwd=tmp_path).returncode == 2
    assert (tmp_path / "a").read_text() == "agent,task,passed\n"
