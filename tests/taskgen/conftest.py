"""Fixtures of the tests of making tasks."""

from pathlib import Path

import pytest
from histories import SHARES, TEST, History


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A repository with one commit, on a machine that has nothing installed and can install nothing."""
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    made = History(tmp_path / "shares")
    made.commit("Shares", {"shares.py": SHARES, "test_shares.py": TEST})
    return made
