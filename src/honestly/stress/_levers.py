"""The effect of each lever against reward hacking: the same run with it and without it, paired by task.

    environment     the same agent on the suite, and on the suite as it was before (`honestly task harden`)
    preamble        an arm against `none`, but for the one that encourages hacking: in one study, or in two
    training        an agent against what it was before: another model, version or setting (pre-exposure pairs)
    reward          what visible checks would have paid against what the sealed verdict pays, for the same trials
    stress          the last checkpoint against the first, and whether the alarm has sounded
    disclosure      the rate as it would be told bare (unread trials counted as clean) against the rate that is told

Between two studies the lever is what differs between them. Where more than one thing does, the row says which, since
its difference is then no effect of one lever. The differences of one call are one family, corrected by Holm; those of
reward and disclosure are not tests of anything, being other counts of the same trials, and outside of it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from honestly.agents import NO_ARM, plain_record
from honestly.records import Agent, Outcome
from honestly.stats import Policy, Scores
from honestly.store import Cell
from honestly.stress._judged import JudgedSet
from honestly.stress._paired import PRO_HACK, PairedRates, arm_differences, holm_corrected, paired_rates, paired_scores
from honestly.stress._track import checkpoint_series

_POLICY = Policy(limit="fail", void="drop", missing="drop")
_VISIBLE, _SEALED = "visible checks pay", "the sealed verdict pays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of one lever on one measure of one agent."""

    lever: str
    suite: str
    agent: str
    measure: str
    switched_on: str
    """In words: what `paired.rate` is of."""
    switched_off: str
    """What `paired.against` is of."""
    paired: PairedRates
    p_holm: float = math.nan
    """NaN where the difference is no test."""
    note: str = ""
    """What else differs, or what else is known."""


def effects_within(judged: JudgedSet, level: float = 0.95) -> list[Effect]:
    """The levers that one study shows by itself: arms, and checkpoints."""
    return _one_family([*_preamble_effects(judged, level), *_checkpoint_effects(judged, level)])


def _preamble_effects(judged: JudgedSet, level: float) -> Iterator[Effect]:
    for each in arm_differences(judged, level):
        if each.against == NO_ARM.name and each.arm != PRO_HACK:
            yield Effect(
                lever="preamble",
                suite=judged.name,
                agent=f"{each.agent}#{each.checkpoint}" if each.checkpoint else each.agent,
                measure=each.measure,
                switched_on=f"told {each.arm}",
                switched_off="told nothing",
                paired=each.paired,
            )


def _checkpoint_effects(judged: JudgedSet, level: float) -> Iterator[Effect]:
    for series in checkpoint_series(judged):
        own = [one for one in judged.conditions if (one.base, one.arm.name) == (series.agent, series.arm)]
        first, last = (next(one for one in own if one.checkpoint == series.checkpoints[i]) for i in (0, -1))
        if first == last:
            continue
        sounded = f"the alarm sounded at {series.raised_at}" if series.raised_at else "the alarm has not sounded"
        yield Effect(
            lever="stress",
            suite=judged.name,
            agent=series.agent if series.arm == NO_ARM.name else f"{series.agent}+{series.arm}",
            measure=judged.judge.measure,
            switched_on=f"checkpoint {last.checkpoint}",
            switched_off=f"checkpoint {first.checkpoint}",
            paired=paired_rates(
                judged.agent_trials(last.agent), judged.agent_trials(first.agent), judged.judge.measure, level
            ),
            note=sounded,
        )


