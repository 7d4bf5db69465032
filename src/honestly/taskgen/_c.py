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


class C:
    """C and C++, by what the project is built with."""

    program, package, says_version = "gcc", "build-essential", "--version"

    def refused(self, tree: Tree) -> str:
        """Nothing that builds and runs tests, or nothing of the kind on this machine."""
        steps = list(_build_steps(tree))
        if not steps:
            other = next((name for name in ("BUILD.bazel", "SConstruct") if name in tree.files), "")
            found = f"; {other} is not read" if other else ""
            return f"neither cmake nor make nor a script that it is known by runs its tests{found}"
        for tool in dict.fromkeys(step[0] for step in steps):
            if "/" not in tool and not shutil.which(tool, path=_FOLDERS):
                return f"it is built with {tool}, which is not on this machine, where sandboxes find it"
        return ""

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
        return {"kind": "c", "argv": [], "paths": [], "steps": [list(step) for step in _build_steps(tree)]}

    def command(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> tuple[str, ...]:  # noqa: ARG002 - as of a Language
        """The same steps, one after another."""
        return ("sh", "-c", " && ".join(map(shlex.join, _build_steps(tree))))

    def opposite(self, test: bytes) -> bytes:
        """Comparisons in assertions, turned round."""
        turned = _COMPARISON.sub(lambda found: found[1] + _TURNED[found[2]], test)
        return turned if turned != test else _TRUTH.sub(rb"\1!", test)


def _build_steps(tree: Tree) -> Iterator[tuple[str, ...]]:
    """The commands that build a project and run its tests; none where nobody says how."""
    makefile = next((name for name in _MAKEFILES if name in tree.files), "")
    target = _test_target(text_in(tree, makefile))
    lists = [path for path in tree.files if path.endswith((".cmake", "CMakeLists.txt")) and path.count("/") < 4]
    recipes = "\n".join(text_in(tree, path) for path in lists if not _VENDORED.search(path))
    root = min((path for path in lists if path.endswith("CMakeLists.txt")), key=lambda p: (p.count("/"), p), default="")
    has_tests = _HAS_TESTS.search(recipes) is not None
    scripts = {"configure", "configure.ac", "configure.in"} & tree.files.keys()
    if has_tests and (root == "CMakeLists.txt" or (not target and not scripts and is_a_test(root))):
        named = {first or second for first, second in _OPTION.findall(recipes)}
        wanted = sorted({"BUILD_TESTING", *(name for name in named if not _OTHERS.search(name.upper()))})
        yield ("cmake", "-S", root.rpartition("/")[0] or ".", "-B", _BUILT, "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
               *(f"-D{name}=ON" for name in wanted))  # fmt: skip
        yield ("cmake", "--build", _BUILT, "--parallel", "2")
        yield ("ctest", "--test-dir", _BUILT, "--verbose", "--timeout", "60")
    elif scripts and not (target and "configure" not in scripts):  # a Makefile that is kept needs no configure script
        own = scripts == {"configure"} and "Makefile.in" not in tree.files  # it is written by hand
        if not own and ("configure" not in scripts or "Makefile.in" not in tree.files):
            yield ("autoreconf", "-fi")
        yield ("sh", "./configure", *(() if own else ("--disable-dependency-tracking",)))
        yield ("make", "-j2")
        yield ("make", "-k", (target if own else _test_target(text_in(tree, "Makefile.in"))) or "check")
    elif target:
        yield ("make", "-k", target)
    elif "meson.build" in tree.files:
        yield ("meson", "setup", _BUILT)
        yield ("meson", "test", "-C", _BUILT, "--print-errorlogs")
    elif below := next((path for path in _BELOW if path in tree.files), ""):
        folder, _, name = below.rpartition("/")
        inner = filter(None, [_test_target(text_in(tree, below))])
        script = ("sh", "-c", f"cd ./{folder} && bash ./{name}")
        yield ("make", "-k", "-C", folder, *inner) if name == "Makefile" else script


def _test_target(makefile: str) -> str:
    """The target of a Makefile that runs tests; empty if there is none."""
    there = {name for line in re.findall(r"^([\w ./-]+?)\s*::?(?!=)", makefile, re.MULTILINE) for name in line.split()}
    return next((name for name in _TARGETS if name in there), "")
