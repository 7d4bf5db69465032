"""Trials written as a job of Harbor, a directory each, for its viewer and its own programs; they come back exactly.

A trial that passed has the reward 1, another its grade or 0; one at its limit has an exception beside the reward; a
void one has an exception and no reward. The agent's steps are in ATIF, its hidden checks a CTRF report. What Harbor has
no field for (samples, grades of verdicts, tags of tasks) stands once, in `agent_result.metadata.honestly`.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec.structs import replace

from honestly.formats._export import safe_name, write_files
from honestly.formats._harbor import KEY, STATUSES, OutOfHarbor
from honestly.formats._seams import Exported
from honestly.formats.atif._codec import to_atif
from honestly.records import Agent, Outcome, Preparation, Tree, Trial, Usage, digest, encode

_JOB = "honestly"
# What Harbor calls tasks that come from no data set.
_DATASET = "adhoc"


@dataclass
class _Eval:
    """A job's figures about one agent."""

    agent: Agent
    trials: int = 0
    rewards: dict[float, list[str]] = field(default_factory=lambda: defaultdict(list))
    errors: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def eval_stats(self) -> dict[str, object]:
        """As Harbor writes it; its mean takes a trial without a reward for 0."""
        judged = {value: len(names) for value, names in self.rewards.items()}
        return {
            "n_trials": sum(judged.values()),
            "n_errors": sum(map(len, self.errors.values())),
            "metrics": [{"mean": sum(value * count for value, count in judged.items()) / self.trials}],
            "pass_at_k": {},
            "reward_stats": {"reward": {str(value): names for value, names in self.rewards.items()}},
            "exception_stats": self.errors,
        }


