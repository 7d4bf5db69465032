"""The tests of a project, run in sandboxes: those of one state over the code of the same or the other.

Python's tests are pytest's, and what they need comes from an environment that is there already, or, where that is
allowed, from an index as wheels. JavaScript's, TypeScript's and Go's are run as `task from commit` runs them. Anything
else is a command whose exit status counts. What a run says is what the tested code lets it say: `_check.py` says what
is done about that.
"""

import json
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from honestly.check._change import Change, text_of
from honestly.check._kept import KeptParts
from honestly.errors import SandboxError, TaskError
from honestly.records import Checks, File, Preparation, Tree
from honestly.sandbox import Layout, Sandbox
from honestly.taskgen import (
    Language,
    bare_settings,
    hidden_checks,
    install_packages,
    is_a_test,
    lacking_modules,
    language_named,
    missing_reason,
    python_project,
    test_files,
    test_modules,
)
from honestly.tasks import pythonpath_of
from honestly.verify import OpenBox, SeenTests, see_tests

_FIRST_S = 900.0
_MOST_MADE = 64 << 20
_OUT = "/tmp/honestly-lines.json"  # noqa: S108 - in the sandbox
_ENVIRONMENTS = (".venv", "venv", "env")
_MADE = re.compile(r"\.(?:so|pyd)$|(?:^|/)_?version\.py$")
_NEEDS = re.compile(r'"(?:dev|peer|optional)?[dD]ependencies"\s*:\s*\{\s*"')
_NOT_FOUND = re.compile(r"Cannot find (?:package|module) '((?:@[\w.-]+/)?[a-z0-9][\w.-]*)")
_INSTALLS = 3
FIRST_RUN, LACKING = "run new new 0 False", "lacking modules"
_HANGS_S, STOPPED = 40.0, "stopped: nothing had come of it after"


class SuiteRun(msgspec.Struct, frozen=True):
    """What came of one run of tests."""

    statuses: dict[str, str]
    """`passed`, `failed`, `error`, `skipped`, `timeout`, `missing` by test."""
    messages: dict[str, str] = {}
    """Of those that did not pass."""
    note: str = ""
    timed_out: bool = False
    seconds: float = 0.0

    @property
    def passed(self) -> frozenset[str]:
        """The tests that passed."""
        return frozenset(name for name, status in self.statuses.items() if status == "passed")

    @property
    def hung(self) -> tuple[str, ...]:
        """The tests that were stopped because nothing came of them."""
        return tuple(name for name, text in self.messages.items() if STOPPED in text)


class LinesRun(msgspec.Struct, frozen=True):
    """Which lines tests run."""

    lines: dict[str, dict[str, list[int]]] = {}
    """By test and path; what runs outside of tests has an empty name."""
    calls: dict[str, list[str]] = {}
    """Arguments of calls, as literals, by `path::function`."""


