"""The environment as other trainers take it: TRL's `environment_factory`, Gymnasium, SkyRL-gym, OpenEnv.

Each gives a class (or a factory of one) that shares one `Environment`, which is played from any thread. Where a
program knows no None, an unknown reward is NaN, never 0, and `info` (`metadata`) has `error`: leave such an episode
out.
"""

import asyncio
import atexit
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from honestly.records import Suite
from honestly.sandbox import open_sandbox
from honestly.train._environment import Action, EnvironmentOptions, Episode, StepResult, TrainingEnvironment
from honestly.verify import OpenBox

_Words = ParamSpec("_Words")
_Found = TypeVar("_Found")


class SyncEnvironment:
    """An `Environment` for programs without `async`; a context manager, which may be used from several threads."""

    def __init__(
        self, suite: Suite, options: EnvironmentOptions | None = None, open_box: OpenBox = open_sandbox
    ) -> None:
        self.environment = TrainingEnvironment(suite, options, open_box)
        self._stack = ExitStack()
        self._portal: BlockingPortal

    def __enter__(self) -> "SyncEnvironment":
        self._portal = self._stack.enter_context(start_blocking_portal())
        self._stack.enter_context(self._portal.wrap_async_context_manager(self.environment))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)

    def started(self) -> "SyncEnvironment":
        """This environment, entered until the program ends: for modules that other programs import."""
        atexit.register(self.__enter__().__exit__, None, None, None)
        return self

    async def elsewhere(
        self, call: Callable[_Words, Awaitable[_Found]], *words: _Words.args, **named: _Words.kwargs
    ) -> _Found:
        """What a method of the environment or of an episode gives, awaited in another event loop of asyncio."""
        return await asyncio.wrap_future(self._portal.start_task_soon(partial(call, *words, **named)))

    def reset(self, task: str = "", seed: int = 0) -> Episode:
        """A new episode; see `Environment.reset`."""
        return self._portal.call(self.environment.reset, task, seed)

    def step(self, episode: Episode, action: Action) -> StepResult:
        """What comes of an action; see `Episode.step`."""
        return self._portal.call(episode.step, action)

    def close(self, episode: Episode) -> None:
        """Ends an episode without a judgement, if it is not over."""
        self._portal.call(episode.close)


def trl_environment(shared: SyncEnvironment) -> type:
    """A class for `GRPOTrainer(environment_factory=...)`: with its tools, and the reward of hidden tests.

    Rows name their task as `export --to rl` writes them (`extra_info`), or in a column `task`.
    """

    class HonestEnvironment:
        """One rollout after the other."""

        def __init__(self) -> None:
            self._episode: Episode | None = None
            self._last = StepResult("")

        def reset(self, **row: Any) -> str | None:
            if self._episode is not None:
                shared.close(self._episode)
            task = row.get("task") or (row.get("extra_info") or {}).get("task", "")
            self._episode, self._last = shared.reset(task), StepResult("")
            return None if row.get("prompt") else self._episode.prompt

        def get_reward(self) -> float | None:
            if not self._last.done:
                self._act({"tool": "submit"})
            return self._last.reward

        def _act(self, action: Action) -> str:
            if self._episode is None or self._last.done:
                return "the episode is over"
            self._last = shared.step(self._episode, action)
            return self._last.observation

    for told in shared.environment.tools:
        if told["function"]["name"] != "submit":
            setattr(HonestEnvironment, told["function"]["name"], _tool_method(told["function"]))
    return HonestEnvironment


_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list[str]}


def _tool_method(told: Mapping[str, Any]) -> Callable[..., str]:
    """A tool as a method whose signature and docstring say what its schema says, as TRL reads them."""

    def act(self: Any, **given: Any) -> str:
        said: str = self._act({"tool": told["name"], **given})
        return said

    schema = told["parameters"]
    given, lines = [], []
    for name, of in sorted(schema["properties"].items(), key=lambda each: each[0] not in schema["required"]):
        default = inspect.Parameter.empty if name in schema["required"] else of.get("default")
        kind = _TYPES.get(of.get("type", "string"), str)
        given.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
        lines.append(f"    {name}: {of.get('description') or name.capitalize() + '.'}")
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    act.__name__ = act.__qualname__ = told["name"]
    act.__doc__ = "\n".join(
        [" ".join(told["description"].split()), "", "Args:", *lines, "", "Returns:", "    What came of it."]
    )
    act.__signature__ = inspect.Signature([itself, *given], return_annotation=str)  # type: ignore[attr-defined]
    act.__annotations__ = {each.name: each.annotation for each in given} | {"return": str}
    return act


