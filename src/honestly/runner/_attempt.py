"""One trial from start to end: a sandbox for the agent, its work, and a verdict over what it left.

Whatever happens in between is data. If the sandbox, the verification or the model breaks, the trial is void; if an
agent raises, what it left is judged all the same, since a crash does not undo work that was done. An agent that
leaves more than a sandbox hands out has failed: what an agent can do must never make its own trial void. However it
ends, the steps until then, what they cost, and what was changed are kept.
"""

import dataclasses
import os
import platform
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
from msgspec.structs import replace

from honestly._version import program_version
from honestly.agents import Needs, OnSite, Run, is_own_doing
from honestly.errors import (
    BudgetError,
    HonestlyError,
    ModelError,
    SandboxBusyError,
    SandboxError,
    SandboxLimitError,
    SandboxUnavailableError,
    VerifierError,
)
from honestly.records import (
    Conditions,
    Edit,
    File,
    Finding,
    Isolation,
    Outcome,
    Preparation,
    Trajectory,
    Tree,
    Trial,
    Verdict,
    encode,
)
from honestly.runner._plan import Planned
from honestly.runner._storable import storable_record, without_secrets
from honestly.runner._written_steps import written_steps
from honestly.sandbox import (
    Egress,
    EgressRequest,
    Limits,
    Sandbox,
    layers_around,
    paused_s,
    stood_still_s,
    unpaused_limit,
)
from honestly.sites import OpenSite, open_site
from honestly.store import Running
from honestly.verify import (
    SITE,
    OpenBox,
    furnished_opener,
    in_environment,
    network_of,
    phases_of,
    reachable_address,
    reachable_apis,
    verdict_outcome,
    verify,
    with_state,
)

ASKED = "site.jsonl"
"""Name of the artifact that holds what a task's site was asked: method, target and status of each request, and what the
site itself raised."""

EGRESS = "egress.jsonl"
"""Name of the artifact that holds what the agent's sandbox asked of the network, and what came of it."""

TURNS = "turns.json"
"""Name of the artifact that holds which hidden checks passed at the end of each turn of a session with a user."""

_MOST_LOST = 0.1
"""Of the time that an agent was at work: for how long all may have stood still, clocks of programs going on."""
_USUAL = Needs()
_EXCLUDE = ".git/info/exclude"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """A finished trial with everything that the study keeps of it."""

    trial: Trial
    trajectory: Trajectory
    final: Edit
    """What the agent changed: the difference between the workspace before and after."""
    conditions: Conditions
    """Program and machine that ran it."""
    artifacts: Mapping[str, bytes] = field(default_factory=dict)
    """What else is kept, by name."""
    findings: tuple[Finding, ...] = ()
    passing: bool = False
    """Of a void one: whether what spoilt it may be over soon, so that trying again at once makes sense."""
    lost: bool = False
    """Whether the process or the machine that ran it is gone, so that nothing is known of it."""


async def run_attempt(
    planned: Planned, open_box: OpenBox, unfinished: Path | None = None, provider: str = ""
) -> TrialResult:
    """Runs one planned trial.

    Args:
        planned: which.
        open_box: opens its sandboxes.
        unfinished: folder in which its steps lie until it has ended; None to keep them in memory only.
        provider: who opens the sandboxes, where somebody named it; kept with the trial.
    """
    task = planned.task
    hidden = task.hidden.checks if task.hidden is not None else None
    running = Running(
        id=planned.id,
        agent=planned.actor.record.name,
        task=task.id,
        sample=planned.sample,
        started_at=utc_timestamp(),
        timeout_s=task.timeout_s,
        checks_s=sum(checks.timeout_s for checks in (task.visible, hidden) if checks is not None),
    )
    with written_steps(unfinished, running) as steps:
        run = Run(task=task.public(), seed=planned.agent_seed, steps=steps)
        return await _attempt_result(planned, open_box, run, provider)


