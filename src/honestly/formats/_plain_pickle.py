"""The plain data in a pickle, without unpickling it: nothing is imported, looked up or called.

A pickle is a program; `pickle.load` runs whatever it says. Here its opcodes are read (`pickletools`), and only those
act that build numbers, texts, lists, tuples, sets and dicts. Whatever else a pickle would have made, by a class or a
function of any module, is an `OPAQUE` in its place, whose content is left out.
"""

import pickletools
import struct
from collections.abc import Callable, Hashable
from typing import Any

from honestly.errors import FormatError

__all__ = ["OPAQUE", "read_plain_pickle"]


class _Opaque:
    def __repr__(self) -> str:
        return "OPAQUE"


OPAQUE = _Opaque()
"""What a pickle would have made by running code."""

# Steps of a pickle that are read.
_MOST = 5_000_000
# Of a key: items of a tuple, bits of a number.
_WIDEST, _LONGEST_KEY = 8, 512
_FLAT = (str, bytes, int, float, bool, type(None))


def read_plain_pickle(data: bytes) -> object:
    """The content of a pickle, as far as it is plain data.

    Raises:
        FormatError: it is no pickle, or one that nobody's program wrote.
    """
    machine = _Machine()
    try:
        for number, (opcode, value, _) in enumerate(pickletools.genops(data)):
            if number > _MOST:
                raise FormatError(f"a pickle of more than {_MOST:,} steps")
            if opcode.name == "STOP":
                return machine.stack.pop()
            machine.run_opcode(opcode.name, value)
    except (ValueError, IndexError, KeyError, OverflowError, struct.error) as error:
        raise FormatError(f"not a pickle that can be read: {str(error)[:200]}") from error
    raise FormatError("a pickle without an end")


class _Machine:
    """The stack, its marks and the memo."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def taken(self, count: int) -> list[Any]:
        return [self.stack.pop() for _ in range(count)][::-1]

    def since_mark(self) -> list[Any]:
        at = self.marks.pop()
        found = self.stack[at:]
        del self.stack[at:]
        return found

    def run_opcode(self, name: str, value: Any) -> None:  # noqa: ANN401 - anything may stand there
        # Whatever would import, look up or call something only leaves `OPAQUE` where its result would be.
        if name in _PUSHED:
            self.stack.append(value)
        elif name in _MADE:
            self.stack.append(_MADE[name]())
        elif name in _FROM_MARK:
            self.stack.append(_FROM_MARK[name](self.since_mark()))
        elif name in _FROM_TOP:
            count, make = _FROM_TOP[name]
            self.stack.append(make(self.taken(count)))
        elif name in {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}:
            self.memo[len(self.memo) if name == "MEMOIZE" else value] = self.stack[-1]
        elif name in {"GET", "BINGET", "LONG_BINGET"}:
            self.stack.append(self.memo[value])
        else:
            self._change_stack(name)

    def _change_stack(self, name: str) -> None:
        """Marks, and what is added to something that is there."""
        if name == "MARK":
            self.marks.append(len(self.stack))
        elif name in {"POP_MARK", "APPENDS", "SETITEMS", "ADDITEMS"}:
            items = self.since_mark()
            if name != "POP_MARK":
                _add_items(self.stack[-1], items, pairs=name == "SETITEMS")
        elif name in {"APPEND", "SETITEM", "BUILD"}:
            items = self.taken(2 if name == "SETITEM" else 1)
            if name != "BUILD":
                _add_items(self.stack[-1], items, pairs=name == "SETITEM")
        elif name == "POP":
            self.stack.pop()
        elif name == "DUP":
            self.stack.append(self.stack[-1])
        elif name not in {"PROTO", "FRAME", "READONLY_BUFFER"}:
            raise ValueError(f"an unknown step {name}")


def _add_items(to: object, items: list[Any], *, pairs: bool) -> None:
    if isinstance(to, dict) and pairs:
        to.update(_hashable_pairs(items))
    elif isinstance(to, list) and not pairs:
        to.extend(items)
    elif isinstance(to, set) and not pairs:
        to.update(item for item in items if _is_key(item))


def _hashable_pairs(items: list[Any]) -> dict[Hashable, Any]:
    return {key: value for key, value in zip(items[::2], items[1::2], strict=True) if _is_key(key)}


def _is_key(found: object) -> bool:
    """Whether it can be hashed, and is so small that hashing it a million times ends."""
    if isinstance(found, tuple):
        return len(found) <= _WIDEST and all(isinstance(each, _FLAT) and _is_key(each) for each in found)
    return isinstance(found, _FLAT) and not (isinstance(found, int) and found.bit_length() > _LONGEST_KEY)


def _opaque_value(_: object = None) -> _Opaque:
    return OPAQUE


_PUSHED = frozenset({
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
    "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8",
})  # fmt: skip
_MADE: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_SET": set,
    "EMPTY_TUPLE": tuple,
    **dict.fromkeys(("GLOBAL", "EXT1", "EXT2", "EXT4", "PERSID", "NEXT_BUFFER"), _opaque_value),
}
_FROM_MARK: dict[str, Callable[[list[Any]], Any]] = {
    "LIST": list,
    "TUPLE": tuple,
    "DICT": _hashable_pairs,
    "FROZENSET": lambda items: frozenset(filter(_is_key, items)),
    "INST": _opaque_value,
    "OBJ": _opaque_value,
}
_FROM_TOP: dict[str, tuple[int, Callable[[list[Any]], Any]]] = {
    "TUPLE1": (1, tuple),
    "TUPLE2": (2, tuple),
    "TUPLE3": (3, tuple),
    "STACK_GLOBAL": (2, _opaque_value),
    "REDUCE": (2, _opaque_value),
    "NEWOBJ": (2, _opaque_value),
    "NEWOBJ_EX": (3, _opaque_value),
    "BINPERSID": (1, _opaque_value),
}
