"""Interpreters, and programs that move files: each followed by its words and its input."""

import posixpath
import re
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import pairwise

from honestly.permissions import _programs as known
from honestly.permissions._builtins import change_folder
from honestly.permissions._effects import Ran, Touched
from honestly.permissions._reading import Handler, Reading
from honestly.permissions._words import (
    ANY,
    MANY,
    MARKS,
    NUMBER,
    UNKNOWN,
    attached_value,
    first_plain,
    has_flag,
    may_be_folder,
    options_apart,
    patched_paths,
    path_words,
    positionals,
    quoted,
    unclustered,
    without_excluded,
    without_plain_values,
)


def _python(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    if argv[0] == "coverage" and argv[1:2] != ["run"]:
        return reading.files_of(argv, stdin)
    at = 1 + (argv[0] == "coverage")
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        word = argv[at]
        if found := re.fullmatch(r"-[bBdEiIOPqRsSuvx]*([cm])(.*)", word, re.DOTALL):
            rest = list(argv[at + 1 :])
            value = found[2] or (rest.pop(0) if rest else "")
            if found[1] == "c":
                reading.code(value, "python", rest)
            elif UNKNOWN.search(value):
                reading.doubt("the name of a module is computed")
            elif value:
                reading.as_script(f"{value.replace('.', '/')}.py", rest)
                reading.follow_program([value, *rest], stdin)
            for each in rest if value == "timeit" else ():
                reading.code(each, "python")
            return MANY
        at += 2 if word in _OF_PYTHON else 1
    return _script_file(reading, argv[at:], stdin, "python")


_OF_PYTHON_TEXT = """-W -X --check-hash-based-pycs --source --include --omit --rcfile --data-file --context --listen
--concurrency"""
_OF_PYTHON = frozenset(_OF_PYTHON_TEXT.split())
"""Options with a value of Python, and of the programs that run a script of Python as it does."""


def _script_file(reading: Reading, words: Sequence[str], stdin: str, language: str) -> str:
    """Follows a script in a file or from the input; the words after it are its own."""
    if not words or words[0] in {"-", "/dev/stdin"}:
        if stdin not in {"", MANY}:
            reading.code(stdin, language, words[1:])
        elif stdin == MANY:
            reading.doubt(f"{language} code from elsewhere is run")
        return MANY
    reading.reads(words[0])
    reading.as_script(words[0], words[1:])
    if UNKNOWN.search(words[0]):
        reading.doubt("the name of a script is computed")
    path = reading.path(words[0])
    if reading.text_at(path) is not None:
        with reading.text_in(path) as text:
            reading.code(text, language, words[1:])
    else:
        reading.note_made(path)
    with reading.uncertain():
        for each in path_words(words[1:]):
            reading.reads(each)
            reading.writes(each, guess=True)
    return MANY


_LANGUAGES = {
    "perl": "-e -E", "ruby": "-e", "node": "-e --eval -p --print", "php": "-r", "lua": "-e", "Rscript": "-e", "R": "-e",
    "tclsh": "-c", "expect": "-c", "julia": "-e --eval", "bun": "-e --eval", "deno": "eval",
    **dict.fromkeys(("elixir", "groovy", "scala", "ghc", "guile", "octave", "gnuplot", "osascript"), "-e -c --eval"),
}  # fmt: skip


_VALUED = {"php": ("-d", "-c", "-z"), "node": ("-r", "--require", "--import", "-C"), "ruby": ("-I", "-r", "-C")}
"""Options whose value is no script."""


def _language(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    name = argv[0]
    words = without_plain_values(argv[1:])
    options = _LANGUAGES[name].split()
    codes: list[str] = []
    plain: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        clustered = name in {"perl", "ruby"} and re.fullmatch(r"-[a-zA-Z0-9]*?[eE](.*)", word, re.DOTALL)
        if word in options or clustered:
            attached = clustered[1] if clustered else ""
            codes.append(attached or (words[at + 1] if at + 1 < len(words) else ""))
            at += not attached
        elif not word.startswith("-") or word == "-":
            plain.append(word)
        else:
            with reading.uncertain():
                reading.reads(attached_value(word))
        at += 1
        at += word in _VALUED.get(name, ())
    for text in codes:
        reading.code(text, name)
    if not codes:
        return _script_file(reading, plain, stdin, name)
    for each in plain:
        reading.reads(each)
        if name in {"perl", "ruby"} and has_flag(words, "i"):
            reading.writes(each)
    return MANY


def _awk(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    plain: list[str] = []
    at, from_file = 1, False
    while at < len(argv):
        word = argv[at]
        if word in {"-F", "-v", "--assign", "--field-separator"}:
            at += 1
        elif found := re.fullmatch(r"(?:-[fE]|--(?:file|exec)(?:=|$)|(-e|--source(?:=|$)))(.*)", word, re.DOTALL):
            value = found[2] or "".join(argv[at + 1 : at + 2])
            at += not found[2]
            from_file = True
            if found[1] is None:
                reading.reads(value)
                value = stdin if value == "-" else reading.text_at(reading.path(value)) or ""
            reading.code(value, "awk")
        elif not word.startswith("-"):
            plain.append(word)
        elif word.startswith("-i"):
            reading.found.writes.append(Touched(ANY, certain=False))
        at += 1
    if plain and not from_file:
        reading.code(plain.pop(0), "awk")
    for each in plain:
        if not re.fullmatch(r"[A-Za-z_]\w*=.*", each):
            reading.reads(each)
    return MANY


def _sed_pattern(mark: str) -> str:
    """A regular expression as sed reads it, up to its mark; in brackets that is plain."""
    return rf"(?:\\.|\[\^?\]?(?:\[:\w+:\]|[^\]\n])*+\]|(?!{mark})[^\\\n])*+{mark}"


def _sed_address(name: str) -> str:
    return (
        rf"(?:[\d~+{ANY}{MANY}]+|\$|/{_sed_pattern('/')}[IM]*|\\(?P<{name}>[^\\\n]){_sed_pattern(f'(?P={name})')}[IM]*)"
    )


_SED = re.compile(
    rf"[\s;]*(?:{_sed_address('one')}\s*(?:,\s*{_sed_address('two')})?)?[\s!]*(?:[=dDgGhHnNpPxzF{{}}]|[qQlL]\s*\d*"
    r"|[btT:v][^;\n}]*|#[^\n]*|[aic](?:[^\\\n]|\\.)*|[rR](?P<read>[^\n]*)|[wW](?P<write>[^\n]*)|e(?P<run>[^\n]*)"
    rf"|[sy](?P<mark>[^\\\n]){_sed_pattern('(?P=mark)')}(?:\\.|(?!(?P=mark))[^\\])*+(?P=mark)"
    r"(?:(?P<evaluates>e)|[gpiImM0-9])*(?:w(?P<into>[^\n]*))?)",
    re.DOTALL,
)
"""One command of sed."""


def _sed(reading: Reading, argv: Sequence[str], stdin: str) -> str:  # noqa: C901 - one branch for each kind
    words = list(argv[1:])
    scripts: list[str] = []
    plain: list[str] = []
    in_place = False
    while words:
        word = words.pop(0)
        found = re.fullmatch(r"(?:-[nErszu]*([efl])|--(e)xpression=|--(f)ile=)(.*)", word, re.DOTALL)
        if word in {"--expression", "--file"} or found:
            kind = next(each for each in found.groups() if each) if found else word[2]
            value = (found[4] if found else "") or (words.pop(0) if words else "")
            if kind == "f":
                reading.reads(value)
                value = stdin if value in {"-", "/dev/stdin"} else reading.text_at(reading.path(value)) or ""
            scripts += [value] if kind != "l" else []
        elif word.startswith("--in-place") or re.match(r"-[nErszu]*i", word):
            in_place = True
        elif not word.startswith("-") or word == "-":
            plain.append(word)
    if not scripts and plain:
        scripts.append(plain.pop(0))
    text, at = "\n".join(scripts).replace(NUMBER, "1") + "\n", 0
    while text[at:].strip("; \t\n"):
        found = _SED.match(text, at)
        if found is None:
            reading.doubt("a sed script is not read" if not UNKNOWN.search(text) else "a sed script is computed")
            break
        at = found.end()
        if found["evaluates"] or found["run"] == "":
            reading.doubt("sed runs what it reads")
        with reading.uncertain():
            reading.reads((found["read"] or "").strip())
            if "\\" in (found["run"] or ""):
                reading.doubt("sed takes the backslashes away from what it runs")
            if found["run"]:
                reading.script(found["run"])
            for into in (found["write"], found["into"]):
                if into:
                    reading.writes(into.strip())
                    reading.drafts[reading.path(into.strip())] = stdin
    for each in plain:
        reading.reads(each)
        if in_place:
            reading.writes(each)
    return MANY


def _follow_copy(reading: Reading, argv: Sequence[str], stdin: str) -> str:  # noqa: C901 - one branch for each option
    """`cp`, `mv`, `install`, `ln`, `rsync`, `scp`: all but the last is read, or moved; the last is written."""
    name, words = argv[0], without_excluded(argv[1:])
    target = ""
    plain: list[str] = []
    at = 0
    valued = {"-t", "--target-directory", "-m", "-o", "-g", "-S", "--mode", "--owner", "--group", "--suffix", "-e"}
    while at < len(words):
        word = words[at]
        if word in valued and not (name in {"cp", "rsync", "ln"} and word in {"-o", "-g", "-m"}):
            target = words[at + 1] if word in {"-t", "--target-directory"} and at + 1 < len(words) else target
            at += 1
        elif word.startswith("--target-directory="):
            target = word.partition("=")[2]
        elif (
            name in {"cp", "mv", "ln", "install"}
            and re.fullmatch(r"-[a-zA-Z]*t\S+", word)
            and not word.startswith("--")
        ):
            target = word.partition("t")[2]
        elif not word.startswith("-"):
            plain.append(word)
        at += 1
    sources, last = (plain, target) if target else (plain[:-1], plain[-1] if plain else "")
    if name == "install" and has_flag(words, "d", "--directory"):
        sources, last = [], ""
        for each in plain:
            reading.writes(each)
    if not sources and last and name == "ln":
        sources, last = [last], posixpath.basename(last)
    deep = name in {"mv", "rsync", "ln"} or has_flag(words, "rRa", "--recursive", "--archive")
    for each in sources:
        reading.reads(each, tree=deep and may_be_folder(each))
        if name == "mv" or "--remove-source-files" in words:
            reading.writes(each, tree=may_be_folder(each))
        inside = posixpath.join(last, posixpath.basename(each.rstrip("/")))
        if target or last.endswith("/") or len(sources) > 1 or posixpath.basename(last) in {"", ".", ".."}:
            reading.writes(inside, tree=deep)
        elif may_be_folder(last) and posixpath.basename(last) != posixpath.basename(each):
            with reading.uncertain():
                reading.writes(inside, tree=deep)
    if last and sources:
        if not target and not last.endswith("/"):
            reading.writes(last)
        if len(sources) == 1:
            for place in (last, posixpath.join(last, posixpath.basename(sources[0]))):
                reading.links[reading.path(place)] = posixpath.basename(sources[0])
        if len(sources) == 1 and (text := reading.text_at(reading.path(sources[0]))) is not None:
            reading.write_text(reading.path(last), text)
    return ""


def _dd(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    for word in argv[1:]:
        key, _, value = word.partition("=")
        if key == "if":
            reading.reads(value)
        elif key == "of":
            reading.writes(value)
            reading.drafts[reading.path(value)] = stdin
    return MANY


def _tee(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    for name in positionals(argv[1:]):
        reading.writes(name)
        reading.write_text(reading.path(name), stdin, adds=has_flag(argv[1:], "a", "--append"))
    return stdin


def _sort(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = unclustered(argv[1:], "oktST")
    for at, word in enumerate(words):
        if word in {"-o", "--output"} and at + 1 < len(words):
            reading.writes(words[at + 1])
            reading.drafts[reading.path(words[at + 1])] = stdin
        elif word.startswith(("-o", "--output=")):
            reading.writes(word.partition("=")[2] or word[2:])
    return reading.files_of(argv, stdin)


_DOWNLOADED = "-o --output -D --dump-header -c --cookie-jar", "-O --output-document -o -a -P --directory-prefix"
_UPLOADED_TEXT = """-K --config -T --upload-file -b -E --cert --cacert --key -i --input-file --post-file --netrc-file
--proxy-cert --proxy-key --ca-certificate --certificate --private-key --body-file --load-cookies"""
_UPLOADED = frozenset(_UPLOADED_TEXT.split())
"""Options of curl and wget that name what they write, and what they read."""


def _download(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    curl = argv[0] == "curl"
    words = options_apart(argv[1:], "oDcKTbEdFHuxAeXmw" if curl else "OoaPiUtTQ")
    outputs = _DOWNLOADED[not curl].split()
    for at, word in enumerate(words):
        follows = words[at + 1] if at + 1 < len(words) else ""
        if word in outputs:
            reading.writes(follows, tree=word in {"-P", "--directory-prefix"})
        elif word in _UPLOADED:
            reading.reads(follows)
        elif found := re.search(r"(?:^|[=<])@([^;]+)", word):
            reading.reads(found[1])
        elif word.startswith("file://"):
            reading.reads(word)
    own_name = not curl and not {"-O", "--output-document", "--spider", "-i", "--input-file"} & {*words}
    if own_name or (curl and any(re.match(r"-[a-zA-Z]*[OJ]|--remote-name", word) for word in words)):
        folder = next((follows for word, follows in pairwise(words) if word in {"-P", "--directory-prefix"}), "")
        for word in words:
            if found := re.match(r"(?:\w+://)?[^/\s]+/(?:[^?#]*/)?([^?#/]*)", word) if word[:1] != "-" else None:
                reading.writes(posixpath.join(folder, found[1] or ("index.html" if not curl else ANY)))
    return MANY


def _patch(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    plain = [word for at, word in enumerate(argv[1:], 1) if word[:1] != "-" and argv[at - 1] not in {"-i", "-d", "-o"}]
    if plain:
        reading.writes(plain[0])
    elif "--dry-run" not in argv:
        _patched(reading, stdin)
    return MANY


def _patched(reading: Reading, text: str) -> None:
    """What a patch changes; anything, where its text is not known."""
    paths = patched_paths(text) if MANY not in text else []
    with nullcontext() if paths else reading.uncertain():
        for each in paths or ["."]:
            reading.writes(each, tree=not paths)


def _apply_patch(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """The program of Codex: the patch is its word, or its input."""
    paths = patched_paths("\n".join([*argv[1:], stdin]))
    for each in paths or [ANY]:
        reading.writes(each)
    return MANY


_TAR_VALUES = "fCTXbgHIKLNV"


def _tar(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """What is packed is named from the folder of the last -C before it."""
    words = without_excluded(argv[1:])
    if words and re.fullmatch("[a-zA-Z]+", words[0]):  # the values of these letters follow in their order
        letters, rest = words[0], words[1:]
        words = [
            part for each in letters for part in (f"-{each}", *([rest.pop(0)] if each in _TAR_VALUES and rest else []))
        ] + rest
    words = options_apart(words, _TAR_VALUES)
    flags = {*"".join(each[1:] for each in words if re.fullmatch("-[a-zA-Z]+", each))}
    given, packed, place, at = "", list[str](), "", 0
    while at < len(words):
        word, follows = words[at], words[at + 1] if at + 1 < len(words) else ""
        valued = (len(word) == 2 and word[1] in _TAR_VALUES) or word in {"--file", "--directory", "--files-from"}
        at += 2 if valued else 1
        if word in {"-f", "--file"}:
            given = follows
        elif word in {"-C", "--directory"}:
            place = posixpath.join(place, follows)
        elif word[:1] != "-":
            packed.append(posixpath.join(place, word))
    if "x" in flags or {"--extract", "--get"} & {*words}:
        reading.reads(given)
        reading.writes(ANY if "P" in flags else place or ".", tree=True)
    elif "t" in flags or "--list" in words:
        reading.reads(given)
    else:
        reading.writes(given)
        for each in packed:
            reading.reads(each, tree=True)
    return MANY


_GIT_RUNS = re.compile(
    r"(?i)pager|editor|command|external|program|helper|cmd|askpass|textconv|clean|smudge|process|fsmonitor|driver|gitproxy|pack$"
)
"""Settings of git whose value it runs."""


def _git_setting(reading: Reading, key: str, value: str) -> None:
    """What git may do by one setting."""
    if _GIT_RUNS.search(key) and value not in {"", "cat", "less", "true", "false"}:
        reading.script(value.removeprefix("!"))
    elif key.lower() in {"core.hookspath", "include.path"}:
        reading.variables[key] = [value]  # files may be put there later
        for path, text in list(reading.files.items()):
            if path.startswith(reading.path(value)):
                reading.text_of(path, text, "git")
    elif value and not re.fullmatch(r"(?i)true|false|\d+|[\w.@-]+", value):
        reading.maybe_script(re.sub("^(?:!|ext::)", "", value))


_ONLY_NAMES = frozenset(
    "--stat --numstat --shortstat --dirstat --name-only --name-status --summary --quiet -s --no-patch".split()  # noqa: SIM905
)
"""By these git shows which files changed, and not what is in them."""


_GIT_MAKES = {"clone": 1, "init": 0, "worktree": 1, "submodule": 2, "archive": 9, "subtree": 9}
"""Subcommands that make a folder, and which of their words names it."""


def _git(reading: Reading, argv: Sequence[str], stdin: str) -> str:  # noqa: C901 - one branch for each kind
    valued = known.VALUED["git"].split()
    before = list(reading.places)
    at = 1
    aliases: dict[str, str] = {}
    while at < len(argv) and argv[at].startswith("-"):
        word = argv[at]
        if word in valued and at + 1 < len(argv):
            value = argv[at + 1]
            if word == "-C":
                change_folder(reading, ["cd", value], stdin)
            elif word in {"-c", "--config-env"}:
                key, _, setting = value.partition("=")
                if key.lower().startswith("alias."):
                    aliases[key[6:].lower()] = setting
                else:
                    _git_setting(reading, key, setting)
            at += 1
        at += 1
    for value in reading.variables.get("core.hooksPath", []):
        _git_setting(reading, "core.hooksPath", value)
    sub, rest = (argv[at], list(argv[at + 1 :])) if at < len(argv) else ("", [])
    if sub.lower() in aliases:
        text = aliases[sub.lower()]
        text = text.removeprefix("!") if text.startswith("!") else f"git {text}"
        return reading.script(" ".join([text, *map(quoted, rest)]))
    if sub and not MARKS.search(sub) and sub not in known.GIT:
        reading.doubt(f"git {sub[:30]} may be an alias, whose meaning lies in a file")
    if UNKNOWN.search(sub):
        reading.doubt("the subcommand of git is computed")
    plain = positionals(rest)
    tail = rest[rest.index("--") + 1 :] if "--" in rest else []
    follows = {word: rest[n + 1] for n, word in enumerate(rest[:-1])}
    for each in rest:
        if each.startswith("ext::"):  # the address is a command
            with reading.uncertain():
                reading.script(each[5:])
    if (sub == "subtree" and plain[:1] == ["push"]) or sub == "send-pack":
        reading.found.runs.append(Ran(("git", "push", *plain[1:]), reading.certain))
    if sub == "clone" and "-u" in follows:
        reading.script(follows["-u"])
    for option in ("-x", "--exec", "--tree-filter", "--index-filter", "--msg-filter", "--extcmd"):
        if sub in {"rebase", "filter-branch", "difftool"} and option in follows:
            reading.script(follows[option])
    if sub == "config":
        for option, value in pairwise(options_apart(rest, "f")):
            if option in {"-f", "--file"}:
                reading.reads(value)
                reading.found.writes += reading.touched(value) if len(plain) > 1 + (value in plain) else []
    if sub == "config" and len(plain) > 1:
        _git_setting(reading, plain[-2], plain[-1])
    if sub == "bisect" and plain[:1] == ["run"]:
        reading.follow_program(rest[rest.index("run") + 1 :] or ["true"])
    if sub == "submodule" and plain[:1] == ["foreach"]:
        command = [word for word in rest[rest.index("foreach") + 1 :] if word != "--recursive"]
        if command:
            reading.script(" ".join(command) if len(command) == 1 else " ".join(map(quoted, command)))
    if sub in {"show", "cat-file", "archive", "diff", "blame", "annotate", "hash-object"} or (
        sub == "log" and has_flag(rest, "pLu")
    ):
        names_only = _ONLY_NAMES & set(rest) and not {"-p", "-u", "--patch"} & set(rest)
        for each in plain if not names_only else ():
            path = each.partition(":")[2] or each
            reading.reads(path, tree=may_be_folder(path), guess="--no-index" not in rest)
    elif (sub == "stash" and (plain[:1] in (["push"], ["show"]) or tail)) or (
        sub == "add" and has_flag(rest, "f", "--force")
    ):
        for each in tail or plain[sub == "stash" :]:
            reading.reads(each, tree=sub == "add" and may_be_folder(each))
            if sub == "stash" and plain[:1] != ["show"]:
                reading.writes(each)
    elif sub == "grep":
        for each in tail or ["."]:
            reading.reads(each, tree=True)
    elif (
        sub == "mv"
        or (sub == "restore" and not ("--staged" in rest and "--worktree" not in rest))
        or (sub == "rm" and "--cached" not in rest)
        or (sub == "checkout" and "-b" not in rest)
    ):
        for each in tail or plain:  # without `--` a word of `checkout` may be a branch
            reading.writes(each, tree=may_be_folder(each), guess=sub == "checkout" and not tail and len(plain) == 1)
    elif sub in _GIT_MAKES and plain[:1] != ["foreach"]:
        target = plain[_GIT_MAKES[sub] :][:1]
        if sub == "clone" and plain and not target:
            target = [posixpath.basename(re.sub(r"(?:/?\.git)?/?$", "", plain[0].replace(":", "/")))]
        for each in target:
            reading.writes(each, tree=True, fresh=True)
    elif (sub == "clean" and not has_flag(rest, "n", "--dry-run")) or (sub == "reset" and "--hard" in rest):
        reading.writes(".", tree=True)
    elif sub in {"apply", "am"} or (sub == "stash" and plain[:1] in (["pop"], ["apply"])):
        _patched(reading, stdin)
    if sub in {"diff", "log", "show", "format-patch", "archive"}:
        for word in rest:
            if word.startswith("--output="):
                reading.writes(word[9:])
        if "-o" in follows:
            reading.writes(follows["-o"])
    reading.places = before
    return MANY


def _remote(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """`ssh`: what it runs lies elsewhere, and is run all the same."""
    argv, at = ["ssh", *unclustered(argv[1:], "bcDEeFIiJLlmOopQRSWw")], 1
    while at < len(argv) and argv[at].startswith("-"):
        if re.fullmatch(r"-[FEi]", argv[at]):
            with reading.uncertain():
                reading.reads("".join(argv[at + 1 : at + 2]))
        at += 2 if re.fullmatch(r"-[bcDEeFIiJLlmOopQRSWw]", argv[at]) else 1
    if at < len(argv):
        reading.found.hosts.append(argv[at].rpartition("@")[2].lower())
    if at + 1 < len(argv):
        reading.script(" ".join(argv[at + 1 :]), stdin=stdin)
    elif stdin not in {"", MANY}:
        reading.script(stdin)
    return MANY


_BOX_FLAGS_TEXT = """--rm -d --detach -i --interactive -t --tty --init --privileged --read-only -P --publish-all
--no-deps -T --no-TTY --quiet-pull --service-ports --use-aliases --build -q --quiet -it -ti -dit -itd"""
_BOX_VALUED_TEXT = """-v --volume -e --env --env-file -p --publish -u --user -w --workdir -h --hostname -m --memory -l
--label --name --network --net --entrypoint --mount --platform --gpus --cpus --add-host --restart --pull --shm-size
--ulimit --cap-add --cap-drop --security-opt --device --dns --tmpfs --expose --index"""
_BOX_FLAGS, _BOX_VALUED = frozenset(_BOX_FLAGS_TEXT.split()), frozenset(_BOX_VALUED_TEXT.split())
"""Options of `docker run` and `exec`, without and with a value."""


def _in_container(reading: Reading, argv: Sequence[str], at: int, stdin: str) -> None:
    """Follows what is run in a container, and the image's own program, whose name is often that of the image."""
    at += 1
    while at < len(argv) and argv[at][:1] == "-":
        name = argv[at].partition("=")[0]
        if name not in _BOX_FLAGS and name not in _BOX_VALUED:
            return
        at += 2 if name in _BOX_VALUED and "=" not in argv[at] else 1
    found, image, words = reading.found, "".join(argv[at : at + 1]), argv[at + 1 :]
    before = len(found.reads), len(found.writes)
    program = known.plain_name(re.sub(r"[:@].*|-cli$", "", posixpath.basename(image)).removesuffix("-cli"))
    if words:
        reading.follow_program(words, stdin)
        with reading.uncertain():
            if known.is_known(program):
                reading.follow_program([program, *words], stdin)
    found.reads[before[0] :] = [each._replace(certain=False) for each in found.reads[before[0] :]]
    found.writes[before[1] :] = [each._replace(certain=False) for each in found.writes[before[1] :]]


_OF_IMAGES = frozenset("imagetools push pull tag login manifest inspect rmi rm ps logs stop kill start".split())  # noqa: SIM905
"""Subcommands of docker that are given names of images and containers."""


def _container(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """`docker` and the like: what runs inside is not known to be apart from what is outside."""
    plain = positionals(argv[1:])
    with reading.uncertain():
        for option, value in pairwise(options_apart(argv[1:], "v")):
            there, _, inside = value.partition(":") if option in {"-v", "--volume"} else ("", "", "")
            for part in path_words(argv[1:]) if inside else ():
                if part.startswith(f"{inside.split(':')[0].rstrip('/')}/"):
                    path = posixpath.join(there, part[len(inside.split(":")[0]) :].lstrip("/"))
                    reading.reads(path)
                    reading.writes(path, guess=True)
        if plain[:2] == ["compose", "config"]:
            reading.reads(".env")
    if "--push" in argv or plain[:2] == ["compose", "push"]:
        reading.found.runs.append(Ran((argv[0], "push"), reading.certain))
    with reading.uncertain():
        for command in re.findall(r"(?m)^RUN (.+)", stdin) if "build" in plain[:2] else ():
            reading.script(command)
    if plain[:1] in (["run"], ["exec"]) or (plain[:1] == ["compose"] and {"run", "exec"} & set(plain[1:4])):
        start = next(at for at, word in enumerate(argv) if word in {"run", "exec"})
        reading.unknown(argv[start:])
        _in_container(reading, argv, start, stdin)
    else:
        with reading.uncertain():
            for each in path_words(argv[2:]) if not _OF_IMAGES & {*plain[:2]} else ():
                reading.reads(each)
        if plain[:1] == ["cp"] and ":" not in plain[-1]:
            reading.writes(plain[-1], tree=True)
    return MANY


def _cargo_watch(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    ends = argv.index("--") if "--" in argv else len(argv)
    for option, value in pairwise(options_apart(argv[2:ends], "sx")):
        if option in {"-s", "--shell", "-x", "--exec"}:
            reading.script(value if "s" in option else f"cargo {value}")
    return reading.script(" ".join(argv[ends + 1 :]), stdin=stdin)


def _rustup(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    return reading.follow_program(argv[3:], stdin) if argv[1:2] == ["run"] and len(argv) > 3 else MANY


def _package_tool(reading: Reading, argv: Sequence[str], stdin: str) -> str:  # noqa: C901 - one branch for each kind
    name = argv[0]
    if name == "bun" and has_flag(argv[1:], "ep", "--eval", "--print"):
        return _language(reading, argv, stdin)
    if " ".join(argv[:2]) in known.FORMATTERS:
        return reading.files_of(argv, stdin)
    if argv[:2] == ["uv", "pip"]:
        reading.found.runs.append(Ran(tuple(argv[1:]), reading.certain, through=True, as_script=True))
    if argv[:2] == ["cargo", "watch"]:
        return _cargo_watch(reading, argv, stdin)
    if argv[:3] == ["yarn", "workspaces", "foreach"]:
        at = next((n for n, word in enumerate(argv) if word in {"exec", "run", "dlx"}), len(argv))
        return reading.follow_program(["yarn", *argv[at:]], stdin) if at < len(argv) else MANY
    if argv[:2] == ["npm", "explore"] and "--" in argv[:-1]:
        return reading.follow_program(argv[argv.index("--") + 1 :], stdin)
    for option, value in pairwise(options_apart(argv[1:], "Z")) if name == "cargo" else ():
        if option == "--config":
            reading.maybe_run(value)
    at = 1 + first_plain(argv[1:], known.VALUED.get(name, "").split())
    word, rest = "".join(argv[at : at + 1]), argv[at + 1 :]
    if word in known.SUBCOMMAND_WRAPPERS.get(name, ()):
        if len(rest) == 1 and " " in rest[0]:  # `yarn exec 'git push'`
            return reading.script(rest[0], stdin=stdin)
        return reading.after(argv, at + 1, known.VALUED.get(name, ""), 0, stdin)
    if name in {"pnpm", "yarn", "bun"} and (word == "run" or (word and word not in _OWN_SUBCOMMANDS)):
        script = rest if word == "run" else argv[at:]
        reading.found.runs.append(Ran(("npm", "run", *script), reading.certain, through=True, as_script=True))
        if word != "run":  # or a program of a package
            reading.found.runs.append(Ran(tuple(script), certain=False, through=True))
    if name in {"npx", "uvx", "bunx", "pnpx"}:
        return reading.wrapper(argv, stdin)
    with reading.uncertain():
        for each in path_words(argv[1:]):
            if re.search("[./]", each):  # other words are names of scripts and packages
                reading.reads(each)
        for word, follows in pairwise(argv) if name in {"pip", "uv"} else ():
            if word in {"-t", "-d"}:
                reading.writes(follows, tree=True)
    reading.outputs(name, argv[1:], "")
    return MANY


_OWN_SUBCOMMANDS_TEXT = """add install i remove rm un uninstall update up upgrade run test t start publish pack list ls
why outdated audit link unlink exec dlx create init import store config cache info login logout version workspace
workspaces global dedupe rebuild prune fetch patch root bin env server licenses set plugin x pm"""
_OWN_SUBCOMMANDS = frozenset(_OWN_SUBCOMMANDS_TEXT.split())
_PACKAGE_TOOLS = """npm pnpm yarn bun uv poetry pip pipx npx uvx bunx pnpx conda mamba rye pixi pipenv easy_install cnpm
cargo go gem apt apt-get apk pdm"""
_LIKE_PYTHON = "coverage pdb ipdb debugpy trace cProfile profile kernprof pyinstrument".split()  # noqa: SIM905
TOOLS: dict[str, Handler] = {
    "python": _python, "awk": _awk, "sed": _sed, "dd": _dd, "tee": _tee, "sort": _sort, "curl": _download,
    "wget": _download, "patch": _patch, "apply_patch": _apply_patch, "applypatch": _apply_patch, "tar": _tar,
    "rustup": _rustup, "git": _git, "ssh": _remote,
    **dict.fromkeys(_LIKE_PYTHON, _python),
    **dict.fromkeys(_LANGUAGES, _language),
    **dict.fromkeys(("cp", "mv", "install", "ln", "rsync", "scp"), _follow_copy),
    **dict.fromkeys(known.CONTAINERS, _container),
    **dict.fromkeys(_PACKAGE_TOOLS.split(), _package_tool),
}  # fmt: skip
"""By name."""
