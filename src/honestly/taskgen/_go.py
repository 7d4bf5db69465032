"""Tests of Go: a package's tests are compiled as one, so one that does not compile fails all of its package.

Modules come from `go mod vendor`, whose files are put into the workspace. Code from before modules gets a go.mod, whose
path is the one under which its own tests import it, and today's versions of what else it imports. Vet is off: newer
versions of it refuse older code.
"""

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from honestly.errors import TaskError
from honestly.records import Tree
from honestly.scratch import run_owned, scratch_folder
from honestly.taskgen._needs import Needs
from honestly.tasks import write_tree

_IGNORED = re.compile(r"(?:^|/)(?:testdata|vendor|[._][^/]*)/|(?:^|/)[._][^/]*$")
_REQUIRES = re.compile(rb"^\s*require\b", re.MULTILINE)
_FOREIGN = re.compile(rb"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"([\w-]+\.[\w.-]+/[\w./-]+)\"\s*$", re.MULTILINE)
"""What is imported from elsewhere than Go's own library."""
_CONDITION = re.compile(rb"(\bif [^\n{}]*?)([!=]=)([^\n{}&|]*\{\s*\n\s*\w+\.(?:Error|Fatal)f?\()")
_FUNCTION = re.compile(r"^(func (?=(\w+)\())", re.MULTILINE)
_TEST_NAME = re.compile(r"(?:Test|Example|Fuzz)(?![a-z])")
_TURNED = {b"!=": b"==", b"==": b"!="}
_SECONDS = 600
_LARGEST = 64 << 20
_OWN = {"GOTOOLCHAIN": "local", "GOVCS": "*:off", "GOFLAGS": "-mod=mod", "GOWORK": "off"}


