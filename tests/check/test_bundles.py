"""Bundles: each changed byte is seen, signatures are those of SSH keys, and what is run again comes out the same."""

import json
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path

import anyio
import msgspec
import pytest
from rich.console import Console

from check.projects_to_check import CALC, FIX, checkout
from honestly.check._bundle import bundle_signers, read_bundle, sign_bundle, write_bundle
from honestly.check._claim_tests import _cut_tests
from honestly.check._rerun import Part, RerunResult, _known
from honestly.errors import FormatError
from honestly.formats import write_patch
from honestly.models import ScriptedServer, assistant_message, scripted_server
from honestly.records import Edit, Tree, encode

NEEDS_KEYS = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not on this machine")


def honestly(*words: object, cwd: Path, code: int | None = 0) -> str:
    command = [sys.executable, "-m", "honestly", *map(str, words)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=600)
    assert code is None or done.returncode == code, done.stderr + done.stdout
    return done.stdout


def key_at(place: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", str(place)], check=True)
    return place


def test_each_changed_byte_is_seen(tmp_path: Path) -> None:
    place, other = tmp_path / "b.zip", tmp_path / "other.zip"
    write_bundle(place, "check", {"a.json": b"1" * 500, "b.json": b"{}"}, {"verdict": "clear"})
    assert read_bundle(place).member("a.json") == b"1" * 500
    data = place.read_bytes()
    for at in range(0, len(data), 7):
        other.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(FormatError):
            read_bundle(other)
    for changed in (data + b"x", data[:-1], b"x" + data, b""):
        other.write_bytes(changed)
        with pytest.raises(FormatError):
            read_bundle(other)


@NEEDS_KEYS
def test_a_signature_holds_for_what_was_signed_and_for_its_key(tmp_path: Path) -> None:
    place, ann, eve = tmp_path / "b.zip", key_at(tmp_path / "ann"), key_at(tmp_path / "eve")
    write_bundle(place, "check", {"a.json": b"1"}, {})
    allowed = tmp_path / "allowed"
    allowed.write_text("ann@example.org " + ann.with_suffix(".pub").read_text())
    with pytest.raises(FormatError, match="not signed"):
        bundle_signers(read_bundle(place), allowed)
    fingerprint = sign_bundle(place, ann)
    signed = read_bundle(place)
    assert bundle_signers(signed, None) == (fingerprint,)
    assert bundle_signers(signed, allowed) == (f"ann@example.org ({fingerprint})",)
    write_bundle(place, "check", {"a.json": b"2"}, {})
    moved = msgspec.structs.replace(read_bundle(place).envelope, signatures=signed.envelope.signatures)
    with pytest.raises(FormatError, match="ssh-keygen refuses"):
        bundle_signers(type(signed)("check", {}, {}, moved), None)
    sign_bundle(place, eve)
    with pytest.raises(FormatError, match="ssh-keygen refuses"):
        bundle_signers(read_bundle(place), allowed)


@pytest.mark.slow
def test_a_check_comes_out_the_same_elsewhere_and_a_lie_does_not(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", FIX, "Fix the mean of an empty list\n\nAll tests pass.")
    bundle = tmp_path / "b.zip"
    honestly("check", "--mutants", 2, "--bundle", bundle, cwd=place)
    shutil.rmtree(place)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    found = json.loads(honestly("rerun", bundle, "--json", cwd=elsewhere))
    assert found["same"]
    assert [part["part"] for part in found["parts"]][:2] == ["verdict", "claims"]
    opened = read_bundle(bundle)
    lie = json.loads(opened.member("answer.json")) | {"verdict": "against"}
    members = {name.removesuffix(".gz"): opened.member(name.removesuffix(".gz")) for name in opened.members}
    write_bundle(bundle, "check", members | {"answer.json": json.dumps(lie).encode()}, opened.predicate)
    found = json.loads(honestly("rerun", bundle, "--json", cwd=elsewhere, code=1))
    assert [part["part"] for part in found["parts"] if not part["same"]] == ["verdict"]
    bundle.write_bytes(bundle.read_bytes()[:-1])
    honestly("rerun", bundle, cwd=elsewhere, code=2)


def test_a_bundle_of_an_older_version_knows_fewer_keys_and_what_differs_is_shown() -> None:
    old = {"tests": {"after": {"passed": 4}, "fixed": [{"a": 1}]}}
    new = {"tests": {"after": {"passed": 4, "new": 0}, "fixed": [{"a": 1, "b": 2}], "newer": []}}
    assert _known(new, old) == old
    assert _known({"a": [1, 2]}, {"a": [1]}) == {"a": [1, 2]}
    console = Console(file=StringIO(), width=80)
    console.print(RerunResult("check", (), (Part("tests", {"a": "x" * 200, "b": 1}, {"a": "x" * 200, "b": 2}),)))
    assert isinstance(console.file, StringIO)
    assert "tests: was {'b': 1}, is {'b': 2}" in console.file.getvalue()


@pytest.mark.slow
def test_a_study_comes_out_the_same(tmp_path: Path) -> None:
    study, bundle = tmp_path / "s.honestly", tmp_path / "s.zip"
    words = ("-a", "honest", "-a", "special-case", "--task", "ticket-codes", "-k", 1, "-o", study)
    honestly("run", "embedded", *words, cwd=tmp_path, code=None)
    honestly("export", study, "--to", "bundle", "--out", bundle, cwd=tmp_path)
    found = json.loads(honestly("rerun", bundle, "--json", cwd=tmp_path))
    assert found["same"], found
    assert "2 trials" in found["parts"][1]["part"]
    none = json.loads(honestly("rerun", bundle, "--json", "--most", 0, cwd=tmp_path))
    assert ([part["part"] for part in none["parts"]], none["notes"][0]) == (
        ["leaderboard"],
        "not judged anew: 2 trials: more than --most",
    )
    command = ["unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
    done = subprocess.run(
        [*command, sys.executable, "-m", "honestly", "rerun", str(bundle)], check=False, capture_output=True
    )
    assert done.returncode == 3, "where no sandbox can be opened, nothing is the same"


@pytest.mark.slow
def test_tests_are_written_that_notice_what_none_noticed(tmp_path: Path) -> None:
    price = "\n\ndef price(amount, percent):\n    return amount - amount * percent // 100\n"
    test = "from toy.calc import price\n\n\ndef test_price():\n    assert price(0, 10) == 0\n"
    place = checkout(tmp_path / "toy", {"src/toy/calc.py": CALC + price, "tests/test_price.py": test}, "Add `price`")
    honestly("check", "--mutants", 4, "--write-tests", tmp_path / "t.patch", cwd=place, code=None)
    subprocess.run(["git", "apply", str(tmp_path / "t.patch")], cwd=place, check=True)
    written = (place / "tests/test_written_by_check.py").read_text()
    assert "price(" in written
    found = json.loads(honestly("check", "--mutants", 4, "HEAD", "--json", cwd=place, code=None))
    assert found["mutants"]["survived"] > 0
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(place / "tests")], check=True,
                   cwd=place, env={"PYTHONPATH": str(place / "src"), "PATH": "/usr/bin:/bin"})  # fmt: skip


CLAIMED = """Here they are.

```python
import pytest
from toy.calc import price
import time


def half(amount):
    return price(amount, 50)


def test_half():
    assert half(10) == 5


def test_price_of_nothing():
    assert price(0, 10) == 0


def test_all_of_it_is_taken():
    assert price(7, 100) == 0


def test_it_refuses_more_than_all():
    with pytest.raises(ValueError):
        price(7, 101)


def test_other_name():
    assert cost(1, 2) == 3


def test_now_and_then():
    assert time.time_ns() // 1000 % 2
```
"""


@pytest.mark.slow
def test_a_model_writes_tests_from_the_claim_and_sees_no_line_of_the_change(tmp_path: Path) -> None:
    secret = "# an unusual comment\n"
    price = f"\n\ndef price(amount, percent):\n    {secret}    return amount - amount * percent // 100\n"
    test = "from toy.calc import price\n\n\ndef test_price():\n    assert price(0, 10) == 0\n"
    change = {"src/toy/calc.py": CALC + price, "tests/test_price.py": test}
    place = checkout(tmp_path / "toy", change, "Add `price`, which refuses more than all with ValueError")

    async def asked(server: ScriptedServer) -> str:
        model = ("--mutants", "9", "--write-tests", str(tmp_path / "t.patch"), "-m", server.spec())
        command = [sys.executable, "-m", "honestly", "check", *model]
        return (await anyio.run_process(command, cwd=place, check=False)).stderr.decode()

    async def main() -> tuple[str, str, int]:
        async with scripted_server([assistant_message(CLAIMED)]) as server:
            said, again = await asked(server), await asked(server)
            assert "fails on the change" in again
            return said, server.requests[-1].body.decode(), len([one for one in server.requests if one.body])

    said, question, asked_times = anyio.run(main)
    assert asked_times == 1, "a second run asks nothing again"
    assert "refuses more than all" in question
    assert "toy.calc: price(amount, percent)" in question
    assert "unusual comment" not in question
    assert "//" not in question.replace("http://", "")
    assert "also wrote test_it_refuses_more_than_all, which fails on the change" in said
    subprocess.run(["git", "apply", str(tmp_path / "t.patch")], cwd=place, check=True)
    written = (place / "tests/test_claim.py").read_text()
    assert "def test_half" in written
    for other in ("test_price_of_nothing", "test_other_name", "test_now_and_then"):
        assert other not in written, other
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_claim.py"], check=False,
                   cwd=place, env={"PYTHONPATH": str(place / "src"), "PATH": "/usr/bin:/bin"}, capture_output=True)  # fmt: skip
    assert b"FAILED tests/test_claim.py::test_it_refuses_more_than_all" in ran.stdout


