"""Hostile text as HTML: code, diffs, terminals and Markdown, with marks where somebody cites it.

Every way but Markdown makes runs of text with a class, and escapes each run. Markdown goes through markdown-it-py,
which takes no HTML, and then through nh3, which lets through nothing but what is listed here: no address, no style, no
image. Characters that act or hide are shown as escapes before. What is cited is marked by characters of a private area
that are put around it first; the text's own characters of that area are replaced.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import Any, Literal, NamedTuple

import nh3
import pygments.lexers  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markupsafe import Markup
from pygments.token import Token  # type: ignore[import-untyped]
from rich.color import ColorSystem
from rich.style import Style

from honestly.show import printable_line
from honestly.trials import coloured_text

Flavour = Literal["prose", "output", "plain", "bash", "python", "json"] | str
"""How a text is shown; what is none of the first three is a language, or the end of a file's name."""


class Mark(NamedTuple):
    """A cited part of a text."""

    start: int
    stop: int
    of: int
    """Number of the finding that cites it, from 1; 0 for what a link cites."""


_MOST_MARKS = 250
_FIRST, _OPEN, _SHUT, _LAST = 0xE000, 0xE000, 0xE400, 0xE7FF
_OWN = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_HIGHLIGHTED = 20_000
"""Characters beyond which code stays plain."""
_DIFF = re.compile(r"^(?:diff --git |--- [^\n]*\n\+\+\+ |@@ -\d)", re.MULTILINE)
_LEXERS = {
    "BashLexer": "bash sh shell console zsh dockerfile",
    "PythonLexer": "python py python3 pyi",
    "JsonLexer": "json jsonl",
    "JavascriptLexer": "javascript js mjs jsx",
    "TypeScriptLexer": "typescript ts tsx",
    "CLexer": "c h",
    "CppLexer": "cpp c++ cc hpp cu",
    "JavaLexer": "java",
    "GoLexer": "go",
    "RustLexer": "rust rs",
    "RubyLexer": "ruby rb",
    "YamlLexer": "yaml yml",
    "TOMLLexer": "toml",
    "HtmlLexer": "html xml svg",
    "CssLexer": "css",
    "SqlLexer": "sql",
}
_LEXER_OF = {name: lexer for lexer, names in _LEXERS.items() for name in names.split()}
_CLASSES = {
    Token.Keyword: "k",
    Token.Literal.String: "s",
    Token.Literal.Number: "m",
    Token.Comment: "c",
    Token.Name.Function: "f",
    Token.Name.Class: "f",
    Token.Name.Tag: "k",
    Token.Name.Builtin: "b",
}

Run = tuple[str, str]
"""Classes, and a text that has them."""


def marked_html(text: str, flavour: Flavour, marks: Sequence[Mark] = ()) -> Markup:
    """A short text as HTML; where it is marked, prose is shown as it was written."""
    if flavour == "prose" and not marks:
        made = _markdown_parser().render(visible_text(_OWN.sub("\N{REPLACEMENT CHARACTER}", text)))
        clean = nh3.clean(made, tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)
        return Markup(f'<div class="md">{clean}</div>')  # noqa: S704 (what nh3 lets through)
    return Markup(f"<pre>{_escaped_runs(_highlighted_runs(_with_marks(text, marks), flavour))}</pre>")  # noqa: S704 (escaped run by run)


def diff_markup(lines: Iterable[str], cited: Sequence[tuple[int, str]] = ()) -> Markup:
    """Lines of a diff; those that hold a cited line are marked by the number of the finding."""

    def one(line: str) -> str:
        found = [Mark(0, len(line), of) for of, quote in cited if quote in line]
        return _escaped_runs([(_diff_class(line), f"{_with_marks(line, found)}\n")])

    return Markup(f"<pre>{''.join(map(one, lines))}</pre>")  # noqa: S704 (escaped line by line)


def visible_text(text: str) -> str:
    """Text in which everything that acts, hides or has no shape is written as an escape, but for line ends and tabs."""
    return _LINE.sub(_line, text)


_LINE = re.compile(r"[^\n\t]+")


def _line(found: re.Match[str]) -> str:
    line = found[0]
    return line if line.isascii() and line.isprintable() else printable_line(line)


def _with_marks(text: str, marks: Sequence[Mark]) -> str:
    text = _OWN.sub("\N{REPLACEMENT CHARACTER}", text)
    for at, sign in sorted(
        ((at, chr(base + mark.of)) for mark in marks if mark.of < _MOST_MARKS for at, base in _mark_ends(mark)),
        reverse=True,
    ):
        text = f"{text[:at]}{sign}{text[at:]}"
    return text


