"""Evolve: islands of candidates, each a grid of the best of every kind; attempts begin with one and are shown others.

Sources: AlphaEvolve (Novikov et al. 2025), ShinkaEvolve (Lange et al. 2025), MAP-Elites (Mouret & Clune 2015). What is
as there: islands that now and then send their best to the next, a cell for each kind of candidate, a cascade (one
evaluation first, more for what may be worth it), what is wrong never enters the grid whatever it scores, failures are
told, what is a rewording of a candidate that is there is not evaluated, and of several agents a bandit chooses. With
several metrics, those that no other candidate beats in all of them are an archive of parents, too. What differs: the
agent edits with its own tools and not with SEARCH/REPLACE blocks of one answer, and the grid only says where to begin:
what the run calls better than its best is decided as in every loop.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from honestly.improve._audit import same_meaning
from honestly.improve._declare import BASELINE
from honestly.improve._front import LOOKS, ParetoPoint, pareto_front, pareto_point
from honestly.improve._prompt import next_prompt

if TYPE_CHECKING:
    from honestly.improve._journal import Proposed
    from honestly.improve._run import LoopRun
    from honestly.records import Tree

_ISLANDS, _MIGRATION = 3, 8
_GREEDY = 0.5
_HOPELESS = 4.0
_SHOWN, _LONGEST = 2, 1500

_FRONT = 0.25
"""Share of attempts that begin with a candidate of the front, where several metrics are declared."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Elite:
    """The best of its cell."""

    id: str
    score: float
    """Mean of the metric over the first evaluations, larger where it is better; on seeds that all candidates share."""
    n: int
    """Its attempt; 0 is the baseline."""
    placed: ParetoPoint | None = None
    """By all metrics that are declared, where there are several."""


Island = dict[Cell, Elite]


class Bandit:
    """Which of several agents tries next: UCB1 (Auer et al. 2002) on the share of attempts that beat their parent."""

    def __init__(self, agents: list[str]) -> None:
        self._tried = dict.fromkeys(agents, 0)
        self._won = dict.fromkeys(agents, 0)

    def choose(self) -> str:
        """The agent with the highest upper bound; of equal ones the first."""
        total = sum(self._tried.values())

        def bound(agent: str) -> float:
            n = self._tried[agent]
            return self._won[agent] / n + math.sqrt(2 * math.log(total) / n) if n else math.inf

        return max(self._tried, key=bound)

    def learn_result(self, agent: str, *, won: bool) -> None:
        """Note what came of an attempt."""
        self._tried[agent] += 1
        self._won[agent] += won


async def evolve(run: LoopRun) -> str:
    """Improve by variation and selection; the id of the best."""
    best = await run.baseline()
    score = _signed_gain(run, (await run.look(BASELINE, LOOKS))[0])
    start = Elite(BASELINE, score, 0, _placed_candidate(run, BASELINE, 0))
    islands: list[Island] = [{_grid_cell(run, BASELINE): start} for _ in range(_ISLANDS)]
    bandit, archive = Bandit(list(run.actors)), list(islands[0].values())
    n = 0
    while run.more():
        rng = random.Random(run.seed("evolve", n))  # noqa: S311 - a resumed run chooses the same
        island, n = islands[n % _ISLANDS], n + 1
        if len(archive) > 1 and rng.random() < _FRONT:
            parent = rng.choice(archive)
        else:
            # Where to begin: half of the time with the island's best, else with any cell's.
            elites = sorted(island.values(), key=lambda each: (-each.score, each.n))
            parent = elites[0] if rng.random() < _GREEDY else rng.choice(elites)
        who = bandit.choose()
        tried = await run.attempt(
            parent.id, next_prompt(run, best, more=_other_candidates(run, parent, islands, rng)), who
        )
        elite = await _elite_from_attempt(run, tried, island)
        bandit.learn_result(who, won=elite is not None and elite.score > parent.score)
        if elite:
            found = [*archive, elite]
            rows = [each.placed for each in found if each.placed is not None]
            front = {each.id for each in pareto_front(run.target.declaration, rows)}
            archive = list({each.id: each for each in found if each.id in front}.values())
            held = island.get(cell := _grid_cell(run, elite.id))
            if held is None or elite.score > held.score:
                island[cell] = elite
            if elite.score <= score:
                run.drop(tried, "ok", f"no better than the best on {LOOKS} seeds", _elite_score(run, elite))
            elif await run.keep(tried, best):
                best, score = tried.id, elite.score
        if n % _MIGRATION == 0:
            _migrate(islands)
    return best


