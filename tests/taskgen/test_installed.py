"""Requirements that cannot all be had: what can is installed, by a real pip from a folder of wheels."""

import zipfile
from pathlib import Path

import anyio
import pytest

from honestly.taskgen._installed import install_needs
from honestly.taskgen._needs import Needs

pytestmark = pytest.mark.slow


def wheel(folder: Path, name: str, version: str, requires: str = "") -> None:
    info = f"{name}-{version}.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    texts = {
        f"{name}.py": "", f"{info}/RECORD": "", f"{info}/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
    }  # fmt: skip
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        for path, text in texts.items():
            file.writestr(path, text)


@pytest.mark.parametrize("culprit", ["orphan", "rival"])
def test_one_requirement_that_cannot_be_had_costs_no_other(culprit, tmp_path, monkeypatch):
    wheel(tmp_path, "useful", "1.0")
    wheel(tmp_path, "useful", "2.0")
    wheel(tmp_path, "orphan", "1.0", "nowhere>=1")
    wheel(tmp_path, "rival", "1.0", "useful<2")
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null",
                        "HONESTLY_ENVIRONMENTS": str(tmp_path / "cache")}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    wanted = (f"{culprit}==1.0", "useful>=2")
    needs = Needs(pinned=wanted, free=wanted, runtime=(), files=(), name="")
    found = anyio.run(lambda: install_needs(needs, (), unsafe=False))
    assert found.preparation.dependencies == ("useful==2.0",)
    assert any(culprit in note for note in found.notes)
