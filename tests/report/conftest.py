import pytest
from report_studies import demo, terminal_bench

from honestly.store import open_study
from made_once import made_once


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """The real trials of nine agents; only read by tests."""
    return open_study(made_once(tmp_path_factory, "tb", lambda path: terminal_bench(path).close()))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Made-up agents, two honest and two that cheat; only read by tests."""
    return open_study(made_once(tmp_path_factory, "demo", lambda path: demo(path).close()))