def export_harbor(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes the job `honestly` below `folder`, a directory for each trial in it; held in memory are their names."""
    job = folder / _JOB
    evals: dict[str, _Eval] = {}
    total, samples, written_at = Usage(), 0, _utc_time(datetime.now(UTC))
    first, last = "", ""
    for each in trials:
        # A directory of its own, named as Harbor names it.
        task, word = safe_name(each.trial.task)[:32], digest("harbor", each.trial.id)
        names = (job / f"{task}__{word[:length]}" for length in (7, 16, 32))
        trial, place = each.trial, next(path for path in names if not path.exists())
        place.mkdir(parents=True)
        found = evals.setdefault(trial.agent, _Eval(each.agent))
        result = _trial_result(each, place, written_at)
        rewards, failure = result["verifier_result"], result["exception_info"]
        found.trials += 1
        if rewards is not None:
            found.rewards[_trial_reward(trial)].append(place.name)
        if isinstance(failure, dict):
            found.errors[failure["exception_type"]].append(place.name)
            (place / "exception.txt").write_text(f"{failure['exception_type']}: {trial.reason}\n", encoding="utf-8")
        _write_trial(each, place, result)
        total, samples = total + trial.usage, max(samples, trial.sample + 1)
        if trial.started_at:
            first = min(first or trial.started_at, trial.started_at)
            last = max(last, _trial_end(trial) or trial.started_at)
        yield ""
    if evals:
        _write_job(job, evals, total, samples, (first or written_at, last or written_at))


def _write_trial(each: Exported, place: Path, result: dict[str, object]) -> None:
    trial, verdict = each.trial, each.trial.verdict
    files = {"result.json": _indented_json(result), "config.json": _indented_json(result["config"])}
    if result["verifier_result"] is not None:
        files["verifier/reward.txt"] = f"{_trial_reward(trial):g}\n".encode()
    if verdict.hidden is not None:
        tests = [
            {
                "name": check.id,
                "status": check.status if check.status in STATUSES else "other",
                "duration": round((check.seconds or 0) * 1000),
            }
            | ({"message": check.message} if check.message else {})
            for check in verdict.hidden.checks
        ]
        counts = {name: sum(test["status"] == name for test in tests) for name in (*STATUSES, "pending", "other")}
        summary = {"tests": len(tests), **counts, "start": 0, "stop": 0}
        files["verifier/ctrf.json"] = _indented_json(
            {"results": {"tool": {"name": "honestly"}, "summary": summary, "tests": tests}}
        )
        said = [f"{check.id}: {check.status} {check.message}".rstrip() for check in verdict.hidden.checks]
        files["verifier/test-stdout.txt"] = "\n".join(filter(None, (*said, verdict.hidden.note, ""))).encode()
    if each.trajectory is not None and each.trajectory.steps:
        document = to_atif(each.trajectory, each.agent, trial=trial)
        files["agent/trajectory.json"] = document.data
        files.update({f"agent/{path}": data for path, data in document.images.items()})
    write_files(place, files)


def _trial_result(each: Exported, place: Path, written_at: str) -> dict[str, object]:
    """A `TrialResult`. An exception that nobody dated is dated by the export."""
    trial, agent = each.trial, each.agent
    provider, _, model = agent.model.rpartition("/")
    task = {"path": safe_name(trial.task)}
    judged = trial.outcome is not Outcome.VOID
    # The type of the exception; of a limit, the word by which it is known again.
    if trial.outcome is Outcome.LIMIT:
        kind = "AgentTimeoutError" if "time" in trial.reason.lower() else "AgentLimitError"
    else:
        kind = "VoidTrialError" if trial.outcome is Outcome.VOID else ""
    started, ended = trial.started_at, _trial_end(trial)
    public = replace(each.task.public(), workspace=Tree(), visible=None, environment=None, preparation=Preparation())
    ours = OutOfHarbor(trial=trial, agent=agent, task=public)
    return {
        "id": str(uuid.UUID(hex=digest("harbor", trial.id))),
        "task_name": trial.task,
        "trial_name": place.name,
        "trial_uri": place.name,
        "task_id": task,
        "source": None,
        "task_checksum": each.task.hash,
        "config": {"task": task, "trial_name": place.name, "trials_dir": _JOB, "agent": _agent_info(agent)},
        "agent_info": {
            "name": agent.name,
            "version": agent.version or "unknown",
            "model_info": {"name": model, "provider": provider or None} if model else None,
        },
        "agent_result": {
            "n_input_tokens": trial.usage.input_tokens,
            "n_cache_tokens": trial.usage.cached_tokens,
            "n_output_tokens": trial.usage.output_tokens,
            "cost_usd": trial.usage.usd,
            "metadata": {KEY: msgspec.Raw(encode(ours))},
        },
        "verifier_result": {"rewards": {"reward": _trial_reward(trial)}} if judged else None,
        "exception_info": {
            "exception_type": kind,
            "exception_message": trial.reason,
            "exception_traceback": "",
            "occurred_at": ended or started or written_at,
        }
        if kind
        else None,
        "started_at": started,
        "finished_at": ended,
    }


def _write_job(job: Path, evals: dict[str, _Eval], total: Usage, samples: int, times: tuple[str, str]) -> None:
    n_trials = sum(each.trials for each in evals.values())
    stats = {
        "n_completed_trials": n_trials,
        "n_errored_trials": sum(len(names) for each in evals.values() for names in each.errors.values()),
        "n_input_tokens": total.input_tokens,
        "n_cache_tokens": total.cached_tokens,
        "n_output_tokens": total.output_tokens,
        "cost_usd": total.usd,
        "evals": {
            "__".join(filter(None, (name, each.agent.model.rpartition("/")[2], _DATASET))): each.eval_stats()
            for name, each in evals.items()
        },
    }
    result = {
        "id": str(uuid.UUID(hex=digest("harbor", *evals, *times))),
        "started_at": times[0],
        "updated_at": times[1],
        "finished_at": times[1],
        "n_total_trials": n_trials,
        "stats": stats,
    }
    agents = [_agent_info(each.agent) for each in evals.values()]
    config = {"job_name": _JOB, "jobs_dir": ".", "n_attempts": samples, "agents": agents}
    write_files(job, {"config.json": _indented_json(config), "result.json": _indented_json(result)})


def _agent_info(agent: Agent) -> dict[str, object]:
    return {"name": agent.name, "model_name": agent.model or None}


def _trial_reward(trial: Trial) -> float:
    return float(trial.outcome is Outcome.PASSED) if trial.score is None else trial.score


def _trial_end(trial: Trial) -> str | None:
    """When it was over, where that can be told."""
    if trial.started_at is None or trial.seconds is None:
        return None
    try:
        started = datetime.fromisoformat(trial.started_at)
        return _utc_time(started + timedelta(seconds=trial.seconds))
    except (ValueError, OverflowError):
        return None


def _utc_time(when: datetime) -> str:
    return when.isoformat().replace("+00:00", "Z")


def _indented_json(found: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(found), indent=2)