@dataclass(frozen=True)
class ProjectSuite:
    """How the tests of a project are run."""

    kind: str
    """`python`, `javascript`, `go` or `command`."""
    open_box: OpenBox
    preparation: Preparation = Preparation()  # noqa: RUF009 - frozen
    command: str = ""
    made: Tree = Tree()  # noqa: RUF009 - frozen
    """Files beside those of the project: what its build makes."""
    timeout_s: float = _FIRST_S
    notes: tuple[str, ...] = ()
    language: Language | None = field(default=None, compare=False)
    tolerant: bool = False
    """Whether warnings are no errors, whatever the project's settings say."""

    def has_tests(self, tree: Tree) -> bool:
        """Whether there is anything to run."""
        if self.kind == "command":
            return True
        if self.language is not None:
            return any(self.language.runs(path) for path in tree.files)
        return bool(test_modules(tree))

    def test_part(self, tree: Tree) -> Tree:
        """The files of a state that say what is tested, and how."""
        named = {path for path in tree.files if is_a_test(path)}
        if self.language is not None:
            named |= {path for path in tree.files if self.language.sets_tests(path)}
        return tree.only(named | test_files(tree).files.keys())

    async def run_tests(
        self, tests: Tree, code: Tree, *, only: Sequence[str] = (), backwards: bool = False, timeout_s: float = 0.0,
        hung: Sequence[str] = (),
    ) -> SuiteRun:  # fmt: skip
        """Runs tests of one state over the code of another.

        Args:
            tests: the state whose tests are run.
            code: the state whose code is tested.
            only: names of tests; all of them where there are none.
            backwards: whether in the opposite order, where there is one.
            timeout_s: seconds for all of them.
            hung: tests that hung before.

        Raises:
            SandboxError: the sandbox broke.
        """
        return (await self.seen(tests, code, only=only, backwards=backwards, timeout_s=timeout_s, hung=hung))[0]

    async def seen(
        self, tests: Tree, code: Tree, *, only: Sequence[str] = (), backwards: bool = False, timeout_s: float = 0.0,
        hung: Sequence[str] = (),
    ) -> tuple[SuiteRun, SeenTests]:  # fmt: skip
        """A run of tests of one state over the code of another, with all that pytest said; see `run`."""
        checks = self._limited(self.checks_of(tests, only, timeout_s or self.timeout_s), hung)
        start = monotonic()
        seen = await see_tests(
            checks, self._code(code), self.preparation, self.open_box, hidden=True, backwards=backwards
        )
        statuses = {name: str(check.status) for name, check in seen.checks.items()}
        said = {
            name: check.message[:400]
            for name, check in seen.checks.items()
            if check.status != "passed" and check.message
        }
        return SuiteRun(statuses, said, seen.note[:1000], seen.timed_out, round(monotonic() - start, 2)), seen

    def _limited(self, checks: Checks, hung: Sequence[str]) -> Checks:
        """The same tests, of which none can hang for long."""
        if self.kind != "python":
            return checks
        orders = {"seconds": min(_HANGS_S, checks.timeout_s), "hung": list(hung), "word": STOPPED}
        return _with_plugin(checks, "limits", orders)

    async def lines(
        self, change: Change, functions: Sequence[tuple[str, int, str]], hung: Sequence[str] = ()
    ) -> LinesRun | None:
        """Which lines of changed functions each test of the state after runs; None where nobody can say.

        Args:
            change: the change.
            functions: path, first line and name of those whose calls are recorded.
            hung: tests that hung before.
        """
        paths = [path for path in change.sources if path.endswith(".py")]
        if self.kind != "python" or not paths:
            return None
        checks = self.checks_of(change.after, (), 2 * self.timeout_s)
        orders = {"paths": paths, "functions": list(functions), "lines": {p: sorted(change.lines_of(p)) for p in paths}}
        checks = _with_plugin(self._limited(checks, hung), "lines", orders)
        said: list[bytes] = []

        @asynccontextmanager
        async def read_at_the_end(tree: Tree, /, **how: Any) -> AsyncIterator[Sandbox]:  # noqa: ANN401 - an OpenBox's
            async with self.open_box(tree, **how) as box:
                yield box
                with suppress(SandboxError):
                    said.append(await box.read(_OUT))

        await see_tests(checks, self._code(change.after), self.preparation, read_at_the_end, hidden=True)
        try:
            return msgspec.json.decode(said[0], type=LinesRun)
        except (IndexError, msgspec.DecodeError):
            return None

    def _code(self, code: Tree) -> Tree:
        return code.without(self.test_part(code).files).over(self.made)

    def checks_of(self, tests: Tree, only: Sequence[str], timeout_s: float) -> Checks:
        """The tests of a state, or some of them; where a file of them cannot be loaded, the others are run."""
        own = self.test_part(tests)
        if self.kind == "command":
            return Checks(
                runner="script", files=own, expected=("exit",), timeout_s=timeout_s, command=("sh", "-c", self.command)
            )
        if self.language is not None:
            paths = tuple(dict.fromkeys(name.partition("::")[0] for name in only))
            return hidden_checks(self.language, tests, paths, timeout_s, most=None)
        expected = tuple(only) or tuple(test_modules(tests))
        warnings = ("-W", "default") if self.tolerant else ()
        own = bare_settings(own, ("--continue-on-collection-errors", *warnings))
        return Checks(runner="pytest", files=own, expected=expected, timeout_s=timeout_s, writable=True)


def _with_plugin(checks: Checks, name: str, orders: Mapping[str, object]) -> Checks:
    """The tests with a plug-in of ours, and what it is to do."""
    plugin = {
        f"honestly_{name}.py": files("honestly.check._guest").joinpath(f"{name}.py").read_bytes(),
        f"honestly_{name}.json": json.dumps(orders).encode(),
        f"honestly_{name}.egg-info/entry_points.txt": f"[pytest11]\nhonestly_{name} = honestly_{name}\n".encode(),
    }
    return msgspec.structs.replace(checks, files=Tree.of(plugin).over(checks.files))


