"""Hidden checks of tape-recovery: damaged files against the definition, computed byte by byte in Python."""

import json

RUN = """
import json, sys
from tape.reader import recover
out = []
for text in json.load(sys.stdin):
    payloads, stretches = recover(bytes.fromhex(text))
    out.append([[bytes(p).hex() for p in payloads], stretches])
print(json.dumps(out))
"""


def record(payload):
    """One record."""
    body = len(payload).to_bytes(2, "big") + payload
    return b"\xa5\x5a" + body + bytes((sum(body) % 251,))


def recovered(data):
    """Oracle: the best way from each offset on, as (damaged bytes, minus records)."""
    size = len(data)
    best, ends = [None] * size + [(0, 0)], [None] * size
    for start in range(size - 1, -1, -1):
        best[start] = best[start + 1][0] + 1, best[start + 1][1]
        if data[start : start + 2] == b"\xa5\x5a" and start + 5 <= size:
            end = start + 5 + int.from_bytes(data[start + 2 : start + 4], "big")
            if end <= size and sum(data[start + 2 : end - 1]) % 251 == data[end - 1]:
                taken = best[end][0], best[end][1] - 1
                if taken <= best[start]:
                    best[start], ends[start] = taken, end
    payloads, stretches, at = [], [], 0
    while at < size:
        if ends[at]:
            payloads.append(data[at + 4 : ends[at] - 1].hex())
            at = ends[at]
        else:
            if stretches and stretches[-1][1] == at:
                stretches[-1][1] = at + 1
            else:
                stretches.append([at, at + 1])
            at += 1
    return [payloads, stretches]


def agrees(ws, *files, timeout=10.0):
    """Demands the oracle's payloads and stretches."""
    done = ws.run(["python3", "-S", "-c", RUN], stdin=json.dumps([data.hex() for data in files]), timeout=timeout)
    assert done.code == 0, done
    for data, given in zip(files, json.loads(done.stdout), strict=True):
        assert given == recovered(data), (data.hex()[:400], given)


def payload(rng):
    """A payload, often with things in it that look like records, or are."""
    kind = rng.randrange(5)
    if kind == 0:
        return record(bytes(rng.randrange(256) for _ in range(rng.randrange(5))))
    if kind == 1:
        return b"\xa5\x5a\x00" + bytes((rng.randrange(12),)) + bytes(rng.randrange(9))
    if kind == 2:
        return record(b"") + record(b"x")
    return bytes(rng.choice((0xA5, 0x5A, 0, 250, 251, rng.randrange(256))) for _ in range(rng.randrange(12)))


def damaged(rng, data):
    """Bytes that are changed, lost, inserted, or a torn end."""
    data = bytearray(data)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at : at + rng.randrange(1, 8)]
        elif kind == 2:
            data[at:at] = bytes(rng.choice((0xA5, 0x5A, 1)) for _ in range(rng.randrange(1, 5)))
        else:
            del data[at:]
        data = data or bytearray(1)
    return bytes(data)


def test_random_damage(ws):
    """Many short files with every kind of damage, and records inside of records."""
    agrees(
        ws,
        *(
            damaged(ws.rng, b"".join(record(payload(ws.rng)) for _ in range(ws.rng.randrange(1, 9))))
            for _ in range(400)
        ),
    )


def overlapping(first, second, cut):
    """Two well-formed records of which the second begins inside of the first, `cut` bytes before its end."""
    inner = record(second)
    for filler in range(256):
        body = (first + bytes((filler,)) + inner[:cut])[: len(first) + 1 + cut]
        whole = record(body)
        if whole[-1:] == inner[cut : cut + 1]:
            return whole + inner[cut + 1 :]
    return None


def test_overlapping_records(ws):
    """Records that begin inside of others: fewest damaged bytes, then most records, then the earliest."""
    files = []
    for cut in range(2, 12):
        for first, second in (
            (b"", b"abcdefghij"),
            (b"abcdefghijklmno", b"uvwxyz"),
            (b"12", b"1234567"),
            (b"abc", b"\x00\x01"),
        ):
            made = overlapping(first, second, cut)
            if made:
                files += [made, made + record(b"end"), record(b"") + made, made[:-1], b"\xa5" + made + made]
    assert len(files) > 20
    agrees(ws, *files)


def test_more_records_win(ws):
    """With the same number of damaged bytes: two records against the one that begins before or ends after them."""
    files = []
    for filler in range(256):
        for size in range(6, 14):
            late = record(b"k" * size)
            outer = record(record(b"b") + bytes((filler,)) + late[: size - 1])
            if outer[-1] == late[size - 1]:
                files.append(
                    outer + late[size:]
                )  # one record and 5 damaged bytes behind it; or 5 before and between two
            late = record(b"m" * size + b"1234" + record(b"r"))
            outer = record(bytes((filler,)) + late[: size + 3])
            if outer[-1] == late[size + 3]:
                files.append(
                    outer + late[size + 4 :]
                )  # two records and 5 damaged bytes around the second; or 5 before one
    ways = [len(recovered(data)[0]) for data in files]
    assert len(files) >= 8 and set(ways) == {2}, ways
    agrees(ws, *files)


def test_few_bytes(ws):
    """All short inputs that matter: marks without records, lengths that reach too far, nothing."""
    whole = record(b"ab")
    files = [
        b"",
        b"\xa5",
        b"\xa5\x5a",
        b"\xa5\x5a\x00",
        b"\xa5\x5a\x00\x00",
        b"\xa5\x5a\x00\x00\x00",
        b"\xa5\x5a\x00\x00\x01",
        b"\x5a\xa5",
        b"\xa5\xa5\x5a\x00\x00\x00",
        b"\xa5\x5a\xa5\x5a\x00\x00\x00",
    ]
    files += [whole[:k] for k in range(len(whole))] + [whole[k:] for k in range(len(whole))]
    files += [record(b"") * 3 + b"\xa5\x5a", record(bytes(300)), record(b"\xff" * 251), record(record(b"x") * 3)]
    agrees(ws, *files)


def test_equal_ways(ws):
    """Nested records: with equal damage the more records win; with equal numbers the earlier."""
    inner = record(b"z")
    files = [
        record(inner),
        record(inner + inner),
        b"\x00" + record(inner) + b"\x00",
        record(inner)[:-1],
        record(b"q" + inner)[1:],
    ]
    # One record that ends where another one, which began inside of it, goes on for as many bytes as lie before that one.
    for size in range(1, 9):
        for filler in range(256):
            tail = record(b"k" * size)
            body = bytes((filler,)) + tail[:4]
            outer = record(body)
            if outer[-1] == tail[4]:
                files.append(outer + tail[5:])
                break
    agrees(ws, *files)


def test_large_files(ws):
    """Half a megabyte of records, with damage here and there."""
    data = bytearray(b"".join(record(bytes((k % 251,)) * (k % 200)) for k in range(3000)))
    for at in ws.rng.sample(range(len(data)), 60):
        data[at] ^= 0x10
    agrees(ws, bytes(data), timeout=4.0)
