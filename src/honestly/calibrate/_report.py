"""The answer of `honestly calibrate`: for a terminal, as data, and as a curve."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.calibrate._calibration import AgentCalibration, CalibrationPair, agent_calibration, calibration_pairs
from honestly.calibrate._stated import StatedResult
from honestly.show import (
    AtWidth,
    Figure,
    Figures,
    Shown,
    as_json,
    dim_line,
    interval_text,
    numbers_table,
    p_is,
    percent_text,
    plural_text,
    points_text,
    printable_text_line,
)
from honestly.show.drawing import LEFT, LIGHT, SMALL, WIDTH, Canvas, Json, Scale, draw_axis, draw_head, vega_lite

_ALL = "all agents"
_TELL = "Ask for it with the arm `confidence` (`honestly run SUITE -a AGENT --arm confidence`)."


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationReport(Shown):
    """What agents said about their work, compared with the hidden verdicts."""

    main_table: ClassVar[str] = "agents"

    level: float
    pooled: AgentCalibration
    """All trials of all agents together."""
    agents: tuple[AgentCalibration, ...]
    pairs: tuple[CalibrationPair, ...]

    def to_plain(self) -> dict[str, Any]:
        """The numbers of all trials together, those of each agent under `agents`, of each pair under `pairs`."""
        plain = as_json(self)
        pooled = plain.pop("pooled")
        return {name: value for name, value in pooled.items() if name != "agent"} | plain

    @property
    def figures(self) -> Figures:
        """A calibration curve for each agent that stated something."""
        return Figures(_curve_figure(each) for each in self.agents if each.n)

    @property
    def sentence(self) -> str:
        """The answer in one line for each agent."""
        return " ".join(_agent_sentence(each) for each in self.agents) or "No trial was judged."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from self._brief_parts(options.max_width)
        for each in self.agents:
            if each.n:
                yield _curve_table(each, options.max_width)
        yield from self._abstention_lines()
        if len(self.pairs) > 1:
            yield dim_line(f"p of pairs is adjusted for {len(self.pairs)} pairs (Holm).")

    def brief(self) -> RenderableType:
        """The sentence, a line for each agent, and what became of their claims."""
        from rich.console import Group

        return Group(
            AtWidth(lambda room: Group(*self._brief_parts(min(room, 100)))),
            dim_line("--details: curves, thresholds from which to believe them, pairs."),
        )

    def _brief_parts(self, room: int) -> Iterator[RenderableType]:
        yield Text(printable_text_line(self.sentence), style="bold")
        if self.pooled.n:
            yield _agents_table(self.agents, room)
        claims = [(each.agent, claim) for each in self.agents for claim in each.claims]
        yield numbers_table(
            "what became of what they claimed",
            {"agent": 12, "claimed": 8, "trials": 6, "passed": 7, "interval": 14},
            [
                (agent, claim.claimed, f"{claim.n}", percent_text(claim.passed), interval_text(*claim.interval))
                for agent, claim in claims
            ],
            room,
            left=("claimed",),
        )
        for pair in self.pairs:
            yield dim_line(
                f"{pair.a} - {pair.b}: Brier score {pair.difference:+.3f} "
                f"[{pair.interval[0]:+.3f}, {pair.interval[1]:+.3f}] on {pair.tasks} common tasks ({p_is(pair.p_holm)})"
            )
        if silent := self.pooled.trials - self.pooled.n:
            yield dim_line(
                f"{silent} of {plural_text(self.pooled.trials, 'judged trial')} state no confidence. {_TELL}"
            )

    def _abstention_lines(self) -> Iterator[RenderableType]:
        for each in self.agents:
            kept = [rule for rule in each.abstain if rule.threshold is not None]
            for rule in kept:
                yield dim_line(
                    f"{each.agent}: of answers stated at {percent_text(rule.threshold or 0, 0)}% or more at most "
                    f"{percent_text(rule.failures, 0)}% fail ({percent_text(self.level, 0)}% sure): "
                    f"{percent_text(rule.answered, 0)}% of its trials"
                )
            if each.n and not kept:
                yield dim_line(f"{each.agent}: no stated confidence is shown to mean that at most 20% fail")


def calibration_report(results: Sequence[StatedResult], *, level: float = 0.95) -> CalibrationReport:
    """Compare what agents said about their work with the verdicts.

    Args:
        results: of one or more agents; see `stated_results`.
        level: coverage of each interval.
    """
    agents = dict.fromkeys(each.agent for each in results)
    return CalibrationReport(
        level,
        agent_calibration(_ALL, results, level),
        tuple(agent_calibration(agent, [each for each in results if each.agent == agent], level) for agent in agents),
        calibration_pairs(results, level),
    )


def _agent_sentence(each: AgentCalibration) -> str:
    if not each.n:
        return f"{each.agent} states no confidence."
    said = f"{each.agent} says {percent_text(each.confidence, 0)}% and passes {percent_text(each.passed, 0)}%"
    low, high = each.overconfidence_interval
    span = f"[{points_text(low)}, {points_text(high)}]"
    if each.verdict == "cannot tell":
        gap = f"{points_text(each.overconfidence)} points {span}"
        return f"{said}: whether it is over- or under-confident cannot be told ({gap})."
    which = "over-confident" if each.overconfidence > 0 else "under-confident"
    doubt = "" if each.verdict == "shown" else " if rare large differences can be excluded"
    return f"{said}: it is {which} by {abs(100 * each.overconfidence):.1f} points {span}{doubt}."


def _number_text(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def _agents_table(agents: Sequence[AgentCalibration], room: int) -> RenderableType:
    return numbers_table(
        "stated confidence against hidden verdicts",
        {
            "agent": 12,
            "n": 5,
            "Brier": 5,
            "interval": 14,
            "reliability": 7,
            "resolution": 7,
            "AUROC": 5,
            "of AUROC": 14,
        },
        [
            (
                each.agent,
                f"{each.n}",
                _number_text(each.brier),
                f"[{each.interval[0]:.3f}, {each.interval[1]:.3f}]",
                _number_text(each.reliability),
                _number_text(each.resolution),
                _number_text(each.auroc),
                ""
                if math.isnan(each.auroc_interval[0])
                else f"[{each.auroc_interval[0]:.2f}, {each.auroc_interval[1]:.2f}]",
            )
            for each in agents
            if each.n
        ],
        room,
    )


def _curve_table(each: AgentCalibration, room: int) -> RenderableType:
    return numbers_table(
        f"{each.agent}: what it stated, and what passed",
        {"stated": 7, "passed": 7, "interval": 14, "trials": 6},
        [
            (percent_text(part.confidence), percent_text(part.passed), interval_text(*part.interval), f"{part.n}")
            for part in each.curve
        ],
        room,
    )


def _curve_figure(each: AgentCalibration) -> Figure:
    """Share that passed against stated confidence; on the diagonal what was said is true."""
    title = f"{each.agent}: stated confidence and what passed"
    caption = "Dots are trials that stated about the same, lines intervals; on the diagonal what was said is true."
    described = "; ".join(
        f"{percent_text(part.confidence)}%: {percent_text(part.passed)}% of {part.n}" for part in each.curve
    )
    side = 360.0
    canvas = Canvas(WIDTH, side + 110, title, described)
    draw_head(canvas, title)
    left, top = LEFT + 60, 58.0
    across, up = Scale((0.0, 1.0), (left, left + side)), Scale((0.0, 1.0), (top + side, top))
    draw_axis(canvas, [(across(tick / 4), f"{25 * tick}%") for tick in range(5)], (top, top + side))
    for tick in range(5):
        canvas.text((left - 8, up(tick / 4) + 4), f"{25 * tick}%", anchor="end", size=SMALL)
    canvas.add_line((across(0), up(0)), (across(1), up(1)), "muted")
    for part in each.curve:
        x = across(part.confidence)
        if math.isfinite(part.interval[0]):
            canvas.add_line((x, up(part.interval[0])), (x, up(part.interval[1])), "honest", width=2)
        tip = f"stated {percent_text(part.confidence)}%, passed {percent_text(part.passed)}% of {part.n}"
        canvas.add_circle((x, up(part.passed)), 4.6, "honest", tip=tip)
    rows: list[dict[str, Any]] = [
        {
            "stated": part.confidence,
            "passed": part.passed,
            "low": part.interval[0],
            "high": part.interval[1],
            "n": part.n,
        }
        for part in each.curve
    ]
    axis: dict[str, Json] = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
    passed: dict[str, Json] = {**axis, "field": "passed"}
    colour = LIGHT["honest"]
    vega = vega_lite(
        printable_text_line(title),
        caption,
        rows,
        width=360,
        encoding={"x": {**axis, "field": "stated"}},
        layer=[
            {
                "mark": {"type": "rule", "color": colour},
                "encoding": {"y": {**axis, "field": "low"}, "y2": {"field": "high"}},
            },
            {"mark": {"type": "point", "filled": True, "color": colour}, "encoding": {"y": passed}},
        ],
    )
    return Figure(f"calibration-{each.agent}", title, caption, canvas.render(), vega)
