"""Exercises of aider's benchmark: `RUN/LANGUAGE/exercises/practice/NAME/.aider.results.json`, one each.

`tests_outcomes` says of each try whether the tests passed; a try after the first has seen what the tests said. As on
aider's leaderboard (`pass_rate_2`) the last one counts, and the reason names it. A file that holds an exception, or no
try, is void. The other files of an exercise (its sources, the chat) belong to it; the chat is kept.
"""

from collections.abc import Iterator, Mapping

from honestly._loose import count_of, inside, items_of
from honestly.errors import FormatError
from honestly.formats._heads import Head
from honestly.formats._imported import number_of, storable
from honestly.formats._sources import FileReader, Found, Item, Source, Used, place, refused, stem_of, trial
from honestly.records import Agent, Check, CheckRun, Outcome, Tags, Task, Usage, Verdict

_NAME, _CHAT = ".aider.results.json", ".aider.chat.history.md"
_LARGEST = 16 << 20
_SETTINGS = (
    *("edit_format", "editor_model", "editor_edit_format"),
    *("reasoning_effort", "thinking_tokens", "map_tokens"),
)


def recognises(head: Head) -> bool:
    """Whether it is the result of an exercise, or what stands in its place where the program broke off."""
    return head.has("tests_outcomes", "testcase") or (head.has("exception") and place(head).endswith(_NAME))


def read(source: Source) -> Iterator[Item]:
    """A trial for each exercise."""
    results: list[tuple[Head, Mapping[str, object]]] = []
    agents: dict[str, Agent] = {}
    for head in source.heads:
        try:
            results.append((head, inside(head.json(_LARGEST))))
        except FormatError as error:
            yield refused(place(head), "unreadable file", str(error))
    for head, found in results:
        if "model" in found:
            agents.setdefault(_run(head), _agent(found))
    for head, found in results:
        yield from (Used(name) for name in source.below(head.name.rpartition("/")[0]) if name != head.name)
        files = {}
        if head.beside(_CHAT) in source.names:
            try:
                files[_CHAT.lstrip(".")] = Head(source.root, head.beside(_CHAT)).whole(_LARGEST)
            except FormatError as error:
                yield refused(head.beside(_CHAT), "chat not kept", str(error))
        agent = _agent(found) if "model" in found else agents.get(_run(head), Agent(name=_run(head) or "unknown"))
        yield _trial(head, found, agent, files)


def _run(head: Head) -> str:
    """The directory of the run that an exercise belongs to."""
    parts = head.name.split("/")
    return "/".join(parts[: parts.index("exercises") - 1]) if "exercises" in parts[1:] else ""


def _agent(found: Mapping[str, object]) -> Agent:
    model = storable(found.get("model") or "unknown")
    settings: dict[str, str | int | float | bool | None] = {
        name: value if isinstance(value, int | float) else storable(value)
        for name in _SETTINGS
        if (value := found.get(name)) is not None
    }
    return Agent(
        name=model, program="aider", version=storable(found.get("commit_hash") or ""), model=model, settings=settings
    )


def _trial(head: Head, found: Mapping[str, object], agent: Agent, files: Mapping[str, bytes]) -> Found:
    parts = storable(found.get("testdir") or "").split("/") if not head.name else head.name.split("/")[:-1]
    at = parts.index("exercises") if "exercises" in parts[1:] else 0
    language = parts[at - 1] if at else ""
    name = storable(found.get("testcase") or (parts[-1] if parts and parts[-1] else stem_of(head)))
    tries = items_of(found.get("tests_outcomes"))
    outcome, reason, verdict = Outcome.VOID, "no tests were run", Verdict()
    if "exception" in found:
        reason = storable(found["exception"])[:200]
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
        usd=usd or None,  # 0 means that the price was not known
    )
    task = Task(id=f"{language}/{name}" if language else name, instruction="", tags=Tags(language=language.lower()))
    seconds = number_of(found.get("duration"))
    made = trial(place(head), outcome, reason=reason, verdict=verdict, usage=usage, agent_seconds=seconds)
    return Found(agent, task, made, None, files)


READER = FileReader("aider", recognises, read)
