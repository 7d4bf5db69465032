"""The languages that can be read beside Python: their files, and the packages of their parsers."""

import importlib.util
from functools import lru_cache

INSTALL = "pip install 'honestly[languages]' gives the parsers"
"""What to do where they are missing."""

_SUFFIXES = {
    "sh": "bash", "bash": "bash", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp",
    "hh": "cpp", "go": "go", "java": "java", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "jsx": "javascript",
    "rb": "ruby", "rs": "rust", "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
}  # fmt: skip


def language_of(path: str) -> str:
    """The language of a file by its name; empty for Python, and for what cannot be read."""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "") if "." in path else ""


@lru_cache(maxsize=16)
def installed(language: str) -> bool:
    """Whether the parser of a language is installed."""
    names = ("tree_sitter", _package(language).replace("-", "_"))
    return all(importlib.util.find_spec(name) is not None for name in names)


def packages() -> list[str]:
    """The packages of the parsers that are installed, as `pip` calls them."""
    return ["tree-sitter", *sorted({_package(language) for language in _SUFFIXES.values() if installed(language)})]


def _package(language: str) -> str:
    return f"tree-sitter-{'typescript' if language == 'tsx' else language}"
