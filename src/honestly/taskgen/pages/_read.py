"""The content of a page, read from its HTML: title, links, facts, tables and forms, as somebody without JavaScript sees
it.

A fact is a `dt` with its `dd`, a row of one header and one cell, or a paragraph or item of a list that says `NAME:
VALUE`; what a notice says is none. The names of columns may be spread over several rows. Text inside a form is the
form's, not the table cell's around it. What a script would add is not there. Tags that are not closed, or closed twice,
are read as well as can be; of a very large page, what comes first.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin

from msgspec.structs import replace

from honestly.records import Record

_MOST = 4000
_MOST_TEXT = 400
_MOST_OPTIONS = 300
_HIDES = frozenset({"script", "style", "template", "noscript"})
_TEXTS = frozenset(
    {"title", "h1", "h2", "h3", "caption", "th", "td", "dt", "dd", "a", "label", "button", "option", "p", "li"}
)
_ENDS = {
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th"),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "option": ("option",),
    "p": ("p",),
    "li": ("p", "li"),
    "ul": ("p",),
    "ol": ("p",),
    "div": ("p",),
    "table": ("p",),
    "h1": ("p",),
    "h2": ("p",),
    "h3": ("p",),
}
"""What a tag ends that was not closed."""
_FACT = re.compile(r"(\S(?:[^:]{0,38}\S)?):\s+(\S.{0,119})")
_NEXT_FACT = re.compile(r"(?<=[^\W_])\.\s+(?=[^\W\d_](?:[^:.]{0,38}\S)?:\s)")
"""Between sentences, of which the second one states a fact."""
_MOST_WORDS_OF_A_NAME = 5
_NOTICE = re.compile(r"flash|alert|notice|toast|message|status", re.IGNORECASE)
_BLOCKS = frozenset({"div", "p", "ul", "ol", "section", "aside", "output", "span", "li"})
_MOST_SPAN = 50
_ASIDE = re.compile(r"<!--|<[!?]")
_IGNORED = frozenset({"submit", "reset", "button", "image"})


class Cell(Record, frozen=True):
    """A cell of a table."""

    text: str
    href: str = ""
    """The first link in it."""


class Field(Record, frozen=True, kw_only=True):
    """A field of a form."""

    name: str
    label: str = ""
    type: str = "text"
    value: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """Values, and what is shown for them."""
    required: bool = False


class Form(Record, frozen=True, kw_only=True):
    """A form."""

    action: str
    method: str
    button: str = ""
    title: str = ""
    """The heading above it."""
    fields: tuple[Field, ...] = ()


class Table(Record, frozen=True, kw_only=True):
    """A table with a row of headers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Read(Record, frozen=True, kw_only=True):
    """The content of a page; addresses in it are whole."""

    url: str
    title: str = ""
    links: tuple[Cell, ...] = ()
    facts: tuple[tuple[str, Cell], ...] = ()
    tables: tuple[Table, ...] = ()
    forms: tuple[Form, ...] = ()

    def table(self, columns: tuple[str, ...]) -> Table | None:
        """The first table with these columns."""
        return next((table for table in self.tables if table.columns == columns), None)

    def shown_lines(self) -> list[str]:
        """The page's text, as lines: title, facts, rows of tables, what stands in its forms."""
        found = [self.title, *(f"{name}: {value.text}" for name, value in self.facts)]
        found += [" | ".join(cell.text for cell in row) for table in self.tables for row in table.rows]
        return found + [
            f"{form.button}: {field.label} is {field.value}" for form in self.forms for field in form.fields
        ]


def read_page(html: str, url: str) -> Read:
    """The content of a page that was read from `url`."""
    reader = _Reader(url)
    reader.feed(_finished_html(html))
    reader.close()
    return reader.read_page()


def _joined_address(base: str, href: str) -> str:
    """The whole address of a link; the link as it stands where it is none."""
    try:
        return urljoin(base, href)
    except ValueError:
        return href


def _finished_html(html: str) -> str:
    """The page without comments, up to its last tag: on what is unfinished, the parser takes quadratic time."""
    kept, at = [], 0
    html = html[: html.rfind(">") + 1]
    while found := _ASIDE.search(html, at):
        kept.append(html[at : found.start()])
        close = "-->" if found[0] == "<!--" else ">"
        end = html.find(close, found.end())
        at = end + len(close) if end >= 0 else len(html)
    return "".join([*kept, html[at:]])


class _Open(NamedTuple):
    tag: str
    text: list[str]
    attributes: dict[str, str]


class _Spanned(NamedTuple):
    """A cell, and over how many columns and rows it goes."""

    is_header: bool
    cell: Cell
    wide: int
    high: int


class _Draft:
    """A form that is being read."""

    def __init__(self, attributes: dict[str, str], title: str, depth: int) -> None:
        self.action, self.method, self.title = attributes.get("action", ""), attributes.get("method", "get"), title
        self.depth, self.button = depth, ""
        self.fields: dict[str, Field] = {}
        self.ids: dict[str, str] = {}


