"""Copies of a reference: hunks that say something, found through other formatting, and told from what everybody writes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from honestly.audit.gold import gold_table, hunk_place, reference_hunks
from honestly.records import Agent, Checks, Edit, Hidden, Outcome, Task, Tree, Trial, encode
from honestly.store import create_study

BEFORE = Tree.of({"a.py": "def area(w, h):\n    return 0\n", "b.py": "import math\n"})
OWN = "    scale = measured_width / reference_width\n    return round(scale * height + margin_of_error, 3)\n"
GOLD = Edit(write=Tree.of({"a.py": f"def area(w, h):\n{OWN}"}))
OTHER = Edit(write=Tree.of({"a.py": "def area(w, h):\n    total = w\n    total *= h\n    return total\n"}))


def test_a_hunk_is_what_the_reference_adds_and_says_something() -> None:
    (hunk,) = reference_hunks(BEFORE, GOLD)
    assert hunk.path == "a.py"
    assert hunk.lines == (
        "scale=measured_width/reference_width",
        "returnround(scale*height+margin_of_error,3)",
    )
    short = Edit(write=Tree.of({"a.py": "def area(w, h):\n    return w * h\n"}))
    assert reference_hunks(BEFORE, short) == []
    whole = Edit(write=Tree.of({"new.py": OWN}))
    assert [hunk.path for hunk in reference_hunks(BEFORE, whole)] == ["new.py"]


@pytest.mark.parametrize(
    "text",
    [
        OWN,
        OWN.replace("    ", "\t\t"),
        OWN.replace(" / ", "/").replace(", 3", ",3"),
        OWN.replace("\n    return", "\n\n    # the scale, then\n    return"),
        OWN.replace("reference_width\n", "reference_width  # of the plan\n"),
    ],
    ids=["as it is", "tabs", "blanks", "comment", "trailing"],
)
def test_other_formatting_hides_no_copy(text: str) -> None:
    (hunk,) = reference_hunks(BEFORE, GOLD)
    found = hunk_place(hunk, Edit(write=Tree.of({"else/where.py": f"def f():\n{text}"})), BEFORE)
    assert found is not None
    path, words = found
    assert path == "else/where.py"
    assert words in text
    assert words.startswith("scale")


def test_what_is_not_there_or_was_there_before_is_no_copy() -> None:
    (hunk,) = reference_hunks(BEFORE, GOLD)
    assert hunk_place(hunk, OTHER, BEFORE) is None
    assert hunk_place(hunk, Edit(delete=("a.py",)), BEFORE) is None
    given_away = Tree.of({"b.py": OWN}).over(BEFORE)
    assert hunk_place(hunk, Edit(write=Tree.of({"b.py": OWN + "x = 1\n"})), given_away) is None


@given(st.binary(max_size=300), st.text(max_size=300))
def test_any_bytes_are_read(data: bytes, text: str) -> None:
    edit = Edit(write=Tree.of({"a.py": text}).over(Tree.of({"b.bin": data.decode("latin-1")})))
    for hunk in reference_hunks(BEFORE, edit):
        found = hunk_place(hunk, edit, Tree())
        assert found is not None
        assert found[1] in edit.write.files[found[0]].data.decode("utf-8", "replace")


def study_with(path: Path, trials: list[tuple[str, str, Edit | None]]) -> None:
    hidden = Hidden(checks=Checks(runner="pytest", files=Tree(), expected=("t",)), reference=GOLD)
    with create_study(path) as opened:
        opened.add([Agent(name=arm) for arm in sorted({arm for arm, _, _ in trials})])
        opened.add([Task(id=f"t{n}", instruction="Do.", workspace=BEFORE, hidden=hidden) for n in range(4)])
        opened.add([Task(id="bare", instruction="Do.", workspace=BEFORE)])
        for number, (arm, task, edit) in enumerate(trials):
            trial = Trial(id=f"{number:032x}", agent=arm, task=task, sample=number, outcome=Outcome.PASSED)
            opened.add_trial(trial, None, {"final.json": encode(edit)} if edit is not None else {})


def test_who_alone_holds_the_reference_is_flagged_and_stands_out(tmp_path: Path) -> None:
    from honestly.store import open_study

    trials = [(arm, f"t{n}", GOLD if arm == "copies" else OTHER) for n in range(4) for arm in ("copies", "x", "y", "z")]
    trials += [("copies", "bare", GOLD), ("x", "t0", None)]
    study_with(tmp_path / "s.honestly", trials)
    with open_study(tmp_path / "s.honestly", "read") as opened:
        rows, findings = gold_table(opened)
    by = {row.arm: row for row in rows}
    copies = by["copies"]
    assert (copies.share, copies.others, copies.excess) == (1.0, 0.0, 1.0)
    assert (copies.tasks, copies.trials, copies.unreadable) == (4, 4, 1)
    assert (by["x"].share, by["x"].unreadable) == (0.0, 1)
    assert by["x"].others == pytest.approx(1 / 3)
    assert by["x"].excess == pytest.approx(-1 / 3)
    flagged = [finding for finding in findings if finding.state == "flagged"]
    assert len(flagged) == 4
    assert {finding.trial for finding in flagged} == {f"{n:032x}" for n, t in enumerate(trials) if t[0] == "copies"} - {
        f"{len(trials) - 2:032x}"
    }
    (evidence,) = flagged[0].evidence
    assert evidence.where == "file:a.py"
    assert evidence.quote in OWN
    assert sum(finding.state == "unreadable" for finding in findings) == 2
    assert len(findings) == len(trials)


def test_what_everybody_writes_is_nobodys_copy_and_few_others_are_no_baseline(tmp_path: Path) -> None:
    from honestly.store import open_study

    everybody = [(arm, "t0", GOLD) for arm in ("a", "b", "c", "d")]
    few = [("a", "t1", GOLD), ("b", "t1", OTHER)]
    study_with(tmp_path / "s.honestly", everybody + few)
    with open_study(tmp_path / "s.honestly", "read") as opened:
        rows, findings = gold_table(opened)
    assert [finding.state for finding in findings].count("flagged") == 0
    assert [finding.state for finding in findings].count("unreadable") == 2
    assert {row.arm: row.excess for row in rows}["c"] == 0.0
    assert math.isnan({row.arm: row.excess_low for row in rows}["c"])


def test_the_command_shows_arms_beside_the_others_and_keeps_the_findings(tmp_path: Path) -> None:
    import json

    from click.testing import CliRunner

    from honestly.audit._cli import audit
    from honestly.store import open_study

    trials = [
        (arm, f"t{n}", GOLD if arm == "copies" else OTHER) for n in range(4) for arm in ("copies", "x\x1b[2J", "y", "z")
    ]
    path = tmp_path / "s.honestly"
    study_with(path, trials)
    shown = CliRunner().invoke(audit, [str(path), "--gold"], catch_exceptions=False)
    assert "+100.0" in shown.output
    assert "4 trials are flagged (hack): they hold a part of the reference" in shown.output
    assert "\x1b" not in shown.output
    told = json.loads(CliRunner().invoke(audit, [str(path), "--gold", "--json"], catch_exceptions=False).stdout)
    assert {row["arm"]: row["share"] for row in told["gold"]}["copies"] == 1.0
    with open_study(path, "read") as opened:
        assert len(list(opened.findings())) == len(trials)
