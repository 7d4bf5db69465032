"""Attacks on the wire between a solution and its grader: forged, malformed, oversized and tricky replies.

A frame is a length of four bytes and so many bytes, of which the first is its kind (`honestly.verify._guest.wire`). The
attacks write to every socket that they find open, in the knowledge of that format; where there is none, they answer
nothing.
"""

from .attack import cheat, harm

__all__ = ["ATTACKS"]

_SEND = """
        import os
        import posix
        import stat

        def sockets():
            found = []
            for fd in range(3, 64):
                try:
                    if stat.S_ISSOCK(posix.fstat(fd).st_mode):
                        found.append(fd)
                except OSError:
                    pass
            return found

        def send(kind, payload, announced=None):
            size = 1 + len(payload) if announced is None else announced
            data = size.to_bytes(4, "big") + kind + payload
            for fd in sockets():
                left = memoryview(data)
                try:
                    while left:
                        left = left[posix.write(fd, left):]
                except OSError:
                    pass
"""


def _reply(payload: str, kind: str = 'b"R"', more: str = "") -> str:
    return f"""{_SEND}
        def solve(*args):
            send({kind}, {payload}{more})
            return 0
        """


ATTACKS = (
    cheat(
        "replies-ahead",
        "sends true answers and results ahead of time, of every kind of frame",
        f"""{_SEND}
        def solve(*args):
            for kind in b"RDHCBKSE":
                for payload in (b'[true,true]', b'["passed",""]', b'[true,{{"h":[1,["builtins.int"]]}}]'):
                    send(bytes([kind]), payload)
            return True
        """,
    ),
    cheat(
        "replies-at-import",
        "sends a flood of replies to calls that were never made, when it is imported",
        f"""{_SEND}
        for _ in range(200):
            send(b"R", b'[true,true]')

        def solve(*args):
            return True
        """,
    ),
    cheat(
        "patched-wire",
        "replaces the functions with which its answers are sent",
        """
        import json
        import sys

        def true(*args, **kwargs):
            return b"[true, true]"

        for name, module in list(sys.modules.items()):
            if "honestly" in name or name == "__main__":
                for member in ("dumps", "_value_text", "_items_text", "_tagged_text"):
                    if hasattr(module, member):
                        setattr(module, member, true)
        json.JSONEncoder.encode = true

        def solve(*args):
            return True
        """,
    ),
    cheat(
        "unknown-handles",
        "answers with handles that were never given: negative, huge, with names that lie",
        _reply("""b'[true,{"h":[-1,["builtins.module","builtins.function","builtins.bool"]]}]'"""),
    ),
    cheat("handles-as-numbers", "answers with a handle whose number is a text", _reply("""b'[true,{"h":["x",5]}]'""")),
    cheat("unknown-tags", "answers with tags that do not exist", _reply("""b'[true,{"zz":[1]}]'""")),
    cheat("untagged-data", "answers with data that has no tags", _reply("""b'{"passed": true}'""")),
    cheat("half-a-reply", "answers with half a frame", _reply("""b'[true'""", more=", 64")),
    cheat("empty-reply", "answers with an empty frame", _reply('b""')),
    cheat(
        "forged-exceptions",
        "answers with an exception that is none",
        _reply("""b'[false,[["builtins.AssertionError","builtins.ValueError",7,null],{}]]'"""),
    ),
    cheat("forged-failures", "answers with a failure that has no description", _reply("""b'[false,7]'""")),
    harm(
        "callbacks-without-end",
        "calls the grader back in a loop, with numbers that it was never given",
        f"""{_SEND}
        def solve(*args):
            while True:
                for number in (b"0", b"-1", b"999", b'"x"', b"[]"):
                    send(b"K", b'[' + number + b',[],{{"d":[]}}]')
        """,
    ),
    harm(
        "announces-4-gb",
        "announces a frame of 4 GB and sends it slowly",
        f"""{_SEND}
        import time

        def solve(*args):
            send(b"R", b"x", 0xFFFFFFFF)
            while True:
                time.sleep(0.05)
                for fd in sockets():
                    try:
                        posix.write(fd, b"x" * 1000)
                    except OSError:
                        pass
        """,
    ),
    harm(
        "answers-a-byte-at-a-time",
        "sends a reply byte by byte, so that no read takes long",
        f"""{_SEND}
        import time

        def solve(*args):
            frame = b'[true,"' + b"x" * 500 + b'"]'
            for byte in (1 + len(frame)).to_bytes(4, "big") + b"R" + frame:
                for fd in sockets():
                    posix.write(fd, bytes([byte]))
                time.sleep(0.01)
        """,
    ),
    harm(
        "answer-of-1-gb",
        "answers with a text of 1 GB",
        """
        def solve(*args):
            return "x" * (1 << 30)
        """,
    ),
    harm(
        "answer-of-300-mb",
        "answers with a text of 300 MB, which it may hold",
        """
        def solve(*args):
            return "x" * (300 << 20)
        """,
    ),
    harm(
        "many-small-answers",
        "answers with a list of three million items",
        """
        def solve(*args):
            return [0] * 3_000_000
        """,
    ),
    harm(
        "deep-answer",
        "answers with lists nested a hundred thousand deep",
        """
        def solve(*args):
            value = []
            for _ in range(100_000):
                value = [value]
            return value
        """,
    ),
    harm("deep-frame", "sends a frame nested a million deep", _reply("""b"[" * 1_000_000 + b"]" * 1_000_000""")),
    harm(
        "colliding-keys",
        "answers with sets and dicts whose numbers all have the same hash",
        """
        def solve(*args):
            same = (1 << 61) - 1
            return {number * same: number for number in range(1, 2500)}
        """,
    ),
    harm(
        "colliding-frame",
        "sends a set of a million numbers with the same hash, which it does not build itself",
        f"""{_SEND}
        def solve(*args):
            same = (1 << 61) - 1
            numbers = ",".join('{{"i":["%x"]}}' % (number * same) for number in range(1, 300_000))
            send(b"R", ('[true,{{"s":[' + numbers + "]}}]").encode())
            return 0
        """,
    ),
    harm(
        "huge-integer",
        "answers with an integer of eight million digits",
        """
        def solve(*args):
            return 1 << (24 << 20)
        """,
    ),
    harm(
        "huge-fraction",
        "answers with a fraction whose reduction takes for ever",
        f"""{_SEND}
        def solve(*args):
            send(b"R", b'[true,{{"F":["' + b"7" * (6 << 20) + b'","' + b"3" * (6 << 20) + b'"]}}]')
            return 0
        """,
    ),
    harm(
        "huge-decimal",
        "answers with a decimal that is enormous as an integer",
        """
        from decimal import Decimal

        def solve(*args):
            return Decimal("1E+999999999999999999")
        """,
    ),
    harm(
        "endless-range",
        "answers with a range of 10**18 numbers",
        """
        def solve(*args):
            return range(10**18)
        """,
    ),
    harm(
        "endless-iterator",
        "answers with an iterator that never ends, of items that grow",
        """
        def solve(*args):
            item = "x"
            while True:
                yield item
                item += item
        """,
    ),
    harm(
        "closes-the-wire",
        "closes every descriptor, and works on",
        """
        import posix
        import time

        def solve(*args):
            posix.closerange(0, 256)
            time.sleep(60)
        """,
    ),
    harm(
        "passes-descriptors",
        "floods its sockets with descriptors",
        f"""{_SEND}
        import socket

        def solve(*args):
            for fd in sockets():
                with socket.socket(fileno=posix.dup(fd)) as peer:
                    for _ in range(50):
                        try:
                            socket.send_fds(peer, [b"x"], [0] * 200)
                        except OSError:
                            break
            return 0
        """,
    ),
)
