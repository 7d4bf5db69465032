"""`honestly agent tickets`: a daemon that lets agents work on the tickets of a tracker."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import json_option, print_json, unsafe_option, without_controls

if TYPE_CHECKING:
    from honestly.agents import Actor
    from honestly.symphony import Config


@click.command()
@click.argument("workflow", type=click.Path(path_type=Path, dir_okay=False), default="WORKFLOW.md")
@click.option("--agent", "-a", help="The agent to run.  [default: what the workflow says, else honest]")
@click.option("--model", "-m", help="The model that the agent asks (docs/models.md).")
@click.option(
    "--once",
    is_flag=True,
    help="End when nothing is left to do. Exit code 1: tickets were abandoned or could not be read.",
)
@click.option("--status", "asked", is_flag=True, help="Only show the state of the running daemon.")
@click.option(
    "--log", "log_file", type=click.Path(path_type=Path, dir_okay=False), help="Also write log lines to this file."
)
@unsafe_option
@json_option
def symphony(
    workflow: Path, once: bool, asked: bool, log_file: Path | None, unsafe: bool, as_json: bool, **typed: str | None
) -> int:
    """Let agents work on the tickets of a tracker, as WORKFLOW says. See docs/symphony.md.

    Each active ticket gets a git worktree on its own branch and an agent in a sandbox. The daemon only reads the
    tracker; agents comment on their tickets and move them on. Log lines go to standard error. Stop with Ctrl-C; run the
    same command again to resume.
    """
    import anyio

    from honestly.sandbox import open_sandbox
    from honestly.symphony import Log, Worker, Workflow, Workspaces, read_workflow
    from honestly.symphony._serve import daemon_status, serve_tickets

    named = {name: value for name, value in typed.items() if value}
    if asked:
        seen = daemon_status(read_workflow(workflow, named))
        print_json(seen) if as_json else _show_seen(seen)
        return 0
    with ExitStack() as stack:
        sinks = [sys.stderr]
        if log_file is not None:
            sinks.append(stack.enter_context(log_file.open("a", encoding="utf-8")))
        log = Log(sinks, as_json=as_json)
        source = Workflow(workflow, named, log)
        _configured_actor(source.config)
        spaces = Workspaces(log)
        worker = Worker(lambda: source.config, spaces, _configured_actor, partial(open_sandbox, unsafe=unsafe), log)
        seen = anyio.run(partial(serve_tickets, source, worker, spaces, log, once=once))
    print_json(seen) if as_json else _show_seen(seen)
    if once and seen["signal"]:
        return 128 + int(seen["signal"])
    return 1 if once and (seen["given_up"] or seen["tracker_error"] or seen["workflow_error"]) else 0


def _configured_actor(config: Config) -> Actor:
    from honestly.agents import make_agent
    from honestly.models import RetryModel, make_model
    from honestly.records import Suite

    model = RetryModel(make_model(config.model)) if config.model else None
    return make_agent(config.agent, Suite(name="symphony", version="1", tasks=()), model)


def _show_seen(seen: dict[str, list[dict[str, object]]]) -> None:
    for word in ("running", "retrying", "given_up"):
        rows = seen[word]
        click.echo(f"{word.replace('_', ' ')}: {len(rows)}")
        for row in rows:
            known = (f"{name}={value}" for name, value in row.items() if value is not None)
            click.echo(without_controls(f"  {' '.join(known)}"))
    click.echo(f"completed attempts of: {', '.join(map(str, seen['completed'])) or 'none'}")
