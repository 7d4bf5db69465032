"""The progress display of a run: a live table on a terminal, elsewhere a line at every tenth and every minute.

The same words serve `honestly status`, which reads the note that the run leaves beside its study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from honestly.command._options import one_line_name, say_on_stderr
from honestly.runner import in_hours
from honestly.show import FittingTable
from honestly.store import AgentPace, RunPace, write_pace

if TYPE_CHECKING:
    from honestly.runner import Oversight, Progress, RunCount

_LINE_S, _BLINK_S = 60.0, 0.1
_MOST_AGENTS, _LONGEST_REASON = 15, 110

Show = Callable[[RunPace], None]

FOOT = Text()
"""An empty line below live output, so that the `^C` of a terminal does not move it."""


@contextmanager
def run_screen(*, quiet: bool) -> Iterator[Show]:
    """A callback that shows how far a run is, each time it is called."""
    console = Console(emoji=False, markup=False, stderr=True)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with Live(console=console, transient=True, auto_refresh=False) as live:
            yield lambda pace: live.update(Group(pace_table(pace), FOOT), refresh=True)
    else:
        yield _pace_lines()


class Teller:
    """Tells how far a run is, on the screen and in the note beside the study."""

    def __init__(self, count: RunCount, over: Oversight, folder: Path | None, state: Progress) -> None:
        """A teller.

        Args:
            count: counts the run.
            over: knows why no further trial begins.
            folder: where the note lies; None for nowhere.
            state: how far the run is before it begins.
        """
        self.state = state
        self.show: Show = lambda _: None
        self._count, self._over, self._folder, self._at = count, over, folder, 0.0

    def told(self, now: Progress) -> None:
        """Takes in that an attempt has ended. To draw each one of a fast run would slow it down."""
        self.state = now
        if now.latest is None or not now.missing or monotonic() - self._at > _BLINK_S:
            self._tell_pace()

    def renew_note(self) -> None:
        """Renews the note."""
        pace = self._tell_pace()
        if self._folder is not None:
            write_pace(self._folder, pace)

    def _tell_pace(self) -> RunPace:
        pace = self._count.now(self._over.stopped or self._over.full)
        self.show(pace)
        self._at = monotonic()
        return pace


def _pace_lines() -> Show:
    shown, at = -1, monotonic()

    def line(pace: RunPace) -> None:
        nonlocal shown, at
        done = pace.planned - missing_trials(pace)
        step = 10 * done // max(1, pace.planned)
        if step > shown or monotonic() - at > _LINE_S:
            shown, at = max(step, shown), monotonic()
            say_on_stderr(pace_line(pace))

    return line


def pace_line(pace: RunPace) -> str:
    """How far a run is, in one line."""
    held = pace.planned - missing_trials(pace)
    done = held - sum(agent.void for agent in pace.agents)
    return ", ".join([f"{one_line_name(pace.suite)}: {done} of {pace.planned}", *pace_words(pace)])


def pace_words(pace: RunPace, *, alone: bool = True) -> list[str]:
    """The state of a run as text: trials in flight, speed, time left, cost, void trials.

    Args:
        pace: the run's note.
        alone: whether it is the study's only run. Of one among several, what is left, spent and spoilt is not its own.
    """
    agents, held = pace.agents, pace.planned - missing_trials(pace)
    flying, void, ended = (sum(getattr(each, name) for each in agents) for name in ("in_flight", "void", "ended"))
    usd = [agent.usd for agent in agents if agent.usd is not None]
    parts = [f"{flying} in flight"] if flying else []
    parts += [f"{3600 * ended / pace.seconds:,.0f} an hour"] if ended and pace.seconds else []
    if alone:
        parts += [f"{in_hours(pace.eta_s)} left"] if pace.eta_s else []
        parts += [f"{sum(usd):.2f} usd"] if usd else []
        parts += [f"{void} void ({void / held:.0%})"] if void and held > 0 else []
    return parts + ([f"stopping: {one_line_name(pace.stopped)}"] if pace.stopped else [])


def pace_table(pace: RunPace) -> Group:
    """How far a run is, agent by agent."""
    worst = [Text(f"{pace.worst_times} void: {one_line_name(pace.worst)[:_LONGEST_REASON]}", style="yellow")]
    return Group(Text(pace_line(pace), style="bold"), agents_table(pace.agents), *(worst if pace.worst else []))


def agents_table(agents: Sequence[AgentPace]) -> Group:
    """How far each agent is."""
    table = FittingTable(box=None, pad_edge=False, header_style="dim")
    table.add_column("agent")
    for name in ("done", "passed", "failed", "limit", "void", "now", "per hour", "usd"):
        table.add_column(name, justify="right", no_wrap=True)
    for agent in agents[:_MOST_AGENTS]:
        done = agent.passed + agent.failed + agent.limit
        counts = [str(count) if count else "" for count in (agent.passed, agent.failed, agent.limit)]
        rate = "" if agent.per_hour is None else f"{agent.per_hour:,.0f}"
        cells = [
            f"{done}/{agent.planned}" if agent.planned else str(done), *counts, _void(agent, done),
            str(agent.in_flight or ""), rate, "" if agent.usd is None else f"{agent.usd:.2f}",
        ]  # fmt: skip
        table.add_row(*[Text(one_line_name(agent.agent), no_wrap=True, overflow="ellipsis"), *map(Text, cells)])
    more = len(agents) - _MOST_AGENTS
    return Group(table, *([Text(f"… and {more} more agents")] if more > 0 else []))


def _void(agent: AgentPace, done: int) -> str:
    return f"{agent.void} ({agent.void / (agent.void + done):.0%})" if agent.void else ""


def amount_words(value: float, kind: str) -> str:
    """An amount of `usd`, `tokens` or `time` as people read it."""
    return in_hours(value) if kind == "time" else f"{value:,.2f}" if kind == "usd" else f"{value:,.0f}"


def missing_trials(pace: RunPace) -> int:
    """Trials of a run's plan that the study does not hold, as far as the run knows."""
    return pace.planned - sum(each.passed + each.failed + each.limit + each.void for each in pace.agents)
