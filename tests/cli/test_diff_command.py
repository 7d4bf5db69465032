"""`honestly diff` on studies that `honestly run` has made: change a prompt, run again, look."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import anyio.from_thread
import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.models import Message, ScriptedModel, assistant_message, scripted_server, tool_call
from honestly.store import open_study
from honestly.tasks import load_suite

pytestmark = pytest.mark.slow

SUITE = load_suite("embedded", only=["split-bill", "api-move"])
KEYS = (
    "before",
    "after",
    "n",
    "gained",
    "lost",
    "certain",
    "between",
    "by_chance",
    "p_any",
    "sides",
    "tasks",
    "sentence",
)


def solving(messages: Sequence[Message]) -> Message:
    """Solves the task by its reference where the prompt says so, and else ends at once."""
    if len(messages) == 1:  # the look before the first trial
        return assistant_message("ready")
    task = next(task for task in SUITE.tasks if task.instruction in messages[1].text)
    worked = any(message.role == "tool" for message in messages)
    if worked or (task.id == "split-bill") is ("carefully" not in messages[0].text):
        return assistant_message("", tool_call("finish", outcome="done", summary="It is done."))
    assert task.hidden is not None
    assert task.hidden.reference is not None
    calls = [
        tool_call("edit", action="create", path=path, text=file.data.decode())
        for path, file in task.hidden.reference.write.files.items()
    ]
    return assistant_message("", *calls)


def honestly(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(cli, list(words))
    error = found.exception if found.exception and not isinstance(found.exception, SystemExit) else ""
    return found.exit_code, found.stdout, f"{found.stderr}{error}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies of the same two tasks, two samples each, with two prompts."""
    folder = tmp_path_factory.mktemp("diff")
    prompt = folder / "p.md"
    model = ScriptedModel([solving] * 40, by_turn=True)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(scripted_server(model)) as server,
    ):
        for text, study in (("Work.", "one"), ("Work carefully.", "one"), ("Work carefully.", "two")):
            prompt.write_text(text)
            only = [word for task in SUITE.tasks for word in ("--task", task.id)]
            spec = f"honest:prompt={prompt}" + (",name=mine" if study == "two" else "")
            out = ["-o", str(folder / f"{study}.honestly"), "--json", "-k", "2"]
            code, _, told = honestly("run", "embedded", *only, "--agent", spec, "--model", server.spec(), *out)
            assert code == 0, told
    return folder


def names(study: Path) -> list[str]:
    """The agents in the order in which they were tried: the first one solved `api-move`."""
    with open_study(study) as opened:
        solved = {trial.agent: trial.task for trial in opened.trials() if trial.outcome == "passed"}
    return sorted(solved, key=lambda agent: solved[agent] != "api-move")


def test_the_flips_of_a_changed_prompt_and_why(folder: Path) -> None:
    study = str(folder / "one.honestly")
    before, after = names(folder / "one.honestly")
    code, out, told = honestly("stats", "diff", study, before, after, "--json")
    assert code == 0, told
    found = json.loads(out)
    assert set(KEYS) <= set(found)
    assert (found["n"], found["gained"], found["lost"], found["certain"]) == (2, 1, 1, 0)
    by_task = {row["task"]: row for row in found["tasks"]}
    assert (by_task["split-bill"]["change"], by_task["api-move"]["change"]) == ("gained", "lost")
    assert by_task["split-bill"]["certainty"] == "may be luck"
    assert "/2 → 2/2" in by_task["split-bill"]["why"]
    assert by_task["split-bill"]["a"]["steps"] < by_task["split-bill"]["b"]["steps"]
    assert found["by_chance"] == 0
    shown = honestly("stats", "diff", study, before, after)[1]
    assert "2 of 2 tasks flipped: 1 gained, 1 lost; none is certain by itself" in " ".join(shown.split())


def test_two_studies_are_compared_on_the_same_tasks(folder: Path) -> None:
    one, two = (str(folder / f"{name}.honestly") for name in ("one", "two"))
    before, after = names(folder / "one.honestly")
    flipped = json.loads(honestly("stats", "diff", one, two, "--agent", before, "--agent", "mine", "--json")[1])
    assert (flipped["gained"], flipped["lost"]) == (1, 1)
    same = json.loads(honestly("stats", "diff", one, two, "-a", after, "-a", "mine", "--json")[1])
    assert {row["change"] for row in same["tasks"]} == {"same"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["mine"],
            "there is no study 'mine', and one agent alone cannot be compared; expected [STUDY] [A B], or STUDY STUDY2",
        ),
        (["a", "b", "c"], "found 3 words after the study"),
        (["a", "b", "--agent", "c"], "--agent is for two studies"),
        (["{two}"], "no agent is in both studies; say which with --agent BEFORE --agent AFTER. The first has "),
        (["{two}", "--agent", "nobody"], "there is no agent 'nobody'"),
        (["{two}", "-a", "a", "-a", "b", "-a", "c"], "--agent is there once or twice, not 3 times"),
    ],
)
def test_what_makes_no_sense_is_told(folder: Path, words: list[str], message: str) -> None:
    given = [word.format(two=folder / "two.honestly") for word in words]
    code, _, told = honestly("stats", "diff", str(folder / "one.honestly"), *given)
    assert code != 0
    assert message in told
