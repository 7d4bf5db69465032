"""Tests that a change should have had, written without a model: examples from calls, and properties that hold for them.

Written for functions of modules in Python that the change adds or rewrites: what they answer to arguments that tests
used, and to others near them; and properties of the answers, such as that a second call changes nothing. Kept is what
passes on the change each time, in both orders, and notices a small fault that no test noticed before: each fault by one
test, a property rather than an example. An example says what the code does now, and not that it is right: read it.
"""

import ast
import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

import msgspec

from honestly.check._change import Change
from honestly.check._differences import Function, answers_to, calls_of
from honestly.check._kept import KeptParts, Tell
from honestly.check._suite import LinesRun, ProjectSuite
from honestly.records import File, Tree
from honestly.taskgen import test_modules
from honestly.tasks import Mutant

MOST_FAULTS = 30
"""Small faults on which written tests are tried."""
BACKWARDS = (False, True) * 4
"""Of each run of written tests on the change, whether its order is turned round: a test that comes out now and then is
dropped but for one in 256."""
_MOST_EXAMPLES, _MOST_VALUES, _LEAST_VALUES = 12, 12, 3
_ERRORS = ("ValueError", "KeyError", "IndexError", "ZeroDivisionError", "OverflowError", "StopIteration", "LookupError")
_PAIRS = (("encode", "decode"), ("dump", "load"), ("dumps", "loads"), ("pack", "unpack"), ("quote", "unquote"),
          ("escape", "unescape"), ("to_", "from_"), ("format", "parse"), ("serialize", "deserialize"))  # fmt: skip


class WrittenTests(msgspec.Struct, frozen=True):
    """Tests that are kept."""

    path: str = ""
    text: str = ""
    kills: dict[str, list[str]] = {}
    """By test, the keys of the mutants that it alone notices."""
    tried: int = 0
    note: str = ""
    against: dict[str, str] = {}
    """Tests that fail on the change, with their messages: it or they are wrong."""

    @property
    def patch(self) -> str:
        """The new file, as `git apply` takes it."""
        lines = list(unified_diff([], self.text.splitlines(keepends=True), "/dev/null", f"b/{self.path}"))
        return f"diff --git a/{self.path} b/{self.path}\nnew file mode 100644\n{''.join(lines)}" if self.text else ""


@dataclass(frozen=True)
class _Candidate:
    name: str
    module: str
    imports: tuple[str, ...]
    body: str
    property: bool


async def written_tests(
    change: Change, suite: ProjectSuite, functions: Sequence[Function], seen: LinesRun | None,
    survivors: Sequence[Mutant], kept: KeptParts, tell: Tell, seed: int,
) -> WrittenTests:  # fmt: skip
    """Tests for the changed functions that notice what no test noticed.

    Args:
        change: the change.
        suite: how tests are run.
        functions: those that it adds or rewrites.
        seen: what tests call them with.
        survivors: the mutants that no test noticed.
        kept: what was done before.
        tell: told how far it is.
        seed: of generated calls.
    """
    if suite.kind != "python":
        return WrittenTests(note="tests are written for Python only")
    paths = {path for path, _, _ in functions}
    faults = [each for each in survivors if each.path in paths][:MOST_FAULTS]
    if not faults:
        return WrittenTests(note="no small fault in a changed function of a module passes the tests that there are")
    candidates = await _candidates(change, suite, functions, seen, seed)
    if not candidates:
        return WrittenTests(note="no call of a changed function has an answer that can be written down")
    path = new_test_path(change)
    tell(f"{len(candidates)} tests written; trying them on the change and on {len(faults)} small faults")
    good = {each.name: each for each in candidates}
    for backwards in BACKWARDS:
        run = await suite.run_tests(
            _with(change.after, path, good.values()), change.after, only=_test_names(path, good), backwards=backwards
        )
        good = {name: each for name, each in good.items() if f"{path}::{name}" in run.passed}
    killed: dict[str, set[str]] = {name: set() for name in good}
    tests = _with(change.after, path, good.values())
    for at, fault in enumerate(faults if good else ()):

        async def failing(fault: Mutant = fault) -> list[str]:
            run = await suite.run_tests(tests, fault.put_in(change.after), only=_test_names(path, good), timeout_s=60.0)
            return [name for name in good if f"{path}::{name}" not in run.passed]

        for name in await kept.part(f"written {fault.key}", list[str], failing):
            if name in killed:
                killed[name].add(fault.key)
        tell(f"tried on {at + 1} of {len(faults)}")
    chosen = cover(killed, lambda name: (not good[name].property, len(good[name].body)))
    text = _file_text([good[name] for name in chosen])
    note = "" if chosen else f"none of {len(candidates)} tests that were written notices a fault that no test noticed"
    return WrittenTests(path if chosen else "", text if chosen else "", chosen, len(candidates), note)


def cover(killed: Mapping[str, set[str]], rank: Callable[[str], tuple[int, ...]]) -> dict[str, list[str]]:
    """Few tests for all faults that they notice, by a greedy choice; of equals the one of the lowest rank."""
    left = set().union(*killed.values()) if killed else set[str]()
    chosen: dict[str, list[str]] = {}
    while left:
        best = min(killed, key=lambda name: (-len(killed[name] & left), *rank(name)))
        chosen[best] = sorted(killed[best] & left)
        left -= killed[best]
    return chosen


def new_test_path(change: Change, name: str = "test_written_by_check") -> str:
    """A path for a new file of tests, in the folder of most of them."""
    folders = [path.rpartition("/")[0] for path in test_modules(change.after)]
    folder = max(set(folders), key=folders.count, default="tests")
    path = f"{folder}/{name}.py".lstrip("/")
    return path if path not in change.after.files else path.replace(name, f"{name}_too")