def _mark_ends(mark: Mark) -> tuple[tuple[int, int], tuple[int, int]]:
    return (mark.start, _OPEN), (mark.stop, _SHUT)


def _highlighted_runs(text: str, flavour: Flavour) -> Iterable[Run]:
    if "\x1b" in text or "\r" in text:
        return _terminal(text)
    if flavour in {"output", "diff"} and _DIFF.search(text[:4000]):
        return ((_diff_class(_OWN.sub("", line)), line) for line in text.splitlines(keepends=True))
    lexer = _lexer(flavour) if len(text) <= _HIGHLIGHTED else None
    return [("", text)] if lexer is None else ((_class(token), part) for token, part in lexer.get_tokens(text))


def _diff_class(line: str) -> str:
    return {"+": "ins", "-": "del", "@": "hunk"}.get(line[:1], "file" if line.startswith("diff ") else "")


@lru_cache
def _lexer(name: str) -> Any:  # noqa: ANN401 (Pygments has no types)
    found = _LEXER_OF.get(name.rpartition(".")[2].lower())
    return None if found is None else getattr(pygments.lexers, found)(stripnl=False, ensurenl=False)


@lru_cache
def _class(token: Any) -> str:  # noqa: ANN401
    return next((name for kind, name in _CLASSES.items() if token in kind), "")


def _terminal(text: str) -> Iterator[Run]:
    shown = coloured_text(text)
    at, plain = 0, shown.plain
    for span in shown.spans:  # one after the other, as the decoder appends them
        if span.start > at:
            yield "", plain[at : span.start]
        if span.end > max(at, span.start):
            yield _style(span.style), plain[max(at, span.start) : span.end]
        at = max(at, span.end)
    yield "", plain[at:]


@lru_cache(maxsize=1000)
def _style(style: str | Style) -> str:
    if isinstance(style, str):
        return ""
    names = [name for name in ("bold", "dim", "italic", "underline", "strike", "reverse") if getattr(style, name)]
    for letter, colour in (("t", style.color), ("g", style.bgcolor)):
        if colour is not None and not colour.is_default:
            names.append(f"{letter}{colour.downgrade(ColorSystem.STANDARD).number}")
    return " ".join(names)


def _escaped_runs(runs: Iterable[Run]) -> str:
    """The runs as HTML. A mark ends with its text, though a sign of its end may be missing."""
    parts: list[str] = []
    active: dict[int, None] = {}
    for name, text in runs:
        at = 0
        for sign in _OWN.finditer(text):
            parts.append(_run_html(name, text[at : sign.start()], active))
            at, code = sign.end(), ord(sign[0])
            if code >= _SHUT:
                active.pop(code - _SHUT, None)
            else:
                active[code - _OPEN] = None
        parts.append(_run_html(name, text[at:], active))
    return "".join(parts)


def _run_html(name: str, text: str, active: dict[int, None]) -> str:
    if not text:
        return ""
    html = escape(visible_text(text))
    if active:
        html = f'<mark data-of="{" ".join(map(str, active))}">{html}</mark>'
    return f'<span class="{name}">{html}</span>' if name else html


# Markdown


_TAGS = set(
    "p br hr em strong s del code pre blockquote ul ol li table thead tbody tr th td span button".split()  # noqa: SIM905
)
_ATTRIBUTES = {"button": {"type", "class", "data-to", "title"}, "span": {"class"}, "p": {"class"}, "ol": {"start"}}


@lru_cache
def _markdown_parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "breaks": True, "highlight": _fenced})
    made.enable(["table", "strikethrough"])
    for kind, rule in (
        ("link_open", _link),
        ("link_close", lambda *_: "</button>"),
        ("image", _left_out_image),
        ("heading_open", lambda *_: '<p class="h">'),
        ("heading_close", lambda *_: "</p>"),
    ):
        made.add_render_rule(kind, rule)
    return made


def _link(_renderer: object, tokens: Sequence[Any], index: int, *_: object) -> str:
    """A button that does nothing by itself: the page's script asks before it goes elsewhere."""
    to = escape(visible_text(str(tokens[index].attrGet("href") or "")))
    return f'<button type="button" class="away" data-to="{to}" title="{to}">'


def _left_out_image(_renderer: object, tokens: Sequence[Any], index: int, *_: object) -> str:
    token = tokens[index]
    return f'<span class="left-out">[image: {escape(token.content)} {escape(str(token.attrGet("src") or ""))}]</span>'


def _fenced(text: str, language: str, _attributes: str) -> str:
    return (
        "<pre><code>"
        f"{_escaped_runs(_highlighted_runs(text, 'output' if language == 'diff' else language))}</code></pre>"
    )