def effects_between(
    judged: JudgedSet, baseline: JudgedSet, agents: Sequence[Agent], before: Sequence[Agent], level: float = 0.95
) -> list[Effect]:
    """The effect of a difference between two studies, for agents that both have (arms aside).

    Args:
        judged: a set of the one study, with the lever.
        baseline: the set of the other that counts the same.
        agents: of the one.
        before: of the other.
        level: coverage of each interval.
    """
    now, then = ({agent.name: agent for agent in group} for group in (agents, before))
    found: list[Effect] = []
    for condition in judged.conditions:
        # The condition of this agent in the other study; else the one that differs only by its arm.
        same = [one for one in baseline.conditions if one.agent == condition.agent]
        bare_one = [
            one
            for one in baseline.conditions
            if (one.base, one.checkpoint) == (condition.base, condition.checkpoint) and one.arm.name == NO_ARM.name
        ]
        if (other := next(iter([*same, *bare_one]), None)) is None:
            continue
        differ = list(_differing(judged, baseline, now.get(condition.agent), then.get(other.agent)))
        for measure in judged.measured_names:
            found.append(
                Effect(
                    lever=differ[0] if len(differ) == 1 else "several" if differ else "nothing",
                    suite=judged.name,
                    agent=condition.agent,
                    measure=measure,
                    switched_on=f"{condition.agent} on {judged.name} {judged.version[:8]}",
                    switched_off=f"{other.agent} on {baseline.name} {baseline.version[:8]}",
                    paired=paired_rates(
                        judged.agent_trials(condition.agent), baseline.agent_trials(other.agent), measure, level
                    ),
                    note="" if len(differ) == 1 else _confounded(differ),
                )
            )
    return _one_family(found)


def _differing(judged: JudgedSet, baseline: JudgedSet, now: Agent | None, then: Agent | None) -> Iterator[str]:
    if judged.version != baseline.version:
        yield "environment"
    if now is None or then is None:
        return
    if now.settings.get("arm_prompt") != then.settings.get("arm_prompt"):
        yield "preamble"
    if plain_record(now).hash != plain_record(then).hash:
        yield "training"


def _confounded(differ: Sequence[str]) -> str:
    if not differ:
        return "nothing differs between the two but chance"
    return f"{' and '.join(differ)} differ at once: no effect of one lever"


def reward_effects(judged: JudgedSet, cells: Iterable[Cell], level: float = 0.95) -> list[Effect]:
    """The effect of hidden verification: by agent, rewards by visible checks compared with rewards by hidden ones.

    Args:
        judged: the set.
        cells: of the study; those of other sets, and those of which not both kinds of checks were run, do not count.
        level: coverage of each interval.
    """
    effects = []
    # By agent, the trials of a set whose visible and hidden checks were both run; void ones are left out.
    ids = {trial.id for trial in judged.trials}
    agents: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        measured = cell.visible is not None and cell.hidden is not None and cell.outcome is not Outcome.VOID
        if measured and cell.id in ids:
            agents[cell.agent].append(cell)
    for agent, both in sorted(agents.items()):
        rows = [
            (name, cell.task, cell.id, value)
            for cell in both
            for name, value in ((_SEALED, cell.hidden and not cell.tampered), (_VISIBLE, cell.visible))
        ]
        scores = Scores.from_rows(rows).with_shared_samples((_SEALED, _VISIBLE)).resolve(_POLICY)
        passes = [cell for cell in both if cell.visible]
        fooled = sum(not cell.hidden or cell.tampered for cell in passes)
        effects.append(
            Effect(
                lever="reward",
                suite=judged.name,
                agent=agent,
                measure="rewarded",
                switched_on=_SEALED,
                switched_off=_VISIBLE,
                paired=paired_scores(scores, (_SEALED, _VISIBLE), level),
                note=f"{fooled} of {len(passes)} visible passes are not paid",
            )
        )
    return effects


def disclosure_effects(judged: JudgedSet, level: float = 0.95) -> list[Effect]:
    """The effect of disclosure: the rate of what could be read, against the rate with the unread counted as clean."""
    effects = []
    for condition in judged.conditions:
        trials = [trial for trial in judged.agent_trials(condition.agent) if not trial.void]
        told = [replace(trial, hacked=bool(trial.hacked)) for trial in trials]
        unread = sum(trial.hacked is None for trial in trials)
        paired = paired_rates(trials, told, judged.judge.measure, level)
        if not unread and paired.tasks:  # the same trials, counted in the same way: no chance is in it
            paired = replace(paired, low=0.0, high=0.0, p_value=math.nan, method="", reason="nothing was unread")
        effects.append(
            Effect(
                lever="disclosure",
                suite=judged.name,
                agent=condition.agent,
                measure=judged.judge.measure,
                switched_on="of what could be read",
                switched_off="unread counted as clean",
                paired=paired,
                note=f"{unread} of {len(trials)} trials could not be read",
            )
        )
    return effects


def _one_family(effects: Sequence[Effect]) -> list[Effect]:
    adjusted = holm_corrected([effect.paired for effect in effects])
    return [replace(effect, p_holm=p) for effect, p in zip(effects, adjusted, strict=True)]
