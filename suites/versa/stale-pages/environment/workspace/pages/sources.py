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
