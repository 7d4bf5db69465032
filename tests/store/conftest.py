"""Records for the tests of the room."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from made_records import Make

if TYPE_CHECKING:
    from postgres_server import Server

NUMBERS = count()


@pytest.fixture
def make() -> Make:
    """The maker of records."""
    return Make()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One PostgreSQL for all tests of a file."""
    from postgres_server import running_server  # late: processes that tests start import this file, too

    with running_server() as server:
        yield server


@pytest.fixture
def address(server: Server, state: Path) -> str:
    """Where a study can be made."""
    return server.address(f"s{next(NUMBERS)}")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this machine keeps what waits for a database."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"
