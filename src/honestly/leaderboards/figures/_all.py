"""The figures of a leaderboard: its data handed to the drawing functions, which know nothing of studies."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from honestly.leaderboards._board import AgentRow, Leaderboard
from honestly.leaderboards.figures._bump import policy_ranks
from honestly.leaderboards.figures._curves import pass_curves
from honestly.leaderboards.figures._fall import visible_honest
from honestly.leaderboards.figures._forest import forest_figure
from honestly.leaderboards.figures._heatmap import heatmap_figure
from honestly.leaderboards.figures._matrix import difference_matrix
from honestly.leaderboards.figures._noise import noise_stack
from honestly.show import Figure, span_text
from honestly.stats import pass_all_k, pass_at_k

_LARGEST_K = 10


def board_figures(board: Leaderboard, most: int | None = None) -> tuple[Figure, ...]:
    """The figures that this leaderboard has data for, in the order in which a report shows them.

    Args:
        board: whose.
        most: agents to draw, the best ones; all by default.
    """
    if board.resolved is None or not any(row.honest is not None for row in board.agents):
        return ()
    rows = board.agents[:most]
    names = [row.name for row in rows]
    figures = [_forest(board, rows)]
    if any(row.visible is not None for row in board.agents):
        visible, honest = ([_nan_if_none(getattr(row, kind)) for row in rows] for kind in ("visible", "honest"))
        figures.append(visible_honest(names, visible, honest))
    if board.all_pairs is not None:
        figures.append(_matrix(board, names))
    if len(board.variants) > 1 and len(names) > 1 and len(rows) == len(board.agents):  # ranks are those among all
        scores = [[_nan_if_none(score) for score in variant.scores] for variant in board.variants]
        figures.append(policy_ranks(names, [variant.name for variant in board.variants], scores))
    figures.append(_noise(rows))
    places = [board.resolved.row(name) for name in names]
    figures.append(heatmap_figure(names, board.resolved.questions, board.resolved.mean[places]))
    if board.resolved.binary:
        # pass@k and pass^k up to the largest k for which every agent has enough samples of every question it has.
        counts = [board.resolved.n[place] for place in places]
        samples = [int(count[count > 0].min()) if (count > 0).any() else 0 for count in counts]
        largest = min(max(samples, default=0), _LARGEST_K)
        at, hat = (
            [
                [f(board.resolved, name, k).value if k <= m else math.nan for k in range(1, largest + 1)]
                for name, m in zip(names, samples, strict=True)
            ]
            for f in (pass_at_k, pass_all_k)
        )
        if len(at[0]) > 1:
            figures.append(pass_curves(names, at, hat))
    if len(rows) == len(board.agents):
        return tuple(figures)
    return tuple(replace(each, title=f"{each.title}: the best {len(rows)} of {len(board.agents)}") for each in figures)


def _nan_if_none(value: float | None) -> float:
    return math.nan if value is None else value


def _forest(board: Leaderboard, rows: Sequence[AgentRow]) -> Figure:
    ends = [row.interval or (math.nan, math.nan) for row in rows]
    ranks = [span_text(row.rank_interval) for row in rows] if any(row.rank_interval for row in rows) else ()
    return forest_figure(
        [row.name for row in rows],
        [_nan_if_none(row.honest) for row in rows],
        [low for low, _ in ends],
        [high for _, high in ends],
        ranks,
        board.level,
    )


def _matrix(board: Leaderboard, names: Sequence[str]) -> Figure:
    size, place = len(names), {name: i for i, name in enumerate(names)}
    difference, p, holm = (np.full((size, size), np.nan) for _ in range(3))
    for pair in board.pairs:
        if not {pair.a, pair.b} <= place.keys():
            continue
        i, j = place[pair.a], place[pair.b]
        difference[i, j], difference[j, i] = _nan_if_none(pair.difference), -_nan_if_none(pair.difference)
        p[i, j] = p[j, i] = _nan_if_none(pair.p_value)
        holm[i, j] = holm[j, i] = _nan_if_none(pair.p_holm)
    return difference_matrix(names, difference.tolist(), p.tolist(), holm.tolist(), board.significance.alpha)


def _noise(rows: Sequence[AgentRow]) -> Figure:
    data, prediction, total = (
        [_nan_if_none(getattr(row.noise, part)) for row in rows] for part in ("data", "prediction", "total")
    )
    return noise_stack([row.name for row in rows], data, prediction, total)
