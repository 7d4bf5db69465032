"""Trajectories of mini-swe-agent with the reports of SWE-bench's harness, as agents, tasks, trials and defects.

Every JSON file with a `trajectory_format` of `mini-swe-agent-...` is a trial: 1, whose replies hold a bash block, and
1.1, whose messages name their actions. Its report is the `report.json` of the same instance, wherever it lies; of
several that which shares the longest way with the trajectory. Without one the trial is void, "not judged".

An agent is a configuration; the image of the task's container is no part of it. A task's instruction is the text that
the program's template was filled with, where template and message fit together, and the whole message otherwise. The
submitted patch is kept as `patch.diff`: what it makes of files cannot be said without the repository. The files
themselves are artifacts too, since they hold more than records do (the raw answers of the model's server).
"""

import json
import os.path
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from honestly._loose import count_of, items_of, nested_dict
from honestly.errors import FormatError
from honestly.formats._agent_names import renamed, runs_apart
from honestly.formats._files import Tally, parse_json, read_bytes, read_json, storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, first_request, free_name, number_of, storable_text
from honestly.formats._mini_steps import read_messages
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    UsedFile,
    imported_trial,
    recorded_place,
    stem_of,
)
from honestly.formats._swe_bench import by_run_folder, with_summary
from honestly.formats._swe_reports import report_verdict, reports_in
from honestly.records import Agent, Tags, Task, Trajectory, Usage, digest

_KIND = b"mini-swe-agent-"
_VERSIONS = ("mini-swe-agent-1", "mini-swe-agent-1.1")
# A longer trajectory is not read, bytes: thousands of times the usual one.
_LARGEST = 256 << 20
# How Jinja's blanks begin and end in a template.
_BLANK, _ENDS_BLANK = re.compile(r"\{\{|\{%"), re.compile(r"\}\}|%\}")
# Characters of the template on either side of the task by which it is found in the message.
_EDGE = 200
_TASK = re.compile(r"\{\{-?\s*task\s*-?\}\}")


def recognises(head: Head) -> bool:
    """Whether a JSON file says that it is a trajectory of mini-swe-agent."""
    return head.is_json and (_is_one(head.start) or _is_one(head.last_bytes))


def _is_one(data: bytes) -> bool:
    return b'"trajectory_format"' in data and _KIND in data


def read(source: Source) -> Iterator[Item]:
    """The trials of all trajectories, each with the report that is nearest to it."""
    yield from _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source, self._root, self._heads = source, source.root, source.heads
        self._names = [name for name in source.names if name.endswith(".json")]
        self._tally = Tally()
        self._seen: set[str] = set()
        self._agents: dict[str, str] = {}
        # Where the reports of an instance are.
        self._reports: dict[str, list[str]] = defaultdict(list)
        # Files of one name.
        self._alike: dict[str, list[str]] = defaultdict(list)
        self._used: set[str] = set()

    def read(self) -> Iterator[Item]:
        for name in self._names:
            self._alike[Path(name).name].append(name)
        for name in self._alike["report.json"]:
            try:
                found = read_json(self._root / name)
            except FormatError as error:
                self._tally.add("unreadable report", storable_name(name), str(error))
            else:
                for instance in reports_in(found, Path(name).parent.name):
                    self._reports[instance].append(name)
        runs = by_run_folder(self._heads)
        called = {home: _agent_name(heads[0]) if len(runs) > 1 else "" for home, heads in runs.items()}
        names, odd = runs_apart(called, lambda home: set(map(stem_of, runs[home])))
        for home, heads in runs.items():
            items = (item for head in heads for item in self._read_trajectory(head))
            yield from with_summary(self._source, home, renamed(items, called[home], names[home], odd))
        if len(self._agents) > 1:
            detail = f"each is an agent of its own: {', '.join(list(self._agents.values())[:5])}"
            self._tally.add("several configurations", storable_name(self._root.name), detail, len(self._agents))
        # What is left is for those who read reports alone.
        yield from map(UsedFile, sorted(self._used))
        yield from self._tally.defects()

    def _read_trajectory(self, head: Head) -> Iterator[Item]:
        name = recorded_place(head)
        try:
            data = read_bytes(head.path, _LARGEST)
            found = parse_json(data)
        except FormatError as error:
            self._tally.count_refused("unreadable file", name, str(error))
            return
        kind = nested_dict(found).get("trajectory_format")
        if not isinstance(kind, str) or not kind.encode("utf-8", "replace").startswith(_KIND):
            self._tally.count_refused("unreadable file", name, "it is no trajectory of mini-swe-agent")
        elif not items_of(nested_dict(found).get("messages")):
            self._tally.count_refused("trajectory without messages", name)
        else:
            if kind not in _VERSIONS:
                self._tally.add("unknown version", storable_text(kind)[:100], "read as the known ones are")
            yield from self._trajectory_trial(nested_dict(found), head.name or head.root.name, data)

    def _trajectory_trial(self, found: Mapping[str, object], name: str, data: bytes) -> Iterator[Item]:
        where, info = storable_name(name), nested_dict(found, "info")
        instance = found.get("instance_id")
        if not isinstance(instance, str) or not instance:
            instance = name.rpartition("/")[2].removesuffix(".json").removesuffix(".traj")
        trajectory = read_messages(found, where, self._tally)
        agent = _swe_agent_of(info)
        content = digest(trajectory.steps, instance, agent.hash)
        if content in self._seen:
            self._tally.count_refused("duplicate trial", where, "the same steps as before")
            return
        self._seen.add(content)
        self._agents.setdefault(agent.hash, free_name(agent, self._agents.values()))
        task = Task(
            id=storable_text(instance),
            instruction=_filled_instruction(info, trajectory),
            tags=Tags(cluster=storable_text(instance).rpartition("-")[0] if "__" in instance else ""),
        )
        artifacts = {"trajectory.json": data}
        report = self._matching_report(instance, name, artifacts)
        outcome, reason, verdict = report_verdict(report, trajectory.stop, where, self._tally)
        patch = info.get("submission")
        if isinstance(patch, str) and patch.strip():
            artifacts["patch.diff"] = patch.encode("utf-8", "replace")
        else:
            self._tally.add("empty submission", where, f"{storable_text(instance)}: there is no patch; imported")
        made = imported_trial(
            where,
            outcome,
            reason=reason,
            verdict=verdict,
            usage=_summed_usage(trajectory, info),
            started_at=next((step.at for step in trajectory.steps if step.at), None),
        )
        yield FoundTrial(agent, task, made, trajectory, artifacts)

    def _matching_report(self, instance: str, name: str, artifacts: dict[str, bytes]) -> Mapping[str, object] | None:
        """The report of an instance that is nearest to a trajectory, if it is nearest to no other one."""
        nearest = self._nearest_reports(instance, name)
        if not nearest:
            self._tally.add(
                "no report", storable_name(str(Path(name).parent)), f"{storable_text(instance)}: not judged; void"
            )
            return None
        rivals = [other for other in self._alike[Path(name).name] if self._nearest_reports(instance, other) == nearest]
        if len(nearest) > 1 or len(rivals) > 1:
            detail = f"{len(nearest)} reports, {len(rivals)} trajectories: nothing says which belong together; void"
            self._tally.add("report not clear", storable_text(instance), detail)
            return None
        self._used.add(nearest[0])
        try:
            data = read_bytes(self._root / nearest[0], _LARGEST)
            found = reports_in(parse_json(data), Path(nearest[0]).parent.name)
        except FormatError as error:
            # It was read before, but other people's files may change.
            self._tally.add("unreadable report", storable_name(nearest[0]), str(error))
            return None
        artifacts["report.json"] = data
        return found.get(instance)

    def _nearest_reports(self, instance: str, name: str) -> list[str]:
        """The reports of an instance that share the longest way with a trajectory."""
        near = {place: len(os.path.commonpath([place, name])) for place in self._reports.get(instance, [])}
        return [place for place, length in near.items() if length == max(near.values())]


