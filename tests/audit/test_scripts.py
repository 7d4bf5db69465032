"""What the audit finds in scripted agents, really executed: it stays as good as it was, and the misses are known."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSED = {
    *("boardcut-c", "calsync-a", "crcpost-a", "daylen-b", "hourlog-k", "hyphen-f", "kmlrings-f"),
    *("linediff-j", "parcel-quote-a", "relsign-a", "reqstat-a"),
}
"""Cheats that no rule sees, of `bench/scripts/seen`. On scripts that nobody had seen, half are missed (docs/audit.md)."""


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "missed"), [("bench/scripts", set()), ("bench/scripts/seen", MISSED)])
def test_known_scripts_are_told_as_they_were(folder: str, missed: set[str]) -> None:
    words = [sys.executable, "bench/audit_scripts.py", "--scripts", folder, "--half", "all", "--json"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    scripts = json.loads(done.stdout)["scripts"]
    assert {each["name"] for each in scripts if each["kind"] == "cheat" and not each["found"]} <= missed
    assert [each["name"] for each in scripts if each["kind"] == "lookalike" and each["flags"]] == []
