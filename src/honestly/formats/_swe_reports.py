"""Reports of SWE-bench's harness on instances, as outcomes and checks."""

from collections.abc import Iterator, Mapping

from honestly._loose import items_of, nested_dict
from honestly.formats._files import Tally
from honestly.formats._imported import storable_text
from honestly.records import Check, CheckRun, Outcome, Verdict

# Exit statuses that say that time, turns or budget ran out.
_LIMITS = {"LimitsExceeded", "TimeExceeded"}
_GROUPS = ("FAIL_TO_PASS", "PASS_TO_PASS")
_STATUS = {"success": "passed", "failure": "failed"}


def reports_in(found: object, folder: str) -> dict[str, Mapping[str, object]]:
    """Reports of SWE-bench's harness by instance: of the folder's, or keyed by id."""
    reports = {"": nested_dict(found)} | {
        key: value for key, value in nested_dict(found).items() if isinstance(value, dict)
    }
    judged = {key: value for key, value in reports.items() if "resolved" in value or "tests_status" in value}
    return {key or folder: value for key, value in judged.items()}


def judged_by_report(report: Mapping[str, object]) -> tuple[Outcome, str, Verdict]:
    """Outcome, reason and checks of a report of SWE-bench's harness."""
    return report_verdict(report, "", "", Tally())


def report_verdict(
    report: Mapping[str, object] | None, stop: str, where: str, tally: Tally
) -> tuple[Outcome, str, Verdict]:
    """The same, of an attempt that ended in a way of its own; what is odd is counted."""
    if report is None:
        return Outcome.VOID, "not judged", Verdict()
    resolved = report.get("resolved")
    if report.get("infra_failure"):
        tally.add("no verdict: infrastructure", where, "SWE-bench's harness failed; void")
        why = storable_text(report.get("infra_failure_reason") or "infrastructure failure")[:200]
        return Outcome.VOID, why, Verdict()
    if not isinstance(resolved, bool):
        tally.add("report without verdict", where, "`resolved` is neither true nor false; void")
        return Outcome.VOID, "not judged", Verdict()
    run = CheckRun(checks=tuple(_expected_tests(report)), note=_note(report))
    if run.checks and run.passed != resolved:
        tally.add("verdict contradicts tests", where, "the published verdict stays")
    outcome = Outcome.PASSED if resolved else Outcome.LIMIT if stop in _LIMITS else Outcome.FAILED
    return outcome, "" if stop == "Submitted" else stop, Verdict(hidden=run)


def _expected_tests(report: Mapping[str, object]) -> Iterator[Check]:
    """The tests that must pass, each once; those that failed come first, so that they count where both are said."""
    seen: set[str] = set()
    for kind in ("failure", "success"):
        for group in _GROUPS:
            for test in items_of(nested_dict(report, "tests_status", group).get(kind)):
                name = storable_text(test)[:1000]
                if name not in seen:
                    seen.add(name)
                    yield Check(id=name, status=_STATUS[kind], message=group if kind == "failure" else "")  # type: ignore[arg-type]


def _note(report: Mapping[str, object]) -> str:
    if report.get("patch_is_None") is True or report.get("patch_exists") is False:
        return "there was no patch"
    return "the patch could not be applied" if report.get("patch_successfully_applied") is False else ""
