"""Trials as logs of Inspect (`.eval`): a log for each agent, a sample of an epoch for each trial.

A trial's steps are messages, and events of the model and its tools, which the viewer shows as a transcript. What
Inspect has no words for stands in `metadata.honestly`, so that `honestly study import` gives the same trials back.

Void trials are samples with an error and without a score. Inspect would leave them out of its metrics; ours count them
as failed, as the report does: `honest_mean`, its standard error and its interval are over all samples, and the log says
the policy beside them. A time that is not known is 1970; a limit whose size is not known is 0.

Archives are packed with deflate, which every version of Inspect reads. One sample is in memory at a time.
"""

import json
import math
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import msgspec

from honestly._version import program_version
from honestly.formats._imported import without_none
from honestly.formats._inspect_messages import KEY, Message, messages_of, own_of, put_aside, share_said
from honestly.formats._seams import Exported
from honestly.records import Agent, Outcome, Step, Trial, Usage, digest, encode
from honestly.stats import Policy, Scores, score

# As reports have it: what is void or at its limit has failed.
_POLICY = Policy(limit="fail", void="fail", missing="drop")
_NO_MODEL = "none/none"
# Inspect wants a time in every log.
_UNKNOWN = "1970-01-01T00:00:00+00:00"
# The kinds of limits that Inspect knows.
_LIMITS = ("context", "time", "working", "message", "token", "turn", "cost", "operator")


