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
