"""Checks that are a script: Harbor's `tests/test.sh`, and tests in other languages than Python.

The script runs inside the sandbox, over the final workspace. When it has ended, every process in the sandbox is killed,
and only then is read what it left: so nothing can change the result later. If processes were left behind, it is seen
first whether one of them goes on writing results. Tested code that the script runs can still write them sooner. That is
what the canaries are for: the same script over changed test files must not succeed.

Harbor's scripts find their files in `/tests` and the workspace in `/app` too, and leave their rewards in
`/logs/verifier`; their exit status means nothing. Of any other script, the exit status is the result.
"""

import math
import re
import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass

import anyio
import msgspec
from msgspec.structs import replace

from honestly.errors import SandboxBusyError, SandboxError, SandboxUnavailableError
from honestly.records import Check, CheckRun, Checks, Tree
from honestly.sandbox import Layout, Result, Sandbox
from honestly.verify._open import OpenBox, script_of_harbor

OUT_OF_TIME = "ran out of time"
_EXIT = "exit"
_REWARD = "reward"
_REWARD_FILES = ("reward.json", "reward.txt")
_LARGEST = 1 << 16
_WORDS = 8000
_MANY = 1 << 30
_WATCHED_S = 0.5
_TURN_S, _STARVED_S, _LOOKS = 0.002, 0.1, 60
_HARBOR = Layout(workspace="/app", private=("/tests", "/logs"), named_streams=True)
_NAMED = re.compile(rb"(?<![\w.$}/-])/(tests|logs|app)(?![\w.-])")
_REWARDS = msgspec.json.Decoder(dict[str, float])


@dataclass(frozen=True, slots=True)
class _Place:
    """A sandbox, and where in it Harbor's directories lie."""

    box: Sandbox
    root: str = ""
    """What comes before their names for the sandbox's files."""
    app: str = ""
    """The workspace, as commands see it, where Harbor's names do not hold."""

    def written_file(self, data: bytes) -> bytes:
        """A file of the tests, with the directories called what they are called here."""
        if not self.app:
            return data
        names = {b"app": self.app, b"tests": f"{self.app}/{self.root}/tests", b"logs": f"{self.app}/{self.root}/logs"}
        return _NAMED.sub(lambda found: names[found[1]].encode(), data)


async def run_script(checks: Checks, final: Tree, open_box: OpenBox) -> CheckRun:
    """Runs the script over the final workspace, in a fresh sandbox.

    Raises:
        SandboxError: the sandbox broke.
    """
    return _script_checks(checks, *await _ended_script(checks, final, open_box))


async def see_script(checks: Checks, final: Tree, open_box: OpenBox) -> tuple[CheckRun, str]:
    """Runs the script as above, and gives all that it says, whatever is expected; and its last words."""
    result, rewards, why = await _ended_script(checks, final, open_box)
    return _script_checks(replace(checks, expected=tuple(rewards)), result, rewards, why), _output_tail(result, _WORDS)


async def _ended_script(checks: Checks, final: Tree, open_box: OpenBox) -> tuple[Result, dict[str, float], str]:
    """How the script ended, its rewards, and why there are none."""
    if checks.command:
        async with open_box(checks.files.over(final), layout=Layout(named_streams=True)) as box:
            result = await box.exec(checks.command, timeout=checks.timeout_s)
        return result, {_EXIT: float(result.code == 0)}, ""
    async with AsyncExitStack() as stack:
        place = await _harbor_place(final, open_box, stack)
        tests, logs = f"{place.root}/tests", f"{place.root}/logs/verifier"
        for path, file in checks.files.files.items():
            await place.box.write(f"{tests}/{path}", place.written_file(file.data), executable=file.mode == "exec")
        await place.box.write(f"{logs}/test-stdout.txt", b"")
        before = await _process_count(place.box)
        result = await place.box.exec(script_of_harbor(f"{tests}/test.sh"), timeout=checks.timeout_s)
        if place.box.name == "none":  # there, what a command started dies with it, and a kill would hit the user's own
            rewards, why = await _script_rewards(place.box, logs)
        elif await _process_count(place.box) > before:
            rewards, why = await _rewards_among_others(place.box, logs)
        else:
            # First, so that nobody is left who could write while rewards are read.
            await place.box.exec("kill -9 -1")
            rewards, why = await _script_rewards(place.box, logs)
    if result.code is not None and result.code < 0 and not result.timed_out:
        why = f"the script was killed (signal {-result.code}) before its end, so its rewards are nobody's word"
        return result, {}, why
    return result, rewards, "the sandbox ran out of memory" if result.out_of_memory and not rewards else why


async def _harbor_place(final: Tree, open_box: OpenBox, stack: AsyncExitStack) -> _Place:
    """A sandbox with Harbor's directories; without one, they lie where the tested code does not look."""
    try:
        return _Place(await stack.enter_async_context(open_box(final, layout=_HARBOR)))
    except SandboxUnavailableError:  # a machine that has no sandbox at all says so again now
        box = await stack.enter_async_context(open_box(final, layout=Layout(named_streams=True)))
    app = (await box.exec("pwd -P")).stdout.decode().strip()
    return _Place(box, root=f".{secrets.token_hex(8)}", app=app)


async def _process_count(box: Sandbox) -> int:
    """How many processes there are, as seen from inside; more than there were, if something was left behind."""
    said = (await box.exec("set -- /proc/[0-9]*; echo $#")).stdout.strip()
    return int(said) if said.isdigit() else _MANY


