"""Trials as transcripts of Inspect Scout, in Parquet: a row for each trial.

Messages are those of our logs of Inspect, and so is what stands beside them: the column `honestly`, metadata to Scout,
holds trial, task and agent, so that `honestly study import` gives the same trials back. Events are left out: messages
say the same. A trial without a trajectory is a row without messages.

A file holds at most some megabytes of text, so that memory stays flat; Scout reads all files of a folder as one.
"""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from honestly.errors import FormatError
from honestly.formats._inspect_messages import KEY, messages_of, own_of, share_said
from honestly.formats._seams import Exported
from honestly.records import Outcome, encode

# Characters of messages in a file, about.
_MOST = 16 << 20
_TEXTS = ("transcript_id", "source_type", "source_id", "date", "task_set", "task_id", "agent", "agent_args", "model")
_MORE = ("score", "score_explanation", "error", "limit", "messages", KEY)
_COUNTS = ("task_repeat", "message_count", "total_tokens")


def export_scout(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `transcripts_0001.parquet` and so on.

    Raises:
        FormatError: polars is not installed.
    """
    try:
        import polars
    except ImportError as error:
        raise FormatError("Parquet is written with polars: pip install 'honestly[tables]'") from error
    folder.mkdir(parents=True, exist_ok=True)
    schema = (
        dict.fromkeys((*_TEXTS, *_MORE), polars.String)
        | dict.fromkeys(_COUNTS, polars.Int64)
        | {"success": polars.Boolean, "total_time": polars.Float64}
    )
    rows: list[dict[str, Any]] = []
    files = size = 0

    def write() -> None:
        table = polars.DataFrame(rows, schema=schema)
        # Of a full disk polars says what nobody understands.
        data = io.BytesIO()
        table.write_parquet(data, compression="zstd")
        (folder / f"transcripts_{files:04}.parquet").write_bytes(data.getbuffer())

    for each in trials:
        rows.append(_transcript_row(each))
        size += sum(len(rows[-1][name] or "") for name in ("messages", KEY))
        if size > _MOST:
            files += 1
            write()
            rows, size = [], 0
        yield ""
    if rows:
        files += 1
        write()


def _transcript_row(each: Exported) -> dict[str, Any]:
    trial, agent = each.trial, each.agent
    steps = each.trajectory.steps if each.trajectory else ()
    messages = [m for number, step in enumerate(steps) for m in messages_of(step, f"{trial.id}.{number}")]
    share = share_said(trial)
    run = trial.verdict.hidden or trial.verdict.visible
    tokens = [count for count in (trial.usage.input_tokens, trial.usage.output_tokens) if count is not None]
    return {
        "transcript_id": trial.id,
        "source_type": KEY,
        "source_id": agent.hash,
        "date": trial.started_at,
        "task_id": trial.task,
        "task_repeat": trial.sample + 1,
        "agent": agent.name,
        "agent_args": encode(agent.settings).decode(),
        "model": agent.model or None,
        "score": None if share is None else repr(share),
        "score_explanation": "; ".join(f"{c.id}: {c.status} {c.message}".rstrip() for c in run.checks) if run else None,
        "success": None if share is None else trial.outcome is Outcome.PASSED,
        "message_count": len(messages),
        "total_tokens": sum(tokens) if tokens else None,
        "total_time": trial.seconds,
        "error": (trial.reason or "void") if share is None else None,
        "limit": (trial.reason or "limit") if trial.outcome is Outcome.LIMIT else None,
        "messages": msgspec.json.encode(messages).decode(),
        KEY: encode(own_of(trial, each.task, each.trajectory, agent)).decode(),
    }
