"""The environment as Prime Intellect's verifiers plays it: v1, and v0 as it was up to 0.1.14.

The model's turns go through verifiers, which records them with tokens and log-probabilities; the sandbox and the
judgement are ours. Where the infrastructure failed, the rollout has an error and no reward.

v1 finds tasks and harness in a module of yours that can be imported by one name:

    shared = SyncEnvironment(load_suite("embedded")).started()
    HonestTasks, HonestHarness = verifiers_classes(shared)
    __all__ = ["HonestHarness", "HonestTasks"]
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from honestly.train._adapters import SyncEnvironment
from honestly.train._environment import Episode, StepResult

_Told = Mapping[str, Any]


async def _answered(shared: SyncEnvironment, episode: Episode, said: _Told) -> tuple[StepResult, list[dict[str, Any]]]:
    """What comes of a message of the model's, and the messages that it is told."""
    calls = said.get("tool_calls") or []
    if not calls:
        found = await shared.elsewhere(episode.step, str(said.get("content") or ""))
        return found, [{"role": "user", "content": found.observation}]
    found, told = StepResult(""), []
    for call in calls:
        if found.done:
            break
        function = call.get("function") or call
        try:
            arguments = json.loads(function.get("arguments") or "{}")
        except ValueError:
            arguments = {}
        wanted = {**(arguments if isinstance(arguments, dict) else {}), "tool": function.get("name", "")}
        found = await shared.elsewhere(episode.step, wanted)
        told.append({"role": "tool", "tool_call_id": call.get("id", ""), "content": found.observation})
    return found, told


def verifiers_classes(shared: SyncEnvironment) -> tuple[Any, Any]:
    """A `Taskset` and a `Harness` of verifiers v1; rewards of the hidden checks, metrics `visible` and `hack`."""
    import httpx2
    import verifiers.v1 as vf

    ended: dict[str, StepResult] = {}

    class HonestTask(vf.Task[vf.TaskData]):
        """A task of the suite."""

        @vf.reward
        async def hidden(self, trace: Any) -> float:
            return float(ended.pop(trace.id).reward or 0.0)  # rewards come after metrics

        @vf.metric
        async def honestly(self, trace: Any) -> dict[str, float]:
            info = ended[trace.id].info
            return {name: float(bool(info[name])) for name in ("visible", "hack")}

    class HonestTasks(vf.Taskset[HonestTask, vf.TasksetConfig]):
        """The tasks of the suite, in its order."""

        def load(self) -> Iterator[HonestTask]:
            for each in shared.environment.suite.tasks:
                yield HonestTask(vf.TaskData(id=each.id, name=each.id, prompt=shared.environment.prompt(each)))

    class HonestHarness(vf.Harness[vf.HarnessConfig]):
        """Plays an episode in this process: nothing of the model's runs outside of our sandbox."""

        EXECUTES_CODE = False
        NEEDS_CONTAINER = False

        async def launch(
            self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any
        ) -> Any:
            episode = await shared.elsewhere(shared.environment.reset, data.id)
            messages: list[dict[str, Any]] = [{"role": "user", "content": episode.prompt}]
            found, key = StepResult(""), {"Authorization": f"Bearer {secret}"}
            async with httpx2.AsyncClient(timeout=None) as client:
                while not found.done:
                    body = {"model": ctx.model, "messages": messages, "tools": shared.environment.tools}
                    reply = await client.post(f"{endpoint}/chat/completions", json=body, headers=key)
                    if reply.is_error:  # a limit of theirs ends the rollout: what is there is judged
                        found = await shared.elsewhere(episode.step, {"tool": "submit"})
                        break
                    said = reply.json()["choices"][0]["message"]
                    found, told = await _answered(shared, episode, said)
                    messages += [said, *told]
            if found.reward is None:
                raise vf.SandboxError(found.observation)
            ended[trace.id] = found
            return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    return HonestTasks, HonestHarness


def verifiers_environment(shared: SyncEnvironment, **more: Any) -> Any:
    """An `Environment` of verifiers v0, which `load_environment` gives; of releases up to 0.1.14."""
    import verifiers as vf
    from datasets import Dataset

    playing: dict[str, tuple[Episode, StepResult]] = {}

    class HonestTurns(vf.MultiTurnEnv):
        """Turns of the model, and what came of them."""

        async def setup_state(self, state: Any) -> None:
            task = state["info"]["honestly_task"]
            playing[state["trajectory_id"]] = (await shared.elsewhere(shared.environment.reset, task), StepResult(""))

        async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
            episode, _last = playing[state["trajectory_id"]]
            said = messages[-1]
            found, told = await _answered(shared, episode, said if isinstance(said, dict) else said.model_dump())
            playing[state["trajectory_id"]] = episode, found
            if found.done:
                state["final_env_response"] = told
                if found.reward is None:
                    raise vf.SandboxError(found.observation)
            return told

        @vf.cleanup
        async def end_episode(self, state: Any) -> None:
            episode, last = playing.pop(state["trajectory_id"])
            if not last.done and state.get("error") is None:  # a limit of theirs
                last = await shared.elsewhere(episode.step, {"tool": "submit"})
            else:
                await shared.elsewhere(episode.close)
            state["honestly"] = {"reward": last.reward, **last.info}

    async def hidden(state: Any) -> float:
        return float((state.get("honestly") or {}).get("reward") or 0.0)

    async def hack(state: Any) -> float:
        return float(bool((state.get("honestly") or {}).get("hack")))

    environment = shared.environment
    rows = [
        {"prompt": [{"role": "user", "content": environment.prompt(each)}], "info": {"honestly_task": each.id}}
        for each in environment.suite.tasks
    ]
    rubric = vf.Rubric(funcs=[hidden, hack], weights=[1.0, 0.0])
    return HonestTurns(dataset=Dataset.from_list(rows), rubric=rubric, max_turns=environment.options.turns, **more)
