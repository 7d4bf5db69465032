"""The differences between two sides of a comparison beside the agents, and which make the comparison unfair.

Compared are the tasks' contents, the limits that a harness set, the harness's versions, and whether attempts are there
twice. What differs is always shown; what makes a comparison unfair stops it, until whoever asks says that it does not
matter (`Declared.despite`). What was not recorded is unknown, and differs from nothing: silence proves no fairness.

An agent's own settings (its turns, its tools) are what is compared, and no part of this.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from msgspec.structs import replace

from honestly.errors import UnfairComparisonError
from honestly.records import Agent, Conditions, Tags, Task
from honestly.scores._study_data import StudyData
from honestly.show import all_of, plural_text, printable_text_line, whole_sentence

UnfairKind = Literal["task-hashes", "limits", "harness", "duplicates"]
UNFAIR: tuple[UnfairKind, ...] = get_args(UnfairKind)
"""What can make a comparison unfair, as `--despite` names it."""

_MOST_NAMED = 5
_LIMITS = ("time_limit", "working_limit", "message_limit", "token_limit", "cost_limit", "timeout_multiplier")
_VERSIONED = {"inspect", "lm-eval"}
"""Programs of imported agents that are harnesses: the agent's version is theirs."""
_LINE = re.compile(r"v?(\d+)\.(\d+)(?!\d)")
_UNCLEAR = {"duplicate sample", "duplicate differs"}
"""Defects that say that an id stood for several results, so that which of them count was a choice."""


@dataclass(frozen=True, slots=True)
class Unfair:
    """One difference that makes a comparison unfair."""

    kind: UnfairKind
    what: str
    """Half a sentence."""
    blocks: bool
    """Whether it makes the comparison unfair."""
    tasks: tuple[str, ...] = ()
    """Tasks at which it does, where it is about tasks."""

    def __str__(self) -> str:
        return f"Unfair: {self.what}." if self.blocks else whole_sentence(self.what)


class Side:
    """One agent and the conditions under which it was tried."""

    def __init__(self, study: StudyData, agent: Agent) -> None:
        self.agent = agent
        said = str(agent.settings.get("harness") or "")
        if agent.program in _VERSIONED and agent.version:
            said = agent.version
        ran: Sequence[Conditions] = () if said else study.facts().ran
        self.harness = {each for each in (*said.split(", "), *(one.program for one in ran)) if each}
        self.name = printable_text_line(agent.name)


def differences_between(one: Side, other: Side) -> list[Unfair]:
    """The differences between two agents, as far as they are recorded."""
    return [*_harness_differences(one, other), *_settings(one.agent.settings, other.agent.settings, one, other)]


def _harness_differences(one: Side, other: Side) -> Iterable[Unfair]:
    for side in (one, other):
        if len(side.harness) > 1:
            blocks = len(_harness_versions(side.harness)) > 1
            versions = all_of(sorted(map(printable_text_line, side.harness)))
            yield Unfair("harness", f"{side.name} was tried under several versions of the harness, {versions}", blocks)
    if one.harness and other.harness and one.harness != other.harness:
        said = [" and ".join(sorted(map(printable_text_line, side.harness))) for side in (one, other)]
        blocks = _harness_versions(one.harness) != _harness_versions(other.harness)
        yield Unfair(
            "harness", f"the harness was of version {said[0]} for {one.name}, {said[1]} for {other.name}", blocks
        )


def _harness_versions(versions: Collection[str]) -> set[object]:
    """The versions that count as one harness: versions that differ in the third number or later, and
    those without numbers.
    """
    return {found.groups() if (found := _LINE.match(version)) else version for version in versions}


def _settings(mine: Mapping[str, object], theirs: Mapping[str, object], one: Side, other: Side) -> Iterable[Unfair]:
    if mine.get("dataset") and theirs.get("dataset") and mine["dataset"] != theirs["dataset"]:
        sets = f"{printable_text_line(str(mine['dataset']))} and {printable_text_line(str(theirs['dataset']))}"
        yield Unfair("task-hashes", f"the tasks are of different data sets, {sets}", True)
    for name in _LIMITS:
        alike = one.agent.program == other.agent.program or name == "timeout_multiplier"
        if name in {*mine, *theirs} and (alike or (name in mine and name in theirs)):
            none = 1.0 if name == "timeout_multiplier" else "none"
            first, second = mine.get(name, none), theirs.get(name, none)
            if first != second:
                yield Unfair("limits", f"{name} was {first} for {one.name}, {second} for {other.name}", True)


