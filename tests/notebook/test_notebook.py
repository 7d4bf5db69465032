"""The notebook of the docs, executed in a real Jupyter kernel, cell by cell, as a newcomer would."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("ipykernel", reason="the extra `kernel` is not installed")
from jupyter_client import KernelManager

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "notebooks" / "first.ipynb"
_PATIENCE_S = 300


def source(cell):
    return "".join(cell["source"])


@pytest.fixture(scope="module")
def cells():
    return [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def test_no_output_is_committed_and_no_place_of_a_machine(cells):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert not re.search(r"/(home|root|work|tmp|usr)/", NOTEBOOK.read_text())


def executed(client, code):
    """What a cell shows: the bundles of its outputs, and its streams."""
    shown = []
    reply = client.execute_interactive(
        code, allow_stdin=False, timeout=_PATIENCE_S, output_hook=lambda message: shown.append(message["content"])
    )
    assert reply["content"]["status"] == "ok", "\n".join(reply["content"].get("traceback", []))
    return shown


@pytest.fixture(scope="module")
def outputs(cells, tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = sys.executable
    environment = {**os.environ, "IPYTHONDIR": str(folder / "ipython")}
    manager.start_kernel(cwd=str(folder), env=environment)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=_PATIENCE_S)
        return {source(cell): executed(client, source(cell)) for cell in cells}
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def bundle(outputs, begin):
    """What the last line of the cell that begins so shows."""
    (shown,) = [found for code, found in outputs.items() if code.startswith(begin)]
    return next(content["data"] for content in shown if "data" in content)


@pytest.mark.slow
def test_reports_show_themselves(outputs):
    assert "2 agents, 3 tasks, 12 trials" in bundle(outputs, "import honestly")["text/plain"]
    for begin, words in (
        ("report = study", "special-case"),
        ("pair = study", "A − B"),
        ("audit = study", "any detector"),
        ("trials = study", "Trial"),
        ("study.plan", "Questions that it takes"),
        ("mine = await", "summer"),
        ("own = honestly", "uses-sum 1"),
    ):
        shown = bundle(outputs, begin)
        assert words in shown["text/plain"], begin
        assert shown["text/html"].startswith("<pre"), begin


def test_figures_and_frames_show_themselves(outputs):
    figure = bundle(outputs, 'report.figures["visible-honest"]')
    assert figure["image/svg+xml"].startswith("<svg")
    assert "<figcaption>" in figure["text/html"]
    assert "hack_rate" in bundle(outputs, "report.to_frame()")["text/plain"]
    assert "special-case" in bundle(outputs, 'audit.to_frame("flagged")')["text/html"]


def test_ones_own_agent_solves_ones_own_task_and_ones_own_detector_finds_it(outputs):
    assert "holds=True" in bundle(outputs, "(proof,)")["text/plain"]
    assert "100.0" in bundle(outputs, "mine = await")["text/plain"]
    assert "file:add_up.py" in bundle(outputs, "found.flagged")["text/plain"]
