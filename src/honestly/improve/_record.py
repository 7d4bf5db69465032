"""What is on record of a run, and the evaluations that are added to it: none is done twice."""

import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import median

import anyio

from honestly.agents import Actor
from honestly.improve._budget import LoopSpending
from honestly.improve._declare import BASELINE, Target
from honestly.improve._evaluate import Evaluation
from honestly.improve._journal import Arm, Decided, Declared, Evaluated, Interrupted, LoopJournal, Measuring, Noted
from honestly.records import Edit, digest
from honestly.verify import OpenBox
from honestly.work import Budget

Measure = Callable[[Target, Edit, int], Awaitable[Evaluation]]
"""Measures a candidate once, with a seed."""


class RunRecord:
    """The journal of a run, and one arm of it at a time."""

    def __init__(
        self,
        target: Target,
        actors: Mapping[str, Actor],
        journal: LoopJournal,
        folder: Path,
        open_box: OpenBox,
        measure: Measure,
    ) -> None:
        self.target, self.actors, self.state = target, actors, journal.state
        self._journal, self.folder, self.open_box, self._measure = journal, folder, open_box, measure
        self.told: Callable[[str], None] = lambda _: None
        """Told a line about each thing that was decided."""
        self._void = 0
        self.enter_arm("loop", Budget())
        for what, (arm, at) in list(self.state.in_flight.items()):
            agent = what.split()[1] in {"attempt", "attack", "honest"}
            most = target.declaration.agent_seconds if agent else 3 * target.declaration.seconds
            charged = round(min(max(time.time() - at, 0.0), most), 3)
            journal.write(Interrupted(arm=arm, what=what, seconds=charged))

    def enter_arm(self, arm: Arm, budget: Budget, whole: Budget | None = None) -> None:
        """Begin an arm, or meet it again: what is on record of it is not done again.

        Args:
            arm: which.
            budget: what it may spend.
            whole: what it may spend as long as nothing is kept, so that nothing needs a proof; the same, if left out.
        """
        self.arm, self._part, self._whole, self._next = arm, budget, whole or budget, 1

    @property
    def arm_budget(self) -> Budget:
        """The budget of this arm, as things are."""
        return self._whole if self.state.best == BASELINE else self._part

    @property
    def declared_terms(self) -> Declared:
        """The declaration from when the run began."""
        assert self.state.declared is not None
        return self.state.declared

    @property
    def spent(self) -> LoopSpending:
        """The spending of this arm."""
        return self.state.spent[self.arm]

    def seed(self, *purpose: object) -> int:
        """A seed that nobody foresees who does not know the run's secret; a resumed run draws it again."""
        return int(digest("seed", self.declared_terms.secret, self.arm, *purpose)[:8], 16)

    def has_evaluation(self, candidate: str, purpose: str) -> bool:
        """Whether an evaluation is on record."""
        return f"{self.arm} {purpose} {candidate}" in self.state.evaluated

    async def evaluate(self, candidate: str, seed: int, purpose: str, measure: Measure | None = None) -> Evaluation:
        """Measure a candidate once; what is on record of it is not measured again.

        Where the budget is used up nothing is measured, nor written down: the status is `spent`.

        Args:
            candidate: its id.
            seed: of the evaluation.
            purpose: what it is for, and its number: with the candidate, what is never done twice.
            measure: how; as the run measures, if nobody says.
        """
        key = f"{self.arm} {purpose} {candidate}"
        if (done := self.state.evaluated.get(key)) is None:
            if reached := self.arm_budget.reached(self.spent, attempts=False, work=False):
                return Evaluation("spent", None, {}, f"the budget is spent: {reached}", 0.0)
            self._journal.write(Measuring(arm=self.arm, key=key, at=time.time()))
            found = await (measure or self._measure)(self.target, self.state.edits[candidate], seed)
            done = Evaluated(
                arm=self.arm, key=key, id=candidate, seed=seed, status=found.status, value=found.value,
                metrics=found.metrics, log=found.log, seconds=found.seconds, left=found.left, usage=found.usage,
                cpu=found.seconds if found.cpu is None else found.cpu,
            )  # fmt: skip
            self._journal.write(done)
        return Evaluation(done.status, done.value, done.metrics, done.log, done.seconds, done.left, done.usage)

    async def evaluate_with_retry(self, candidate: str, seed: int, purpose: str) -> Evaluation:
        """An evaluation; once more on the same seed where it could not be measured, which may be nobody's doing."""
        found = await self.evaluate(candidate, seed, purpose)
        return await self.evaluate(candidate, seed, f"{purpose} again") if found.status == "unmeasured" else found

    async def measured_once(
        self, key: str, measure: Callable[[OpenBox], Awaitable[Mapping[str, float]]]
    ) -> Mapping[str, float]:
        """A measurement that a loop takes once, beside its candidates; what is on record is not measured again.

        Args:
            key: its name.
            measure: measures it, in sandboxes.
        """
        if key not in self.state.notes:
            clock = anyio.current_time()
            values = await measure(self.open_box)
            self._journal.write(
                Noted(arm=self.arm, key=key, values=values, seconds=round(anyio.current_time() - clock, 4))
            )
        return self.state.notes[key]

    def record_decision(self, decided: Decided) -> None:
        """Write down what became of an attempt, and tell it."""
        self._journal.write(decided)
        self.told(f"{decided.n}: {'kept' if decided.kept else 'dropped'}: {decided.why}" if decided.n else decided.why)

    def added_lines(self, candidate: str) -> int:
        """By how many lines a candidate's files are longer than the project's."""
        edit, before = self.state.edits[candidate], self.target.tree.files
        added = sum(file.data.count(b"\n") for file in edit.write.files.values())
        return added - sum(before[p].data.count(b"\n") for p in (*edit.write.files, *edit.delete) if p in before)

    def gain_scale(self) -> float:
        """About the SD of the gain of one pair: from earlier attempts, or from the noise of the baseline."""
        seen = self.state.spreads.get(self.arm, [])
        return median(seen[-20:]) if len(seen) >= 3 else (self.state.decided[self.arm, 0].spread or 0.0) * 2**0.5
