"""The steps of one trial, as a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType

from honestly.records import Step
from honestly.show import Shown, numbers_table

_ID = 12


@dataclass(frozen=True, slots=True, repr=False)
class StepTable(Shown):
    """The steps of one trial."""

    main_table: ClassVar[str] = "steps"

    trial: str
    """Its id."""
    steps: tuple[Step, ...]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON; each step with its number."""
        # Not through `super()`: a data class with slots is another class than the one that its methods were made in.
        plain = Shown.to_plain(self)
        plain["steps"] = [{"index": index} | step for index, step in enumerate(plain["steps"])]
        return plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        words = max(20, options.max_width - 24)
        rows = [(f"{index} {step.source}", _step_words(step)[:words]) for index, step in enumerate(self.steps)]
        yield numbers_table(f"Trial {self.trial[:_ID]}", {"step": 12, "what": words}, rows, 14 + words, left=("what",))


def _step_words(step: Step) -> str:
    calls = [f"{call.name} {' '.join(str(call.argument(name)) for name in call.arguments)}" for call in step.calls]
    seen = [f"-> {each.text}" for each in step.observations]
    return " ".join(" ".join([step.message, *calls, *seen]).split())
