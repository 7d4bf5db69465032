"""Words of a command as texts with marks for what is not known, and what an argument may be: option, value, path."""

import posixpath
import re
from collections.abc import Container, Sequence
from functools import lru_cache
from os.path import commonprefix

from honestly.permissions._parse import Computed, Substitution, Text, Variable, Word

ANY, STAR, ONE, MANY = "\ue000", "\ue001", "\ue002", "\ue003"
"""Marks: any text; a glob's `*`; its `?`; any text, which may be several words or none."""
SEP = "\ue004"
NUMBER = "\ue005"
"""A mark: digits."""
UNKNOWN = re.compile(f"[{ANY}{MANY}]")
MARKS = re.compile(f"[{ANY}{STAR}{ONE}{MANY}{NUMBER}]")
SPACE = re.compile(r"[ \t\n]+")
CLASS = re.compile(rf"\[[^\]/\s$`{SEP}]+\]")
ASSIGNED = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
MOST_VALUES, MOST_WORDS = 8, 400
IN_RUNNER = f"/__w/_temp/{NUMBER}"
IN_TEMPORARY = f"/tmp/{NUMBER}"  # noqa: S108 - of a name that nobody chose


LONGEST = 300
"""Characters of a name with marks that are compared."""
_DIGITS = frozenset("0123456789-*?")


@lru_cache(20_000)
def overlaps(marked: str, pattern: str, *, words: bool = False) -> bool:
    """Whether some text fits both a name with marks and a pattern with `*` and `?`; of words, if each mark but MANY
    stands for a text without blanks.
    """
    first, last = MARKS.search(marked), pattern.find("*")
    ahead = min(first.start() if first else len(marked), last if last >= 0 else len(pattern))
    if "?" not in pattern and marked[:ahead] != pattern[:ahead]:
        return False  # they begin otherwise
    left, right = marked[:LONGEST], pattern[:LONGEST]
    many, one = {ANY, STAR, MANY}, ONE
    row = [True]
    for letter in right:
        row.append(row[-1] and letter == "*")
    for mark in left:
        is_many, is_number = mark in many, mark == NUMBER
        bound = words and mark != MANY
        below = [row[0] and (is_many or is_number)]
        for at, letter in enumerate(right, 1):
            if (is_many and not (bound and letter == " ")) or letter == "*":
                below.append(row[at] or below[at - 1] or (row[at - 1] and is_many))
            elif is_many:
                below.append(row[at])
            elif is_number:
                below.append(row[at] or (letter in _DIGITS and (below[at - 1] or row[at - 1])))
            else:
                below.append(row[at - 1] and (mark in {one, letter} or letter == "?"))
        row = below
        if True not in row:
            return False
    return row[-1]


def few_values(values: Sequence[str]) -> list[str]:
    """What a name may hold; where that is much, a shape of all of it."""
    found = list(dict.fromkeys(values))
    if len(found) <= MOST_VALUES:
        return found
    if all(each.isdecimal() or each == NUMBER for each in found):
        return [NUMBER]
    begin = commonprefix(found)  # noqa: RUF071 - of letters
    end = commonprefix([each[len(begin) :][::-1] for each in found])[::-1]  # noqa: RUF071
    return [begin + (MANY if any(MANY in each for each in found) else ANY) + end]


def changed_value(value: str, change: str) -> str:
    """A variable's value after `%x`, `##x`, `/x/y`, `:1:2`, `^^` as bash has them; a mark where that is not known."""
    mark, pattern = (re.match(r"%%?|##?", change) or [""])[0], change
    pattern = change[len(mark) :]
    if re.search(r"[\\'\"]", change) or len(value) > LONGEST or (MARKS.search(value) and not mark):
        return ANY
    if mark and not re.search(r"[*?\[]", pattern):
        return value.removesuffix(pattern) if mark[0] == "%" else value.removeprefix(pattern)
    if mark == "##" and pattern == "*/":
        return posixpath.basename(value)
    if mark and not MARKS.search(value) and "[" not in pattern:
        shape = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
        cuts = range(len(value) + 1)
        for cut in cuts if mark in {"#", "%%"} else reversed(cuts):
            if shape.fullmatch(value[cut:] if mark[0] == "%" else value[:cut]):
                return value[:cut] if mark[0] == "%" else value[cut:]
        return value
    if found := re.fullmatch(r"(//?)([^/*?\[#%]+)(?:/(.*))?", change, re.DOTALL):
        return value.replace(found[2], found[3] or "", 1 if found[1] == "/" else -1)
    if found := re.fullmatch(r":(\d+)(?::(\d+))?", change):
        return value[int(found[1]) :][: int(found[2]) if found[2] else None]
    return {"^^": value.upper(), ",,": value.lower()}.get(change, ANY)


def quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def opened_text(text: str) -> str:
    """A text that is split into words, and whose globs count."""
    return globbed(SPACE.sub(SEP, text))


def globbed(text: str) -> str:
    if "[" in text and text not in {"[", "[["} and "://" not in text:
        text = CLASS.sub(ONE, text)
    return text.replace("*", STAR).replace("?", ONE) if text not in {"[", "[["} else text


def braced(word: Word) -> list[Word]:
    """A word with its braces expanded; those in quotes do not count. One with very many is not known."""
    if sum(isinstance(part, Text) and part.text == "{" for part in word) > 4:
        return [(Variable("", quoted=False),)]
    flat: list[Text | Variable | Substitution | Computed] = list(word)
    depth, start, _commas = 0, -1, list[int]()
    for at, part in enumerate(flat):
        if isinstance(part, Text) and not part.quoted and part.text == "{":
            if not depth:
                start, _commas = at, []
            depth += 1
        elif isinstance(part, Text) and not part.quoted and part.text == "}" and depth:
            depth -= 1
            if not depth:
                inside = _commas_apart(flat[start + 1 : at])
                if len(inside) < 2:
                    return [word]
                found: list[Word] = []
                for option in inside:
                    for rest in braced(tuple(flat[at + 1 :])):
                        for middle in braced(tuple(option)):
                            found.append((*flat[:start], *middle, *rest))
                            if len(found) > 50:
                                return [(Variable("", quoted=False),)]
                return found
    return [word]


def _commas_apart(
    parts: Sequence[Text | Variable | Substitution | Computed],
) -> list[list[Text | Variable | Substitution | Computed]]:
    found: list[list[Text | Variable | Substitution | Computed]] = [[]]
    depth = 0
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            depth += (part.text == "{") - (part.text == "}")
            if "," in part.text and not depth:
                first, *others = part.text.split(",")
                found[-1].append(Text(first))
                found += [[Text(each)] for each in others]
                continue
            if ".." in part.text and len(parts) == 1 and not depth:
                ends = part.text.split("..")
                if len(ends) == 2 and all(re.fullmatch(r"-?\d{1,4}", end) for end in ends):
                    low, high = sorted(map(int, ends))
                    if high - low < 20:
                        return [[Text(str(number))] for number in range(low, high + 1)]
                each: Variable | Computed = Computed(()) if all(end.isdecimal() for end in ends) else Variable("")
                return [[each], [each]]
        found[-1].append(part)
    return found


def positionals(words: Sequence[str]) -> list[str]:
    """The words that are no options."""
    if "--" in words:
        at = list(words).index("--")
        return [*(word for word in words[:at] if not word.startswith("-")), *words[at + 1 :]]
    return [word for word in words if not word.startswith("-")]


def first_plain(words: Sequence[str], valued: Container[str]) -> int:
    """Where the first word stands that is no option, nor the value of one."""
    at = 0
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in valued else 1
    return at


def attached_value(word: str) -> str:
    """The value that is attached to an option or a name: `--file=x`, `if=x`, `@x`, `-fx`."""
    if word.startswith("@"):
        return word[1:]
    _, equals, value = word.partition("=")
    if equals:
        return value.removeprefix("@")
    if len(word) > 2 and word[0] == "-" and word[1] != "-":
        return word[2:]
    return ""


_NO_PATH = re.compile(
    r"-[kmnt]|--(?![\w-]*(?:file|path|dir|folder|conf|input|src|source|env|from|data|load|read|out|dest|target|key|cert|root"
    r"|log|report|script|module|inc|import|require|exec|command))[\w-]+"
)
"""Options whose value, where it is computed, is taken for no path."""


def without_plain_values(words: Sequence[str]) -> list[str]:
    """Words without those that are computed and the value of an option that speaks of no file."""
    return [word for at, word in enumerate(words) if word not in {ANY, MANY} or not _NO_PATH.fullmatch(words[at - 1])]


def path_words(words: Sequence[str]) -> list[str]:
    """All words, and all parts of words, that may be paths."""
    words = without_plain_values(words)
    plain = [word for word in words if not word.startswith("-")]
    apart = [word for word in words if ("/" in word or ("," in word and "=" in word)) and "://" not in word]
    parts = [part for word in apart for part in re.split("[:,=]", word)[:9]]
    return [*plain, *(value for word in words if (value := attached_value(word))), *parts]


