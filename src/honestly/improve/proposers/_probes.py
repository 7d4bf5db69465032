"""Probes: hidden checks with inputs that no test shows, made from the calls that a task's tests make.

Each call of a function with literal arguments is varied (numbers moved, texts and lists cut, doubled, turned round).
The reference answers in a sandbox, twice; what raises, differs or is not plain data is left out.
"""

import ast
import json
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from honestly.errors import HonestlyError, SandboxUnavailableError
from honestly.records import Checks, File, Task, Tree
from honestly.verify import OpenBox, reference_workspace

_EACH, _MOST = 12, 60
_NAME = "probes"
_ASK = """\
import importlib, json, sys
out = []
for module, name, given in json.load(sys.stdin):
    try:
        said = [repr(getattr(importlib.import_module(module), name)(*eval(given))) for _ in range(2)]
    except Exception:
        said = [None, None]
    out.append(said[0] if said[0] == said[1] else None)
print("\\n" + json.dumps(out))
"""

Call = tuple[str, str, str]
"""Module, function, and its arguments as a literal tuple."""


async def with_probes(task: Task, open_box: OpenBox) -> Task:
    """The task with probes among its hidden checks; as it is where there are none, or there are some already."""
    assert task.hidden is not None
    checks = task.hidden.checks
    if checks.runner not in {"grader", "unittest", "pytest"} or any(_NAME in path for path in checks.files.files):
        return task
    calls = list(dict.fromkeys(_varied_calls(task)))[:_MOST]
    try:
        known = [
            (call, answer) for call, answer in await _reference_answers(task, calls, open_box) if answer is not None
        ]
    except SandboxUnavailableError:
        raise
    except HonestlyError:
        return task
    if not known:
        return task
    path, text, name = _answers_check(checks, known)
    files = Tree.of({path: text}).over(checks.files)
    more = replace(checks, files=files, expected=(*checks.expected, name), canaries=Tree())
    return replace(task, version=f"{task.version}+{_NAME}", hidden=replace(task.hidden, checks=more))


def _varied_calls(task: Task) -> Iterator[Call]:
    """Calls that the tests make, with other arguments."""
    assert task.hidden is not None
    shown = task.visible.files.files if task.visible is not None else {}
    tests = [*shown.values(), *task.hidden.checks.files.files.values()]
    # Module of each function that the reference's own files define at their margin.
    assert task.hidden is not None
    shown = task.visible.files.files if task.visible is not None else {}
    homes: dict[str, str] = {}
    for path, file in task.hidden.reference.write.files.items():
        tree = _parsed_python(file) if path.endswith(".py") and path not in shown else None
        for node in tree.body if tree else ():
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, path.removesuffix(".py").replace("/", "."))
    for file in tests:
        for name, given in _probe_calls(file):
            if name in homes:
                for other in list(_others(given))[:_EACH]:
                    yield homes[name], name, repr(other)


def _probe_calls(file: File) -> Iterator[tuple[str, tuple[object, ...]]]:
    for node in ast.walk(tree) if (tree := _parsed_python(file)) else ():
        if isinstance(node, ast.Call) and node.args and not node.keywords:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            try:
                yield name, tuple(map(ast.literal_eval, node.args))
            except (ValueError, TypeError, RecursionError, MemoryError):
                continue


def _parsed_python(file: File) -> ast.Module | None:
    try:
        return ast.parse(file.data) if file.mode != "link" else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _others(given: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    """The arguments with one of them varied."""
    for at, value in enumerate(given):
        for other in _nearby_values(value):
            if other != value:
                yield (*given[:at], other, *given[at + 1 :])


def _nearby_values(value: object) -> list[object]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value * 2, value * 3 + 7, value - 1 if value > 1 else value]
        case float():
            return [value + 1, value * 2]
        case str() if value:
            return [value[::-1], value + value, value[: len(value) // 2 + 1]]
        case list() if value:
            return [
                value[::-1],
                value + value,
                value[:-1] or value,
                *([[x, *value[1:]] for x in _nearby_values(value[0])][:2]),
            ]
        case tuple() if value:
            return [tuple(each) for each in _nearby_values(list(value)) if isinstance(each, list)]
    return []


async def _reference_answers(task: Task, calls: list[Call], open_box: OpenBox) -> list[tuple[Call, str | None]]:
    """The reference's answers, as literals; None where it has no answer of use."""
    async with open_box(await reference_workspace(task, open_box)) as box:
        made = await box.exec(["python3", "-c", _ASK], stdin=json.dumps(calls).encode(), timeout=60)
    try:
        said = json.loads(made.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2])
    except ValueError:
        return []
    return [(call, answer if _is_plain_answer(answer) else None) for call, answer in zip(calls, said, strict=False)]


def _is_plain_answer(answer: object) -> bool:
    try:
        return isinstance(answer, str) and len(answer) < 2000 and repr(ast.literal_eval(answer)) == answer
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False


def _answers_check(checks: Checks, known: Sequence[tuple[Call, str]]) -> tuple[str, str, str]:
    """Path, text and id of the check that asks for the answers, for the runner of the others."""
    rows = "".join(f"    ({module!r}, {name!r}, {given}, {answer}),\n" for (module, name, given), answer in known)
    table = f'"""Probes: calls that no test shows, and what the reference answers."""\n\nCASES = [\n{rows}]\n\n\n'
    if checks.runner == "grader":
        body = "def test_probes(ws):\n    for module, name, given, answer in CASES:\n"
        body += "        assert getattr(ws.load(module), name)(*given) == answer\n"
        return f"check_{_NAME}.py", table + body, f"check_{_NAME}.test_probes"
    folder = next((path.rpartition("/")[0] for path in sorted(checks.files.files) if path.endswith(".py")), "tests")
    path = f"{folder}/test_{_NAME}.py".lstrip("/")
    head = f"import importlib\nimport unittest\n\n{table}"
    body = "class ProbesTest(unittest.TestCase):\n    def test_probes(self):\n"
    body += "        for module, name, given, answer in CASES:\n"
    body += "            self.assertEqual(getattr(importlib.import_module(module), name)(*given), answer)\n"
    ident = (
        f"{path}::ProbesTest::test_probes"
        if checks.runner == "pytest"
        else (f"{path.removesuffix('.py').replace('/', '.')}.ProbesTest.test_probes")
    )
    return path, head + body, ident
