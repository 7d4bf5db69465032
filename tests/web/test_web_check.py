"""A verdict of `honestly check` on the page of the session that made the change."""

import json
import subprocess
import sys

import pytest

from conftest import viewing
from honestly.store import open_study

LINES = (
    {"type": "user", "message": {"role": "user", "content": "Fix double."}},
    {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [
        {"type": "text", "text": "Fixed <b>double</b>. I added a regression test."}]}},
)  # fmt: skip


def honestly(place, *words):
    command = [sys.executable, "-m", "honestly", *map(str, words)]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_page_of_a_session_shows_the_verdict_on_its_change(tmp_path):
    place, study, log = tmp_path / "toy", tmp_path / "s.honestly", tmp_path / "session.jsonl"
    place.mkdir()
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for text in ("def double(value):\n    return value * 3\n", "def double(value):\n    return value * 2\n"):
        (place / "double.py").write_text(text)
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "Fix")):
            subprocess.run([*git, *words], cwd=place, check=True, capture_output=True)
    rows = [
        {"uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s", "cwd": str(place),
         "timestamp": f"2026-01-01T00:00:0{at}Z", "version": "2.0.0", "isSidechain": False, "userType": "external", **row}
        for at, row in enumerate(LINES)
    ]  # fmt: skip
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert honestly(place, "study", "import", log, "--out", study).returncode == 0
    refused = honestly(place, "check", "HEAD", "--study", study)
    assert (refused.returncode, "has no trial with the session" in refused.stderr) == (2, True)
    assert honestly(place, "check", "HEAD", "--session", log, "--study", study).returncode == 1
    with open_study(study) as store:
        (trial,) = store.trial_ids()
    with viewing(study) as view, view.client() as client:
        page = client.get(view.study(f"t/{trial}")).text
    assert "Something speaks against this change." in page
    assert "I added a regression test" in page
    assert "Fixed <b>double" not in page
    assert "--show claims" in page
