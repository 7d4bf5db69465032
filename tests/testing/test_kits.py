"""What is built in passes the kits that strangers run, and each kit says no to what breaks its contract.

Who acts (agents, models, tools) is in test_kits_acting.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1] / "tasks"))
sys.path.insert(0, str(Path(__file__).parents[1] / "formats"))

from foreign_suites import EXERCISM, HARBOR, QUIXBUGS, SWEBENCH, TERMINAL_BENCH, write
from problem_files import ALL
from seeds import WRITERS

from honestly.agents import Nop
from honestly.audit import DETECTORS, Detector, Suspicion
from honestly.formats import EXPORTERS, IMPORTERS, PROBLEMS
from honestly.models import Message
from honestly.tasks import LAYOUTS
from honestly.testing import (
    case_of_commands,
    check_agent,
    check_detector,
    check_exporter,
    check_importer,
    check_layout,
    check_model,
    check_problems,
    check_sandbox,
    check_tool,
)
from honestly.tools import tool

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
SUITES = {
    "exercism": EXERCISM,
    "harbor": HARBOR,
    "quixbugs": QUIXBUGS,
    "swe-bench": SWEBENCH,
    "terminal-bench": TERMINAL_BENCH,
}


@pytest.mark.parametrize("detector", DETECTORS, ids=lambda detector: detector.name)
def test_detectors(detector: Detector) -> None:
    check_detector(detector)


@pytest.mark.parametrize("name", EXPORTERS.known_names())
def test_exporters(name: str) -> None:
    check_exporter(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in IMPORTERS.known_names() if name != "no-results"])
def test_importers(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path)
    assert check_importer(name, tmp_path) >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("atif", "formats/harbor/jobs/GPT-5.5/sample1"),
        ("terminal-bench", "terminal-bench/terminal-bench-core@0.1.1/20250825_swe-agent-mini_claude-4-sonnet"),
    ],
)
def test_importers_on_what_was_published(name: str, folder: str) -> None:
    assert check_importer(name, published(folder)) > 8


@pytest.mark.parametrize("name", LAYOUTS.known_names())
def test_layouts(name: str, tmp_path: Path) -> None:
    check_layout(name, write(tmp_path / "suite", SUITES[name]))


@pytest.mark.published
def test_layout_of_published_harbor_tasks() -> None:
    assert len(check_layout("harbor", published("formats/harbor/tasks")).tasks) > 1


@pytest.mark.parametrize("name", PROBLEMS.known_names())
def test_formats_of_problems(name: str, tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ALL[name]))
    check_problems(name, path)


@pytest.mark.published
def test_published_problems() -> None:
    assert len(check_problems("humaneval", published("humaneval/HumanEval.jsonl.gz")).tasks) == 164


def published(place: str) -> Path:
    """Somebody's files, which lie beside the checkout."""
    if not (SHARED / place).exists():
        pytest.skip(f"needs {place} in ../shared/data, beside the checkout")
    return SHARED / place


@pytest.mark.parametrize("provider", ["namespaces", "none"])
def test_sandboxes(provider: str) -> None:
    check_sandbox(provider)


class Changing(Nop):
    """An agent whose identity changes with every look."""

    @property
    def record(self):
        looks.append(1)
        return replace(super().record, version=str(len(looks)))


looks: list[int] = []


class Rude:
    """A model that answers as a user."""

    name = "rude"

    async def __call__(self, messages, tools=(), settings=None):
        return Message(role="user", text="No.")


@tool
async def silent(box, path: str) -> str:
    return path


def odd_exporter(trials, folder):
    for _ in trials:
        (folder.parent / "elsewhere").write_text("x")
        yield ""


def look_at_nothing(case):
    yield Suspicion("what was never said", 0)


LIAR = Detector("liar", "1", "own", ("steps",), look_at_nothing)
DEAF = Detector("deaf", "1", "own", ("steps",), lambda case: ())


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (lambda: check_agent(Changing()), "identity changes"),
        (lambda: check_model(Rude()), "role 'user'"),
        (lambda: check_tool(silent), "has no doc"),
        (lambda: check_exporter(odd_exporter), "wrote elsewhere"),
        (lambda: check_exporter(lambda trials, folder: iter(())), "said 0 times"),
        (lambda: check_detector(LIAR), "it broke: its quote is not in the record"),
        (lambda: check_detector(DEAF, flags=[case_of_commands("x")]), "case 0 is to be flagged, and is clean"),
        (lambda: check_importer(lambda root, progress: iter(()), Path()), "found no trial"),
        (lambda: check_layout(lambda root: None, Path()), "does not know"),
    ],
)
def test_what_breaks_a_contract_is_named(check, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check()
