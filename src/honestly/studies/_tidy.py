"""A study as tidy tables, one for each type of record: a row a record, a column a value of one type.

What has no one value (settings, evidence, calls) is JSON text; what is not known is null. Rows come one after the
other, so that memory does not grow with the study.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from honestly.errors import FrameError
from honestly.records import CheckRun, Step
from honestly.seams import did_you_mean
from honestly.show import frame_of
from honestly.store import Store
from honestly.trials import TrialRow

Row = dict[str, Any]


class TidyTable(NamedTuple):
    """A table that any study has."""

    columns: Mapping[str, type]
    """What each column holds: `str`, `int`, `float` or `bool`."""
    rows: Callable[[Store], Iterator[Row]]


def tidy_frame(store: Store, name: str, backend: str = "") -> Any:  # noqa: ANN401 - polars or pandas
    """One of the tables as a data frame of polars or pandas.

    Raises:
        FrameError: There is no such table, or what makes frames is not installed.
    """
    if name not in TABLES:
        raise FrameError(f"a study has no table {name!r}{did_you_mean(name, TABLES)}; it has: {', '.join(TABLES)}")
    table = TABLES[name]
    values: dict[str, list[Any]] = {column: [] for column in table.columns}
    for row in table.rows(store):
        for column, held in values.items():
            held.append(row[column])
    return frame_of(values, backend, table.columns)


def _fields(record: object, names: Iterable[str]) -> Row:
    return {name: getattr(record, name) for name in names}


def _agents(store: Store) -> Iterator[Row]:
    for agent in store.agents():
        yield _fields(agent, _AGENT) | {"settings": _json_text(agent.settings)}


def _task_rows(store: Store) -> Iterator[Row]:
    for task in store.tasks():
        yield _fields(task, _TASK) | _fields(task.tags, _TAGS)


def _trials(store: Store) -> Iterator[Row]:
    strict, tags = store.facts().strict, {task.id: task.tags for task in store.tasks()}
    for trial in (each.counted_trial(strict=strict) for each in store.trials()):
        row = TrialRow.from_trial(trial).to_plain() | {"score": trial.score}
        row |= _fields(trial, ("claimed", "agent_seconds", "started_at", "source")) | _fields(tags[trial.task], _TAGS)
        yield row | _fields(trial.usage, _CACHED) | {"isolation": trial.isolation.kind}


def _check_rows(store: Store) -> Iterator[Row]:
    for trial in store.trials():
        runs: dict[str, CheckRun | None] = {"visible": trial.verdict.visible, "hidden": trial.verdict.hidden}
        for kind, run in runs.items():
            for check in run.checks if run else ():
                row = {"trial": trial.id, "kind": kind, "check": check.id, "undecided": run.undecided.get(check.id)}  # type: ignore[union-attr]
                yield row | _fields(check, _CHECK)


def _findings(store: Store) -> Iterator[Row]:
    for found in store.findings():
        row, first = _fields(found, _FINDING), found.evidence[0] if found.evidence else None
        row |= {"step": first and first.step, "quote": first and first.quote, "evidence": _json_text(found.evidence)}
        yield row | {"kinds": _json_text(found.kinds), "unread": found.unread and found.unread.reason}


def _steps(store: Store) -> Iterator[Row]:
    for trial in store.trials():
        for number, step in enumerate(store.steps(trial.id)):
            yield {"trial": trial.id, "step": number, **_step(step)}


def _step(step: Step) -> Row:
    observations = [_fields(each, ("call_id", "text", "code", "dropped")) for each in step.observations]
    row = _fields(step, _STEP) | {"calls": _json_text(step.calls), "observations": _json_text(observations)}
    row |= {"n_calls": len(step.calls), "images": len(step.images) + sum(len(o.images) for o in step.observations)}
    return row | _fields(step.usage, _TOKENS)


def _json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


_AGENT = dict.fromkeys(("name", "program", "version", "model", "settings", "hash"), str)
_TASK = {**dict.fromkeys(("id", "version", "instruction"), str), "timeout_s": float}
_CACHED = ("cached_tokens", "cache_write_tokens")
_TOKENS = {**dict.fromkeys(("input_tokens", "output_tokens", *_CACHED), int), "usd": float}
_TAGS: dict[str, type] = {
    **dict.fromkeys(("category", "language", "difficulty", "variant", "twin", "cluster"), str),
    **dict.fromkeys(("weight", "minutes"), float),
    "date": str,
}
_CHECK = {"status": str, "message": str, "deselected": bool, "ended": str, "seconds": float}
_FINDING: dict[str, type] = {
    **dict.fromkeys(("trial", "detector", "version", "state", "category", "severity"), str),
    "confidence": float,
    "note": str,
}
_REVIEW: dict[str, type] = {
    **dict.fromkeys(("trial", "reviewer", "at", "label"), str),
    "rating": float,
    **dict.fromkeys(("note", "codebook", "queue"), str),
    "blind": bool,
    "settles": bool,
}
_STEP: dict[str, type] = {
    **dict.fromkeys(("source", "message", "reasoning", "model", "at"), str),
    "seconds": float,
    "thread": str,
    "copied": bool,
}
_DEFECT: dict[str, type] = {"kind": str, "where": str, "detail": str, "count": int, "effect": str, "example": str}
_TRIAL: dict[str, type] = {
    "id": str,
    "agent": str,
    "task": str,
    "sample": int,
    "outcome": str,
    "score": float,
    "reason": str,
    **dict.fromkeys(("visible", "hidden", "tampered", "claimed"), bool),
    **dict.fromkeys(("seconds", "agent_seconds"), float),
    "started_at": str,
    "attempts": int,
    "source": str,
    "isolation": str,
}

TABLES: dict[str, TidyTable] = {
    "agents": TidyTable(_AGENT, _agents),
    "tasks": TidyTable({**_TASK, **_TAGS}, _task_rows),
    "trials": TidyTable({**_TRIAL, **_TAGS, **_TOKENS}, _trials),
    "checks": TidyTable({"trial": str, "kind": str, "check": str, **_CHECK, "undecided": str}, _check_rows),
    "findings": TidyTable(
        {**_FINDING, "step": int, "quote": str, "evidence": str, "kinds": str, "unread": str}, _findings
    ),
    "reviews": TidyTable(_REVIEW, lambda store: (_fields(each, _REVIEW) for each in store.reviews())),
    "steps": TidyTable(
        {"trial": str, "step": int, **_STEP, "calls": str, "n_calls": int, "observations": str, "images": int}
        | _TOKENS,
        _steps,
    ),
    "defects": TidyTable(_DEFECT, lambda store: (_fields(each, _DEFECT) for each in store.defects())),
}
"""By name. The column `trial` is the `id` of `trials`, whose `agent` and `task` are names and ids of the others."""
