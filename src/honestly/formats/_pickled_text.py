"""The text in a pickle, without unpickling.

LiveCodeBench keeps its private tests as base64(zlib(pickle(str))). A pickle is a program, and even one that may name no
class can exhaust the memory; so its instructions are read as data, and only those that a lone string needs are let
through, in their order.
"""

import binascii
import zlib

from honestly.errors import FormatError

_BEFORE = {"PROTO", "FRAME"}
_TEXT = {"UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}
_AFTER = {"MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"}


def pickled_text(packed: str, limit: int) -> str:
    """The string in base64(zlib(pickle(string))).

    Args:
        packed: base64.
        limit: largest size after decompression, bytes.

    Raises:
        FormatError: it is not that, or larger.
    """
    try:
        squeezed = binascii.a2b_base64(packed.encode("ascii"), strict_mode=True)
        inflate = zlib.decompressobj()
        data = inflate.decompress(squeezed, limit)
    except (ValueError, zlib.error) as error:
        raise FormatError(f"neither JSON nor base64 of zlib data: {error}") from error
    if inflate.unconsumed_tail:
        raise FormatError(f"larger than {limit >> 20} MiB after decompression")
    if not inflate.eof:
        raise FormatError("neither JSON nor base64 of zlib data: it ends too early")
    return _only_text(data)


def _only_text(data: bytes) -> str:
    import pickletools  # longer than this program's own modules, and few problems are packed in this way

    text: str | None = None
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if text is None and opcode.name in _TEXT:
                text = argument
            elif opcode.name == "STOP" and text is not None:
                return text
            elif opcode.name not in (_BEFORE if text is None else _AFTER):
                raise FormatError(f"a pickle of something else than one string: found {opcode.name}")
    except (ValueError, TypeError, OverflowError) as error:
        raise FormatError(f"not a pickle: {error}") from error
    raise FormatError("not a pickle of a string")
