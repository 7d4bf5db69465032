"""Tests of C and C++: built and run by cmake and ctest, meson, make, a configure script, or a script beside the tests.

What single tests say is read from what their runners print (`_guest/run_tests.py`); of a runner that prints nothing of
the kind, the exit status of the whole run is the one check. Libraries beside the system's are not installed. Not
covered: other builders, and projects that have to fetch what they need.
"""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence

from honestly.records import Tree
from honestly.taskgen._needs import Needs
from honestly.taskgen._split import is_a_test
from honestly.tasks import text_in

_FOLDERS = "/usr/local/bin:/usr/bin:/bin"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGETS = ("check", "test", "tests", "unittest", "unittests", "unit-test", "run-tests", "test-all", "regress")
_BELOW = (
    *("tests/Makefile", "test/Makefile", "t/Makefile", "tests/run.sh", "tests/run_tests.sh", "tests/runtests.sh"),
    *("tests/test.sh", "tests/unittest.sh", "test/run.sh", "test/test.sh", "run_tests.sh", "runtests.sh", "test.sh"),
    "tests.sh",
)
"""What runs tests where nothing at the root does."""
_BUILT = "/tmp/built"  # noqa: S108 - in a sandbox
_HAS_TESTS = re.compile(r"\b(?:add_test|gtest_discover_tests|catch_discover_tests|enable_testing)\s*\(", re.IGNORECASE)
_OPTION = re.compile(r"\boption\s*\(\s*(\w*TEST\w*)\b|\bset\s*\(\s*(\w*TEST\w*)\s+\S+\s+CACHE\s+BOOL\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"FUZZ|COVERAGE|VALGRIND|SANIT|INSTALL|BENCH|PERF|SYSTEM|EXTERNAL|DISABLE|(?:^|_)NO(?:_|$)|SKIP|WITHOUT|OMIT|EXCLU|"
    r"CONTAINER|LIVE|ONLINE|NETWORK|^(?:GTEST|GMOCK|CATCH|DOCTEST|CMOCKA|UNITY|CHECK)_"
)
"""Options that turn on other tests than the project's own plain ones, or turn tests off."""
_VENDORED = re.compile(
    r"(?:^|/)(?:third.?party|vendor(?:ed)?|externals?|deps|contrib|submodules|subprojects|g(?:oogle)?(?:test|mock)[^/]*)/"
)
_COMPARISON = re.compile(
    rb"(\b\w*(?:assert|check|expect|require|fail_unless|test|ok)\w*\s*\([^;{}\n]*?[^=!<>])([!=]=)", re.IGNORECASE
)
_TRUTH = re.compile(rb"(\b\w*assert\w*\s*\()(?=[^;{}\n=<>,]*\)\s*;)", re.IGNORECASE)
_TURNED = {b"!=": b"==", b"==": b"!="}
_PROGRAM_TARGET = re.compile(r"^((?:[\w-]+[-_])?(?:unit)?tests?|tests?[-_][\w-]+)\s*::?(?!=)", re.MULTILINE)
"""A target of a Makefile that may be a program which tests."""
_EXECUTABLE = re.compile(r"\badd_executable\s*\(\s*([\w-]*tests?[\w-]*)(?=\s)", re.IGNORECASE)
_MOST_WAYS = 4
_Steps = tuple[tuple[str, ...], ...]
"""What builds a project and, at last, runs its tests."""


