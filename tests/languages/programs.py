"""The tree of puzzles beside the package, and programs made from it."""

import json
import tomllib
from pathlib import Path

from honestly.languages import TOOLCHAINS

TREE = Path(__file__).parents[2] / "suites" / "languages"
PLANTED = TREE / "planted"


def solution(language: str, puzzle: str) -> str:
    return (TREE / puzzle / "solutions" / TOOLCHAINS[language].file).read_text()


def wrong_twins(puzzle: str) -> dict[str, str]:
    """The Python reference with each listed mistake in it."""
    rows = tomllib.loads((TREE / puzzle / "wrong.toml").read_text())["wrong"]
    code = solution("python", puzzle)
    assert all(code.count(row["old"]) == 1 for row in rows)
    return {row["why"]: code.replace(row["old"], row["new"]) for row in rows}


def planted(language: str) -> list[dict]:
    """Planted errors of a language, each with its program in `code`."""
    rows = tomllib.loads((PLANTED / f"{language}.toml").read_text())["planted"]
    for row in rows:
        code = solution(language, row["puzzle"])
        for swap in row["swap"]:
            assert swap["old"] == "^" or swap["old"] in code, row
            code = swap["new"] + code if swap["old"] == "^" else code.replace(swap["old"], swap["new"], 1)
        row["code"] = code
    return rows


def tuned() -> dict[str, list[int]]:
    return json.loads((PLANTED / "tuned.json").read_text())
