"""Whether a rule's pattern speaks of a program that would be run, or of a file: no, perhaps, or certainly.

Names that are not known hold marks (`honestly.permissions._words`): such a name fits a pattern perhaps, if some text
in their place would make it fit.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice, pairwise

from honestly.permissions import _programs as known
from honestly.permissions._effects import Ran, Touched
from honestly.permissions._forms import SHORTENS, in_first_names, one_form, takes_value
from honestly.permissions._words import (
    ANY,
    LONGEST,
    MANY,
    MARKS,
    NUMBER,
    ONE,
    STAR,
    UNKNOWN,
    first_plain,
    may_be_folder,
    overlaps,
)

_BOTH = {"D": "df", "M": "mf", "C": "cf", "delete": "d", "move": "m", "copy": "c", "force": "f"}
"""Options of `git branch` that others make up, one letter for two."""
_ENDS_OPTIONS = frozenset({"git", "rm", "cp", "mv", "chmod", "chown", "chgrp", "grep", "rmdir", "touch", "kubectl"})
"""Programs whose words after `--` are no options."""


_FILE = re.compile(
    r".*\.(?:env\b.*|lock|pem|key|crt|cer|p12|pfx|jks|snap|sql|db|sqlite3?|json|ya?ml|toml|ini|cfg|conf|xml|csv|txt|md|log"
    r"|py|[cm]?[jt]sx?|go|rs|rb|java|sh|html?|css|ipynb)\*?|.*\*\.\w+"
    r"|(?:id_\w+|\w*akefile|Dockerfile|Justfile|LICENSE|authorized_keys|known_hosts|kubeconfig)\*?|\.(?:envrc|npmrc|netrc|pypirc|gitconfig|\w*shrc|\w*profile)"
)
"""Names of files, which no folder has."""


_HOME = re.compile(r"^(?:~\w+|/root|/home/[^/]+)(?=/|$)")


_OF_GIT = frozenset({"--no-verify", "--no-gpg-sign", "--force-with-lease"})
"""Options of git that no other of the known programs has."""
_BELOW = re.compile(r" (?:/|~|\$\{?HOME\b)[^ *]*:\*\s*$")
"""How a rule ends that speaks of a path from the root or a home, and of all below it."""
_STARRED_OPTION = re.compile(r"\*?--?\w[\w-]*\*?")
_LEAVES = re.compile(r"(?:^|[/=:])\.\.(?:/|$)")
"""A part of a path that leads out of the folder before it."""


class Fit(IntEnum):
    """Whether a rule speaks of something."""

    NO = 0
    PERHAPS = 1
    CERTAIN = 2


@lru_cache(1000)
def _words_of(pattern: str) -> tuple[tuple[str, ...], bool, str]:
    """The words of a rule on commands, whether others may follow, and the program that they name."""
    text = re.sub("^docker-compose\\b", "docker compose", pattern.strip())
    text = re.sub(r"\$(?:HOME\b|\{HOME\})", "~", text)
    prefix = text.endswith((":*", " *"))
    words = tuple((text[:-2] if prefix else text).split())
    first = posixpath.basename(words[0]) or words[0] if words else ""
    return words, prefix, known.plain_name(first)


def program_of(pattern: str) -> str:
    """The program that a rule on commands names; empty where it names none."""
    return _words_of(pattern)[2]


def programs_of(pattern: str) -> tuple[str, ...]:
    """The program that a rule names, and the one that this runs by the rule's next word."""
    words, _, program = _words_of(pattern)
    return (program, program_of(words[1])) if len(words) > 1 and _is_runner_of(program, words[1]) else (program,)


@lru_cache(1000)
def wrapped_pattern(pattern: str) -> tuple[str, str]:
    """The wrapper that a rule names, and what the rule says of the program that this runs; empty if it names none."""
    words, _, program = _words_of(pattern)
    ahead = 2 if words[1:2] and words[1] in known.SUBCOMMAND_WRAPPERS.get(program, ()) else 1
    wraps = ahead == 2 or program in known.WRAPPERS or program in {"env", "xargs"}
    if not wraps or len(words) <= ahead or words[ahead][0] in "-*":
        return "", ""
    return program, pattern.strip().split(maxsplit=ahead)[ahead]


