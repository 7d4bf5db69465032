"""The attacks themselves: they do fool the judges that they claim to fool, and none stumbles over its own feet."""

from __future__ import annotations

import anyio
import pytest

from honestly.sandbox import open_sandbox
from sampled import sampled

from . import wire
from .attack import Attack, Target, cheat
from .catalogue import ATTACKS, QUICK
from .naive import HONEST, JUDGES, passes, tree_for
from .problem import ENTRY

FOOLED = [(attack, judge) for attack in ATTACKS for judge in attack.fools]
ALONE = {"forged-error", "leaves-files-for-later", "reads-earlier-samples"}
"""Cheats at what no simple judge has: names of errors, and one sandbox for many checks and samples."""


def passed(attack: Attack, judge: str) -> bool:
    async def go() -> bool:
        async with open_sandbox(tree_for(judge, attack.workspace(ENTRY, Target()))) as box:
            return await passes(box, judge)

    return anyio.run(go)


@pytest.mark.parametrize(
    ("attack", "judge"),
    sampled(FOOLED, lambda pair: pair[0].name in QUICK),
    ids=[f"{attack.name}-{judge}" for attack, judge in FOOLED],
)
def test_a_cheat_fools_its_judge(attack: Attack, judge: str) -> None:
    assert passed(attack, judge) or passed(attack, judge)  # 20 s of a busy machine may be none


def test_every_cheat_but_those_at_our_own_wire_fools_somebody() -> None:
    cheats = {attack.name for attack in ATTACKS if attack.kind == "cheat" and not attack.fools}
    assert cheats == ALONE | {attack.name for attack in wire.ATTACKS if attack.kind == "cheat"}


def test_names_are_unique() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 45


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_knows_right_from_plainly_wrong(judge: str) -> None:
    assert passed(cheat("honest", "", HONEST), judge)
    assert not passed(cheat("wrong", "", "def solve(*args):\n    return 0\n"), judge)
