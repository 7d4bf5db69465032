"""A verb is said once: its options, its function's parameters and its help come from one record."""

import inspect
import json
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner

import honestly
from honestly.cli import cli
from honestly.errors import FormatError, SettingsError, StoreError
from honestly.models import Call, Message, read_rate
from honestly.records import Usage
from honestly.studies import RunSettings, Study, TableStudy

READING = {"kind", "columns", "scale", "outcome", "allow_refused", "allow_difference"}
"""Settings of `honestly.open`, which the commands that read results have as options."""
VERBS = {
    "run": honestly.run,
    "report": Study.report,
    "compare": Study.compare,
    "gate": honestly.gate,
    "verify": honestly.verify_samples,
    "audit": Study.audit,
    "plan": honestly.plan,
}
WORDS = {"verify": "bench samples", "plan": "stats plan"}
"""What the command line calls them."""
NOT_SETTINGS = {
    "run": {"dry_run", "config", "save_config", "then", "then_agent"},
    "report": {"study", "html", "figures", "details", "effort", "kept_in", "push_back"},
    "compare": {"words", "agents", "details"},
    "gate": {"details", "cannot_tell", "markdown", "junit", "github_summary", "no_package", "advisories", "names"},
    "verify": set(),
    "plan": {"details", "figures", "raters", "rating_gap", "domains"},
    "audit": {
        "study",
        "prevalence",
        "known",
        "width",
        "gold",
        "listing",
        "catalogue",
        "estimate",
        "question",
        "rubric",
        "readings",
    },
}
"""What is another function (`honestly.dry_run`), who is asked, and where the answer goes: the answer's own methods."""
NOT_OPTIONS = {
    "run": {"progress", "tell"},
    "report": {"self"},
    "compare": {"self", "a", "b", "other"},
    "gate": set(),
    "verify": {"progress"},
    "audit": {"self", "tell"},
    "plan": {"say"},
}

OTHERWISE = {
    ("unsafe", "unsafe_no_sandbox"),
    ("packages", "with"),
    ("budget_usd", "trial_usd"),
    ("budget_tokens", "trial_tokens"),
}
"""Where the library has a shorter word, or the option's is one of Python's own."""


@pytest.mark.parametrize("verb", VERBS)
def test_whatever_the_command_line_can_do_the_library_can_in_the_same_words(verb):
    command = cli
    for word in WORDS.get(verb, verb).split():
        command = command.get_command(None, word)
    options = {option.name: option for option in command.params if option.name not in READING}
    given = inspect.signature(VERBS[verb]).parameters
    assert options.keys() - {"as_json", "help", "help_all"} - NOT_SETTINGS[verb] == given.keys() - NOT_OPTIONS[verb]
    for name, option in options.items():
        if name not in given or option.param_type_name == "argument":
            continue
        spelt = max(option.opts, key=len).removeprefix("--").replace("-", "_")
        spelt = "tasks" if "--task" in option.opts else spelt
        assert name in {spelt, f"{spelt}s"} or (name, spelt) in OTHERWISE, (name, option.opts)
        if name == "agents" and verb == "plan":
            continue  # the only option with two values
        assert option.help.split("  [")[0].rstrip() in " ".join(VERBS[verb].__doc__.split()), name


def test_what_an_option_would_refuse_the_library_refuses_in_words():
    for given, words in (
        ({"samples": 0}, "samples is 0; expected at least 1 and at most 10000"),
        ({"alpha": 0.9, "until": "a>b"}, "at most 0.5"),
        ({"budget_usd": float("nan")}, "trial-usd is nan"),
    ):
        with pytest.raises(SettingsError, match=words):
            honestly.run("embedded", "nop", **given)
    with pytest.raises(SettingsError, match="--alpha is the level of --until"):
        honestly.dry_run("embedded", "nop", alpha=0.1)
    with pytest.raises(TypeError, match="sampels"):
        honestly.run("embedded", "nop", sampels=3)


def test_one_text_will_do_where_several_may_be_given():
    assert RunSettings("embedded", "nop", tasks="a").tasks == RunSettings("embedded", ["nop"], tasks=["a"]).tasks


def test_a_dry_run_of_the_library_is_that_of_the_command_line(tmp_path):
    found = honestly.dry_run(
        "embedded", ["honest", "nop"], tasks="split-bill", samples=3, first="agent=nop", out=tmp_path / "s.honestly"
    )
    assert (found.to_run, found.tasks, found.next[0][0]) == (6, 1, "nop")
    assert list(tmp_path.iterdir()) == []


class Slow:
    """A model that takes a moment, ends at once, and knows how many asked together."""

    name = "slow"
    now = most = calls = 0

    async def __call__(self, messages, tools=(), settings=None):
        self.now, self.calls = self.now + 1, self.calls + 1
        self.most = max(self.most, self.now)
        await anyio.sleep(0.3)
        self.now -= 1
        done = Call(id=f"c{self.calls}", name="finish", arguments='{"outcome": "done", "summary": "x"}')
        return Message(role="assistant", calls=(done,), usage=Usage(input_tokens=1, output_tokens=1))


@pytest.mark.slow
def test_a_run_asks_its_model_no_faster_than_said(tmp_path):
    most = {}
    for rate in ("", "1 at-once"):
        model = Slow()
        honestly.run(
            "embedded", "honest", models=model, tasks="split-bill", samples=3, jobs=3, rate=rate,
            out=tmp_path / f"{bool(rate)}.honestly", preflight=False,
        )  # fmt: skip
        most[rate] = model.most
    assert most == {"": 3, "1 at-once": 1}


