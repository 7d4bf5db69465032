"""What answers say of a score or a difference beside its value, as plain data; None where it cannot be estimated."""

from collections.abc import Iterable
from dataclasses import dataclass

from honestly.show import finite_or_none
from honestly.stats import NoiseComponents

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Noise:
    """Variance of one sample at one question."""

    total: float | None = None
    data: float | None = None
    """Because questions differ; may be slightly negative."""
    prediction: float | None = None
    """Because runs differ."""


@dataclass(frozen=True, slots=True)
class Independent:
    """The result if all tasks were independent, as most programs report it."""

    se: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    """Of a pair; None for a score, which is tested against nothing."""


def interval_of(low: float, high: float) -> tuple[float, float] | None:
    """Ends of an interval as plain numbers; None where either is not finite."""
    start, end = finite_or_none(low), finite_or_none(high)
    return None if start is None or end is None else (start, end)


def noise_of(parts: NoiseComponents) -> Noise:
    """Variance components as plain numbers."""
    return Noise(
        finite_or_none(parts.total.value), finite_or_none(parts.data.value), finite_or_none(parts.prediction.value)
    )


def granted_words(
    assumed: Iterable[str], values: str = "differences", *, unit: str = "tasks", clustered: bool = False
) -> tuple[str, ...]:
    """The assumptions of a claim, as sentences."""
    unit = f"clusters of {unit}" if clustered else unit
    return tuple(each.replace("units", unit).replace("values", values) for each in assumed)
