"""One attempt at a ticket: workspace, hook, sandbox, and an agent with a fixed number of turns.

A turn ends when the agent says that it has ended. Then its files are saved and committed, what it wished for its ticket
is written, and the ticket is read again: where it is still active and turns are left, the agent goes on. Our own agent
goes on in the same conversation and is told only that it goes on; another agent is called again, with the prompt and
that line, since it has no conversation of ours. However an attempt ends, what is in the sandbox is saved if it can be.
An agent that asks instead of ending fails the attempt: nobody is there to answer.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, SupportsIndex, cast
from uuid import uuid4

import anyio
from jinja2 import StrictUndefined, TemplateAssertionError, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import SandboxedEnvironment
from msgspec.structs import replace as change

from honestly.agents import Actor, Honest, Needs, NeedsSandbox, Run, copy_of
from honestly.errors import AttemptError, HonestlyError, WorkflowError
from honestly.records import Step, Task, Tree
from honestly.sandbox import Sandbox, packages_layout
from honestly.symphony._config import Config
from honestly.symphony._hooks import run_hook, try_hook
from honestly.symphony._tool import OUTBOX, TicketTool, TicketWishes, from_outbox
from honestly.symphony._tracker import Ticket, Tracker
from honestly.symphony._workspace import Workspaces
from honestly.symphony._writing import Note

_ENDED = {"done", "cannot", "ended without saying how", ""}
_GO_ON = (
    "The ticket is still {state!r}, which is an active state. Go on with it: this is turn {turn} of {most}. "
    "If all is done, move the ticket on."
)
_HOW = (
    "\n\n(To write to your ticket, append lines of JSON to the file {outbox} in your workspace: "
    '{{"comment": "..."}} or {{"state": "..."}}. They are read when you end.)'
)
_SAVING_S = 30.0

OpenBox = Callable[..., AbstractAsyncContextManager[Sandbox]]


@dataclass
class LiveAttempt:
    """The state of an attempt while it runs."""

    heard: Callable[[], None] = lambda: None
    """Called whenever the agent does something."""
    thread: str = field(default_factory=lambda: uuid4().hex[:12])
    turn: int = 0
    runs: list[Run] = field(default_factory=list)

    @property
    def session(self) -> str:
        """Thread and turn, as logs name a session."""
        return f"{self.thread}-{self.turn}"

    def tokens(self) -> dict[str, int]:
        """The tokens of the whole attempt so far, as far as the models said."""
        read = sum(run.usage.input_tokens or 0 for run in self.runs)
        written = sum(run.usage.output_tokens or 0 for run in self.runs)
        return {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}


class _Heard(list[Step]):
    """Steps that somebody hears of as they come."""

    def __init__(self, heard: Callable[[], None]) -> None:
        super().__init__()
        self._heard = heard

    def append(self, step: Step) -> None:
        super().append(step)
        self._heard()

    def __setitem__(self, at: SupportsIndex | slice, step: Any) -> None:  # noqa: ANN401 - as a list has it
        super().__setitem__(at, step)
        self._heard()


def rendered_prompt(template: str, ticket: Ticket, attempt: int | None) -> str:
    """The prompt of a ticket.

    Raises:
        WorkflowError: The template is broken, or names what there is not.
    """
    try:
        made = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False).from_string(template)
        return made.render(issue=ticket.fields(), attempt=attempt)
    except (UndefinedError, TemplateAssertionError) as error:
        raise WorkflowError("template_render_error", str(error)) from error
    except TemplateSyntaxError as error:
        raise WorkflowError("template_parse_error", f"line {error.lineno}: {error}") from error
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise WorkflowError("template_render_error", str(error)) from error


@dataclass
class Worker:
    """Runs attempts at tickets."""

    config: Callable[[], Config]
    spaces: Workspaces
    make: Callable[[Config], Actor]
    open_box: OpenBox
    log: Callable[..., Any]

    async def __call__(self, ticket: Ticket, attempt: int | None, live: LiveAttempt) -> None:
        """One attempt.

        Raises:
            HonestlyError: It failed.
        """
        config = self.config()
        about = {"issue_id": ticket.id, "issue_identifier": ticket.identifier}
        path = await self.spaces.prepare(config, ticket)
        await run_hook("before_run", config, path, self.log, **about)
        try:
            prompt = rendered_prompt(config.template, ticket, attempt)
            await _Attempt(self, config, path, ticket, live).work(prompt)
        finally:
            with anyio.CancelScope(shield=True):
                await try_hook("after_run", self.config(), path, self.log, **about)


class _Attempt:
    def __init__(self, by: Worker, config: Config, path: Path, ticket: Ticket, live: LiveAttempt) -> None:
        self._by, self._config, self._path, self._ticket, self._live = by, config, path, ticket, live
        self._wishes, self._tracker = TicketWishes(), Tracker(config)
        self._given, self._note = Tree(), cast("Note | None", None)
        self._box: Sandbox
        self._clock = anyio.CancelScope()

    async def work(self, prompt: str) -> None:
        """All turns."""
        actor = self._by.make(self._config)
        needs = actor.needs if isinstance(actor, NeedsSandbox) else Needs()
        if needs.allow:
            raise AttemptError("agent", f"{actor.record.name} asks for the network, which workers do not have")
        # The workspace's own files, and no others, are what the agent is given.
        self._given = copy_of(self._path).tree
        layout = needs.layout
        if self._config.packages:
            shown = packages_layout(self._config.packages)
            layout = replace(shown, packages={**layout.packages, **shown.packages})
        async with self._by.open_box(self._given, layout=layout, limits=needs.limits) as box:
            self._box = box
            try:
                await self._take_turns(actor, prompt)
            except BaseException:
                # What it has in its sandbox is saved; the state that it wished for is not set.
                with anyio.CancelScope(shield=True), anyio.move_on_after(_SAVING_S), suppress(HonestlyError, OSError):
                    await self._save(failed=True)
                raise

    async def _take_turns(self, actor: Actor, prompt: str) -> None:
        ours = isinstance(actor, Honest)
        if isinstance(actor, Honest):
            tool = TicketTool(self._wishes, self._ticket_text)
            actor = replace(actor, tools=(*actor.tools, tool), then=self._after_turn)
        else:
            prompt += _HOW.format(outbox=OUTBOX)
        self._live.turn = 1
        self._log_event("session", "started")
        with anyio.CancelScope() as self._clock:
            self._wind_clock()
            run = await self._agent_turn(actor, prompt)
            while not ours and (more := await self._after_turn(run)):
                run = await self._agent_turn(actor, f"{prompt}\n\n{more}")
        if self._clock.cancelled_caught:
            raise AttemptError("turn_timeout", f"turn {self._live.turn} took over {self._config.turn_timeout_ms} ms")

    async def _agent_turn(self, actor: Actor, prompt: str) -> Run:
        task = Task(id="ticket", instruction=prompt, workspace=self._given)
        run = Run(task=task, seed=0, steps=_Heard(self._live.heard))
        self._live.runs.append(run)
        try:
            await actor(run, self._box)
        except HonestlyError:
            raise
        except Exception as error:
            # An agent is somebody else's program: it may raise anything.
            raise AttemptError("turn_failed", f"{type(error).__name__}: {error}"[:500]) from error
        return run

    def _wind_clock(self) -> None:
        self._clock.deadline = anyio.current_time() + self._config.turn_timeout_ms / 1000

    async def _after_turn(self, run: Run) -> str:
        """Saves what a turn has done; what the agent is told next, empty where the attempt is over."""
        self._live.heard()
        if run.limit or run.stop not in _ENDED:
            kind = "turn_input_required" if run.stop == "asks" else "turn_failed"
            raise AttemptError(kind, f"the agent ended with {run.stop or run.limit!r}")
        await self._save(failed=False)
        self._log_event("turn", "completed", **self._live.tokens())
        now = self._tracker.by_ids([self._ticket.id]).get(self._ticket.id)
        if now is None or not self._config.is_active(now.state) or self._live.turn >= self._config.max_turns:
            return ""
        self._ticket = now
        self._live.turn += 1
        self._log_event("session", "continued")
        self._wind_clock()
        return _GO_ON.format(state=now.state, turn=self._live.turn, most=self._config.max_turns)

    async def _save(self, *, failed: bool) -> None:
        after = await self._box.snapshot()
        note = self._note or self._new_note(after)
        self._note = note = change(note, state="") if failed else note
        with anyio.CancelScope(shield=True):
            self._given = await self._by.spaces.save(self._config, self._path, self._given, after, note)
            if OUTBOX in after.files:
                await self._box.exec(["rm", "-f", OUTBOX])
            self._note = None

    def _new_note(self, after: Tree) -> Note:
        for trouble in from_outbox(after, self._wishes):
            self._log_event("ticket", "refused", reason=f"{OUTBOX} {trouble}")
        note = Note(
            id=uuid4().hex,
            ticket=self._ticket.id,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            comments=tuple(self._wishes.comments),
            state=self._wishes.state,
            seen=self._ticket.state,
        )
        self._wishes.comments, self._wishes.state = [], ""
        return note

    def _ticket_text(self) -> str:
        now = self._tracker.by_ids([self._ticket.id]).get(self._ticket.id)
        if now is None:
            return "the ticket is gone"
        return f"{now.identifier}: {now.title}\nstate: {now.state}\n\n{now.description}"

    def _log_event(self, event: str, outcome: str, **more: object) -> None:
        about = {"issue_id": self._ticket.id, "issue_identifier": self._ticket.identifier}
        self._by.log(event, outcome=outcome, session_id=self._live.session, **about, **more)
