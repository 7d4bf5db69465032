"""What people type into the search box of the archive.

    from:anna -draft "quarterly report" invoice OR bill

The text is cut into pieces at blanks (spaces and tabs; a line feed is a letter like others), except inside of a phrase. A piece is a word or a phrase. A phrase begins with `"` at the start of a
piece (after the marks described below) and ends at the next `"` or at the end of the text; the piece ends there, too, even if no blank follows. A `"` elsewhere is a
letter like others. Inside of a phrase, `\\"` means a quote and `\\\\` a backslash; any other backslash means itself, also the last one of the text. Blanks in a phrase count as they are.

Marks stand before the word or phrase, in this order, and no mark may stand alone:

- `-` turns a term round: it must not be found. A single `-` as a whole piece is ignored. Only the first `-` is a mark: `--x` turns the word `-x` round.
- `from:`, `to:` or `subject:`, in any mixture of small and capital letters, says where to look. Other words with a colon are words, and so is a field's name with nothing after the colon: `from:` looks for
  the word `from:`, everywhere.

The word `OR` (in capitals, without marks) between two terms joins them into one group, of which one term has to be found; `a OR b OR c` is one group of three. An `OR` that has no term before it, or none after
it, is a word like others; so is the second of two in a row if a term follows (`a OR OR b` is the group of `a` and the word `OR`, and then `b`).

An empty phrase is ignored, with its marks.
"""

from typing import NamedTuple

FIELDS = ("from", "to", "subject")
LIMIT = 20


class TooLong(ValueError):
    """Raised for a query of more than 20 terms."""


class Term(NamedTuple):
    """Something to look for."""

    text: str  # a phrase is kept as typed, without its quotes and escapes; a word, too
    field: str = ""  # in small letters; "" is everywhere
    phrase: bool = False
    negated: bool = False


def parse(text: str) -> list[list[Term]]:
    """The groups of a query, in the order of the text; each is a list of at least one term.

    Raises:
        TooLong: there are more than 20 terms in all groups together.
    """
    terms = _terms(text)
    groups: list[list[Term]] = []
    at, joining = 0, False
    while at < len(terms):
        if terms[at] == Term("OR") and groups and not joining and at + 1 < len(terms):
            joining = True
        elif joining:
            groups[-1].append(terms[at])
            joining = False
        else:
            groups.append([terms[at]])
        at += 1
    if sum(map(len, groups)) > LIMIT:
        raise TooLong(f"more than {LIMIT} terms")
    return groups


def show(groups: list[list[Term]]) -> str:
    """A text that `parse` reads as these groups, if `parse` gave them; terms are separated by single spaces, groups of several by ` OR `."""
    return " ".join(" OR ".join(_shown(term) for term in group) for group in groups)


def finds(groups: list[list[Term]], mail: dict[str, str]) -> bool:
    """Whether a mail is found: a mail has texts by the keys `from`, `to`, `subject` and `body`, any of which may be missing, which is like an empty text.

    Each group must be fulfilled by at least one of its terms; no groups find every mail. Case does not count, as `str.casefold` has it: `STRASSE` finds `Straße`. A word or phrase is found wherever its letters stand,
    within longer words, too, in the text of its field. A term without field looks into each of the four texts, but not across them. A negated term is fulfilled where the term without `-` is not.
    """
    return all(any(_fulfilled(term, mail) for term in group) for group in groups)


def _fulfilled(term: Term, mail: dict[str, str]) -> bool:
    keys = (term.field,) if term.field else (*FIELDS, "body")
    wanted = term.text.casefold()
    return any(wanted in mail.get(key, "").casefold() for key in keys) != term.negated


def _shown(term: Term) -> str:
    marks = "-" * term.negated + (f"{term.field}:" if term.field else "")
    if not term.phrase:
        return marks + term.text
    escaped = term.text.replace("\\", "\\\\").replace('"', '\\"')
    return f'{marks}"{escaped}"'


def _terms(text: str) -> list[Term]:
    terms, at = [], 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
            continue
        negated = text[at] == "-"
        at += negated
        field = next((name for name in FIELDS if text[at : at + len(name) + 1].lower() == name + ":"), "")
        after = at + len(field) + 1 if field else at
        if text[after : after + 1] in ("", " ", "\t"):
            field, after = "", at
        if text[after : after + 1] == '"':
            content, at = _phrase(text, after + 1)
            if content:
                terms.append(Term(content, field, True, negated))
            continue
        end = after
        while end < len(text) and text[end] not in " \t":
            end += 1
        if end > after:
            terms.append(Term(text[after:end], field, False, negated))
        at = end
    return terms


def _phrase(text: str, at: int) -> tuple[str, int]:
    content = ""
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
        content += text[at]
        at += 1
    return content, at + 1
