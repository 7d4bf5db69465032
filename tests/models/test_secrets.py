"""Secrets do not stay in what is kept, in whatever dress a server says them again."""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings, strategies as st

from honestly.models import Redaction
from honestly.models._secrets import Scrubber

KEY = "sk-proj_Ab9/x+Zq77~kL0pQw?>"
RAW = KEY.encode()
DRESSES = {
    "as it is": KEY,
    "in capitals": KEY.upper(),
    "reversed": KEY[::-1],
    "base64": base64.b64encode(RAW).decode(),
    "base64 of a header": base64.b64encode(f"Bearer {KEY} end".encode()).decode(),
    "base64 of a header, shifted": base64.b64encode(f"x Bearer {KEY} end".encode()).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(b"1" + RAW).decode().rstrip("="),
    "base64 in lines": base64.encodebytes(RAW * 4).decode(),
    "base64 of the reverse": base64.b64encode(RAW[::-1]).decode(),
    "hexadecimal": RAW.hex(),
    "hexadecimal in pairs": RAW.hex(":").upper(),
    "percent signs": quote(KEY, safe=""),
    "percent signs everywhere": "".join(f"%{byte:02X}" for byte in RAW),
    "percent signs, twice": quote(quote(KEY, safe="")),
    "JSON": json.dumps(KEY).replace("/", "\\/"),
    "JSON everywhere": "".join(f"\\u{byte:04x}" for byte in RAW),
    "JSON in JSON": json.dumps("".join(f"\\u{byte:04x}" for byte in RAW)),
    "bytes": "".join(f"\\x{byte:02x}" for byte in RAW),
    "HTML": "".join(f"&#{byte};" for byte in RAW),
    "HTML, hexadecimal": "".join(f"&#x{byte:x};" for byte in RAW),
    "spaced": " ".join(KEY),
    "mixed": "".join(f"%{ord(c):02x}" if n % 3 else f"\\u{ord(c):04X}" if n % 2 else c for n, c in enumerate(KEY)),
}


@pytest.mark.parametrize("dress", DRESSES)
def test_a_secret_is_found_in_every_dress(dress: str) -> None:
    said = DRESSES[dress]
    text = f'{{"error": "wrong key ({said}), is it \\"yours\\"?\\n"}}\n\n'
    found = Redaction([KEY], "[key]").clean_text(text)
    assert found.startswith('{"error": "wrong key (')
    assert found.endswith('), is it \\"yours\\"?\\n"}\n\n')
    left = found[len('{"error": "wrong key (') : found.index("), is it")].replace("[key]", "")
    assert len(left) < 20 * (" " in said or "header" in dress) + 5, left
    for size in (1, 7):
        scrubber = Scrubber(KEY)
        data = text.encode()
        pieces = [scrubber.feed(data[at : at + size]) for at in range(0, len(data), size)]
        relayed = re.sub(r"(\[secret\])+", "[key]", b"".join([*pieces, scrubber.held_back()]).decode())
        assert relayed == Redaction([KEY], "[key]", ends=False).clean_text(text)


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(["sk-p", "roj_", "Ab9/", "%73", "\\u0073k", "\\", "%", "&#", "\n", " ", ":", "é", "[k"]))
)
def test_what_is_no_secret_stays_as_it_was(parts: list[str]) -> None:
    text = "".join(parts)
    assert Redaction([KEY, ""], "[key]").clean_text(text) == text
    scrubber = Scrubber(KEY)
    assert b"".join([*(scrubber.feed(part.encode()) for part in parts), scrubber.held_back()]).decode() == text


@settings(max_examples=100)
@given(
    pieces=st.lists(st.sampled_from([b"sec", b"r", b"et", b"secret", b"sesecret", b"x", b"", b"secre"]), max_size=12)
)
def test_a_short_secret_is_found_as_it_is(pieces: list[bytes]) -> None:
    scrubber = Scrubber("secret")
    found = b"".join(map(scrubber.feed, pieces)) + scrubber.held_back()
    assert found == b"".join(pieces).replace(b"secret", b"[secret]")


def test_what_ends_an_event_is_not_held_back() -> None:
    scrubber = Scrubber(KEY)
    event = b'data: {"text": "task \\u00e4"}\n\n'
    assert scrubber.feed(event) == event
    assert scrubber.feed(b"%" * 5000 + b"\\" * 5000 + b" " * 5000 + b"x") + scrubber.held_back() != b""


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("before", ["", "a", "ab"])
@pytest.mark.parametrize("length", range(18, 24))
def test_nothing_is_left_of_a_secret_at_the_end_of_base64(length: int, before: str, end: str) -> None:
    secret = ("q7-Zk_31xW" * 3)[:length]
    text = base64.b64encode((before + secret + end).encode()).decode()
    left = Redaction([secret], "").clean_text(text)
    assert len(left.rstrip("=")) <= len(before) + bool(before)  # one holds bits of both