class _Reader(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self._url = self._base = url
        self._hidden = 0
        self._open: list[_Open] = []
        self._texts: dict[str, str] = {}
        self._links: list[Cell] = []
        self._facts: list[tuple[str, Cell]] = []
        self._tables: list[tuple[list[str], list[list[_Spanned]]]] = []
        self._notice, self._notice_depth = "", 0
        self._forms: list[_Draft] = []
        self._form: _Draft | None = None
        self._field = ""
        self._labels: dict[str, str] = {}
        self._href = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in _HIDES:
            self._hidden += 1
        for each in _ENDS.get(tag, ()):
            self._end_tag(each)
        if self._notice == tag:
            self._notice_depth += 1
        elif not self._notice and tag in _BLOCKS and _is_notice(attributes):
            self._notice, self._notice_depth = tag, 1
        if tag == "base" and "href" in attributes:
            self._base = _joined_address(self._url, attributes["href"])
        elif tag == "table" and len(self._tables) < _MOST:
            self._tables.append(([], []))
        elif tag == "tr" and self._tables and len(self._tables[-1][1]) < _MOST:
            self._tables[-1][1].append([])
        elif tag == "form" and self._form is None and len(self._forms) < _MOST:
            self._form = _Draft(attributes, self._texts.get("heading", ""), len(self._open))
            self._forms.append(self._form)
        elif self._form and tag in {"input", "select", "textarea"}:
            self._start_field(tag, attributes)
        if tag in _TEXTS and len(self._open) < 100:
            self._open.append(_Open(tag, [], attributes))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"ul", "ol", "div"}:
            self._end_tag("p")
        if tag in {"ul", "ol"}:
            self._end_tag("li")
        if tag in _HIDES:
            self._hidden = max(0, self._hidden - 1)
        elif tag in {"tr", "table", "dl", "select"}:
            for each in {"dl": ("dt", "dd"), "select": ("option",)}.get(tag, ("td", "th", "caption")):
                self._end_tag(each)
        elif tag == "form" and self._form:
            while len(self._open) > self._form.depth:
                self._end_tag(self._open[-1].tag)
            self._form = None
        else:
            self._end_tag(tag)
        if tag in {"select", "textarea"}:
            self._field = ""
        if tag == self._notice:
            self._notice_depth -= 1
            self._notice *= self._notice_depth > 0

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._form and self._field and (field := self._form.fields.get(self._field)) and field.type == "textarea":
            self._form.fields[self._field] = replace(field, value=(field.value + data)[:_MOST_TEXT])
            return
        around = self._open[self._form.depth if self._form else 0 :]
        for opened in around[-1:] if around and around[-1].tag == "option" else around:
            opened.text.append(data)

    def _start_field(self, tag: str, attributes: dict[str, str]) -> None:
        form, name, kind = self._form, attributes.get("name", ""), attributes.get("type", "text").lower()
        if form is None or len(form.fields) >= 200:
            return
        if tag == "input" and kind == "submit":
            form.button = form.button or attributes.get("value", "Send")
        if not name or (tag == "input" and kind in _IGNORED):
            return
        value, label = attributes.get("value", ""), attributes.get("aria-label") or attributes.get("placeholder", "")
        kind = tag if tag != "input" else kind
        options: tuple[tuple[str, str], ...] = ()
        if kind in {"checkbox", "radio"}:
            options, on = ((value or "on", value or "yes"),), value or "on"
            before = form.fields.get(name)
            options = ((before.options if before else ()) or ((("", "no"),) * (kind == "checkbox"))) + options
            value = on if "checked" in attributes else before.value if before else ""
        needed = "required" in attributes
        form.fields[name] = Field(name=name, label=label, type=kind, value=value, options=options, required=needed)
        self._field = name if tag in {"select", "textarea"} else ""
        for label_open in self._open[form.depth :]:
            if label_open.tag == "label":
                place = f"{len(self._forms)} around {name}"
                form.ids[place], label_open.attributes["for"] = name, place
        if attributes.get("id"):
            form.ids[attributes["id"]] = name

    def _end_tag(self, tag: str) -> None:
        """Ends the innermost open tag of this name, and what is open in it; not one that is open around the form."""
        lowest = self._form.depth if self._form else 0
        place = next((at for at in reversed(range(lowest, len(self._open))) if self._open[at].tag == tag), None)
        while place is not None and len(self._open) > place:
            opened = self._open.pop()
            self._finish_element(opened, " ".join("".join(opened.text).split())[:_MOST_TEXT])

    def _finish_element(self, opened: _Open, text: str) -> None:
        tag, attributes = opened.tag, opened.attributes
        if tag in {"title", "h1", "h2", "h3"}:
            self._texts.setdefault(tag, text)
            self._texts["heading" if tag != "title" else tag] = text
        elif tag == "a" and attributes.get("href"):
            self._href = _joined_address(self._base, attributes["href"])
            if len(self._links) < _MOST:
                self._links.append(Cell(text, self._href))
        elif tag == "caption" and self._tables:
            self._tables[-1][0].append(text)
        elif tag in {"td", "th"} and self._tables:
            rows = self._tables[-1][1]
            if rows and len(rows[-1]) < _MOST:
                wide, high = (_span_of(attributes.get(name, "")) for name in ("colspan", "rowspan"))
                rows[-1].append(_Spanned(tag == "th", Cell(text, self._href), wide, high))
        elif tag in {"dt", "dd"}:
            self._take_term(tag, text)
        elif tag in {"p", "li"} and not self._form and not self._notice:
            self._take_written_fact(text)
        elif tag == "label":
            self._labels[attributes.get("for", "")] = text
        elif tag in {"button", "option"} and self._form:
            self._form_text(self._form, opened, text)
        if tag != "a":
            self._href = ""

    def _take_term(self, tag: str, text: str) -> None:
        if tag == "dt" and len(self._facts) < _MOST:
            self._facts.append((text, Cell("")))
        elif tag == "dd" and self._facts and not self._facts[-1][1].text:
            self._facts[-1] = (self._facts[-1][0], Cell(text, self._href))

    def _take_written_fact(self, text: str) -> None:
        pieces = _NEXT_FACT.split(text)
        for piece in pieces:
            if (found := _FACT.fullmatch(piece)) and len(found[1].split()) <= _MOST_WORDS_OF_A_NAME:
                fact = found[1], Cell(found[2].removesuffix("." if len(pieces) > 1 else ""), self._href)
                self._facts += [fact] if fact not in self._facts[-1:] and len(self._facts) < _MOST else []

    def _form_text(self, form: _Draft, opened: _Open, text: str) -> None:
        """A button's text, or an option's."""
        attributes = opened.attributes
        if opened.tag == "button":
            form.button = form.button or text * (attributes.get("type", "submit") == "submit")
        elif (field := form.fields.get(self._field)) and len(field.options) < _MOST_OPTIONS:
            value = attributes.get("value", text)
            chosen = value if "selected" in attributes or not field.options else field.value
            form.fields[field.name] = replace(field, value=chosen, options=(*field.options, (value, text)))

    def read_page(self) -> Read:
        """The page as read."""
        while self._open:
            self._end_tag(self._open[-1].tag) if not self._form else self.handle_endtag("form")
        tables = tuple(
            Table(caption=" ".join(caption), columns=columns, rows=rows)
            for caption, spanned in self._tables
            for columns, rows in [_columns_and_rows(spanned)]
            if columns
        )
        for _, spanned in self._tables:
            pairs = [row for row in spanned if row]
            if all([each.is_header for each in row] == [True, False] for row in pairs):
                self._facts += [(name.cell.text.rstrip(": "), value.cell) for name, value in pairs]
        title = self._texts.get("h1") or self._texts.get("title", "")
        return Read(
            url=self._url, title=title, links=tuple(self._links), facts=tuple(self._facts), tables=tables,
            forms=tuple(self._drawn_forms()),
        )  # fmt: skip

    def _drawn_forms(self) -> Iterator[Form]:
        for draft in self._forms:
            labels = {name: self._labels[place] for place, name in draft.ids.items() if self._labels.get(place)}
            fields = tuple(
                replace(
                    field, label=labels.get(field.name) or field.label or field.name, value=field.value.strip("\r\n")
                )
                for field in draft.fields.values()
            )
            method = draft.method.lower() if draft.method.lower() in {"get", "post"} else "get"
            action = _joined_address(self._base, draft.action or self._url)
            yield Form(action=action, method=method, button=draft.button or "Send", title=draft.title, fields=fields)


