"""Secrets taken out of what a terminal shows, while it comes in pieces.

Three kinds are found: texts that are known to be secret (typed without echo, values of the environment), also in
another dress (`honestly.models.Redaction`); keys of known kinds; and what stands where a secret stands
(`TOKEN=...`, `Authorization: Bearer ...`, `https://user:...@host`, `--password ...`). A text that may be the beginning
of one is held back until it is known; colours and the marks of a line's end in the middle of one do not hide it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from honestly.models import Redaction
from honestly.permissions import SECRET

MARK = "[secret]"
_SHORTEST, _SHORTEST_FOUND = 3, 8
_NAMED = r"(?:pass(?:word|wd|phrase|key)?|pwd|secrets?|token|credentials?"
_NAMED += r"|(?:api|access|account|auth|private|secret|shared|master|signing|encryption|license)[_-]?keys?)"
_WORD = r"[^\s\"'&;|<>]"
_KEYS = ("pass", "pwd", "secret", "token", "key", "credential")
_KEY_WORDS = (
    "akia", "gh", "sk-", "xox", "aiza", "glpat-", "npm_", "pypi-", "hf_", "k_live_", "k_test_", "gsk_", "sg.", "hvs.",
    "dckr_pat_", "xapp-", "xai-", "nvapi-", "pplx-", "r8_", "dop_v1_", "age-secret-key-", "hooks.slack.com", "secret",
    "token", "password", "api_key", "apikey", "access_key",
)  # fmt: skip
_SHAPES = tuple(
    (re.compile(shape, flags), words)
    for shape, flags, words in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", 0, ("-----begin",)),
        (SECRET.pattern, 0, _KEY_WORDS),
        (r"\beyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]*)?", 0, ("eyj",)),
        (r"\b(?:set-)?cookie:[ \t]*(?P<s>[^\r\n'\"]+)", re.IGNORECASE, ("cookie",)),
        (rf"\blogin[ \t]+\S+[ \t]+password[ \t]+(?P<s>{_WORD}+)", re.IGNORECASE, ("login",)),
        (rf"{_NAMED}[\w.-]*[\"']?[ \t]*=[ \t]*(?P<s>'[^'\n]+'?|\"[^\"\n]+\"?|{_WORD}+)", re.IGNORECASE, _KEYS),
        (rf"{_NAMED}[\w.-]*[\"']?[ \t]*:[ \t]*[\"']?(?P<s>{_WORD}+)", re.IGNORECASE, _KEYS),
        (rf"--[\w-]*{_NAMED}[\w-]*[ ][\"']?(?P<s>{_WORD}+)", re.IGNORECASE, _KEYS),
        (rf"(?:secret|access)_(?:access_)?key[ \t]+(?P<s>{_WORD}{{16,}})", re.IGNORECASE, ("_key",)),
        (r"\b(?:bearer|basic)[ \t]+(?P<s>[\w.~+/=-]{6,})", re.IGNORECASE, ("bearer", "basic")),
        (rf"(?:\s-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']+:(?P<s>{_WORD}+)", 0, (" -u", "-user")),
        (r"://[^\s/:@\"']*:(?P<s>[^\s/@\"']+)(?=@|\Z)", 0, ("://",)),
        (rf"\b(?:mysql\w*|mariadb|sshpass)\b[^|;\n]*?\s-p(?P<s>{_WORD}+)", 0, (" -p",)),
        (rf"\blogin\b[^|;\n]*?\s-p[ ]?(?P<s>{_WORD}+)", 0, (" -p",)),
    )
)
"""What looks like a secret, with texts of which one is in each (in lower case)."""
_FILE_SHAPES = (
    *(shape for shape, _ in _SHAPES[:2]),
    re.compile(rf"^[A-Z0-9_]*{_NAMED.upper()}[A-Z0-9_]*=(?P<s>\S+)", re.MULTILINE),
)
"""Of files, where a name such as `token` mostly is a variable."""
_PREFIXES = (
    *("-----BEGIN ", "AKIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "sk-", "xoxa-", "xoxb-", "xoxp-"),
    *("xoxr-", "xoxs-", "AIza", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "SG.", "hvs.", "dckr_pat_"),
    *("xapp-", "glpat-", "npm_", "pypi-", "hf_", "eyJ", "gsk_", "xai-", "nvapi-", "pplx-", "r8_", "dop_v1_"),
    "AGE-SECRET-KEY-1",
)
_BEGUN = re.compile(
    r"(?:(?:bearer|basic|(?:secret|access)_(?:access_)?key)[ \t]+\S*|(?<![A-Za-z0-9_-])(?:"
    + "|".join(f"{re.escape(p)}[\\w.-]*" for p in _PREFIXES[1:])
    + r"|-----BEGIN [A-Z ]*-*|"
    + "|".join(re.escape(p[:n]) for p in _PREFIXES for n in range(len(p) - 1, 0, -1))
    + r"))\Z",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    r"| \r(?!\n)|\r(?!\n)|[\x00-\x07\x0e-\x1a]|\x08"
)
_CUT_OFF = re.compile(r" \Z|\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]{0,4096}\x1b?|[ -/]*)?\Z")
_SGR, _SGR_BEGUN = re.compile(r"\x1b\[([\d;:]*)m"), re.compile(r"\x1b(?:\[[\d;:]*)?\Z")
_COLOUR = re.compile(r"\b[345]8;(?:5;\d*|2;\d*;\d*;\d*)")
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x1f\x7f]+")
"""What is no text: escape sequences and control characters."""
_MOST_HELD, _CONTEXT = 16_384, 200


def secrets_of_environment(environment: Mapping[str, str]) -> list[str]:
    """The values of variables whose names say that they are secret, or that look like a key."""
    named = re.compile(rf"{_NAMED}(?![a-z])|_key$|^key$", re.IGNORECASE)  # not of PASSENV or TOKENIZERS
    return [
        value
        for name, value in environment.items()
        if len(value) >= _SHORTEST_FOUND
        and not value.startswith("/")
        and (named.search(name) or SECRET.fullmatch(value))
    ]


class _Seen(NamedTuple):
    """A text without what a terminal does not show, and where each character stood."""

    text: str
    places: list[int] | None
    """None where nothing was taken out."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the whole text that a part of the seen one is."""
        return (start, end) if self.places is None else (self.places[start], self.places[end - 1] + 1)


