"""What a run shows while it goes: a live table on a terminal, elsewhere a line at every tenth and every minute.

The same words serve `honestly status`, which reads the note that the run leaves beside its study.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from honestly.cli._options import named, say
from honestly.runner import in_hours
from honestly.store import AgentPace, RunPace

_LINE_S = 60.0
_MOST_AGENTS, _LONGEST_REASON = 15, 110

Show = Callable[[RunPace], None]


@contextmanager
def run_screen(*, quiet: bool) -> Iterator[Show]:
    """What shows how far a run is, each time it is called."""
    console = Console(stderr=True)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with Live(console=console, transient=True, auto_refresh=False) as live:
            yield lambda pace: live.update(pace_table(pace), refresh=True)
    else:
        yield _lines()


def _lines() -> Show:
    shown, at = -1, monotonic()

    def line(pace: RunPace) -> None:
        nonlocal shown, at
        done = pace.planned - _missing(pace)
        step = 10 * done // max(1, pace.planned)
        if step > shown or monotonic() - at > _LINE_S:
            shown, at = max(step, shown), monotonic()
            say(pace_line(pace))

    return line


def pace_line(pace: RunPace) -> str:
    """How far a run is, in one line."""
    agents = pace.agents
    void = sum(agent.void for agent in agents)
    held = pace.planned - _missing(pace)
    ended, usd = sum(agent.ended for agent in agents), [agent.usd for agent in agents if agent.usd is not None]
    parts = [f"{named(pace.suite)}: {held - void} of {pace.planned}"]
    parts += [f"{flying} in flight"] if (flying := sum(agent.in_flight for agent in agents)) else []
    parts += [f"{3600 * ended / pace.seconds:,.0f} an hour"] if ended and pace.seconds else []
    parts += [f"{in_hours(pace.eta_s)} left"] if pace.eta_s else []
    parts += [f"{sum(usd):.2f} usd"] if usd else []
    parts += [f"{void} void ({void / held:.0%})"] if void else []
    parts += [f"stopping: {named(pace.stopped)}"] if pace.stopped else []
    return ", ".join(parts)


def pace_table(pace: RunPace) -> Group:
    """How far a run is, agent by agent."""
    worst = [Text(f"{pace.worst_times} void: {named(pace.worst)[:_LONGEST_REASON]}", style="yellow")]
    return Group(Text(pace_line(pace), style="bold"), agents_table(pace.agents), *(worst if pace.worst else []))


def agents_table(agents: Sequence[AgentPace]) -> Group:
    """How far each agent is."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("agent", overflow="ellipsis", no_wrap=True)
    for name in ("done", "passed", "failed", "limit", "void", "now", "per hour", "usd"):
        table.add_column(name, justify="right", no_wrap=True)
    for agent in agents[:_MOST_AGENTS]:
        table.add_row(*_row(agent))
    more = len(agents) - _MOST_AGENTS
    return Group(table, *([Text(f"… and {more} more agents")] if more > 0 else []))


def _row(agent: AgentPace) -> list[Text]:
    done = agent.passed + agent.failed + agent.limit
    counts = [str(count) if count else "" for count in (agent.passed, agent.failed, agent.limit)]
    rate = "" if agent.per_hour is None else f"{agent.per_hour:,.0f}"
    cells = [
        named(agent.agent), f"{done}/{agent.planned}", *counts, _void(agent, done),
        str(agent.in_flight or ""), rate, "" if agent.usd is None else f"{agent.usd:.2f}",
    ]  # fmt: skip
    return [Text(cell) for cell in cells]


def _void(agent: AgentPace, done: int) -> str:
    return f"{agent.void} ({agent.void / (agent.void + done):.0%})" if agent.void else ""


def amount(value: float, kind: str) -> str:
    """An amount of `usd`, `tokens` or `time` as people read it."""
    return in_hours(value) if kind == "time" else f"{value:,.2f}" if kind == "usd" else f"{value:,.0f}"


def _missing(pace: RunPace) -> int:
    return pace.planned - sum(each.passed + each.failed + each.limit + each.void for each in pace.agents)