def gymnasium_environment(shared: SyncEnvironment) -> Any:
    """A `gymnasium.Env` whose observations and actions are texts; `reset(options={"task": ...})` chooses the task."""
    import gymnasium
    from gymnasium.spaces import Text

    class HonestGymnasium(gymnasium.Env):
        """One episode after the other."""

        metadata: dict[str, Any] = {"render_modes": []}

        def __init__(self) -> None:
            letters = frozenset(map(chr, range(0x110000)))
            self.observation_space = Text(1 << 20, min_length=0, charset=letters)
            self.action_space = Text(1 << 20, min_length=0, charset=letters)
            self._episode: Episode | None = None

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[str, dict[str, Any]]:
            super().reset(seed=seed)
            self.close()
            self._episode = shared.reset((options or {}).get("task", ""), seed or 0)
            return self._episode.prompt, {"task": self._episode.task_id, "tools": shared.environment.tools}

        def step(self, action: Action) -> tuple[str, float, bool, bool, dict[str, Any]]:
            if self._episode is None:
                raise gymnasium.error.ResetNeeded("call reset before step")
            found = shared.step(self._episode, action)
            unknown = found.done and found.reward is None
            reward = math.nan if unknown else found.reward or 0.0
            return found.observation, reward, found.done and not unknown, unknown, dict(found.info)

        def close(self) -> None:
            if self._episode is not None:
                shared.close(self._episode)

    return HonestGymnasium


def skyrl_environment(shared: SyncEnvironment) -> Any:
    """A `BaseTextEnv` for `skyrl_gym.register`; the task is that of the row's `extra_info`."""
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

    class HonestSkyRL(BaseTextEnv):
        """One episode."""

        def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
            super().__init__()
            self.max_turns = shared.environment.options.turns
            self._episode = shared.reset((extras or {}).get("extra_info", {}).get("task", ""))

        def step(self, action: str) -> Any:
            self.turns += 1
            found = shared.step(self._episode, action)
            unknown = found.done and found.reward is None
            return BaseTextEnvStepOutput(
                observations=[] if found.done else [{"role": "user", "content": found.observation}],
                reward=math.nan if unknown else found.reward or 0.0,
                done=found.done,
                metadata=dict(found.info),
            )

        def close(self) -> None:
            shared.close(self._episode)

    return HonestSkyRL


def openenv_app(shared: SyncEnvironment, sessions: int = 64) -> Any:
    """An application that speaks OpenEnv's HTTP and WebSocket; any ASGI server runs it.

    `reset` takes `task` and `seed`; an action is `{"text": ...}`, with any text that `Episode.step` takes. Where the
    infrastructure failed, the reward is null and the metadata say the error.
    """
    from openenv.core.env_server import create_app, types as openenv
    from openenv.core.env_server.interfaces import Environment

    class TextAction(openenv.Action):
        """What the policy says, or a call of a tool as JSON text."""

        text: str

    class TextObservation(openenv.Observation):
        """What came of it."""

        text: str = ""
        task: str = ""

    class HonestOpenEnv(Environment):
        """One session."""

        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self) -> None:
            super().__init__()
            self._episode: Episode | None = None
            self._state = openenv.State()

        async def reset_async(
            self, seed: int | None = None, episode_id: str | None = None, task: str = "", **more: Any
        ) -> TextObservation:
            if self._episode is not None:
                await shared.elsewhere(self._episode.close)
            self._episode = await shared.elsewhere(shared.environment.reset, task, seed or 0)
            self._state = openenv.State(episode_id=episode_id, task=self._episode.task_id)
            return TextObservation(text=self._episode.prompt, task=self._episode.task_id)

        async def step_async(self, action: TextAction, timeout_s: float | None = None, **more: Any) -> TextObservation:
            if self._episode is None:
                raise ValueError("reset before the first step")
            found = await shared.elsewhere(self._episode.step, action.text)
            self._state.step_count += 1
            return TextObservation(
                text=found.observation,
                task=self._episode.task_id,
                done=found.done,
                reward=found.reward,
                metadata=dict(found.info),
            )

        def reset(self, seed: int | None = None, episode_id: str | None = None, **more: Any) -> TextObservation:
            return asyncio.run(self.reset_async(seed, episode_id, **more))

        def step(self, action: TextAction, timeout_s: float | None = None, **more: Any) -> TextObservation:
            return asyncio.run(self.step_async(action, timeout_s, **more))

        @property
        def state(self) -> Any:
            return self._state

        def close(self) -> None:
            if self._episode is not None and not self._episode.done:
                shared.close(self._episode)

    return create_app(HonestOpenEnv, TextAction, TextObservation, env_name="honestly", max_concurrent_envs=sessions)