async def _rewards_among_others(box: Sandbox, folder: str) -> tuple[dict[str, float], str]:
    """The script's rewards, unless a process that is left behind writes rewards too, and may have had the last word."""
    rewards, why = await _script_rewards(box, folder)
    # A mark in their place shows whether anybody goes on writing; only then is everything killed.
    mark, paths = secrets.token_bytes(16), [f"{folder}/{name}" for name in _REWARD_FILES]
    try:
        for path in paths:
            # Moved there, not written: what is in its place may be a link, by which the mark would reach another file.
            await box.write(f"{folder}/{mark.hex()}", mark)
            await box.exec(f"mv -f '{folder}/{mark.hex()}' '{path}'")
        written = not await _let_all_run(box) or any([await box.read(path) != mark for path in paths])
    except SandboxBusyError:
        raise
    except SandboxError:  # it is gone, or something else by now
        written = True
    await box.exec("kill -9 -1")
    return ({}, "a process that was left behind goes on writing rewards") if written else (rewards, why)


async def _let_all_run(box: Sandbox) -> bool:
    """Waits until every thread in the box had a turn, or wanted none; false if these starve each other, or begin anew.

    Raises:
        SandboxBusyError: one was ready to run all the while, and others of the machine did.
    """
    before = await _thread_times(box)
    for _ in range(_LOOKS):
        await anyio.sleep(_WATCHED_S)
        now = await _thread_times(box)
        began = {thread: before.get(thread, (0.0, 0.0)) for thread in now}
        starved = {
            thread
            for thread, (ran, waited) in now.items()
            if ran - began[thread][0] < _TURN_S and waited - began[thread][1] > _STARVED_S
        }
        if not starved:
            return True
    ran = sum(now[thread][0] - began[thread][0] for thread in now)
    if ran > _WATCHED_S * _LOOKS / 2 or not starved <= before.keys():
        return False
    raise SandboxBusyError(f"what a script left behind waited for processors for {_WATCHED_S * _LOOKS:.0f} s")


async def _thread_times(box: Sandbox) -> dict[bytes, tuple[float, float]]:
    """Seconds that each thread ran, and was ready to run while others did; none where the kernel does not say."""
    told = await box.exec('echo "/proc/$$/"; exec grep -H "" /proc/[0-9]*/task/[0-9]*/schedstat 2>/dev/null')
    own, *lines = told.stdout.splitlines() or [b""]
    rows = [line.rpartition(b":") for line in lines if not line.startswith(own)]
    times = {thread: fields.split() for thread, _, fields in rows}
    return {thread: (int(each[0]) / 1e9, int(each[1]) / 1e9) for thread, each in times.items() if len(each) == 3}


async def _script_rewards(box: Sandbox, folder: str) -> tuple[dict[str, float], str]:
    """The rewards in `reward.json`, or else in `reward.txt`; and why there is nothing."""
    found: list[bytes | None] = []
    for name in _REWARD_FILES:
        try:
            found.append(await box.read(f"{folder}/{name}"))
        except SandboxError:
            found.append(None)
    by_name = dict(zip(_REWARD_FILES, found, strict=True))
    text = None if (data := by_name["reward.txt"]) is None else data[:_LARGEST].decode("utf-8", "replace").strip()
    try:
        value = math.nan if text is None else float(text)
    except ValueError:
        value = math.nan
    if (data := by_name["reward.json"]) is not None:
        try:
            rewards = {name: each for name, each in _REWARDS.decode(data).items() if math.isfinite(each)}
        except msgspec.DecodeError as error:
            return {}, f"reward.json is not an object of numbers: {error}"
        if text is not None and _REWARD in rewards and rewards[_REWARD] != value:
            said = f"reward.json says {rewards[_REWARD]:g} and reward.txt {text[:80]!r}"
            return {}, f"{said}: one is not the script's word"
        return rewards, ""
    if text is None:
        return {}, "the script left no reward"
    return ({_REWARD: value}, "") if math.isfinite(value) else ({}, f"reward.txt holds no number: {text[:80]!r}")


def _script_checks(checks: Checks, result: Result, rewards: dict[str, float], why: str) -> CheckRun:
    """The result of each expected check."""
    note = OUT_OF_TIME if result.timed_out else why
    graded = rewards.get(checks.expected[0]) if len(checks.expected) == 1 and not result.timed_out else None
    return CheckRun(
        checks=tuple(_check_of_reward(name, result, rewards) for name in checks.expected),
        note=note,
        reward=graded if graded is not None and 0 < graded < 1 else None,
    )


def _check_of_reward(name: str, result: Result, rewards: dict[str, float]) -> Check:
    if result.timed_out:
        return Check(id=name, status="timeout", seconds=result.seconds)
    if name not in rewards:
        return Check(id=name, status="missing", message=_output_tail(result), seconds=result.seconds)
    if rewards[name] >= 1:
        return Check(id=name, status="passed", seconds=result.seconds)
    said = f"exit status {result.code}" if name == _EXIT else f"{rewards[name]:g}"
    message = "; ".join(filter(None, (said, _output_tail(result))))
    return Check(id=name, status="failed", message=message, seconds=result.seconds)


def _output_tail(result: Result, most: int = 400) -> str:
    """The last words of the script's."""
    text = (result.stderr.strip() or result.stdout.strip()).decode("utf-8", "backslashreplace")
    return text[-most:]