async def open_suite(
    change: Change, top: Path, open_box: OpenBox, *, command: str = "", environment: Path | None = None,
    install: bool = False, unsafe: bool = False, kept: KeptParts | None = None,
) -> ProjectSuite:  # fmt: skip
    """How the tests of a changed project are run.

    Args:
        change: the change.
        top: the folder of the project, in which its environment lies.
        open_box: opens sandboxes.
        command: what runs the tests, where they are none of those that are known.
        environment: the Python environment that has what the tests need.
        install: whether what they need may be fetched from an index.
        unsafe: whether sandboxes are none.
        kept: what the same check did before.

    Raises:
        TaskError: there is no way to run them.
    """
    if command and install and _kind_of(change) == "python":
        suite = await _python_suite(change, top, open_box, environment, install=True, unsafe=unsafe, kept=None)
        return replace(suite, kind="command", command=command)
    if command:
        boxes, notes = _furnished(change, top, open_box, environment)
        return ProjectSuite("command", boxes, Preparation(pythonpath=pythonpath_of(change.after)), command, notes=notes,
                         made=_made_beside(top, change))  # fmt: skip
    kind = _kind_of(change)
    if kind == "python":
        return await _python_suite(change, top, open_box, environment, install=install, unsafe=unsafe, kept=kept)
    language = language_named(kind)
    if language is None:
        raise TaskError("no tests were found that can be run here; name the command that runs them with --test")
    if why := missing_reason(language) or language.refused(change.after):
        raise TaskError(f"{why}; name the command that runs its tests with --test")
    if install:
        return await _installed_suite(kind, language, change, top.name, open_box, unsafe=unsafe, kept=kept)
    modules = top / "node_modules"
    if kind == "javascript" and not modules.is_dir() and _NEEDS.search(text_of(change.after, "package.json")):
        raise TaskError(
            "package.json asks for packages, and there is no node_modules: run npm install, or say --install"
        )
    shown = {"/node_modules": modules} if kind == "javascript" and modules.is_dir() else {}
    vendor, made = top / "vendor", Tree()
    own = any(path.partition("/")[0] == "vendor" for path in change.after.files)
    if kind == "go" and not own and vendor.is_dir() and not vendor.is_symlink():
        made = Tree.read(vendor, largest=_MOST_MADE).under("vendor")
    return ProjectSuite(kind, _opener(open_box, {}, shown), language=language, made=made)


async def _installed_suite(
    kind: str, language: Language, change: Change, name: str, open_box: OpenBox, *, unsafe: bool, kept: KeptParts | None
) -> ProjectSuite:
    """A suite of another language than Python, with what it needs, and what that turns out to lack.

    Nothing can be given away here, so what tests need may bring a later version of the project itself.
    """
    beside, needs = language.beside(change.after, name), replace(language.needs(change.after), name="")

    async def suite_with(lacking: set[str]) -> ProjectSuite:
        more = tuple(f"npm:{each}@*" for each in sorted(lacking))
        wanted = replace(needs, pinned=(*needs.pinned, *more), free=(*needs.free, *more))
        there = await install_packages(wanted, unsafe=unsafe)
        return ProjectSuite(kind, open_box, there.preparation, language=language, made=beside, notes=there.notes)

    lacking: set[str] = set(kept.value(LACKING, list[str]) or ()) if kept is not None else set()
    suite = await suite_with(lacking)
    while kind == "javascript" and (kept is None or LACKING not in kept):
        run = await suite.run_tests(change.after, change.after)
        found = set() if run.passed else set(_NOT_FOUND.findall("\n".join((run.note, *run.messages.values()))))
        if not found <= lacking and len(lacking) < _INSTALLS:
            with suppress(TaskError):
                suite, lacking = await suite_with(lacking | found), lacking | found
                continue
        if kept is not None:  # it is the first run of the check, too
            kept.keep(FIRST_RUN, run)
            kept.keep(LACKING, sorted(lacking))
        break
    return suite


