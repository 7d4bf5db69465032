"""Guessing, priced: what answers that know nothing of a task get from its hidden checks.

Every function of the reference is made to give one answer, whatever it is asked: a constant, its first argument, that
argument's type without content, or an object that equals everything and whose operators return it. A check that one of
them passes is weak: it asks for too little. Tests that run inside are run as their own runner runs them, without twins.

Not covered: solutions that are not Python, and those without a function.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from honestly.errors import HonestlyError
from honestly.records import CheckRun, File, Task, Tree, Verdict
from honestly.verify._many import Submission, verify_each
from honestly.verify._open import OpenBox
from honestly.verify._solve import reference_workspace
from honestly.verify.inside._visible import put_back, run_visible
from honestly.verify.wire._slots import shared_slots

CONSTANTS = ("None", "0", "1", "True", "''", "[]", "{}")
_ARGUMENT, _EMPTY, EQUAL = "its first argument", "its first argument's type, empty", "an object equal to everything"
_FIRST = ("None", _ARGUMENT, EQUAL)
GUESSES = (*_FIRST, *CONSTANTS[1:], "-1", "False", _EMPTY)
_OPERATORS = "add sub mul truediv floordiv mod pow neg abs and or xor invert getitem call enter radd rsub rmul rtruediv"
_ALWAYS = f"""
class _Always:
    def __eq__(self, *_): return True
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = __eq__
    def __ne__(self, *_): return False
    def __hash__(self): return 0
    def __len__(self): return 1
    def __iter__(self): return iter([self])
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        return self
    def __call__(self, *_, **__): return self
    {" = ".join(f"__{name}__" for name in _OPERATORS.split())} = __call__
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessPrices:
    """How many hidden checks of a task guesses pass."""

    task: str
    passed: dict[str, tuple[str, ...]]
    """Each guess with the checks that it passes."""
    checks: tuple[str, ...]
    """All hidden checks."""
    note: str = ""
    """Why guesses were not tried, if so."""

    @property
    def weak(self) -> dict[str, tuple[str, ...]]:
        """Checks that a guess passes, and which do."""
        found = {check: tuple(guess for guess in self.passed if check in self.passed[guess]) for check in self.checks}
        return {check: guesses for check, guesses in found.items() if guesses}

    @property
    def passing(self) -> tuple[str, ...]:
        """Guesses that pass every check."""
        return tuple(guess for guess, passed in self.passed.items() if set(passed) >= set(self.checks))


async def price_guesses(task: Task, open_box: OpenBox, *, guesses: Sequence[str] | None = None) -> GuessPrices:
    """Tries guesses at a task with a hidden part.

    Args:
        task: the whole task.
        open_box: opens sandboxes.
        guesses: which, of `GUESSES`; None for all, and for three where a check runs commands, or inside.

    Raises:
        SandboxError: a sandbox broke.
        TaskError: its reference cannot be run.
        VerifierError: its checks cannot.
    """
    assert task.hidden is not None
    checks = task.hidden.checks.expected
    if task.environment is not None:
        return GuessPrices(task=task.id, passed={}, checks=checks, note="it is done in an image of its own")
    final = await reference_workspace(task, open_box)
    passed: dict[str, tuple[str, ...]] = {}
    async with shared_slots(open_box) as slots:
        for some in (_FIRST, GUESSES[len(_FIRST) :]) if guesses is None else (guesses,):
            finals = {guess: tree for guess in some if (tree := _answering(task, final, guess)) is not None}
            if not finals:
                return GuessPrices(task=task.id, passed={}, checks=checks, note="its reference has no Python function")
            for guess, run in zip(finals, await judged_hidden(task, finals.values(), slots), strict=True):
                passed[guess] = tuple(check.id for check in run.checks if check.status == "passed")
            if task.hidden.checks.runner != "grader" or task.hidden.checks.files.hash in slots.alone:
                break
    return GuessPrices(task=task.id, passed=passed, checks=checks)


async def judged_hidden(task: Task, finals: Iterable[Tree], open_box: OpenBox) -> list[CheckRun]:
    """Runs the hidden checks over trusted final workspaces, once each.

    Raises:
        SandboxError: a sandbox broke.
        VerifierError: checks could not be run.
    """
    assert task.hidden is not None
    checks = task.hidden.checks
    if checks.runner != "grader":
        return [(await run_visible(checks, put_back(checks, final), open_box))[0] for final in finals]
    found: dict[int, Verdict | HonestlyError] = {}
    cases = [Submission(replace(task, visible=None), final, 0) for final in finals]
    async with shared_slots(open_box) as slots:
        await verify_each(cases, slots, found.__setitem__)
    runs = []
    for at in range(len(cases)):
        verdict = found[at]
        if isinstance(verdict, HonestlyError):
            raise verdict
        assert verdict.hidden is not None
        runs.append(verdict.hidden)
    return runs


def _answering(task: Task, final: Tree, guess: str) -> Tree | None:
    """The solved workspace with functions that all give one answer; None if there is nothing to change."""
    tests = task.visible.files.files if task.visible is not None else {}
    changed = {}
    for path, file in final.files.items():
        if not path.endswith(".py") or path in tests or task.workspace.files.get(path) == file or file.mode == "link":
            continue
        if (stub := _stub_source(file.data, guess)) is not None:
            changed[path] = File(data=stub, mode=file.mode)
    return Tree(files=changed).over(final) if changed else None


def _stub_source(data: bytes, guess: str) -> bytes | None:
    try:
        tree = ast.parse(data)
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name != "__init__"]
        for node in functions:
            node.body = ast.parse(f"def f():\n    return {_guessed_answer(node, guess)}").body[0].body  # type: ignore[attr-defined]
        if guess == EQUAL:
            # Nothing may come before `from __future__`.
            futures = [isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body]
            after = 1 + max((at for at, is_future in enumerate(futures) if is_future), default=-1)
            tree.body[after:after] = ast.parse(_ALWAYS).body
        return ast.unparse(ast.fix_missing_locations(tree)).encode() if functions else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _guessed_answer(function: ast.FunctionDef, guess: str) -> str:
    """The expression that a function returns for a guess."""
    given = [each.arg for each in [*function.args.posonlyargs, *function.args.args] if each.arg not in ("self", "cls")]
    argument = given[0] if given else "None"
    return {_ARGUMENT: argument, _EMPTY: f"type({argument})()", EQUAL: "_Always()"}.get(guess, guess)
