"""The physics recipe: formulas and answers; and, in an environment with MuJoCo, an engine that agrees, and a filter that filters."""

import json
import math
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from honestly.recipes._physics import FAMILIES, is_close
from peers import released, run_peer


def test_answers_in_closed_form():
    scenes = {
        "pulley": {"m1": 2.0, "m2": 3.0, "angle": 30.0},
        "springs": {"k1": 12.0, "k2": 20.0, "m": 8.0},
        "wheel": {"m": 2.0, "disc": 4.0, "t": 0.5},
        "throw": {"v": 2.0, "angle": 45.0, "h": 0.0},
    }
    answers = {"pulley": 0.5 * 9.81 * 2 / 5, "springs": 0.2, "wheel": 9.81 / 4, "throw": 4 / 9.81}
    assert {name: FAMILIES[name].answer(scene) for name, scene in scenes.items()} == pytest.approx(answers)


def test_an_answer_earns_within_five_percent_its_sign_ignored():
    assert is_close(1.04, 1.0)
    assert is_close(-1.04, 1.0)
    assert not is_close(1.06, 1.0)
    assert not is_close(math.nan, 1.0)
    assert is_close(0.009, 0.001)  # small ones within 0.01, as in the paper


PROGRAM = """
import json, sys
from honestly.recipes._physics import FAMILIES, PHYSICS, drawn_questions, shortcut_parts
worst = {name: max(abs(each.answer / FAMILIES[name].answer(each.givens) - 1) for each in drawn_questions(name, 7, 30)) for name in FAMILIES}
light = {"m1": 0.01, "m2": 1.0, "angle": 30.0}
even = {"m1": 1.0, "m2": 1.0, "angle": 30.0}
cut = [shortcut_parts("pulley", each, FAMILIES["pulley"].answer(each)) for each in (light, even)]
ran = {arm: PHYSICS.run(arm, 3, True) for arm in PHYSICS.arms}
print(json.dumps({"worst": worst, "cut": cut, "counts": {arm: len(scores) for arm, (scores, _) in ran.items()}}))
"""


@pytest.mark.slow
def test_the_engine_agrees_with_closed_forms_and_shortcuts_are_filtered():
    python = Path(sys.executable) if find_spec("mujoco") else released("mujoco==3.3.4")
    said = json.loads(run_peer(python, PROGRAM, timeout=900).splitlines()[-1])
    assert max(said["worst"].values()) < 0.01
    assert said["cut"] == [["only weight"], []]
    assert len(set(said["counts"].values())) == 1
