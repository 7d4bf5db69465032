"""An import keeps its source, and makes a whole study or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tb_trees import DATASET, write_run

from honestly.errors import FormatError, StoreError
from honestly.formats import read_terminal_bench
from honestly.store import open_study
from honestly.studies import import_results


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory of one dataset with one submission of two runs, without any defect."""
    for run in ("run2", "run10"):
        write_run(tmp_path / DATASET / "20250101_agent_model" / run)
    return tmp_path


def test_an_import_says_where_it_is_from_and_is_whole_or_not_there(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    out = folder / "s.honestly"

    def broken(source, progress):
        yield from read_terminal_bench(source, progress)
        raise FormatError("cut off")

    with pytest.raises(FormatError, match="cut off"):
        import_results(root, out, broken)
    assert list(folder.iterdir()) == []
    assert import_results(root, out) == []
    with open_study(out) as study:
        assert (study.facts().imported_from, len(study.cells())) == (root.name, 4)
    with pytest.raises(StoreError, match="exists already"):
        import_results(root, out)