async def _attempt_result(planned: Planned, open_box: OpenBox, run: Run, provider: str) -> TrialResult:
    started, clock = utc_timestamp(), anyio.current_time()
    verdict, reason, final, ran_out = Verdict(), "", planned.task.workspace, False
    begun, outcome = False, Outcome.VOID
    lost: HonestlyError | None = None
    asked: list[EgressRequest] = []
    worked, isolation = 0.0, Isolation()
    try:
        async with (
            phases_of(open_box) as phases,
            phases.agent_place(planned.task.id) as place,
            open_agent_sandbox(planned, open_box, asked) as box,
            _on_site(planned, run, box) if planned.task.site else nullcontext() as site,
        ):
            begun = True
            network, judging = _allowed_hosts(planned), network_of(planned.task, "verifier")
            # In a thread: the first time, a program is started for it, and waited for.
            isolation = await anyio.to_thread.run_sync(isolation_of, box, network)
            isolation = replace(isolation, provider=provider, verifier_network=judging)
            run.overlay = await _laid_overlay(planned, box)
            ready = anyio.current_time()
            await place.begin(box)
            began, stood = anyio.current_time(), stood_still_s()
            waited = began - ready
            with unpaused_limit(box, planned.task.timeout_s) as deadline:
                reason, lost = await _let_agent_work(planned, run, box)
            if deadline.cancelled_caught:
                run.stop, run.limit = "agent_timeout", "seconds"
            if run.limit and run.unanswered:
                lost = ModelError(f"the model never answered ({run.stop})", transient=True)
                reason = _error_words(lost)
            stood = stood_still_s() - stood
            if stood > _MOST_LOST * (anyio.current_time() - began):
                lost = SandboxBusyError(f"the agent's program was stopped, frozen or suspended for {stood:.0f} s")
                reason = _error_words(lost)
            ran_out = bool(run.limit) and lost is None
            reason = run.stop if ran_out else reason
            # Less what it waited for its turn, and stood still while work was judged.
            worked = anyio.current_time() - clock - waited - paused_s(box)
            final = run.judged_files(await box.snapshot() if run.kept is None else run.kept)
            final = with_state(final, site) if site else final
        if lost is None:
            verdict = await verify(planned.task, final, seed=planned.check_seed, open_box=open_box)
            outcome = verdict_outcome(verdict, ran_out=ran_out)
            if run.turns:
                run.artifacts[TURNS] = encode([await _passed_checks(planned, each, open_box) for each in run.turns])
    except SandboxUnavailableError:
        raise  # nothing can be run here: a reason to stop, not to fill a study with void trials
    except HonestlyError as error:
        reason, lost = _error_words(error), error
        if begun and isinstance(error, SandboxLimitError):
            outcome = Outcome.LIMIT if ran_out else Outcome.FAILED
    if asked:
        run.artifacts[EGRESS] = b"".join(msgspec.json.encode(request) + b"\n" for request in asked)
    trial = Trial(
        id=planned.id,
        agent=planned.actor.record.name,
        task=planned.task.id,
        sample=planned.sample,
        outcome=outcome,
        reason=reason,
        verdict=verdict,
        score=verdict.hidden.reward if verdict.hidden and outcome is Outcome.FAILED and not verdict.tampered else None,
        claimed=run.claimed,
        truth=run.truth,
        usage=run.usage,
        started_at=started,
        seconds=round(anyio.current_time() - clock, 3),
        agent_seconds=round(worked, 3),
        isolation=isolation,
    )
    clean = partial(without_secrets, secrets=run.secrets)
    # Trying again soon helps against what passes: a key does not become right by itself, nor a missing program appear.
    passing = lost.transient if isinstance(lost, ModelError) else isinstance(lost, SandboxError | VerifierError)
    return TrialResult(
        clean(storable_record(trial)),
        clean(storable_record(run.trajectory())),
        clean(Edit.between(planned.task.workspace, final)),
        conditions_here(),
        run.artifacts,
        tuple(clean(storable_record(replace(finding, trial=planned.id))) for finding in run.findings),
        passing=passing,
    )


async def _passed_checks(planned: Planned, files: Tree, open_box: OpenBox) -> list[str]:
    verdict = await verify(replace(planned.task, visible=None), files, seed=planned.check_seed, open_box=open_box)
    return [check.id for check in verdict.hidden.checks if check.status == "passed"] if verdict.hidden else []


@asynccontextmanager
async def _on_site(planned: Planned, run: Run, box: Sandbox) -> AsyncIterator[OpenSite]:
    """The task's site, opened afresh, of which the agent is told."""
    task = planned.task
    async with (
        open_site(task.site, seed=task.site_seed) as site,
        reachable_address(site, box, pages_only=_actor_needs(planned).pages_only) as url,
    ):
        run.site = OnSite(url, reachable_apis(site, url), site.mcp)
        run.task = replace(run.task, instruction=run.task.instruction.replace(SITE, url))
        try:
            yield site
        finally:
            lines = [encode(asdict(seen)) for seen in site.requests]
            lines += [encode({"trouble": trouble}) for trouble in site.troubles]
            run.artifacts[ASKED] = b"".join(line + b"\n" for line in lines)


