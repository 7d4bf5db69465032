"""What a run stands on gives way: the disk is full, the clock jumps, a page of the study is damaged."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from disturbed import ROOT, Disturbed, begun, command, content, stored, with_small_disk
from honestly.errors import StoreError
from honestly.store import open_study

pytestmark = pytest.mark.slow


def quoted(words: list[str]) -> str:
    return " ".join(f"'{word}'" for word in words)


@pytest.mark.parametrize(("kilobytes", "holds"), [(200, 0), (500, 1)])
def test_a_full_disk_under_the_study_loses_nothing_that_was_stored(
    tmp_path: Path, disturbed: Disturbed, kilobytes: int, holds: int
) -> None:
    calm, disk, out = tmp_path / "calm.honestly", tmp_path / "disk", tmp_path / "torn.honestly"
    full = tmp_path / "full"
    full.mkdir()
    disturbed.finish(command(calm, samples=3))
    run = quoted(command(disk / "s.honestly", samples=3))
    said = with_small_disk(
        disturbed,
        disk,
        kilobytes,
        f"code=0; {run} || code=$?; echo ended: $code; cp -r {disk}/s.honestly* {full}\n"
        f"mount -o remount,size=100m {disk}\n{run}\ncp {disk}/s.honestly {out}",
    )
    assert "ended: 0" not in said, "the disk was large enough"
    assert "Traceback" not in said
    assert "database or disk is full" in said
    kept = begun(full / "s.honestly")
    assert holds <= len(kept) < 27
    assert kept.items() <= begun(out).items(), "a trial that was stored is gone, or was run again"
    assert content(out) == content(calm)
    disturbed.assert_nothing_left(out)


def test_a_full_disk_of_temporary_files_is_said_and_passes(tmp_path: Path, disturbed: Disturbed) -> None:
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    disturbed.finish(command(calm, "--unsafe-no-sandbox", samples=2))
    run = quoted(command(torn, "--unsafe-no-sandbox", samples=2))
    place = disturbed.temporary
    said = with_small_disk(
        disturbed,
        place,
        200,
        f"dd if=/dev/zero of={place}/filler bs=1k count=180 2>/dev/null\n"
        f"code=0; {run} || code=$?; echo ended: $code\nrm {place}/filler; mount -o remount,size=100m {place}\n{run}\n"
        f'test -z "$(ls -A {place})"',
    )  # fmt: skip
    assert "Traceback" not in said
    assert "ended: 0" not in said
    assert "is full" in said
    assert content(torn) == content(calm)
    disturbed.assert_nothing_left(torn)


@pytest.mark.parametrize("read_only", [True, False])
def test_without_a_folder_for_temporary_files_sandboxes_of_namespaces_go_on(
    tmp_path: Path, disturbed: Disturbed, read_only: bool
) -> None:
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    disturbed.finish(command(calm, samples=1))
    place = disturbed.temporary
    spoil = f"mount -o remount,ro {place}" if read_only else f"dd if=/dev/zero of={place}/filler bs=1k 2>/dev/null || :"
    with_small_disk(disturbed, place, 100, f"{spoil}\n{quoted(command(torn, samples=1))}")
    assert content(torn) == content(calm)
    disturbed.assert_nothing_left(torn)


@pytest.mark.parametrize("read_only", [True, False])
def test_without_a_home_that_can_be_written_trials_go_on(tmp_path: Path, disturbed: Disturbed, read_only: bool) -> None:
    calm, torn, home = tmp_path / "calm.honestly", tmp_path / "torn.honestly", tmp_path / "home"
    disturbed.finish(command(calm, samples=1))
    spoil = f"mount -o remount,ro {home}" if read_only else f"dd if=/dev/zero of={home}/filler bs=1k 2>/dev/null || :"
    own = f"env -u XDG_CACHE_HOME -u XDG_DATA_HOME -u XDG_CONFIG_HOME HOME={home}"
    said = with_small_disk(disturbed, home, 100, f"{spoil}\n{own} {quoted(command(torn, samples=1))}")
    assert "Traceback" not in said
    assert content(torn) == content(calm)
    disturbed.assert_nothing_left(torn)


IN_IMAGE = """
import sys
from contextlib import suppress
from pathlib import Path
import anyio
from small_image import make_image
from honestly.errors import SandboxError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.sandbox.images import SandboxSettings, add_image, open_image

disk, root = Path(sys.argv[1]), Path(sys.argv[1], "root")
root.mkdir()
make_image(root, ["sh", "head"])
image = add_image(root, "small")

