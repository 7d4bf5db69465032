"""Why a deployment cannot be planned."""

from collections.abc import Iterable


class UnknownService(ValueError):
    """Services are needed that nobody knows."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        super().__init__(f"unknown services: {', '.join(self.names)}")


class DependencyCycle(ValueError):
    """Services need each other in a circle."""

    def __init__(self, services: Iterable[str]) -> None:
        self.services = tuple(services)
        super().__init__(f"services need each other: {' -> '.join(self.services)}")
