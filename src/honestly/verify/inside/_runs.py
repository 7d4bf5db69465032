"""One run of test files inside a sandbox, and what the runner there reported.

The runner shares its process with the tested code, which can make it say anything. A report is therefore what was
said, counted test by test; what to believe of it is for the callers to decide.
"""

import marshal
import re
import secrets
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec

from honestly.records import Check, Checks, Tree
from honestly.sandbox import Limits, Result, WarmSandbox
from honestly.sandbox._guest.frames import pack_frame
from honestly.verify._open import OpenBox
from honestly.verify._programs import BOOT, guest_code, guest_program
from honestly.verify.inside._opaque import NAMES
from honestly.verify.inside._shipped import pytest_modules

_WRITABLE = ("/tmp", "/dev/shm")  # noqa: S108 - inside the sandbox
_FOREIGN = "the channel of the test runner carried lines that are not its own"
_REPLACED = "the tested code replaced parts of the test framework"
_GAP = re.compile(rb"^\[\.\.\. \d+ bytes dropped \.\.\.\]$", re.MULTILINE)
_WORDS = 200
_LIMITS = Limits(output_bytes=16 << 20)
"""Of a run of many tests: each is reported."""
_LOCKS = ("honestly.sandbox._guest._kernel", "honestly.sandbox._guest._landlock")


class _Event(msgspec.Struct):
    nonce: str
    id: str = ""
    status: Literal["passed", "failed", "error", "skipped"] | None = None
    message: str = ""
    deselected: bool = False
    lost: list[tuple[int, str]] = []
    again: bool = False
    run: int = 0
    end: bool = False
    replaced: list[str] = []


_EVENT = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class Report:
    """The report of a runner."""

    timed_out: bool = False
    ended: bool = False
    """It came to its end."""
    planned: dict[str, None] = field(default_factory=dict)
    """Ids of the tests that it was about to run, in order."""
    checks: dict[str, Check] = field(default_factory=dict)
    """The worst that was said of each test."""
    lost: dict[str, dict[int, str]] = field(default_factory=dict)
    """Of each test that asked for several versions, those that did not hold, by number of the run, and why."""
    again: set[str] = field(default_factory=set)
    """Tests that have to run again, for each version apart."""
    forks: dict[int, "Report"] = field(default_factory=dict)
    """What was said of tests that cannot ask for all versions, in the forks that do further runs, by number."""
    tampered: set[str] = field(default_factory=set)
    whole: bool = True
    """No reports were dropped because there were more than a sandbox hands out."""
    last_words: str = ""
    """The last line that the process wrote."""

    def check(self, name: str) -> Check:
        """The result of an expected test; an id without parameters stands for all that the test was planned with."""
        names = [name] if name in self.checks or name in self.planned else self.ids_under(name) if self.whole else []
        for each in names:
            if each not in self.checks:
                return self._absent_check(name)
            if self.checks[each].status != "passed":
                return msgspec.structs.replace(self.checks[each], id=name)
        return Check(id=name, status="passed") if names else self._absent_check(name)

    def of_run(self, number: int, copied: Collection[str] = ()) -> "Report":
        """The report of the run of that number: a version that did not hold is one that its test failed with.

        Args:
            number: the run's.
            copied: test functions that have a copy for each run, of which only the forks of the further ones tell.
        """
        failed = {
            name: Check(id=name, status="failed", message=lost[number])
            for name, lost in self.lost.items()
            if number in lost
        }
        said = replace(self, checks=self.checks | failed, lost={}, forks={})
        return said.with_later(self.forks.get(number, Report()), copied) if number and copied else said

    def with_later(self, later: "Report", functions: Collection[str]) -> "Report":
        """This one, with what a later run said of some test functions."""
        planned = [name for name in self.planned if name.partition("[")[0] not in functions]
        checks = {name: check for name, check in self.checks.items() if name.partition("[")[0] not in functions}
        return Report(
            timed_out=self.timed_out or later.timed_out,
            ended=self.ended and later.ended,
            planned=dict.fromkeys(planned) | later.planned,
            checks=checks | later.checks,
            tampered=self.tampered | later.tampered,
            whole=self.whole and later.whole,
            last_words=self.last_words if later.ended else later.last_words,
        )

    def ids_under(self, function: str) -> list[str]:
        """Ids of the planned tests that are this function with parameters."""
        return [name for name in self.planned if name.startswith(function + "[")]

    def by_function(self) -> dict[str, list[Check]]:
        """The results of each test function, with whatever parameters."""
        found: dict[str, list[Check]] = {}
        for name, check in self.checks.items():
            found.setdefault(name.partition("[")[0], []).append(check)
        return found

    def trouble_line(self, expected: Iterable[str], *, changed: Collection[str] = ()) -> str:
        """The troubles around the tests, in a line; empty if nothing did.

        Args:
            expected: the tests that should be there.
            changed: test functions whose parameters are not what they were.
        """
        known = {*expected, *changed}
        strange = [name for name in self.planned if name not in known and name.partition("[")[0] not in known]
        broken = [check for name, check in self.checks.items() if name not in self.planned and name not in known]
        early = "ran out of time" if self.timed_out else "the test process ended before its last test"
        said = f" ({self.last_words})" if self.last_words and not self.timed_out else ""
        notes = [
            "" if self.ended else early + said,
            "" if self.whole else "there were more reports than a sandbox hands out",
            f"not expected: {listed_names(strange)}" if strange else "",
            listed_names([f"{check.id}: {check.message}" for check in broken]),
        ]
        return "; ".join(filter(None, notes))

    def take_event(self, event: _Event) -> None:
        """Takes in what was said; of two words about one test, the worse."""
        if event.run:
            self.forks.setdefault(event.run, Report()).take_event(msgspec.structs.replace(event, run=0))
            return
        if event.end:
            self.ended = True
            self.tampered |= {f"{_REPLACED}: {listed_names(event.replaced)}"} if event.replaced else set()
            return
        if event.status is None:
            self.planned[event.id] = None
            return
        self.lost.setdefault(event.id, {}).update(event.lost)
        self.again |= {event.id} if event.again else set()
        if event.id not in self.checks or self.checks[event.id].status == "passed":
            deselected = event.deselected if event.status == "skipped" else None
            self.checks[event.id] = Check(
                id=event.id, status=event.status, message=event.message, deselected=deselected
            )

    def _absent_check(self, name: str) -> Check:
        return Check(id=name, status="timeout" if self.timed_out else "missing")


