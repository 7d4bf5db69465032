"""Rollouts of agents in reinforcement learning: a conversation, and its rewards on visible and on hidden tests.

A rollout has `rollouts` (the messages), `metrics`, `env_type` and `env_config`. The private reward is the score and the
hidden check, the public one the visible check. A rollout whose container failed, or whose tests could not run, is void:
its zeros are not the model's doing.
"""

from collections.abc import Iterator, Mapping

from honestly._loose import nested_dict, objects_of
from honestly.formats._agent_names import per_agent_file
from honestly.formats._chat import chat_steps
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, first_request, number_of, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    imported_trial,
    outcome_of,
    rows_of,
    share_of,
    stem_of,
)
from honestly.records import Agent, Check, CheckRun, Defect, Outcome, Task, Trajectory, Trial, Verdict, digest

_SPOILT = {
    "docker_error": "container failed",
    "failed_startup_commands": "start-up failed",
    "could_not_run_tests": "tests could not run",
}


def recognises(head: Head) -> bool:
    """Whether its rows are rollouts."""
    around = head.start
    return head.has_keys("rollouts") and (
        head.has_keys("env_type") or b'"env_type"' in around + head.last_bytes or b'"role"' in around[:2000]
    )


@per_agent_file()
def read(head: Head) -> Iterator[Item]:
    """A trial for each rollout; those that were asked the same are samples of one task."""
    for where, row in rows_of(head):
        if isinstance(row, Defect):
            yield row
            continue
        steps = chat_steps(objects_of(row.get("rollouts")))
        asked = first_request(steps)
        kind = storable_text(row.get("env_type") or "rollouts")
        settings: Settings = {}
        for key, value in nested_dict(row, "env_config").items():
            if isinstance(value, str | bool):
                settings[storable_text(key)] = storable_text(value) if isinstance(value, str) else value
            elif isinstance(value, int | float):
                settings[storable_text(key)] = number_of(value)
        agent = Agent(name=stem_of(head), program="tinker", settings=settings)
        task = Task(id=f"{kind}.{digest(asked)[:12]}", instruction=asked)
        yield FoundTrial(agent, task, _judged_trial(where, nested_dict(row, "metrics")), Trajectory(steps=steps))


def _judged_trial(where: str, metrics: Mapping[str, object]) -> Trial:
    spoilt = next((words for name, words in _SPOILT.items() if number_of(metrics.get(name))), "")
    public = share_of(metrics.get("public_reward"))
    private = share_of(metrics.get("private_reward", metrics.get("reward")))
    if spoilt or private is None:
        return imported_trial(where, Outcome.VOID, reason=spoilt or "not judged")
    outcome, share = outcome_of(private)
    visible = None if public is None else CheckRun(checks=(_reward_check("public tests", public),))
    verdict = Verdict(visible=visible, hidden=CheckRun(checks=(_reward_check("private tests", private),)))
    late = number_of(metrics.get("tests_timed_out"))
    return imported_trial(where, outcome, score=share, verdict=verdict, reason="tests timed out" if late else "")


def _reward_check(name: str, reward: float) -> Check:
    return Check(
        id=name, status="passed" if reward == 1 else "failed", message="" if reward in {0, 1} else f"reward {reward:g}"
    )


READER = FileReader("tinker", recognises, read)