class Pairing:
    """The tasks of two studies, matched by id."""

    def __init__(self, mine: Iterable[Task], theirs: Iterable[Task]) -> None:
        first, second = ({task.id: task for task in tasks} for tasks in (mine, theirs))
        both = [name for name in first if name in second]
        self.limits = [name for name in both if first[name].timeout_s != second[name].timeout_s]
        known = {name: (_is_known(first[name]), _is_known(second[name])) for name in both}
        self.unknown = [name for name, (one, other) in known.items() if one != other]
        """Of which one study holds nothing but the id, and the other does; two tables never say more."""
        self.changed = [
            name for name in both if all(known[name]) and _content_hash(first[name]) != _content_hash(second[name])
        ]
        """Whose content is another."""
        self.alone = ([name for name in first if name not in second], [name for name in second if name not in first])
        """Those of one study only."""
        self.tasks = [first[name] for name in both]

    def unfair(self) -> Iterable[Unfair]:
        """The differences between the tasks."""
        for kind, names, what in (
            ("task-hashes", self.changed, "other content in the one study than in the other"),
            ("limits", self.limits, "another time limit in the one study than in the other"),
        ):
            if names:
                have = "have" if len(names) > 1 else "has"
                text = f"{plural_text(len(names), 'task')} {have} {what}: {some_names(names)}"
                yield Unfair(kind, text, True, tuple(names))  # type: ignore[arg-type]
        if self.unknown:
            tasks = plural_text(len(self.unknown), "task")
            text = f"of {tasks} a study holds nothing but the id, so that their content cannot be compared"
            yield Unfair("task-hashes", text, False)


def _content_hash(task: Task) -> str:
    """Hash of what is asked and how it is judged, whatever its tags and the time for it."""
    kept = Tags(variant=task.tags.variant, twin=task.tags.twin)
    return replace(task, tags=kept, timeout_s=1.0).hash


def _is_known(task: Task) -> bool:
    """Whether anything but its id is known of a task."""
    return bool(task.instruction or task.workspace.files or task.visible or task.hidden or task.version != "1")


def duplicated_ids(*studies: StudyData) -> Iterable[Unfair]:
    """Imports' warnings on ids that stood for several results."""
    kinds: Counter[str] = Counter()
    for study in studies:
        for defect in study.defects():
            if defect.kind.startswith("duplicate"):
                kinds[defect.kind] += defect.count
    for kind, count in sorted(kinds.items()):
        yield Unfair("duplicates", f"the import noted {kind!r} {plural_text(count, 'time')}", kind in _UNCLEAR)


def unfair_reason(study: StudyData, agents: Iterable[Agent], despite: Collection[str]) -> Callable[[str, str], str]:
    """Why comparing two agents would be unfair, apart from what is allowed; empty if it is fair."""
    sides = {agent.name: Side(study, agent) for agent in agents}
    everybody = [*duplicated_ids(study)]

    def reason(a: str, b: str) -> str:
        unfair = [*differences_between(sides[a], sides[b]), *everybody]
        return "; ".join(each.what for each in unfair if each.blocks and each.kind not in despite)

    return reason


def refuse_unfair(found: Iterable[Unfair], despite: Collection[str]) -> None:
    """Stops an unfair comparison.

    Raises:
        UnfairComparisonError: something makes it unfair that is not in `despite`.
    """
    stops = [each for each in found if each.blocks and each.kind not in despite]
    if stops:
        kinds = ",".join(dict.fromkeys(each.kind for each in stops))
        raise UnfairComparisonError(
            f"the comparison would be unfair: {'; '.join(each.what for each in stops)}. Make both sides alike, or "
            f"compare anyway with --despite {kinds}"
        )


def some_names(names: Sequence[str]) -> str:
    """Some of these names, and a sign that there are more."""
    return ", ".join(map(printable_text_line, names[:_MOST_NAMED])) + (" …" if len(names) > _MOST_NAMED else "")
