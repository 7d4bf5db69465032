"""Programs for one puzzle never share a sandbox, in which numbers of files and processes go on."""

from __future__ import annotations

import json

import pytest

from forked import honestly

MANY = "import os\nfor i in range(3000): open('/tmp/x','w').close(); os.unlink('/tmp/x')\nprint('no')"
LOOKS = "import os\nopen('/tmp/x','w').close(); print('yes' if os.stat('/tmp/x').st_ino > 3000 else 'no')"
COUNTS = "import os, subprocess\nfor i in range(60): subprocess.run(['true'])\nprint('no')"
PIDS = "import os\nprint('yes' if os.getpid() > 60 else 'no')"


@pytest.mark.slow
def test_a_sample_does_not_learn_what_an_earlier_one_did(tmp_path):
    puzzle = tmp_path / "p" / "one"
    puzzle.mkdir(parents=True)
    (puzzle / "puzzle.md").write_text("# One\n\nSay yes.\n")
    cases = [{"input": "1", "output": "yes"}, {"input": "2", "output": "yes"}]
    (puzzle / "cases.json").write_text(json.dumps(cases))
    lines = [
        {"puzzle": "one", "language": "python", "model": "m", "sample": n, "code": code}
        for n, code in enumerate([MANY, LOOKS, COUNTS, PIDS])
    ]
    samples = tmp_path / "s.jsonl"
    samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = honestly("bench", "languages", samples, "--puzzles", tmp_path / "p", "--json")
    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    assert cell["failures"] == {"wrong-answer": 4}, "as each by itself"


def test_a_program_may_read_its_input_by_name(tmp_path):
    from .test_judge import ran, solution

    by_name = "import sys\nsys.stdin = open('/dev/stdin')\n" + solution("python", "griffins")
    (found,) = ran("griffins", by_name)
    assert found.stage == "passed"
