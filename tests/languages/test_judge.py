"""The judge: what passes, what fails and how, and what a program can reach; in real sandboxes."""

from dataclasses import replace

import anyio
import pytest

from honestly.languages import (
    TOOLCHAINS,
    ProgramResults,
    ProgramSample,
    find_toolchain,
    judge_programs,
    load_puzzles,
    open_bench,
)
from honestly.languages._find import FoundToolchain
from languages.programs import solution

PUZZLES = load_puzzles()
PYTHON = find_toolchain("python")


def ran(puzzle, *codes, found=PYTHON, cpu_s=5):
    async def all_of_them():
        async with open_bench(found, cpu_s=cpu_s) as bench:
            return [await bench.judge_program(PUZZLES[puzzle], code) for code in codes]

    return anyio.run(all_of_them)


def test_a_right_program_passes_and_one_that_knows_the_example_does_not():
    example = PUZZLES["griffins"].cases[0][1]
    first, second = ran("griffins", solution("python", "griffins"), f"print({example!r})")
    assert first.stage == "passed"
    assert (second.stage, second.case) == ("answer", 1)


@pytest.mark.slow
def test_how_a_program_ends_is_told():
    crash, silent, syntax, endless, shown = ran(
        "griffins", "raise SystemExit(3)", "", "print(", "while True: pass", "print(1, 2)", cpu_s=1
    )
    assert (crash.stage, crash.output) == ("run", "ended with 3")
    assert (silent.stage, silent.output) == ("answer", "")
    assert "SyntaxError" in syntax.output
    assert endless.stage == "time"
    assert shown == replace(shown, stage="answer", output="1 2", case=0)


def test_no_answer_is_in_the_sandbox_and_nothing_outside_can_be_reached():
    hidden = PUZZLES["sand-belt"].cases[2][1]
    look = f"""
import os, socket, sys
found = []
for top in ("/workspace", "/tmp", "/opt", "/etc", "/proc/self", "/dev/shm"):
    for folder, _, files in os.walk(top):
        for name in files:
            if "/fd/" in folder + "/":
                continue  # its own streams, on which it would wait
            try:
                if b"{hidden}" in open(os.path.join(folder, name), "rb").read(1 << 20):
                    found.append(os.path.join(folder, name))
            except OSError:
                pass
found = [each for each in found if each != "/workspace/main.py"]
try:
    socket.create_connection(("10.0.0.1", 80), 1)
    found.append("network")
except OSError:
    pass
print(*(found or ["nothing"]))
"""
    (found,) = ran("sand-belt", look)
    assert found.output == "nothing"


@pytest.mark.slow
def test_the_time_of_an_answer_is_that_of_all_its_processes():
    """Each of five has less than the limit, and all together have more."""
    forks = """
import os, time
for _ in range(5):
    if os.fork() == 0:
        while time.process_time() < 0.5: pass
        os._exit(0)
for _ in range(5):
    os.wait()
""" + solution("python", "griffins")
    lone = "import time\nwhile time.process_time() < 0.5: pass\n" + solution("python", "griffins")
    said = ran("griffins", forks, lone, cpu_s=1)
    assert [(each.stage, each.case) for each in said] == [("time", 0), ("passed", -1)]


def test_an_input_stands_in_no_command_line():
    looks = """
import os
own = input()
told = [open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()]
print("seen" if any(own in each for each in told) else "unseen")
"""
    (found,) = ran("griffins", looks)
    assert found.output == "unseen"


def test_a_program_leaves_nothing_for_the_next_one():
    leaves = """
import os, time
for place in ("/workspace/word", "/tmp/word", "/dev/shm/word"):
    open(place, "w").write("x")
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
"""
    looks = """
import os
left = [p for p in ("/workspace/word", "/tmp/word", "/dev/shm/word") if os.path.exists(p)]
others = [p for p in os.listdir("/proc") if p.isdigit() and open(f"/proc/{p}/cmdline").read().count("main.py")]
print("left", len(left), "running", len(others) - 1 - sum("ulimit" in open(f"/proc/{p}/cmdline").read() for p in others))
"""
    _, second = ran("griffins", leaves, looks)
    assert second.output == "left 0 running 0"


def samples(*codes):
    return [
        ProgramSample(language="python", puzzle="griffins", model="m", sample=n, code=code)
        for n, code in enumerate(codes)
    ]


def judged(path, wanted, toolchain=PYTHON):
    seen = []

    async def run():
        return await judge_programs(
            wanted, PUZZLES, {"python": toolchain}, results, jobs=2, cpu_s=5, progress=lambda *now: seen.append(now)
        )

    with ProgramResults(path) as results:
        found = anyio.run(run)
    return [each.ran.stage for each in found], len(seen)


def test_equal_programs_are_judged_once_and_kept_for_the_next_run(tmp_path):
    path, good = tmp_path / "results.jsonl", solution("python", "griffins")
    wanted = samples(good, "print(1)", good, None, "print(1)")
    stages = ["passed", "answer", "passed", "no-code", "answer"]
    assert judged(path, wanted) == (stages, 2)
    assert judged(path, wanted) == (stages, 0)
    # another version of the toolchain, and nothing of that counts
    assert judged(path, wanted, FoundToolchain(PYTHON.toolchain, "Python 0.1", {})) == (stages, 2)


@pytest.mark.slow
def test_more_files_than_can_be_deleted_cost_a_sandbox_and_no_verdict(tmp_path):
    many = "import os\nfor n in range(120_000):\n    os.mknod(f'/workspace/{n}')\nprint(1)"
    wanted = samples(many, solution("python", "griffins"))
    assert judged(tmp_path / "results.jsonl", wanted) == (["answer", "passed"], 2)


def test_a_toolchain_of_somebodys_own_is_shown_apart_and_one_of_the_systems_is_not(tmp_path, monkeypatch):
    """A program that says a version stands for Zig: what is looked at here is where it lies."""
    program = tmp_path / "zig"
    program.write_text("#!/bin/sh\necho 0.14.1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    find_toolchain.cache_clear()
    found = find_toolchain("zig")
    assert (found.version, found.shown, found.filled_command("{at}/zig")) == (
        "0.14.1",
        {"/opt/zig": tmp_path},
        "/opt/zig/zig",
    )
    found = find_toolchain("c")
    assert found is None or found.shown == {}
    find_toolchain.cache_clear()


def test_a_language_without_toolchain_is_found_missing(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("honestly.languages._find._PATH", "/nowhere")
    monkeypatch.setattr("honestly.languages._find.find_spec", lambda _name: None)
    find_toolchain.cache_clear()
    assert all(find_toolchain(language) is None for language in set(TOOLCHAINS) - {"python"})
    find_toolchain.cache_clear()
