"""What stands in a terminal: it fits, it is plain where nobody looks, and names cannot act."""

import io
import re

import pytest
from report_fakes import HOSTILE
from report_studies import demo, study
from rich.cells import cell_len
from rich.console import Console

from honestly.comparisons import comparison
from honestly.leaderboards import LeaderboardView, leaderboard
from sampled import sampled

WIDTHS = (60, 80, 100, 160)
STORABLE = tuple(name for name in HOSTILE if "\ud800" not in name)


def shown(view, width, *, terminal=False):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None).print(view)
    return out.getvalue()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return demo(tmp_path_factory.mktemp("hostile") / "demo.honestly", names=STORABLE, tasks=6, samples=2)


@pytest.mark.slow
@pytest.mark.parametrize("width", sampled(WIDTHS))
def test_lines_fit_and_all_agents_are_there(made, hostile, width):
    for source in (made, hostile):
        board = leaderboard(source)
        text = shown(LeaderboardView(board), width)
        assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
        table = [line for line in text.splitlines() if re.match(r" *\d+  ", line)]
        assert len(table) == len(board.agents)
        for line, row in zip(table, board.agents, strict=True):
            assert line.split()[0] == str(row.rank)
            assert f"{100 * row.honest + 1e-9:.1f}" in line


def test_without_a_terminal_the_text_is_plain(made):
    for view in (LeaderboardView(leaderboard(made)), comparison(made, "honest-good", "special-case")):
        assert "\x1b" not in shown(view, 100)
        assert "\x1b[1m" in shown(view, 100, terminal=True)


def test_hostile_names_neither_act_nor_vanish(hostile):
    text = shown(LeaderboardView(leaderboard(hostile)), 160)
    assert all(character.isprintable() or character == "\n" for character in text)
    for part in (
        "[bold red]markup[/bold red]",
        "<script>alert(1)</script>",
        "\\x1b[31m",
        "\\u202e",
        "(no name)",
        "{{ 7",
    ):
        assert part in text
    text = shown(comparison(hostile, "[bold red]markup", "line\nbreak\ttab"), 80)
    assert "[bold red]markup[/bold red]" in text
    assert "line\\x0abreak\\x09tab" in text


def test_the_page_ends_with_the_claim_and_states_policy_and_estimand(made):
    board = leaderboard(made)
    text = " ".join(shown(LeaderboardView(board), 100).split())
    assert text.endswith(board.sentence)
    assert "Policy: limit counts as failed; void counts as failed; missing is left out." in text
    assert "about new questions of this kind" in text
    assert "! Not every trial has a verdict" in text


def test_columns_that_find_no_room_are_named(made):
    narrow, wide = (" ".join(shown(LeaderboardView(leaderboard(made)), width).split()) for width in (80, 160))
    assert "Columns left out: rank, trials, impossible and cost (narrow terminal; see --json)" in narrow
    assert "lim/void/miss" in narrow
    assert "No room" not in wide
    assert all(title in wide for title in ("limit", "void", "missing", "rank", "impossible", "cost", "81% 117/144"))


@pytest.mark.slow
def test_bounds_are_shown_where_the_order_depends_on_them(bench, made):
    text = shown(LeaderboardView(leaderboard(bench)), 100)
    assert "Score (rank) if void and missing trials are" in text
    assert re.search(r"ob1-09-10-25 +56\.8 \(2\) +61\.2 \(1\) +66\.3 \(1\)", text)
    assert "Score (rank)" not in shown(LeaderboardView(leaderboard(made)), 100)


def test_an_empty_study_says_so(tmp_path):
    text = shown(LeaderboardView(leaderboard(study(tmp_path / "x", [], [], []))), 80)
    assert "The study has no agents." in text


@pytest.mark.published
@pytest.mark.parametrize("width", WIDTHS)
def test_a_comparison_is_one_screen_with_the_sentence_first(bench, width):
    report = comparison(bench, "droid_claude-4-1-opus", "ob1")
    text = shown(report, width)
    lines = text.splitlines()
    assert max(cell_len(line.rstrip()) for line in lines) <= width
    assert " ".join(text.split()).startswith(report.sentence)
    assert len(lines) <= (51 if width < 80 else 39)
    for part in ("A − B", "p-value", "clusters", "tasks that decide it", "80% power", "Policy:"):
        assert part in text
