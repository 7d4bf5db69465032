"""The items that a reader of results gives, and what all readers need beside it."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple
from unicodedata import category, normalize

import msgspec

from honestly.errors import FormatError
from honestly.records import Agent, Defect, Record, Step, Tags, Trajectory, Trial, Usage, decode, encode

Settings = dict[str, str | int | float | bool | None]
"""The settings of an agent."""

Blob = bytes | Iterable[bytes]
"""The content of an artifact, whole or in pieces."""

ImportProgress = Callable[[str, int], None]
"""Told after each run or file: which one, and how many trials there are by now."""

# Tokens, dollars or seconds beyond this are no measurement.
_LARGEST_NUMBER = 1e12


class Imported(NamedTuple):
    """A trial with its trajectory and its artifacts."""

    trial: Trial
    trajectory: Trajectory | None
    artifacts: Mapping[str, Blob]


class Beside(Record, frozen=True, kw_only=True):
    """What other formats have no field for; as JSON, it is the text of one called `honestly`."""

    score: Annotated[float, msgspec.Meta(gt=0, lt=1)] | None = None
    """The grade of a trial that is neither a failure's nor a pass's."""
    tags: Tags = Tags()
    """Those of its task."""


def beside_text(trial: Trial, tags: Tags) -> str:
    """That text; empty where nothing would be in it."""
    said = Beside(score=trial.score if trial.is_graded else None, tags=tags)
    return "" if said == Beside() else encode(said).decode()


def beside_of(text: object) -> Beside:
    """What such a text says; nothing where it is somebody else's."""
    try:
        return decode(text.encode(), Beside) if isinstance(text, str) else Beside()
    except (FormatError, UnicodeError):
        return Beside()


def storable_text(value: object) -> str:
    """As text that can be stored: half a surrogate pair is escaped as text, so that names stay apart."""
    # Most texts are, and it is known without looking at them.
    if type(value) is str and value.isascii():
        return value
    try:
        return str(value).encode("utf-8", "backslashreplace").decode()
    except RecursionError:
        return "nested too deeply"


def without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value is not None}


def number_of(value: object) -> float | None:
    """A number that is not negative; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _LARGEST_NUMBER else None


def exit_status_of(value: object) -> int | None:
    """A program's exit status; None for anything else, true and false too, which JSON has and no record."""
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31
    return value if whole else None  # type: ignore[return-value]


def time_said(value: object) -> str | None:
    """A time as the source has it; None where it is no text."""
    return storable_text(value) if isinstance(value, str) else None


def time_of_seconds(value: object) -> str | None:
    """The time so many seconds after 1970, ISO 8601; None where that is no time of ours."""
    seconds = number_of(value)
    return None if seconds is None or not 0 < seconds < 1e11 else datetime.fromtimestamp(seconds, UTC).isoformat()


def first_request(steps: Iterable[Step]) -> str:
    """The first words of the user; empty where there are none."""
    return next((step.message for step in steps if step.source == "user"), "")


def cached_usage(fresh: int | None, read: int | None, written: int | None, **rest: Any) -> Usage:  # noqa: ANN401
    """The usage of a model whose vendor counts what it took from its cache, and put there, beside the fresh tokens."""
    total = None if fresh is None else fresh + (read or 0) + (written or 0)
    return Usage(input_tokens=total, cached_tokens=read, cache_write_tokens=written, **rest)


def free_name(agent: Agent, taken: Collection[str]) -> str:
    """The first of an agent's names that no other has: its own, that with version and model, then numbered ones."""
    more = (each for each in (agent.version, agent.model) if each not in agent.name.split())
    longer = " ".join(filter(None, (agent.name, *more)))
    names = [agent.name, longer, *(f"{longer} #{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name and name not in taken)


_CLOSE = 1e-6
# A figure with fewer decimals than these is no rounded one.
_ROUNDED = 3
DIFFERS = "figure differs"
DIFFERENCES = frozenset({DIFFERS, "summary differs", "rewards differ"})
"""Defects of a figure that the tool itself printed and that its trials do not give: they stop an import."""


def figure_defects(where: str, figure: str, said: object, found: float | None, over: str) -> Iterator[Defect]:
    """A defect where a tool printed another figure than its trials give.

    Args:
        where: the file that has the figure.
        figure: what it is called there.
        said: the tool's value; nothing is compared with what is no number.
        found: the value taken again by the tool's own rule; None where it cannot be.
        over: what it was taken over, such as `12 samples`.
    """
    if found is None or isinstance(said, bool) or not isinstance(said, int | float) or not math.isfinite(said):
        return
    decimals = len(repr(said).partition(".")[2])
    if abs(found - said) > max(_CLOSE, 0.51 * 10**-decimals if decimals >= _ROUNDED else 0.0):
        detail = f"{storable_text(figure)[:200]} is {said:.6g} in the file, {found:.6g} over {over}"
        yield Defect(kind=DIFFERS, where=where, detail=detail)


def pass_share(passed: int, samples: int, k: int) -> float:
    """The chance that one of `k` samples passes, drawn from those of a task; `k` is at most their number."""
    return 1 - math.comb(samples - passed, k) / math.comb(samples, k)


ALIKE = "names look alike"
"""Agents whose names differ in what nobody sees."""


def alike_names(names: Iterable[str]) -> Defect | None:
    """A defect for agents whose names differ only in blanks or forms of letters; None of others."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        seen = "".join(char for char in normalize("NFKC", name) if category(char) != "Cf")
        groups.setdefault(" ".join(seen.split()), []).append(name)
    pairs = [" and ".join(map(ascii, group)) for group in groups.values() if len(group) > 1]
    if not pairs:
        return None
    said = f"{'; '.join(pairs)[:300]} look alike, and are agents of their own"
    return Defect(kind=ALIKE, where="agents", detail=said, count=len(pairs))
