"""The instruction of a task that is made from a commit: what people wrote, less what gives the answer away.

Read are the names and literals that are new in the source part of a commit. Those that the hidden tests use must be
told, since nobody could guess them; the others are taken out of the text, and so are lines of the solution, addresses
and numbers of the change, and who signed it. What was read and what was changed is kept. Not found are ideas: a text
may still explain in its own words how the fix works.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from honestly.records import Edit, Record, Tree
from honestly.taskgen._asked import (
    LEAST_WORDS,
    PYTHON,
    asked_definitions,
    content_words,
    other_declarations,
    texts_in,
    words_in_code,
)
from honestly.taskgen._documented import documentation
from honestly.taskgen._languages import LOADED, bare_path
from honestly.taskgen._split import is_source
from honestly.tasks import text_in

_NAME = re.compile(r"\b[A-Za-z_]\w{2,}")
_SIGNED = re.compile(
    r"^(?:[\w-]+-by|Change-Id|Reviewed-on|Cc|BREAKING.CHANGE|git-svn-id):.*$|^\(cherry picked from .*$",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESS = re.compile(r"<?https?://[^\s)>\]]+/(?:pull|pulls|commit|commits|compare|issues|merge_requests)/[^\s)>\]]*>?")
_REFERENCE = re.compile(
    r"\s*\((?:[\w./-]+)?#\d+\)|"
    r"(?<!\w)(?:(?:fix(?:e[sd])?|clos(?:es|ed?)|resolv(?:es|ed?)|see|refs?|references)\s*:?\s*)?"
    r"(?:(?:issues?|bugs?|tickets?|pull requests?|PRs?)\s*:?\s*)?(?:GH-|[\w.-]+/[\w.-]+#|#)\d+:?",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\$?\{[^{}\n]*\}|%(?:\(\w+\))?[-+#0-9.]*[a-zA-Z]\b")
"""What a text has in place of a value."""
_PATTERN = re.compile(r"(?<=[(,=:\s])/((?:[^/\\\n]|\\.){6,200})/[gimsuvy]*(?=[),;\s])")
"""A regular expression of JavaScript's."""
_SPECIAL = re.compile(r"\\.|[\[\].*+?()|^$]")
_VALUE = re.compile(r"[\d._]+")
_LEAST_LINE = 12
_REMOVED = "[removed]"
_MOST_WORDS = 64 << 10
_SHOWN = 40
_MOST_PLACES, _LEAST_KEPT, _LEAST_MARKS = 3, 6, 4
_STEM = 5
"""Letters by which two words count as one: `parser` and `parsing`."""
_DOCUMENTED = "\n\nWhat its documentation will say of it:\n\n"
_HIDDEN = "other tests, which are not shown, will check it."


class Told(Record, frozen=True, kw_only=True):
    """An instruction, and what was done so that it does not give the answer away."""

    text: str
    identifiers: tuple[str, ...] = ()
    """Names that are new in the fix, all of which were looked for."""
    literals: tuple[str, ...] = ()
    """Texts and numbers that are new in the fix."""
    told: tuple[str, ...] = ()
    """Those of them that the hidden tests use, and which the instruction therefore tells."""
    changed: tuple[str, ...] = ()
    """What was taken out of the text, and why."""
    thin: bool = False
    """Whether hardly a word was left: the tests ask for more than it says."""
    vague: bool = False
    """Whether no word of it is one of the changed files: nobody could tell from it what is to be done."""


