"""Exercises of aider's benchmark: `RUN/LANGUAGE/exercises/practice/NAME/.aider.results.json`, one each.

`tests_outcomes` says of each try whether the tests passed; a try after the first has seen what the tests said. As on
aider's leaderboard (`pass_rate_2`) the last one counts, and the reason names it. A file that holds an exception, or no
try, is void. The other files of an exercise (its sources, the chat) belong to it; the chat is kept.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from honestly._loose import count_of, items_of, nested_dict
from honestly.errors import FormatError
from honestly.formats._agent_names import runs_apart
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, number_of, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    UsedFile,
    imported_trial,
    recorded_place,
    refused_defect,
    stem_of,
)
from honestly.records import Agent, Check, CheckRun, Outcome, Tags, Task, Usage, Verdict

_NAME, _CHAT = ".aider.results.json", ".aider.chat.history.md"
# Bytes of a result or a chat.
_LARGEST = 16 << 20
_SETTINGS = (
    *("edit_format", "editor_model", "editor_edit_format"),
    *("reasoning_effort", "thinking_tokens", "map_tokens"),
)


def recognises(head: Head) -> bool:
    """Whether it is the result of an exercise, or what stands in its place where the program broke off."""
    return head.has_keys("tests_outcomes", "testcase") or (
        head.has_keys("exception") and recorded_place(head).endswith(_NAME)
    )


def read(source: Source) -> Iterator[Item]:
    """A trial for each exercise."""
    results: list[tuple[Head, Mapping[str, object]]] = []
    said: dict[str, list[Agent]] = defaultdict(list)
    for head in source.heads:
        try:
            results.append((head, nested_dict(head.json(_LARGEST))))
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
    for head, found in results:
        if "model" in found:
            said[_run_folder(head)].append(_aider_agent(found))
    # A directory is a run, as for aider, whatever model some of its files name.
    agents = {folder: max(each, key=each.count) for folder, each in said.items()}
    tasks: dict[str, set[str]] = defaultdict(set)
    for head, _ in results:
        tasks[_run_folder(head)].add(head.name.removeprefix(_run_folder(head)))
    # What one changes between runs of a model, such as a prompt, is in no file.
    called = {folder: agent.name for folder, agent in agents.items()}
    names, odd = runs_apart(called, tasks.__getitem__)
    yield from odd
    for head, found in results:
        yield from (UsedFile(name) for name in source.names_below(head.name.rpartition("/")[0]) if name != head.name)
        files = {}
        if head.sibling_name(_CHAT) in source.names:
            try:
                files[_CHAT.lstrip(".")] = Head(source.root, head.sibling_name(_CHAT)).whole_file(_LARGEST)
            except FormatError as error:
                yield refused_defect(head.sibling_name(_CHAT), "chat not kept", str(error))
        agent = agents.get(_run_folder(head), Agent(name=_run_folder(head) or "unknown"))
        if agent.name == called.get(_run_folder(head)):
            agent = replace(agent, name=names[_run_folder(head)])
        yield _found_exercise(head, found, agent, files)


def _run_folder(head: Head) -> str:
    """The directory of the run that an exercise belongs to."""
    parts = head.name.split("/")
    return "/".join(parts[: parts.index("exercises") - 1] if "exercises" in parts[1:] else parts[:-2])


def _aider_agent(found: Mapping[str, object]) -> Agent:
    model = storable_text(found.get("model") or "unknown")
    settings: Settings = {
        name: value if isinstance(value, int | float) else storable_text(value)
        for name in _SETTINGS
        if (value := found.get(name)) is not None
    }
    return Agent(
        name=model,
        program="aider",
        version=storable_text(found.get("commit_hash") or ""),
        model=model,
        settings=settings,
    )


def _found_exercise(head: Head, found: Mapping[str, object], agent: Agent, files: Mapping[str, bytes]) -> FoundTrial:
    parts = storable_text(found.get("testdir") or "").split("/") if not head.name else head.name.split("/")[:-1]
    at = parts.index("exercises") if "exercises" in parts[1:] else 0
    language = parts[at - 1] if at else ""
    name = storable_text(found.get("testcase") or (parts[-1] if parts and parts[-1] else stem_of(head)))
    tries = items_of(found.get("tests_outcomes"))
    outcome, reason, verdict = Outcome.VOID, "no tests were run", Verdict()
    if "exception" in found:
        reason = storable_text(found["exception"])[:200]
    elif not all(isinstance(each, bool) for each in tries):
        reason = "an outcome is neither true nor false"
    elif tries:
        outcome = Outcome.PASSED if tries[-1] else Outcome.FAILED
        late = count_of(found.get("test_timeouts")) and not tries[-1]
        reason = f"try {len(tries)}" + (", tests timed out" if late else "")
        verdict = Verdict(hidden=CheckRun(checks=(Check(id="tests", status="passed" if tries[-1] else "failed"),)))
    usd = number_of(found.get("cost"))
    usage = Usage(
        input_tokens=count_of(found.get("prompt_tokens")) or None,
        output_tokens=count_of(found.get("completion_tokens")) or None,
        # 0 means that the price was not known.
        usd=usd or None,
    )
    task = Task(id=f"{language}/{name}" if language else name, instruction="", tags=Tags(language=language.lower()))
    seconds = number_of(found.get("duration"))
    made = imported_trial(
        recorded_place(head), outcome, reason=reason, verdict=verdict, usage=usage, agent_seconds=seconds
    )
    return FoundTrial(agent, task, made, None, files)


READER = FileReader("aider", recognises, read)
