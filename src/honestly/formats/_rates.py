"""Leaderboards that hold rates alone: aider's YAML, EvalPlus's `results.json`, and EvalPlus's times by task.

A row is one graded trial of the benchmark as a whole: which of its cases were passed is not in the file, so that no
interval can be given. Of EvalPerf's files each task has a rate of its samples, and is a task.
"""

import re
from collections.abc import Iterator, Mapping

from honestly._loose import nested_dict
from honestly.errors import FormatError
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, number_of, storable_text
from honestly.formats._sources import FileReader, Item, only_rate, per_file, recorded_place, refused_defect, stem_of
from honestly.formats._table_cells import finite_number
from honestly.records import Agent

_PAIR = re.compile(r"(?P<new>- )?(?(new)| {2})(?P<key>\w[\w .+-]{0,60}):(?: (?P<value>.*))?")
_BENCHMARKS = {"133": "edit", "225": "polyglot", "89": "refactor"}
"""aider's benchmarks by their number of cases."""
_LAST = ("pass_rate_2", "pass_rate_1")


def recognises(head: Head) -> bool:
    """Whether it is one of these."""
    if b"\n  pass_rate_1:" in head.start:
        return True
    if head.has_keys("date", "config", "summary", "eval"):
        return b'"dps"' in head.start
    return b'"pass@1"' in head.start and b'"humaneval+"' in head.start and b'"open-data"' in head.start


@per_file
def read(head: Head) -> Iterator[Item]:
    """A graded trial for each rate of a file."""
    data = head.whole_file()
    if b"pass_rate_1:" in head.start:
        yield from _aider_rows(recorded_place(head), data.decode("utf-8", "replace"))
        return
    found = nested_dict(parse_json(data))
    if "summary" in found:
        agent = Agent(name=stem_of(head).partition("_evalperf")[0], program="evalperf")
        for task, said in nested_dict(found, "eval").items():
            yield from _rate_trials(
                f"{recorded_place(head)}#{storable_text(task)}",
                agent,
                storable_text(task),
                nested_dict(said).get("pass@1"),
                "samples of it",
            )
        return
    for model, said in found.items():
        for benchmark, rate in nested_dict(said, "pass@1").items():
            where = f"{recorded_place(head)}#{storable_text(model)}.{storable_text(benchmark)}"
            agent = Agent(name=storable_text(model), program="evalplus", model=storable_text(model))
            yield from _rate_trials(where, agent, storable_text(benchmark), rate, "its problems")


def _rate_trials(where: str, agent: Agent, task: str, percent: object, of: str) -> Iterator[Item]:
    value = number_of(percent)
    if value is None or value > 100:
        yield refused_defect(where, "no rate", storable_text(percent))
    else:
        yield from only_rate(where, agent, task, value / 100, f"{value:g}% of {of}")


def _aider_rows(where: str, text: str) -> Iterator[Item]:
    """The rows of a list of flat maps, which is all of YAML that aider writes.

    Raises:
        FormatError: A line is something else.
    """
    rows: list[tuple[int, dict[str, str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pair = _PAIR.fullmatch(line.rstrip())
        if pair is None or (not rows and not pair["new"]):
            raise FormatError(f"line {number} is no `key: value` of a list of rows: {line[:80]!r}")
        if pair["new"]:
            rows.append((number, {}))
        rows[-1][1][pair["key"]] = (pair["value"] or "").strip().strip("'\"")
    for number, row in rows:
        yield from _aider_row(f"{where}:{number}", row)


def _aider_row(where: str, row: Mapping[str, str]) -> Iterator[Item]:
    key = next((name for name in _LAST if row.get(name)), "")
    value = finite_number(row[key]) if key else None
    if value is None or not 0 <= value <= 100:
        yield refused_defect(where, "no rate", storable_text(row.get(key, "no pass rate")))
        return
    model = storable_text(row.get("model", "unknown"))
    settings: Settings = {
        name: storable_text(row[name])
        for name in ("edit_format", "editor_model", "reasoning_effort", "thinking_tokens", "dirname")
        if name in row
    }
    agent = Agent(
        name=model, program="aider", version=storable_text(row.get("versions", "")), model=model, settings=settings
    )
    cases = storable_text(row.get("test_cases", "unknown"))
    benchmark = f"aider-{_BENCHMARKS.get(cases, f'of-{cases}')}"
    yield from only_rate(where, agent, benchmark, value / 100, f"{key} {value:g}% of {cases} cases", row)


READER = FileReader("rates", recognises, read)