async def work(fill):
    async with open_image(image, Tree(), SandboxSettings(), open_sandbox) as box:
        with suppress(OSError), (disk / "somebody-elses").open("ab", buffering=0) as file:
            while fill:
                file.write(bytes(1 << 20))
        with suppress(SandboxError):
            await box.exec("head -c 5000000 /dev/zero >large")
        return len((await box.snapshot()).files)

for fill in (True, False):
    try:
        print("went well", anyio.run(work, fill))
    except SandboxUnavailableError as error:
        print(error)
(disk / "somebody-elses").unlink()
print("went well", anyio.run(work, False))
"""


def test_a_full_disk_under_a_sandbox_in_an_image_is_not_what_its_agent_did(
    tmp_path: Path, disturbed: Disturbed
) -> None:
    disk, script = tmp_path / "disk", tmp_path / "in_image.py"
    script.write_text(IN_IMAGE)
    environ = f"PYTHONPATH=$PYTHONPATH:{ROOT}/tests/sandbox HONESTLY_IMAGES={disk}/images"
    first, second, third = with_small_disk(
        disturbed, disk, 100_000, f"env {environ} {sys.executable} {script} {disk}; ls {disk}/images/work"
    ).splitlines()
    assert "is full" in first, "what fails inside is seen"
    assert "is full" in second, "nobody begins"
    assert third == "went well 2"


def test_a_store_of_images_that_cannot_be_written_is_said(tmp_path: Path, disturbed: Disturbed) -> None:
    disk = tmp_path / "disk"
    run = f"HONESTLY_IMAGES={disk}/images {sys.executable} -m honestly image list"
    said = with_small_disk(disturbed, disk, 100, f"mount -o remount,ro {disk}\n{run} || echo ended: $?")
    assert "Read-only file system; make room there, or name another directory by HONESTLY_IMAGES" in said
    assert "Traceback" not in said
    assert "ended: " in said


CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long shift(void) {
    long seconds = 0;
    FILE *file = fopen(getenv("CLOCK_SHIFT"), "r");
    if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
    return seconds;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += shift();
    return code;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec; now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *out) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (out) *out = found.tv_sec;
    return found.tv_sec;
}
"""
"""The clock of the wall, moved by as many seconds as a file says. (libfaketime breaks Python's sleep when it jumps.)"""


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, disturbed: Disturbed) -> None:
    if not (compiler := shutil.which("cc")):
        pytest.skip("needs a C compiler")
    library, shift = tmp_path / "clock.so", tmp_path / "shift"
    words = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library), "-ldl"]
    subprocess.run(words, input=CLOCK, text=True, check=True)
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    disturbed.finish(command(calm, samples=3))
    year = 365 * 24 * 3600
    shift.write_text("0")
    began, jumps = time.monotonic(), 0
    clock = {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(shift)}
    runner = disturbed.start(command(torn, samples=3), **clock)
    while runner.poll() is None:
        time.sleep(0.5)
        if stored(torn):
            shift.write_text(str((10 * year, -3 * year, 0, -24 * 3600)[jumps % 4]))
            jumps += 1
    assert runner.returncode == 0
    assert jumps >= 4
    assert content(torn) == content(calm)
    with open_study(torn) as study:
        trials = list(study.trials())
    took = time.monotonic() - began
    assert all(0 <= trial.seconds <= took for trial in trials)
    assert len({trial.started_at[:4] for trial in trials}) > 1, "the clock did not jump"
    disturbed.assert_nothing_left(torn)


def test_a_damaged_page_is_told_and_never_served(tmp_path: Path, disturbed: Disturbed) -> None:
    """A few bytes of any page, or all of them, are overwritten: a reader refuses the study, or gives what was in it before."""
    whole, copy = tmp_path / "whole.honestly", tmp_path / "copy.honestly"
    disturbed.finish(command(whole, samples=2))
    before, size, rng = content(whole), whole.stat().st_size, random.Random(3)
    refused = 0
    for start in range(0, size, 4096):
        shutil.copyfile(whole, copy)
        with copy.open("r+b") as file:
            bytes_of = rng.choice([16, 4096])
            file.seek(start + rng.randrange(4096 - bytes_of + 1))
            file.write(rng.randbytes(bytes_of))
        try:
            assert content(copy) == before
        except StoreError:
            refused += 1
    assert refused > 0.4 * size / 4096, "many of the bytes hold something"
    done = subprocess.run(
        [sys.executable, "-m", "honestly", "report", str(_damaged(whole, copy))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode
    assert "damaged" in done.stderr
    assert "Traceback" not in done.stderr


def _damaged(whole: Path, copy: Path) -> Path:
    shutil.copyfile(whole, copy)
    with copy.open("r+b") as file:
        file.seek(copy.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    return copy
