"""The puzzles on disk: complete, packed, and no planted error without its class."""

import importlib.util
import tokenize
from collections import Counter
from difflib import SequenceMatcher
from io import StringIO
from zipfile import ZipFile

import pytest

from honestly.errors import TaskError
from honestly.languages import FAILURES, TOOLCHAINS, load_puzzles
from languages.programs import PLANTED, TREE, planted, solution, tuned, wrong_twins


def test_the_archive_is_what_the_tree_packs_to():
    spec = importlib.util.spec_from_file_location("pack", TREE.parent / "pack.py")
    pack = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pack)
    assert pack.PUZZLES_ARCHIVE.read_bytes() == pack.packed(TREE, pack.SHIPPED)
    with ZipFile(pack.PUZZLES_ARCHIVE) as archive:
        assert not [name for name in archive.namelist() if "solutions" in name or "wrong" in name]


def test_twenty_puzzles_with_hidden_cases_and_a_solution_in_every_language():
    puzzles = load_puzzles()
    assert len(puzzles) == 20
    assert puzzles == load_puzzles(TREE)
    for name, puzzle in puzzles.items():
        assert len(puzzle.cases) >= 6, name
        assert len(wrong_twins(name)) >= 3
        assert all(solution(language, name).strip() for language in TOOLCHAINS)
        assert (TREE / name / "second.py").read_text() != solution("python", name)


def test_what_a_model_is_asked_holds_the_example_and_no_hidden_case():
    for puzzle in load_puzzles().values():
        prompt = puzzle.puzzle_prompt(TOOLCHAINS["rust"])
        assert puzzle.cases[0][0] in prompt
        assert not [given for given, _ in puzzle.cases[1:] if len(given) > 8 and given in prompt]


def test_planted_errors_of_every_class_in_every_language_and_half_of_them_tuned_on():
    for language in TOOLCHAINS:
        rows = planted(language)
        counts = Counter(row["class"] for row in rows)
        assert set(counts) == set(FAILURES) - {"no-code", "other"}
        assert min(counts.values()) >= 3
        assert len(tuned()[language]) == len(rows) // 2
        assert len({row["code"] for row in rows}) == len(rows)
    assert {path.stem for path in PLANTED.glob("*.toml")} == set(TOOLCHAINS)


@pytest.mark.parametrize(
    ("cases", "message"),
    [("{}", "0 cases"), ("[1, 2]", "expected a list"), ('[{"input": "1", "output": "2"}]', "1 cases")],
)
def test_puzzles_that_are_none(tmp_path, cases, message):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "puzzle.md").write_text("Add.")
    (tmp_path / "mine" / "cases.json").write_text(cases)
    with pytest.raises(TaskError, match=message):
        load_puzzles(tmp_path)


def test_a_folder_without_puzzles(tmp_path):
    with pytest.raises(TaskError, match="contains no puzzles"):
        load_puzzles(tmp_path)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "puzzle.md").write_text("Add.")
    with pytest.raises(TaskError, match="cannot be read"):
        load_puzzles(tmp_path)


def tokens(code):
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    return [each.string for each in tokenize.generate_tokens(StringIO(code).readline) if each.type not in skipped]


@pytest.mark.parametrize("puzzle", load_puzzles())
def test_second_solutions_go_another_way(puzzle):
    one, other = tokens(solution("python", puzzle)), tokens((TREE / puzzle / "second.py").read_text())
    assert SequenceMatcher(None, one, other, autojunk=False).ratio() < 0.6
