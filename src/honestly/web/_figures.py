"""Figures, tables and sentences of a study, made by a process of their own: `python -P -m honestly.web._figures`.

A report of 100,000 trials takes ten seconds and more memory than the server may have, and would make all other pages
wait. So a page is shown without it, and asks for it until it is there. It is made anew when the study has changed, as
`OpenStudy.made` says.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from honestly.errors import HonestlyError
from honestly.scratch import run_owned
from honestly.web._library import OpenStudy
from honestly.web._pages import Addresses, Pages, ServerAddresses

if TYPE_CHECKING:
    from honestly.show import Links

_LONGEST_S = 900
_MOST_AGENTS = 40
"""Agents that figures draw and that the first part of a page lists; of more, the table comes after it."""
_MOST_ROWS = 100
"""Of each table below the figures."""
_AT_ONCE = threading.Semaphore(2)

BOARD, PAIR = "board", "pair"


class Score(msgspec.Struct, frozen=True):
    """An agent's score in a study, for trends."""

    agent: str
    model: str
    harness: str
    score: float
    low: float
    high: float


def figure_pieces(pages: Pages, study: OpenStudy, *asked: str, wait: float = 0.2) -> Mapping[str, str] | None:
    """Parts of pages by name, as HTML; None while they are being made. `error` says why there are none.

    Args:
        pages: those that show them; pages without a server wait until they are made.
        study: whose.
        asked: `board`; or `pair` and the names of two agents.
        wait: how long a page waits for them, s.
    """
    name = f"figures {asked!r}"
    if not pages.live:
        return study.made(name, lambda _: _made_here(study, pages.url, asked))
    return study.soon(name, lambda _: _made_pieces(study, asked), wait)


def pieces_generation(study: OpenStudy, *asked: str) -> int:
    """The generation of the study that the parts are of; -1 while there are none."""
    return study.made_generation(f"figures {asked!r}")


def make_pieces(study: OpenStudy, url: Addresses, asked: tuple[str, ...]) -> dict[str, str]:
    """Makes them here and now.

    Raises:
        HonestlyError: there is nothing to say about the study, or it cannot be read.
    """
    return _board_pieces(study, url) if asked[0] == BOARD else _pair(study, asked[1], asked[2])


def _made_here(study: OpenStudy, url: Addresses, asked: tuple[str, ...]) -> dict[str, str]:
    try:
        return make_pieces(study, url, asked)
    except HonestlyError as error:
        return {"error": str(error)}


def _made_pieces(study: OpenStudy, asked: tuple[str, ...]) -> dict[str, str]:
    question = msgspec.json.encode([str(study.path.resolve()), study.key, *asked])
    with _AT_ONCE:
        try:
            done = run_owned([sys.executable, "-P", "-m", __name__], stdin=question, timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            return {"error": f"it takes longer than {_LONGEST_S // 60} minutes; honestly report has no such limit"}
    if done.returncode == -signal.SIGINT:
        return {"error": "the viewer was ended"}
    if done.returncode:
        print(done.stderr.decode(errors="replace"), file=sys.stderr)
        return {"error": "it could not be made; the terminal of honestly view says why"}
    return msgspec.json.decode(done.stdout, type=dict[str, str])


def _board_pieces(study: OpenStudy, url: Addresses) -> dict[str, str]:
    from honestly import leaderboards, studies
    from honestly.audit.report import audit_section
    from honestly.trials import reasons_section

    opened = studies.open(study.path)
    found, links = opened.report(), _board_links(study, url)
    board = found.board
    agents = {agent.name: agent for agent in board.evaluation.agents}
    scores = [
        Score(row.name, agents[row.name].model, agents[row.name].program, row.honest, *row.interval)
        for row in board.agents
        if row.honest is not None and row.interval is not None
    ]
    audited = opened.audited()
    drawn = {figure.name: figure for figure in leaderboards.board_figures(board, _MOST_AGENTS)}
    forest = drawn.pop("forest", None)
    by_question = [drawn.pop(name) for name in ("heatmap", "pass-at-k") if name in drawn]
    is_long = len(board.agents) > _MOST_AGENTS
    return {
        "summary": leaderboards.board_section("summary.html", board, links=links, forest=forest, apart=is_long),
        "table": leaderboards.board_section("board.html", board, links=links) if is_long else "",
        "axes": leaderboards.axes_section(board, links),
        "reasons": reasons_section(found.reasons, links) if found.reasons else "",
        "figures": leaderboards.board_section("figures.html", board, drawn.values(), links),
        "questions": leaderboards.board_section("figures.html", board, by_question, links),
        "audit": audit_section(audited, links, _MOST_ROWS) if audited.rates else "",
        "details": leaderboards.board_section("details.html", board, links=links, most=_MOST_ROWS),
        "scores": msgspec.json.encode(scores).decode(),
    }


def _pair(study: OpenStudy, a: str, b: str) -> dict[str, str]:
    from honestly import comparisons, studies
    from honestly.scores import UNFAIR

    opened = studies.open(study.path)
    # A page shows what is unfair beside the comparison; it has nobody to ask.
    return {"pair": comparisons.pair_section(opened.compare(a, b, despite=UNFAIR), opened.diff(b, a))}


def _board_links(study: OpenStudy, url: Addresses) -> "Links":
    from honestly.show import Links

    def flagged(detector: str, agent: str) -> str:
        found = {"detector": detector} if detector else {"where": "flags>0"}
        return url.study(study, "trials", agent="" if agent == "all" else agent, **found)

    return Links(
        agent=lambda name: url.study(study, "trials", agent=name),
        task=lambda task: url.study(study, "trials", task=task),
        pair=lambda a, b: url.study(study, "compare", a=a, b=b),
        reason=lambda why: url.study(study, "trials", why=why),
        trial=lambda trial: url.study(study, f"t/{trial}"),
        detector=flagged,
    )


def _main() -> None:
    if hasattr(os, "nice"):
        os.nice(10)  # pages go first
    path, key, *asked = msgspec.json.decode(sys.stdin.buffer.read(), type=list[str])
    found = _made_here(OpenStudy(Path(path), key), ServerAddresses(), tuple(asked))
    sys.stdout.buffer.write(msgspec.json.encode({name: str(text) for name, text in found.items()}))


if __name__ == "__main__":
    _main()