def listed_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


async def run_tests(
    checks: Checks,
    tree: Tree,
    open_box: OpenBox,
    *,
    confined: bool = False,
    arguments: Sequence[str] = (),
    backwards: bool = False,
) -> Report:
    """Runs the expected tests of `checks` in a fresh sandbox over `tree`.

    Args:
        checks: which tests, by which runner, for how long.
        tree: the workspace, test files included.
        open_box: opens sandboxes.
        confined: whether the workspace must not be written to; without a sandbox it can be all the same.
        arguments: of pytest.
        backwards: whether pytest's tests are run in the opposite order.

    Raises:
        VerifierError: pytest is needed, and not installed.
        SandboxError: the sandbox broke.
    """
    nonce = secrets.token_hex(16)
    functions = dict.fromkeys(name.partition("[")[0] for name in checks.expected)
    request: dict[str, Any] = {"nonce": nonce, "tests": list(functions), "own": list(checks.files.files)}
    if checks.runner == "pytest":
        request["tests"] = [name for name in functions if "::" in name]  # a file stands for all of its tests
        request |= {"arguments": list(arguments), "modules": pytest_modules(), "backwards": backwards}
        request["opaque"] = NAMES in checks.canaries.files
    async with open_box(tree, limits=_LIMITS) as box:
        confined = confined and box.name != "none"
        request["writable"] = list(_WRITABLE if confined else ())
        modules, orders = ("report", "asked", f"{checks.runner}_run"), pack_frame(marshal.dumps(request))
        if confined:
            result = await box.exec(
                BOOT,
                stdin=guest_program(*_LOCKS, *modules) + orders,
                timeout=checks.timeout_s,
                env={"HOME": _WRITABLE[0]},
            )
        elif isinstance(box, WarmSandbox) and not _takes_place(tree):
            await box.load(guest_code(*modules))
            result = await box.call(stdin=orders, timeout=checks.timeout_s)
        else:
            result = await box.exec(BOOT, stdin=guest_program(*modules) + orders, timeout=checks.timeout_s)
    return _report(result, nonce)


def _takes_place(tree: Tree) -> bool:
    """Whether a module of a tree could be meant to take the place of one of the library's, which a fork has already."""
    names = {part.partition(".")[0] for path in tree.files for part in path.split("/")}
    return bool(names & sys.stdlib_module_names - {"test"})


def _report(result: Result, nonce: str) -> Report:
    """The runner's report, line by line; any other line on its channel is a sign of tampering."""
    words = result.stderr.strip().rpartition(b"\n")[2][:_WORDS].decode("utf-8", "backslashreplace")
    words = "the sandbox ran out of memory" if result.out_of_memory else words
    report = Report(timed_out=result.timed_out, whole=not _GAP.search(result.stdout), last_words=words)
    for line in result.stdout.splitlines(keepends=True):
        try:
            event = _EVENT.decode(line)
        except msgspec.DecodeError:
            event = None
        if event is not None and event.nonce == nonce:
            report.take_event(event)
        elif report.whole and line.endswith(b"\n"):  # else it may be a report that was cut off
            report.tampered.add(_FOREIGN)
    return report
