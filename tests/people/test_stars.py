"""Stars: asked for by one key in a terminal, kept on this machine, and read by `honestly effect`."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from honestly.effect import sessions_of_table
from honestly.errors import FormatError
from honestly.people import keep_stars, stars_for


def test_a_session_has_the_mean_of_its_pieces_of_work(tmp_path: Path) -> None:
    path = tmp_path / "state" / "ratings.jsonl"
    for rating, day, user in (
        (5, "2026-01-01", "ada"),
        (2, "2026-01-01", "ada"),
        (4, "2026-01-02", "ada"),
        (1, "2026-01-01", "bo"),
    ):
        keep_stars(stars_for(rating, arm="m", folder=tmp_path, on="x" * 300, user=user, at=f"{day}T10:00:00"), path)
    assert {len(json.loads(line)["on"]) for line in path.read_text().splitlines()} == {200}
    assert path.stat().st_mode & 0o77 == 0
    sessions = sessions_of_table(path)
    assert sorted((each.user, each.rating) for each in sessions) == [("ada", 3.5), ("ada", 4.0), ("bo", 1.0)]
    assert all(each.features == {} for each in sessions)
    odd: list[Any] = [6, True, "4"]
    for rating in odd:
        with pytest.raises(FormatError, match="1 to 5"):
            stars_for(rating, arm="m", folder=tmp_path, on="")
    with pytest.raises(FormatError, match="not a time"):
        stars_for(4, arm="m", folder=tmp_path, on="", at="yesterday")


@pytest.mark.slow
@pytest.mark.parametrize(("key", "given"), [(b"4", 4), (b"\r", None), (b"x", None)])
def test_one_key_gives_stars_at_the_end_of_a_piece_of_work(tmp_path: Path, key: bytes, given: int | None) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(
        json.dumps({"calls": [{"name": "finish", "arguments": {"outcome": "done", "summary": "Fine."}}]}) + "\n"
    )
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("a\n")
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "honestly", "agent", "do", "Look.", "--in", work, "--model", f"script:{script}"]
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm", "COLUMNS": "100"}
    child = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
    os.close(slave)
    seen, asked, end = b"", False, time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            try:
                seen += os.read(master, 4096)
            except OSError:
                break
        if b"any other key skips" in seen and not asked:
            asked = True
            os.write(master, key)
    assert child.wait(timeout=30) == 0, seen.decode("utf-8", "replace")
    os.close(master)
    path = tmp_path / "state" / "honestly" / "ratings.jsonl"
    assert (json.loads(path.read_text().splitlines()[0])["rating"] if path.exists() else None) == given
