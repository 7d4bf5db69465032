"""Transcripts of Inspect Scout in Parquet: a row is a trial.

`success`, or else a `score` from 0 to 1, decides; an `error` makes it void, a `limit` a trial at its limit unless it
passed. An agent is that of the row with its model; a task is that of the set, a repeat its sample. Results of Scout's
scanners lie in Parquet too: they are what somebody said of transcripts, no trials, and are refused. Transcripts
that we wrote ourselves (`_scout_out`) come back as the trials that they were.
"""

from collections.abc import Iterator, Mapping

from honestly._loose import BLANK, count_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._chat import chat_steps
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import first_request, number_of, storable_text, time_said
from honestly.formats._inspect_messages import KEY, own_row
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    imported_trial,
    outcome_of,
    per_file,
    recorded_place,
    refused_defect,
    reward_share,
)
from honestly.formats._table import parquet_columns, table_rows
from honestly.records import Agent, Outcome, Task, Trajectory


def recognises(head: Head) -> bool:
    """Whether it is Parquet with transcripts, or with what was said of them."""
    return head.start.startswith(b"PAR1") and "transcript_id" in parquet_columns(head.path)


@per_file
def read(head: Head) -> Iterator[Item]:
    """The trials of a file.

    Raises:
        FormatError: It cannot be read.
    """
    columns = parquet_columns(head.path)
    if "scanner_name" in columns:
        rows = sum(1 for _ in table_rows(head.path))
        detail = f"{rows} rows, said of transcripts that are not in the file"
        yield refused_defect(recorded_place(head), "results of a scanner", detail, rows)
        return
    for at, row in table_rows(head.path):
        own = own_row(row.get("messages"), row.get(KEY))
        if own is not None and own.agent is not None:
            yield FoundTrial(own.agent, own.task, own.trial, own.trajectory, file=recorded_place(head))
        else:
            yield _found_transcript(f"{recorded_place(head)}{at.removeprefix(str(head.path))}", row)


def _parsed_or_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value.encode("utf-8", "replace"))
    except FormatError:
        return value


def _found_transcript(where: str, row: Mapping[str, object]) -> FoundTrial:
    model, name = storable_text(row.get("model") or ""), storable_text(row.get("agent") or "")
    arguments = {"agent_args": row.get("agent_args"), "model_options": row.get("model_options")}
    agent = Agent(
        name=" ".join(filter(None, (name, model))) or "unknown",
        program=name,
        model=model,
        settings={key: storable_text(value)[:2000] for key, value in arguments.items() if value not in (*BLANK, "{}")},
    )
    steps = chat_steps(objects_of(_parsed_or_text(row.get("messages"))))
    number = ".".join(storable_text(row[key]) for key in ("task_set", "task_id") if row.get(key) is not None)
    repeat, identity = count_of(row.get("task_repeat")), storable_text(row.get("transcript_id") or "")
    said, score = row.get("success"), _parsed_or_text(row.get("score"))
    score = nested_dict(score).get("value", score)
    share = reward_share(said if isinstance(said, bool) else score)
    error, limit = row.get("error"), row.get("limit")
    outcome, graded = (Outcome.VOID, None) if share is None or error else outcome_of(share)
    if limit and outcome is not Outcome.PASSED and not error:
        outcome, graded = Outcome.LIMIT, None
    why = error or (f"{storable_text(limit)} limit" if limit else "" if share is not None else "not judged")
    made = imported_trial(
        where,
        outcome,
        repeat - 1 if repeat else -1,
        score=graded,
        reason=storable_text(why)[:500],
        agent_seconds=number_of(row.get("total_time")),
        started_at=time_said(row.get("date")),
    )
    task = Task(id=number or identity or where, instruction=first_request(steps))
    return FoundTrial(agent, task, made, Trajectory(steps=steps), key=identity)


READER = FileReader("inspect-scout", recognises, read)
