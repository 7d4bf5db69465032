"""`honestly setup lint`: what is wrong with a project's set-up for agents."""

from pathlib import Path

import click

from honestly.command import json_option, print_answer


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--home", type=click.Path(path_type=Path, file_okay=False), default=Path.home, show_default="your home folder",
    help="The home directory whose .claude, .codex and .gemini agents also read.",
)  # fmt: skip
@click.option("--no-home", is_flag=True, help="Look at DIR only, not at the home directory.")
@json_option
def lint(folder: Path, home: Path, no_home: bool, as_json: bool) -> int:
    """Look for faults in the agent set-up in DIR: AGENTS.md, CLAUDE.md, .claude/. Runs nothing. See docs/setup.md.

    Exit code 1: something is wrong.
    """
    from honestly.guard import lint_setup

    found = lint_setup(folder, None if no_home else home)
    print_answer(found, as_json=as_json)
    return int(bool(found.findings))
