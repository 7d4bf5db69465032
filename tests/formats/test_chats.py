"""Chats that nobody judged: documents of messages, pi, Copilot, aider; and what tells sessions of one name apart."""

from __future__ import annotations

import json

import pytest
from published import items, of, refusals, trials
from seeds import AIDER, CHATS

from honestly.audit import read_table
from honestly.errors import NoResultsError
from honestly.formats import Imported, importers_for
from honestly.records import Agent, Defect, Outcome, Task


def read(folder):
    """The trials below a folder, by task, with their steps."""
    assert importers_for(folder) == "chats"
    found = of(Imported, items(folder))
    assert {each.trial.outcome for each in found} == {Outcome.VOID}
    return {each.trial.task: each.trajectory.steps for each in found}


def written(folder, name, data):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return folder


@pytest.mark.parametrize("name", sorted(CHATS))
def test_each_kind_of_chat_is_read_with_its_edit_and_its_command(name, tmp_path):
    ((steps, *_),) = [list(read(written(tmp_path, f"shop/{name}", CHATS[name])).values())]
    table = read_table(steps)
    assert [(write.path, write.text) for row in table.agent for write in row.writes] == [("calc.py", "x = 2\n")]
    assert [command.words for row in table.agent for command in row.commands] == [("ls", "-a")]
    assert "calc.py" in "".join(row.output for row in table.agent)
    coverage = table.coverage
    assert (coverage.edits, coverage.edits_read, coverage.commands_read) == (1, 1, 1)
    assert steps[0].source == "user"
    assert steps[0].message == "set x to 2"
    codes = [each.code for step in steps for each in step.observations if each.code is not None]
    assert codes == ([3] if name == "transcript.jsonl" else [])


def test_a_helper_in_a_chat_has_its_own_thread_and_a_failed_command_its_status(tmp_path):
    told = [
        {"role": "user", "content": "go"},
        {"role": "assistant-subagent-7", "content": "look around", "_metadata": {"original_role": "user"}},
        {"role": "assistant-subagent-7", "tool_calls": [{"id": "a", "function": {"name": "Bash", "arguments": "{}"}}]},
        {"role": "assistant-subagent-7", "tool_call_id": "a", "content": [{"type": "tool_output", "text": "nothing"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "f"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": True}]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "done"}]},
    ]
    (steps,) = read(written(tmp_path, "a.json", {"messages": told})).values()
    assert [(step.source, step.thread) for step in steps] == [
        *(("user", ""), ("user", "subagent-7"), ("agent", "subagent-7"), ("agent", ""), ("agent", ""))
    ]
    assert [[(each.text, each.code) for each in step.observations] for step in steps[2:4]] == [
        *([("nothing", None)], [("no", 1)])
    ]
    assert (steps[4].reasoning, steps[4].message) == ("hm", "done")


def test_what_pi_took_back_is_no_step(tmp_path):
    def line(name, parent, text):
        return {"type": "message", "id": name, "parentId": parent, "message": {"role": "user", "content": text}}

    head = {"type": "session", "version": 3, "id": "s", "cwd": "/w"}
    rows = [head, line("a", None, "one"), line("b", "a", "wrong way"), line("c", "a", "two")]
    (steps,) = read(written(tmp_path, "x.jsonl", "\n".join(map(json.dumps, rows)))).values()
    assert [step.message for step in steps] == ["one", "two"]


def test_what_antigravity_cut_short_is_unread_and_told_and_the_whole_file_counts(tmp_path):
    rows = [json.loads(line) for line in CHATS["transcript.jsonl"].split("\n")]
    for text in ('"x = 2\\n\n<truncated 90 bytes>', "x = 2\n\n<truncated 90 bytes>"):
        rows[1]["tool_calls"][0]["args"]["CodeContent"] = text
        cut = "\n".join(map(json.dumps, rows)) + '\n{"step_ind'
        (steps,) = read(written(tmp_path, "shop/transcripts/transcript.jsonl", cut)).values()
        coverage = read_table(steps).coverage
        assert (coverage.edits, coverage.edits_read, coverage.commands_read) == (1, 0, 1)
        found = items(tmp_path)
        assert "cut short" in {each.kind for each in of(Defect, found)}
        assert list(refusals(found)) == ["shop/transcripts/transcript.jsonl:5"]
    written(tmp_path, "shop/transcripts/transcript_full.jsonl", CHATS["transcript.jsonl"])
    ((task, steps),) = read(tmp_path).items()
    assert (task, read_table(steps).coverage.edits_read) == ("shop", 1)


def test_blocks_of_aider_are_read_once_and_chats_of_a_file_are_trials(tmp_path):
    block = "calc.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE\n```\n\n"
    text = f"{AIDER}\n# aider chat started at 2025-01-02 10:00:00\n\n#### again  \n\n> Main model: gpt-9 with diff edit format  \n\n{block}> Applied edit to calc.py  \n"
    text += "\n# aider chat started at 2025-01-03 10:00:00\n\n> Aider v1  \n"
    found = read(written(tmp_path, "shop/.aider.chat.history.md", text))
    assert sorted(found) == ["shop.1", "shop.2"]
    writes = [write for row in read_table(found["shop.2"]).agent for write in row.writes]
    assert [(write.path, write.source.strip(), write.text.strip()) for write in writes] == [
        ("calc.py", "x = 1", "x = 3")
    ]
    (agent,) = of(Agent, items(tmp_path))
    assert (agent.program, agent.model) == ("aider", "gpt-9")


def test_what_specstory_wrote_is_refused_with_the_reason(tmp_path):
    written(tmp_path, "a.md", "<!-- Generated by SpecStory -->\n\n_**User**_\n\nhi\n")
    with pytest.raises(NoResultsError, match="without what the edits changed"):
        items(tmp_path)


def test_sessions_of_one_file_name_that_were_asked_other_things_are_other_tasks(tmp_path):
    for folder, asked in (("shop", "build a shop with a basket"), ("game", "write a chess game in C")):
        written(tmp_path, f"{folder}/claude-session.json", {"messages": [{"role": "user", "content": asked}]})
        for number in (1, 2):
            written(
                tmp_path, f"{folder}/s/fix-{number}.json", {"messages": [{"role": "user", "content": f"fix {asked}"}]}
            )
    written(
        tmp_path, "shop/t/fix-1.json", {"messages": [{"role": "user", "content": "fix build a shop with a basket!"}]}
    )
    found = items(tmp_path)
    assert not refusals(found)
    tasks = {each.id: each.instruction for each in of(Task, found)}
    assert set(tasks) >= {"shop", "game", "fix-1", "fix-2"}
    assert tasks["shop"] == "build a shop with a basket"
    asked = [(tasks[each.task], each.source) for each in trials(found)]
    assert all(("chess" in words) == source.startswith("game") for words, source in asked)
    assert len({each.task for each in trials(found) if "fix-1" in each.source}) == 2