def _kind_of(change: Change) -> str:
    """The language of the tests that speak of the change: that of its code, or else that of most tests."""
    ends = {
        ".py": "python",
        ".go": "go",
        **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"), "c"),
        **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts"), "javascript"),
    }
    every = tuple(change.after.files)
    for paths in (change.sources, change.tests, tuple(filter(is_a_test, every)), every):
        kinds = [ends[end] for path in paths if (end := path[path.rfind(".") :]) in ends]
        if kinds:
            return max(set(kinds), key=kinds.count)
    return ""


async def _python_suite(
    change: Change, top: Path, open_box: OpenBox, environment: Path | None, *, install: bool, unsafe: bool,
    kept: KeptParts | None,
) -> ProjectSuite:  # fmt: skip
    if not install:
        boxes, notes = _furnished(change, top, open_box, environment)
        return ProjectSuite("python", boxes, Preparation(pythonpath=pythonpath_of(change.after)), notes=notes,
                          made=_made_beside(top, change))  # fmt: skip
    project = await python_project(change.before, change.after, change.version, open_box, unsafe=unsafe)
    lacking: set[str] = set(kept.value(LACKING, list[str]) or ()) if kept is not None else set()
    known = kept is not None and LACKING in kept
    installed = await project.install(lacking)
    for _ in range(_INSTALLS):
        suite = ProjectSuite("python", open_box, installed.preparation,
                             made=project.built.made.without(change.after.files),
                          notes=(*project.notes, *installed.notes))  # fmt: skip
        if known:
            break
        run, seen = await suite.seen(change.after, change.after)
        more = installed
        if not (found := lacking_modules(seen)) <= lacking:
            more = await project.install(lacking | found)
        if more.preparation == installed.preparation:
            if kept is not None:  # it is the first run of the check, too
                kept.keep(FIRST_RUN, run)
                kept.keep(LACKING, sorted(lacking))
            break
        lacking |= found
        installed = more
    return suite


def _furnished(
    change: Change, top: Path, open_box: OpenBox, environment: Path | None
) -> tuple[OpenBox, tuple[str, ...]]:
    """Sandboxes that show the packages of a Python environment, and what is to be said of it.

    One that the change itself brings along is no environment of the user's, and is not used unless it is named.
    """
    own = [top / name for name in _ENVIRONMENTS if not any(path.startswith(f"{name}/") for path in change.after.files)]
    named = [environment] if environment is not None else own
    found = next((each for each in named if (each / "pyvenv.cfg").is_file()), None)
    if environment is not None and found is None:
        raise TaskError(
            f"{environment} is not a Python environment: expected a folder with pyvenv.cfg, as `python -m venv` "
            "makes it"
        )
    place = found or Path(sys.prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = place / "lib" / version / "site-packages"
    if not site.is_dir():
        there = sorted(path.name for path in (place / "lib").glob("python3.*"))
        other = ", ".join(there) or "another Python"
        return open_box, (f"{place} is for {other}, and honestly runs with {version}: its packages are not used",)
    inside = site.resolve().is_relative_to(top.resolve())
    packages = {
        path.name: path
        for path in sorted(site.resolve().iterdir())
        if path.name != "__pycache__"
        and not path.name.endswith((".pth", ".egg-link"))
        and not (inside and path.is_symlink())
    }
    return _opener(open_box, packages, {}), ()


def _opener(open_box: OpenBox, packages: Mapping[str, Path], shown: Mapping[str, Path]) -> OpenBox:
    plain = Layout()

    def opened(tree: Tree, /, *, layout: Layout = plain, **how: Any) -> AbstractAsyncContextManager[Sandbox]:  # noqa: ANN401
        more = {**packages, **layout.packages}
        return open_box(tree, layout=replace(layout, packages=more, shown={**shown, **layout.shown}), **how)

    return opened if packages or shown else open_box


def _made_beside(top: Path, change: Change) -> Tree:
    """Files that builds leave beside the code and git ignores: compiled modules, versions. Only sandboxes see them."""
    folders = {path.rpartition("/")[0] for path in change.after.files if path.endswith(".py")}
    found: dict[str, File] = {}
    left = _MOST_MADE
    for folder in sorted(folders):
        place = top / folder
        for path in sorted(place.iterdir()) if place.is_dir() and not place.is_symlink() else ():
            name = path.relative_to(top).as_posix()
            if name in change.after.files or path.is_symlink() or not path.is_file() or not _MADE.search(name):
                continue
            left -= path.stat().st_size
            if left > 0:
                found[name] = File(data=path.read_bytes())
    return Tree(files=found)
