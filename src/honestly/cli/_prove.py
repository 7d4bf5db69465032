"""`honestly prove`: is what a loop found better than what it began with?"""

from __future__ import annotations

from pathlib import Path

import click

from honestly.cli._options import answer, json_option
from honestly.cli._report import alpha_option


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--from", "kind", type=click.Choice(["cap-evolve", "table"]), required=True, help="What RUN is.")
@alpha_option
@json_option
def prove(run: Path, kind: str, alpha: float, as_json: bool) -> None:
    """Say what the files of an improvement loop, RUN, show of its claim, and what is missing to believe it.

    The winner's own score was chosen for its luck too; what counts is the winner measured again. See docs/prove.md.
    """
    from honestly.loops import read_claims
    from honestly.report import proof_report

    answer(proof_report(read_claims(run, kind), alpha), as_json=as_json)
