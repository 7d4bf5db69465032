"""`honestly improve prove`: is what a loop found better than what it began with?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import alpha_option, json_option, one_line_name, print_answer, say_on_stderr, unsafe_option

if TYPE_CHECKING:
    from honestly.improve._loop_report import LoopProof


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--from",
    "kind",
    type=click.Choice(["cap-evolve", "gepa", "openevolve", "table"]),
    help="The program that wrote RUN, if not `improve`.",
)
@click.option("--end", is_flag=True, help="End the loop if it is still open.")
@click.option(
    "--cluster",
    default="",
    metavar="WHAT",
    help="With --from: group related tasks by a FILE of question and cluster; or none.  [default: as their ids show]",
)
@alpha_option
@unsafe_option
@json_option
def prove(run: Path, kind: str | None, end: bool, cluster: str, alpha: float, unsafe: bool, as_json: bool) -> None:
    """Test whether what a loop found is better, and say what is missing to believe it.

    RUN is a project that `honestly improve` worked on, or the folder of its run: winner, baseline and best-of-N are
    measured on fresh seeds, as declared before the loop started. With --from, RUN contains the files of another tool's
    loop.

    The winner was partly chosen for its luck, so it is measured again. See docs/prove.md.

    Exit code 0: better (with --from: in every claim). 1: worse (with --from: in any claim). 4: anything else.
    """
    if kind is None:
        from honestly.improve import RUN_FOLDER

        if cluster:
            raise click.UsageError("--cluster goes with --from: fresh seeds are drawn independently")
        found = _prove_ours(run, alpha, end=end, unsafe=unsafe, quiet=as_json)
        print_answer(found, as_json=as_json)
        if not as_json and found.n:
            project = run if (run / RUN_FOLDER).is_dir() else run.parent
            for name in ("best", "best-of-n") if found.best_of_n is not None else ("best",):
                say_on_stderr(f"To have it: honestly improve apply {project} {name}")
        click.get_current_context().exit(_exit_code({found.verdict}))
    from honestly.improve import proof_report, read_claims
    from honestly.scores import Declared

    report = proof_report(read_claims(run, kind), alpha, Declared.from_options(cluster).clusters)
    print_answer(report, as_json=as_json)
    click.get_current_context().exit(_exit_code({claim.verdict for claim in report.claims}))


def _exit_code(verdicts: set[str]) -> int:
    return 1 if any(each.startswith("worse") for each in verdicts) else 0 if verdicts == {"better"} else 4


def _prove_ours(run: Path, alpha: float, *, end: bool, unsafe: bool, quiet: bool) -> LoopProof:
    import anyio

    from honestly.improve import loop_proof, open_run, prove_run
    from honestly.improve._declare import RUN_FOLDER
    from honestly.sandbox import open_sandbox

    folder = run / RUN_FOLDER if (run / RUN_FOLDER).is_dir() else run
    with open_run(folder, partial(open_sandbox, unsafe=unsafe)) as opened:
        if not quiet:
            opened.told = lambda line: say_on_stderr(f"{opened.arm} {one_line_name(line)[:200]}")
        return loop_proof(anyio.run(partial(prove_run, opened, end=end)), alpha)
