"""The command line: the table of all commands, and how errors are shown.

Commands are loaded when they are called; errors of the tree in `errors.py` become one line.

Exit codes: 0 all is well; 1 the answer is no (a task's proof failed, trials are void); 2 the input was wrong; 3 this
machine cannot build a sandbox; 4 a gate cannot tell; 5 a run gave an agent up, or its budget is used up; 130
interrupted, with everything that was finished kept.
"""

import atexit
import codecs
import gc
import os
import re
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, TypeVar

import click

from honestly.cli._renamed import ELSEWHERE, VERBS, with_new_names
from honestly.cli._tree import COMMANDS, FIRST_SCREEN, GROUPS, line_of_help, words_below
from honestly.command import HELP_ALL, SETTINGS_FILE, Context, Verb, help_all_param, same_letters
from honestly.errors import HonestlyError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["main"]

E = TypeVar("E", bound=BaseException)
_WIDEST = 110
"""Characters of a line of help."""


_SEVERAL = 2
"""Groups with a command of one name, of which none is meant more than another."""


class LazyGroup(click.Group):
    """The commands below some words of the tree, each imported when it is called."""

    context_class = Context

    def __init__(self, path: str = "", **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self._path = path

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order of the table."""
        return words_below(self._path)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now; or the group, from the table."""
        words = f"{self._path} {cmd_name}".strip()
        if words in COMMANDS:
            module, _, attribute = COMMANDS[words][0].partition(":")
            command = getattr(import_module(f"honestly.{module}"), attribute)
            assert isinstance(command, click.Command)
            below = [f"{words} {name}" for name in words_below(words)]
            return Verb.of(command, cmd_name, f"Also: honestly {', honestly '.join(below)}." if below else "")
        return _group(words) if words in GROUPS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves a command as click does, but answers a mistyped name with the close ones."""
        names = self.list_commands(ctx)
        words = f"{self._path} {args[0]}".strip() if args else ""
        if words in COMMANDS and args[1:] and args[1] in words_below(words):
            return args[0], _group(words), args[1:]
        if args and not args[0].startswith("-") and args[0] not in names and not ctx.resilient_parsing:
            near = self._nearest(args[0], names)
            hint = f" Did you mean {f'honestly {near}'!r}?" if near else ""
            if not near and self._path:
                hint = f" There are: {', '.join(names)}."
            elif not near:
                hint = f" `honestly help {args[0]}` searches the documentation; honestly --help-all lists all commands."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def _nearest(self, word: str, names: Sequence[str]) -> str:
        """The command that an unknown word means: by what other programs call it, by its letters, in another group."""
        own, called = (
            f"{self._path} ".lstrip(),
            {each: words for words, said in ELSEWHERE.items() for each in said.split()},
        )
        near = [own + each for each in names if self._path and word in VERBS.get(each, "").split()]
        near += [words for each, words in called.items() if word == each and words.startswith(own)]
        near += [own + each for each in same_letters(word, names)]
        if self._path:
            near += [word] * (word in words_below(""))
        else:
            last = [each for each in [*GROUPS, *COMMANDS] if each.split()[-1] == word]
            near += (
                [*last, *(called[each] for each in same_letters(word, called, 0.85))] if len(last) < _SEVERAL else []
            )
        return near[0] if near else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Writes the commands of this group, without importing anything."""
        rows = [(each, line_of_help(f"{self._path} {each}")) for each in words_below(self._path)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _group(words: str) -> LazyGroup:
    found = LazyGroup(words, name=words.rsplit(maxsplit=1)[-1], help=line_of_help(words), no_args_is_help=True)
    found.params.append(help_all_param(hidden=True))
    return found


class _Root(LazyGroup):
    """The whole tree: a first screen of verbs, or all of it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes old names for new ones, and says so in a line each."""
        args, lines = with_new_names(args)
        for line in () if ctx.resilient_parsing else lines:
            click.echo(line, err=True)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the verbs in their sections; then the groups, in a line or with all that is in them."""
        for title, names in FIRST_SCREEN.items():
            with formatter.section(title):
                formatter.write_dl([(name, line_of_help(name)) for name in names])
        first = [name for names in FIRST_SCREEN.values() for name in names]
        more = [name for name in self.list_commands(ctx) if name not in first]
        if not ctx.meta.get(HELP_ALL):
            with formatter.section("More"):
                formatter.write_text(f"{', '.join(more)}  (honestly task --help; honestly --help-all)")
                formatter.write_text("honestly help WORDS answers a question, such as: honestly help rate limit")
            return
        alone = [name for name in more if name not in GROUPS]
        for group in (name for name in GROUPS if " " not in name):
            with formatter.section(group):
                below = [name for name in COMMANDS if name.startswith(f"{group} ")]
                formatter.write_dl([(name, line_of_help(name)) for name in below])
        with formatter.section("Others"):
            formatter.write_dl([(name, line_of_help(name)) for name in alone])


@click.group(
    cls=_Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST},
    epilog="Exit codes: 0 fine; 1 the answer is no; 2 wrong input; 3 no sandbox; 4 cannot tell; 5 stopped early; "
    "6 others still at work; 130 interrupted.",
)
@click.version_option(package_name="honestly")
def cli() -> None:
    """Evaluate coding agents with hidden tests, error bars and a cheating audit."""


cli.params.append(help_all_param())


def main() -> None:
    """Entry point of the `honestly` command."""
    for name in ("COLUMNS", "LINES"):
        if os.environ.get(name, "1").strip("0") == "":  # a terminal without a size has said so; nothing fits into 0
            del os.environ[name]
    columns = shutil.get_terminal_size().columns
    cli.context_settings["terminal_width"] = max(min(columns, _WIDEST) - 2, 20)  # click's own is 50 at least
    # Standard streams that were closed (`>&-`) lead to nowhere: else the next file opened would be one of them. What is
    # written to such an output is lost, and said to be.
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            _closed.extend([name] * (number == 1))
            os.set_inheritable(os.open("/dev/full" if number == 1 else os.devnull, os.O_RDWR), True)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
    code = 130  # Ctrl-C came once more while an error or the first was answered
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # as the package set it; `main` answers from here on
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = _exit_code()
    except* KeyboardInterrupt:
        pass
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # from now on Ctrl-C ends it without a word
        with suppress(KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # what is cleared away at the very end is brief
    gc.freeze()  # the program ends: to search all that it has loaded for cycles once more would take 10 ms
    sys.exit(code)


_UNDECODED = re.compile("[\udc80-\udcff]")
"""Bytes of a word that the locale's encoding does not have."""
_TRACEBACK = "HONESTLY_TRACEBACK"
"""The variable that lets an unexpected error print where it comes from."""
_kept: list[TextIOWrapper] = []
_closed: list[str] = []
"""`stdout`, where it was closed at the start."""
_PLAIN = {
    "−": "-", "–": "-", "…": "...", "×": "x", "’": "'", "≥": ">=", "≤": "<=", "─": "-", "━": "-", "│": "|", "·": "-",
    "•": "*", "→": "->", "▲": "^", "▼": "v", "✓": "+", "✗": "x", "±": "+-", "“": '"', "”": '"', "α": "alpha",
    "§": "section ",
}  # fmt: skip
_LONG_S = 1.0
"""How long a command goes on that nobody reads."""


def _plain_character(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for a character that a terminal lacks: a minus keeps its meaning, others are a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(each, "?") for each in error.object[error.start : error.end]), error.end


_ASCII = "plain_ascii"
codecs.register_error("plain-or-replace", _plain_character)
codecs.register(lambda name: _plain_ascii() if name == _ASCII else None)


def _plain_ascii() -> codecs.CodecInfo:
    """ASCII under another name."""
    from encodings import ascii as known

    return codecs.CodecInfo(
        name=_ASCII,
        encode=codecs.ascii_encode,
        decode=codecs.ascii_decode,
        incrementalencoder=known.IncrementalEncoder,
        incrementaldecoder=known.IncrementalDecoder,
        streamwriter=known.StreamWriter,
        streamreader=known.StreamReader,
    )


class _Left(FileIO):
    """Standard output, whose reader may go (`| head`): what comes at once is lost, and the exit code stays as it was.

    A command that writes for longer ends.
    """

    since: float = 0.0

    def write(self, data: "Buffer") -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            self.since = self.since or time.monotonic()
            if time.monotonic() - self.since > _LONG_S:
                raise
            return len(memoryview(data))


class _Unfailing(FileIO):
    """Standard error; what cannot be written is lost, so that a full disk behind it changes no exit code."""

    def write(self, data: "Buffer") -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError:
            return len(memoryview(data))


def _guard_streams() -> None:
    """Lets standard output and error survive readers that have gone, full disks and characters that they lack."""
    if type(sys.stderr) is TextIOWrapper:  # a test's own stays
        kept = sys.stderr
        _kept.append(kept)  # else it would close what both write to
        unfailing = BufferedWriter(_Unfailing(kept.fileno(), "w", closefd=False))
        sys.stderr = TextIOWrapper(unfailing, kept.encoding, kept.errors, line_buffering=True)
    if type(sys.stdout) is TextIOWrapper:
        told = sys.stdout
        _kept.append(told)
        told.flush()
        left = BufferedWriter(_Left(told.fileno(), "w", closefd=False))
        sys.stdout = TextIOWrapper(left, told.encoding, told.errors, line_buffering=told.line_buffering)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"  # which click would replace by UTF-8
            stream.reconfigure(encoding=_ASCII if ascii_only else stream.encoding, errors="plain-or-replace")


def _exit_code() -> int:
    """Do what the command line says, and tell of errors in a line."""
    _guard_streams()
    try:
        code = _command_result()
    except* HonestlyError as group:
        from honestly.command import without_controls  # late: most commands end without an error

        error = _first_error(group)
        code = error.exit_code
        with suppress(BrokenPipeError):
            click.secho("error: ", fg="red", nl=False, err=True)
            text = "\n".join((str(error), *getattr(error, "__notes__", ())))
            click.echo(without_controls(re.sub(r"\[Errno -?\d+\] ", "", text)), err=True)
    except* click.Abort:
        code = 130
    except* click.ClickException as clicks:
        code = _first_error(clicks).exit_code
        with suppress(BrokenPipeError):
            refused = _first_error(clicks)
            refused.show()
            if file := getattr(getattr(refused, "ctx", None), "meta", {}).get(SETTINGS_FILE):
                absent = refused.param.name if isinstance(refused, click.MissingParameter) and refused.param else ""
                said = f"{file} has no `{absent} =` either" if absent else f"settings were also read from {file}"
                click.echo(f"({said})", err=True)
            for word in sys.argv[1:]:
                if word.startswith("-") and os.path.exists(word):  # noqa: PTH110 - for a slip only
                    click.echo(f"{word} is a file, too: write ./{word} for it", err=True)
    except* KeyboardInterrupt:
        code = 130
    except* BrokenPipeError:
        sys.stderr.close()
        code = 0
    return code if isinstance(code, int) else 0


def _command_result() -> object:
    """What the command answers; what a disk or a path refuses is an error of ours, whoever met it."""
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as end:
        # That is how click answers a closed pipe.
        if end.code == 1 and type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            return 0
        raise
    except Exception as error:
        from honestly.work import system_refusal

        try:
            os.getcwd()  # noqa: PTH109 - whether it is still there
        except FileNotFoundError:
            raise HonestlyError("the current folder was removed; change into another one") from error
        if isinstance(error, UnicodeEncodeError) and any(map(_UNDECODED.search, sys.argv)):
            words = ", ".join(repr(word) for word in sys.argv if _UNDECODED.search(word))
            utf8 = sys.getfilesystemencoding() == "utf-8"
            said = f"not UTF-8: {words[:200]}" if utf8 else f"not text here: {words[:200]}; set LC_ALL=C.UTF-8"
            raise HonestlyError(said) from error
        if said := system_refusal(error):
            try:
                sys.stdout.flush()
            except OSError:  # it is standard output that is full: Python would complain once more at its end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise HonestlyError("standard output is closed" if _closed else said) from error
        first = _first_error(error) if isinstance(error, ExceptionGroup) else error
        if isinstance(first, (HonestlyError, click.ClickException, click.Abort, OSError)) or os.environ.get(_TRACEBACK):
            raise
        at = traceback.extract_tb(first.__traceback__)[-1]
        raise HonestlyError(
            f"unexpected {type(first).__name__}: {str(first)[:500]} ({at.filename}, line {at.lineno}). This is a fault "
            f"of honestly or of a plug-in; {_TRACEBACK}=1 shows the traceback"
        ) from error
    return code


def _first_error(group: BaseExceptionGroup[E]) -> E:
    """The first error of a group: concurrent work raises groups, and one line is enough."""
    found = group.exceptions[0]
    return _first_error(found) if isinstance(found, BaseExceptionGroup) else found
