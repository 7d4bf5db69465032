"""`honestly improve`: a loop that makes a project better, and whose gain can be proved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from honestly.command import (
    Name,
    headed_option,
    json_option,
    line_of,
    one_line_name,
    print_json,
    say_on_stderr,
    unsafe_option,
)
from honestly.improve._cli._more import budget_lines, export_git, more_lines, more_status
from honestly.show import plural_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from honestly.improve import LoopRun, State, Target
    from honestly.records import Edit

_FIXER = "tasks-harden+probes"
_OPTIONS = {"rivals": "agent", "attackers": "attacker", "solvers": "solver"}
_ACTIONS = "status, show N, diff A B, apply N, export FOLDER"

_project = click.argument("project", type=click.Path(path_type=Path, file_okay=False))
_out = click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the run.  [default: PROJECT/.improve]",
)
_run = click.option(
    "--run",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the run.  [default: PROJECT/.improve]",
)


@click.command()
@_project
@click.argument("what", nargs=-1, metavar="")
@click.option(
    "--loop",
    type=Name("improve:LOOPS"),
    help="autoresearch, best-of, evolve, kernel, reflect, harden, or MODULE:FUNCTION.  [default: autoresearch]",
)
@click.option(
    "--agent",
    "-a",
    "agents",
    multiple=True,
    help="The agent that proposes: any agent of `run`, or one of known truth. Repeatable.",
)
@click.option("--model", "-m", help="The model that the agent asks (docs/models.md).")
@click.option("--budget", help='What it may spend: "4h, 20 usd, 50 attempts, 2M tokens".')
@headed_option("Limits", "--more", help='What a loop that has ended may spend on top: "2h, 10 attempts".')
@headed_option(
    "How",
    "--keep",
    help="How to choose the attempt to build on: race (shared seeds), paired (evidence), naive.  [default: race]",
)
@headed_option(
    "How", "--attacker", "attackers", multiple=True, help="For harden: an agent that tries to earn rewards. Repeatable."
)
@headed_option(
    "How",
    "--solver",
    "solvers",
    multiple=True,
    help="For [agent]: the agent to measure. For harden: an agent that must pass.",
)
@headed_option(
    "How",
    "--tries",
    type=click.IntRange(min=1),
    help="For harden: stop after this many rounds without a reward.  [default: 1]",
)
@headed_option("How", "--seed", type=int, help="Seed of the run. Hide it from agents.  [default: secret]")
@click.option("--new", "example", help="First write an example project: curve, kernel, prompt, sorting, triton.")
@_out
@unsafe_option
@json_option
def improve(
    project: Path,
    what: tuple[str, ...],
    example: str | None,
    out: Path | None,
    unsafe: bool,
    as_json: bool,
    **terms: object,
) -> int:
    """Let an agent improve PROJECT in a loop. See docs/improve.md.

    PROJECT contains `improve.toml` (what may change, how it is evaluated) and `program.md` (what to try). Stop with
    Ctrl-C at any moment; run the same command again to resume. Kept attempts only guide the search. `honestly improve
    prove PROJECT` tests whether the gain is real.
    """
    from honestly.improve._declare import RUN_FOLDER
    from honestly.improve.projects import write_example

    folder = out or project / RUN_FOLDER
    if what:
        return _print_answer(project, folder, what, as_json=as_json)
    if example is not None and not project.exists():
        write_example(example, project)
        say_on_stderr(f"wrote the embedded project {example} into {project}")
    _begin_run(project, folder, terms)
    state = _go_on(folder, unsafe=unsafe, quiet=as_json)
    if as_json:
        print_json(_status_keys(state[0], state[1]))
    else:
        _say_status(*state)
        say_on_stderr(f"Next: honestly improve prove {folder if out else project}")
    return 0


def _begin_run(project: Path, folder: Path, typed: Mapping[str, Any]) -> None:
    """Begins a run; or checks that what is typed is what was declared."""
    from honestly.errors import StoreError
    from honestly.improve import LoopTerms, begin_run, extend_run, read_loop_budget, read_run, read_target

    agents = typed["agents"] or ((_FIXER,) if typed["loop"] == "harden" else ())
    given = {**typed, "agents": None, "agent": next(iter(agents), None), "rivals": agents[1:]}
    terms = {name: value for name, value in given.items() if value not in (None, ())}
    more = terms.pop("more", "")
    if (folder / "journal.jsonl").is_file():
        old, state = read_run(folder)
        declared = state.declared
        assert declared is not None
        if declared.loop != "harden" and old.declaration != read_target(project).declaration:
            raise StoreError(f"improve.toml has changed since the run in {folder} started; start another with --out")
        said = {**msgspec.structs.asdict(declared), "rivals": tuple(each.agent for each in declared.rivals)}
        for name in ("loop", "keep", "agent", "rivals", "model", "attackers", "solvers", "tries"):
            if name in terms and terms[name] != said[name]:
                option = _OPTIONS.get(name, name)
                raise StoreError(
                    f"the run in {folder} was started with --{option} {said[name]}; start another with --out"
                )
        if "budget" in terms and read_loop_budget(str(terms["budget"])) != declared.budget:
            raise StoreError(
                f"the run in {folder} was started with another budget; once it has ended, --more gives it more"
            )
        if more:
            extend_run(folder, read_loop_budget(str(more)))
        return
    if not project.exists():
        raise click.UsageError(f"there is no project {project}; name its folder, or write an example with --new")
    if more or "agent" not in terms or "budget" not in terms:
        raise click.UsageError('a run begins with --agent and --budget: --agent searcher --budget "20 attempts"')
    begun = LoopTerms(**{**terms, "budget": read_loop_budget(str(terms["budget"]))})
    target = _loop_target(project, folder) if begun.loop == "harden" else read_target(project)
    begin_run(folder, target, begun, project.resolve().name)


def _loop_target(project: Path, folder: Path) -> Target:
    from honestly.errors import TaskError
    from honestly.improve import suite_target
    from honestly.tasks import load_suite

    if not project.is_dir() and folder.is_relative_to(project):
        raise TaskError(f"{project} is not a folder; say where to put the run: --out FOLDER")
    suite = load_suite(str(project))
    target = suite_target(suite)
    left = [task.id for task in suite.tasks if f"{task.id}/honestly.json" not in target.tree.files]
    if left:
        say_on_stderr(
            f"left out, because they have an image or no hidden checks: {', '.join(map(one_line_name, left))}"
        )
    return target


def _go_on(folder: Path, *, unsafe: bool, quiet: bool) -> tuple[Target, State]:
    import anyio

    from honestly.improve import open_run, work_until_spent
    from honestly.improve._attempts import attempt_table
    from honestly.sandbox import open_sandbox
    from honestly.work import write_file

    with open_run(folder, partial(open_sandbox, unsafe=unsafe)) as run:
        run.told = _teller(run, quiet=quiet)
        for line in () if quiet or "loop" in run.state.sealed else budget_lines(run.target, run.state):
            say_on_stderr(line)
        try:
            anyio.run(work_until_spent, run)
        except KeyboardInterrupt:
            say_on_stderr(
                f"stopped after {run.state.spent['loop'].attempts} attempts; run the same command again to continue"
            )
            raise
        finally:
            write_file(folder / "results.tsv", attempt_table(run.target, run.state).as_tsv().encode())
        return run.target, run.state


def _teller(run: LoopRun, *, quiet: bool) -> Callable[[str], None]:
    def told(line: str) -> None:
        if not quiet:
            say_on_stderr(f"{run.arm if run.arm != 'loop' else 'attempt'} {one_line_name(line)[:200]}")

    return told


def _print_answer(project: Path, folder: Path, what: tuple[str, ...], *, as_json: bool) -> int:
    """What `honestly improve PROJECT status` and the like said before they were commands."""
    action, *rest = what
    takes = {"status": 0, "show": 1, "diff": 2, "apply": 1, "export": 1}
    if takes.get(action) != len(rest):
        raise click.UsageError(f"{' '.join(what)!r} is not understood; expected one of: {_ACTIONS}")
    say_on_stderr(f"note: this is now: honestly improve {action} {project} {' '.join(rest)}".rstrip())
    target, state = _read_target(project, folder)
    if action == "status":
        print_json(_status_keys(target, state)) if as_json else _say_status(target, state)
    elif action == "show":
        _show_state(target, state, rest[0], as_json=as_json)
    elif action == "diff":
        _print_diff(target, state, *rest)
    elif action == "export":
        export_git(Path(rest[0]), target, state)
    else:
        _apply(project, target, state, rest[0])
    return 0


def _read_target(project: Path, folder: Path | None) -> tuple[Target, State]:
    from honestly.improve import RUN_FOLDER, read_run

    return read_run(folder or project / RUN_FOLDER)


@click.command()
@_project
@_run
@json_option
def status(project: Path, run: Path | None, as_json: bool) -> None:
    """Show the state of the loop of PROJECT: its baseline, its best attempt, and what it spent."""
    found = _read_target(project, run)
    print_json(_status_keys(*found)) if as_json else _say_status(*found)


@click.command()
@_project
@click.argument("attempt")
@_run
@json_option
def show(project: Path, attempt: str, run: Path | None, as_json: bool) -> None:
    """Show ATTEMPT, a number: why it was kept or dropped, its evaluations, its change."""
    _show_state(*_read_target(project, run), attempt, as_json=as_json)


@click.command()
@_project
@click.argument("before")
@click.argument("after")
@_run
def diff(project: Path, before: str, after: str, run: Path | None) -> None:
    """Print the change from BEFORE to AFTER as a patch; each is an attempt, `baseline`, `best` or `best-of-n`."""
    _print_diff(*_read_target(project, run), before, after)


@click.command()
@_project
@click.argument("attempt")
@_run
def apply(project: Path, attempt: str, run: Path | None) -> None:
    """Apply the change of ATTEMPT (a number, `best`, or `best-of-n`) to PROJECT, if its files have not changed."""
    _apply(project, *_read_target(project, run), attempt)


@click.command()
@_project
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The git repository to write.")
@_run
def export(project: Path, out: Path, run: Path | None) -> None:
    """Write the attempts of the loop of PROJECT as commits of a new git repository."""
    export_git(out, *_read_target(project, run))


def _status_keys(target: Target, state: State) -> dict[str, object]:
    """The keys of `status --json`, which are fixed."""
    assert state.declared is not None
    base = state.decided.get(("loop", 0))
    spent = state.spent["loop"]
    kept = sum(each.kept for (arm, n), each in state.decided.items() if arm == "loop" and n)
    return {
        "loop": state.declared.loop,
        "metric": target.declaration.metric,
        "direction": target.declaration.direction,
        "baseline": base.score if base else None,
        "best": {"id": state.best, "score": state.score},
        "attempts": spent.attempts,
        "kept": kept,
        "budget": {
            "declared": state.total_budget,
            "spent": {
                name: getattr(spent, name) for name in ("attempts", "evaluations", "seconds", "cpu", "tokens", "usd")
            },
            "interrupted": state.interrupted,
            "ended": state.sealed["loop"].why if "loop" in state.sealed else None,
        },
        **more_status(target, state),
    }


def _say_status(target: Target, state: State) -> None:
    declared, spent = state.declared, state.spent["loop"]
    base = state.decided.get(("loop", 0))
    assert declared is not None
    score = "–" if base is None or base.score is None else f"{base.score:.5g}"
    best = "–" if state.score is None else f"{state.score:.5g}"
    kept = sum(each.kept for (arm, n), each in state.decided.items() if arm == "loop" and n)
    ended = (
        f"ended: {state.sealed['loop'].why}"
        if "loop" in state.sealed
        else "not ended; run the same command again to continue"
    )
    click.echo(f"{declared.loop}, {declared.keep}, {one_line_name(declared.agents)}: {ended}")
    said = target.declaration
    click.echo(f"{said.metric} ({said.direction} is better): {score} unchanged, {best} best as selected")
    for key, values in state.notes.items():
        click.echo(f"{key}: {', '.join(f'{name} {value:.4g}' for name, value in values.items())}")
    click.echo(
        f"{spent.attempts} attempts, {kept} kept; {spent.evaluations} evaluations, {spent.seconds:.0f} s, "
        f"{spent.tokens} tokens, {spent.usd:.2f} usd; {state.interrupted} interrupted"
    )
    for line in more_lines(target, state):
        click.echo(line)


def _candidate_id(state: State, name: str) -> str:
    """The id of a candidate by what a person types: a number, `best`, `baseline`, or an id."""
    from honestly.errors import StoreError
    from honestly.improve import BASELINE

    if name in {"best", BASELINE, "0"}:
        return state.best if name == "best" else BASELINE
    if name == "best-of-n" and "control" in state.sealed:
        return state.sealed["control"].best
    if name.isdecimal() and ("loop", int(name)) in state.proposed:
        return state.proposed["loop", int(name)].id
    if name in state.edits:
        return name
    raise StoreError(
        f"there is no attempt {name!r}; there are 1 to {state.spent['loop'].attempts}, best, baseline, and best-of-n "
        "once `honestly improve prove` has measured it"
    )


def _show_state(target: Target, state: State, name: str, *, as_json: bool) -> None:
    from honestly.errors import StoreError
    from honestly.improve._audit import flags_of
    from honestly.trials import diff_lines

    found = state.proposed.get(("loop", int(name))) if name.isdecimal() else None
    if found is None:
        raise StoreError(f"there is no attempt {name!r} that has ended; there are {state.spent['loop'].attempts}")
    decided = state.decided.get(("loop", found.n))
    flags = [each for each in flags_of(target, state) if each.attempt == found.n]
    words = tuple(f"loop {word} {found.n} " for word in ("keep", "solve", "replay"))
    looks = [
        each
        for each in state.evaluated.values()
        if each.key.startswith(words) or (each.id == found.id and each.key.startswith("loop score "))
    ]
    if as_json:
        print_json({"attempt": found, "decided": decided, "evaluations": looks, "flags": flags})
        return
    word = "not decided yet" if decided is None else f"{'kept' if decided.kept else 'dropped'}: {decided.why}"
    click.echo(f"attempt {found.n} ({found.id}), from {found.parent}: {one_line_name(word)}")
    if found.said:
        click.echo(f"it said: {line_of(' '.join(found.said.split())[-200:])}")
    for path in found.tampered:
        click.echo(f"put back: {one_line_name(path)}")
    for flag in flags:
        click.echo(f"{flag.flag}: {one_line_name(flag.path)} {line_of(flag.line)}")
    for each in looks:
        value = each.status if each.value is None else f"{each.value:.6g}"
        click.echo(f"{'candidate' if each.id == found.id else 'incumbent'}  {value}")
    before = target.workspace(state.edits[found.parent])
    for line in diff_lines(before, _edit_between(target, state, found.parent, found.id)):
        click.echo(line_of(line))


def _edit_between(target: Target, state: State, old: str, new: str) -> Edit:
    from honestly.records import Edit

    return Edit.between(target.workspace(state.edits[old]), target.workspace(state.edits[new]))


def _print_diff(target: Target, state: State, a: str, b: str) -> None:
    from honestly.trials import diff_lines

    old, new = _candidate_id(state, a), _candidate_id(state, b)
    for line in diff_lines(target.workspace(state.edits[old]), _edit_between(target, state, old, new)):
        click.echo(line_of(line))


def _apply(project: Path, target: Target, state: State, name: str) -> None:
    """Makes a candidate's change in the project, where its files are still as they were when the run began."""
    from honestly.agents import write_back, write_objections
    from honestly.errors import StoreError

    edit = state.edits[_candidate_id(state, name)]
    if found := write_objections(project, target.tree, edit):
        raise StoreError(
            f"nothing was changed: {'; '.join(found)}. `diff baseline {name}` prints the change as a patch"
        )
    write_back(project, edit)
    say_on_stderr(f"wrote {plural_text(len(edit.write.files), 'file')}, deleted {len(edit.delete)} in {project}")
