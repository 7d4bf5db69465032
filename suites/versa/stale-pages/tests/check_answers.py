"""Hidden checks of stale-pages: stories are played by the code as it was given, and with one repair."""

import json
import re

SOURCES = (
    r'''
"""The files of a site: pages are in `pages/`, parts that pages include in `parts/`."""

import re

_PATH = re.compile(r"(pages|parts)/[a-z0-9]+")


class Sources:
    """Texts by their paths."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def write(self, path: str, text: str) -> None:
        """Writes a file.

        Raises:
            ValueError: the path is not `pages/NAME` or `parts/NAME`.
        """
        if not _PATH.fullmatch(path):
            raise ValueError(f"not a path: {path!r}")
        self._texts[path] = text

    def delete(self, path: str) -> None:
        """Deletes a file, if it is there."""
        self._texts.pop(path, None)

    def read(self, path: str) -> str:
        """A file's text; empty if there is none."""
        return self._texts.get(path, "")

    def pages(self) -> list[str]:
        """Paths of all pages, sorted."""
        return sorted(path for path in self._texts if path.startswith("pages/"))
''',
    r'''
"""How pages are written.

    title: Our team
    draft: yes

    We are {{team}}, and {{nobody}}.

A head of lines `key: value`, an empty line, and the body. `{{name}}` includes the part of this name, which may include others.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

_INCLUDE = re.compile(r"\{\{([a-z0-9]+)\}\}")


class Page(NamedTuple):
    """What a page's text says."""

    title: str
    draft: bool
    body: str


def parse(path: str, text: str) -> Page:
    """Reads a page; one without title has its path for it."""
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.split("\n") if ": " in line)
    return Page(fields.get("title", path), fields.get("draft") == "yes", body)


def includes(text: str) -> list[str]:
    """Paths of the parts that a text includes itself, in the order in which they stand there."""
    return [f"parts/{name}" for name in _INCLUDE.findall(text)]


def replace_includes(text: str, replace: Callable[[str], str]) -> str:
    """The text with each include replaced by what a function makes of the part's path."""
    return _INCLUDE.sub(lambda found: replace(f"parts/{found[1]}"), text)
''',
    r'''
"""What a page looks like."""

from pages.sources import Sources
from pages.syntax import parse, replace_includes


def published(sources: Sources) -> list[str]:
    """Paths of the pages that are no drafts, sorted."""
    return [path for path in sources.pages() if not parse(path, sources.read(path)).draft]


def render(sources: Sources, path: str) -> str:
    """A page: its title, the titles of all published pages, and its body with all parts."""
    page = parse(path, sources.read(path))
    menu = " | ".join(parse(other, sources.read(other)).title for other in published(sources))
    return f"<{page.title}> [{menu}]\n{_expand(sources, page.body, ())}\n"


def _expand(sources: Sources, text: str, within: tuple[str, ...]) -> str:
    def part(path: str) -> str:
        if path in within:
            return "..."
        return _expand(sources, sources.read(path), (*within, path))

    return replace_includes(text, part)
''',
    r'''
"""Keys that tell whether a page must be built again."""

from hashlib import sha256

from pages.render import published
from pages.sources import Sources
from pages.syntax import includes


def pieces(sources: Sources, path: str) -> list[str]:
    """What a page is made of: its text, the parts that it includes, and which pages are in the menu."""
    text = sources.read(path)
    return [text, *(sources.read(part) for part in includes(text)), *published(sources)]


def key(sources: Sources, path: str) -> str:
    """A page's key: the same as long as nothing that it is made of changes."""
    return sha256("".join(pieces(sources, path)).encode()).hexdigest()
''',
    r'''
"""Builds a site, again and again."""

from pages.keys import key
from pages.render import published, render
from pages.sources import Sources


class Builder:
    """Keeps what it built: `output` has a text for each page, `written` the paths that the last build wrote."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.output: dict[str, str] = {}
        self.written: list[str] = []
        self._keys: dict[str, str] = {}

    def build(self) -> None:
        """Brings the output up to date: what is no longer published goes, what has another key than at its last build is written."""
        self.written = []
        current = published(self.sources)
        for path in [path for path in self.output if path not in current]:
            self._remove(path)
        for path in current:
            now = key(self.sources, path)
            if self._keys.get(path) != now:
                self._keys[path] = now
                self.output[path] = render(self.sources, path)
                self.written.append(path)

    def _remove(self, path: str) -> None:
        del self.output[path]
''',
    r'''
"""Plays stories: lists of steps, which are lists of words.

    ["write", "pages/team", "title: Our team\\n\\nWe are {{team}}."]
    ["delete", "parts/team"]
    ["build"]
"""

from pages.builder import Builder
from pages.sources import Sources


def play(steps: list[list[str]]) -> Builder:
    """The builder after all steps, which begin with no files and nothing built.

    Raises:
        ValueError: a step is not as above.
    """
    builder = Builder(Sources())
    for step in steps:
        match step:
            case ["write", path, text]:
                builder.sources.write(path, text)
            case ["delete", path]:
                builder.sources.delete(path)
            case ["build"]:
                builder.build()
            case _:
                raise ValueError(f"not a step: {step}")
    return builder


def is_stale(steps: list[list[str]]) -> bool:
    """Whether the output after a story and a further build is another than that of a new builder."""
    builder = play([*steps, ["build"]])
    fresh = Builder(builder.sources)
    fresh.build()
    return builder.output != fresh.output
''',
)
WHOLE = "\n".join(re.sub(r"(?m)^from pages\..*$", "", source) for source in SOURCES)
DEEP = """
def _deep(sources, text, seen):
    for part in includes(text):
        if part not in seen:
            seen.append(part)
            _deep(sources, sources.read(part), seen)
    return seen


def pieces("""
REPAIRS = {
    "deep": (
        ("def pieces(", DEEP),
        ("for part in includes(text)), *pub", "for part in _deep(sources, text, [])), *pub"),
    ),
    "titles": (
        (
            "*published(sources)]",
            "*published(sources), *(parse(p, sources.read(p)).title for p in published(sources))]",
        ),
    ),
    "glued": (
        ('"".join(pieces(sources, path))', '"".join(f"{len(piece)}:{piece}" for piece in pieces(sources, path))'),
    ),
    "back": (("        del self.output[path]\n", "        del self.output[path]\n        del self._keys[path]\n"),),
}
SHORTEST = {"deep": 4, "titles": 4, "glued": 4, "back": 5}


