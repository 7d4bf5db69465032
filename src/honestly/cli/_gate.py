"""`honestly gate`: a red build where an agent became worse, and only where that is real."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._diff import named_agents
from honestly.cli._options import StudyPath, answer, json_option, say, study_argument
from honestly.cli._report import declared_options, policy_options

if TYPE_CHECKING:
    from honestly.report import Declared
    from honestly.stats import Policy

_CODES = {"pass": 0, "fail": 1, None: 4}
_STANDARD_OUTPUT = Path("-")


@click.command()
@study_argument
@click.option("--baseline", type=StudyPath(), help="The study with the baseline; without it, both are in STUDY.")
@click.option(
    "--min-gap",
    type=click.FloatRange(0, 100, max_open=True),
    default=0.0,
    show_default=True,
    help="The loss that you put up with, in points of 100.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Chance, at most, of a red build without a reason, and of a green one in spite of a loss.",
)
@click.option("--agent", "-a", help="The agent, where there are several.")
@click.option("--baseline-agent", help="The baseline, where its name is another one.")
@click.option("--cannot-tell", type=click.Choice(["pass", "fail"]), help="Exit 0 or 1 where the data cannot tell.")
@click.option(
    "--despite",
    multiple=True,
    type=click.Choice(["tasks", "limits", "harness"]),
    help="Compare though these differ; repeat for more. Changed tasks are left out.",
)
@click.option("--markdown", type=click.Path(path_type=Path), help="Write a comment for a pull request; - for output.")
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit's XML.")
@declared_options
@policy_options
@json_option
def gate(
    study: Path,
    baseline: Path | None,
    min_gap: float,
    alpha: float,
    agent: str | None,
    baseline_agent: str | None,
    cannot_tell: str | None,
    despite: Sequence[str],
    markdown: Path | None,
    junit: Path | None,
    declared: Declared,
    policy: Policy,
    as_json: bool,
) -> int:
    """Say whether an agent of STUDY is worse than a baseline, by the tasks that both did: a gate for CI.

    Exit code 0: not worse. 1: worse. 4: the data cannot tell, unless --cannot-tell says otherwise. STUDY and the
    baseline may be anybody's results. See docs/gate.md.
    """
    from honestly import studies

    if 0 < min_gap < 1:
        say(f"--min-gap is in points of 100, so that {min_gap:g} is a fraction of {min_gap / 100:g}")
    new, old = studies.open(study), studies.open(baseline) if baseline else None
    if old is None and not (agent and baseline_agent):
        raise click.UsageError("without --baseline, --agent and --baseline-agent name two agents of STUDY")
    before, after = baseline_agent or agent or "", agent or ""
    if old is not None:
        with old.store() as one, new.store() as other:
            before, after = named_agents(one, other, tuple(filter(None, (before, agent))))
    found = new.gate(
        after, before, old, gap=min_gap / 100, alpha=alpha, policy=policy, declared=declared, despite=despite
    )
    code = found.exit_code(_CODES[cannot_tell])
    if junit is not None:
        junit.write_text(found.to_junit(cannot_tell=code), encoding="utf-8")
    if markdown is not None and markdown != _STANDARD_OUTPUT:
        markdown.write_text(found.to_markdown(), encoding="utf-8")
    if markdown == _STANDARD_OUTPUT and not as_json:
        sys.stdout.write(found.to_markdown())
    else:
        answer(found, as_json=as_json)
    return code
