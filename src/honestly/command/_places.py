"""The argument of a command that is a study: a file, an address in a database, or somebody else's results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly._settings import settings_of
from honestly.command._columns import with_columns_asked
from honestly.command._help import WORDS, F, Name
from honestly.command._options import progress_bar, say_on_stderr, setting_option

if TYPE_CHECKING:
    from honestly.studies import Study


class StudyPlace(click.Path):
    """A study: the path of its file, or its address in a database."""

    def __init__(self, *, exists: bool = False, folder: bool = False) -> None:
        """`folder`: whether a folder will do, too."""
        super().__init__(path_type=Path, dir_okay=folder or exists, exists=exists)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """The path, or the address as one; whether there is a study is the command's to find out."""
        from honestly.store import is_address, study_path

        if is_address(value):
            return study_path(value)
        if str(value) in {"", "-"}:
            found = f"{value!r} is none; write the results to a file, and name it" if value else "this text is empty"
            self.fail(f"a study has a name; {found}", param, ctx)
        if re.match(r"/dev/(?:stdin|fd/)", str(value)):
            self.fail(f"{value} is not read; write the results to a file, and name it", param, ctx)
        if re.match(r"(?!https?:)\w+://", str(value)):
            self.fail(
                f"{value} is no address of a study; expected a file, or postgresql://USER@HOST/DATABASE#STUDY",
                param,
                ctx,
            )
        return Path(super().convert(value, param, ctx))  # type: ignore[arg-type]


class OpenedStudy(StudyPlace):
    """A study, opened as by `honestly.open`; other tools' results are imported into the user's cache."""

    def __init__(self, *, counted: bool = False) -> None:
        """`counted`: whether the command takes a long table without its trials."""
        super().__init__(folder=True)
        self._counted = counted

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The study; while a shell completes words, its path alone."""
        if ctx is not None and ctx.resilient_parsing:
            return StudyPlace.convert(self, value, param, ctx)
        from honestly import studies

        with ExitStack() as bars:
            bar = cache(lambda: bars.enter_context(progress_bar("importing")))

            def opened(path: Path) -> Study:
                return studies.open(
                    path,
                    **({} if _is_study(path) and _names_results(ctx) else said_of_results(ctx)),
                    tell=say_on_stderr,
                    progress=lambda where, trials: bar()(trials, 0, where),
                )

            found = with_columns_asked(StudyPlace.convert(self, value, param, ctx), opened)
            return found if self._counted else found.kept()


class StudyPath(OpenedStudy):
    """The path of a study, or of the study imported from other tools' results."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """The path; whether there is a study is the command's to find out."""
        path = StudyPlace.convert(self, value, param, ctx)
        if (ctx is not None and ctx.resilient_parsing) or not (path.exists() or _is_study(path)):
            return path
        if _is_study(path) and not said_of_results(ctx):  # without what answers need: looking is quick
            return path
        return Path(super().convert(path, param, ctx).path)


def _names_results(ctx: click.Context | None) -> bool:
    """Whether a word of the command line is the place of results that are not a study, for which options may be."""
    words = (ctx or click.get_current_context()).meta.get(WORDS, ())
    places = (Path(word.partition("=")[2] if word.startswith("--") else word) for word in words)
    return any(place.name and place.exists() and not _is_study(place) for place in places)


def _is_study(path: Path) -> bool:
    from honestly.store import is_address

    if is_address(path) or not path.is_file():
        return is_address(path)
    with suppress(OSError), path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"
    return False


RESULTS_OPTIONS = ("kind", "columns", "scale", "outcome", "allow_refused", "allow_difference")


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options about imported results, one for each setting of `honestly.open`; see `said_of_results`."""
    from honestly.studies import OpenSettings

    for each, said in reversed(list(settings_of(OpenSettings))):
        kind = Name("formats:IMPORTERS") if each.name == "kind" else None
        command = setting_option(each, said, kind, is_eager=True, expose_value=False, callback=_keep_said)(command)
    return command


def _keep_said(ctx: click.Context, param: click.Parameter, value: object) -> None:
    ctx.meta[f"{__name__}.{param.name}"] = value


def said_of_results(ctx: click.Context | None = None) -> dict[str, Any]:
    """The user's options about imported results (`table_options`), as arguments of `honestly.open`."""
    meta = (ctx or click.get_current_context()).meta
    given = {name: meta.get(f"{__name__}.{name}") for name in RESULTS_OPTIONS}
    return {name: value for name, value in given.items() if value}


def newest_study() -> str:
    """The newest study under `runs/`; its name is printed on standard error.

    Raises:
        click.UsageError: there is none.
    """
    from honestly.studies import RUNS

    context = click.get_current_context(silent=True)
    if context is not None and context.resilient_parsing:
        return ""  # a shell asks for completions
    found = {path: path.stat().st_mtime for path in Path(RUNS).glob("*.honestly*") if path.is_file()}
    if not found:
        raise click.UsageError(
            f"Name a STUDY: there is none under {RUNS}/, where honestly run writes one without --out."
        )
    newest = str(max(found, key=lambda path: found[path]))
    newest = newest[: newest.rindex(".honestly")] + ".honestly"  # its journal may be younger than itself
    say_on_stderr(f"reading {newest}, the newest under {RUNS}/")
    return newest


def study_argument(command: F) -> F:
    """The study or results to read; by default the newest study under `runs/`."""
    return click.argument("study", type=StudyPath(), default=newest_study)(command)


def opened_study_argument(*, counted: bool = False) -> Callable[[F], F]:
    """The study to read, opened; the newest under `runs/`, if none is named. `counted`: see `OpenedStudy`."""
    return click.argument("study", type=OpenedStudy(counted=counted), default=newest_study)


def study_and_words(words: Sequence[str], kind: StudyPlace) -> tuple[Any, tuple[str, ...]]:
    """The study that the first word names and the other words; or the newest study and all words."""
    from honestly.store import is_address

    ctx = click.get_current_context()
    named = bool(words) and (is_address(words[0]) or Path(words[0]).exists() or words[0].endswith(".honestly"))
    if not named and words and not Path("runs").is_dir():
        raise click.UsageError(f"There is no study {words[0]!r}; expected its file, as `honestly study list` names it.")
    place = words[0] if named else newest_study()
    return kind.convert(place, None, ctx), tuple(words[named:])


def studies_argument(command: F) -> F:
    """Studies to read, one or more."""
    return click.argument("studies", nargs=-1, required=True, type=StudyPlace(exists=True))(command)
