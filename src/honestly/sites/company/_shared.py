"""The common parts of the company's applications: the world, and fields with few possible values."""

from collections.abc import Sequence
from random import Random

from honestly.sites._app import App
from honestly.sites._asked import RequestValues
from honestly.sites._blocks import Field
from honestly.sites.company._world import PLANS, PRIORITIES, STATES, STATUSES, Customer, Ticket, made_world


class Shared(App):
    """An application over the company's world."""

    user, password = "dana", "low-tide"

    def __init__(self, seed: int = 0) -> None:
        self.world = made_world(Random(f"company {seed}"))  # noqa: S311 - content, not a secret
        super().__init__(self.world)

    @property
    def handles(self) -> tuple[str, ...]:
        return tuple(person.handle for person in self.world.people)

    def _field_choices(self, key: str) -> Sequence[str]:
        """Which values a field may have; none where it may have any."""
        words = {"plan": PLANS, "status": STATUSES, "state": STATES, "priority": PRIORITIES}
        return self.handles if key in {"owner", "assignee"} else words.get(key, ())

    def choice_field(self, key: str, value: str, *, any_: bool = False) -> Field:
        options = tuple((each, each) for each in self._field_choices(key))
        label = key.capitalize()
        if not options:
            return Field(key, label, value, optional=key == "resolution")
        return Field(key, label, value, "select", (("", "any"), *options) if any_ else options)

    def value(self, given: RequestValues, key: str) -> str:
        if choices := self._field_choices(key):
            return given.choice(key, choices)
        return given.text(key, "" if key == "resolution" else None)


def set_fields(it: Customer | Ticket, found: dict[str, str]) -> None:
    """Set some fields of a row."""
    for key, value in found.items():
        setattr(it, key, value)
