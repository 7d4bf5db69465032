"""The curve of a plan: the smallest gap that a study finds, against its number of questions, a line for each K.

Both axes are logarithmic, where halving the gap is one fixed step to the right: four times the questions. Lines come
close to each other where more samples stop helping; the lowest one is the floor that no number of samples passes.
"""

import math
from collections.abc import Sequence

from honestly.plans._basis import PlanBasis
from honestly.plans._question import PlanQuestion, Size, smallest_gap
from honestly.show import Figure, gap_text, level_text, percent_text, plural_text
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Key,
    Scale,
    draw_head,
    draw_legend,
    empty_drawing,
    vega_lite,
)

_HIGH = 320.0
_POINTS = 97
_COLOURS = ("visible", "third", "honest", "ink")
_FLOOR = "muted"


def plan_figure(basis: PlanBasis, asked: PlanQuestion, sizes: Sequence[Size]) -> Figure:
    """The curves behind a plan, with the headline's gap and the questions at hand marked.

    Args:
        basis: variances.
        asked: the question to the plan.
        sizes: the answer for the first gap, one for each number of samples.
    """
    title = f"Smallest gap that a study finds with {percent_text(asked.demands.power, 0)}% power"
    shown = [size for size in sizes if size.questions is not None][: len(_COLOURS)]
    if not shown:
        reason = "The variance at these numbers of samples is not known."
        return Figure("plan", title, reason, empty_drawing(title, reason), vega_lite(title, reason, [], mark="line"))
    counts = [float(size.samples) for size in shown]
    if _has_floor(basis, asked):
        counts.append(math.inf)
    questions = _questions([size.questions or 0 for size in shown], asked.questions)
    curves = [[smallest_gap(asked, n, count)(basis.variance) for n in questions] for count in counts]
    values: list[dict[str, Json]] = [
        {"samples": _samples_label(count), "questions": n, "gap": gap}
        for count, curve in zip(counts, curves, strict=True)
        for n, gap in zip(questions, curve, strict=True)
    ]
    caption = _plan_caption(basis, asked)
    specification = vega_lite(
        title,
        caption,
        values,
        mark="line",
        width=600,
        height=300,
        encoding={
            "x": {
                "field": "questions",
                "type": "quantitative",
                "scale": {"type": "log", "domain": [questions[0], questions[-1]], "nice": False},
            },
            "y": {
                "field": "gap",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False},
                "axis": {"format": "%"},
                "title": "smallest gap",
            },
            "color": {
                "field": "samples",
                "type": "nominal",
                "scale": {
                    "domain": [_samples_label(count) for count in counts],
                    "range": [LIGHT[colour] for colour in _line_colours(counts)],
                },
                "legend": {"title": "of each agent"},
            },
        },
    )
    drawing = _draw(title, asked, sizes, counts, questions, curves)
    return Figure("plan", title, caption, drawing, specification)


def _plan_caption(basis: PlanBasis, asked: PlanQuestion) -> str:
    floor = " The lowest line is the floor: with the same questions no number of samples finds a smaller gap."
    floor = floor if _has_floor(basis, asked) else ""
    early = " The run may stop early; this is what it finds at its last question." if asked.early else ""
    guess = " The variance is a guess, not measured." if basis.kind == "prior" else ""
    level = level_text(asked.demands.alpha_each)
    return f"True difference of two agents at the same questions, two-sided level {level}.{early}{floor}{guess}"


def _has_floor(basis: PlanBasis, asked: PlanQuestion) -> bool:
    """Whether there is a gap that no number of samples passes, and it is known."""
    return not asked.early and math.isfinite(basis.variance.data) and basis.variance.data > 0


def _samples_label(samples: float) -> str:
    return "endless" if math.isinf(samples) else plural_text(int(samples), "sample")


def _questions(needed: Sequence[int], at_hand: int | None) -> list[float]:
    """Numbers of questions, evenly spaced on a logarithmic axis that holds all the marks."""
    marks = [*needed, at_hand or needed[0]]
    low, high = min(max(min(marks) / 4, 4.0), min(marks) / 1.5), max(3.0 * max(marks), 200.0)
    return [low * (high / low) ** (i / (_POINTS - 1)) for i in range(_POINTS)]


