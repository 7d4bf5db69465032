"""Somebody else's agent at work: the real program, in our sandbox, on any model, with a record as complete as our own.

The program finds its model at an address on the loopback, behind which the recording proxy answers with the trial's own
token; nothing else is reachable, and no key is inside. Its home is a private directory, so that it has no settings, no
history and no memory but its own. What went through the proxy is the record. What the program printed and left in its
home is kept beside it, and compared with it. However the attempt ends, what happened until then is on record.
"""

import dataclasses
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import anyio
import anyio.to_thread
from msgspec.structs import replace as change

from honestly.agents._artifacts import MODEL_RECORD, PROGRAM_FILES
from honestly.agents._limits import AgentLimits
from honestly.agents._permissions import GUARD_RECORD
from honestly.agents._run import Needs, Run, tool_server_lines
from honestly.agents.external._driver import HOME, Driver, Start
from honestly.agents.external._find import SHELL, InstalledProgram
from honestly.agents.external._guarded import GuardedModel
from honestly.agents.external._hook import DECISIONS
from honestly.agents.external._second import compare_records, completed_steps
from honestly.agents.external._steps import Follower, noted_steps
from honestly.agents.external._variation import LoggedIn, Variation
from honestly.errors import AgentError, BudgetError, FormatError, ModelError, SandboxError, StoreError
from honestly.models import Budget, Model, Proxy, Recorded, Redaction, Upstream, read_exchanges, trouble_with
from honestly.permissions import ToolPolicy
from honestly.records import Agent
from honestly.sandbox import DoorSandbox, Layout, Result, Sandbox, unpaused_limit
from honestly.sandbox.images import ImageSandbox
from honestly.scratch import scratch_folder

_NO_LIMITS = AgentLimits(turns=None)
_AS_IT_IS = Variation()
_SHORTEST_SECRET = 8
_REDIRECT = 'exec "$@" >>"$0/stdout" 2>>"$0/stderr"'
"""Appended to, so that what the agent's own commands write there stands beside what the program says, not over it."""
_KEEP_S = 60.0
_MOST_FILES = 2000
_MOST_BYTES = 64 << 20
_SPENT, _NO_ACCOUNT = "the budget is spent", "a budget in"
"""How the proxy begins to say that no more may be spent, and that nobody knows what was."""
_LAST_WORDS = 500
_START_S = 60.0
_NOT_STARTED = (126, 127)
"""Statuses by which a shell says that a program is not there, or cannot be run."""
_REFUSED = re.compile(r"\b40[0-4]\b")
"""A status after which asking again does not help."""