class Go:
    """Go, with what its own command offers."""

    program, package, says_version = "go", "golang-go", "version"

    def refused(self, tree: Tree) -> str:
        """Only what `go test` says."""
        return "" if any(path.endswith(".go") for path in tree.files) else "it holds no Go"

    def others(self, tree: Tree) -> Sequence["Go"]:  # noqa: ARG002 - as of a Language
        """None: there is one way."""
        return ()

    def needs(self, tree: Tree) -> Needs:
        """Nothing that is shown around the workspace."""
        return Needs((), (), (), tuple(name for name in ("go.mod", "go.sum") if name in tree.files), "")

    def beside(self, tree: Tree, name: str) -> Tree:
        """A go.mod, where there is none; the modules, where there are any."""
        if "go.mod" not in tree.files:
            own = _imported(tree, name)
            made = Tree.of({"go.mod": f"module {own}\n"})
            code = (
                file.data for path, file in tree.files.items() if path.endswith(".go") and not _IGNORED.search(path)
            )
            foreign = any(
                not f"{each.decode()}/".startswith(f"{own}/") for text in code for each in _FOREIGN.findall(text)
            )
            return _vendored(made.over(tree), tidy=True).over(made) if foreign else made
        found = Tree()
        for folder in ("", *_inner_modules(tree)):
            vendored = any(path.startswith(f"{folder}vendor/") for path in tree.files)
            if _REQUIRES.search(tree.files[f"{folder}go.mod"].data) and not vendored:
                with suppress(TaskError) if folder else nullcontext():
                    found = _vendored(tree, folder).over(found)
        return found

    def runs(self, path: str) -> bool:
        """Whether `go test` compiles a file."""
        return path.endswith("_test.go") and not _IGNORED.search(path)

    def sets_tests(self, path: str) -> bool:  # noqa: ARG002 - it has no settings of tests
        """Nothing does."""
        return False

    def tests(self, text: str) -> Mapping[str, str]:
        """Its functions that `go test` runs."""
        pieces = _FUNCTION.split(text)  # what comes before, then a head, a name and a rest, again and again
        return {
            name: f"{head}{rest}"
            for head, name, rest in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)
            if _TEST_NAME.match(name)
        }

    def run_orders(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> dict[str, object]:
        """All tests of the packages of some files, or some of them."""
        home, own = _of_module(tree, paths)
        argv, paths = ["go", "test", "-vet=off", *_chosen(only)], _package_folders(own)
        return {"kind": "go", "argv": argv, "paths": paths, **({"at": home.rstrip("/")} if home else {})}

    def command(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> tuple[str, ...]:
        """`go test` of their packages; its cache must not lie in the workspace, where the home is."""
        home, inner = _of_module(tree, paths)
        at = ("-C", home.rstrip("/")) if home else ()
        own = ("env", *at, "GOCACHE=/tmp/go-build", "GOMEMLIMIT=350MiB", "go", "test", "-vet=off")
        return (*own, *_chosen(only), *(f"./{path}" for path in _package_folders(inner)))

    def opposite(self, test: bytes) -> bytes:
        """Conditions under which a test fails, turned round."""
        return _CONDITION.sub(lambda found: found[1] + _TURNED[found[2]] + found[3], test)


def _chosen(only: Sequence[str]) -> list[str]:
    return [f"-run=^(?:{'|'.join(only)})$"] if only else []


def _package_folders(paths: Sequence[str]) -> list[str]:
    return sorted({path.rpartition("/")[0] or "." for path in paths})


def _inner_modules(tree: Tree) -> list[str]:
    """The folders below the root of modules of their own that have tests, each with the slash at its end."""
    inner = (p.removesuffix("go.mod") for p in tree.files if p.endswith("/go.mod") and not _IGNORED.search(p))
    return [each for each in inner if any(path.startswith(each) and path.endswith("_test.go") for path in tree.files)]


def _of_module(tree: Tree, paths: Sequence[str]) -> tuple[str, list[str]]:
    """The folder of the module that most of some tests are in, and these by their paths in it."""
    inner = sorted(_inner_modules(tree), key=len, reverse=True)
    homes = [next((each for each in inner if path.startswith(each)), "") for path in paths]
    home = max(homes, key=homes.count, default="")
    return home, [path.removeprefix(home) for path, each in zip(paths, homes, strict=True) if each == home]


def _imported(tree: Tree, name: str) -> str:
    """The path under which a project imports itself; its name where it does not."""
    own = {path: file.data for path, file in tree.files.items() if path.endswith(".go") and not _IGNORED.search(path)}
    folders = "|".join(sorted({re.escape(path.rpartition("/")[0]) for path in own if "/" in path}))
    for wanted in (
        rf'"([\w.-]+(?:/[\w.-]+)*/{re.escape(name)})[/"]',
        rf'"([\w-]+\.[\w.-]+(?:/[\w.-]+)+?)/(?:{folders})"',  # its folder has another name here
    ):
        pattern = re.compile(wanted.encode())
        if found := Counter(each for data in own.values() for each in pattern.findall(data)):
            return bytes(found.most_common(1)[0][0]).decode()
    return name


def _vendored(tree: Tree, inner: str = "", *, tidy: bool = False) -> Tree:
    """The modules that a project needs, from where the user's own settings say; those that it names or, of a tidy one,
    imports.
    """
    with scratch_folder("go") as folder:
        write_tree(folder, Tree(files={p: f for p, f in tree.files.items() if f.mode != "link"}))
        # Refuses a go.mod that takes modules from folders of this machine: their code would come into the task.
        at, root = folder / inner, folder.resolve()
        said = json.loads(_go_output(at, "mod", "edit", "-json"))
        for each in said.get("Replace") or ():
            place = each["New"]["Path"]
            if not each["New"].get("Version") and not (at / place).resolve().is_relative_to(root):
                raise TaskError(f"its go.mod takes {each['Old']['Path']} from {place}, outside of the project")
        for word in ("tidy", "vendor") if tidy else ("vendor",):
            _go_output(at, "mod", word)
        found = Tree.read(folder)
    own = ("go.mod", "go.sum") if tidy else ()
    vendored = {path: file for path, file in found.files.items() if path.startswith(f"{inner}vendor/") or path in own}
    if sum(len(file.data) for file in vendored.values()) > _LARGEST:
        raise TaskError(f"its modules are more than {_LARGEST >> 20} MiB")
    return Tree(files=vendored)


def _go_output(folder: Path, *words: str) -> bytes:
    try:
        done = run_owned(["go", *words], cwd=folder, timeout=_SECONDS, env={**os.environ, **_OWN})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TaskError(f"`go {' '.join(words)}` failed: {error}") from error
    if done.returncode != 0:
        raise TaskError(f"`go {' '.join(words)}` failed: {done.stderr.decode('utf-8', 'replace')[-400:]}")
    return done.stdout
