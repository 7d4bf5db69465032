"""The claims of somebody else's improvement loop, as far as its files say them.

A claim has up to three parts, which weigh very differently:

- `baseline`: the unchanged start, measured before the loop chose anything;
- `selected`: the winner, on the scores that made it the winner, and so too high;
- `fresh`: the winner, measured again afterwards, and the start beside it where somebody thought of that.

`read_claims` reads a run of cap-evolve (`baseline.json`, `final.json`, `events.jsonl`, `graph.json`, of which some may
be missing), of GEPA and of OpenEvolve (their own files), and a table (CSV) with the columns `seed_percent,
evolved_percent, n` and any that name the row. What a file does not hold is listed in `missing`; nothing is filled in.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from honestly._loose import nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats import parse_json, read_bytes
from honestly.improve._claim import LARGEST, GainClaim, Scored, gain_claim, json_object
from honestly.improve._claims_gepa import gepa_claims
from honestly.improve._claims_openevolve import openevolve_claims

_SHARE = "a score between 0 and 1"


def read_claims(path: Path, kind: str) -> list[GainClaim]:
    """The claims in the files of another loop.

    Args:
        path: a directory of a run, or a table.
        kind: one of `CLAIM_FORMATS`.

    Raises:
        FormatError: there is no such run, or it does not hold what it should; the message says what.
    """
    return list(CLAIM_FORMATS[kind](path))


def _cap_evolve(path: Path) -> Iterator[GainClaim]:
    held = {name: json_object(path / name) for name in ("baseline.json", "final.json", "graph.json")}
    if not path.is_dir() or not any(held.values()):
        raise FormatError(f"{path} is not a run of cap-evolve: expected a directory with final.json or graph.json")
    nodes = {str(node.get("id")): node for node in objects_of(nested_dict(held["graph.json"], "graph").get("nodes"))}
    final = held["final.json"]
    best = str(final.get("best_id") or nested_dict(held["graph.json"], "graph").get("best_id") or "")
    if not best:
        raise FormatError(f"{path} names no best candidate: expected best_id in final.json")
    events = list(_json_lines(path / "events.jsonl"))
    start = _scored_total(nested_dict(held["baseline.json"], "val")) or _of_node(nodes.get("seed"))
    if start is None:
        raise FormatError(f"{path} does not hold the start's score: expected baseline.json, or `seed` in graph.json")
    chosen = start if best == "seed" else _of_node(nodes.get(best)) or _of_events(events, best, start.n)
    if chosen is None:
        raise FormatError(f"{path} does not hold the score of {best}, its best candidate")
    tried = {name: str(node.get("status")) for name, node in nodes.items() if name != "seed"}
    for event in events:
        if event.get("kind") in {"step", "accept", "reject"}:
            tried[str(event.get("candidate"))] = "accepted" if event.get("accept") else "rejected"
    fresh, fresh_start = _scored_total(nested_dict(final, "test")), _scored_total(nested_dict(final, "test_baseline"))
    held_out = None
    if fresh is not None and fresh.tasks and start.tasks:
        held_out = not fresh.tasks.keys() & start.tasks.keys()
    counted = len(tried), sum(word == "accepted" for word in tried.values())
    yield gain_claim(path.name, best, (start, chosen), counted, (fresh_start, fresh), held_out)


def _table_claims(path: Path) -> Iterator[GainClaim]:
    text = read_bytes(path, LARGEST).decode("utf-8-sig", "replace")
    rows = csv.DictReader(io.StringIO(text))
    needed = {"seed_percent", "evolved_percent", "n"}
    if lacking := needed - set(rows.fieldnames or ()):
        there = ", ".join(rows.fieldnames or ())
        raise FormatError(f"{path} has no column {', '.join(sorted(lacking))}; it has {there}")
    for number, row in enumerate(rows, 2):
        try:
            seed, evolved, n = (float(row[name]) for name in ("seed_percent", "evolved_percent", "n"))
        except (TypeError, ValueError):
            found = ", ".join(f"{name} {row[name]!r}" for name in ("seed_percent", "evolved_percent", "n"))
            raise FormatError(f"{path}, line {number}: expected numbers such as 40, found {found}") from None
        if not (0 <= seed <= 100 and 0 <= evolved <= 100 and n >= 1):
            said = f"{seed}, {evolved}, {n}"
            raise FormatError(f"{path}, line {number}: expected two percentages and a number of tasks, found {said}")
        if seed < 1 > evolved and any((each * n / 100) % 1 for each in (seed, evolved)):
            raise FormatError(f"{path}, line {number}: {seed}, {evolved} are shares; expected percentages, such as 40")
        name = " / ".join(str(row[key]) for key in rows.fieldnames or () if key not in needed)
        start, chosen = (Scored(value / 100, int(n)) for value in (seed, evolved))
        yield gain_claim(name, "evolved", (start, chosen), (0, 0))


def _json_lines(path: Path) -> Iterator[Mapping[str, object]]:
    if path.is_file():
        for line in read_bytes(path, LARGEST).splitlines():
            found = parse_json(line) if line.strip() else None
            if isinstance(found, dict):
                yield found


def _scored_total(said: Mapping[str, object]) -> Scored | None:
    tasks = {str(task.get("task_id")): _float_share(task.get("reward")) for task in objects_of(said.get("per_task"))}
    return Scored(_float_share(said.get("reward")), len(tasks), tasks) if "reward" in said else None


def _of_node(node: Mapping[str, object] | None) -> Scored | None:
    if node is None or node.get("val") is None:
        return None
    tasks = {str(name): _float_share(score) for name, score in nested_dict(node, "per_task").items()}
    return Scored(_float_share(node.get("val")), len(tasks), tasks)


def _of_events(events: Sequence[Mapping[str, object]], best: str, n: int) -> Scored | None:
    for event in events:
        if event.get("kind") == "evaluate" and event.get("tag") == best and event.get("split") == "val":
            return Scored(_float_share(event.get("reward")), n)
    return None


def _float_share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise FormatError(f"expected {_SHARE}, found {str(value)[:50]}")
    return float(value)


CLAIM_FORMATS: dict[str, Callable[[Path], Iterator[GainClaim]]] = {
    "cap-evolve": _cap_evolve,
    "gepa": gepa_claims,
    "openevolve": openevolve_claims,
    "table": _table_claims,
}
