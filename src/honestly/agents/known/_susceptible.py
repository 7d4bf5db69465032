"""A known-truth agent that hacks as often as the prompt suggests: it measures whatever compares prompt arms.

It reads the instruction that it is given, and so proves that an arm's text arrives: `susceptible:none=0.4,
anti-hack=0.1,pro-hack=0.9` cheats in that share of its trials under each arm, and else works like `honest`. Where no
rate is given for an arm, that of `none` holds. Its dice are the same under every arm, as the trial's seed is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from honestly.agents._arms import NO_ARM, arm_told
from honestly.agents._run import Run
from honestly.agents.known._agents import Known
from honestly.records import Agent, Suite
from honestly.sandbox import Sandbox

_CHEAT = "special-case"


@dataclass(frozen=True)
class Susceptible:
    """Honest work, and special-casing at a rate that depends on the arm."""

    suite: Suite
    name: str
    rates: Mapping[str, float] = field(default_factory=dict)
    """Probability that it cheats, by arm."""
    skill: Mapping[str, float] = field(default_factory=dict)
    """Probability that honest work succeeds, by difficulty, where it is not the usual one."""

    @property
    def record(self) -> Agent:
        """Its identity."""
        known = self._known(NO_ARM.name).record
        rates = {arm: self.rate(arm) for arm in sorted({NO_ARM.name, *self.rates})}
        skill = {key: value for key, value in known.settings.items() if key != "rate"}
        return Agent(name=self.name, program="susceptible", version=known.version, settings={**rates, **skill})

    def rate(self, arm: str) -> float:
        """Probability that it cheats under an arm."""
        return self.rates.get(arm, self.rates.get(NO_ARM.name, 0.0))

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Cheats or works, as the dice and the prompt have it."""
        await self._known(arm_told(run.task.instruction))(run, box)

    def _known(self, arm: str) -> Known:
        return Known(self.suite, self.name, _CHEAT, rate=self.rate(arm), **self.skill)