def code(*repairs):
    """The code's names, with repairs."""
    source, space = WHOLE, {"__name__": __name__}
    for old, new in repairs:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    exec(source, space)
    return space


GIVEN = code()


def story(ws, key, claim=False):
    """One story of the answers."""
    given = json.loads(ws.read("answers.json"))
    steps = given["claims"][key] if claim else given[key]
    assert isinstance(steps, list) and len(steps) <= 10, steps
    assert all(isinstance(step, list) and step and all(isinstance(word, str) for word in step) for step in steps)
    return steps


def shows(ws, cause):
    """Demands a story that shows a cause, of the shortest."""
    steps = story(ws, cause)
    assert GIVEN["is_stale"](steps), "it is not stale"
    assert not code(*REPAIRS[cause])["is_stale"](steps), "it is stale with the repair, too"
    assert len(steps) == SHORTEST[cause], "there is a shorter one"


def test_deep(ws):
    """Parts of parts."""
    shows(ws, "deep")


def test_titles(ws):
    """Titles in the menu."""
    shows(ws, "titles")


def test_glued(ws):
    """Pieces without borders."""
    shows(ws, "glued")


def test_back(ws):
    """Pages that come back."""
    shows(ws, "back")


def test_claims_that_hold(ws):
    """Four claims hold."""
    claims = json.loads(ws.read("answers.json"))["claims"]
    assert set(claims) == set("abcdef")
    assert [claims[key] for key in "abde"] == ["holds"] * 4


def test_changed_and_not_written(ws):
    """Claim f: a page's change that is not noticed."""
    steps = story(ws, "f", claim=True)
    builds = [at for at, step in enumerate(steps) if step == ["build"]]
    assert len(builds) >= 2 and builds[-1] == len(steps) - 1
    before, after = GIVEN["play"](steps[: builds[-2] + 1]), GIVEN["play"](steps)
    both = set(GIVEN["published"](before.sources)) & set(GIVEN["published"](after.sources))
    changed = {path for path in both if before.sources.read(path) != after.sources.read(path)}
    assert changed - set(after.written)


def test_output_is_not_what_is_published(ws):
    """Claim c: a published page without output."""
    steps = story(ws, "c", claim=True)
    assert steps and steps[-1] == ["build"]
    builder = GIVEN["play"](steps)
    assert set(builder.output) != set(GIVEN["published"](builder.sources))
