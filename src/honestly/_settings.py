"""Settings of a verb, said once: a frozen record from which its function, its options and its help are made.

    @dataclass(frozen=True, slots=True)
    class CountSettings(Settings):
        place: Path
        _: KW_ONLY
        samples: int = setting(1, "Samples per task and agent.", "-k", least=1)
        tasks: Sequence[str] = setting((), "Only this task. Repeatable.", metavar="ID")

    @verb(CountSettings)
    def count(settings: CountSettings) -> Counts: ...

`count(place, samples=5, tasks="a")` is the function then, whose `help()` lists the settings; the command line has
`--samples` and `--task` for it (`honestly.command.settings_options`). A value that an option would refuse is
refused here, in the same words.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from honestly.errors import SettingsError

__all__ = ["Setting", "Settings", "method", "setting", "settings_of", "tell_nobody", "verb"]

T = TypeVar("T")
S = TypeVar("S")
Q = TypeVar("Q")
F = TypeVar("F", bound=Callable[..., object])
P = ParamSpec("P")


def tell_nobody(*_: object) -> None:
    """A callback, for progress or for words, that does nothing."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of a setting beside its name, type and default."""

    help: str
    names: tuple[str, ...]
    """Of the option, where they are more or others than its field's: `-k`, or `--unsafe-no-sandbox`."""
    metavar: str | None
    least: float | None
    most: float | None
    open: bool
    """Whether both ends of its range are outside of it."""
    choices: tuple[str, ...]
    required: bool
    """Whether the command line needs it, though the function has a default."""
    alone: str | None
    """What the option stands for without a value, if it may have none."""
    many: bool
    """Whether the option may be repeated; its field, a plural, takes one as well as several."""
    heading: str
    """Where `--help-all` shows its option; empty where `--help` does."""
    points: bool
    """Whether it is in points of 100, so that a value below 1 may be meant as a share."""

    def option_names(self, name: str) -> list[str]:
        """The names of its option: `--sample-size`, and `-k`; one that is repeated has the singular of its field's."""
        long = [each for each in self.names if each.startswith("--")]
        usual = name.removesuffix("s") if self.many else name
        return [*(long or [f"--{usual.replace('_', '-')}"]), *(each for each in self.names if each not in long)]

    def refusal(self, name: str, value: object) -> str:
        """Why a value cannot be had; empty where it can."""
        said = f"{self.option_names(name)[0].removeprefix('--')} is {value!r}"
        if self.choices and value not in self.choices:
            return f"{said}; expected one of: {', '.join(filter(None, self.choices))}"
        if not isinstance(value, int | float) or isinstance(value, bool):
            return ""
        low = self.least is not None and (value < self.least or (self.open and value == self.least))
        high = self.most is not None and (value > self.most or (self.open and value == self.most))
        least, most = ("more than", "less than") if self.open else ("at least", "at most")
        ends = [f"{words} {end:g}" for words, end in ((least, self.least), (most, self.most)) if end is not None]
        return f"{said}; expected {' and '.join(ends)}" if low or high or value != value else ""


def setting(
    default: Any,  # noqa: ANN401 - a field's
    help: str,  # noqa: A002 - as click has it
    *names: str,
    metavar: str | None = None,
    least: float | None = None,
    most: float | None = None,
    open: bool = False,  # noqa: A002 - as click has it
    choices: Iterable[str] = (),
    required: bool = False,
    alone: str | None = None,
    many: bool = False,
    heading: str = "",
    points: bool = False,
) -> Any:  # noqa: ANN401 - as `field`
    """A field that is an option, too; arguments as in `Setting`.

    Without a default (`MISSING`) it must be given; a default of `()` makes it one that is repeated.
    """
    needed = required or default is MISSING
    several = many or isinstance(default, tuple)
    said = Setting(help, names, metavar, least, most, open, tuple(choices), needed, alone, several, heading, points)
    return field(default=default, metadata={"setting": said})


def settings_of(record: type) -> Iterator[tuple[Field[Any], Setting]]:
    """The fields of a record of settings that are options, in their order."""
    return ((each, each.metadata["setting"]) for each in fields(record) if "setting" in each.metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """Base of records of settings: what cannot be had is refused when one is made.

    Raises:
        SettingsError: a value is outside of its range, or none of its choices.
    """

    def __post_init__(self) -> None:
        """Takes one text for several where several may be given; refuses what is out of range."""
        for each, said in settings_of(type(self)):
            value = getattr(self, each.name)
            if said.many:
                one = isinstance(value, str) or not isinstance(value, Iterable)
                object.__setattr__(self, each.name, (value,) if one else tuple(value))
            for single in getattr(self, each.name) if said.many else () if value is None else (value,):
                if refused := said.refusal(each.name, single):
                    raise SettingsError(refused)

    def given(self) -> dict[str, Any]:
        """All of it as arguments of the function or the method that is made of the record."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def verb(record: Callable[P, S]) -> Callable[[Callable[[S], T]], Callable[P, T]]:
    """A decorator that makes a function of a record into one of the record's fields, which its `help()` lists."""

    def decorate(work: Callable[[S], T]) -> Callable[P, T]:
        @wraps(work)
        def call(*args: P.args, **given: P.kwargs) -> T:
            return work(record(*args, **given))

        return _described(call, work, record, [])

    return decorate


def method(record: Callable[P, S]) -> Callable[[Callable[[Q, S], T]], Callable[Concatenate[Q, P], T]]:
    """As `verb`, for a method."""

    def decorate(work: Callable[[Q, S], T]) -> Callable[Concatenate[Q, P], T]:
        @wraps(work)
        def call(of: Q, /, *args: P.args, **given: P.kwargs) -> T:
            return work(of, record(*args, **given))

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        return _described(call, work, record, [own])

    return decorate


def _described(call: F, work: Callable[..., object], record: Callable[..., object], own: list[inspect.Parameter]) -> F:
    """The function, with the parameters and the help that a record of settings gives it."""
    found = inspect.signature(record)
    answer = inspect.signature(work).return_annotation
    call.__signature__ = found.replace(  # type: ignore[attr-defined]
        parameters=[*own, *found.parameters.values()], return_annotation=answer
    )
    lines = [f"    {each.name}: {said.help}" for each, said in settings_of(record)]  # type: ignore[arg-type]
    text = inspect.cleandoc(work.__doc__ or "")
    call.__doc__ = "\n".join([text, "", "Settings, as the options of the command line:", *lines])
    return call