def test_tests_are_cut_from_an_answer_with_what_they_need() -> None:
    start, tests = _cut_tests(CLAIMED)
    assert list(tests) == [
        "test_half", "test_price_of_nothing", "test_all_of_it_is_taken", "test_it_refuses_more_than_all", "test_other_name",
        "test_now_and_then",
    ]  # fmt: skip
    assert start == [
        "import pytest",
        "from toy.calc import price",
        "import time",
        "def half(amount):\n    return price(amount, 50)",
    ]
    assert _cut_tests("def test_x(:") == ([], {})
    assert _cut_tests("I cannot do this.") == ([], {})


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("valgrind")), reason="needs gcc and valgrind")
def test_the_findings_of_a_hunt_are_proved_again(tmp_path: Path) -> None:
    bad = "#include <stdio.h>\nint main(void) {\n    char text[4];\n    int at = 0, c;\n    while ((c = getchar()) != EOF)\n"
    bad += "        text[at++] = (char)c;\n    return text[0] == 'x';\n}\n"
    fixed = bad.replace("(c = getchar()) != EOF", "(c = getchar()) != EOF && at < 4")
    project, bundle, fix = tmp_path / "toy", tmp_path / "h.zip", tmp_path / "fix.patch"
    (project / "seeds").mkdir(parents=True)
    (project / "main.c").write_text(bad)
    (project / "seeds" / "long").write_bytes(b"a" * 40)
    edit = Edit(write=Tree.of({"main.c": fixed}))
    fix.write_bytes(write_patch(Tree.of({"main.c": bad}), edit))
    words = ("--seconds", 3, "--fuzz-seconds", 2, "--fix", fix, "--tell", "the maintainers", "--by", "2026-12-31")
    honestly("bench", "hunt", project, *words, "--bundle", bundle, "--json", cwd=tmp_path, code=None)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    found = json.loads(honestly("rerun", bundle, "--json", cwd=elsewhere))
    assert found["same"], found
    assert [part["now"] for part in found["parts"] if "with the fix" in part["part"]] == ["gone"]
    assert "tell the maintainers by 2026-12-31" in found["notes"]
    opened = read_bundle(bundle)
    members = {name.removesuffix(".gz"): opened.member(name.removesuffix(".gz")) for name in opened.members}
    said = encode({**json.loads(members["hunt.json"]), "fix": ""})
    write_bundle(bundle, "hunt", members | {"project.json": encode(edit.write), "hunt.json": said}, opened.predicate)
    found = json.loads(honestly("rerun", bundle, "--json", cwd=elsewhere, code=1))
    assert found["parts"][0]["now"] == ["nothing"]
