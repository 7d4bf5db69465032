"""`honestly record`: a person's own work in a terminal or a browser, as a trajectory, and as an asciicast."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from honestly.command import StudyPlace, line_of, say_on_stderr

if TYPE_CHECKING:
    from honestly.recording import Recording, StreamRedactor

_LATEST = 8


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("command", nargs=-1)
@click.option(
    "--in", "folder", default=".", show_default=True, type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The folder to work in. Its edits are recorded, except what git ignores.",
)  # fmt: skip
@click.option(
    "--out", "-o", type=StudyPlace(), default="runs/recordings.honestly", show_default=True, help="The study to write."
)
@click.option("--task", default="", help="The task, as you would tell an agent.")
@click.option("--browser", "url", metavar="URL", help="Record your work in a browser, from this address on.")
@click.option("--name", default="person", show_default=True, help="Your name.")
@click.option("--yes", "-y", is_flag=True, help="Keep the recording without showing it first.")
@click.option("--finish", is_flag=True, help="Show recordings whose terminal was closed; keep or discard them.")
def record(
    command: tuple[str, ...], folder: Path, out: Path, task: str, url: str | None, name: str, yes: bool, finish: bool
) -> int:
    """Record your work in bash, in COMMAND (after `--`) or in a browser, until it ends.

    Keeps commands with output and exit code, edits as diffs, and the terminal as an asciicast next to the study. In a
    browser, keeps what you click, type and choose, with accessibility trees and screenshots. Keystrokes are not kept;
    input without echo, and anything that looks like a secret key, is removed before it is written. You see the
    recording, and decide whether to keep it. See docs/record.md.
    """
    try:
        sys.stdin.fileno()
    except (OSError, ValueError):
        raise click.UsageError("a recording reads from a terminal or a pipe, and standard input is neither") from None
    from honestly.recording import StreamRedactor, read_recording, secrets_of_environment
    from honestly.recording._terminal import RECORDING
    from honestly.show import plural_text

    redactor = StreamRedactor(secrets_of_environment(os.environ))
    from contextlib import suppress

    waiting = []
    for path in sorted(_home().glob("*-*-*")):
        with suppress(ValueError, ProcessLookupError, PermissionError):
            os.kill(int(path.name.rpartition("-")[2]), 0)
            continue
        waiting.append(path)
    if finish:
        if not waiting:
            say_on_stderr("no recording waits")
        given = click.get_current_context().get_parameter_source("out") is not ParameterSource.DEFAULT
        for each in waiting:
            found = read_recording(each, redactor)
            _decide(found, each, out if given else Path(str(found.head.get("out") or out)), name, yes=yes)
        return 0
    if url is not None and command:
        raise click.UsageError("give either --browser or a COMMAND, not both")
    if os.environ.get(RECORDING):
        raise click.UsageError("this terminal is being recorded already; leave it first (exit)")
    if waiting:
        say_on_stderr(f"{plural_text(len(waiting), 'recording')} of a closed terminal: honestly record --finish")
    return _record(command, folder.resolve(), out, task, name, redactor, url, yes=yes)


def _record(
    command: tuple[str, ...],
    folder: Path,
    out: Path,
    task: str,
    name: str,
    redactor: StreamRedactor,
    url: str | None,
    *,
    yes: bool,
) -> int:
    from datetime import datetime
    from functools import partial
    from shutil import rmtree

    from honestly.agents import copy_of
    from honestly.errors import SettingsError, TaskError
    from honestly.recording import RecordingJournal, read_recording, record_browser, record_terminal
    from honestly.recording._terminal import terminal_size
    from honestly.records import Edit, File, Tree

    known: dict[str, tuple[object, File | None]] = {}

    def recorded_files() -> Tree:
        tree = copy_of(folder, known).tree
        return tree.without(path for path in tree.files if ".honestly" in path.rpartition("/")[2])

    trees = []
    try:
        trees = [] if url else [recorded_files()]
    except TaskError as error:
        say_on_stderr(f"edits are not kept: {error}")

    def note_edits(journal: RecordingJournal) -> None:
        if not trees:
            return
        try:
            now = recorded_files()
        except TaskError:
            return
        edit = Edit.between(trees[0], now)
        if edit != Edit():
            journal.edited(edit)
        trees[0] = now

    home = _home() / f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"  # noqa: DTZ005 - a name, in the person's own time
    journal = RecordingJournal(
        home, redactor, size=terminal_size(), head={"task": redactor.clean(task), "out": str(out.absolute())}
    )
    if trees:
        journal.keep_start(trees[0])
    if url is not None:
        say_on_stderr("recording until you close the browser, or Ctrl-C here")
        try:
            record_browser(journal, url)
        except SettingsError:
            rmtree(home)
            raise
        code, gone = 0, False
    else:
        say_on_stderr(f"recording until {'it ends' if command else 'you leave the shell (exit)'}")
        code, gone = record_terminal(command, journal, partial(note_edits, journal), folder=folder)
    journal.close()
    if gone:
        return 129
    _decide(read_recording(home, redactor), home, out, name, yes=yes)
    return code if command else 0


def _home() -> Path:
    from honestly.people import stars_path

    return stars_path().parent / "recordings"


def _decide(recording: Recording, home: Path, out: Path, name: str, *, yes: bool) -> None:
    """Show what would be kept, ask, and keep or discard it."""
    from shutil import rmtree

    from honestly.recording import keep_recording
    from honestly.work import write_file

    cast = out.with_name(f"{out.stem}-{home.name.rpartition('-')[0]}.cast")
    _preview(recording, out, cast)
    if not yes:
        answer = _keep_or_discard(recording)
        if answer is None:
            say_on_stderr("there is no terminal to ask at, so it waits: honestly record --finish (--yes keeps it)")
            return
        if not answer:
            rmtree(home)
            say_on_stderr("discarded")
            return
    if out.parent == Path("runs"):
        out.parent.mkdir(exist_ok=True)
    trial = keep_recording(recording, out, person=name)
    also = ""
    if recording.events:
        write_file(cast, recording.cast())
        also = f"; the terminal is in {cast}"
    rmtree(home)
    say_on_stderr(f"kept as {trial[:8]} in {out}{also}. Next: honestly show {out} {trial[:8]}")


def _keep_or_discard(recording: Recording) -> bool | None:
    if not sys.stdin.isatty():
        return None
    while True:
        try:
            answer = input("[k]eep, [s]how all of it, [d]iscard: ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return None
        if answer in {"s", "show"}:
            for step in recording.trajectory().steps:
                for call in step.calls:
                    said = call.argument("command") or call.argument("path")
                    _print_lines(
                        f"$ {said}" if said else action_words({name: call.argument(name) for name in call.arguments})
                    )
                for seen in step.observations:
                    _print_lines(seen.text)
        elif answer in {"k", "keep", "y", "yes"}:
            return True
        elif answer in {"d", "discard", "n", "no"}:
            return False


def _print_lines(text: str) -> None:
    for line in text.splitlines():
        click.echo(line_of(line))


def _preview(recording: Recording, out: Path, cast: Path) -> None:
    from honestly.recording._redact import MARK
    from honestly.show import plural_text
    from honestly.trials import stat_lines

    commands, actions = recording.commands, recording.actions
    also = f", and the terminal itself in {cast}" if recording.events else ""
    say_on_stderr(f"\nThis would be kept in {out}{also}:")
    for action in actions[:_LATEST]:
        say_on_stderr(f"  {line_of(action_words(action.action)[:100])}")
    if len(actions) > _LATEST:
        say_on_stderr(f"  … {plural_text(len(actions) - _LATEST, 'action')} more")
    for command in commands[:_LATEST]:
        status = "not ended" if command.code is None else f"exit {command.code}" if command.code else ""
        say_on_stderr(f"  $ {line_of(command.text[:100].partition(chr(10))[0])}  {status}".rstrip())
    if len(commands) > _LATEST:
        say_on_stderr(f"  … {plural_text(len(commands) - _LATEST, 'command')} more")
    for line in stat_lines(recording.start, recording.final)[:_LATEST]:
        say_on_stderr(f"  {line}")
    more = len(recording.final.write.files) + len(recording.final.delete) - _LATEST
    if more > 0:
        say_on_stderr(f"  … {plural_text(more, 'file')} more")
    shown = sum(len(event[2]) for event in recording.events)
    texts = [*(each[2] for each in recording.events), *(each.text for each in commands)]
    texts += [text for each in actions for text in (*each.action.values(), each.page)]
    taken_out = sum(text.count(MARK) for text in texts)
    said = f", secrets taken out at {plural_text(taken_out, 'place')}" if taken_out else ""
    what = f"{plural_text(len(commands), 'command')}, {shown:,} characters of output"
    if actions:
        pictures = sum(bool(each.picture) for each in actions)
        what = f"{plural_text(len(actions), 'action')}, {plural_text(pictures, 'picture')}"
    say_on_stderr(f"  {what}{said}")


def action_words(action: Mapping[str, object]) -> str:
    """An action in a browser on one line."""
    return " ".join(str(action[name]) for name in ("action", "target", "text", "url") if name in action)
