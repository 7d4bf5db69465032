"""Machines that refuse to build a sandbox: a program forbids itself the calls, and then asks for one."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from honestly.sandbox._machine import refusal_advice

FORBIDDEN = """
import sys
import anyio
from honestly.errors import SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox import isolation_layers, open_sandbox
from honestly.sandbox._guest import _kernel, _seccomp

_kernel.set_process_option(_kernel.PR_SET_NO_NEW_PRIVS, 1)
program = _seccomp._filter_program(*_seccomp._HERE, clone3=False, extent="machine", notify=_seccomp._ALLOW)
_seccomp._add_filter(_seccomp._program_header(program))  # no `install`, since here is nobody who sees to waits

async def main():
    try:
        async with open_sandbox(Tree()):
            pass
    except SandboxUnavailableError as error:
        print(error)
    async with open_sandbox(Tree(), unsafe=True) as box:
        print((await box.exec("echo unsafe runs")).stdout.decode())
    found = isolation_layers()
    print(found.usable, {layer.name for layer in found.layers if not layer.present})

anyio.run(main)
"""


MANY_FILES = (
    FORBIDDEN[: FORBIDDEN.index("async def main")]
    + """
async def main():
    try:
        async with open_sandbox(Tree.of({f"{i}.txt": "x" * 2000 for i in range(4000)})):
            pass
    except SandboxUnavailableError as error:
        print(error)

anyio.run(main)
"""
)


def test_a_refusal_is_heard_though_the_files_were_still_being_sent(tmp_path: Path) -> None:
    env = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", MANY_FILES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert "the kernel refused unshare(" in done.stdout, done.stderr
    assert "pass --unsafe-no-sandbox" not in done.stdout  # honestly agent do has no such option


def test_a_refused_call_is_named_with_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    message, unsafe, *_, report = done.stdout.strip().splitlines()
    assert "the kernel refused unshare(" in message
    assert "Operation not permitted" in message
    assert "sysctl" in message
    assert "--unsafe-no-sandbox" in message
    assert unsafe == "unsafe runs"
    assert report.startswith("False")
    assert "pid namespace" in report


@pytest.mark.parametrize(("number", "advice"), [(errno.EPERM, "sysctl"), (errno.ENOSYS, "5.12"), (0, "doctor")])
def test_advice_fits_the_refusal(number: int, advice: str) -> None:
    message = refusal_advice("unshare(user)", number)
    assert "unshare(user)" in message
    assert advice in message
    assert "--unsafe-no-sandbox" in message


@pytest.mark.parametrize("files", [20, 34])
def test_too_few_open_files_are_named_in_a_line(files: int, tmp_path: Path) -> None:
    words = "run embedded -a nop --task split-bill --task env-file -k 3 -j 6"
    done = subprocess.run(
        ["sh", "-c", f"ulimit -n {files}; exec {sys.executable} -m honestly {words} -o {tmp_path}/a.honestly"],
        capture_output=True,
        text=True,
    )
    assert done.returncode in {2, 3}
    assert "Traceback" not in done.stderr
    assert f"the limit is {files} (ulimit -n)" in done.stderr
