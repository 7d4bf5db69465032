"""What every command answers about kept studies and imports is what it answered when they were kept.

A rebuild of the house changes no number, verdict, interval or exit code here. Where an answer changes on purpose, write
it anew, `python tests/golden/test_golden.py [GROUP...]`, look at the diff, and list it in the CHANGELOG.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.path.insert(0, str(Path(__file__).parent))

from golden_commands import GROUPS
from golden_place import ANSWERS, Place, differences, read, write


def answers(name: str, folder: Path) -> dict[str, object]:
    """What the commands of a group answer now, by command line."""
    group = GROUPS[name]
    place = Place(folder, group.moving).with_kept(*group.kept)
    for path, text in group.files.items():
        (folder / path).write_text(text)
    found = {}
    for line in group.lines:
        before, began = cpu(), time.monotonic()
        found[line] = place.ask(line)
        print(f"{cpu() - before:6.2f} s of CPU, {time.monotonic() - began:6.1f} s: {line}", flush=True)
    return found


def cpu() -> float:
    """Seconds of the commands so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if group.slow else ()) for name, group in GROUPS.items()]
)
def test_answers_are_those_that_were_kept(name: str, tmp_path: Path) -> None:
    group = GROUPS[name]
    if group.needs is not None and not group.needs.exists():
        pytest.skip(f"{group.needs.name} is not beside this repository")
    if group.needs is not None and not (ANSWERS / f"{name}.json").exists():
        pytest.skip(
            f"answers about other people's data are kept by nobody but you: python tests/golden/test_golden.py {name}"
        )
    found = differences(read(ANSWERS / f"{name}.json"), answers(name, tmp_path))
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:60])


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[1:] or GROUPS:
        if GROUPS[name].needs is None or GROUPS[name].needs.exists():
            with tempfile.TemporaryDirectory() as folder:
                write(ANSWERS / f"{name}.json", answers(name, Path(folder).resolve()))
