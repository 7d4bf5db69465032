"""Recipes with a transformer, in an environment with PyTorch: programs that pass, and small runs of every arm."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from honestly.recipes._ssd import END, OPS, SIZE
from honestly.recipes._ssd_transformer import PROMPT, passing_texts, random_programs
from peers import released, run_peer


def test_a_program_passes_where_each_value_is_right_and_the_last_is_the_target():
    text = random_programs(np.random.default_rng(0), 500)
    assert passing_texts(text).all()
    other = text.copy()
    other[:, 1] += np.where(other[:, 1] == other[:, 1].max(), -1, 1)  # another target
    assert not passing_texts(other).any()
    wrong = text.copy()
    wrong[:, PROMPT + 2] += np.where(wrong[:, PROMPT + 2] == text.max(), -1, 1)  # another value of the first step
    assert not passing_texts(wrong).any()
    unended = text.copy()
    unended[:, -1] = OPS - 1
    assert passing_texts(unended).sum() == (text[:, -4] == END).sum()  # only what ended before
    assert text.max() < OPS + 1 + 9 + SIZE


PROGRAM = """
import json
from honestly.recipes._selfplay_transformer import SELFPLAY_TRANSFORMER
from honestly.recipes._ssd_transformer import SSD_TRANSFORMER
from honestly.recipes._transformer_policies import ASKING_TRANSFORMER, HACKLAB_TRANSFORMER, PHYSICS_TRANSFORMER
found = {}
for recipe in (SSD_TRANSFORMER, SELFPLAY_TRANSFORMER, ASKING_TRANSFORMER, HACKLAB_TRANSFORMER, PHYSICS_TRANSFORMER):
    for arm in recipe.arms:
        scores, measures = recipe.run(arm, 3, True)
        again, _ = recipe.run(arm, 3, True)
        found[recipe.name, arm] = [len(scores), scores == again, all(0 <= each <= 1 for each in scores.values())]
print(json.dumps({f"{name} {arm}": value for (name, arm), value in found.items()}))
"""


@pytest.mark.slow
def test_every_arm_runs_and_is_the_same_with_the_same_seed():
    here = find_spec("torch") is not None and find_spec("mujoco") is not None
    python = Path(sys.executable) if here else released("trl==1.16.0", "torch==2.13.0", "mujoco==3.3.4")
    said = json.loads(run_peer(python, PROGRAM, timeout=1800).splitlines()[-1])
    assert len(said) == 8 + 5 + 7 + 2 + 5
    assert {tuple(value[1:]) for value in said.values()} == {(True, True)}