def _is_runner_of(program: str, word: str) -> bool:
    """Whether a program runs what the next word of a rule names, which may also be run without it."""
    is_script = program in {"python", "node", "ruby", "bash", "sh"} and re.search(r"\.\w+$", word) is not None
    return is_script or (program in {"npx", "bunx", "pnpx", "uvx", "php"} and word[:1].isalpha())


def _is_script(name: str, wanted: str) -> bool:
    """Whether a script, by its path from the workspace's root, is what a rule names by its path or its name alone."""
    return posixpath.normpath(wanted) == name if "/" in wanted else program_of(wanted) == program_run(name)


@lru_cache(10_000)
def program_run(name: str) -> str:
    """The program, by its name or a path."""
    return known.plain_name(posixpath.basename(name) or name)


def named_words(pattern: str) -> int:
    """How many words of a command a rule names."""
    return len(_words_of(pattern)[0])


def fits_exactly(pattern: str, ran: Ran) -> bool:
    """Whether a rule that allows names this very command: word by word, with nothing unknown in what it names.

    A program that is called by a path is another one than that of its name, but for those of the system.
    """
    pattern_words, prefix, program = _words_of(pattern)
    if not pattern_words:
        return prefix
    words = (ran.place, *ran.words[1:]) if ran.place else ran.words
    own = pattern_words[0] if ran.place or "*" in pattern_words[0] else program
    pattern_words = (own, *pattern_words[1:])
    more = prefix or (len(pattern_words) == 1 and own[-1:] == "*")
    if len(words) < len(pattern_words) or (len(words) > len(pattern_words) and not more):
        return False
    return all(
        not MARKS.search(word) and fnmatchcase(word, wanted) and not ("*" in wanted and _LEAVES.search(word))
        for word, wanted in zip(words, pattern_words, strict=False)
    )


def fits_run(pattern: str, ran: Ran) -> Fit:
    """Whether a rule that forbids speaks of a program that would be run, with whatever options."""
    found = _fits_words_run(pattern, ran.words)
    if found is Fit.NO and _BELOW.search(pattern):
        found = _fits_words_run(f"{pattern.rstrip()[:-2]}*", ran.words)
    return found if ran.certain else min(found, Fit.PERHAPS)


