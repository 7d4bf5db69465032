"""Waves of services that can be deployed at once."""

from collections.abc import Collection, Mapping


def plan(
    needs: Mapping[str, Collection[str]], limit: int | None = None, running: Collection[str] = ()
) -> list[list[str]]:
    """The waves in which the services can be deployed; UnknownService or DependencyCycle if that cannot be."""
    raise NotImplementedError


def impact(needs: Mapping[str, Collection[str]], changed: Collection[str]) -> list[str]:
    """All services that are affected by a change of some."""
    raise NotImplementedError