def _with(tree: Tree, path: str, tests: Iterable[_Candidate]) -> Tree:
    return Tree(files={**tree.files, path: File(data=_file_text(list(tests)).encode())})


def _test_names(path: str, tests: dict[str, _Candidate]) -> list[str]:
    return [f"{path}::{name}" for name in tests] or [path]


def _file_text(tests: Sequence[_Candidate]) -> str:
    imports: dict[str, set[str]] = {}
    for each in tests:
        imports.setdefault(each.module, set()).update(each.imports)
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    pytest = ["import pytest", ""] if any("pytest." in each.body for each in tests) else []
    head = '"""Written by `honestly check --write-tests`: each test notices a fault that no other test noticed."""\n'
    return "\n".join([head, *pytest, *lines, "", "", "\n\n".join(each.body for each in tests)])


async def _candidates(
    change: Change, suite: ProjectSuite, functions: Sequence[Function], seen: LinesRun | None, seed: int
) -> list[_Candidate]:
    calls = [(name, text) for _, _, name in functions for text, _ in calls_of(name, change, seen, seed)]
    if not calls:
        return []
    both = [await answers_to(change.after, suite, [(name, text, "") for name, text in calls]) for _ in range(2)]
    if both[0] is None or both[1] is None:
        return []
    steady = [
        (name, text, one)
        for (name, text), one, two in zip(calls, both[0], both[1], strict=True)
        if one is not None and one == two
    ]
    found = []
    for path, _, full in functions:
        name, module = full.rpartition("::")[2], module_name(path, suite.preparation.pythonpath)
        mine = [(text, answer) for each, text, answer in steady if each == full]
        if module:
            found += list(_examples(name, module, mine))
            found += list(
                _properties(name, module, mine, [each.rpartition("::")[2] for p, _, each in functions if p == path])
            )
    return found


def module_name(path: str, folders: Sequence[str]) -> str:
    """The name by which a test imports a file; empty where there is none."""
    for folder in sorted(folders, key=len, reverse=True):
        if folder and path.startswith(folder + "/"):
            path = path[len(folder) + 1 :]
            break
    name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return name if all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split(".")) else ""


def _literal(text: str) -> bool:
    try:
        return repr(ast.literal_eval(text)) == text and "nan" not in text
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False


def _examples(name: str, module: str, calls: Sequence[tuple[str, str]]) -> Iterator[_Candidate]:
    """One test for each call, those with other answers first."""
    by_answer: dict[str, list[str]] = {}
    for text, answer in sorted(calls, key=lambda each: len(each[0])):
        by_answer.setdefault(answer, []).append(text)
    rounds = max(map(len, by_answer.values()), default=0)
    ordered = [(texts[at], answer) for at in range(rounds) for answer, texts in by_answer.items() if at < len(texts)]
    for at, (text, answer) in enumerate(ordered[: 3 * _MOST_EXAMPLES], 1):
        error = answer.partition(":")[0]
        if _literal(answer):
            sign = "is" if answer in ("None", "True", "False") else "=="
            line = f"    assert {name}({text[1:-1]}) {sign} {answer}\n"
        elif error in _ERRORS:
            line = f"    with pytest.raises({error}):\n        {name}({text[1:-1]})\n"
        else:
            continue
        test = f"test_{name.strip('_')}_example_{at}"
        yield _Candidate(test, module, (name,), f"def {test}():\n{line}", property=False)


def _properties(
    name: str, module: str, calls: Sequence[tuple[str, str]], others: Sequence[str]
) -> Iterator[_Candidate]:
    """Properties that the answers have: each is tried on the arguments that had an answer."""
    fine = [text for text, answer in calls if _literal(answer)]
    answers = [ast.literal_eval(answer) for text, answer in calls if _literal(answer)]
    if len(fine) < _LEAST_VALUES:
        return
    values = sorted(fine, key=len)[:_MOST_VALUES]
    arity = {len(ast.literal_eval(text)) for text in fine}
    call = f"{name}(*arguments)"
    rules: dict[str, tuple[str, tuple[str, ...]]] = {}
    if kinds := {type(each) for each in answers}:
        if len(kinds) == 1 and (kind := kinds.pop()) is not type(None):
            rules["type"] = (f"type({call}) is {kind.__name__}", ())
        if all(isinstance(each, int | float) and not isinstance(each, bool) and each >= 0 for each in answers):
            rules["not_negative"] = (f"{call} >= 0", ())
        if all(isinstance(each, list | tuple | str) for each in answers):
            rules["sorted"] = (f"sorted({call}) == list({call})", ())
    if arity == {1}:
        rules["twice_is_once"] = (f"{name}({call}) == {call}", ())
        rules["length"] = (f"len({call}) == len(arguments[0])", ())
        for one, two in _PAIRS:
            other = name.replace(one, two, 1)
            if one in name and other in others and other != name:
                rules[f"back_by_{other}"] = (f"{other}({call}) == arguments[0]", (other,))
    if arity == {2}:
        rules["either_order"] = (f"{name}(*arguments[::-1]) == {call}", ())
    if arity and min(arity) > 1:
        rules["within"] = (f"min(arguments) <= {call} <= max(arguments)", ())
        rules["one_of"] = (f"{call} in arguments", ())
    for rule, (text, more) in rules.items():
        test = f"test_{name.strip('_')}_{rule}"
        rows = "".join(f"        {value},\n" for value in values)
        body = f"def {test}():\n    for arguments in (\n{rows}    ):\n        assert {text}\n"
        yield _Candidate(test, module, (name, *more), body, property=True)
