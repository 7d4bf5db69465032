"""`honestly agent memory`: what agents have learnt, what it is worth, and taking entries out of it."""

from pathlib import Path

import click

from honestly.command import StudyPath, json_option, old_folder_argument, one_line_name, print_json, say_on_stderr
from honestly.show import plural_text

_FOLDER = click.Path(path_type=Path, file_okay=False)
folder_argument = click.argument("folder", type=_FOLDER)


@click.command()
@click.argument("study", type=StudyPath())
@click.option(
    "--alpha",
    type=click.FloatRange(0.0001, 0.5),
    default=0.05,
    show_default=True,
    help="Intervals have coverage 1 - ALPHA.",
)
@json_option
def gain(study: Path, alpha: float, as_json: bool) -> None:
    """Measure what each memory of STUDY is worth, on families of tasks that it did not learn from."""
    from honestly.memory._cli._run import say_gain
    from honestly.memory.learning import memory_gains
    from honestly.store import open_study

    with open_study(study) as store:
        found = memory_gains(store, alpha)
    if as_json:
        print_json({"study": str(study), "gains": found})
        return
    for each in found:
        say_gain(each)


@click.command()
@click.argument("study", type=StudyPath())
@click.argument("agent")
@old_folder_argument
@click.option("--out", "-o", "place", default="", metavar="FOLDER", help="The folder to write.")
def export(study: Path, agent: str, folder: str, place: str) -> None:
    """Write what AGENT of STUDY learned as files that people can read."""
    from honestly.command import place_to_write
    from honestly.errors import StoreError
    from honestly.memory import write_library
    from honestly.memory.learning import learnt_lessons
    from honestly.scores import find_agent
    from honestly.store import open_study

    path = Path(place_to_write(place, folder))
    with open_study(study) as store:
        name = find_agent([each.name for each in store.agents()], agent)
        learnt = learnt_lessons(store, name)
    if not learnt:
        raise StoreError(f"{name!r} learned nothing in {study}; expected an agent with --memory")
    write_library(learnt[-1].library, path)
    say_on_stderr(f"wrote version {learnt[-1].library.version} of what {one_line_name(name)} knows to {path}")


@click.command()
@folder_argument
@json_option
def list_(folder: Path, as_json: bool) -> None:
    """List the entries of the memory in FOLDER."""
    from honestly.memory import read_library

    library = read_library(folder)
    if as_json:
        print_json(
            {
                "version": library.version,
                "kind": library.kind,
                "hash": library.hash,
                "entries": [
                    *(
                        {"key": each.key, "title": each.title, "tasks": each.tasks, "by": each.by}
                        for each in library.workflows
                    ),
                    *(
                        {"key": each.key, "title": each.doc, "tasks": each.tasks, "by": each.by, "state": each.state}
                        for each in library.skills
                    ),
                ],
                "revoked": library.revoked,
            }
        )
        return
    for workflow in library.workflows:
        click.echo(
            f"{workflow.key}  {one_line_name(workflow.title)}  (taught by {plural_text(len(workflow.tasks), 'task')})"
        )
    for skill in library.skills:
        click.echo(
            f"{skill.key}  {skill.state}  {one_line_name(skill.doc)}  ({', '.join(map(one_line_name, skill.tasks))})"
        )
    say_on_stderr(
        f"version {library.version}, {plural_text(len(library.workflows) + len(library.skills), 'entry', 'entries')}"
    )


@click.command()
@folder_argument
@click.argument("key")
def show(folder: Path, key: str) -> None:
    """Show one entry of the memory in FOLDER in full."""
    from honestly.memory import read_library

    library = read_library(folder)
    for workflow in library.workflows:
        if workflow.key == key:
            click.echo("\n".join(map(one_line_name, workflow.text.splitlines())))
            return
    for skill in library.skills:
        if skill.key == key:
            click.echo(f"# {one_line_name(skill.doc)}\n{skill.code}\n# Its test:\n{skill.test}")
            return
    raise _no_entry(folder, key, [*(each.key for each in library.workflows), *(each.key for each in library.skills)])


@click.command()
@folder_argument
@click.argument("key")
def revoke(folder: Path, key: str) -> None:
    """Remove the entry KEY from the memory in FOLDER for good.

    `--memory KIND:from=FOLDER` starts with what is left.
    """
    from honestly.memory import read_library, write_library

    library = read_library(folder, edited=True)
    less = library.without(key)
    if less is library:
        raise _no_entry(
            folder, key, [*(each.key for each in library.workflows), *(each.key for each in library.skills)]
        )
    write_library(less, folder)
    say_on_stderr(f"{one_line_name(key)} is out; {folder} is at version {less.version}")


def _no_entry(folder: Path, key: str, keys: list[str]) -> Exception:
    from honestly.errors import StoreError

    return StoreError(f"{folder} has no entry {key!r}; it has: {', '.join(keys) or 'none'}")