def _seen(text: str) -> _Seen:
    if not _UNSEEN.search(text):
        return _Seen(text, None)
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for found in _UNSEEN.finditer(text):
        parts.append(text[at : found.start()])
        places += range(at, found.start())
        at = found.end()
    parts.append(text[at:])
    places += range(at, len(text))
    return _Seen("".join(parts), places)


def _shape_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where something stands that looks like a secret."""
    lower = text.lower()
    for shape in (shape for shape, words in _SHAPES if any(word in lower for word in words)):
        for found in shape.finditer(text):
            yield found.span("s" if "s" in shape.groupindex else 0)


class StreamRedactor:
    """A filter that takes secrets out of text which comes in pieces."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Begin with texts that are known to be secret."""
        self._secrets: dict[str, None] = {}
        self._redaction = Redaction([], MARK)
        self._context = self._held = self._waiting = ""
        self._cut = ""
        self._concealed: str | None = None
        for secret in secrets:
            self.add_secret(secret)

    def add_secret(self, secret: str) -> None:
        """From now on this is secret, too; what is shorter than three characters would be found everywhere."""
        if len(secret) >= _SHORTEST and secret not in self._secrets and secret != MARK:
            self._secrets[secret] = None
            self._redaction = Redaction(sorted(self._secrets, key=len, reverse=True), MARK)

    def feed(self, piece: str) -> str:
        """The part of what came so far that may be written."""
        return self._known(self._shaped(self._held + self._shown(piece), last=False), last=False)

    def rest(self) -> str:
        """What was held back, as if nothing more came."""
        cut, self._cut = self._cut, ""
        return self._known(self._shaped(self._held + cut, last=True), last=True)

    def clean(self, text: str) -> str:
        """A whole text without secrets; those that it shows are known from then on."""
        other = StreamRedactor()
        other._secrets, other._redaction = self._secrets, self._redaction
        found = other.feed(text) + other.rest()
        self._redaction = Redaction(sorted(self._secrets, key=len, reverse=True), MARK)
        return found

    def clean_file(self, data: bytes) -> bytes:
        """A file without keys of known kinds and without what is known to be secret."""
        text = data.decode("utf-8", "surrogateescape")
        for shape in _FILE_SHAPES:
            text = shape.sub(lambda m: m[0].replace(m["s"], MARK) if "s" in m.re.groupindex else MARK, text)
        return self._redaction.clean(text.encode("utf-8", "surrogateescape"))

    def clean_whole(self, pieces: list[str]) -> list[str]:
        """Pieces of one text without what has become known as secret since they were written."""
        whole = "".join(pieces)
        spans = sorted(
            found.span()
            for secret in self._secrets
            if secret in whole
            for found in re.finditer(re.escape(secret), whole)
        )
        if not spans:
            return [self._redaction.clean_text(piece) for piece in pieces]
        cleaned, at = [], 0
        for piece in pieces:
            kept, done = "", at
            for start, end in spans:
                if end > at and start < at + len(piece):
                    kept += whole[done : max(start, done)] + (MARK if start >= done else "")
                    done = max(done, min(end, at + len(piece)))
            cleaned.append(self._redaction.clean_text(kept + whole[done : at + len(piece)]))
            at += len(piece)
        return cleaned

    def _shown(self, piece: str) -> str:
        """The text without what is concealed; an escape sequence that is cut off waits."""
        text, self._cut = self._cut + piece, ""
        if self._concealed is None and "\x1b" not in text:
            return text
        if begun := _SGR_BEGUN.search(text):
            text, self._cut = text[: begun.start()], begun[0]
        out, at = [], 0
        for found in _SGR.finditer(text):
            out += [self._revealed(text[at : found.start()]), found[0]]
            at = found.end()
            said = _COLOUR.sub("", found[1])
            for code in said.split(";"):
                if code.strip("0") == "8":
                    self._concealed = self._concealed or ""
                elif code in {"", "0", "00", "28"} and self._concealed is not None:
                    self.add_secret(self._concealed)
                    self._concealed = None
        return "".join([*out, self._revealed(text[at:])])

    def _revealed(self, text: str) -> str:
        if self._concealed is None:
            return text
        for line in text.splitlines(keepends=True):
            self._concealed += _CONTROL.sub("", line)
            if line[-1] in "\r\n":
                self.add_secret(self._concealed)
                self._concealed = ""
        return "".join(_CONTROL.findall(text))

    def _secret_spans(self, whole: str) -> tuple[list[tuple[int, int]], int]:
        """Where secrets stand in a text without colours, and from where on it may be the beginning of one."""
        spans, hold = [], len(whole)
        for secret in self._secrets:
            spans += [found.span() for found in re.finditer(re.escape(secret), whole)]
            for length in range(min(len(secret) - 1, len(whole)), 0, -1):
                if whole.endswith(secret[:length]):
                    hold = min(hold, len(whole) - length)
                    break
        return spans, hold

    def _shaped(self, text: str, *, last: bool) -> str:
        """The text without what looks like a secret; what may be one is held back."""
        cut = None if last else _CUT_OFF.search(text)
        tail = text[cut.start() :] if cut else ""
        text = text[: len(text) - len(tail)]
        seen = _seen(text)
        whole, before = self._context + seen.text, len(self._context)
        spans, hold = [], len(whole)
        known, begins = self._secret_spans(whole)
        for start, end in [*known, *_shape_spans(whole)]:
            if end <= before or whole[start:end].startswith(MARK):
                continue
            if end == len(whole) and not last and (start, end) not in known:
                hold = min(hold, max(start, before))
            else:
                spans.append((max(start, before) - before, end - before))
        hold = hold if last else min(hold, max(begins, before))
        word = 1 + max(whole.rfind(" "), whole.rfind("\n"), whole.rfind("\t"))
        if not last and (
            begun := _BEGUN.search(whole, max(0, min(word, len(whole) - _CONTEXT), len(whole) - _MOST_HELD))
        ):
            hold = min(hold, max(begun.start(), before))
        if len(whole) - hold > _MOST_HELD:
            spans.append((hold - before, len(whole) - before))  # it is a secret of a length that none has
            hold = len(whole)
        held_at = len(text) if hold >= len(whole) else seen.span(hold - before, hold - before + 1)[0]
        out, done, covered = [], 0, 0
        for start, end in sorted(spans):
            if end > hold - before and hold < len(whole):
                end = hold - before
            if start >= end or end <= covered:
                continue
            first, past = seen.span(max(start, covered), end)
            if start >= covered:
                value = seen.text[start:end]  # a word such as a variable's name would be found everywhere
                if (
                    _SHORTEST_FOUND <= end - start < _CONTEXT
                    and re.search(r"\d", value)
                    and re.search(r"[a-zA-Z]", value)
                ):
                    self.add_secret(value)
                out += [text[done:first], MARK]
            done, covered = past, end
        out.append(text[done:held_at])
        self._held = text[held_at:] + tail
        kept = "".join(out)
        self._context = (self._context + _seen(kept).text)[-_CONTEXT:].rpartition("\n")[2]
        return kept

    def _known(self, text: str, *, last: bool) -> str:
        """The text without what is known to be secret; what may be the beginning of it is held back."""
        data = (self._waiting + text).encode("utf-8", "surrogatepass")
        clean = self._redaction.clean(data)
        free = len(clean) if last else len(clean) - self._redaction.begun(clean)
        while 0 < free < len(clean) and clean[free] & 0xC0 == 0x80:
            free -= 1
        self._waiting = clean[free:].decode("utf-8", "surrogatepass")
        return clean[:free].decode("utf-8", "surrogatepass")
