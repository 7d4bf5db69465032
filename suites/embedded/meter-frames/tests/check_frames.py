"""Hidden checks of meter-frames: random lines of good and broken frames against a decoder in Python."""


def crc(data):
    """The checksum."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return bytes((value & 255, value >> 8))


def stuffed(rng, data):
    """A frame's bytes with what must be escaped escaped, and some others too."""
    out = bytearray()
    for byte in data:
        # An escaped 0x5E would look like a flag on the line, and so cannot be written that way.
        if byte in (0x7D, 0x7E) or (byte != 0x5E and rng.random() < 0.05):
            out += bytes((0x7D, byte ^ 0x20))
        else:
            out.append(byte)
    return bytes(out)


def decoded(line):
    """Oracle: lines for the bytes of a line."""
    out = []
    for piece in line.split(b"\x7e")[1:-1]:
        if not piece:
            continue
        plain, position, malformed = bytearray(), 0, False
        while position < len(piece):
            if piece[position] == 0x7D:
                position += 1
                malformed = position == len(piece)
                if not malformed:
                    plain.append(piece[position] ^ 0x20)
            else:
                plain.append(piece[position])
            position += 1
        if malformed:
            out.append("bad escape")
        elif len(plain) < 5:
            out.append("bad short")
        elif len(plain) != 5 + plain[2]:
            out.append("bad length")
        elif crc(plain[:-2]) != plain[-2:]:
            out.append("bad checksum")
        else:
            out.append(f"frame {plain[0]:02X} {plain[1]:02X} {plain[3:-2].hex().upper() or '-'}")
    return out


def agrees(ws, lines, *flags):
    """Compiles the program and demands the oracle's lines for each line of bytes, in one run or several."""
    built = ws.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "-o", "/tmp/frames", "frames.c"])
    assert built.code == 0, built
    for text, line in lines:
        done = ws.run(["/tmp/frames"], stdin=text)
        assert done.code == 0 and not done.stderr, done
        given, wanted = done.stdout.splitlines(), decoded(line)
        for number, (mine, theirs) in enumerate(zip(wanted, given)):
            assert mine == theirs, (number, mine[:200], theirs[:200])
        assert len(given) == len(wanted)


def body(rng, size):
    """A good frame, unstuffed."""
    payload = bytes(rng.choice((0x7E, 0x7D, 0x5E, 0x5D, 0, 0xFF, 0x80, rng.randrange(256))) for _ in range(size))
    head = bytes((rng.choice((0x1F, 0x7E, 0x7D, 0xFF, 0x80)), rng.randrange(256), size))
    return head + payload + crc(head + payload)


def spoiled(rng, frame):
    """A frame that is broken in some way, or not at all."""
    kind = rng.randrange(6)
    if kind == 0:
        return frame[: rng.randrange(len(frame) + 1)]
    if kind == 1:
        return frame + bytes(rng.randrange(1, 4))
    if kind == 2:
        at = rng.randrange(len(frame))
        return frame[:at] + bytes((frame[at] ^ 1 << rng.randrange(8),)) + frame[at + 1 :]
    return frame


def random_line(rng, size):
    """Bytes of a line: noise, shared and repeated flags, frames of every length, dangling escapes."""
    line = bytes(rng.choice((1, 0x7D, 0xFF)) for _ in range(rng.randrange(4)))
    for _ in range(size):
        frame = body(rng, rng.choice((0, 1, 2, 3, 60, 127, 128, 200, 254, 255)))
        line += b"\x7e" * rng.choice((1, 1, 2, 3)) + stuffed(rng, spoiled(rng, frame))
        if rng.random() < 0.15:
            line += b"\x7d"
    return line + b"\x7e" * rng.randrange(2) + bytes(rng.choice((1, 0x7D)) for _ in range(rng.randrange(3)))


def written(rng, line):
    """The bytes as text in either case, with any white space between them."""
    return "".join(rng.choice((f"{b:02x}", f"{b:02X}")) + rng.choice(("", " ", "\n", "\t ", "\r\n")) for b in line)


def test_random_lines(ws):
    """Many frames, good and bad, in one line and in several."""
    lines = [random_line(ws.rng, size) for size in (60, 40, 5, 1, 0)]
    agrees(ws, [(written(ws.rng, line), line) for line in lines])


def test_single_frames(ws):
    """What can be worked out by hand."""
    rng, good = ws.rng, b"\x01\x02\x00" + crc(b"\x01\x02\x00")
    pieces = [
        good,
        good[:4],
        good[:1],
        b"\x7d",
        b"\x7d\x7d",
        b"\x7d\x5d",
        good + b"\x7d",
        good[:3] + b"\x7d",
        b"\x01\x02\x01" + good[3:],
    ]
    pieces += [b"\x1f\x03\x01\x7d\x5e" + stuffed(rng, crc(b"\x1f\x03\x01\x7e")), b"\x7d\x21\x02\x00" + good[3:]]
    lines = [b"\x7e" + piece + b"\x7e" for piece in pieces] + [
        b"",
        b"\x7e",
        b"\x7e\x7e\x7e",
        good + b"\x7e",
        b"\x7e" + good,
    ]
    agrees(ws, [(line.hex(" "), line) for line in [b"".join(lines[:11]), *lines[11:]]])


def test_very_long_frames(ws):
    """Frames longer than any buffer are bad by their length, even where a wrapped count would fit; what follows is decoded."""
    good = b"\x01\x02\x00" + crc(b"\x01\x02\x00")
    long = bytes(65536) + good
    line = b"\x7e" + bytes(70) + b"\x7e" + long + b"\x7e" + bytes(261) + b"\x7e" + good + b"\x7e"
    agrees(ws, [(line.hex(), line)], "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
