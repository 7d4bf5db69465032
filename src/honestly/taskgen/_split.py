"""Which files of a commit are tests, source, or neither, and whether it can become a task: from its diff alone."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from honestly.taskgen._repository import Commit
from honestly.tasks import is_test

_TEST = re.compile(
    r"(?:^|/)(?:__tests__|__mocks__|specs|regress(?:ion)?|"
    r"tests?_\w+|(?:\w+[_-])?(?:unit)?tests?(?:-d|[_-]?(?:data|cases|files|fixtures|suite))?)/|"
    r"(?:^|/)(?:unit)?tests?\.(?:py|[cm]?[jt]sx?|c|cc|cpp|sh)$|\.spec\.\w+$|\.test-d\.[cm]?tsx?$|"
    r"(?:^|/)(?:test-[^/]*|[^/]*-tests?|[^/]*_tests)\.(?:c|cc|cpp)$"
)
_PROSE = r"(?:^|/)(?:LICEN[CS]E|COPYING|AUTHORS|CONTRIBUTORS|CHANGES|CHANGELOG|HISTORY|NEWS|README)[^/]*$"
_DOCS = re.compile(
    rf"(?:^|/)(?:docs?|documentation|examples?)/|\.(?:md|rst|adoc|txt|png|svg|gif|jpe?g|pdf|html|css)$|{_PROSE}"
)
_LANGUAGES = {
    "python": (".py", ".pyi", ".pyx"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
    "go": (".go",),
    "rust": (".rs",),
    "c": (".c", ".h", ".cc", ".cpp", ".hpp"),
    "other": (".java", ".rb", ".php", ".cs", ".kt", ".swift", ".scala", ".sh", ".lua", ".ex", ".exs", ".jl", ".pl"),
}
_LANGUAGE_OF = {ending: language for language, endings in _LANGUAGES.items() for ending in endings}
_TOOLING = re.compile(
    r"(?:^|/)(?:setup|noxfile|conf|tasks|versioneer|fabfile|dodo|gulpfile|Gruntfile|[\w.-]+\.config|\.eslintrc)\.\w+$|"
    r"(?:^|/)(?:\.github|\.circleci|scripts|tools|benchmarks?|profiler|fuzzer|vendor|node_modules)/"
)
_MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class CommitSplit:
    """The files of a commit, by what they are."""

    tests: tuple[str, ...]
    source: tuple[str, ...]
    """Code of the project itself."""
    other: tuple[str, ...]
    """Documentation, settings, tools: part of the reference, and nothing that a task could be made of."""
    language: str

    @property
    def task_language(self) -> str:
        """The language as tasks name it: TypeScript is run as JavaScript is."""
        typed = any(path.endswith((".ts", ".tsx", ".mts", ".cts")) for path in self.source)
        return "typescript" if typed and self.language == "javascript" else self.language


def is_a_test(path: str) -> bool:
    """Whether a file is a test, or belongs to some."""
    return is_test(path) or _TEST.search(path) is not None


def language_of(path: str) -> str:
    """The language of a file of code; empty for any other file."""
    return _LANGUAGE_OF.get(path[path.rfind(".") :].lower(), "") if "." in path else ""


def is_source(path: str) -> bool:
    """Whether a file is code of the project itself."""
    return bool(language_of(path)) and not is_a_test(path) and not _DOCS.search(path) and not _TOOLING.search(path)


def split_commit(commit: Commit) -> CommitSplit:
    """The files of a commit, by what they are."""
    tests = tuple(path for path in commit.changed if is_a_test(path))
    source = tuple(path for path in commit.changed if is_source(path))
    other = tuple(path for path in commit.changed if path not in {*tests, *source})
    languages = [language_of(path) for path in source]
    most = max(languages, key=languages.count) if languages else ""
    if most == "c" and {"", "python"} >= (tried := {language_of(path) for path in tests}) and "python" in tried:
        most = "python"  # an extension's
    return CommitSplit(tests, source, other, most)


def refused_by_diff(commit: Commit, *, tested: Collection[str] = ("python", "javascript", "go", "c")) -> str:
    """Why a commit cannot become a task, as far as its diff says; empty if nothing speaks against it.

    Args:
        commit: which one.
        tested: languages whose tests can be run here.
    """
    if len(commit.parents) > 1:
        return (
            f"it is a merge of {len(commit.parents)} commits; name one of those, or make one commit of a branch: "
            "git switch -c task BASE; git merge --squash BRANCH; git commit"
        )
    if not commit.parents:
        return "it has no parent to start from: it is the first commit"
    if not commit.changed:
        return "it changes no file"
    if all(_DOCS.search(path) and not is_a_test(path) for path in commit.changed):
        return f"it only changes documentation: {', '.join(list(commit.changed)[:3])}"
    parts = split_commit(commit)
    if not parts.source:
        return f"it touches no source: {', '.join(list(commit.changed)[:3])}"
    # Of what is in a folder of tests, pages and pictures may be cases.
    no = rf"{_PROSE}|(?:^|/)\.git\w+$"
    tests = [path for path in parts.tests if commit.changed[path] != "D" and not re.search(no, path)]
    if not tests:
        return "it touches no test" + (f" that is run: {', '.join(parts.tests[:3])}" if parts.tests else "")
    if len(commit.changed) > _MOST_FILES:
        return f"it changes {len(commit.changed)} files, more than one task should ask for (at most {_MOST_FILES})"
    if parts.language not in tested:
        return f"its source is in {parts.language}; so far only tests in {', '.join(tested)} are run"
    if not {"", "other", parts.language} & {language_of(path) for path in tests}:  # scripts are cases, too
        return f"its tests are in another language than its source, which is in {parts.language}"
    return ""