def export_inspect(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `TIME_honestly_ID.eval` for each agent."""
    folder.mkdir(parents=True, exist_ok=True)
    for agent, theirs in groupby(trials, lambda each: each.agent):
        part = folder / f"{agent.hash}.part"
        with tempfile.TemporaryFile() as summaries, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            log = _Log(agent)
            for each in theirs:
                name = f"samples/{each.trial.task}_epoch_{each.trial.sample + 1}.json"
                archive.writestr(name, msgspec.json.encode(log.sample(each, summaries)))
                yield ""
            summaries.write(b"]")
            summaries.seek(0)
            with archive.open("summaries.json", "w", force_zip64=True) as file:
                shutil.copyfileobj(summaries, file)
            archive.writestr("header.json", json.dumps(log.log_header()))
        part.rename(folder / f"{log.created_at[:19].replace(':', '-')}_honestly_{log.id}.eval")


class _Log:
    """The totals over the samples of one agent."""

    def __init__(self, agent: Agent) -> None:
        self.id = digest("inspect", agent)[:22]
        self._agent, self._model = agent, agent.model or _NO_MODEL
        self._rows: list[tuple[str, str, int, object]] = []
        self._clusters: dict[str, str] = {}
        self._weights: dict[str, float] = {}
        self._tokens: Counter[str] = Counter()
        # When each trial began and ended.
        self._times: list[tuple[str, str]] = []

    @property
    def created_at(self) -> str:
        """When the first trial began."""
        return min((began for began, _ in self._times), default=_UNKNOWN)

    def sample(self, each: Exported, summaries: IO[bytes]) -> dict[str, Any]:
        """The sample of a trial, whose summary is written too."""
        trial, task = each.trial, each.task
        started = _valid_time(trial.started_at, "")
        if started:
            ended = datetime.fromisoformat(started) + timedelta(seconds=trial.seconds or 0)
            self._times += [(started, ended.isoformat())]
        share = share_said(trial)
        self._rows.append((trial.agent, trial.task, trial.sample, "void" if share is None else share))
        # At an impossible task a pass is no success, as the report has it, too.
        if task.tags.variant == "standard":
            self._clusters[task.id], self._weights[task.id] = task.tags.cluster or f"task {task.id}", task.tags.weight
        usage = _usage_fields(trial.usage)
        self._tokens.update({name: count for name, count in usage.items() if count})
        told = {
            "id": trial.task,
            "epoch": trial.sample + 1,
            "input": task.instruction,
            "target": "",
            "scores": None if share is None else {KEY: _score(trial, share)},
            "model_usage": {self._model: usage} if usage else {},
            "started_at": started or None,
            "total_time": trial.seconds,
            "working_time": trial.agent_seconds,
            "uuid": trial.id,
        }
        tags = msgspec.to_builtins(task.tags)
        steps = each.trajectory.steps if each.trajectory else ()
        messages = [messages_of(step, f"{trial.id}.{number}") for number, step in enumerate(steps)]
        limit = trial.outcome is Outcome.LIMIT
        error = (trial.reason or "void") if share is None else None
        summary = told | {"metadata": tags, "error": error, "limit": _sample_limit(each)["type"] if limit else None}
        more = {"message_count": sum(map(len, messages)), "completed": True}
        summaries.write((b"[" if len(self._rows) == 1 else b",\n") + msgspec.json.encode(without_none(summary | more)))
        own = own_of(trial, task, each.trajectory)
        return without_none(
            {
                **told,
                "metadata": {**tags, KEY: msgspec.Raw(encode(own))},
                "error": error and {"message": error, "traceback": "", "traceback_ansi": ""},
                "limit": _sample_limit(each) if limit else None,
                "messages": [message for group in messages for message in group],
                **_transcript_events(messages, steps, started or _UNKNOWN, self._model),
            }
        )

    def log_header(self) -> dict[str, Any]:
        """The log without its samples."""
        agent, n = self._agent, len(self._rows)
        void = sum(row[3] == "void" for row in self._rows)
        asked = list(dict.fromkeys(row[1] for row in self._rows))
        usage = {self._model: dict(self._tokens)} if self._tokens else {}
        return {
            "version": 2,
            "status": "success",
            "eval": {
                "eval_id": self.id,
                "run_id": self.id,
                "task_id": self.id,
                "created": self.created_at,
                "task": KEY,
                "task_display_name": agent.name,
                "solver": agent.name,
                "dataset": {"samples": len(asked), "sample_ids": asked},
                "model": self._model,
                "config": {"epochs": max(row[2] for row in self._rows) + 1},
                "scorers": [{"name": KEY}],
                "packages": {KEY: program_version()},
                "metadata": {KEY: {"agent": msgspec.to_builtins(agent)}},
            },
            "plan": {"steps": [{"solver": agent.name, "params": dict(agent.settings)}]},
            "results": {
                "total_samples": n,
                "completed_samples": n - void,
                "scores": [
                    {
                        "name": KEY,
                        "scorer": KEY,
                        "scored_samples": n - void,
                        "unscored_samples": void,
                        **self._mean_metrics(),
                    }
                ],
            },
            "stats": {
                "started_at": self.created_at,
                "completed_at": max((ended for _, ended in self._times), default=_UNKNOWN),
                "model_usage": usage,
            },
        }

    def _mean_metrics(self) -> dict[str, Any]:
        """The mean with its error bars; of these those that can be estimated."""
        rows = [row for row in self._rows if row[1] in self._clusters]
        if not rows:
            return {"metrics": {}, "metadata": {"reason": "all its tasks are impossible"}}
        scores = Scores.from_rows(rows)
        if all(cluster == f"task {task}" for task, cluster in self._clusters.items()):
            scores = scores.with_inferred_clusters()
        else:
            scores = scores.with_clusters(self._clusters)
        found = score(scores.with_weights(self._weights).resolve(_POLICY), self._agent.name)
        low, high = found.interval
        values = {"honest_mean": found.mean, "honest_stderr": found.se, "honest_lower": low, "honest_upper": high}
        told = {"policy": str(_POLICY), "estimand": str(found.estimand), "method": found.method, "level": found.level}
        kept = {name: {"name": name, "value": value} for name, value in values.items() if math.isfinite(value)}
        return {"metrics": kept, "metadata": told | {"reason": found.reason, "notes": list(found.notes)}}


def _score(trial: Trial, share: float) -> dict[str, Any]:
    run = trial.verdict.hidden or trial.verdict.visible
    checks = [f"{check.id}: {check.status} {check.message}".rstrip() for check in run.checks] if run else []
    words = [trial.reason, *checks, *(f"tampered: {sign}" for sign in trial.verdict.tampered)]
    value: object = {1.0: "C", 0.0: "I"}.get(share, share)
    return {"value": value, "explanation": "\n".join(filter(None, words))[:10_000]}


def _sample_limit(each: Exported) -> dict[str, Any]:
    """The limit that a trial met, as Inspect calls it, where its reason names one that Inspect knows."""
    kind = next((kind for kind in _LIMITS if kind in each.trial.reason), "custom")
    size = each.task.timeout_s if kind == "time" else 0
    return {"type": kind, "limit": size, "reason": each.trial.reason or "limit"}


def _usage_fields(usage: Usage) -> dict[str, Any]:
    if usage == Usage():
        return {}
    cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
    found: dict[str, Any] = {
        "input_tokens": max(0, (usage.input_tokens or 0) - cached - written),
        "output_tokens": usage.output_tokens or 0,
        "total_tokens": usage.tokens or 0,
        "input_tokens_cache_read": usage.cached_tokens,
        "input_tokens_cache_write": usage.cache_write_tokens,
        "total_cost": usage.usd,
    }
    return without_none(found)


def _valid_time(text: str | None, before: str) -> str:
    """A time as Inspect takes it; the one before where it is none."""
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(text or "")
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return before


def _transcript_events(messages: list[list[Message]], steps: Iterable[Step], now: str, model: str) -> dict[str, Any]:
    """The transcript: an event for each answer of the model and each result of a tool; inputs stand in a pool."""
    aside: dict[str, str] = {}
    events: list[Mapping[str, Any]] = []
    pool: list[Message] = []
    last: Message | None = None
    for step, group in zip(steps, messages, strict=True):
        now = _valid_time(step.at, now)
        at = {"timestamp": now, "working_start": 0}
        kept = [msgspec.structs.replace(each, content=put_aside(each.content, aside), metadata=None) for each in group]
        said, calls = kept[0], {call.id: call for call in step.calls}
        if step.source == "agent" and step.llm_calls != 0:
            output = {"model": step.model or model, "choices": [{"message": said, "stop_reason": "unknown"}]}
            asked = {"input": [], "input_refs": [[0, len(pool)]], "tools": [], "tool_choice": "auto", "config": {}}
            usage = {"usage": _usage_fields(step.usage)} if step.usage != Usage() else {}
            events.append({"event": "model", **at, "model": step.model or model, **asked, "output": output | usage})
            last = group[0]
        elif step.source == "agent":
            events.append({"event": "info", **at, "source": "agent", "data": said.content})
        for message in kept[1:]:
            call = calls.get(message.tool_call_id or "")
            if call is None:
                events.append({"event": "info", **at, "source": "observation", "data": message.content})
            else:
                tool = {"id": call.id, "function": call.name, "arguments": call.arguments, "result": message.content}
                events.append({"event": "tool", **at, **tool})
        pool += kept
    output = {} if last is None else {"model": model, "choices": [{"message": last, "stop_reason": "unknown"}]}
    return {"output": output, "events": events, "events_data": {"messages": pool, "calls": []}, "attachments": aside}