def test_a_rate_is_read_as_people_write_it():
    rate = read_rate("60 requests, 200k tokens, 8 at-once")
    assert (rate.requests_per_minute, rate.tokens_per_minute, rate.at_once) == (60, 200_000, 8)
    with pytest.raises(honestly.errors.BudgetError, match="rate '5 cows' is not understood"):
        read_rate("5 cows")
    with pytest.raises(SettingsError, match="--rate holds for the models that this process asks"):
        honestly.dry_run("embedded", "nop", rate="5 requests", on="ray")


@pytest.mark.parametrize(
    ("line", "blind"), [("echo {instruction}", False), ("cat {instruction_file}", False), ("echo", True)]
)
def test_a_command_line_that_does_not_see_its_task_is_named(line, blind):
    told = []
    honestly.dry_run("embedded", f"cli:{line}", tasks="split-bill", tell=told.append)
    assert any("does not see its task" in each for each in told) == blind


@pytest.mark.slow
def test_a_run_of_the_library_stops_early_keeps_its_log_and_tells(tmp_path):
    told, log = [], Path(tmp_path, "log.jsonl")
    study = honestly.run(
        "embedded", ["honest", "nop"], tasks=["split-bill", "stock-holds"], until="honest>nop", strict=True,
        log=log, out=tmp_path / "s.honestly", tell=told.append,
    )  # fmt: skip
    with study.store() as store:
        assert (store.facts().strict, bool(store.facts().stopping_rule)) == (True, True)
    assert log.read_text().count("\n") >= 4


TABLE = "agent,task,score\n" + "".join(
    f"{agent},t{at},{25 * (at % 4 + (agent == 'b'))}\n" for agent in "ab" for at in range(12)
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_whatever_a_command_reads_the_library_opens_with_the_same_words(tmp_path, cache):
    table, folder = tmp_path / "t.csv", tmp_path / "folder"
    folder.mkdir()
    for path in (table, folder / "results.csv"):
        path.write_text(TABLE)
    with pytest.raises(FormatError, match="scale"):
        honestly.open(table)
    told = []
    study = honestly.open(table, scale="0:100", tell=told.append)
    said = CliRunner().invoke(cli, ["report", str(table), "--scale", "0:100", "--json"], catch_exceptions=False)
    assert study.report().to_plain() == json.loads(said.stdout)
    assert "imported as table" in told[0]
    assert len(honestly.open(folder, scale="0:100").trials()) == 24
    named = tmp_path / "named.csv"
    named.write_text(TABLE.replace("agent,task,score", "llm,qid,acc"))
    named_study = honestly.open(named, columns="agent=llm,task=qid,outcome=acc", scale="0:100")
    assert {row.agent for row in named_study.trials()} == {"a", "b"}
    said = CliRunner().invoke(
        cli, ["report", str(named), "--columns", "agent=llm,task=qid,outcome=acc", "--scale", "0:100", "--json"]
    )
    assert json.loads(said.stdout)["agents"] == study.report().to_plain()["agents"]
    words = tmp_path / "words.csv"
    words.write_text("agent,task,outcome\n" + "".join(f"a,t{at},{'won' if at % 2 else 'lost'}\n" for at in range(12)))
    found = honestly.open(words, outcome=["won=passed", "lost=failed"])
    assert found.report().board.agents[0].honest == 0.5
    with pytest.raises(FormatError, match="columns"):
        honestly.open(table, columns="nobody=x")
    with pytest.raises(StoreError):
        honestly.open(tmp_path / "nothing.honestly")


def test_several_are_one_study_that_is_merged_again_when_one_has_changed(tmp_path, cache):
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    paths[0].write_text("agent,task,passed\na,t,1\na,u,0\n")
    paths[1].write_text("agent,task,passed\nb,t,1\nb,u,1\n")
    assert {row.agent for row in honestly.open(paths).trials()} == {"a", "b"}
    paths[1].write_text("agent,task,passed\nb,t,1\nb,u,1\nc,t,0\nc,u,1\n")
    study = honestly.open(paths)
    assert {row.agent for row in study.trials()} == {"a", "b", "c"}
    assert honestly.open(paths).path == study.path


def test_a_plan_takes_whatever_a_report_takes(tmp_path, cache):
    table = tmp_path / "long.csv"
    table.write_text(TABLE)
    asked = ["plan", "--pilot", str(table), "--scale", "0:100", "--gap", "10", "--json"]
    said = CliRunner().invoke(cli, asked, catch_exceptions=False)
    assert json.loads(said.stdout)["sizes"]
    for verb in (["diff", str(table), "a", "b"], ["gate", str(table), "-a", "b", "--baseline-agent", "a"]):
        said = CliRunner().invoke(cli, [*verb, "--scale", "0:100", "--json"])
        assert said.exit_code in {0, 1, 4} or "graded" in str(said.exception)
    tables = honestly.open(table, scale="0:100")
    assert honestly.gate(tables, agent="b", baseline_agent="a").verdict


def test_a_long_table_answers_every_question(tmp_path, cache, monkeypatch):
    monkeypatch.setattr("honestly.studies._open._LONG_BYTES", 10)
    table = tmp_path / "long.csv"
    table.write_text(TABLE)
    study = honestly.open(table, scale="0:100")
    assert isinstance(study, TableStudy)
    assert not list((tmp_path / "cache").glob("**/*.honestly"))
    assert len(study.report(ladder="a,b").ladder.submissions) == 2
    assert len(study.trials()) == 24
    assert study.strictly().compare("a", "b", margin=30).margin