def utc_timestamp() -> str:
    """The time of day, as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def open_agent_sandbox(
    planned: Planned, open_box: OpenBox, asked: list[EgressRequest]
) -> AbstractAsyncContextManager[Sandbox]:
    """The agent's sandbox, of the kind that it needs; what it asks of the network is added to `asked`."""
    needs, network = _actor_needs(planned), _allowed_hosts(planned)
    open_box = in_environment(planned.task, open_box, "agent")
    if planned.task.preparation != Preparation():
        open_box = furnished_opener(planned.task.preparation, open_box)
    workspace = planned.task.workspace
    if planned.task.environment is None:
        workspace = _overlay_of(planned).over(workspace)
    egress = Egress(allow=network, log=asked.append) if network else None
    layout = needs.in_image() if needs.in_image and planned.task.environment else needs.layout
    layout = dataclasses.replace(layout, named_streams=True)
    return open_box(workspace, layout=layout, limits=needs.limits, egress=egress)


def _overlay_of(planned: Planned) -> Tree:
    """The files of the agent's overlay; in a checkout, with git's list of files to pass over."""
    overlay, given = _actor_needs(planned).overlay, planned.task.workspace
    if not overlay.files or ".git/HEAD" not in given.files:
        return overlay
    listed = given.files[_EXCLUDE].data if _EXCLUDE in given.files else b""
    names = "".join(f"/{path}\n" for path in sorted(overlay.files))
    return Tree(files={**overlay.files, _EXCLUDE: File(data=listed + b"\n" * bool(listed) + names.encode())})


async def _laid_overlay(planned: Planned, box: Sandbox) -> Tree:
    """The files of an overlay by their paths in what is left, with the task's image; there they are written now."""
    overlay = _overlay_of(planned)
    if not overlay.files or planned.task.environment is None:
        return overlay
    folder = (await box.exec("pwd")).stdout.decode().strip()
    for path, file in overlay.files.items():
        await box.write(f"{folder}/{path}", file.data, executable=file.mode == "exec")
    return overlay.under(folder.strip("/")) if folder.strip("/") else overlay


def _allowed_hosts(planned: Planned) -> tuple[str, ...]:
    """Hosts that the agent may reach: those that it needs, and those that its task allows."""
    return tuple(dict.fromkeys((*_actor_needs(planned).allow, *network_of(planned.task, "agent"))))


def _actor_needs(planned: Planned) -> Needs:
    needs: Needs = getattr(planned.actor, "needs", _USUAL)  # `isinstance` of a protocol takes 30 µs
    return needs


def _error_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


async def _let_agent_work(planned: Planned, run: Run, box: Sandbox) -> tuple[str, HonestlyError | None]:
    """Lets the agent work. Gives the reason where it raised, and the error if that makes the trial void.

    An agent's crash is its own doing. That its model did not answer, or that it was not set up, is not.
    """
    try:
        await planned.actor(run, box)
    except SandboxUnavailableError:
        raise
    except BudgetError as error:
        run.stop, run.limit = f"limit: {error}", run.limit or "budget"
    except BaseException as error:
        if not is_own_doing(error):  # an agent is somebody else's program: it may raise anything, to exit too
            raise
        # What a sandbox refuses an agent is the agent's affair; if the box is broken, the snapshot to come says so.
        lost = error if isinstance(error, HonestlyError) and not isinstance(error, SandboxError) else None
        run.stop = f"{'' if lost else 'agent_error: '}{_error_words(error)}"[:500]
        return run.stop, lost
    return run.crash, None


@cache
def conditions_here() -> Conditions:
    """The conditions of every trial that this process runs."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, ValueError, OSError):  # not every system says
        memory = None
    return Conditions(
        program=program_version(),
        python=platform.python_version(),
        kernel=f"{platform.system()} {platform.release()} {platform.machine()}",
        processors=os.cpu_count(),
        memory_mb=memory,
    )


def isolation_of(box: Sandbox, network: tuple[str, ...] = ()) -> Isolation:
    """The isolation of an open sandbox; of one that is not ours, the kind and the limits are what it says itself."""
    known = Isolation(kind=box.name, layers=layers_around(box), network=network)
    limits = getattr(box, "limits", None)
    if not isinstance(limits, Limits):
        return known
    names = ("memory_mb", "disk_mb", "processes", "cpu_s")
    return replace(known, **{name: getattr(limits, name) for name in names})
