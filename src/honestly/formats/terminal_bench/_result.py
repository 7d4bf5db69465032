"""One trial as Terminal-Bench's `results.json` tells it, and what it means in our words.

`is_resolved` decides the outcome: true is `passed`, also where the agent ran out of time before the tests were run;
false is `limit` if `failure_mode` says that the agent ran out of time, else `failed`; null, whatever the failure mode
(`parse_error`, `test_timeout`, `unknown_agent_error`), is `void`: no verdict was reached, and whether that counts as
failed is a policy that reports declare. `failure_mode` is kept as the reason. The older variant of the format has
`uuid` instead of `id` and no times. A token count of 0 means that the agent did not report any.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from honestly._loose import count_of
from honestly.errors import FormatError
from honestly.formats._imported import storable_text
from honestly.formats._sources import imported_trial
from honestly.records import Check, CheckRun, Outcome, Trial, Usage, Verdict

_TASK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_TRIAL = re.compile(r"[^/\0]{1,200}")
_STATUSES = ("passed", "failed", "error", "skipped")


class Result(NamedTuple):
    """The content of the file, with the doubtful parts named in `defects`."""

    uid: str
    name: str
    task: str
    instruction: str
    trial: Trial
    """What came of it, without agent, task, sample, id and source."""
    defects: tuple[tuple[str, str], ...]
    """Kind and detail of each defect of this trial."""


def parse_result(data: object) -> Result:
    """Read one trial.

    Raises:
        FormatError: it cannot be placed (no usable `task_id` or `trial_name`), or its `is_resolved` is neither true,
            false nor null.
    """
    if not isinstance(data, dict):
        raise FormatError(f"a trial should be an object, not {_ascii_start(data)}")
    fields: Mapping[str, object] = data
    task = _field_name(fields, "task_id", _TASK, "letters, digits, '.', '_' and '-'")
    name = _field_name(fields, "trial_name", _TRIAL, "the name of one directory")
    resolved = fields.get("is_resolved", _ABSENT)
    if resolved is not None and not isinstance(resolved, bool):
        raise FormatError(f"trial {name}: is_resolved should be true, false or null, not {_ascii_start(resolved)}")
    defects: list[tuple[str, str]] = []
    mode = fields.get("failure_mode")
    reason = "" if mode in (None, "unset", "none") else _field_text(mode)
    checks = _result_checks(fields.get("parser_results"), defects)
    _note_odd_verdict(resolved, reason, checks, defects)
    usage = Usage(
        input_tokens=count_of(fields.get("total_input_tokens")) or None,
        output_tokens=count_of(fields.get("total_output_tokens")) or None,
    )
    if usage.input_tokens is None and usage.output_tokens is None:
        defects.append(("tokens not reported", "0 or null; kept as unknown"))
    uid = fields.get("id", fields.get("uuid"))
    if "id" not in fields and "uuid" in fields:
        defects.append(("old trial format", "`uuid` instead of `id`, no times"))
    started, seconds = _phase_span(fields, "trial", defects)
    if started is None and "id" in fields:
        defects.append(("times missing", "the trial has none; it may never have started"))
    ended = Outcome.VOID if resolved is None else Outcome.PASSED if resolved else Outcome.FAILED
    made = imported_trial(
        "",
        Outcome.LIMIT if ended is Outcome.FAILED and reason == "agent_timeout" else ended,
        reason=reason,
        verdict=Verdict(hidden=None if checks is None else CheckRun(checks=checks)),
        usage=usage,
        started_at=started,
        seconds=seconds,
        agent_seconds=_phase_span(fields, "agent", defects)[1],
    )
    instruction = _field_text(fields.get("instruction") or "")
    return Result(_field_text(uid) if isinstance(uid, str) else "", name, task, instruction, made, tuple(defects))


_ABSENT = object()


def _field_name(fields: Mapping[str, object], key: str, pattern: re.Pattern[str], expected: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not pattern.fullmatch(value) or not value.isprintable() or value in {".", ".."}:
        raise FormatError(f"a trial's {key} should be {expected}, not {_ascii_start(value)}")
    return value


def _field_text(value: object) -> str:
    return storable_text(value if isinstance(value, str) else _ascii_start(value))


def _ascii_start(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    # Containers may be huge, or nested until Python gives up.
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return ascii(value[:80] if isinstance(value, str) else value)[:80]


def _result_checks(results: object, defects: list[tuple[str, str]]) -> tuple[Check, ...] | None:
    if results is None:
        return None
    if not isinstance(results, dict):
        defects.append(("unknown test result", f"parser_results is {_ascii_start(results)}; kept as not parsed"))
        return None
    checks: list[Check] = []
    for test, status in results.items():
        if status in _STATUSES:
            checks.append(Check(id=_field_text(test), status=status))
        else:
            defects.append(("unknown test result", f"{_ascii_start(test)}: {_ascii_start(status)}; kept as an error"))
            checks.append(Check(id=_field_text(test), status="error", message=_ascii_start(status)))
    return tuple(checks)


def _note_odd_verdict(
    resolved: bool | None, reason: str, checks: tuple[Check, ...] | None, defects: list[tuple[str, str]]
) -> None:
    """Notes what is odd about the verdict."""
    if resolved is None:
        defects.append((f"no verdict: {reason or 'no reason'}", "is_resolved is null; void"))
    elif resolved and reason == "agent_timeout":
        defects.append(("resolved after timeout", "the tests pass though the agent ran out of time; passed"))
    elif reason and not resolved and reason != "agent_timeout":
        defects.append((f"counted as failed: {reason}", "is_resolved is false; failed"))
    if resolved is not None:
        passed = bool(checks) and all(check.status == "passed" for check in checks or ())
        if passed is not resolved:
            defects.append(("verdict contradicts tests", f"is_resolved {resolved}, all tests passed {passed}; kept"))
    elif checks is not None:
        defects.append(("verdict contradicts tests", "is_resolved null, but tests were parsed; void"))


def _phase_span(
    fields: Mapping[str, object], what: str, defects: list[tuple[str, str]]
) -> tuple[str | None, float | None]:
    """Beginning, ISO 8601, and length in seconds of a phase; None where it is not known."""
    begin, end = fields.get(f"{what}_started_at"), fields.get(f"{what}_ended_at")
    if begin is None and end is None:
        return None, None
    try:
        first = _parsed_time(begin)
        seconds = None if end is None else (_parsed_time(end) - first).total_seconds()
    except (ValueError, TypeError, OverflowError):
        defects.append(("times unreadable", f"{what}: {_ascii_start(begin)} to {_ascii_start(end)}; kept as unknown"))
        return None, None
    if seconds is not None and seconds < 0:
        defects.append(("times unreadable", f"{what} ended before it began; its length is kept as unknown"))
        seconds = None
    return first.isoformat(), seconds


def _parsed_time(value: object) -> datetime:
    if not isinstance(value, str):
        raise TypeError
    time = datetime.fromisoformat(value)
    return time if time.tzinfo is None else time.astimezone(UTC)
