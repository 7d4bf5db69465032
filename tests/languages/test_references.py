"""Every solution in every language that is here passes, and every listed mistake fails; a minute for each language."""

import json
from pathlib import Path

import anyio
import pytest

from honestly.languages import TOOLCHAINS, ProgramRun, failure_of, find_toolchain, load_puzzles, open_bench
from honestly.tasks import sampled_mutants
from honestly.tasks.mutants._mutants import _of_file, python_changes
from languages.programs import TREE, planted, solution, wrong_twins

pytestmark = pytest.mark.slow

PUZZLES = load_puzzles()


def stages(language, programs, cpu_s=30):
    """How far each program of a puzzle comes."""

    async def all_of_them():
        async with open_bench(found, cpu_s=cpu_s) as bench:
            return [(puzzle, await bench.judge_program(PUZZLES[puzzle], code)) for puzzle, code in programs]

    found = find_toolchain(language)
    if found is None:
        pytest.skip(f"no toolchain for {language} here: {TOOLCHAINS[language].install}")
    return anyio.run(all_of_them)


@pytest.mark.parametrize("language", TOOLCHAINS)
def test_solutions_pass(language):
    found = stages(language, [(puzzle, solution(language, puzzle)) for puzzle in PUZZLES])
    assert not [(puzzle, ran) for puzzle, ran in found if ran.stage != "passed"]


def test_second_solutions_pass():
    found = stages("python", [(puzzle, (TREE / puzzle / "second.py").read_text()) for puzzle in PUZZLES])
    assert not [(puzzle, ran) for puzzle, ran in found if ran.stage != "passed"]


def test_wrong_solutions_fail_cases_that_no_model_sees():
    programs = [(puzzle, code) for puzzle in PUZZLES for code in wrong_twins(puzzle).values()]
    assert len(programs) >= 60
    assert not [
        (puzzle, code)
        for (puzzle, code), (_, ran) in zip(programs, stages("python", programs), strict=True)
        if ran.stage == "passed"
    ]


@pytest.mark.parametrize("language", TOOLCHAINS)
def test_planted_errors_are_classed_as_they_were_when_the_rules_were_measured(language):
    """By these versions of toolchains or others: at most one of eighteen may come out otherwise."""
    recorded = json.loads((Path(__file__).parent / "recorded.json").read_text())
    expected = {
        row["place"]: failure_of(language, ProgramRun(row["stage"], row["output"]))
        for row in recorded
        if row["language"] == language
    }
    rows = planted(language)
    found = stages(language, [(row["puzzle"], row["code"]) for row in rows], cpu_s=2)
    kinds = {place: failure_of(language, ran) for place, (_, ran) in enumerate(found) if ran.stage != "passed"}
    assert sum(kinds.get(place) != kind for place, kind in expected.items()) <= 1


def test_cases_kill_nine_of_ten_mutants_of_the_python_solutions():
    drawn = []
    for puzzle in PUZZLES:
        source = (TREE / puzzle / "solutions" / "main.py").read_bytes()
        drawn += [
            (puzzle, each)
            for each in sampled_mutants(list(_of_file("main.py", source, python_changes, None)), 10, puzzle)
        ]
    found = stages("python", [(puzzle, each.source.decode()) for puzzle, each in drawn], cpu_s=4)
    survive = [
        (puzzle, each.after) for (puzzle, each), (_, ran) in zip(drawn, found, strict=True) if ran.stage == "passed"
    ]
    assert len(drawn) >= 190
    assert len(survive) / len(drawn) <= 0.1, survive
