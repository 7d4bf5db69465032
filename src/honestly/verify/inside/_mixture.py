"""Mixtures of true and contradicted tests: of all versions of a test file, any test from any.

A version differs from the original only inside of tests, and a mixture takes each test, as it is written, from one of
them. So what the tested code sees is a test file like any other, of which it cannot know which tests are true.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from honestly.records import Checks, File, Tree, digest
from honestly.verify.inside._asked import asking_test, copied_test
from honestly.verify.inside._contradict import MANY
from honestly.verify.inside._kinds import count_truths, kinds_told, stated_truths
from honestly.verify.inside._opaque import NAMES, is_regular, says_expected
from honestly.verify.inside._testfile import Place, TestFile, readable_tests

_ALSO, _ASKED = ".also/", ".asked"


_READ: dict[str, "Canaries"] = {}
"""What was read for the last verdicts."""
_MOST_READ = 4


class Canaries:
    """The tests of some checks, and their contradictions."""

    def __init__(self, checks: Checks, canaries: Tree) -> None:
        """Compares the two versions of each file.

        Args:
            checks: the original tests.
            canaries: the contradicted ones, in files of the same names; other versions of them as `version_tree` puts
                them; other files are put over in any case.
        """
        self._files = checks.files
        self._pytest = checks.runner == "pytest"
        self._pairs = _paired_files(checks.files, canaries)
        further = (canaries.below(f"{_ALSO}{number}") for number in range(1, MANY))
        versions = [self._pairs, *(_paired_files(checks.files, tree) for tree in further)]
        self._others = canaries.without(
            path for path in canaries.files if path in self._pairs or path.startswith((_ALSO, _ASKED, NAMES))
        )
        self._by_helper = {
            (path, test): (path, name)
            for path, (old, new) in self._pairs.items()
            for name, users in old.helper_users.items()
            if old.function_text(name) != new.function_text(name)
            for test in users
        }
        own = {
            (path, name)
            for path, (old, new) in self._pairs.items()
            for name in old.tests
            if old.function_text(name) != new.function_text(name)
        }
        self.places: frozenset[Place] = frozenset((own - self._by_helper.keys()) | {*self._by_helper.values()})
        """The tests and helpers that have a contradiction; a test whose helper has one has none of its own."""
        self.twins = {(path, name): _twins(path, name, versions) for path, name in self.places}
        """What may stand in the place of each, all different."""
        self.proving = frozenset(
            (path, name)
            for (path, name), twins in self.twins.items()
            if not kinds_told(self._pairs[path][0].function_text(name), twins)
        )
        """Places with a twin whose value cannot be told from the test's without knowing the answer."""
        sources = (
            [file.data for path, file in checks.files.files.items() if path.endswith(".py")] if self.proving else []
        )
        is_pattern = sum(map(count_truths, sources)) > len(self.proving)  # a place's twins contradict one truth
        unsaid = self._unsaid_places() if NAMES in canaries.files and not is_pattern else frozenset()
        self.told = self.places - unsaid
        """Places whose twins can all be told, by their values, by names, or by the truths beside or before them."""
        asked = canaries.text(_ASKED).splitlines() if _ASKED in canaries.files else []
        self.asked = self.places & {(path, name) for path, _, name in (line[1:].rpartition(":") for line in asked)}
        """Places that the reference showed to ask for all their versions in one run (`asking_test`)."""
        self.copied = {place for place in self.asked if f"+{place[0]}:{place[1]}" in asked}
        """Those of them that have to be copied for it."""

    def _unsaid_places(self) -> frozenset[Place]:
        """Those of which neither a value, nor a name, nor an order that goes on tells."""
        found = set[Place]()
        for path, (old, _) in self._pairs.items():
            some = sorted((name for where, name in self.proving if where == path), key=old.line_span)
            values = [each for name in some for each in stated_truths(old.function_text(name), self.twins[path, name])]
            if not is_regular(values):
                found |= {(path, name) for name in some if not says_expected(old, name)}
        return frozenset(found)

    @property
    def has_whole_files(self) -> bool:
        """Whether there are files that contradict the checks as a whole."""
        return bool(self._others.files)

    def mixed_files(self, chosen: Mapping[Place, int] | Iterable[Place], *, others: bool = False) -> Tree:
        """The test files, with some tests and helpers contradicted, each by its twin of that number, or its first."""
        numbers = chosen if isinstance(chosen, Mapping) else dict.fromkeys(chosen, 0)
        tree = self._files_with({place: self.twins[place][number] for place, number in numbers.items()})
        return self._others.over(tree) if others else tree

    def asking_texts(
        self, plan: Sequence[Mapping[Place, int]], places: Iterable[Place], copied: Collection[Place] = ()
    ) -> dict[Place, bytes]:
        """The texts of those of some places that can be asked for all that they have in the runs of a plan.

        Tests that cannot ask for it in one text are there once for each run, which only pytest's runner can tell apart.
        """
        found = {}
        for path, name in places:
            file, twins = self._pairs[path][0], self.twins[path, name]
            versions = [twins[run[path, name]] if (path, name) in run else file.function_text(name) for run in plan]
            start, _ = file.line_span(name)
            before = file.text.data[file.text.data.rfind(b"\n", 0, start) + 1 : start]
            text = asking_test(before, versions) if (path, name) not in copied else None
            if text is None and self._pytest and name in file.tests:
                text = copied_test(before, file.function_node(name).name, versions)
            if text is not None:
                found[path, name] = text
        return found

    def at_once(self, chosen: Mapping[Place, int], asking: Mapping[Place, bytes]) -> Tree:
        """The test files, with some tests contradicted, and others asking for all that they have in a plan."""
        return self._files_with({**{place: self.twins[place][number] for place, number in chosen.items()}, **asking})

    def _files_with(self, texts: Mapping[Place, bytes]) -> Tree:
        """The test files with other texts of some tests and helpers."""
        mixed = {}
        for path, (old, _) in self._pairs.items():
            data = old.text.data
            for name in sorted([*old.tests, *old.helper_users], key=old.line_span, reverse=True):
                if (path, name) in texts:
                    start, end = old.line_span(name)
                    data = data[:start] + texts[path, name] + data[end:]
            mixed[path] = File(data=data, mode=self._files.files[path].mode)
        return Tree(files={**self._files.files, **mixed})

    def place(self, name: str) -> Place | None:
        """The test that an id means, if it has a contradiction; or else the helper of it that has one."""
        path = self.file(name)
        rest = name.partition("[")[0]
        rest = rest[len(path) + 2 :].replace("::", ".") if self._pytest else rest[len(path) - 2 :]
        place = self._by_helper.get((path, rest), (path, rest))
        return place if place in self.places else None

    def file(self, name: str) -> str:
        """Path of the file that an id belongs to; empty if it is not one of the checks' own files."""
        if self._pytest:
            return name.partition("::")[0]
        modules = {path: path.removesuffix(".py").replace("/", ".") for path in self._files.files}
        return max((path for path, module in modules.items() if name.startswith(f"{module}.")), key=len, default="")