def task_instruction(
    words: str, name: str, before: Tree, reference: Edit, hidden: Tree, visible: Iterable[str]
) -> Told:
    """Makes the instruction."""
    write = reference.write
    added = {path: list(_added_lines(before, write, path)) for path in write.files if is_source(path)}
    known = "\n".join(text_in(before, path) for path in before.files if not path.startswith(".git/"))
    found = {path: words_in_code(path, text_in(before, path), text_in(write, path)) for path in added}
    names = sorted(set().union(*(each for each, _ in found.values())) - set(_NAME.findall(known)) - PYTHON)
    literals = sorted(set().union(*(each for _, each in found.values())))
    literals = [text for text in literals if text not in known and text.strip()]
    tests = "\n".join(text_in(hidden, path) for path in hidden.files)
    new_tests = "\n".join(line for path in hidden.files for line in _added_lines(before, hidden, path))
    asked, used = set(_NAME.findall(tests)), set(_NAME.findall(new_tests))
    expected = {text for text in (*texts_in(new_tests), *_PATTERN.findall(new_tests)) if text not in known}
    phrases = [each.strip() for text in expected for each in _SPECIAL.split(text) if _is_phrase(each)]
    told = [each for each in names if each in asked]
    told += [each for each in literals if not _VALUE.fullmatch(each) and _is_asked(each, tests, phrases)]
    places, signed, modules = _declared_places(before, write, hidden, used)
    listed = [f"`{each}`{_places_said(paths)}" for each, paths in places.items()]
    for each in (each for each in told if each not in signed):
        paths = [path for path, own in found.items() if each in own[0] | own[1]]
        listed.append(f"{'' if each in names else 'the text '}`{each}`{_places_said(paths)}")
    literals = [text for text in literals if text in told or not _NAME.fullmatch(text)]  # others are words of any text
    kept_back = [text for text in literals if text not in told]
    expected = {text for text in expected if len(text) >= _LEAST_KEPT and text not in told}
    pages, comments = (documentation(before, each, expected) for each in (write.without(added), write.only(added)))
    open_names = set(_NAME.findall("\n".join([*listed, pages, comments])))
    lines = (line for own in added.values() for line in own)
    code = "\n".join(line for line in lines if line.strip(" \t/*") not in comments)
    text, changed = _cleaned_words(words[:_MOST_WORDS], code, [n for n in names if n not in open_names], kept_back)
    cleaned = [_cleaned_words(pages, code, [], kept_back), _cleaned_words(comments, "", [], kept_back)]
    pages = "\n\n".join(each for each, _ in cleaned if each)
    changed += [what for _, more in cleaned for what in more]
    said = f"{text}\n{pages}".replace(_REMOVED, "")
    told = list(dict.fromkeys([*told, *modules, *(each for each in sorted(signed) if each in asked)]))
    meant = {each for each in _NAME.findall(said) if re.search(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]", each) or each in told}
    thin = len(content_words(text.replace(_REMOVED, ""))) < LEAST_WORDS and not meant & used
    told += [each for each in names if each in _NAME.findall(said) and each not in told]
    whole = (text_in(tree, path) for path in added for tree in (before, write))
    return Told(
        text=_whole_instruction(f"{text}{_DOCUMENTED * bool(pages)}{pages}", name, listed, sorted(set(visible))),
        identifiers=tuple(names), literals=tuple(literals), told=tuple(told), changed=tuple(changed),
        thin=thin, vague=_is_vague(said, "\n".join([*added, *whole, new_tests])),
    )  # fmt: skip


def _declared_places(
    before: Tree, write: Tree, hidden: Tree, used: Iterable[str]
) -> tuple[dict[str, list[str]], set[str], list[str]]:
    """The new declarations that hidden tests use, each with its files; the names that they declare; and new modules."""
    loaded = {bare_path(f"{path}/../{each}") for path in hidden.files for each in LOADED.findall(text_in(hidden, path))}
    own = [path for path in write.files if is_source(path)]
    modules = [f"module {path}" for path in own if path not in before.files and bare_path(path) in loaded]
    places, signed = {each: list[str]() for each in modules}, set[str]()
    for path in own:
        defined = asked_definitions(before, write.only([path]), hidden)
        declared = other_declarations(path, text_in(before, path), text_in(write, path), sorted(used))
        signatures = (each.partition("(")[0].strip() for each in defined)
        signed |= {each.rpartition(".")[2].removeprefix("class ") for each in signatures} | declared.keys()
        for each in (*defined, *chain(*declared.values())):
            places.setdefault(each, []).extend([path] * (each != f"module {path}"))
    return places, signed, modules


def _places_said(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_MOST_PLACES])
    return f" in {shown}" if shown else ""


def _is_asked(literal: str, tests: str, fragments: Iterable[str]) -> bool:
    """Whether tests have a literal in them, maybe filled in, or a phrase of it; a single word counts only where it is
    one there, too.
    """
    pieces = _PLACE.split(literal)
    plain = "".join(pieces)
    if len(pieces) > 1 and (_is_phrase(" ".join(pieces)) or len(re.findall(r"[^\s\w]", plain)) >= _LEAST_MARKS):
        filled = ".{1,80}?".join(map(re.escape, pieces))
        if re.search(filled, re.sub(r"([\"'])[^\S\n]*\n\s*[rfbu]*\1", "", tests)):
            return True
    if any(each in literal for each in fragments):
        return True
    word = rf"[\"'`]{literal}[\"'`]" if _NAME.fullmatch(literal) else re.escape(literal)
    return re.search(word, tests) is not None


def _is_phrase(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) > 1


