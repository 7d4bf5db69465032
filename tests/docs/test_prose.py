"""What `help()` says of each public name begins with a sentence that stands alone, and known calques do not come back.

A docstring that begins "The same ..." says nothing to whoever has only that docstring before them. The calques are
phrases of another language in English words; the list is short, and holds those that were once here.
"""

import importlib
import inspect
import re
from pathlib import Path

import click
import pytest

from honestly.cli import cli

ROOT = Path(__file__).parents[2]
ROOMS = sorted(path.parent.name for path in ROOT.glob("src/honestly/*/__init__.py"))
OPENINGS = re.compile(r"(?:The same|Those|As)\b")
CALQUES = re.compile(
    r"\b(?:if it is none|(?:that|own decoys|source) (?:is|are) none|be it (?:a|an|the)|(?:in|with) small letters|hangs on"
    r"|(?:is|are) no (?:text|number|JSON|Python|count|lists?)\b|NaN of none|the one arm|at the latest)",
)
PAGES = sorted(
    [*ROOT.glob("docs/**/*.md"), *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]
)


def commands(group: click.Group, before: str = "") -> dict[str, str]:
    """What each command and each group of them says of itself, by its words."""
    found = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        found[before + name] = command.help or ""
        if isinstance(command, click.Group):
            found |= commands(command, f"{before}{name} ")
    return found


def documented(room: str) -> dict[str, str]:
    """Docstrings of a room's public classes and functions, and of what is public in its classes, by dotted name."""
    if room == "cli":  # its users read help, and import nothing
        return commands(cli)
    package = importlib.import_module(f"honestly.{room}")
    found = {}
    for name in package.__all__:
        value = getattr(package, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)) or not value.__module__.startswith("honestly."):
            continue
        found[name] = value.__doc__ or ""
        for inner, member in vars(value).items() if inspect.isclass(value) else ():
            member = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not inner.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                found[f"{name}.{inner}"] = member.__doc__ or ""
    return found


def first_sentence(doc: str) -> str:
    """The docstring up to its first empty line, on one line."""
    return " ".join(inspect.cleandoc(doc).partition("\n\n")[0].split())


def faults(doc: str) -> list[str]:
    first = first_sentence(doc)
    found = []
    if not first:
        return ["is empty"]
    if "\n" in inspect.cleandoc(doc) and not inspect.cleandoc(doc).partition("\n")[2].startswith("\n"):
        found.append("has a first sentence of more than one line")
    if first[-1] not in ".?":
        found.append("does not end its first sentence")
    if OPENINGS.match(first):
        found.append(f"begins {first.split(',')[0][:20]!r}, which says nothing in help()")
    if calque := CALQUES.search(" ".join(doc.split())):
        found.append(f"holds {calque[0]!r}")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_help_begins_with_a_sentence_that_stands_alone(room):
    docs = documented(room)
    assert len(docs) > 1
    wrong = [f"{room}.{name} {fault}" for name, doc in docs.items() for fault in faults(doc)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("The same as text.", "begins"),
        ("As `read`, but bounded.", "begins"),
        ("", "empty"),
        ("Reads a file", "end"),
        ("The tree of a file.\n\nRaises:\n    E: if it is none.", "holds"),
        ("Its sentence goes on\nin the next line.", "more than one line"),
    ],
)
def test_a_docstring_that_says_nothing_is_found(doc, expected):
    assert any(expected in fault for fault in faults(doc))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_page_holds_a_known_calque(page):
    prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    found = [match[0] for match in CALQUES.finditer(" ".join(prose.split()))]
    assert not found, f"{page.name}: {found}"
