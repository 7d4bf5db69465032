"""One run of tests, and what came of each: for making tasks, before it is known which tests there are."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from honestly.records import Check, Checks, File, Preparation, Tree
from honestly.verify._open import OpenBox, furnished_opener
from honestly.verify.inside._script import OUT_OF_TIME, see_script
from honestly.verify.inside._strict import run_strictly
from honestly.verify.inside._visible import run_shown


@dataclass(frozen=True, slots=True)
class SeenTests:
    """The result of one run of test files; the tested code shares their process, and can make it say anything."""

    checks: Mapping[str, Check]
    """Of each test that was found, in order, what came of it."""
    note: str
    """What went wrong around the tests; empty if nothing did."""
    timed_out: bool
    whole: bool
    """No report was dropped because there were too many."""

    @property
    def passed(self) -> frozenset[str]:
        """Ids of the tests that passed."""
        return frozenset(name for name, check in self.checks.items() if check.status == "passed")


async def see_tests(
    checks: Checks, final: Tree, preparation: Preparation, open_box: OpenBox, *, hidden: bool, backwards: bool = False
) -> SeenTests:
    """Runs pytest files, or a script, once, in a fresh sandbox, as hidden or as visible checks are run.

    Args:
        checks: `expected` names files, all tests of which are run, or tests; of a script, nothing.
        final: the workspace; the files of `checks` are put over it.
        preparation: what the workspace needs around it.
        open_box: opens sandboxes.
        hidden: whether they are run as hidden checks.
        backwards: the last test first; a script finds an empty file `backwards` beside it.

    Raises:
        VerifierError: pytest is not installed.
        SandboxError: the sandbox broke.
    """
    boxes = furnished_opener(preparation, open_box) if preparation != Preparation() else open_box
    if checks.runner == "script":
        more = {"backwards": File(data=b"")} if backwards and not checks.command else {}
        run, said = await see_script(replace(checks, files=Tree(files={**checks.files.files, **more})), final, boxes)
        late = any(check.status == "timeout" for check in run.checks) or run.note == OUT_OF_TIME
        return SeenTests({check.id: check for check in run.checks}, f"{run.note} {said}".strip(), late, whole=True)
    if hidden:
        report = await run_strictly(checks, checks.files, final, boxes, backwards=backwards)
    else:
        report = await run_shown(checks, final, boxes, backwards=backwards)
    found = {name: report.check(name) for name in report.planned}
    others = (f"{name}: {each.message}" for name, each in report.checks.items() if name not in found)
    notes = [report.trouble_line(list(found)), *others]
    return SeenTests(found, "; ".join(dict.fromkeys(filter(None, notes)))[:2000], report.timed_out, report.whole)