def _agent_name(head: Head) -> str:
    """The name of who a file is of; none where it cannot be read."""
    try:
        return _swe_agent_of(nested_dict(head.json(_LARGEST), "info")).name
    except FormatError:
        return ""


def _swe_agent_of(info: Mapping[str, object]) -> Agent:
    """Program, version, model, and all of the configuration but what belongs to the task."""
    config = nested_dict(info, "config")
    model = storable_text(nested_dict(config, "model").get("model_name") or "")
    settings: Settings = {}
    for part, found in config.items():
        for key, value in nested_dict(found).items() if isinstance(found, dict) else [("", found)]:
            name = storable_text(f"{part}.{key}" if key else part)
            if name not in {"model.model_name", "environment.image"}:
                settings[name] = _setting(value)
    return Agent(
        name=f"mini-swe-agent {model}".strip(),
        program="mini-swe-agent",
        version=storable_text(info.get("mini_version") or ""),
        model=model,
        settings=settings,
    )


def _setting(value: object) -> str | int | float | bool | None:
    if isinstance(value, str):
        return storable_text(value)
    number = count_of(value) if isinstance(value, int) else number_of(value)
    if value is None or isinstance(value, bool):
        return value
    try:
        return json.dumps(value) if number is None else number
    except RecursionError:
        return "nested too deeply"


def _filled_instruction(info: Mapping[str, object], trajectory: Trajectory) -> str:
    """The values that the template of the first message was filled with; the whole message where the two do not fit."""
    message = first_request(trajectory.steps)
    template = nested_dict(info, "config", "agent").get("instance_template")
    parts = _TASK.split(template, maxsplit=1) if isinstance(template, str) else []
    if len(parts) != 2:
        return message
    # What stands in the message as it does in the template; some of it is enough, and searched for in no time.
    before, after = _ENDS_BLANK.split(parts[0])[-1].lstrip()[-_EDGE:], _BLANK.split(parts[1])[0].rstrip()[:_EDGE]
    # Rendering takes away blank lines at both ends; an empty end is found at the end.
    start, end = message.find(before), message.rfind(after)
    if start < 0 or end < start + len(before):
        return message
    return message[start + len(before) : end].strip()


def _summed_usage(trajectory: Trajectory, info: Mapping[str, object]) -> Usage:
    """Tokens, where every answer of the model says its own; the cost is the program's."""
    usages = [step.usage for step in trajectory.steps if step.source == "agent"]

    def known_total(name: str) -> int | None:
        counts = [getattr(usage, name) for usage in usages]
        return sum(counts) if counts and None not in counts else None

    cost = number_of(nested_dict(info, "model_stats").get("instance_cost"))
    return Usage(
        input_tokens=known_total("input_tokens"),
        output_tokens=known_total("output_tokens"),
        cached_tokens=known_total("cached_tokens"),
        usd=cost,
    )


READER = FileReader("mini-swe-agent", recognises, read, patches="left")
