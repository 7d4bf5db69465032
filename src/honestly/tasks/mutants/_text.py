"""Small faults for source in other languages: one changed token at a time, outside of strings and comments.

A regular expression splits the text into comments, strings and tokens well enough for that; it knows no grammar. So a
fault may not compile, which whoever runs it has to find out, and what a language does with strings inside of strings is
not seen: shell strings are opened, since half of a shell program is in them.
"""

import re
from collections.abc import Iterator

from honestly.tasks.mutants._python import Change

_HASH = ("sh", "bash", "awk", "rb", "pl", "r", "jl", "tcl", "jq")
_DASHES = ("sql", "lua", "hs")
_SLASHES = ("c", "h", "cc", "cpp", "hpp", "js", "mjs", "ts", "java", "go", "rs", "cs", "kt", "swift", "php", "scala")
_COMMENT = {
    **dict.fromkeys(_HASH, r"(?<![^\s;])\#[^\n]*"),
    **dict.fromkeys(_DASHES, r"--[^\n]*|/\*.*?\*/"),
    **dict.fromkeys(_SLASHES, r"//[^\n]*|/\*.*?\*/|^[ \t]*\#[ \t]*include[^\n]*"),
    "bc": r"/\*.*?\*/|\#[^\n]*",
    "sed": r"^[ \t]*\#[^\n]*",
    "json": r"(?!)",
}
_SHELL = ("sh", "bash")
_OPEN = (*_SHELL, "sed")
"""Languages whose strings, if they have any, hold half of the program."""
_STRING = r'"(?:[^"\\\n]|\\.)*"|' r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_SWAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "==": ("compare", ("!=",)),
    "!=": ("compare", ("==",)),
    "===": ("compare", ("!==",)),
    "!==": ("compare", ("===",)),
    "<=": ("compare", ("<", ">")),
    ">=": ("compare", (">", "<")),
    "<": ("compare", ("<=", ">=")),
    ">": ("compare", (">=", "<=")),
    "&&": ("boolean", ("||",)),
    "||": ("boolean", ("&&",)),
    "+=": ("arithmetic", ("-=",)),
    "-=": ("arithmetic", ("+=",)),
    "*=": ("arithmetic", ("+=",)),
    "++": ("arithmetic", ("--",)),
    "--": ("arithmetic", ("++",)),
    "+": ("arithmetic", ("-",)),
    "-": ("arithmetic", ("+",)),
    "*": ("arithmetic", ("+",)),
    "/": ("arithmetic", ("*",)),
    "%": ("arithmetic", ("*",)),
    "true": ("constant", ("false",)),
    "false": ("constant", ("true",)),
    "break": ("loop", ("continue",)),
    "continue": ("loop", ("break",)),
}
_SHELL_SWAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "&&": ("boolean", ("||",)),
    "||": ("boolean", ("&&",)),
    **{
        f"-{one}": ("compare", (f"-{other}",))
        for one, other in (("eq", "ne"), ("ne", "eq"), ("lt", "le"), ("le", "lt"), ("gt", "ge"), ("ge", "gt"))
    },
    "-z": ("compare", ("-n",)),
    "-n": ("compare", ("-z",)),
    "==": ("compare", ("!=",)),
    "!=": ("compare", ("==",)),
    "break": ("loop", ("continue",)),
    "continue": ("loop", ("break",)),
}
_SQL_SWAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{mark: _SWAPS[mark] for mark in ("<=", ">=", "<", ">", "+", "-", "*", "/", "%")},
    "=": ("compare", ("<>",)),
    "<>": ("compare", ("=",)),
    "AND": ("boolean", ("OR",)),
    "OR": ("boolean", ("AND",)),
    "ASC": ("compare", ("DESC",)),
    "DESC": ("compare", ("ASC",)),
    "MIN": ("swap", ("MAX",)),
    "MAX": ("swap", ("MIN",)),
    "LEFT": ("swap", ("INNER",)),
    "DISTINCT": ("remove", ("",)),
}
_JQ_SWAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{mark: _SWAPS[mark] for mark in ("==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "true", "false")},
    "and": ("boolean", ("or",)),
    "or": ("boolean", ("and",)),
    "min": ("swap", ("max",)),
    "max": ("swap", ("min",)),
    "first": ("swap", ("last",)),
    "last": ("swap", ("first",)),
}
_SED_SWAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "+": ("bounds", ("*",)),
    "*": ("bounds", ("+",)),
    "/g": ("remove", ("/",)),
}
_OTHER_SWAPS = {
    **dict.fromkeys(_SHELL, _SHELL_SWAPS),
    "sql": _SQL_SWAPS,
    "jq": _JQ_SWAPS,
    "sed": _SED_SWAPS,
    "json": {mark: _SWAPS[mark] for mark in ("true", "false")},
}
_NUMBER = r"(?<![\w.$])\d{1,15}(?:\.\d{1,15})?(?![\w.])"


def is_mutable(path: str) -> bool:
    """Whether the language of a file, by its name, is one of those whose comments and operators are known here."""
    return _language(path) in _COMMENT


def text_changes(path: str, source: bytes) -> list[Change]:
    """Every change of a file, in the order of its text; none for languages that are not known.

    Raises:
        UnicodeDecodeError: it is not text.
    """
    language = _language(path)
    if language not in _COMMENT:
        return []
    return list(_changes(language, source.decode()))


def _changes(language: str, text: str) -> Iterator[Change]:
    swaps = _OTHER_SWAPS.get(language, _SWAPS)
    skipped = _COMMENT[language] + ("" if language in _OPEN else f"|{_STRING}")
    marks = "|".join(
        (rf"\b{re.escape(mark)}\b" if mark.isalpha() else re.escape(mark)) for mark in sorted(swaps, key=len)[::-1]
    )
    # Marks that are no operators for us (arrows, `<<`, `->`) are taken whole, so that no half of them is changed.
    whole = r"->|=>|<<=?|>>=?|::|<-|\$\(\("
    if language in _SHELL:
        marks = rf"(?<=\s)(?:{marks})(?=\s)"
    pattern = re.compile(
        rf"(?P<skip>{skipped})|(?P<whole>{whole})|(?P<number>{_NUMBER})|(?P<mark>{marks})",
        re.DOTALL | re.MULTILINE | (re.IGNORECASE if language == "sql" else 0),
    )
    places = _Places(text)
    for match in pattern.finditer(text):
        found = match[0]
        if match.lastgroup == "number":
            start, end = places.of(match)
            yield Change(start, end, _more(found), "constant", "", (start, end))
        elif match.lastgroup == "mark":
            start, end = places.of(match)
            operator, others = swaps[found.upper() if language == "sql" else found]
            for other in others:
                yield Change(start, end, other, operator, "", (start, end))


def _more(number: str) -> str:
    return f"{float(number) + 1:g}" if "." in number else str(int(number) + 1)


class _Places:
    """Turns places in a text, asked for in ascending order, into places in its bytes."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._bytes = text, 0, 0

    def of(self, match: re.Match[str]) -> tuple[int, int]:
        """First and last byte of a match."""
        self._bytes += len(self._text[self._at : match.start()].encode())
        self._at = match.start()
        return self._bytes, self._bytes + len(match[0].encode())


def _language(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
