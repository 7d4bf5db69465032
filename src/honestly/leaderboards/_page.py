"""A leaderboard as parts of a page: the report's one file is made of them, and the viewer's pages are."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec
from markupsafe import Markup

from honestly._version import program_version
from honestly.leaderboards._board import AgentRow, Leaderboard, Pair
from honestly.leaderboards._health import health_words
from honestly.leaderboards._words import DEFINITIONS, board_notes, told_apart
from honestly.records import Agent
from honestly.show import NO_LINKS, Figure, Links, filled, level_text, printable_text_line

_ALL_PAIRS = 45


def board_section(
    template: str,
    board: Leaderboard,
    figures: Iterable[Figure] = (),
    links: Links = NO_LINKS,
    most: int | None = None,
    **more: object,
) -> Markup:
    """A part of a page about a leaderboard.

    Args:
        template: `summary.html` has the sentence, the warnings and, if it is not `apart`, the table, as `board.html`
            has it; `figures.html` the `figures`; `details.html` pairs, policies, health, tasks, and what was run;
            `report.html` is a page of all of them.
        board: the leaderboard.
        figures: those to be shown.
        links: where names lead.
        most: rows of each table of `details.html`; all by default.
        more: what else the template needs; `forest` is a figure that stands below the sentence.
    """
    rows = board.agents
    more = {"forest": None, "apart": False} | more
    # All pairs, or, where these are too many, those with the leader and those of neighbours.
    if len(board.pairs) <= _ALL_PAIRS:
        shown_pairs = list(board.pairs)
    else:
        place = {row.name: i for i, row in enumerate(board.agents)}
        shown_pairs = [pair for pair in board.pairs if place[pair.a] == 0 or place[pair.b] - place[pair.a] == 1]
    shown = sorted((name, value) for name, value in board.study.items() if name != "registration")
    facts = [(printable_text_line(name), _plain_text(value)) for name, value in shown]
    return filled(
        "leaderboards",
        template,
        names=[*(row.name for row in rows), *(task.id for task in board.tasks)],
        board=board,
        links=links,
        figures=tuple(figures),
        pairs=shown_pairs[:most],
        most=most,
        notes=board_notes(board),
        health=health_words(board.health, board.level) if board.health else [],
        level=level_text(board.level),
        verdict=_pair_verdict,
        definitions=DEFINITIONS,
        facts=[*facts, ("reported by", f"honestly {program_version()}")],
        agents=[(agent.name, text) for agent in board.evaluation.agents if (text := _configuration(agent))],
        show={
            "rank": any(row.rank_interval for row in rows),
            "visible": any(row.visible is not None or row.hacks.measured for row in rows),
            "impossible": any(row.hacks.impossible for row in rows),
            "cost": any(row.usd is not None for row in rows),
            "undecided": any(row.undecided for row in rows),
            "lost": [name for name in ("limit", "void", "missing") if any(getattr(row, name) for row in rows)],
        },
        **more,
    )


def axes_section(board: Leaderboard, links: Links = NO_LINKS) -> Markup:
    """Scores by model and by harness; empty if these are unknown or the same for all agents."""
    made_of = {agent.name: (agent.model, agent.program) for agent in board.evaluation.agents}
    cells: dict[tuple[str, str], list[AgentRow]] = defaultdict(list)
    for row in board.agents:
        cells[made_of[row.name]].append(row)
    models, harnesses = (sorted({key[axis] for key in cells}) for axis in (0, 1))
    if len(cells) < 2 or not any(map(any, cells)):
        return Markup()
    return filled(
        "leaderboards",
        "axes.html",
        names=[row.name for row in board.agents],
        cells=dict(cells),
        models=models,
        harnesses=harnesses,
        links=links,
        level=level_text(board.level),
    )


def _pair_verdict(pair: Pair, alpha: float) -> str:
    if pair.not_comparable:
        return "not comparable"
    if told_apart(pair, alpha, family=True):
        return "differ"
    if told_apart(pair, alpha, family=False):
        return "differ taken alone"
    return "cannot tell" if pair.p_value is not None else "not estimable"


def _configuration(agent: Agent) -> str:
    known = {"program": agent.program, "version": agent.version, "model": agent.model, **agent.settings}
    return "; ".join(
        f"{printable_text_line(name)} {_plain_text(value)}" for name, value in known.items() if value not in {"", None}
    )


def _plain_text(value: object) -> str:
    return printable_text_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())
