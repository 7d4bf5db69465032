"""Text that was hidden in text: base64, hexadecimal, gzip, escapes of `$'...'`, adjacent strings, character codes.

`decoded_texts` opens what can be opened, layer by layer, and gives the layers beside the original: nothing is replaced,
so that a bad guess costs nothing. Everything is bounded: layers, blobs of a layer, bytes that a compressed blob may
grow to. What is not covered: ciphers, and encodings that the agent's own code invents.
"""

import base64
import binascii
import codecs
import re
import zlib
from itertools import islice

# Layers that are opened, texts of one layer, and bytes that a compressed one may grow to.
_LAYERS, _BLOBS, _GROWN = 3, 16, 1 << 20
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{16,100000}={0,2}(?![A-Za-z0-9+/_=-])")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){10,50000}(?![0-9A-Fa-f])")
_ESCAPED = re.compile(r"(?:\\x[0-9A-Fa-f]{2}|\\[0-3][0-7]{2}|\\u[0-9A-Fa-f]{4}){3,20000}")
_SPLIT = re.compile(r"""(?<=[\w./:-])(?:"\s{0,8}\+?\s{0,8}"|'\s{0,8}\+?\s{0,8}'|""|'')(?=[\w./:-])""")
_CODES = re.compile(r"\[\s*(?:\d{2,3}\s*,\s*){5,2000}\d{2,3}\s*,?\s*\]")
_SIMPLE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_ODD = re.compile(r"[\\\"'\[]|rot_?13")
# Characters of the shortest blob.
_LEAST = 16
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "", "b": "", "e": "", "E": "", "f": "", "v": "", "\n": ""}


def decoded_texts(text: str) -> list[str]:
    """Texts that were found inside `text`, outermost first; empty for what hides nothing."""
    found: list[str] = []
    layer = [text]
    for _ in range(_LAYERS):
        layer = [inner for outer in layer for inner in _decode_layers(outer)][:_BLOBS]
        if not layer:
            break
        found += layer
    return found


def unescaped_text(text: str) -> str:
    """The text that `$'...'`, `echo -e` and `printf` make of their escapes."""
    if "\\" not in text:
        return text
    return _SIMPLE.sub(_letter, text)


def _letter(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    if match[3]:
        return chr(int(match[3], 8) & 0xFF)
    return _LETTERS.get(match[4], match[4])


def _decode_layers(text: str) -> list[str]:
    if not _ODD.search(text) and max(map(len, text.split()), default=0) < _LEAST:
        return []
    inner: list[str] = []
    for pattern, opened in ((_BASE64, _from_base64), (_HEX, lambda blob: _readable_text(binascii.unhexlify(blob)))):
        texts = (opened(match[0]) for match in pattern.finditer(text))
        inner += islice(filter(None, texts), _BLOBS - len(inner))
    if "\\" in text and _ESCAPED.search(text):
        inner.append(unescaped_text(text))
    if _SPLIT.search(text):
        inner.append(_SPLIT.sub("", text))
    inner += [
        "".join(chr(int(code)) for code in re.findall(r"\d{2,3}", match[0]) if 9 <= int(code) < 127)
        for match in _CODES.finditer(text)
    ]
    if "rot13" in text or "rot_13" in text:
        inner.append(codecs.encode(text, "rot13"))
    return [each for each in inner if each != text][:_BLOBS]


def _from_base64(blob: str) -> str:
    # A word, a path or a hash is base64 too: it has to mix cases or digits, and to give readable text.
    if blob.islower() or blob.isupper() or blob.isdigit() or blob.count("/") > len(blob) // 8:
        return ""
    padded = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _readable_text(base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _readable_text(data: bytes) -> str:
    # 47 reads the heads of gzip and zlib, -15 a stream without a head; what grows beyond the bound is cut, not refused.
    for window in (47, -15) if data[:1] in {b"\x1f", b"\x78"} else ():
        try:
            data = zlib.decompressobj(window).decompress(data, _GROWN)
            break
        except zlib.error:
            continue
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    good = sum(char.isprintable() or char in "\n\t\r" for char in text[:4000])
    return text if good == len(text[:4000]) and any(char.isalpha() for char in text[:4000]) else ""
