"""Hidden folders beside what is made: gone with a command, or with the next one where it was killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from disturbed import ROOT
from honestly.work import folder_beside

KILLED = """
import os, signal, sys
from pathlib import Path
from honestly.work import folder_beside
with folder_beside(Path(sys.argv[1]), "part") as folder:
    (folder / "half").write_text("x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_command_left_goes_with_the_next_one_whatever_it_makes(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    kept = [tmp_path / ".pages.part", tmp_path / ".pages.part-1-2-3-4"]
    for each in kept:
        each.mkdir()
    for name in ("pages[1]", "pages[1]", "some\nother"):
        words = [sys.executable, "-c", KILLED, tmp_path / name]
        assert subprocess.run(words, env=env, check=False).returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 3, "each takes with it what was left before"
    place = tmp_path / "pages[1]"
    with folder_beside(place, "import") as mine, folder_beside(tmp_path / "other", "part") as other:
        assert {mine, other, *kept} == set(tmp_path.iterdir())
        with folder_beside(Path(tmp_path, "pages[1]2"), "part"):
            assert mine.exists()
    assert set(kept) == set(tmp_path.iterdir())