def _is_vague(words: str, change: str) -> bool:
    """Whether a text in English letters shares no word with changed files; of other texts nobody knows."""
    said = content_words(words)
    shown = {part.lower()[:_STEM] for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", change)}
    return bool(said) and words.isascii() and not {word[:_STEM] for word in said} & shown


def tell_bug(words: str, name: str, names: Iterable[str], literals: Iterable[str]) -> Told:
    """Makes the instruction for a bug: a report, without any name or literal of the line that repairs it."""
    secret, texts = sorted({each for each in names if len(each) > 1}), sorted(set(literals))
    text, changed = _cleaned_words(words, "", secret, texts, strict=True)
    shown = f"{text}\n\n{place_said(name)} Find the fault in its source and repair it; {_HIDDEN}\n"
    return Told(text=shown, identifiers=tuple(secret), literals=tuple(texts), changed=tuple(changed))


def tell_step(name: str, functions: Sequence[str], shown: Sequence[str]) -> Told:
    """Makes the instruction for functions whose bodies are missing: where they are, their parameters, and no more."""
    tests = f" The tests in {', '.join(f'`{path}`' for path in shown[:5])} show what they must do." if shown else ""
    listed = "\n".join(f"- {each}" for each in functions)
    text = (
        f"{place_said(name)} It is being built step by step, and these functions are the next:\n\n{listed}\n\n"
        f"In the source they only raise NotImplementedError. Write their bodies, as their docstrings and their callers "
        f"ask for it; those that raise it and are not listed come later. More tests, which are not shown, will check "
        f"it.{tests}\n"
    )
    return Told(text=text, told=tuple(functions))


def _cleaned_words(
    words: str, code: str, names: list[str], literals: list[str], *, strict: bool = False
) -> tuple[str, list[str]]:
    changed: list[str] = []

    def stripped(pattern: re.Pattern[str], text: str, why: str, put: str = "") -> str:
        changed.extend(f"{why}: {found[0].strip()[:120]}" for found in pattern.finditer(text) if found[0].strip())
        return pattern.sub(put, text)

    text = stripped(_SIGNED, words, "who signed it")
    text = stripped(_ADDRESS, text, "an address of the change")
    text = stripped(_REFERENCE, text, "a number of the change")
    lines = {line.strip() for line in code.splitlines() if len(line.strip()) >= _LEAST_LINE}
    given = [line for line in text.splitlines() if line.strip().lstrip("+> ") in lines]
    changed += [f"a line of the solution: {line.strip().lstrip('+> ')[:120]}" for line in given]
    text = "\n".join(_REMOVED if line in given else line for line in text.splitlines())
    for name in names:
        shaped = strict or "_" in name or re.search(r"[a-z][A-Z]|\d", name)
        pattern = rf"\b{re.escape(name)}\b" if shaped else rf"`{re.escape(name)}`|\b{re.escape(name)}(?=\()"
        text = stripped(re.compile(pattern), text, "a name of the solution", _REMOVED)
    for literal in (each for each in literals if strict or len(each) >= 4 or each.isdigit()):
        text = stripped(re.compile(rf"(?<!\w){re.escape(literal)}(?!\w)"), text, "a literal of the solution", _REMOVED)
    text = re.sub(r"[^\S\n]+\([\s,;&]*\)|[^\S\n]+(?=\n)", "", text)
    text = re.sub(r"(?<=[.!?])[^\S\n]+[.,;:]+(?=\s|$)", "", text)
    text = re.sub(r"^(?:[*+-] )?[^\w\n`#*=>~+-]+$", "", text, flags=re.MULTILINE)  # the full stop of "Fixes #12."
    return re.sub(r"\n{3,}", "\n\n", text).strip(" \n:;-"), changed


def _whole_instruction(text: str, name: str, interface: list[str], visible: list[str]) -> str:
    shown = (
        f" Of the tests in {', '.join(f'`{path}`' for path in visible[:5])}, those that pass now show what must go on "
        "working; one that contradicts this is outdated."
        if visible
        else ""
    )
    parts = [
        text or "(The commit says nothing more than the names below.)",
        f"{place_said(name)} Change its source so that this holds; {_HIDDEN}{shown}",
    ]
    if interface:
        listed = "\n".join(f"- {each}" for each in interface[:_SHOWN])
        parts.append(f"The tests use these new names and texts as they stand here:\n\n{listed}")
    return "\n\n".join(parts) + "\n"


def place_said(name: str) -> str:
    """The sentence of an instruction that says where the repository is."""
    return f"The repository `{name}` is in the current folder, without network."


def _added_lines(before: Tree, write: Tree, path: str) -> Iterator[str]:
    known = set(text_in(before, path).splitlines())
    return (line for line in text_in(write, path).splitlines() if line not in known)