def _is_notice(attributes: dict[str, str]) -> bool:
    """Whether an element says what has just happened, which the next page does not say any more."""
    return attributes.get("role") in {"alert", "status"} or bool(_NOTICE.search(attributes.get("class", "")))


def _span_of(text: str) -> int:
    return min(int(text), _MOST_SPAN) if re.fullmatch(r"[1-9]\d{0,3}", text) else 1


def _columns_and_rows(spanned: list[list[_Spanned]]) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    """The names of the columns, joined over the rows of headers, and the rows that have a cell for each."""
    headers: list[list[Cell]] = []
    rows: list[list[Cell]] = []
    hanging: dict[int, tuple[int, Cell]] = {}
    for row in spanned:
        cells: list[Cell] = []
        waiting = list(row)
        while waiting or len(cells) in hanging:
            left, cell = hanging.pop(len(cells), (0, Cell("")))
            wide, cell = (1, cell) if left else (waiting[0].wide, waiting[0].cell)
            left = left - 1 if left else waiting.pop(0).high - 1
            for _ in range(wide):
                if left:
                    hanging[len(cells)] = left, cell
                cells.append(cell)
        if row and all(each.is_header for each in row) and not rows:
            headers.append(cells)
        elif not any(each.wide > 1 for each in row):
            rows.append(cells)
    if not headers:
        return (), ()
    width = max(map(len, headers))
    names = [dict.fromkeys(row[at].text for row in headers if at < len(row) and row[at].text) for at in range(width)]
    return tuple(" ".join(name) for name in names), tuple(tuple(row) for row in rows if len(row) == width)
