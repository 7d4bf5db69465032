"""JUnit's XML as agents, tasks and trials: a test case is a task, and each file of a run holds one sample of it.

Whoever was tested is not named in such a file: a property `agent` says it, of the file or of a suite, or else the name
of the file's directory. A skipped case was not judged: void. One with an error did not pass, as one with a failure.
Nothing is expanded: a document type is refused.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from xml.parsers import expat

from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.formats._agent_names import per_agent_file
from honestly.formats._files import file_chunks
from honestly.formats._heads import Head
from honestly.formats._imported import Beside, beside_of, figure_defects, number_of, storable_text
from honestly.formats._sources import FileReader, FoundTrial, Item, imported_trial, noted_defect, recorded_place
from honestly.records import Agent, Check, CheckRun, Defect, Outcome, Task, Verdict

_LARGEST = 256 << 20
# Characters of what a failed case says.
_LONGEST_TEXT = 10_000
# Elements within each other; deeper ones are refused.
_DEPTH = 50
# Folders that build tools call so.
_REPORTS = {
    *("surefire-reports", "failsafe-reports", "target", "build", "test-results", "test-reports", "reports", "junit")
}
_ENDED = {"failure": "failed", "error": "error", "skipped": "skipped"}


class _Case:
    """A test case as it is being read."""

    def __init__(self, name: str, suite: str, said: dict[str, str], line: int) -> None:
        group = storable_text(said.get("classname") or suite)
        self.name = f"{group}.{storable_text(name)}" if group else storable_text(name)
        text = said.get("time", "")
        try:
            seconds = number_of(float(text.replace(",", "")))
        except ValueError:
            seconds = None
        self.group, self.line, self.seconds = group, line, seconds
        self.status, self.message, self.beside = "passed", "", Beside()


class _Suite:
    """A suite as it is being read: what it says of its cases, and where they begin."""

    def __init__(self, tag: str, said: dict[str, str], begin: int) -> None:
        self.name, self.begin = said.get("name", ""), begin
        self.own: list[_Case] = []
        number = {key: int(text) for key, text in said.items() if text.isdecimal() and len(text) < 10}
        self.tests = number.get("tests") if tag == "testsuite" else None
        self.failures, self.errors = (number.get(key) if tag == "testsuite" else None for key in ("failures", "errors"))

    def defects(self, where: str, within: Sequence[_Case]) -> Iterator[Defect]:
        """Where its numbers are those neither of its own cases nor of all within it."""
        bad = None if self.failures is None or self.errors is None else self.failures + self.errors
        for figure, said, count in (
            ("tests", self.tests, len),
            ("failures and errors", bad, lambda cases: sum(case.status in {"failed", "error"} for case in cases)),
        ):
            if said is not None and said not in {count(self.own), count(within)}:
                name = f"{self.name}: {figure}" if self.name else figure
                yield from figure_defects(where, name, said, count(within), f"its {len(within)} test cases")


class _Parser:
    """Collects the cases of one document, in order."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.cases: list[_Case] = []
        self.differing: list[Defect] = []
        self.agent = ""
        self._path: list[str] = []
        self._suites: list[_Suite] = []
        self._case: _Case | None = None
        self._text = ""
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self._start_tag
        self.expat.EndElementHandler = self._end_tag
        self.expat.CharacterDataHandler = self._take_text
        self.expat.StartDoctypeDeclHandler = self._refuse_doctype

    def _refuse_doctype(self, *_said: object) -> None:
        raise FormatError("it declares a document type; expected none")

    def _start_tag(self, tag: str, said: dict[str, str]) -> None:
        self._path.append(tag)
        if len(self._path) > _DEPTH:
            raise FormatError(f"elements nest more than {_DEPTH} deep")
        if tag in {"testsuite", "testsuites"}:
            self._suites.append(_Suite(tag, said, len(self.cases)))
        elif tag == "testcase":
            suite = next((each.name for each in reversed(self._suites) if each.name), "")
            self._case = _Case(said.get("name", ""), suite, said, self.expat.CurrentLineNumber)
            self.cases.append(self._case)
            for each in self._suites[-1:]:
                each.own.append(self._case)
        elif tag == "property" and self._case is None and said.get("name") == "agent":
            self.agent = said.get("value", "")
        elif tag == "property" and self._case is not None and said.get("name") == "honestly":
            self._case.beside = beside_of(said.get("value", ""))
        elif tag in _ENDED and self._case is not None:
            # The worst counts where a case has several.
            if self._case.status in {"passed", "skipped"}:
                self._case.status = _ENDED[tag]
                self._case.message = said.get("message", "") or said.get("type", "")
            self._text = ""

    def _take_text(self, text: str) -> None:
        if self._case is not None and self._path[-1] in _ENDED and len(self._text) < _LONGEST_TEXT:
            self._text += text

    def _end_tag(self, tag: str) -> None:
        self._path.pop()
        if tag in {"testsuite", "testsuites"}:
            suite = self._suites.pop()
            self.differing += suite.defects(self.where, self.cases[suite.begin :])
        elif tag == "testcase":
            self._case = None
        elif tag in _ENDED and self._case is not None and not self._case.message:
            self._case.message = self._text.strip()


def recognises(head: Head) -> bool:
    """Whether it is XML whose first elements are suites of tests."""
    return b"<testsuite" in head.start and head.start.lstrip().startswith(b"<")


def _folder_name(head: Head) -> str:
    """The nearest folder that says more than that there are results."""
    folders = recorded_place(head).split("/")[-2::-1]
    return next((name for name in folders if name.lower() not in _REPORTS), folders[0] if folders else "tests")


@per_agent_file(_folder_name)
def read(head: Head) -> Iterator[Item]:
    """A trial for each test case of a file.

    Raises:
        FormatError: It is no XML, or holds no test case.
    """
    where = recorded_place(head)
    parser = _Parser(where)
    try:
        for piece in [head.whole_file(_LARGEST)] if head.is_packed else file_chunks(head.path, _LARGEST):
            parser.expat.Parse(piece)
        parser.expat.Parse(b"", True)
    except expat.ExpatError as error:
        raise FormatError(f"not well-formed: {error}") from error
    if not parser.cases:
        yield noted_defect(where, "no test cases", "a report of no tests")
    yield from parser.differing
    agent = Agent(name=storable_text(parser.agent) or _folder_name(head))
    times = Counter(case.name for case in parser.cases)
    for name, count in times.items():
        if count > 1:
            yield noted_defect(where, "test name repeated", f"{name}: {count} times; each is a sample")
    for case in parser.cases:
        check = Check(
            id=case.name,
            status=case.status,  # type: ignore[arg-type]
            message=storable_text(case.message)[:1000],
            seconds=case.seconds,
        )
        skipped, tags = case.status == "skipped", case.beside.tags
        outcome = Outcome.VOID if skipped else Outcome.PASSED if case.status == "passed" else Outcome.FAILED
        yield FoundTrial(
            agent,
            Task(id=case.name, instruction="", tags=replace(tags, cluster=tags.cluster or case.group)),
            imported_trial(
                f"{where}:{case.line}",
                outcome,
                reason="skipped" if skipped else "",
                score=case.beside.score if outcome is Outcome.FAILED else None,
                verdict=Verdict(hidden=CheckRun(checks=(check,))),
                seconds=case.seconds,
            ),
        )


READER = FileReader("junit", recognises, read)
