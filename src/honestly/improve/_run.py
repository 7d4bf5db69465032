"""A loop at work: an agent's attempts, their evaluations and decisions, each journalled, none done twice.

A loop is a plain async function over `LoopRun`: `baseline`, `more`, `attempt`, `keep`, `score` (recipes/). It needs no
code to resume: run again from its start, it is answered from the journal until it is where it was.
"""

import time
from statistics import mean, stdev

import anyio

from honestly.agents import Actor, NeedsSandbox, Run, is_own_doing
from honestly.errors import AgentError, BudgetError, HonestlyError, SandboxError, SandboxUnavailableError, TaskError
from honestly.improve._declare import BASELINE
from honestly.improve._journal import Begun, Decided, Proposed, Sealed
from honestly.improve._keep import FLOOR, decide_attempt, public_words
from honestly.improve._record import RunRecord
from honestly.records import Task, encode
from honestly.sandbox import Egress, Sandbox
from honestly.work import write_file

ATTEMPTS = "attempts"
"""Folder of a run with the trajectory of each attempt."""
_VOID_IN_A_ROW = 3
_WORDS = 1000


class LoopRun(RunRecord):
    """One run of a loop, open for work."""

    def budget_spent(self) -> bool:
        """Whether the budget is spent, attempts apart."""
        return bool(self.arm_budget.reached(self.spent, attempts=False))

    def ended(self) -> str:
        """Why no attempt is to be made any more: the limit that is reached; empty where one may be."""
        return self.arm_budget.reached(self.spent) or self.spent.out_of_reach(self.arm_budget)

    def more(self) -> bool:
        """Whether another attempt is to be made; those on record are, until each is met again."""
        return (self.arm, self._next) in self.state.begun or not self.ended()

    async def baseline(self) -> str:
        """Measure the unchanged project several times, and begin with it.

        Raises:
            TaskError: it cannot be measured, or is not as deterministic as was declared.
            BudgetError: the budget is spent before.
        """
        if (self.arm, 0) in self.state.decided:
            return BASELINE
        purpose = "score" if self.declared_terms.keep == "race" else "floor"
        found = [
            await self.evaluate_with_retry(BASELINE, self.seed(purpose, i), f"{purpose} {i}") for i in range(FLOOR)
        ]
        values = [each.value for each in found if each.value is not None]
        if len(values) < FLOOR:
            bad = next(each for each in found if each.value is None)
            if bad.status == "spent":
                raise BudgetError(
                    f"the budget was spent before the unchanged project was measured {FLOOR} times; "
                    "give more with --budget"
                )
            raise TaskError(
                f"the unchanged project has no score ({bad.status}): {bad.log[-300:] or 'it printed nothing'}"
            )
        if self.target.declaration.deterministic and len(set(values)) > 1:
            said = ", ".join(f"{value:.6g}" for value in values)
            raise TaskError(f"improve.toml declares the metric deterministic, but the unchanged project scores {said}")
        score = values[0] if self.declared_terms.keep == "naive" else mean(values)
        noise, pairs = stdev(values), self.target.declaration.proof.pairs
        # Four times in five, at 5%: 1.96 and 0.84 standard errors of a paired mean.
        shown = f"; {pairs} fresh seeds show a gain of about {2.8 * noise * (2 / pairs) ** 0.5:.2g}" if noise else ""
        why = f"the unchanged project; SD {noise:.4g}{shown}"
        self.record_decision(
            Decided(arm=self.arm, n=0, id=BASELINE, kept=True, why=why, status="ok", score=score, spread=stdev(values))
        )
        return BASELINE

    async def attempt(self, parent: str, prompt: str, agent: str = "") -> Proposed:
        """Let an agent change a fork of a candidate; what it leaves is frozen as a candidate.

        Args:
            parent: the candidate.
            prompt: what the agent is told.
            agent: which, of `actors`; one after the other, if nobody says.

        Raises:
            AgentError: several attempts in a row were void, so that more would be, too; or the agent is another one
                than it was when the run began.
            BudgetError: the budget is spent; a loop asks `more` before.
        """
        if not self.more():
            raise BudgetError(f"the budget is spent ({self.ended()}); a loop asks run.more() before each attempt")
        n, self._next = self._next, self._next + 1
        if done := self.state.proposed.get((self.arm, n)):
            return done
        who = agent or list(self.actors)[(n - 1) % len(self.actors)]
        actor = self.actors[who]
        self._journal.write(Begun(arm=self.arm, n=n, parent=parent, prompt=prompt, at=time.time()))
        made = await self._run_attempt(n, parent, prompt, who, actor)
        self._journal.write(made)
        self._void = self._void + 1 if made.void else 0
        if self._void >= _VOID_IN_A_ROW:
            raise AgentError(
                f"{self._void} attempts in a row were void: {made.void}; run the same command again to continue"
            )
        return made

    async def _run_attempt(self, n: int, parent: str, prompt: str, who: str, actor: Actor) -> Proposed:
        said, before = self.target.declaration, self.state.edits[parent]
        given, clock = self.target.workspace(before), anyio.current_time()
        most = self.arm_budget.seconds
        given_s = said.agent_seconds if most is None else min(said.agent_seconds, max(most - self.spent.seconds, 1.0))
        task = Task(id=self.declared_terms.name, instruction=prompt, workspace=given, timeout_s=given_s)
        run = Run(task=task, seed=self.seed("attempt", n))
        void, left = "", given
        try:
            if not isinstance(actor, NeedsSandbox):
                agent_box = self.open_box(given)
            else:
                needs = actor.needs
                egress = Egress(allow=needs.allow, log=lambda _: None) if needs.allow else None
                agent_box = self.open_box(given, layout=needs.layout, limits=needs.limits, egress=egress)
            async with agent_box as box:
                with anyio.move_on_after(given_s) as deadline:
                    void = await _let_agent_work(actor, run, box)
                run.stop = "limit: seconds" if deadline.cancelled_caught else run.stop
                left = await box.snapshot()
        except SandboxUnavailableError:
            raise
        except SandboxError as error:
            void = f"{type(error).__name__}: {error}"[:500]
        frozen = self.target.frozen_candidate(given, given if void else left)
        if not frozen.fits:
            run.stop = "its change is too large to be kept"
        path = self.folder / ATTEMPTS / f"{self.arm}-{n}.json"
        write_file(path, encode(run.trajectory()), folders=True)
        return Proposed(
            arm=self.arm,
            n=n,
            parent=parent,
            agent=who if len(self.actors) > 1 else "",
            id=frozen.id if frozen.fits else parent,
            edit=frozen.edit if frozen.fits else before,
            tampered=frozen.tampered,
            stray=frozen.stray[:20],
            stop=run.stop[:500],
            void=void,
            usage=run.usage,
            truth=run.truth,
            seconds=round(anyio.current_time() - clock, 4),
            said=_last_words(run),
        )

    async def keep(self, tried: Proposed, best: str) -> bool:
        """Decide whether an attempt takes the place of the best."""
        if (done := self.state.decided.get((self.arm, tried.n))) is None:
            if trouble := self.idle(tried, best):
                status, why = trouble
                done = Decided(arm=self.arm, n=tried.n, id=tried.id, kept=False, why=why, status=status)
            else:
                done = await decide_attempt(self, tried.n, tried.id, best)
            self.record_decision(done)
        return done.kept

    async def score(self, tried: Proposed, looks: int) -> float | None:
        """Mean of an attempt over some evaluations, on seeds that all attempts share; None where one has no number."""
        if (done := self.state.decided.get((self.arm, tried.n))) is None:
            if trouble := self.idle(tried):
                return self.drop(tried, *trouble).score
            score, status, why = await self.look(tried.id, looks)
            done = self.drop(tried, status, why or "one of many, none told of the others", score)
        return done.score

    async def look(self, candidate: str, looks: int) -> tuple[float | None, str, str]:
        """Mean of a candidate over some evaluations, on seeds that all share; or None, the status, and why."""
        values: list[float] = []
        for at in range(looks):
            found = await self.evaluate(candidate, self.seed("score", at), f"score {at}")
            if found.value is None:
                return None, found.status, f"{found.status}: {public_words(self, found)}"
            values.append(found.value)
        return mean(values), "ok", ""

    def drop(self, tried: Proposed, status: str, why: str, score: float | None = None) -> Decided:
        """Decide that an attempt is not kept, if nothing is decided yet."""
        if (done := self.state.decided.get((self.arm, tried.n))) is None:
            done = Decided(arm=self.arm, n=tried.n, id=tried.id, kept=False, why=why, status=status, score=score)
            self.record_decision(done)
        return done

    def idle(self, tried: Proposed, best: str = "") -> tuple[str, str] | None:
        """Why an attempt need not be measured: the status, and in words."""
        if tried.void:
            return "void", tried.void
        if tried.id in {best, BASELINE}:
            return "same", "it changes nothing"
        first = self.state.first[self.arm, tried.id]
        if first < tried.n:
            return "same", f"it is the same as attempt {first}"
        return None

    def seal(self, best: str, why: str) -> None:
        """Say that this arm has ended."""
        if self.arm not in self.state.sealed:
            self._journal.write(Sealed(arm=self.arm, best=best, why=why))

    def recent_decisions(self, most: int) -> list[Decided]:
        """The decisions on the last attempts of this arm before the one to come."""
        numbers = range(max(1, self._next - most), self._next)
        return [self.state.decided[self.arm, n] for n in numbers if (self.arm, n) in self.state.decided]


async def _let_agent_work(actor: Actor, run: Run, box: Sandbox) -> str:
    """Lets the agent work; why nothing can be said of it, where its model did not answer or it was not set up."""
    try:
        await actor(run, box)
    except SandboxUnavailableError:
        raise
    except BudgetError as error:
        run.stop = f"limit: {error}"
    except BaseException as error:
        if not is_own_doing(error):  # an agent is somebody else's program: it may raise anything, to exit too
            raise
        run.stop = f"{type(error).__name__}: {error}"[:500]
        if isinstance(error, HonestlyError) and not isinstance(error, SandboxError):
            return run.stop
    return ""


def _last_words(run: Run) -> str:
    """The agent's last message, in a message or through its tool `finish`."""
    for step in reversed(run.steps):
        ended = [str(call.argument("summary") or "") for call in step.calls]
        if step.source == "agent" and (said := "\n".join(filter(None, [step.message, *ended]))):
            return said[-_WORDS:]
    return ""
