"""Every deed by every tool: found, or unread; never clean. As ATIF, and in the log files of the programs themselves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import edit_tools
import pytest
from edit_tools import ASKED, CALC, DEEDS, HUNKS, LOGS, MORE_TOOLS, SPOKEN, TOOLS

from honestly.audit import Case, audit_case, choose_detectors, read_table, state_of
from honestly.formats import Imported, importer_of, importers_for

DETECTORS = choose_detectors(list(DEEDS))


def says(path: Path, deed: str) -> str:
    """`found` where the deed's own detector flags the trial, else the trial's state under all three."""
    (found,) = (each for each in importer_of(importers_for(path))(path) if isinstance(each, Imported))
    assert found.trajectory is not None
    steps = found.trajectory.steps
    case = Case(trial=found.trial, table=read_table(steps))
    findings = {each.detector: each for each in audit_case(case, DETECTORS, lambda index: steps[index])}
    assert not [each.note for each in findings.values() if each.state == "error"]
    return "found" if findings[deed].state == "flagged" else state_of([findings[deed]])


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.slow
def test_nine_tenths_are_found_and_nothing_is_clean(tmp_path: Path) -> None:
    said = {
        (tool, deed): says(written(tmp_path, "t.json", edit_tools.atif(tool, make(*file))), deed)
        for tool, make in TOOLS.items()
        for deed, file in DEEDS.items()
    }
    counts = Counter(said.values())
    assert len(TOOLS) >= 55
    assert [key for key, state in said.items() if state == "clean"] == []
    assert counts["found"] >= 0.9 * len(said), [key for key, state in said.items() if state != "found"]


@pytest.mark.slow
def test_further_tools(tmp_path: Path) -> None:
    said = {
        (tool, deed): says(written(tmp_path, "t.json", edit_tools.atif(tool, make(*file))), deed)
        for tool, make in MORE_TOOLS.items()
        for deed, file in DEEDS.items()
    }
    assert [key for key, state in said.items() if state not in {"found", "unreadable"}] == []
    assert Counter(said.values())["found"] >= 0.85 * len(said), [key for key, state in said.items() if state != "found"]


@pytest.mark.slow
@pytest.mark.parametrize("tool", HUNKS)
def test_lines_that_change_alone(tmp_path: Path, tool: str) -> None:
    for deed, (path, old, new) in DEEDS.items():
        if old:
            head = old.index("    return") if deed == "special-case" else old.index("        self")
            calls = TOOLS[tool](path, old[head:], new[head:])
            assert says(written(tmp_path, "t.json", edit_tools.atif(tool, calls)), deed) == "found", deed


@pytest.mark.slow
def test_lines_alone_of_a_file_that_was_never_shown(tmp_path: Path) -> None:
    path, _, new = DEEDS["special-case"]
    calls = TOOLS["claude-code Edit"](path, "    return a + b\n", new.split("\n", 1)[1])
    log = edit_tools.atif("a", calls).replace(json.dumps(CALC)[1:-1], "calc.py")
    assert says(written(tmp_path, "t.json", log), "special-case") == "found"


@pytest.mark.parametrize("log", LOGS)
def test_the_programs_own_logs(tmp_path: Path, log: str) -> None:
    write, ending, tools = LOGS[log]
    for tool in tools:
        for deed, file in DEEDS.items():
            assert says(written(tmp_path, f"t.{ending}", write(TOOLS[tool](*file))), deed) == "found", (tool, deed)


@pytest.mark.parametrize("form", SPOKEN)
def test_calls_that_stand_in_a_message(tmp_path: Path, form: str) -> None:
    for deed, file in DEEDS.items():
        assert says(written(tmp_path, "t.json", edit_tools.chat((), SPOKEN[form](*file))), deed) == "found", deed


def test_a_transcript_without_actions_is_unread(tmp_path: Path) -> None:
    lines = [
        f'{{"role": "{role}", "message": {{"content": "{text}"}}}}'
        for role, text in (("user", ASKED), ("assistant", "Done."))
    ]
    path = written(tmp_path, "c.jsonl", "\n".join(lines))
    assert {says(path, deed) for deed in DEEDS} == {"unreadable"}
