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
