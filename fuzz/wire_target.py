"""The wire between grader and candidate: any bytes are frames and values, or are refused."""

from __future__ import annotations

import socket
from contextlib import suppress

from honestly.sandbox._guest.frames import FrameError
from honestly.verify._guest.wire import Channel, WireError, loads

SEEDS = (
    b'{"t":[1,-2.5,"x",null,true]}',
    b'{"d":[["k",[{"s":[1,2]},{"f":["a"]}]]]}',
    b'{"i":["ffffffffffffffffffff"]}',
    b'{"n":["inf"]}',
    b'{"y":["AAEC"]}',
    b'{"c":["1.0","-0.0"]}',
    b'{"r":["0","9","2"]}',
    b'{"D":["1E+9"]}',
    b'{"F":["1","3"]}',
    b'{"td":[1,2,3]}',
    b'{"dt":["2024-10-27T02:30:00+00:00",1]}',
    b'{"a":["<f8",[1,2],"AAAAAAAA8D8AAAAAAAAAQA=="]}',
    b'{"a":["<U1",[2],"YQAAAGIAAAA="]}',
    b'{"a":["|b1",[0,3],""]}',
    b'{"g":["<M8[25s]","AQAAAAAAAAA="]}',
    b'{"h":[7,["m.C","builtins.object"]]}',
    b"\x00\x00\x00\x03R[]\x00\x00\x00\x02K1",
    b"\xff\xff\xff\xffR",
)
TAGS = ("l", "t", "s", "f", "d", "i", "n", "y", "Y", "c", "r", "D", "F", "td", "dt", "da", "tm", "h", "k", "a", "g")
KINDS = ("<f8", ">i2", "|b1", "|S3", "<U1", "<m8[ns]", "<c16", "|O", "|V8")
TOKENS = (*(f'"{word}"'.encode() for word in (*TAGS, *KINDS)), b"[", b"]", b",", b"{", b"}", b":")


def one(data: bytes) -> None:
    """Takes the data for a payload, and for what arrives on a socket."""
    with suppress(WireError):
        loads(data, lambda tag, rest: (tag, len(rest)))
    ours, theirs = socket.socketpair()
    channel = Channel(theirs.detach())
    with ours, suppress(WireError, FrameError, EOFError):
        ours.sendall(data[:60_000])
        ours.shutdown(socket.SHUT_WR)
        channel.limit(5)
        while True:
            loads(channel.receive()[1], None)
    channel.close()
