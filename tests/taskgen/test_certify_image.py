"""Answers left in a task's image are found by certify: in a repository, a wheel, compiled Python, a build folder."""

import io
import json
import subprocess
import zipfile

import pytest

from debian_base import debian_base
from forked import honestly
from honestly.sandbox.images import add_image

pytestmark = pytest.mark.slow

FIX = "def total(prices):\n    'The sum.'\n    return sum(prices)\n\n\ndef mean(prices):\n    return total(prices) / len(prices)\n"
TASK = {
    "task.toml": 'version = "1.0"\n[verifier]\ntimeout_sec = 60\n[agent]\ntimeout_sec = 60\n'
    "[environment]\nallow_internet = false\n",
    "instruction.md": "Write `total` and `mean` in /app/prices.py.\n",
    "environment/Dockerfile": "FROM debian:bookworm\nWORKDIR /app\nCOPY begun.txt /app/\n",
    "environment/begun.txt": "begun\n",
    "tests/test.sh": "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\nfor line in 'def total(prices):' 'def mean(prices):'"
    " 'return sum(prices)' 'return total(prices) / len(prices)'\n"
    'do grep -qF "$line" /app/prices.py || echo 0 > /logs/verifier/reward.txt; done\n',
    "solution/solve.sh": f"#!/bin/bash\ncat > /app/prices.py <<'EOF'\n{FIX}EOF\n",
}


def repository(folder):
    folder.mkdir()
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "begun")):
        subprocess.run(["git", "-C", folder, *who, *words], check=True)
    (folder / "prices.py").write_text(FIX)
    subprocess.run(["git", "-C", folder, "hash-object", "-w", "prices.py"], check=True, capture_output=True)
    (folder / "prices.py").unlink()
    subprocess.run(["rm", "-rf", folder / ".git" / "hooks"], check=True)


def wheel():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("prices.py", FIX + "\nVERSION = 2\n")
    return packed.getvalue()


@pytest.fixture
def suite(tmp_path, monkeypatch):
    base = debian_base()
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    add_image(base, "debian:bookworm")

    def laid(name, lines="", files=()):
        for path, text in {**TASK, "environment/Dockerfile": TASK["environment/Dockerfile"] + lines}.items():
            place = tmp_path / "suite" / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        for path, data in dict(files).items():
            (tmp_path / "suite" / name / "environment" / path).write_bytes(data)
        return tmp_path / "suite" / name

    laid("clean")
    repository(laid("in-git", "COPY old /srv/old\n") / "environment" / "old")
    laid("in-wheel", "COPY next.whl /opt/cache/next.whl\n", {"next.whl": wheel()})
    laid(
        "in-layer",
        "RUN mkdir -p /home/build/lib && printf '%s' \"$(cat /tmp/p)\" > /home/build/lib/p.py\n".replace(
            "RUN",
            "COPY begun.txt /tmp/p\nRUN printf '" + FIX.replace("\n", "\\n").replace("'", "\\047") + "' > /tmp/p;",
            1,
        ),
    )
    return tmp_path / "suite"  # fmt: skip


def test_answers_in_an_image_are_found_and_a_clean_image_is_not_blamed(suite, tmp_path):
    out = tmp_path / "records"
    done = honestly("task", "certify", suite, "--runs", "2", "--out", out, "--json")
    found = {each["task"]: each for each in json.loads(done.stdout)["tasks"]}
    assert found["clean"]["verdict"] == "sound", found["clean"]["reasons"]
    refused = found["clean"]["mutants"]
    assert 0 < refused["tried"] == refused["killed"]
    places = {name: {leak["path"].split("!")[0] for leak in each["leaks"]["found"]} for name, each in found.items()}
    assert {name: each["verdict"] for name, each in found.items() if name != "clean"} == dict.fromkeys(
        ("in-git", "in-wheel", "in-layer"), "weak"
    )
    assert "/srv/old/.git" in places["in-git"]
    assert "/opt/cache/next.whl" in places["in-wheel"]
    assert "/home/build/lib/p.py" in places["in-layer"]
