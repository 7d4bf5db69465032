"""Mutants of a task's reference: the same files with one small fault, by which the hidden checks are measured.

A check that lets many of them pass asks too little. Nothing is run here. The list is the same on every machine: in the
order of paths and places, without mutants that compile to the same bytecode as the reference or as an earlier one. Each
has a key that survives changes elsewhere in its file, so that a task can name those that no check could tell from the
reference, each with the reason.
"""

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType

from honestly.records import File, Task, Tree, digest
from honestly.tasks.mutants._python import Change, omissions, python_changes
from honestly.tasks.mutants._text import is_mutable, text_changes

_LARGEST = 1 << 20
"""Bytes of a file that is mutated."""
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Mutant:
    """One file of the reference with one fault in it."""

    key: str
    """`path:function:operator:hash`; the hash is of the function, the operator, the changed piece and its turn."""
    path: str
    line: int
    """Where, from 1."""
    before: str
    """The line as it was, without its indentation."""
    after: str
    """The line as it is."""
    source: bytes
    """The whole file."""

    def put_in(self, final: Tree) -> Tree:
        """Put the fault into `final`, the reference's final workspace."""
        mode = final.files[self.path].mode
        return Tree(files={**final.files, self.path: File(data=self.source, mode=mode)})


def mutants(task: Task) -> list[Mutant]:
    """List all mutants of a task's reference: of the files that it adds or changes and that the checks do not replace.

    Where the reference is a test suite (`Tags.category` is "tests"), each leaves out one of its tests; a suite that is
    not Python has none.
    """
    if task.hidden is None:
        return []
    suite = task.tags.category == "tests"
    faults = omissions if suite else python_changes
    restored = task.visible.files.files if task.visible is not None else {}
    return [
        mutant
        for path, file in sorted(task.hidden.reference.write.files.items())
        if file.mode != "link" and path not in restored and file != task.workspace.files.get(path)
        if path.endswith(".py") or not suite
        for mutant in _of_file(path, file.data, faults)
    ]


def sampled(found: Sequence[Mutant], limit: int | None, seed: str) -> list[Mutant]:
    """Draw at most `limit` of the mutants at random, and keep their order."""
    if limit is None or len(found) <= limit:
        return list(found)
    drawn = random.Random(seed).sample(range(len(found)), limit)  # noqa: S311 - a sample, no secret
    return [found[at] for at in sorted(drawn)]


def _of_file(path: str, data: bytes, faults: Callable[[bytes], list[Change]]) -> Iterator[Mutant]:
    if len(data) > _LARGEST:
        return
    try:
        if path.endswith(".py"):
            yield from _distinct(path, data, faults(data))
        elif is_mutable(path):
            yield from _keyed(path, data, text_changes(path, data))
    except _UNREADABLE:  # the reference is not what its name says; its own proof tells
        return


def _distinct(path: str, data: bytes, changes: Sequence[Change]) -> Iterator[Mutant]:
    """Mutants of Python source that compile, each to another bytecode."""
    seen = {_bytecode(data)}
    for mutant in _keyed(path, data, changes):
        try:
            code = _bytecode(mutant.source)
        except _UNREADABLE:
            continue
        if code not in seen:
            seen.add(code)
            yield mutant


def _keyed(path: str, data: bytes, changes: Sequence[Change]) -> Iterator[Mutant]:
    turns: Counter[tuple[object, ...]] = Counter()
    for change in changes:
        piece, around = data[change.start : change.end], data[slice(*change.around)]
        turn = (change.owner, around, change.operator, piece)
        turns[turn] += 1
        mark = digest(change.owner, around, change.operator, piece, turns[turn])[:8]
        source = data[: change.start] + change.text.encode() + data[change.end :]
        yield Mutant(
            key=f"{path}:{change.owner or '-'}:{change.operator}:{mark}",
            path=path,
            line=data.count(b"\n", 0, change.start) + 1,
            before=_line(data, change.start),
            after=_line(source, change.start),
            source=source,
        )


def _line(data: bytes, at: int) -> str:
    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    return data[start : end if end >= 0 else None].decode("utf-8", "replace").strip()[:_SHOWN]


def _bytecode(source: bytes) -> object:
    """What a module compiles to, line numbers left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about `is` with a literal, and the like
        return _content(compile(source, "mutant", "exec", dont_inherit=True))


def _content(code: CodeType) -> tuple[object, ...]:
    constants = tuple(_constant(value) for value in code.co_consts)
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    handlers = getattr(code, "co_exceptiontable", b"")
    return code.co_code, constants, names, code.co_flags, code.co_argcount, code.co_kwonlyargcount, handlers


def _constant(value: object) -> object:
    """A constant as something whose equality tells types and signed zeros apart."""
    if isinstance(value, CodeType):
        return _content(value)
    if isinstance(value, tuple):
        return (tuple, *map(_constant, value))
    if isinstance(value, frozenset):
        return (frozenset, frozenset(map(_constant, value)))
    return (type(value), repr(value))
