"""The physics recipe: formulas and answers; and, in an environment with MuJoCo, an engine that agrees, and a filter that filters."""

import json
import math
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from honestly.errors import HonestlyError
from honestly.recipes._physics import FAMILIES, Question, formula_holds, formula_value, is_close, training_rows
from peers import released, run_peer

SCENE = {"m1": 2.0, "m2": 3.0, "angle": 30.0}


def test_a_formula_is_numbers_names_and_functions_and_nothing_else():
    assert formula_value("m2 - m1 * sin(0.5) ** 2", SCENE) == pytest.approx(3 - 2 * math.sin(0.5) ** 2)
    assert formula_value("abs(-g)", {}) == 9.81
    for bad in ("m3", "__import__('os')", "m1.real", "(lambda: 1)()", "2 ** 10 ** 10", "1 / 0", "(", "sqrt(-1)", "'a'", "max(1, 2)",
                "9" * 400, "(" * 400 + "1" + ")" * 400):  # fmt: skip
        with pytest.raises(HonestlyError, match=r"not a formula|no value"):
            formula_value(bad, SCENE)


def test_formulas_are_judged_by_what_they_give_on_scenes():
    family, scenes = FAMILIES["pulley"], [SCENE, {"m1": 1.0, "m2": 4.0, "angle": 45.0}]
    assert formula_holds("g * abs(m2 - m1 * sin(angle * 3.14159265 / 180)) / (2 * (m1 + m2))", family, scenes)
    assert not formula_holds("g * abs(m2 - m1) / (2 * (m1 + m2))", family, scenes)
    assert not formula_holds("import os", family, scenes)


def test_an_answer_earns_within_five_percent_its_sign_ignored():
    assert is_close(1.04, 1.0)
    assert is_close(-1.04, 1.0)
    assert not is_close(1.06, 1.0)
    assert not is_close(math.nan, 1.0)
    assert is_close(0.009, 0.001)  # small ones within 0.01, as in the paper


def test_rows_ask_for_a_number_a_formula_and_a_given():
    rows = list(training_rows([Question("pulley", SCENE, 1.962, shortcut=False)]))
    truths = {row["extra_info"]["kind"]: row["reward_model"]["ground_truth"] for row in rows}
    assert truths == {"numeric": "1.962", "symbolic": FAMILIES["pulley"].formula, "reverse": "30"}
    asked = {row["extra_info"]["kind"]: row["prompt"][0]["content"] for row in rows}
    assert "1.962" not in asked["numeric"]
    assert "an unknown angle" in asked["reverse"]
    assert json.loads(rows[0]["extra_info"]["givens"]) == SCENE


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
