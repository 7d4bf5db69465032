"""The values for forms: words of our own, choices that differ, and, on later tries, what the site itself shows
elsewhere.

First everything is filled in; then what must be, with values from columns of tables that are called like the field;
then short words without spaces, which names of files and folders have to be.
"""

import re
from collections.abc import Iterable, Mapping
from random import Random

from honestly.taskgen.pages._read import Field, Form, Read

_WORDS = ("Heron", "Kestrel", "Lapwing", "Plover", "Siskin", "Wagtail")
_SENTENCES = ("The parcel came on Tuesday.", "Please look at page four.", "It rains through the roof.")
_TYPED = {"email": "heron@example.org", "date": "2026-05-17", "url": "https://example.org/", "tel": "0151 2345"}
_UNFIT = frozenset({"password", "file"})
_CHOSEN = frozenset({"select", "radio", "checkbox", "number"})
_MOST = 40

Vocabulary = Mapping[str, tuple[str, ...]]
"""Values that the site shows, by a word of their column's name."""


def column_vocabulary(pages: Iterable[Read]) -> Vocabulary:
    """The vocabulary of these pages' tables, by the words of their columns' names."""
    found: dict[str, dict[str, None]] = {}
    for table in (table for page in pages for table in page.tables):
        for at, column in enumerate(table.columns):
            for word in _lower_words(column):
                values = found.setdefault(word, {})
                values |= {row[at].text: None for row in table.rows[:_MOST] if row[at].text and len(values) < _MOST}
    return {word: tuple(values) for word, values in found.items()}


def is_fillable(form: Form) -> bool:
    """Whether a form asks for nothing but words and choices."""
    return not any(field.type in _UNFIT for field in form.fields)


def form_values(form: Form, chance: Random, number: int = 0, known: Vocabulary | None = None) -> dict[str, str]:
    """Values for a form, for a try."""
    values = {field.name: field.value for field in form.fields}
    free = [field for field in form.fields if field.type != "hidden"]
    set_before = [field.name for field in free if field.value and field.type not in _CHOSEN]
    changed = set(chance.sample(set_before, min(1, len(set_before))))
    for field in free:
        is_needed = field.required or field.type in _CHOSEN or len(free) == 1
        if field.name in changed or (field.name not in set_before and (is_needed or not number)):
            values[field.name] = _field_value(field, chance, number, known or {}, alone=len(free) == 1)
    return values


def _field_value(field: Field, chance: Random, number: int, known: Vocabulary, *, alone: bool) -> str:
    if field.options:
        others = [value for value, _ in field.options if value and value != field.value]
        return chance.choice(others) if others else field.value
    if field.type == "number":
        return field.value if number and field.value and not alone else str(chance.randint(1, 3))
    seen = sorted({value for word in _lower_words(field.label) for value in known.get(word, ())} - {field.value})
    if number == 1 and seen and field.type == "text":
        return chance.choice(seen)
    if field.type == "textarea":
        return f"{chance.choice(_SENTENCES)} {chance.choice(_WORDS)} {chance.randint(10, 99)}."
    word, count = chance.choice(_WORDS), chance.randint(10, 99)
    return _TYPED.get(field.type) or (f"{word.lower()}-{count}" if number > 1 else f"{word} {count}")


def _lower_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]{3,}", text.lower()) if word != "the"]