_PATCHED = re.compile(
    r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$|^--- (?:a/)?(\S+).*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE
)


def patched_paths(text: str) -> list[str]:
    """The files that a patch changes."""
    return [each for found in _PATCHED.findall(text) for each in found if each and each != "/dev/null"]


def may_be_folder(name: str) -> bool:
    """Whether a name may be that of a folder: it has no suffix."""
    return "." not in posixpath.basename(name.rstrip("/")).strip(".")


def named_below(folder: str, shapes: Sequence[str]) -> list[str]:
    """The paths of what is called so in a folder, and at any depth below it."""
    return [f"{folder}/{between}{shape}" for shape in shapes for between in ("", f"{STAR}/")]


_EXCLUDES = re.compile(r"--(?:exclude|ignore|not|prune)(?:-[a-z]+)*(=|$)")


def without_excluded(words: Sequence[str]) -> list[str]:
    """The words without what is left out by name: `--exclude=x`."""
    found: list[str] = []
    skip = False
    for word in words:
        match = _EXCLUDES.match(word)
        if not skip and match is None and not (word[:1] == "!" and found[-1:] and re.match("-g$|--i?glob$", found[-1])):
            found.append(word)
        skip = match is not None and not match[1] and not skip
    return found


def included(words: Sequence[str]) -> list[str]:
    """The shapes of the names to which a search is bound: `--include=*.py`, `-g *.py`, `-t py`."""
    found = []
    for word, follows in zip(words, [*words[1:], ""], strict=False):
        match = re.match(r"(?:--(?:include|glob)|-g|(-t|--type))(?:=(.+)|$)", word)
        shape = (match[2] or follows) if match else ""
        if match and match[1]:
            found.append(f"*.{shape}" if shape in _TYPES else "*")
        elif shape and shape[0] != "!":
            found.append(shape)
    return [globbed(each) for each in found]


_NAMES_SHOWN = {
    "grep": re.compile(r"-[^-\WefABCmdD]*[lLcq]|--(?:files-with(?:out)?-match(?:es)?|count|quiet|silent)$"),
    "rg": re.compile(r"-[^-\WefgjmMrtTdEABC]*[lcq]|--(?:files-with(?:out)?-match(?:es)?|count(?:-matches)?|quiet)$"),
}


def shows_names(name: str, words: Sequence[str]) -> bool:
    """Whether a search shows only in which files something stands, or how often."""
    shape = _NAMES_SHOWN.get(name)
    return shape is not None and any(map(shape.match, words))


_TYPES = frozenset("py js ts go java c cpp css html rs".split())  # noqa: SIM905
"""Types of files that are called as their names end."""


def has_flag(words: Sequence[str], letters: str, *names: str) -> bool:
    return any(
        word in names or (word[:1] == "-" and word[1:2] != "-" and any(letter in word[1:] for letter in letters))
        for word in words
    )


def unclustered(words: Sequence[str], valued: str) -> list[str]:
    """Words in which each option of one letter that takes a value (`valued`) stands alone, and its value after it."""
    found: list[str] = []
    for word in words:
        match = re.match(rf"-([A-Za-z0-9#:]*?)([{re.escape(valued)}])", word)
        if match is None or word == match[0] == f"-{match[2]}":
            found.append(word)
            continue
        found += [f"-{match[1]}"] if match[1] else []
        found += [f"-{match[2]}", word[match.end() :]] if word[match.end() :] else [f"-{match[2]}"]
    return found


def options_apart(words: Sequence[str], valued: str) -> list[str]:
    """Words as `unclustered` has them, and each long option without its value, which follows."""
    apart = unclustered(words, valued)
    return [part for word in apart for part in (word.split("=", 1) if word[:2] == "--" else [word])]


_ESCAPED = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u\{?([0-9A-Fa-f]{1,5})\}?|0?([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "\\": "\\", "a": "\a", "r": "\r"}


def unescaped(text: str, *, marks: bool = False) -> str:
    """A text without its escapes, in other languages (`marks`) also those of marks."""

    def told(found: re.Match[str]) -> str:
        if (letter := found[4]) is not None:
            return _LETTERS.get(letter, letter if marks and not letter.isalnum() else found[0])
        return chr(int(found[3], 8) & 0xFF if found[3] else int(found[1] or found[2], 16))

    return _ESCAPED.sub(told, text) if "\\" in text else text