def compared_canaries(checks: Checks) -> Canaries:
    """The tests and contradictions of checks, read once for several verdicts on one task."""
    key = digest(checks.runner, checks.expected, checks.files.hash, checks.canaries.hash)
    if key not in _READ:
        while len(_READ) >= _MOST_READ:
            del _READ[next(iter(_READ))]
        _READ[key] = Canaries(checks, checks.canaries)
    return _READ[key]


def version_tree(trees: Sequence[Tree]) -> Tree:
    """Several versions of contradicted files as one tree, the first under their own names."""
    also = {
        f"{_ALSO}{number}/{path}": file for number, tree in enumerate(trees[1:], 1) for path, file in tree.files.items()
    }
    return Tree(files={**trees[0].files, **also})


def with_asked(canaries: Tree, places: Iterable[Place], copied: Collection[Place]) -> Tree:
    """Contradicted files that also say which places can ask for all their versions in one run, or in copies."""
    lines = "".join(f"{'+' if place in copied else '='}{place[0]}:{place[1]}\n" for place in sorted(places))
    return Tree(files={**canaries.files, **Tree.of({_ASKED: lines}).files})


def _paired_files(files: Tree, canaries: Tree) -> dict[str, tuple[TestFile, TestFile]]:
    """The Python files in both that hold the same tests."""
    pairs = {
        path: (readable_tests(files.files[path].data), readable_tests(file.data))
        for path, file in canaries.files.items()
        if path in files.files and path.endswith(".py")
    }
    return {path: (old, new) for path, (old, new) in pairs.items() if old and new and old.is_like(new)}


def _twins(path: str, name: str, versions: Iterable[dict[str, tuple[TestFile, TestFile]]]) -> list[bytes]:
    """The contradictions of a test, as they are written, each once."""
    pairs = [pairs[path] for pairs in versions if path in pairs]
    return list(
        dict.fromkeys(
            new.function_text(name) for old, new in pairs if new.function_text(name) != old.function_text(name)
        )
    )
