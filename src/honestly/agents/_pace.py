"""When a loop that has ended is over: at once, or, under a matched budget, when that is used up.

A loop says each time how it has ended, and is told whether to go on. What it had then is kept: if the budget ends it in
the middle of something more, that is what is judged, with the claim that went with it. So going on can be used, and
costs nothing who was right before. Of a task that plays on a web site nothing is kept, since a site cannot be put back.

Tokens and dollars are spent by calls, so that two agents differ by less than their largest call; seconds by the clock.
A loop that spends nothing between two ends is over, too: it would never use up anything.
"""

import anyio
import anyio.lowlevel

from honestly.agents._finish import Ending
from honestly.agents._limits import AgentLimits, call_tokens
from honestly.agents._run import Run
from honestly.records import Step
from honestly.sandbox import Sandbox, paused_s

UNSAID = "ended without saying how"


class ContinueUntilBudget:
    """Called by a loop when it has ended; says whether it should continue."""

    def __init__(self, run: Run, box: Sandbox, limits: AgentLimits) -> None:
        self._run, self._box, self._limits = run, box, limits
        self._ended: tuple[str, bool | None] | None = None
        self._spent = self._matched_spending()

    async def __call__(self, ending: Ending | None) -> bool:
        """Notes how it has ended; whether it is to go on."""
        run = self._run
        run.stop = ending.outcome if ending else run.stop or UNSAID
        run.claimed = ending.outcome == "done" if ending else None
        if self._limits.match is None:
            return False
        await anyio.lowlevel.checkpoint()
        if ending is not None or self._ended is None:
            self._ended, run.kept = (run.stop, run.claimed), None  # if it is cut short here, the last is as it is now
            run.kept = None if run.site else await self._box.snapshot()
        before, self._spent = self._spent, self._matched_spending()
        return self._spent > before and not self._limits.limit_reached(run.steps)

    def settle(self) -> None:
        """Makes of a run that its matched budget has ended one that ended as it last did by itself."""
        run = self._run
        if self._ended is None or run.site or (run.limit and run.limit != self._limits.match):
            return
        was, (run.stop, run.claimed) = run.limit, self._ended
        if was:
            told = f"[The budget ({was}) is used up. What counts is how things were when it last ended: {run.stop}.]"
            run.steps.append(Step(source="system", message=told))
            run.limit = ""

    def _matched_spending(self) -> float:
        """The spending so far of the matched amount."""
        if self._limits.match == "seconds":
            return anyio.current_time() - paused_s(self._box)
        calls = [step for step in self._run.steps if step.model]
        return sum(step.usage.usd or 0.0 if self._limits.match == "usd" else call_tokens(step) for step in calls)
