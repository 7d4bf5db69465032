"""`honestly bench hunt`: find memory errors in a C program, and prove each."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly.command import headed_option, json_option, one_line_name, print_json, say_on_stderr
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.agents import Actor
    from honestly.hunt import HuntState
    from honestly.records import Tree

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("project", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--run",
    "command",
    default="./program",
    show_default=True,
    help="The command to run; @@ is replaced by the input file.",
)
@click.option(
    "--seconds", default=60.0, show_default=True, type=click.FloatRange(min=0), help="How long to fuzz. 0: not at all."
)
@click.option("--agent", "-a", help="Also let an agent look: `honest` with a model, or `module:function`.")
@click.option("--model", "-m", help="The model that the agent asks (docs/models.md).")
@click.option("--tests", default="", help="A shell command that succeeds if the built program is right.")
@click.option("--fix", type=_FILE, help="Test whether this patch of the sources fixes the error.")
@click.option(
    "--fuzz-seconds", default=60.0, show_default=True, type=click.FloatRange(min=0), help="How long to fuzz a fix."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the fuzzer and the agent.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="The folder of the hunt.  [default: PROJECT/.hunt]"
)
@headed_option(
    "Bundle", "--bundle", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the findings as a bundle for honestly rerun.",
)  # fmt: skip
@headed_option("Bundle", "--tell", default="", metavar="WHOM", help="With --bundle: whom to tell of the findings.")
@headed_option("Bundle", "--by", default="", metavar="DATE", help="With --bundle: by when to tell, as 2026-01-31.")
@json_option
def hunt(
    project: Path,
    out: Path | None,
    agent: str | None,
    model: str | None,
    bundle: Path | None,
    as_json: bool,
    **how: Any,  # noqa: ANN401 - what the options hold
) -> int:
    """Find memory errors in the C program in PROJECT, and prove each by an input that crashes it. See docs/hunt.md.

    PROJECT is a folder with C sources. They are built by its Makefile, or else from all *.c into ./program. A finding
    counts only if its input makes a sanitizer report in two fresh builds. Stop with Ctrl-C; run the same command again
    to resume. Exit code 1: an error is proved that no fix repairs.
    """
    import anyio

    from honestly.hunt import Hunt, HuntedProject, HuntOrder
    from honestly.sandbox import open_sandbox

    folder = out or project / ".hunt"
    command = how["command"]
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise click.UsageError(f"--run {command!r} cannot be split into words: {error}") from error
    if not argv:
        raise click.UsageError("--run is empty; expected a command such as './program @@'")
    whole = HuntedProject(project.resolve().name, _sources(project), argv, how["tests"])
    fix = how["fix"].read_text("utf-8") if how["fix"] else ""
    order = HuntOrder(seconds=how["seconds"], seed=how["seed"], fix=fix, fuzz_s=how["fuzz_seconds"])
    running = Hunt(whole, order, folder, open_sandbox, partial(_tell_line, quiet=as_json))
    try:
        state = anyio.run(running.hunt, _agent(agent, model))
    except KeyboardInterrupt:
        say_on_stderr(
            f"stopped after {running.state.fuzzed_s:.0f} s of fuzzing; run the same command again to continue"
        )
        raise
    if bundle is not None:
        from honestly.check._rerun_hunt import HuntSaid, write_hunt_bundle

        said = HuntSaid(name=whole.name, argv=whole.argv, tests=whole.tests, state=state, fix=fix,
                        tell=how["tell"], by=how["by"])  # fmt: skip
        write_hunt_bundle(
            bundle, whole, said, {each.input: (folder / each.input).read_bytes() for each in state.findings}
        )
        say_on_stderr(f"the findings are in {bundle}; again: honestly rerun {bundle}")
    print_json(state.to_plain()) if as_json else _show_findings(state, folder)
    return int(any(not each.fixed for each in state.findings))


def _tell_line(line: str, *, quiet: bool) -> None:
    if not quiet:
        say_on_stderr(one_line_name(line))


def _sources(project: Path) -> Tree:
    from honestly.errors import TaskError
    from honestly.records import Tree

    tree = Tree.read(project, skip=(".hunt", ".git"), largest=64 << 20)
    if not any(path.endswith(".c") for path in tree.files):
        raise TaskError(f"{project} contains no C sources; expected *.c in it, or a Makefile that builds them")
    return tree


def _agent(spec: str | None, model: str | None) -> Actor | None:
    if spec is None:
        if model:
            raise click.UsageError("--model answers for an agent; say which: --agent honest")
        return None
    from honestly.agents import make_agent
    from honestly.models import RetryModel, make_model
    from honestly.records import Suite

    return make_agent(spec, Suite(name="hunt", version="1", tasks=()), RetryModel(make_model(model)) if model else None)


def _show_findings(state: HuntState, folder: Path) -> None:
    for each in state.findings:
        fixed = {None: "", True: "; the fix holds", False: "; not fixed"}[each.fixed]
        click.echo(f"{each.kind}: {one_line_name(folder.name)}/{each.input}, reproduced {each.reproduced} times{fixed}")
        for frame in each.stack[:5]:
            click.echo(f"    {one_line_name(frame)}")
    for note in state.notes:
        click.echo(one_line_name(note))
    verdicts = list(state.claims.values())
    known, nothing = verdicts.count("known"), verdicts.count("nothing")
    click.echo(
        f"{plural_text(len(state.findings), 'error')} proved, {plural_text(state.runs, 'run')} "
        f"in {state.fuzzed_s:.0f} s of fuzzing"
    )
    click.echo(
        f"{plural_text(len(verdicts), 'claim')}: {known} of an error that was known already, {nothing} did not crash"
    )