@lru_cache(20_000)
def _fits_words_run(pattern: str, words: tuple[str, ...]) -> Fit:  # noqa: C901 - one branch for each way to write a rule
    pattern_words, prefix, program = _words_of(pattern)
    if not pattern_words:
        return Fit.CERTAIN if prefix else Fit.NO
    script, words = words[0], (program_run(words[0]), *words[1:])
    if len(pattern_words) > 1 and _is_runner_of(program, pattern_words[1]) and _is_script(script, pattern_words[1]):
        return _fits_words_run(pattern.strip().partition(" ")[2].lstrip(), words)
    if pattern_words[0] == "*" and len(pattern_words) > 1:
        found = _fits_words_run(pattern.split("*", 1)[1], words)
        if found:
            return found
    if any("*" in each for each in pattern_words):  # as it is written, with any text for a star
        forms = (words, _from_subcommand(in_first_names(words)), _from_subcommand(one_form(words)))
        whole, *others = (" ".join(each).replace("=", " ") for each in forms)
        text, shape = _starred(" ".join((program, *pattern_words[1:])))
        others += [re.sub(r"(?<= )\./(?=\w)", "", each) for each in (whole, *others) if " ./" in each]
        others += [f"dd {each}".replace("=", " ") for each in words[1:] if words[0] == "dd"]
        if any(shape.fullmatch(each.replace(STAR, "*").replace(ONE, "?")) for each in (whole, *others)):
            return Fit.CERTAIN if not UNKNOWN.search(whole) else Fit.PERHAPS
        marks = (
            UNKNOWN if text[:1] == "*" and not MARKS.search(words[0]) else MARKS
        )  # names of files speak of no command
        if text[:1] == "*" and words[0] in known.SAYS_ONLY:
            return Fit.NO  # whatever its words be, it does nothing
        may_fit = marks.search(whole) and text != "*" and pattern_words[0] != "*" and len(whole) < LONGEST
        alone = re.fullmatch(r"\*\s*(--?\w[\w-]*)\*?", pattern.strip())
        if alone and (
            not any(MANY in word or (word[:1] == ANY and before[:1] != "-") for before, word in pairwise(words))
            or (alone[1] in _OF_GIT and words[0] != "git" and known.is_known(words[0]))
        ):
            may_fit = False  # no word that may be this option
        if may_fit and overlaps(whole, text, words=True):
            return Fit.PERHAPS
        loose = Fit.NO
        if pattern.rstrip()[-1:] == "*" and pattern.count("*") == 1 and not prefix:
            loose = _fits_words_run(f"{pattern.rstrip()[:-1]}:*", words)
        starred = [each for each in pattern_words[1:] if _STARRED_OPTION.fullmatch(each)]
        if starred and "*" not in (rest := " ".join(each for each in pattern_words if each not in starred)):
            sub = _from_subcommand(words)[1:2]
            fits = [_has_starred_option(words, sub, each) for each in starred]
            return max(loose, min(_fits_words_run(f"{rest}:*", words), *fits))
        if loose:
            return loose
        if alone and words[0] == "git":
            words = one_form(words)
            wanted = one_form(("git", *words[1:2], alone[1]))[-1]
            return _has_option(words, wanted)
    words = one_form(words)
    pattern_words = one_form((program, *pattern_words[1:]))
    found = _fits_word(pattern_words[0], words[0])
    if found is Fit.NO:
        return found
    options: list[str] = []
    plain: list[str] = []
    for before, wanted in pairwise(pattern_words):
        if before[:1] == "-" and takes_value(words, before) and wanted[:1] != "-":
            options.remove(before)
            pairs = [_fits_word(wanted, word) for option, word in pairwise(words) if option == before]
            found = min(found, max(pairs, default=Fit.NO))
        else:
            (options if wanted[:1] == "-" and wanted != "-" else plain).append(wanted)
    if plain:
        name = words[0]
        if name in known.VALUED:
            readings = [_positionals(words[1:], frozenset(known.VALUED[name].split()))]
        else:
            readings = [_positionals(words[1:], frozenset()), _positionals(words[1:], None)]
        if name in known.MANY_TARGETS:  # `make build deploy` makes both
            readings = [max((reading[at:] for at in range(len(reading))), default=reading,
                            key=lambda each: _fits_words(each, plain)) for reading in readings]  # fmt: skip
        if name == "git":  # `git push origin a b` pushes both
            readings = [max(([*reading[:2], ref] for ref in reading[2:]), default=reading,
                            key=lambda each: _fits_words(each, plain)) if reading[:1] == ["push"] else reading
                        for reading in readings]  # fmt: skip
        fits = [_fits_words(reading, plain, shortens=name in SHORTENS) for reading in readings]
        perhaps = any(fits) or _fits_without_values(words, plain)
        sure = len(set(fits)) == 1 and fits[0] is not Fit.NO
        found = min(found, fits[0] if sure else Fit.PERHAPS if perhaps else Fit.NO)
    for option in options:
        if found:
            found = min(found, _has_option(words, option))
    return found


def _has_starred_option(words: tuple[str, ...], sub: Sequence[str], option: str) -> Fit:
    """Whether a command has an option that a rule writes with stars around it, in any form."""
    plain = option.strip("*")
    short = one_form((words[0], *sub, plain))[-1]
    return max(_has_option(words, option.lstrip("*")), _has_option(one_form(words), short))


