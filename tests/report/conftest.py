import pytest
from report_studies import demo, terminal_bench


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """The real trials of nine agents; only read by tests."""
    return terminal_bench(tmp_path_factory.mktemp("bench") / "tb.honestly")


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Made-up agents, two honest and two that cheat; only read by tests."""
    return demo(tmp_path_factory.mktemp("made") / "demo.honestly")
