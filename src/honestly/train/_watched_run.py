"""What a watch says of a run: its incidents, what was done about each and whether it came again, and a picture."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.show import Figure, Figures, Shown, number_text, plural_text, printable_text_line
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Key,
    Scale,
    draw_axis,
    draw_head,
    nice_ticks,
    vega_lite,
)
from honestly.train._series import TrainingLog
from honestly.train._stability import StabilityWatch, WatchEvent

_POINTS = 2000
"""Most points of a line of the picture; from twice as many on every other one is left out."""
_COLOURS = {"precursor": "third"}
_CAPTION = (
    "Loss (blue) and the logarithm of the gradient norm (grey), each over its own range. Vertical lines are incidents: "
    "precursors in violet, all others in orange."
)


@dataclass(slots=True)
class Curve:
    """A series as it is drawn, with at most twice `_POINTS` points."""

    points: list[tuple[int, float]] = field(default_factory=list)
    _stride: int = 1
    _seen: int = 0

    def add(self, step: int, value: float) -> None:
        """One more point."""
        if self._seen % self._stride == 0:
            self.points.append((step, value))
        self._seen += 1
        if len(self.points) > 2 * _POINTS:
            self.points = self.points[::2]
            self._stride *= 2


@dataclass(frozen=True, slots=True)
class WatchedRun(Shown):
    """The state of a run at the end of its log."""

    main_table: ClassVar[str] = "events"
    events: tuple[WatchEvent, ...]
    steps: int
    final: str
    """The state at the end: `ok`, `precursor`, `spike`, `recurring`, `collapsed` or `diverged`."""
    unjudged: int
    """Readings that nothing could be said of: there was too little before them."""
    left_out: Mapping[str, int]
    """What was not read, by the reason."""
    curves: Mapping[str, Sequence[tuple[int, float]]] = field(repr=False)

    def to_plain(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "events": [asdict(each) for each in self.events],
            "steps": self.steps,
            "final": self.final,
            "unjudged": self.unjudged,
            "left_out": dict(self.left_out),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self.events:
            table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
            for title in ("step", "state", "seen in", "z", "action", "came again"):
                table.add_column(title, justify="right" if title in {"step", "z"} else "left")
            for event in self.events:
                again = {None: "–", True: "yes", False: "no"}[event.recurred]
                z, action = number_text(event.z), printable_text_line(event.action) if event.action else "–"
                table.add_row(*map(Text, (f"{event.step:,}", event.state, event.detector, z, action, again)))
            yield table
        done, again_of = Counter[str](), Counter[str]()
        for event in self.events:
            if event.action and event.recurred is not None:
                done[event.action] += 1
                again_of[event.action] += event.recurred
        for action, count in done.items():
            yield Text(f"After {printable_text_line(action)}: {again_of[action]} of {count} came again.")
        style = "bold green" if self.final == "ok" else "bold red"
        yield Text.assemble(
            (self.final, style),
            f" after {plural_text(self.steps, 'step')}",
            f"; {plural_text(len(self.events), 'event')}",
        )
        if self.unjudged:
            yield Text(f"{plural_text(self.unjudged, 'reading')} came too early to be judged", style="dim")
        for reason, count in self.left_out.items():
            yield Text(f"not read: {plural_text(count, 'time')}, {reason}", style="dim")

    @property
    def figures(self) -> Figures:
        """The run with its incidents."""
        return Figures([_figure(self)] if self.curves.get("loss") or self.curves.get("grad_norm") else [])


def watch_log(log: TrainingLog, watch: StabilityWatch | None = None) -> Iterator[WatchedRun]:
    """Yields the state of a run whenever it changes, and at the end.

    Raises:
        FormatError: Nothing in the log can be read.
    """
    watch = watch or StabilityWatch()
    curves = {"loss": Curve(), "grad_norm": Curve()}
    for reading in log.readings():
        state, events = watch.state, len(watch.events)
        watch.read(reading)
        for series, curve in curves.items():
            if (value := reading.values.get(series)) is not None:
                curve.add(reading.step, math.log(value) if series == "grad_norm" and value > 0 else value)
        if (state, events) != (watch.state, len(watch.events)):
            yield _watched(log, watch, curves)
    yield _watched(log, watch, curves)


def _watched(log: TrainingLog, watch: StabilityWatch, curves: Mapping[str, Curve]) -> WatchedRun:
    points = {series: curve.points for series, curve in curves.items()}
    return WatchedRun(tuple(watch.events), watch.steps, watch.state, watch.unjudged, dict(log.left_out), points)


def _figure(run: WatchedRun) -> Figure:
    title = "Loss and gradient norm of the run"
    every = [point for points in run.curves.values() for point in points]
    steps = nice_ticks(min(step for step, _ in every), max(step for step, _ in every))
    canvas = Canvas(WIDTH, 330, title, f"{len(run.events)} incidents; final state {run.final}")
    draw_head(canvas, title, [Key("loss", "honest", shape="line"), Key("log gradient norm", "muted", shape="line")])
    across, (top, bottom) = Scale((steps[0], steps[-1]), (LEFT + 50, WIDTH - LEFT - 20)), (70.0, 290.0)
    draw_axis(canvas, [(across(tick), f"{tick:,.0f}") for tick in steps], (top, bottom))
    for series, colour in (("grad_norm", "muted"), ("loss", "honest")):
        points = run.curves.get(series, [])
        finite = [value for _, value in points if math.isfinite(value)]
        if finite:
            ticks = nice_ticks(min(finite), max(finite))
            up = Scale((ticks[0], ticks[-1]), (bottom, top))
            canvas.add_polyline([(across(step), up(value)) for step, value in points], colour, width=1)
            if series == "loss":
                for tick in ticks:
                    canvas.text((LEFT + 44, up(tick) + 4), f"{tick:g}", anchor="end", size=SMALL, colour="muted")
    for event in run.events:
        colour = _COLOURS.get(event.state, "visible")
        canvas.add_line((across(event.step), top), (across(event.step), bottom), colour)
        canvas.add_circle(
            (across(event.step), top), 4, colour, tip=f"step {event.step}: {event.state} in {event.detector}"
        )
    rows: list[Mapping[str, Json]] = [
        {"step": step, "series": series, "value": value}
        for series, points in run.curves.items()
        for step, value in points
    ]
    spec: dict[str, Json] = {
        "width": 640,
        "mark": {"type": "line", "color": LIGHT["honest"]},
        "encoding": {
            "x": {"field": "step", "type": "quantitative"},
            "y": {"field": "value", "type": "quantitative", "scale": {"zero": False}},
            "row": {"field": "series", "type": "nominal"},
        },
        "resolve": {"scale": {"y": "independent"}},
    }
    return Figure("run", title, _CAPTION, canvas.render(), vega_lite(title, _CAPTION, rows, **spec))