def _from_subcommand(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without the options before its subcommand: `git push` of `git -C . push`."""
    valued = known.VALUED.get(words[0])
    return words if valued is None else (words[0], *words[1 + first_plain(words[1:], valued.split()) :])


@lru_cache(1000)
def _starred(text: str) -> tuple[str, re.Pattern[str]]:
    """A rule with stars as a shape for `overlaps`, and as an expression: a star between spaces may be nothing, and
    words may follow.
    """
    plain = text.replace("=", " ")
    parts = [".*".join(map(re.escape, each.split("*"))) for each in plain.split(" * ")]
    whole = "(?: .*)? ".join(parts).removesuffix(r"\ .*")
    return re.sub(r" \* ", "*", plain).rstrip("*") + "*", re.compile(f"{whole}(?: .*)?", re.DOTALL)


def _positionals(words: Sequence[str], valued: frozenset[str] | None) -> list[str]:
    """The words that are no options; those options that take a value lose it (None: each of them does)."""
    found = []
    at = 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-") or word == "-":
            found.append(word)
        elif word != "--" and "=" not in word and (valued is None or word in valued):
            at += valued is not None or words[at + 1 : at + 2] == ["-"] or "".join(words[at + 1 : at + 2])[:1] != "-"
        at += 1
    return found


def _fits_without_values(words: Sequence[str], plain: Sequence[str]) -> bool:
    """Whether words begin so if what follows some options is their value: which take one is not known."""
    reached, before, valued = {0}, "", known.VALUED.get(words[0], "").split()
    for word in words[1:]:
        if word[:1] != "-" and before not in valued:
            may_be_value = before[:1] == "-" and "=" not in before and before[:5] != "--no-"
            fitting = {at + 1 for at in reached if at < len(plain) and _fits_word(plain[at], word)}
            reached = fitting | (reached if may_be_value else set())
        before = word
        if len(plain) in reached or not reached:
            break
    return len(plain) in reached


def _fits_words(words: Sequence[str], plain: Sequence[str], *, shortens: bool = False) -> Fit:
    found = Fit.CERTAIN
    for at, wanted in enumerate(plain):
        if at >= len(words):
            return Fit.NO
        if MANY in words[at]:
            whole = words[at] == MANY or _fits_word(wanted, words[at])
            return Fit.PERHAPS if whole else Fit.NO
        word = words[at]
        if not at and shortens and len(word) > 1 and wanted.startswith(word) and word != wanted:
            found = min(found, Fit.PERHAPS)
            continue
        found = min(found, _fits_word(wanted, word))
        if found is Fit.NO:
            return found
    return found


def _has_option(words: Sequence[str], option: str) -> Fit:
    glued, name = option.endswith("*"), option.rstrip("*").partition("=")[0]
    option, plain = option.rstrip("*"), name.lstrip("-")
    recursive = words[0] in {"rm", "cp", "chmod", "chown", "chgrp"}
    letters = set(option[1:].replace("R", "r") if recursive else option[1:])
    is_long = option.startswith("--")
    if words[0] == "git" and name in {"--force", "-f"} and any(word.startswith("+") for word in words):
        return Fit.CERTAIN
    if option == "--":
        return Fit.CERTAIN if "--" in words else Fit.NO
    given: set[str] = set()
    for word in words[1 : words.index("--") if "--" in words and words[0] in _ENDS_OPTIONS else None]:
        said = word.partition("=")[0]
        if word == option or (word[:1] == "-" and len(plain) > 3 and said.lstrip("-") == plain):
            return Fit.CERTAIN
        if is_long and len(said) > 4 and name.startswith(said):
            return Fit.CERTAIN
        if re.match(r"-[A-Za-z]", word):
            given |= set(word[1:].replace("R", "r") if recursive else word[1:])
    if tuple(words[:2]) == ("git", "branch"):
        given |= {each for word in words for each in (_BOTH.get(word[2:], "") if word[:2] == "--" else "")}
        given |= {each for letter in given for each in _BOTH.get(letter, "")}
        given |= {letter for letter in "DMC" if given >= set(_BOTH[letter])}
    if not is_long and letters <= given:
        return Fit.CERTAIN
    if len(plain) > 3 and any(word.startswith(f"--{plain}-") for word in words):
        return Fit.CERTAIN if glued else Fit.PERHAPS
    if name == "-f" and words[0] == "git" and any(word.startswith("--force-") for word in words):
        return Fit.CERTAIN if glued else Fit.PERHAPS
    unknown = [word for word in words[1:] if MANY in word or (word.startswith(ANY) and "/" not in word)]
    # one word cannot be both the option and what `rm` and the like need besides
    needs_another = (
        recursive and unknown == [word for word in words[1:] if word[:1] != "-"] and MANY not in str(unknown)
    )
    return Fit.PERHAPS if unknown and not (needs_another and len(unknown) == 1) else Fit.NO


def _fits_word(wanted: str, word: str) -> Fit:
    if not MARKS.search(word):
        same = word == wanted or (
            ("/" in wanted or wanted in {".", ".."} or "/" in word)
            and "//" not in wanted
            and _plain_path(word) == _plain_path(wanted)
        )
        return Fit.CERTAIN if same or ("*" in wanted and fnmatchcase(word, wanted)) else Fit.NO
    return Fit.PERHAPS if overlaps(word, wanted) else Fit.NO


def _plain_path(word: str) -> str:
    """A path as it is shortest: `//` is `/`, `./x/` is `x`."""
    return re.sub("^//", "/", posixpath.normpath(word))


@lru_cache(1000)
def _path_pattern(pattern: str) -> tuple[str, bool, str]:
    """A rule on paths as it is compared, whether it names a place in the tree, not a name at any depth, and its begin
    up to the first wildcard.
    """
    text = pattern.strip()
    if text.startswith(("//", "~/")):
        text, anchored = posixpath.normpath(text[1:]) if text[0] == "/" else text, True
    else:
        anchored = "/" in text.strip("/") or text.startswith("/")
        text = text.removeprefix("./").lstrip("/").rstrip("/")
        while text.startswith("**/"):
            text = text[3:]
            anchored = "/" in text
    text = text or "*"
    return text, anchored, re.split(r"[*?\[]", text)[0]


@lru_cache(1000)
def first_folder(pattern: str) -> str:
    """The folder of the workspace in which all lies that a rule on paths speaks of; empty if there is none."""
    if pattern.lstrip().startswith(("**/", "$")) or "{" in pattern:
        return ""
    text, anchored, begin = _path_pattern(pattern)
    return (
        begin.partition("/")[0] if anchored and ("/" in begin or begin == text) and begin[:1] not in {"/", "~"} else ""
    )


def first_folders(paths: Iterable[Touched]) -> frozenset[str] | None:
    """The folders of the workspace in which these files lie; None if one may lie in any."""
    found = {each.path.partition("/")[0] for each in paths}
    return None if found & {"", ".", "..", "~"} or any(map(MARKS.search, found)) else frozenset(found)


@lru_cache(1000)
def _forms_of_path(pattern: str) -> tuple[str, ...]:
    """A rule on paths without braces, and without `**` in the middle, where that stands for no folder."""
    forms = [re.sub(r"^\$(?:HOME\b|\{HOME\})", "~", pattern.strip())]
    while len(forms) < 50 and any(found := [re.search(r"\{([^{}]*)\}", each) for each in forms]):
        pairs = zip(forms, found, strict=True)
        forms = [
            each.replace(part[0], one, 1) if part else each
            for each, part in pairs
            for one in (part[1].split(",") if part else [""])
        ]
    for _ in range(3):
        parts = ((each, part) for each in forms for part in re.finditer(r"(?<=[^*])/\*\*/", each))
        forms = list(
            dict.fromkeys(
                [*forms, *(f"{each[: part.start()]}/{each[part.end() :]}" for each, part in islice(parts, 50))]
            )
        )
    return tuple(forms[:100])


@lru_cache(1000)
def _of_folders(text: str) -> re.Pattern[str]:
    """A rule on paths as an expression, in which one star stays in its folder."""
    parts = re.split(r"(\*\*+|\*|\?|\[[^\]/]+\])", text)
    known = {"*": "[^/]*", "?": "[^/]"}
    shapes = [known.get(each, ".*" if each[:2] == "**" else each.replace("[!", "[^") if at % 2 else re.escape(each))
              for at, each in enumerate(parts)]  # fmt: skip
    return re.compile("".join(shapes), re.DOTALL)


@lru_cache(20_000)
def fits_path(pattern: str, touched: Touched) -> Fit:
    """Whether a rule on paths speaks of a file, or of one below it where all of them are meant."""
    return max(_fits_one_form(each, touched) for each in _forms_of_path(pattern))


def _fits_one_form(pattern: str, touched: Touched) -> Fit:
    text, anchored, begin = _path_pattern(pattern)
    path = _HOME.sub("~", touched.path) if text[:1] == "~" else touched.path
    if not (anchored and pattern.lstrip().startswith("**/")):
        return _fits_from_here(text, begin if anchored else "", path, touched, anchored=anchored)
    parts, wanted = path.split("/")[-20:], text.split("/")  # each end of the path may be what the rule speaks of
    found = Fit.PERHAPS if touched.tree and not (touched.guess or touched.fresh or path[:1] in {"/", "~"}) else Fit.NO
    for at, part in enumerate(parts):
        if (overlaps(part, wanted[0]) or wanted[0] == "**") and (touched.tree or len(parts) - at >= len(wanted)):
            end = "/".join(parts[at:])
            found = max(found, _fits_from_here(text, begin, end, touched, anchored=True))
    return found


def _fits_from_here(text: str, fixed: str, path: str, touched: Touched, *, anchored: bool) -> Fit:
    most = Fit.CERTAIN if touched.certain else Fit.PERHAPS
    if MARKS.search(path):
        return min(most, _fits_marked(text, path, anchored=anchored))
    if text.startswith(("/", "~")) != path.startswith(("/", "~")) and anchored:
        inside = Fit.NO
    elif anchored:
        inside = most if any(map(_of_folders(text).fullmatch, _ancestors(path))) else Fit.NO
    else:
        inside = most if any(fnmatchcase(part, text) for part in path.split("/")) else Fit.NO
    if not inside and anchored and fixed.rstrip("/") == path and (touched.tree or not touched.certain):
        return most
    if inside or not touched.tree:
        return inside
    below = (
        (not anchored and not touched.guess and not touched.fresh)
        or (path in {".", "/"} and (anchored or not touched.fresh))
        or fixed.startswith(f"{path}/")
        or path.startswith("..")
    )
    outside = path.startswith(("/", "~")) and path != "/" and not fixed.startswith(path)
    return Fit.PERHAPS if below and not outside else Fit.NO


def _fits_marked(text: str, path: str, *, anchored: bool) -> Fit:
    if "/" not in path and not UNKNOWN.search(path) and not may_be_folder(path) and anchored and "/" in text:
        return Fit.NO  # a file of the root
    computed = ANY in path or MANY in path or (NUMBER in path and not text.endswith("*"))
    if anchored:
        if text[:1] in {"/", "~"} and path[:1] in {STAR, ONE, NUMBER}:
            return Fit.NO  # what a glob begins stays in its folder
        name, last = posixpath.basename(text), posixpath.basename(path)
        if name[:1] == "." and last[:1] in {STAR, ONE}:
            return Fit.NO  # globs leave hidden files out
        forms = [text] if _FILE.fullmatch(name) else [text, f"{text.rstrip('*').rstrip('/')}/*"]
        # What is computed before a slash may be the workspace.
        inside = path[1:2] == "/" and path[:1] in {ANY, MANY} and text[:1] not in {"/", "~"}
        if not any(overlaps(place, form) for place in (path, path[2:] if inside else path) for form in forms):
            return Fit.NO
        fixed = re.split(r"[*?\[]", text)[0]
        sure = bool(fixed) and MARKS.split(path)[0].startswith(fixed) and _stands_for(path, text)
        computed &= not (sure and text == f"{fixed}**")  # all that is there
    else:
        parts = path.split("/")
        hidden = text.startswith(".")
        fitting = [
            part
            for at, part in enumerate(parts, 1)
            if overlaps(part, text)
            and not (hidden and part[:1] in {STAR, ONE})
            and not (part in {STAR, ANY} and at < len(parts) and _FILE.fullmatch(text))
        ]
        if not fitting:
            return Fit.NO
        known = [part for part in fitting if not {ANY, MANY, NUMBER} & set(part)]
        # A glob that begins with letters of a name, such as `.e*`, means it; `*.py` may well mean other files.
        begun = "*" not in text and any(len(MARKS.split(part)[0]) >= 2 for part in known)
        sure = begun or any(_stands_for(part, text) for part in known)
        computed &= not sure
    return Fit.CERTAIN if sure and not computed else Fit.PERHAPS


def _stands_for(glob: str, pattern: str) -> bool:
    """Whether what fits a glob fits a pattern, too, whatever its wildcards stand for."""
    return fnmatchcase(MARKS.sub("x", glob), pattern) or fnmatchcase(MARKS.sub("", glob), pattern)


@lru_cache(1000)
def _ancestors(path: str) -> tuple[str, ...]:
    found = [path]
    while "/" in path.strip("/"):
        path = posixpath.dirname(path)
        found.append(path)
    return tuple(found)
