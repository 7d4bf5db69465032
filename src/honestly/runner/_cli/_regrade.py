"""`honestly study regrade`: kept work judged again by corrected hidden checks."""

from functools import partial
from pathlib import Path

import click

from honestly.command import StudyPlace, json_option, print_answer, progress_bar, say_on_stderr, study_argument


@click.command()
@study_argument
@click.argument("suite")
@click.option("--out", "-o", required=True, type=StudyPlace(), help="The study to write.")
@click.option("--unsafe-no-sandbox", "unsafe", is_flag=True, help="Run the kept work without isolation.")
@json_option
def regrade(study: Path, suite: str, out: Path, unsafe: bool, as_json: bool) -> None:
    """Judge the kept work of STUDY again, by the hidden checks that SUITE has now. No agent and no model runs.

    Use it after you corrected hidden checks. If agents would see another task (instruction, files, limits), it refuses.
    Run the same command again to resume.
    """
    import anyio
    from msgspec.structs import replace

    from honestly.command import build_suite, on_this_machine
    from honestly.errors import StoreError
    from honestly.runner._regrade import new_facts, regrade_study, regraded_tasks
    from honestly.sandbox import open_sandbox
    from honestly.store import create_study, open_study
    from honestly.tasks import load_suite

    loaded = build_suite(on_this_machine(load_suite(suite), unsafe=unsafe)[0], quiet=as_json)[0]
    with open_study(study) as old:
        changed = regraded_tasks(old, loaded)
        if not out.exists():
            create_study(out, replace(old.facts(), **new_facts(old, loaded, changed))).close()
        with open_study(out, "write") as new:
            if new.facts().suite_hash != loaded.hash:
                raise StoreError(f"{out} is there already, and no part of this; give another --out")
            with progress_bar("judging", quiet=as_json) as line:
                found = anyio.run(regrade_study, old, new, changed, partial(open_sandbox, unsafe=unsafe), line)
    print_answer(found, as_json=as_json)
    if not as_json:
        say_on_stderr(f"Next: honestly report {out}; honestly audit {out}")
