"""The answer of `honestly stats length`: for a terminal, as data, and as a curve."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.length._length import AgentLength, MeasuredLength, Unit, agent_length
from honestly.show import (
    Figure,
    Figures,
    Shown,
    dim_line,
    interval_text,
    numbers_table,
    p_is,
    percent_text,
    plural_text,
    printable_text_line,
)
from honestly.show.drawing import LEFT, LIGHT, SMALL, WIDTH, Canvas, Json, Scale, draw_axis, draw_head, vega_lite

_FEW = 10


@dataclass(frozen=True, slots=True, repr=False)
class LengthReport(Shown):
    """Success of each agent by length of the work."""

    main_table: ClassVar[str] = "agents"

    unit: Unit
    """What length is measured in."""
    level: float
    """Of the intervals."""
    agents: tuple[AgentLength, ...]
    """By name."""

    @property
    def figures(self) -> Figures:
        """A curve for each agent whose rate is known."""
        return Figures(_curve_figure(each, self.unit) for each in self.agents if not each.reason)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for each in self.agents:
            yield Text(printable_text_line(_length_sentence(each, self.unit)), style="bold")
            yield numbers_table(
                f"{each.agent}: success by length in {self.unit}",
                {self.unit: 14, "trials": 6, "passed": 7, "interval": 14, "predicted": 9},
                [
                    (f"{part.shortest:,.4g} to {part.longest:,.4g}", f"{part.n}", percent_text(part.passed),
                     interval_text(*part.interval), "" if math.isnan(part.predicted) else percent_text(part.predicted))
                    for part in each.bins
                ],
                options.max_width,
            )  # fmt: skip
            if not each.reason and each.clusters < _FEW:
                yield dim_line(f"{plural_text(each.clusters, 'cluster')} of tasks: the intervals are uncertain.")


def length_report(trials: Sequence[MeasuredLength], unit: Unit, *, level: float = 0.95) -> LengthReport:
    """Fits each agent's success by length.

    Args:
        trials: of one or more agents; see `measured_lengths`.
        unit: of their lengths.
        level: coverage of each interval.
    """
    agents = dict.fromkeys(each.agent for each in trials)
    return LengthReport(
        unit,
        level,
        tuple(agent_length(agent, [each for each in trials if each.agent == agent], level) for agent in agents),
    )


def _length_sentence(each: AgentLength, unit: Unit) -> str:
    if each.reason:
        return f"{each.agent}: {each.reason}."
    low, high = each.half_interval
    said = (
        f"{each.agent}: success halves every {each.half:,.3g} {unit} [{low:,.3g}, {high:,.3g}] "
        f"if errors come at a constant rate"
    )
    if math.isnan(each.shape):
        return f"{said}; whether they do cannot be told."
    span = f"shape {each.shape:.2f} [{each.shape_interval[0]:.2f}, {each.shape_interval[1]:.2f}], {p_is(each.shape_p)}"
    if each.shape_interval[0] <= 1 <= each.shape_interval[1]:
        return f"{said}; nothing speaks against that ({span})."
    how = "become rarer" if each.shape < 1 else "become more frequent"
    return f"{said}, but they {how} in longer work ({span}): do not extrapolate the curve."


def _curve_figure(each: AgentLength, unit: Unit) -> Figure:
    """Share that passed against length, with the curve of a constant rate."""
    title = f"{each.agent}: success by length in {unit}"
    caption = "Dots are trials at tasks of about the same length, lines intervals; the curve is a constant error rate."
    described = "; ".join(f"{part.longest:,.4g}: {percent_text(part.passed)} of {part.n}" for part in each.bins)
    canvas = Canvas(WIDTH, 360, title, described)
    draw_head(canvas, title)
    left, top, right, bottom = LEFT + 60, 58.0, WIDTH - 30.0, 300.0
    most = max(part.longest for part in each.bins)
    across, up = Scale((0.0, most), (left, right)), Scale((0.0, 1.0), (bottom, top))
    draw_axis(canvas, [(across(most * tick / 4), f"{most * tick / 4:,.3g}") for tick in range(5)], (top, bottom))
    for tick in range(5):
        canvas.text((left - 8, up(tick / 4) + 4), f"{25 * tick}%", anchor="end", size=SMALL)
    curve = [(most * at / 100, math.exp(-each.rate * most * at / 100)) for at in range(101)]
    canvas.add_polyline([(across(x), up(y)) for x, y in curve], "muted")
    rows: list[dict[str, Any]] = []
    for part in each.bins:
        x = across((part.shortest + part.longest) / 2)
        if math.isfinite(part.interval[0]):
            canvas.add_line((x, up(part.interval[0])), (x, up(part.interval[1])), "honest", width=2)
        canvas.add_circle((x, up(part.passed)), 4.6, "honest", tip=f"{percent_text(part.passed)} of {part.n}")
        low, high = part.interval
        middle = (part.shortest + part.longest) / 2
        rows.append({"length": middle, "passed": part.passed, "low": low, "high": high, "predicted": part.predicted})
    axis: dict[str, Json] = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
    colour = LIGHT["honest"]
    layer: list[dict[str, Json]] = [
        {
            "mark": {"type": "rule", "color": colour},
            "encoding": {"y": {**axis, "field": "low"}, "y2": {"field": "high"}},
        },
        {"mark": {"type": "point", "filled": True, "color": colour}, "encoding": {"y": {**axis, "field": "passed"}}},
        {"mark": {"type": "line", "color": "gray"}, "encoding": {"y": {**axis, "field": "predicted"}}},
    ]
    x_axis: dict[str, Json] = {"x": {"type": "quantitative", "field": "length", "title": unit}}
    vega = vega_lite(printable_text_line(title), caption, rows, width=480, encoding=x_axis, layer=layer)
    return Figure(f"length-{each.agent}", title, caption, canvas.render(), vega)
