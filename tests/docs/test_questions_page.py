"""The page of questions: each answer fits twelve lines, and is what the command prints."""

import re
import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "questions.py"


def test_each_of_twelve_answers_has_at_most_twelve_lines():
    page = SCRIPT.with_suffix(".md").read_text("utf-8")
    answers = [part.split("\n\n", 2)[1:] for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]]
    lines = [("\n\n".join(each).strip("\n")).splitlines()[1:] for each in answers]
    assert len(lines) == 12
    assert [len(each) for each in lines if not 3 <= len(each) <= 12] == []


@pytest.mark.slow
def test_the_page_says_what_the_commands_print():
    assert runpy.run_path(str(SCRIPT))["page"]() == SCRIPT.with_suffix(".md").read_text("utf-8"), (
        "run: python docs/questions.py"
    )


@pytest.mark.slow
def test_each_answer_has_at_most_twelve_lines_in_a_narrow_terminal():
    made = runpy.run_path(str(SCRIPT))
    made["answers"].__globals__["COLUMNS"] = "80"
    lines = {question: len(answer.splitlines()) for question, answer in made["answers"]().items()}
    assert max(lines.values()) <= 12, lines
