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
