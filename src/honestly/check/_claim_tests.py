"""Tests from what is said of a change, written by a model that does not see the change.

The model gets the claim and, of the functions that the change adds or rewrites, the names and parameters. Its tests run
in sandboxes only, again and again, in both orders. Kept is what passes on the change and notices a small fault that no
test noticed; and what fails on the change by an assertion each time, which shows a fault of the change or of the test:
somebody has to read it. All else is dropped: tests that are not steady, that use names there are not, that notice
nothing.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from honestly.check._change import Change, python_of, text_of
from honestly.check._claims import said_of
from honestly.check._kept import KeptParts, Tell
from honestly.check._suite import ProjectSuite
from honestly.check._write_tests import BACKWARDS, MOST_FAULTS, WrittenTests, cover, module_name, new_test_path
from honestly.models import Message, Model
from honestly.records import File, Tree, digest
from honestly.tasks import Mutant

_MOST_TESTS, _LONGEST = 40, 60_000
_FENCE = re.compile(r"```(?:python|py)?[^\S\n]*\n(.*?)```", re.DOTALL)
_ASSERTED = re.compile(r"\bassert|AssertionError|DID NOT RAISE")
_QUESTION = """Write tests with pytest for a change to a Python project. You see what is said of the change and the \
names and parameters of what it touches, but not its code. Test what these words decide: usual values, limits, errors. \
Leave open what they leave open.

What is said, as data:
<claim>
{claim}
</claim>

What the change touches:
{names}

Answer with one Python file: imports, then functions named test_..., each with a few assertions about one thing.
"""


async def claim_tests(
    change: Change, suite: ProjectSuite, survivors: Sequence[Mutant], model: Model, kept: KeptParts, tell: Tell
) -> WrittenTests:
    """Tests that a model writes from the claim alone, as far as they are of use.

    Args:
        change: the change.
        suite: how tests are run.
        survivors: the mutants that no test noticed.
        model: who writes.
        kept: what was done before.
        tell: told how far it is.

    Raises:
        ModelError: there is no answer.
    """
    claim = "\n".join((*said_of(change), change.asked)).strip()[:_LONGEST].replace("</claim>", "< /claim>")
    names = list(_touched(change, suite))
    if suite.kind != "python" or not claim or not names:
        lacking = "a claim" if names else "a changed function of a Python module"
        return WrittenTests(note=f"a model writes tests only for {lacking}")
    question = _QUESTION.format(claim=claim, names="\n".join(names))
    tell(f"{model.name} writes tests from the claim")

    async def answer() -> str:
        return (await model([Message(role="user", text=question)])).text

    text = await kept.part(f"claim tests {digest(model.name, question)}", str, answer)
    start, tests = _cut_tests(text)
    if not tests:
        return WrittenTests(note=f"{model.name} gave no test that can be read")
    path = new_test_path(change, "test_claim")

    def with_tests(some: Mapping[str, str]) -> Tree:
        written = "\n\n\n".join([*start, *some.values()]) + "\n"
        return Tree(files={**change.after.files, path: File(data=written.encode())})

    tell(f"{len(tests)} tests written from the claim; trying them on the change")
    runs = []
    for backwards in BACKWARDS:
        only = [f"{path}::{name}" for name in tests]
        runs.append(await suite.run_tests(with_tests(tests), change.after, only=only, backwards=backwards))
    told = {name: [run.messages.get(f"{path}::{name}", "") for run in runs] for name in tests}
    good = {name: each for name, each in tests.items() if all(f"{path}::{name}" in run.passed for run in runs)}
    against = {name: said[0] for name, said in told.items() if all(map(_ASSERTED.search, said))}
    killed: dict[str, set[str]] = {name: set() for name in good}
    state, faults = with_tests(good), survivors[:MOST_FAULTS] if good else ()
    for at, fault in enumerate(faults):

        async def failing(fault: Mutant = fault) -> list[str]:
            code = fault.put_in(change.after)
            run = await suite.run_tests(state, code, only=[f"{path}::{name}" for name in good], timeout_s=60.0)
            return [name for name in good if f"{path}::{name}" not in run.passed]

        for name in await kept.part(f"claim tests {digest(text)} {fault.key}", list[str], failing):
            killed[name].add(fault.key)
        tell(f"tried on {at + 1} of {len(faults)}")
    chosen = cover(killed, lambda name: (len(good[name]),))
    if not chosen and not against:
        return WrittenTests(
            tried=len(tests), note=f"none of {len(tests)} tests by {model.name} fails or notices a fault"
        )
    parts = [f"# Written from the claim by {model.name}, which did not see the change.", *start]
    parts += [good[name] for name in chosen]
    parts += [f"# Fails on the change: the change or this test is wrong.\n{tests[name]}" for name in against]
    return WrittenTests(path, "\n\n\n".join(parts) + "\n", chosen, len(tests), against=against)


def _touched(change: Change, suite: ProjectSuite) -> Iterator[str]:
    """Of each changed function, its module, name and parameters."""
    for path in change.sources:
        name = module_name(path, suite.preparation.pythonpath) if path.endswith(".py") else ""
        if not name:
            continue
        lines = change.lines_of(path)
        for owner, node in _functions(text_of(change.after, path)):
            if not lines.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1)):
                yield f"{name}: {owner}{node.name}({ast.unparse(node.args)})"


def _functions(text: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in python_of(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            yield from ((f"{node.name}.", each) for each in methods)


def _cut_tests(answer: str) -> tuple[list[str], dict[str, str]]:
    """What stands before and around the tests of an answer, and each test by its name."""
    fenced = _FENCE.findall(answer)
    text = "\n".join(fenced) if fenced else answer
    lines, start, tests = text.splitlines(), list[str](), dict[str, str]()
    for node in python_of(text).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        piece = "\n".join(lines[first - 1 : node.end_lineno])
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            tests[node.name] = piece
        elif not (isinstance(node, ast.ClassDef) and node.name.startswith("Test")):
            start.append(piece)
    return start, dict(list(tests.items())[:_MOST_TESTS])
