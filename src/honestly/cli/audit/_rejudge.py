"""What `honestly audit` looks at beside what trials left to read: references, and kept work that is run again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from honestly.cli._options import gathered, progress_bar, say

if TYPE_CHECKING:
    from honestly.audit import Detector
    from honestly.records import Finding
    from honestly.store import Store

__all__ = ["Looks", "chosen", "found_again", "look_options"]


_OPTIONS = (
    click.option(
        "--gold", is_flag=True, help="Compare with the reference solutions instead, and agents with each other."
    ),
    click.option(
        "--rejudge", is_flag=True, help="Run kept work again: other inputs, other orders, twice over (docs/audit.md)."
    ),
    click.option(
        "--honest-agent",
        default="",
        metavar="NAME",
        help="Whose trials show how often honest work fails hidden checks.",
    ),
    click.option(
        "--unsafe-no-sandbox",
        "unsafe",
        is_flag=True,
        help="Parse source in other languages than Python without isolation; unread where no sandbox can be built.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """What else was asked for."""

    gold: bool
    rejudge: bool
    honest_agent: str
    unsafe: bool

    def run(self, study: Store, detectors: Sequence[Detector], *, quiet: bool) -> None:
        """Adds the findings of a second look, if one is wanted.

        Raises:
            SandboxUnavailableError: this machine does not let us build a sandbox.
        """
        import anyio

        from honestly.audit.rejudge import cost_of, rejudge_study
        from honestly.runner import default_jobs
        from honestly.sandbox import open_sandbox

        if not self.rejudge:
            return
        cost = cost_of(study, detectors)
        if not quiet:
            say(
                f"a second look at {cost.trials} trials: {cost.works} different works that pass their visible checks, "
                f"{cost.tasks} tasks, about {cost.runs} runs in sandboxes"
            )
        with progress_bar("judging again", quiet=quiet) as line:
            look = partial(rejudge_study, study, partial(open_sandbox), detectors, jobs=default_jobs(), progress=line)
            anyio.run(look)


look_options = gathered(Looks, "looks", _OPTIONS)
"""Adds them to the command, which gets them as one argument, `looks`."""


def chosen(names: Sequence[str]) -> tuple[Sequence[Detector], Sequence[Detector]]:
    """The detectors of these names, all without any: those that read, and those that run work again.

    Raises:
        TaskError: there is none of a name.
    """
    from honestly.audit import choose
    from honestly.audit.rejudge import REJUDGED
    from honestly.seams import parse_list

    names = [name for text in names for name in parse_list(text)]
    again = [each for each in REJUDGED if not names or each.name in names]
    others = [name for name in names if name not in {each.name for each in again}]
    return choose(others) if others or not names else (), again


def found_again(again: Sequence[Detector], findings: Iterable[Finding]) -> list[Detector]:
    """Those of them that the study has findings of."""
    known = {(finding.detector, finding.version) for finding in findings}
    return [each for each in again if (each.name, each.version) in known]