def _draw(
    title: str,
    asked: PlanQuestion,
    sizes: Sequence[Size],
    counts: Sequence[float],
    questions: Sequence[float],
    curves: Sequence[Sequence[float]],
) -> str:
    gap, found = sizes[0].gap, {float(size.samples): size.questions for size in sizes}
    keys = [_key(count, colour, found.get(count)) for count, colour in zip(counts, _line_colours(counts), strict=True)]
    described = "; ".join(f"{key.text} questions" for key in keys if ":" in key.text)
    canvas = Canvas(WIDTH, _HIGH + 160, title, f"For a gap of {gap_text(gap)} points: {described}")
    draw_head(canvas, title)
    legend = f"Samples of each agent, and the questions for a gap of {gap_text(gap)} points"
    canvas.text((LEFT, 46), legend, size=SMALL, colour="muted")
    draw_legend(canvas, keys, 68)
    left, right, top = LEFT + 52, WIDTH - LEFT - 8, 104.0
    finite = [value for curve in curves for value in curve if math.isfinite(value) and value > 0] or [gap]
    across = Scale((math.log(questions[0]), math.log(questions[-1])), (left, right))
    up = Scale((math.log(min(*finite, gap) * 0.9), math.log(min(max(finite), 1.0) * 1.1)), (top + _HIGH, top))
    _draw_axes(canvas, across, up, (left, right), (top, top + _HIGH))
    level = up(math.log(gap))
    canvas.add_line((left, level), (right, level), "muted")
    if asked.questions:
        x = across(math.log(asked.questions))
        canvas.add_line((x, top), (x, top + _HIGH), "muted")
        side, anchor = (5, "start") if x < (left + right) / 2 else (-5, "end")
        canvas.text((x + side, top + 11), f"{asked.questions:,} at hand", size=SMALL, anchor=anchor, colour="muted")
    for count, colour, curve in zip(counts, _line_colours(counts), curves, strict=True):
        path = [
            (across(math.log(n)), up(math.log(value)) if 0 < value <= 1 else math.nan)
            for n, value in zip(questions, curve, strict=True)
        ]
        canvas.add_polyline(path, colour)
        if (needed := found.get(count)) is not None:
            tip = f"{_samples_label(count)} of each agent: {needed:,} questions"
            canvas.add_circle((across(math.log(needed)), level), 4, colour, "surface", tip=tip)
    return canvas.render()


def _line_colours(counts: Sequence[float]) -> list[str]:
    return [_FLOOR if math.isinf(count) else _COLOURS[i] for i, count in enumerate(counts)]


def _key(count: float, colour: str, needed: int | None) -> Key:
    text = _samples_label(count) if needed is None else f"{_samples_label(count)}: {needed:,}"
    return Key(text, colour, shape="line")


def _draw_axes(canvas: Canvas, across: Scale, up: Scale, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Grid lines at 1, 2 and 5 times powers of ten, with labels."""
    for value in _round_ticks(*(math.exp(end) for end in across.data)):
        at = across(math.log(value))
        canvas.add_line((at, y[0]), (at, y[1]), "grid")
        canvas.text((at, y[1] + 16), f"{value:,.0f}", anchor="middle", size=SMALL, colour="muted")
    for value in _round_ticks(*(math.exp(end) for end in up.data)):
        at = up(math.log(value))
        canvas.add_line((x[0], at), (x[1], at), "grid")
        canvas.text((x[0] - 6, at + 4), f"{100 * value:g}", anchor="end", size=SMALL, colour="muted")
    canvas.text((sum(x) / 2, y[1] + 36), "questions", anchor="middle", size=SMALL, colour="muted")
    canvas.text((LEFT, y[0] - 8), "points", size=SMALL, colour="muted")


def _round_ticks(low: float, high: float) -> list[float]:
    """Round values between, at most about ten: in steps of 1, 2, 5, or powers of ten, or some of these."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    every = math.ceil(len(powers) / 10)
    return [step * 10.0**power for power in powers[::every] for step in steps if low <= step * 10.0**power <= high]