@dataclass(frozen=True)
class External:
    """Somebody else's program as an agent."""

    driver: Driver
    installed: InstalledProgram
    model: Model | None
    """None where its program works without one."""
    name: str
    limits: AgentLimits = _NO_LIMITS
    told: str = ""
    """The model's name, as the program is told; by default what its own name ends in."""
    settings: dict[str, str] = field(default_factory=dict)
    """What else identifies it: the command line of a generic one."""
    guard: ToolPolicy | None = None
    """What it may do with its tools, as far as the program lets somebody say it."""
    variation: Variation = _AS_IT_IS
    """What is varied of the program."""
    behind: Recorded | None = None
    """Who answers the proxy in the model's place: an earlier record."""

    @property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        return Agent(
            name=self.name,
            program=self.driver.name,
            version=self.installed.version,
            model=self.model.name if self.model else "",
            settings={
                **self.settings,
                **self.variation.settings(),
                **self.limits.settings(),
                **({"told": self._model_name} if self.model else {}),
                **({"guard": self.guard.text()} if self.guard else {}),
            },
        )

    def guarded_by(self, policy: ToolPolicy) -> "External":
        """Puts a policy between the program and its tools: another agent.

        Raises:
            AgentError: Its model is out of our sight, and the program has no place for such a policy.
        """
        guarded = dataclasses.replace(self, guard=policy)
        if not guarded._in_proxy:  # noqa: SLF001 - its own class
            takes = self.driver.takes_rule
            unfit = [rule for rule in policy.rules if takes is not None and not takes(rule)]
            if self.driver.guarded is None or policy.judge is not None or unfit:
                what = f"the rule {unfit[0].written!r}" if unfit else "such a policy"
                raise AgentError(
                    f"agent {self.name!r} has no place for {what}, and asks no model that the recording proxy answers "
                    "for; give it a --model, or take claude-code or 'honest'"
                )
        return guarded

    @property
    def _in_proxy(self) -> bool:
        """Whether the proxy judges its model's calls: where its own hook does not, and the proxy asks the model."""
        hooked = self.driver.guarded is not None and self.driver.takes_rule is None
        ours = self.model is not None and not isinstance(self.model, LoggedIn) and self.behind is None
        return self.guard is not None and ours and (not hooked or self.guard.judge is not None)

    @property
    def needs(self) -> Needs:
        """A sandbox that shows the program and gives it a home."""
        layout = Layout(private=(HOME,), shown=self.installed.shown, terminals=True)
        return Needs(layout=layout, limits=self.driver.limits, in_image=self._in_image)

    def _in_image(self) -> Layout:
        return Layout(private=(HOME,), shown=self._image_program.shown, terminals=True)

    @cached_property
    def _image_program(self) -> InstalledProgram:
        """The program as an image can show it."""
        return self.installed.in_image() if self.installed.in_image else self.installed

    @property
    def _model_name(self) -> str:
        return self.told or (spoken_name(self.model.name) if self.model else "")

    async def preflight(self, box: Sandbox) -> Sequence[str]:
        """The obstacles to running it: its program does not start, or its model cannot be asked."""
        argv = (self._image_program if isinstance(box, ImageSandbox) else self.installed).argv
        started = await box.exec(
            ["sh", "-c", 'exec "$0" "$@"', *argv, "--version"], env={"HOME": HOME}, timeout=_START_S
        )
        found = []
        if started.code in _NOT_STARTED:
            words = started.stderr[-_LAST_WORDS:].decode("utf-8", "replace").strip()
            found.append(f"{self.driver.program} does not start in the sandbox (status {started.code}): {words}")
        if isinstance(self.model, LoggedIn):
            self.model.upstream()
        elif self.model is not None and self.behind is None:
            found += await trouble_with(self.model, priced=self.limits.usd is not None)
        return found

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Lets it work.

        Raises:
            AgentError: The sandbox has no door, or the program failed before it asked its model or changed anything.
            ModelError: Its model did not answer.
            BudgetError: Its budget is spent.
        """
        if not isinstance(box, DoorSandbox):
            raise AgentError(f"{self.driver.name} needs a sandbox with a door; {box.name!r} has none")
        token = secrets.token_hex(16)
        answering: Recorded | Model | Upstream | None = self.behind or self.model
        guarded = None
        if self.guard is not None and self.model is not None and self._in_proxy:
            answering = guarded = GuardedModel(self.model, self.guard, lasting=self.driver.lasting_shell)
        run.secrets = tuple(value for value in self.variation.secrets(os.environ) if len(value) >= _SHORTEST_SECRET)
        if isinstance(answering, LoggedIn):
            answering = relayed = answering.upstream()
            run.secrets = (*run.secrets, relayed.key)
        budget = Budget(calls=self.limits.turns, tokens=self.limits.tokens, usd=self.limits.usd)
        with scratch_folder("program") as folder:
            record = folder / MODEL_RECORD
            result: Result | None = None
            follower = Follower(run.steps)
            try:
                if answering is None:
                    result = await self._work(run, box, "", "")
                else:
                    async with Proxy(
                        answering, token=token, record=record, budget=budget, secrets=run.secrets
                    ) as proxy:
                        proxy.heard = follower.take_exchange
                        url = proxy.serve(await box.listen())
                        result = await self._work(run, box, url, token)
            finally:
                decided = run.artifacts.get(f"{PROGRAM_FILES}{DECISIONS}", b"").rstrip(b"\n")
                decided = b"\n".join(guarded.permissions.decided) if guarded is not None else decided
                if decided:
                    run.artifacts[GUARD_RECORD] = decided
                with anyio.CancelScope(shield=True):  # in a thread: seconds, where requests were many
                    trouble, failed = await anyio.to_thread.run_sync(self._record_steps, run, record, follower)
        idle = bool(result and result.code) and not run.steps  # a limit of the sandbox gives no status
        idle = idle and run.judged_files(await box.snapshot()) == run.task.workspace
        self._set_ending(run, result, trouble, failed=failed, idle=idle)

    async def _work(self, run: Run, box: DoorSandbox, url: str, token: str) -> Result | None:
        program, shell = self.installed.argv, ""
        if run.task.environment is not None:
            program = self._image_program.argv
            shell = "" if (await box.exec("command -v bash")).code == 0 else SHELL
        offered = run.task.environment.tool_servers if run.task.environment is not None else ()
        task = run.task.instruction
        if "mcp" not in self.driver.takes:
            task += tool_server_lines(offered)
        varied = self.variation
        servers = {each.name: each for each in offered} | varied.tool_servers(os.environ)
        start = Start(
            instruction=task, program=program, url=url, token=token, model=self._model_name, shell=shell,
            flags=varied.words, effort=varied.effort, servers=servers,
            subscribed=isinstance(self.model, LoggedIn) and self.model.subscribed,
        )  # fmt: skip
        launch = self.driver.launch(start)
        launch = dataclasses.replace(launch, env={**varied.variables(os.environ), **launch.env})
        hook = self.driver.guarded if not self._in_proxy or self.driver.takes_rule is not None else None
        if self.guard is not None and hook is not None:
            launch = hook(launch, self.guard)
        result = None
        try:
            for path, text in launch.files.items():
                await box.write(path, text.encode())
            for path, file in varied.files(self.driver).items():
                await box.write(path, file.data, executable=file.mode == "exec")
            with unpaused_limit(box, self.limits.seconds) as clock:
                if self.driver.converse is not None:
                    result = await self.driver.converse(box, launch, partial(_keep_artifact, run, token))
                else:
                    result = await box.exec(
                        ["sh", "-c", _REDIRECT, HOME, *launch.argv],
                        env={"HOME": HOME, **launch.env},
                        stdin=launch.stdin.encode("utf-8", "replace"),
                        timeout=run.task.timeout_s + self.driver.limits.wall_s,
                    )
            if clock.cancelled_caught:
                run.stop, run.limit = "limit: seconds", "seconds"
        finally:
            with anyio.move_on_after(_KEEP_S, shield=True):
                await self._keep_outputs(run, box, token)
        return result

    async def _keep_outputs(self, run: Run, box: Sandbox, token: str) -> None:
        """Keeps the program's output and the files that its driver names, without the token; the rest is named."""
        kept = [f"{HOME}/{name}" for name in ("stdout", "stderr", *self.driver.kept)]
        patterns = [word for path in kept for word in ("-o", "-path", path)][1:]
        lost: list[str] = []
        try:  # sizes in blocks of 512 bytes: an image's `find` may know no others
            small, large = [
                (await box.exec(["find", HOME, "-type", "f", "-size", size, "(", *patterns, ")"])).stdout.split(b"\n")
                for size in (f"-{_MOST_BYTES >> 9}", f"+{(_MOST_BYTES >> 9) - 1}")
            ]
            if not any(small + large):  # the image has no `find`
                small = [path.encode() for path in kept if "*" not in path]
        except SandboxError as error:  # it broke, or a limit ended all that is inside: the trial will say so
            small, large, lost = [], [], [str(error)]
        lost += [f"{name.decode('utf-8', 'replace')} (more than {_MOST_BYTES >> 20} MiB)" for name in large if name]
        left = _MOST_BYTES
        for number, name in enumerate(sorted(filter(None, small))):
            path = name.decode("utf-8", "replace")
            try:
                data = await box.read(path) if number < _MOST_FILES and left > 0 else b""
            except SandboxError as error:  # it is gone, or has a name that is not text
                lost.append(f"{path}: {error}")
                continue
            left -= len(data)
            if number >= _MOST_FILES or left <= 0:
                lost.append(f"{path} (beyond {_MOST_FILES} files or {_MOST_BYTES >> 20} MiB)")
                continue
            _keep_artifact(run, token, path.removeprefix(f"{HOME}/"), data)
        if lost:
            run.artifacts[f"{PROGRAM_FILES}lost"] = "\n".join(lost).encode("utf-8", "replace")

    def _record_steps(self, run: Run, record: Path, follower: Follower) -> tuple[str, bool]:
        """Puts what happened on record.

        Returns:
            Why the last request was not answered, or an empty text; and whether the program says that it failed.
        """
        try:
            if self.behind or self.model:
                run.artifacts[MODEL_RECORD] = record.read_bytes()
            noted = noted_steps(read_exchanges(record) if self.behind or self.model else ())
        except (OSError, StoreError, FormatError) as error:
            return f"the proxy's record cannot be read: {error}", False
        files = {
            name.removeprefix(PROGRAM_FILES): data
            for name, data in run.artifacts.items()
            if name.startswith(PROGRAM_FILES)
        }
        stdout = files.pop("stdout", b"")
        files.pop("stderr", b"")
        own = self.driver.read(stdout, files)
        follower.settle(completed_steps(noted.steps, own))
        run.head = change(run.head, tools=noted.tools, session=own.session if own else "")
        counted = [step for step in run.steps if own is None or own.helpers or not step.thread]
        run.findings.append(compare_records(noted.steps, own, dataclasses.replace(run, steps=counted).usage))
        run.stop = run.stop or (own.stop if own else "")
        run.unanswered = not noted.answers and (self.driver.asks or bool(noted.steps))
        silent = not noted.answers and not noted.steps and not noted.trouble
        failed = (own is not None and own.failed) or (silent and self.driver.asks)
        return "the program never asked its model" if silent else noted.trouble, failed

    def _set_ending(self, run: Run, result: Result | None, trouble: str, *, failed: bool, idle: bool) -> None:
        """Says how it ended; raises where that was not the program's doing."""
        if result is None or run.limit:
            return
        if trouble.startswith(_SPENT):
            raise BudgetError(trouble)
        if trouble.startswith(_NO_ACCOUNT):
            raise AgentError(trouble)
        failed |= result.code != 0
        last = run.artifacts.get(f"{PROGRAM_FILES}stderr", b"") or run.artifacts.get(f"{PROGRAM_FILES}stdout", b"")
        said = last[-_LAST_WORDS:].decode("utf-8", "replace").strip()
        words = f"; its last words: {said}" if said else "; it said nothing"
        ended = f"{self.driver.name} ended with status {result.code} after {result.seconds:.1f} s"
        if failed and not run.steps and (self.model or idle):
            before = "it asked its model" if self.model else "it changed a file"
            raise AgentError(f"{ended}, before {before}{words}")
        if failed and trouble and self.model:
            passing = _REFUSED.search(trouble) is None
            raise ModelError(f"{self.driver.name} got no answer from its model: {trouble}", transient=passing)
        if result.code:
            run.crash = ended + words
        run.stop = run.stop or ("done" if not failed else f"exit status {result.code}")


def _keep_artifact(run: Run, token: str, name: str, data: bytes) -> None:
    """Keeps something of the program, without the token and what else is secret."""
    data = data.replace(token.encode(), b"[secret]") if token else data
    run.artifacts[PROGRAM_FILES + name] = Redaction(run.secrets, "[secret]").clean(data) if run.secrets else data


def spoken_name(model: str) -> str:
    """The name of a model as a program is given it: what the name ends in, in characters that every client accepts."""
    last = re.split(r"[#:/]", model.rstrip("/#:"))[-1]
    return re.sub(r"[^A-Za-z0-9._-]", "-", last) or "model"
