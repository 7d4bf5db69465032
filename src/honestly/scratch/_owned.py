"""Programs of this machine that end with their owner, however it ends: SIGTERM, SIGKILL, a crash.

A program is started in a session of its own, so that Ctrl-C is its owner's to handle; nothing else would then end it.
The kernel does (`prctl(PR_SET_PDEATHSIG)`, set by util-linux's `setpriv`, as Python cannot set it in a child safely
beside threads), and what it has started itself carries our mark: the next program, or `doctor --reap`, removes it.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from honestly.scratch._owner import owner_mark
from honestly.scratch._processes import OWNER_VARIABLE


def run_owned(
    words: Sequence[str],
    *,
    cwd: Path | str = "/",
    stdin: bytes = b"",
    timeout: float | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program and returns its output and exit code; kills it and its group if interrupted.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it takes longer.
    """
    variables = os.environ if env is None else env
    with subprocess.Popen(
        owned_words(words, variables.get("PATH")),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**variables, OWNER_VARIABLE: owner_mark()},
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(list(words), process.returncode, stdout, stderr)


def owned_words(words: Sequence[str], path: str | None = None) -> list[str]:
    """The command, wrapped so that it is killed with the thread that starts it, if the machine can do that.

    Raises:
        FileNotFoundError: there is no such program.
    """
    if shutil.which(words[0], path=path) is None:
        raise FileNotFoundError(2, "No such file or directory", words[0])
    return [*_setpriv(), *words]


@cache
def _setpriv() -> tuple[str, ...]:
    found = shutil.which("setpriv")
    command = (found or "", "--pdeathsig", "KILL", "--")
    if not found:
        return ()
    tried = subprocess.run([*command, "true"], capture_output=True, start_new_session=True, check=False)
    return () if tried.returncode else command  # busybox's knows no such option
