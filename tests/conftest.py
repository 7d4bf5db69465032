"""What `make test` leaves to `make test-all`: files of slow tests alone, and nine examples of ten that hypothesis tries."""

import re
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Neither a slow example nor a slow start says anything about the code: machines are busy.
hypothesis.settings.register_profile(
    "all", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.register_profile("quick", hypothesis.settings.get_profile("all"))
hypothesis.settings.load_profile("all")
_cut: set[object] = set()
_DATA = Path(__file__).parents[2] / "shared" / "data"
_ALL_SLOW = re.compile(r"^pytestmark = (\[[^\]]*)?pytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves a file unread where none of its tests would run: every process pays for what it imports."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return True if _ALL_SLOW.search(collection_path.read_text("utf-8")) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out tests of published files where those are not; `pytest_terminal_summary` says so in one line."""
    if not _DATA.is_dir():
        left_out = [item for item in items if item.get_closest_marker("published")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _DATA.is_dir():
        terminalreporter.line("tests of published files (-m published) were left out: they need ../shared/data")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Cuts the examples of a test, those that it asks for itself too, which a profile cannot."""
    test = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    if hypothesis.settings.get_current_profile_name() != "quick" or not hypothesis.is_hypothesis_test(test):
        return
    if test not in _cut:  # one function is many tests where it has parameters
        _cut.add(test)
        # Where `@settings` puts them: hypothesis has no public way to them.
        asked = test._hypothesis_internal_use_settings
        fewer = hypothesis.settings(asked, max_examples=-(-asked.max_examples // 10))
        test._hypothesis_internal_use_settings = fewer


@pytest.fixture(autouse=True, scope="session")
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A place for what users say once, and for locks between programs; the user's own is left alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture
def own_key(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the key that results are sealed with, made when it is first used; the user's own is left alone."""
    home = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    return home / "honestly" / "key"