async def _elite_from_attempt(run: LoopRun, tried: Proposed, island: Island) -> Elite | None:
    """An attempt as a candidate for the grid; None where it is none, which is then decided."""
    if trouble := run.idle(tried, tried.parent):
        run.drop(tried, *trouble)
        return None
    new = run.target.workspace(tried.edit)
    for elite in island.values():
        if _reworded(new, run.target.workspace(run.state.edits[elite.id])):
            run.drop(
                tried, "same", f"it says the same as {f'attempt {elite.n}' if elite.n else 'the unchanged project'}"
            )
            return None
    found, status, why = await run.look(tried.id, 1)
    worst = min(each.score for each in island.values())
    noise = run.state.decided[run.arm, 0].spread or 0.0
    if found is not None and _signed_gain(run, found) >= worst - _HOPELESS * noise:
        found, status, why = await run.look(tried.id, LOOKS)
    if found is None:
        run.drop(tried, status, why)
        return None
    return Elite(tried.id, _signed_gain(run, found), tried.n, _placed_candidate(run, tried.id, tried.n))


def _placed_candidate(run: LoopRun, candidate: str, n: int) -> ParetoPoint | None:
    said = run.target.declaration
    looks = [run.state.evaluated.get(f"{run.arm} score {at} {candidate}") for at in range(LOOKS)]
    values = [{**each.metrics, said.metric: each.value} for each in looks if each and each.value is not None]
    return pareto_point(said, values, candidate, n) if said.metrics and len(values) == LOOKS else None


def _signed_gain(run: LoopRun, value: float | None) -> float:
    return -math.inf if value is None else run.target.declaration.improvement_over(value, 0.0)


def _elite_score(run: LoopRun, elite: Elite) -> float:
    """Its score as the metric has it."""
    return elite.score * run.target.declaration.improvement_over(1.0, 0.0)


def _grid_cell(run: LoopRun, candidate: str) -> Cell:
    """The kind of a candidate: how long its files are, and how far it is from the project; both in powers of two."""
    edit, before = run.state.edits[candidate], run.target.tree
    files = {**before.only(edit.write.files).files, **edit.write.files}
    size = sum(len(file.data) for file in files.values())
    moved = 0
    for path, file in edit.write.files.items():
        old = before.files[path].data.splitlines() if path in before.files else []
        moved += len(set(file.data.splitlines()) ^ set(old))
    return (round(2 * math.log2(1 + size)), round(math.log2(1 + moved)))


def _migrate(islands: list[Island]) -> None:
    """Every island's best goes to the next, where its cell has nothing better."""
    leaving = [max(island.items(), key=lambda each: (each[1].score, -each[1].n)) for island in islands]
    for at, (cell, elite) in enumerate(leaving):
        island = islands[(at + 1) % len(islands)]
        if cell not in island or island[cell].score < elite.score:
            island[cell] = elite


def _reworded(new: Tree, old: Tree) -> bool:
    """Whether two candidates mean the same, file by file."""
    if new.files.keys() != old.files.keys():
        return False
    changed = [path for path in new.files if new.files[path] != old.files[path]]
    texts = ((path, *(tree.files[path].data.decode("utf-8", "replace") for tree in (old, new))) for path in changed)
    return all(same_meaning(*each) for each in texts)


def _other_candidates(run: LoopRun, parent: Elite, islands: list[Island], rng: random.Random) -> str:
    """Candidates of all islands, as differences to the one that the agent begins with."""
    found = {each.id: each for island in islands for each in island.values() if each.id != parent.id}
    ranked = sorted(found.values(), key=lambda each: (-each.score, each.n))
    shown = ranked[:1] + rng.sample(ranked[1:], min(len(ranked[1:]), _SHOWN - 1))
    here = run.target.workspace(run.state.edits[parent.id])
    parts = (
        [f"You begin with a version that scored {_elite_score(run, parent):.5g}. Others, as changes to it:"]
        if shown
        else []
    )
    for each in shown:
        there = run.target.workspace(run.state.edits[each.id])
        parts.append(f"- attempt {each.n}, {_elite_score(run, each):.5g}:\n{_difference(here, there)[:_LONGEST]}")
    return "\n\n".join(parts)


def _difference(old: Tree, new: Tree) -> str:
    lines: list[str] = []
    for path in sorted(old.files.keys() | new.files.keys()):
        a, b = (tree.files[path].data if path in tree.files else b"" for tree in (old, new))
        if a != b:
            was, now = (text.decode("utf-8", "replace").splitlines() for text in (a, b))
            lines += unified_diff(was, now, path, path, n=1, lineterm="")
    return "\n".join(lines)
