"""Trajectories in the Agent Data Protocol 1.x, ours or anybody's: a list or lines of what was seen and done.

What the user or the environment says before the first action is told; what comes after an action is what came back
from it, by its `tool_call_id` where it has one. Each action is a step: a message, a call of a function, or a program,
which is a call of `bash`, `python` or its own language. `details` say the verdict where they have `resolved` or our own
`outcome`: else the trial is void. A page of the web is kept as its address; what else it holds is counted as left out.
"""

from collections.abc import Iterator, Mapping

from honestly._loose import count_of, nested_dict, objects_of, word_of
from honestly.formats._agent_names import per_agent_file
from honestly.formats._chat import Draft, tool_call
from honestly.formats._heads import Head
from honestly.formats._imported import beside_of, first_request, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    imported_trial,
    noted_defect,
    recorded_place,
    refused_defect,
    rows_of,
    stem_of,
)
from honestly.records import Agent, Defect, Outcome, Picture, Task, Trajectory

_CODE = {"bash": "command", "python": "code"}
_ACTIONS = {"api_action", "code_action", "message_action"}


def recognises(head: Head) -> bool:
    """Whether its rows hold observations and actions of the protocol."""
    return head.has_keys("id", "content") and b'"class_"' in head.start


@per_agent_file()
def read(head: Head) -> Iterator[Item]:
    """The trials of a file.

    Raises:
        FormatError: It cannot be read, or a row of it not at all.
    """
    for where, row in rows_of(head):
        if isinstance(row, Defect):
            yield row
            continue
        content = objects_of(row.get("content"))
        if not content:
            yield refused_defect(where, "row refused", "no content")
            continue
        draft, left = Draft(), 0
        for item in content:
            left += _take_item(draft, item)
        if left:
            yield noted_defect(recorded_place(head), "part left out", "pages of the web, kept as their address", left)
        yield _found_row(head, where, row, Trajectory(steps=draft.steps()))


def _take_item(draft: Draft, item: Mapping[str, object]) -> int:
    """Takes an item in; returns how many parts of it have no place in a step."""
    kind, text = word_of(item.get("class_")), item.get("content")
    words = storable_text(text) if isinstance(text, str) else ""
    if kind not in _ACTIONS:
        picture = (Picture(path=words[:1000]),) if kind == "image_observation" else ()
        shown = storable_text(item.get("url") or "") if kind == "web_observation" else "" if picture else words
        if item.get("source") == "user":
            draft.add_prompt("user", shown, images=picture)
        else:
            draft.add_observation(shown, storable_text(item.get("tool_call_id") or ""), images=picture)
        return int(kind == "web_observation")
    thought = storable_text(item.get("description") or "")
    reasoning = storable_text(item.get("reasoning_content") or "")
    if kind == "message_action":
        draft.add_answer(words, reasoning="\n".join(filter(None, (thought, reasoning))))
        return 0
    name, arguments = item.get("function"), item.get("kwargs")
    if kind == "code_action":
        name = storable_text(item.get("language") or "code")
        arguments = {_CODE.get(name, "code"): words}
    call = tool_call(storable_text(item.get("tool_call_id") or "call"), name, arguments)
    draft.add_answer(thought, [call], reasoning=reasoning)
    return 0


def _found_row(head: Head, where: str, row: Mapping[str, object], trajectory: Trajectory) -> FoundTrial:
    details = nested_dict(row, "details")
    said, ours = nested_dict(details, "agent"), storable_text(details.get("outcome") or "")
    resolved = storable_text(details.get("resolved", "")).lower()
    outcome = Outcome.PASSED if resolved == "true" else Outcome.FAILED if resolved == "false" else Outcome.VOID
    known = ours in set(Outcome)
    reason = (
        storable_text(details.get("reason") or "") if known else "" if outcome is not Outcome.VOID else "not judged"
    )
    name = storable_text(said.get("name") or details.get("run_id") or stem_of(head))
    agent = Agent(
        name=name, program=storable_text(said.get("program") or ""), model=storable_text(said.get("model") or "")
    )
    sample = count_of(details.get("sample"))
    beside, sample = beside_of(details.get("honestly")), -1 if sample is None else sample
    made = imported_trial(where, Outcome(ours) if known else outcome, sample, reason=reason, score=beside.score)
    name, asked = storable_text(details.get("task") or row.get("id")), first_request(trajectory.steps)
    task = Task(id=name, instruction=asked, tags=beside.tags)
    return FoundTrial(agent, task, made, trajectory)


READER = FileReader("adp", recognises, read)
