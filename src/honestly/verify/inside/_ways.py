"""The ways in which the tests of files, and the functions that help them, can be contradicted, and files so changed."""

from collections.abc import Iterable, Iterator, Mapping

from honestly.records import File, Tree
from honestly.verify.inside._contradict import MANY, VALUES, Contradiction, all_contradictions
from honestly.verify.inside._literals import Text
from honestly.verify.inside._testfile import Place, TestFile, python_tests, readable_tests

_FEW = 3
"""Tests that are so few that one could be guessed."""


def contradiction_ways(files: Tree) -> dict[Place, list[Contradiction]]:
    """Every test in Python files that can be told to be such, and how it can be contradicted, the best way first."""
    sources = list(_python_sources(files))
    values = MANY if sum(len(source.tests) for _, source in sources) <= _FEW else VALUES
    return {
        (path, name): all_contradictions(source, name, values=values)
        for path, source in sources
        for name in source.tests
    }


def helper_ways(files: Tree) -> dict[Place, tuple[frozenset[Place], list[Contradiction]]]:
    """The helpers of tests: their users, and how they can be contradicted, the best way first."""
    return {
        (path, name): (frozenset((path, user) for user in users), all_contradictions(source, name))
        for path, source in _python_sources(files)
        for name, users in source.helper_users.items()
    }


def _python_sources(files: Tree) -> Iterator[tuple[str, TestFile]]:
    """The Python files that can be read, by path."""
    for path, file in files.files.items():
        if source := python_tests(path, file):
            yield path, source


def certain_twins(files: Tree) -> Tree:
    """The files with each test contradicted in the best way that is certain, and catches more than the others."""
    best = {
        place: next((way for way in some if way.is_trusted), None) for place, some in contradiction_ways(files).items()
    }
    return contradicted_files(files, {place: way for place, way in best.items() if way is not None})


def contradicted_files(files: Tree, chosen: Mapping[Place, Contradiction]) -> Tree:
    """The files in which tests are contradicted, each in the chosen way."""
    by_path: dict[str, list[Contradiction]] = {}
    for (path, _), way in chosen.items():
        by_path.setdefault(path, []).append(way)
    changed = {}
    for path, some in by_path.items():
        file = files.files[path]
        if readable_tests(data := _changed_file(file.data, some)) is None:  # a change that the text does not bear
            data = _changed_file(file.data, [way for way in some if readable_tests(_changed_file(file.data, [way]))])
        changed[path] = File(data=data, mode=file.mode)
    return Tree(files=changed)


def _changed_file(data: bytes, some: Iterable[Contradiction]) -> bytes:
    return Text(data).with_changes([change for way in some for change in way.changes])