class C:
    """C and C++, by what the project is built with."""

    program, package, says_version = "gcc", "build-essential", "--version"

    def __init__(self, at: int = 0) -> None:
        """By which of the ways that a project offers, the likeliest first."""
        self._at = at

    def refused(self, tree: Tree) -> str:
        """Nothing that builds and runs tests, or nothing of the kind on this machine."""
        ways = list(_ways(tree))
        if not ways:
            other = next((name for name in ("BUILD.bazel", "SConstruct") if name in tree.files), "")
            found = f"; {other} is not read" if other else ""
            return f"neither cmake nor make nor a script that it is known by runs its tests{found}"
        if any(not _lacking_tool(way) for way in ways):
            return ""
        return f"it is built with {_lacking_tool(ways[0])}, which is not on this machine, where sandboxes find it"

    def others(self, tree: Tree) -> Sequence["C"]:
        """Those that run its tests in other ways."""
        return [C(at) for at in range(self._at + 1, min(_MOST_WAYS, len(_here(tree))))]

    def needs(self, tree: Tree) -> Needs:  # noqa: ARG002 - as of a Language
        """Nothing that is shown around the workspace."""
        return Needs((), (), (), (), "")

    def beside(self, tree: Tree, name: str) -> Tree:  # noqa: ARG002 - as of a Language
        """Nothing."""
        return Tree()

    def runs(self, path: str) -> bool:
        """Whether a file belongs to tests: a program may read its cases from any."""
        return is_a_test(path)

    def sets_tests(self, path: str) -> bool:  # noqa: ARG002 - what builds the tests builds the work
        """Only what lies with the tests does."""
        return False

    def tests(self, text: str) -> Mapping[str, str]:  # noqa: ARG002 - what takes long is to build them
        """None can be chosen."""
        return {}

    def run_orders(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> dict[str, object]:  # noqa: ARG002 - as of a Language
        """All steps; the last one runs the tests."""
        return {"kind": "c", "argv": [], "paths": [], "steps": [list(step) for step in self._steps(tree)]}

    def command(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> tuple[str, ...]:  # noqa: ARG002 - as of a Language
        """The same steps, one after another."""
        return ("sh", "-c", " && ".join(map(shlex.join, self._steps(tree))))

    def opposite(self, test: bytes) -> bytes:
        """Comparisons in assertions, turned round."""
        turned = _COMPARISON.sub(lambda found: found[1] + _TURNED[found[2]], test)
        return turned if turned != test else _TRUTH.sub(rb"\1!", test)

    def _steps(self, tree: Tree) -> _Steps:
        return next(iter((_here(tree) or list(_ways(tree)))[self._at :]), ())


def _lacking_tool(way: _Steps) -> str:
    """A program that a way needs, and this machine lacks."""
    tools = (step[0] for step in way if "/" not in step[0])
    return next((tool for tool in tools if not shutil.which(tool, path=_FOLDERS)), "")


def _here(tree: Tree) -> list[_Steps]:
    """The ways that this machine has the programs for."""
    return [way for way in _ways(tree) if not _lacking_tool(way)]


def _ways(tree: Tree) -> Iterator[_Steps]:
    """The commands that build a project and run its tests, in the ways that it may be done, the likeliest first."""
    makefile = next((name for name in _MAKEFILES if name in tree.files), "")
    target = _test_target(text_in(tree, makefile))
    lists = [path for path in tree.files if path.endswith((".cmake", "CMakeLists.txt")) and path.count("/") < 4]
    recipes = "\n".join(text_in(tree, path) for path in lists if not _VENDORED.search(path))
    root = min((path for path in lists if path.endswith("CMakeLists.txt")), key=lambda p: (p.count("/"), p), default="")
    scripts = {"configure", "configure.ac", "configure.in"} & tree.files.keys()
    named = {first or second for first, second in _OPTION.findall(recipes)}
    wanted = sorted({"BUILD_TESTING", *(name for name in named if not _OTHERS.search(name.upper()))})
    built = (
        ("cmake", "-S", root.rpartition("/")[0] or ".", "-B", _BUILT, "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
         *(f"-D{name}=ON" for name in wanted)),
        ("cmake", "--build", _BUILT, "--parallel", "2"),
    )  # fmt: skip
    by_ctest = (*built, ("ctest", "--test-dir", _BUILT, "--verbose", "--timeout", "60"))
    has_tests = _HAS_TESTS.search(recipes) is not None
    first = has_tests and (root == "CMakeLists.txt" or (not target and not scripts and is_a_test(root)))
    if first:
        yield by_ctest
    if scripts and not (target and "configure" not in scripts):  # a Makefile that is kept needs no configure script
        own = scripts == {"configure"} and "Makefile.in" not in tree.files  # it is written by hand
        made = () if own or {"configure", "Makefile.in"} <= tree.files.keys() else (("autoreconf", "-fi"),)
        configured = ("sh", "./configure", *(() if own else ("--disable-dependency-tracking",)))
        last = ("make", "-k", (target if own else _test_target(text_in(tree, "Makefile.in"))) or "check")
        yield (*made, configured, ("make", "-j2"), last)
    if target:
        yield (("make", "-k", target),)
    if "meson.build" in tree.files:
        yield (("meson", "setup", _BUILT), ("meson", "test", "-C", _BUILT, "--print-errorlogs"))
    for below in (path for path in _BELOW if path in tree.files):
        folder, _, name = below.rpartition("/")
        inner = filter(None, [_test_target(text_in(tree, below))])
        script = ("sh", "-c", f"cd ./{folder} && bash ./{name}")
        yield (("make", "-k", "-C", folder, *inner) if name == "Makefile" else script,)
    if has_tests and not first:
        yield by_ctest
    programs = dict.fromkeys(_PROGRAM_TARGET.findall(text_in(tree, makefile)))
    for program in (each for each in programs if each not in _TARGETS):
        yield (("make", program), ("sh", "-c", f"if test -x {program}; then exec {program}; fi"))
    if root and (built_ones := sorted(set(_EXECUTABLE.findall(recipes)))):
        found = " -o ".join(f"-name {name}" for name in built_ones)
        run = f'find {_BUILT} -type f -perm /100 \\( {found} \\) | sort | while read -r each; do "$each" || exit; done'
        yield (*built, ("sh", "-c", run))


def _test_target(makefile: str) -> str:
    """The target of a Makefile that runs tests; empty if there is none."""
    there = {name for line in re.findall(r"^([\w ./-]+?)\s*::?(?!=)", makefile, re.MULTILINE) for name in line.split()}
    return next((name for name in _TARGETS if name in there), "")
