"""Names of agents whom no file names: a file's own name, or the folders that differ where that says nothing.

Many tools call the result of each model alike (`samples_eval_results.json`), and leave it to the user's folders to say
whose it is. Files of one name that have tasks in common are agents of their own; those with other tasks are further
tasks of one agent.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace as replace_field
from functools import wraps

from msgspec.structs import replace

from honestly.formats._files import storable_name
from honestly.formats._heads import Head
from honestly.formats._sources import FoundTrial, Item, Read, Source, noted_defect, per_file, stem_of
from honestly.records import Agent, Defect

Place = tuple[str, ...]
"""The folders of a file, and the name of its agent."""


def per_agent_file(name_of: Callable[[Head], str] = stem_of) -> Callable[[Callable[[Head], Iterator[Item]]], Read]:
    """As `per_file`, of files that are one agent's each, who has this name where the file says none."""

    def decorate(read_one: Callable[[Head], Iterator[Item]]) -> Read:
        read_each = per_file(read_one)

        @wraps(read_one)
        def read(source: Source) -> Iterator[Item]:
            def tasks_of(head: Head) -> set[str]:
                found = read_each(replace_field(source, heads=(head,)))
                return {
                    each.task.id for each in found if isinstance(each, FoundTrial) and _is_unnamed(each, name_of(head))
                }

            heads = {head.name: head for head in source.heads}
            places = {name: (*name.split("/")[:-1], name_of(head)) for name, head in heads.items()}
            names, said = names_apart(places, lambda name: tasks_of(heads[name]))
            yield from said
            for head in source.heads:
                for item in read_each(replace_field(source, heads=(head,))):
                    if isinstance(item, FoundTrial) and _is_unnamed(item, name_of(head)):
                        yield item._replace(agent=replace(item.agent, name=names[head.name]))
                    else:
                        yield item

        return read

    return decorate


def _is_unnamed(found: FoundTrial, name: str) -> bool:
    return found.agent.name == name and not found.agent.model


def names_apart(
    places: Mapping[str, Place], tasks_of: Callable[[str], Collection[str]]
) -> tuple[dict[str, str], list[Defect]]:
    """The name of the agent of each file or folder, and what is said where folders give it.

    Args:
        places: Where each one lies, and how its agent is called there.
        tasks_of: The tasks of one; asked only where several folders have one name.
    """
    names = {each: place[-1] for each, place in places.items()}
    folders = Counter(place[-1] for place in set(places.values()))
    tasks: dict[Place, set[str]] = defaultdict(set)
    for each, place in places.items():
        if folders[place[-1]] > 1:
            tasks[place].update(tasks_of(each))
    alike = {name for name, group in _grouped({place: place[-1] for place in tasks}).items() if _overlap(group, tasks)}
    if not alike:
        return names, []
    within = {place[:-1] for place in tasks if place[-1] in alike}
    for each, place in places.items():
        if place[:-1] in within and folders[place[-1]] == 1:
            tasks[place].update(tasks_of(each))
    apart = places_apart({place: tasks[place] for place in tasks if place[:-1] in within})
    names |= {each: apart[place] for each, place in places.items() if place in apart}
    found = sorted(set(apart.values()))
    said = f"several files are of {', '.join(sorted(alike)[:3])}, with tasks in common; agents are named after folders"
    first = next(each for each, place in places.items() if place in apart)
    detail = f"{said}: {', '.join(found[:10])}"
    return names, [noted_defect(storable_name(first), "agents named after folders", detail, len(found))]


def runs_apart(
    runs: Mapping[str, str], tasks_of: Callable[[str], Collection[str]], unnamed: str = ""
) -> tuple[dict[str, str], list[Defect]]:
    """The name of the agent of each run, with its folder where runs of one name have tasks in common.

    Args:
        runs: By the folder of each, how its files name its agent.
        tasks_of: The tasks of one; asked only where several have one name.
        unnamed: The name of an agent whom no file names, which the folder's replaces.
    """
    names, said = names_apart({home: (*home.split("/"), name) for home, name in runs.items()}, tasks_of)
    return {
        home: name if name == runs[home] or runs[home] == unnamed else f"{runs[home]} [{name}]"
        for home, name in names.items()
    }, said


def renamed(items: Iterable[Item], name: str, other: str, said: list[Defect]) -> Iterator[Item]:
    """Items of which the trials of the agent of a name are of another name, which is said once."""
    for item in items:
        if isinstance(item, FoundTrial) and item.agent.name == name != other:
            yield from said
            said.clear()
            yield item._replace(agent=replace(item.agent, name=other))
        else:
            yield item


def places_apart(tasks: Mapping[Place, Collection[str]]) -> dict[Place, str]:
    """Names for places: the one folder that keeps apart those with tasks in common, or else all that differ."""
    depth = max(map(len, tasks), default=0)
    padded = {place: (*place[:-1], *[""] * (depth - len(place)), *place[-1:]) for place in tasks}
    varied = [at for at in range(depth) if len({each[at] for each in padded.values()}) > 1]
    for at in varied:
        names = {place: each[at] or place[-1] for place, each in padded.items()}
        if not any(_overlap(group, tasks) for group in _grouped(names).values()):
            return names
    return {place: "/".join(each[at] for at in varied if each[at]) or place[-1] for place, each in padded.items()}


def _grouped(names: Mapping[Place, str]) -> dict[str, list[Place]]:
    groups: dict[str, list[Place]] = defaultdict(list)
    for place, name in names.items():
        groups[name].append(place)
    return groups


def _overlap(places: list[Place], tasks: Mapping[Place, Collection[str]]) -> bool:
    """Whether two of these places have a task in common."""
    each = Counter(task for place in places for task in tasks[place])
    return any(count > 1 for count in each.values())


def names_by_settings(agents: Iterable[Agent]) -> dict[str, str]:
    """Names by the agents' hashes: those of one name say in which settings they differ."""
    groups: dict[str, dict[str, Agent]] = defaultdict(dict)
    for agent in agents:
        groups[agent.name][agent.hash] = agent
    names: dict[str, str] = {}
    for name, group in groups.items():
        each = [{**agent.settings, "version": agent.version, "model": agent.model} for agent in group.values()]
        varied = [
            key
            for key in dict.fromkeys(key for one in each for key in one)
            if len({str(one.get(key)) for one in each}) > 1
        ]
        for hashed, one in zip(group, each, strict=True):
            words = [f"{key}={one[key]}" for key in varied if one.get(key) not in (None, "")]
            names[hashed] = f"{name} [{', '.join(words)[:200]}]" if len(group) > 1 and words else name
    return names
