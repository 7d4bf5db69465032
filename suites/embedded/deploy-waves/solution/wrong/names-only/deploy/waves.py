"""Waves of services that can be deployed at once."""

import heapq
from collections import deque
from collections.abc import Collection, Iterable, Mapping

from deploy.errors import DependencyCycle, UnknownService

Graph = dict[str, set[str]]


def plan(
    needs: Mapping[str, Collection[str]], limit: int | None = None, running: Collection[str] = ()
) -> list[list[str]]:
    """The waves in which the services can be deployed; UnknownService or DependencyCycle if that cannot be.

    ValueError if `limit` is less than 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"a wave needs room for one service, not {limit}")
    present = set(running)
    graph = {service: set(wanted) - present for service, wanted in needs.items() if service not in present}
    missing = {need for wanted in graph.values() for need in wanted if need not in graph}
    if missing:
        raise UnknownService(sorted(missing))
    dependents = _turned(graph)
    chains = _chain_lengths(graph, dependents)
    if len(chains) < len(graph):
        raise DependencyCycle(_shortest_cycle({service: graph[service] for service in graph.keys() - chains.keys()}))

    open_needs = {service: len(wanted) for service, wanted in graph.items()}
    ready = [(0, service) for service, count in open_needs.items() if count == 0]
    heapq.heapify(ready)
    waves = []
    while ready:
        wave = [heapq.heappop(ready)[1] for _ in range(min(len(ready), limit or len(ready)))]
        for dependent in (dependent for service in wave for dependent in dependents[service]):
            open_needs[dependent] -= 1
            if open_needs[dependent] == 0:
                heapq.heappush(ready, (0, dependent))
        waves.append(sorted(wave))
    return waves


def impact(needs: Mapping[str, Collection[str]], changed: Collection[str]) -> list[str]:
    """All services that are affected by a change of some; UnknownService if one of these is not in `needs`."""
    unknown = set(changed) - set(needs)
    if unknown:
        raise UnknownService(sorted(unknown))
    dependents = _turned(needs)
    affected, waiting = set(changed), list(set(changed))
    while waiting:
        new = dependents[waiting.pop()] - affected
        affected |= new
        waiting.extend(new)
    return sorted(affected)


def _turned(needs: Mapping[str, Iterable[str]]) -> Graph:
    """Who needs each service."""
    dependents: Graph = {service: set() for service in needs}
    for service, wanted in needs.items():
        for need in wanted:
            dependents.setdefault(need, set()).add(service)
    return dependents


def _chain_lengths(graph: Graph, dependents: Graph) -> dict[str, int]:
    """How long the chain of dependents of each service is; services on a circle, and what they need, are left out."""
    waited_for = {service: len(waiting) for service, waiting in dependents.items()}
    lengths = {service: 1 for service, count in waited_for.items() if count == 0}
    done = deque(lengths)
    while done:
        service = done.popleft()
        for need in graph[service]:
            waited_for[need] -= 1
            if waited_for[need] == 0:
                lengths[need] = 1 + max(lengths[dependent] for dependent in dependents[need])
                done.append(need)
    return lengths


def _shortest_cycle(graph: Graph) -> tuple[str, ...]:
    """The shortest circle, the smallest of several; there must be one."""
    best: tuple[str, ...] = ()
    for start in sorted(graph):
        cycle = _cycle_from(graph, start)
        if cycle and (not best or len(cycle) < len(best)):
            best = cycle
    return best


def _cycle_from(graph: Graph, start: str) -> tuple[str, ...]:
    """The shortest circle in which `start` is the smallest name; empty if there is none.

    Because the search goes through the needs of each service in order, the first path it finds is the smallest.
    """
    came_from: dict[str, str | None] = {start: None}
    waiting = deque([start])
    while waiting:
        service = waiting.popleft()
        if start in graph[service]:
            path: list[str] = []
            step: str | None = service
            while step is not None:
                path.append(step)
                step = came_from[step]
            return tuple(reversed(path))
        for need in sorted(graph[service]):
            if need > start and need not in came_from:
                came_from[need] = service
                waiting.append(need)
    return ()
