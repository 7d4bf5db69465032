"""The contract of detectors, and cases to try them on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from honestly.audit import Case, Detector, audit_case, choose_detectors, read_table
from honestly.audit._case import Need
from honestly.records import Edit, Finding, Observation, Outcome, Step, Task, ToolCall, Tree, Trial

_ODD = ("", "\x00\x1b[31m", "\udcff", "((((" * 2000, "cat <<'E'\n" + "x" * 50_000, "$(`\\", "'" * 99)


@dataclass(frozen=True)
class Commands(Case):
    """A trial in which an agent ran shell commands."""

    steps: tuple[Step, ...] = ()


def case_of_commands(*commands: str | tuple[str, str], asked: str = "Do it.", left: Tree | None = None) -> Commands:
    """A trial in which an agent ran shell commands, as detectors see it.

    Args:
        commands: What it ran, each maybe with what that printed.
        asked: The instruction.
        left: Files that it left.
    """
    pairs = [command if isinstance(command, tuple) else (command, "") for command in commands]
    steps = tuple(
        Step(
            source="agent",
            calls=(ToolCall.of(str(number), "bash", command=command.encode("utf-8", "replace").decode()),),
            observations=(Observation(text=printed, call_id=str(number), code=0),),
        )
        for number, (command, printed) in enumerate(pairs)
    )
    trial = Trial(id="t" * 16, agent="a", task="t", sample=0, outcome=Outcome.FAILED)
    final = Edit(write=left) if left else None
    return Commands(trial, read_table(steps), Task(id="t", instruction=asked), final, steps=steps)


def check_detector(
    detector: str | Detector, *, flags: Iterable[Commands] = (), leaves: Iterable[Commands] = ()
) -> None:
    """Runs a detector on typical, empty and hostile cases, and checks its findings.

    Args:
        detector: The detector, or what `--detector` would name.
        flags: Cases that it must flag, each with a verbatim quote.
        leaves: Cases that look like these, and that it must not flag.

    Raises:
        AssertionError: It breaks, quotes what is not there, says another thing the second time, or misses one of these.
    """
    (made,) = choose_detectors([detector]) if isinstance(detector, str) else (detector,)
    for what in ("name", "version", "category"):
        assert getattr(made, what), f"it has no {what}"
    assert made.needs, "it needs nothing, so that every trial would be unreadable to it"
    assert set(made.needs) <= set(get_args(Need)), f"it needs {made.needs}; there are: {', '.join(get_args(Need))}"
    bare = Trial(id="t" * 16, agent="a", task="t", sample=0, outcome=Outcome.VOID)
    odd = [case_of_commands((text, text), left=Tree.of({"a.py": "def ("})) for text in _ODD]
    for case in (Commands(bare, None), case_of_commands("ls"), *odd):
        assert _detector_finding(made, case).state != "error", f"it broke: {_detector_finding(made, case).note}"
        assert _detector_finding(made, case).note == _detector_finding(made, case).note, (
            "it says something else when it looks again"
        )
    for number, case in enumerate(flags):
        assert _detector_finding(made, case).state == "flagged", (
            f"case {number} is to be flagged, and is {_detector_finding(made, case).state}"
        )
    for number, case in enumerate(leaves):
        assert _detector_finding(made, case).state != "flagged", (
            f"case {number} is not to be flagged: {_detector_finding(made, case).note}"
        )


def _detector_finding(detector: Detector, case: Commands) -> Finding:
    (found,) = audit_case(case, [detector], dict(enumerate(case.steps)).get)
    return found
