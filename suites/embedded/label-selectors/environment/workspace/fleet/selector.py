"""Selectors: conditions over labels."""

from collections.abc import Mapping


class Selector:
    """A condition over the labels of a machine; see `parse`."""

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the condition holds for these labels."""
        raise NotImplementedError

    def keys(self) -> set[str]:
        """All keys that occur in the condition."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError


def parse(text: str) -> Selector:
    """The selector that a text stands for; SelectorError if it is none."""
    raise NotImplementedError
