"""Builtins of the shell, and programs that run others: each followed by its words and its input."""

import posixpath
import re
from collections.abc import Sequence

from honestly.permissions import _programs as known
from honestly.permissions._reading import Handler, Reading
from honestly.permissions._words import (
    ANY,
    ASSIGNED,
    IN_TEMPORARY,
    MANY,
    MARKS,
    MOST_VALUES,
    NUMBER,
    ONE,
    STAR,
    UNKNOWN,
    first_plain,
    globbed,
    has_flag,
    positionals,
    quoted,
    unescaped,
)


def _echo(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = list(argv[1:])
    escapes = False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        escapes |= "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    if reading.echo_escapes and not escapes and "\\" in text:
        text = f"{text}\n{unescaped(text)}"  # either may be what it prints
    return f"{unescaped(text) if escapes else text}\n"


def _printf(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = list(argv[1:])
    name = ""
    if words[:1] == ["-v"] and len(words) > 1:
        name, words = words[1], words[2:]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return ""
    shape, values = unescaped(words[0]), words[1:]
    places = re.findall(r"%[^%a-zA-Z]*[a-zA-Z]|%%", shape)
    if any(place not in {"%s", "%%", "%b", "%q"} for place in places):
        text = ANY
    else:
        rounds = max(1, -(-len(values) // max(1, places.count("%s") + places.count("%b") + places.count("%q"))))
        left = iter(values)
        text = "".join(
            re.sub(r"%[sbq%]", lambda m: "%" if m[0] == "%%" else next(left, ""), shape)
            for _ in range(min(rounds, 100) if places else 1)
        )
    if name:
        reading.assign(name, [[text]])
        return ""
    return text


def _cat(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    names = positionals(argv[1:])
    out = ""
    for name in names:
        reading.reads(name)
        out += stdin if name == "-" else reading.text_at(reading.path(name)) or MANY
    return out if names else stdin or MANY


def change_folder(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """Where a command is after `cd`: there, or, if that failed, where it was."""
    words = [word for word in argv[1:] if not re.fullmatch(r"-[LPe@]+|--", word)]
    name = (words[0] or ".") if words else "~"
    before = list(reading.places)
    if MARKS.search(name) or name == "-":
        reading.places = [ANY, *before][:6]
    else:
        place = name if name[0] in "~/" else posixpath.normpath(posixpath.join(before[0], name))
        reading.places = [place, *(each for each in before if each != place)][:6]
    here = reading.places[0]
    reading.variables["OLDPWD"] = [posixpath.normpath(posixpath.join(reading.root, each)) for each in before]
    reading.variables["PWD"] = [here if here[:1] in {"/", "~", ANY} else posixpath.normpath(f"{reading.root}/{here}")]
    return ""


def _push(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    reading.stack.append(reading.places[0])
    return change_folder(reading, argv, stdin)


def _pop(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    if not reading.stack:
        return change_folder(reading, ["cd", "-"], stdin)
    place = reading.stack.pop()
    reading.places = [place, *(each for each in reading.places if each != place)][:6]
    return ""


def _env(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    at = 1
    while at < len(argv):
        word = argv[at]
        if word in {"-u", "--unset"}:
            at += 1
        elif word in {"-C", "--chdir"}:
            change_folder(reading, ["cd", *argv[at + 1 : at + 2]], stdin)
            at += 1
        elif word.startswith("--chdir="):
            change_folder(reading, ["cd", word[8:]], stdin)
        elif word in {"-S", "--split-string"} or word.startswith(("-S", "--split-string=")):
            apart = word in {"-S", "--split-string"}
            text = "".join(argv[at + 1 : at + 2]) if apart else re.sub(r"^(?:-S|--split-string=)", "", word)
            rest = map(quoted, argv[at + 2 if apart else at + 1 :])
            return reading.script(" ".join(["env", text, *rest]), stdin=stdin)
        elif (found := ASSIGNED.fullmatch(word)) is not None:
            reading.assign(found[1], [[found[2]]], exported=True)
        elif (found := re.fullmatch(r"BASH_FUNC_(\w+)%%=(.*)", word, re.DOTALL)) is not None:
            reading.script(f"{found[1]} {found[2]}")
        elif not word.startswith("-"):
            return reading.follow_program(argv[at:], stdin)
        at += 1
    return MANY


def _eval(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    return reading.script(" ".join(argv[2 if argv[1:2] == ["--"] else 1 :]), stdin=stdin)


def _trap(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = [word for word in argv[1:] if word not in {"--", "-l", "-p"}]
    if len(words) > 1 and words[0] not in {"-", ""}:
        reading.script(words[0])
    return ""


def _alias(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    for word in argv[1:]:
        name, equals, text = word.partition("=")
        if equals:
            reading.replace("aliases", name, text)
            if "<<" in text:
                reading.doubt("an alias holds a here-document")
    return ""


def _source(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = argv[2 if argv[1:2] == ["--"] else 1 :]
    return reading.sourced(words[0], words[1:], stdin, by_shell=True) if words else ""


def _declare(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    refers = has_flag(argv[1:], "n") and argv[0] != "export"
    for word in argv[1:]:
        if refers and (found := re.match(r"[A-Za-z_]\w*", word)):
            reading.variables[found[0]] = [MANY]  # another variable's value
        elif found := ASSIGNED.fullmatch(word):
            reading.assign(found[1], [[found[2]]], exported=argv[0] == "export" or has_flag(argv[1:], "x"))
    return ""


def _read_builtin(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    names = [word for word in argv[1:] if re.fullmatch(r"[A-Za-z_]\w*", word)] or ["REPLY"]
    if has_flag(argv[1:], "a"):
        reading.assign_array(names[-1], [MANY], adds=False)
    for name in names:
        lines = stdin.strip("\n").split("\n")
        if len(lines) > MOST_VALUES or MANY in stdin or not stdin:
            lines = [ANY]
        pieces = lines if len(names) == 1 else [ANY]
        reading.assign(name, [pieces])
    return ""


def _mapfile(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    name = next((word for word in reversed(argv[1:]) if re.fullmatch(r"[A-Za-z_]\w*", word)), "MAPFILE")
    reading.assign_array(name, [ANY] if UNKNOWN.search(stdin) or not stdin else stdin.split("\n"), adds=False)
    reading.variables[name] = [ANY]
    return ""


def _set(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = list(argv[1:])
    if "--" in words:
        reading.bind(words[words.index("--") + 1 :])
    elif words and words[0][:1] not in {"-", "+"}:
        reading.bind(words)
    return ""


def _shift(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = reading.arrays["@"]
    for number in range(1, 10):
        reading.variables[str(number)] = list(dict.fromkeys([*words[:MOST_VALUES], ""]))
    return ""


def _fd(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    at = next((n for n, word in enumerate(argv) if word in {"-x", "-X", "--exec", "--exec-batch"}), len(argv))
    if at + 1 < len(argv):
        words = [re.sub(r"\{[/.]*\}", ANY, word) for word in argv[at + 1 :] if word != ";"]
        reading.follow_program(words if any(ANY in word for word in words) else [*words, ANY])
    return ANY


def _ls(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    names = positionals(argv[1:])
    hidden = has_flag(argv[1:], "aA")
    out = [
        name if STAR in name or ONE in name else f"{name}\n{MANY if hidden else name + '/' + STAR}" for name in names
    ]
    return "\n".join(out) if names else MANY if hidden else STAR


def _find(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = list(argv[1:])
    while words and re.fullmatch(r"-[HLPO]\d?|-D", words[0]):
        words = words[1:]
    roots: list[str] = []
    while words and words[0][:1] not in {"-", "(", "!"}:
        roots.append(words.pop(0))
    roots = [ANY] if "-files0-from" in words else roots or ["."]
    left_out = [
        at
        for at, word in enumerate(words)
        if word in {"!", "-not"} and re.match("-i?(?:name|path)$", "".join(words[at + 1 : at + 2]))
    ]
    tests = [word for at, word in enumerate(words) if not any(out <= at <= out + 2 for out in left_out)]
    names = [tests[at + 1] for at, word in enumerate(tests[:-1]) if word in {"-name", "-iname"}]
    # A star of `find` stands for a leading dot, too.
    names = [re.sub(f"^{STAR}", ANY, globbed(name)) for name in names]
    names = names if names and not {"-o", "-or", "!", "-not"} & set(tests) else [ANY]
    paths = [f"{root}/{name}" for root in roots for name in names]
    paths += [f"{root}/{STAR}/{name}" for root in roots for name in names if name != ANY]
    paths = ([root for root in roots if root not in {".", "./"} and names == [ANY]] + paths)[:16]
    at = 0
    while at < len(words):
        word = words[at]
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            ends = (n for n in range(at + 1, len(words)) if words[n] == ";" or words[n - 1 : n + 1] == ["{}", "+"])
            end = next(ends, len(words))
            command = words[at + 1 : end]
            for path in paths:
                if command:
                    reading.follow_program([each.replace("{}", path) for each in command], stdin)
            at = end
        elif word == "-delete":
            for path in paths:
                reading.writes(path, tree=path.endswith(ANY))
        elif word.startswith("-fprint") or word == "-fls":
            reading.writes(words[at + 1] if at + 1 < len(words) else ANY)
        at += 1
    return "\n".join(paths)


_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|\\(.)", re.DOTALL)
"""What `xargs` takes for quotes, unless it is told where its input ends."""
_XARGS_TEXT = "-I -n -P -L -s -d -E -a --max-args --max-procs --max-lines --delimiter --arg-file --replace"
_XARGS = frozenset(_XARGS_TEXT.split())


def _xargs(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    at, place, ends = 1, "", ""
    while at < len(argv) and argv[at].startswith("-"):
        word = argv[at]
        if found := re.match(r"-[0rtx]*(0|d)(.*)|--(null|delimiter)(?:=(.*))?$", word, re.DOTALL):
            given = found[2] or found[4] or "".join(argv[at + 1 : at + 2])
            ends = "\n" if "0" in (found[1] or "") or found[3] == "null" else unescaped(given) or "\n"
        value = argv[at + 1] if word in _XARGS and word != "--replace" and at + 1 < len(argv) else word[2:]
        if word.startswith("-I"):
            place = value
        elif word.startswith(("-i", "--replace")):
            place = word.partition("=")[2] or "{}"
        elif word.startswith(("-a", "--arg-file")):
            value = word.partition("=")[2] if "=" in word else value
            reading.reads(value)
            stdin = reading.text_at(reading.path(value)) or MANY
        at += 2 if word in _XARGS and word != "--replace" else 1
    command = list(argv[at:]) or ["echo"]
    parts = stdin.replace("\0", "\n")
    lines = [
        line.strip() for line in (stdin.split("\0") if "\0" in stdin else parts.split(ends or "\n")) if line.strip()
    ]
    split = lines if place or ends else [found[0] for found in re.finditer(rf"(?:{_QUOTED.pattern}|\S)+", parts)]
    split = split if ends else [_QUOTED.sub(lambda found: found[found.lastindex or 0], each) for each in split]
    items = [MANY] if UNKNOWN.search(stdin) and "/" not in stdin else split
    given = re.search(r" (?:-[0rtx]*[nL] ?|-l|--max-(?:args|lines)[= ])(\d*)", " ".join(["", *argv[:at]]))
    size = (int(given[1] or 1) or 1) if given else 50
    items = items[:50] or [MANY]
    if place:
        for item in items[:4]:
            reading.follow_program([word.replace(place, item) for word in command])
    else:
        for start in range(0, len(items), size):
            reading.follow_program([*command, *items[start : start + size]])
    return MANY


_PARALLEL_TEXT = """-j -n -N -a -S -I -C -d -P -L -l -s -x --jobs --delay --sshlogin --results --joblog --colsep
--tmpdir --wd --workdir --max-procs --arg-file --delimiter --timeout --retries --basefile --transferfile --return"""
_PARALLEL = frozenset(_PARALLEL_TEXT.split())


def _parallel(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    words = argv[1 + first_plain(argv[1:], _PARALLEL) :]
    end = next((at for at, word in enumerate(words) if word.startswith(":::")), len(words))
    command, items = words[:end], [word for word in words[end:] if not word.startswith(":::")]
    items = items or [MANY if UNKNOWN.search(line) else line for line in stdin.split("\n") if line] or [MANY]
    if not command:
        for item in items:
            reading.script(item)
    for item in items[:8]:
        if command:
            text = " ".join(command)
            before = list(reading.found.doubts)
            unsure = []
            for each in dict.fromkeys((item, quoted(item) if item != MANY else item)):  # it depends on its version
                reading.script(text.replace("{}", each) if "{}" in text else f"{text} {each}")
                unsure.append(reading.found.doubts)
                reading.found.doubts = list(before)
            reading.found.doubts = min(unsure, key=len)
    if any(UNKNOWN.search(word) for word in command[:1]):
        reading.doubt("what parallel runs is computed")
    return MANY


def _flock(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    at = 1 + first_plain(argv[1:], ("-w", "-E", "--timeout", "--conflict-exit-code"))
    if argv[at + 1 : at + 2] in (["-c"], ["--command"]):
        return MANY  # its value has been followed
    return reading.follow_program(argv[at + 1 :], stdin) if at + 1 < len(argv) else MANY


def _su(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    if argv[0] == "runuser" and argv[1:2] and re.fullmatch("-u.*|--user.*", argv[1]):
        return reading.after(argv, 1, *known.WRAPPERS["runuser"], stdin)
    for each in positionals(argv[1:]) if argv[0] == "script" else ():
        reading.writes(each)
    if stdin not in {"", MANY}:
        reading.script(stdin)
    return MANY  # the value of -c has been followed


def _watch(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    return reading.script(" ".join(argv[1 + first_plain(argv[1:], ("-n", "--interval", "-q")) :]))


def _later(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """`at`, `batch`, `crontab`: what they read is run later."""
    if argv[0] == "crontab":
        if not has_flag(argv[1:], "lr"):
            reading.doubt("what crontab reads is run later")
    elif stdin:
        reading.script(stdin)
    elif has_flag(argv[1:], "f"):
        reading.doubt("what at reads is run later")
    return MANY


def _make(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    if stdin and re.search(r"(^| )-f ?(-|/dev/stdin)( |$)", " ".join(argv)):
        reading.text_of("-", stdin, "make")
    return reading.files_of(argv, stdin)


def _shell(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    if "dotglob" in argv and "-s" in argv:
        reading.doubt("globs stand for hidden files, too")
    elif argv[0] != "shopt" and has_flag(argv[1:], "pf"):
        reading.doubt(f"{argv[0]} changes what names mean")
    return ""


def _name_part(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """Of one path in plain words what `dirname` and `basename` say."""
    words = list(argv[1:])
    if len(words) not in {1, 2} or words[0].startswith("-") or MARKS.search("".join(words)):
        return ANY
    path = words[0].rstrip("/") or "/"
    if argv[0] == "dirname":
        return f"{posixpath.dirname(path) or '.'}\n" if len(words) == 1 else ANY
    return f"{posixpath.basename(path).removesuffix(words[1] if len(words) == 2 else '') or path}\n"


def _pwd(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    return f"{reading.variables['PWD'][0]}\n" if len(reading.places) == 1 and len(argv) == 1 else ANY


def _seq(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    ends = [int(word) for word in argv[1:] if re.fullmatch(r"-?\d{1,6}", word)]
    if len(ends) in {1, 2} and len(ends) == len(argv) - 1:
        first, last = (1, ends[0]) if len(ends) == 1 else ends
        return "".join(f"{number}\n" for number in range(first, last + 1)[: MOST_VALUES + 1])
    return NUMBER if not any(re.match(r"-[fs]|--[fs]", word) for word in argv) else ANY


def _date(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    reading.files_of(argv, stdin)
    shape = next((word[1:] for word in argv[1:] if word[:1] == "+"), "%c")
    shape = shape.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S")
    out = re.sub(r"%[-_0^#]?[YmdHMSsNjyCeIklwuVgG]", NUMBER, shape)
    return out if "%" not in out else ANY


def _mktemp(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    reading.files_of(argv, stdin)
    plain = positionals(argv[1:])
    return IN_TEMPORARY if not plain and not has_flag(argv[1:], "pt", "--tmpdir") else ANY


def _count(reading: Reading, argv: Sequence[str], stdin: str) -> str:
    """Programs that print numbers, if they are given no file."""
    out = reading.files_of(argv, stdin)
    numbers = not positionals(argv[1:]) or argv[0] in {"nproc", "expr"} or argv[1:2] == ["-u"]
    return NUMBER if numbers else out


BUILTINS: dict[str, Handler] = {
    "pwd": _pwd, "seq": _seq, "date": _date, "mktemp": _mktemp, "wc": _count, "nproc": _count, "echo": _echo,
    "printf": _printf, "dirname": _name_part, "basename": _name_part, "cat": _cat, "cd": change_folder, "pushd": _push,
    "popd": _pop, "env": _env, "eval": _eval, "trap": _trap, "alias": _alias, "source": _source, ".": _source,
    **dict.fromkeys(("declare", "local", "export", "typeset", "readonly"), _declare), "read": _read_builtin,
    "mapfile": _mapfile, "readarray": _mapfile, "set": _set, "shift": _shift, "ls": _ls, "shopt": _shell, "fd": _fd,
    "fdfind": _fd, "find": _find, "xargs": _xargs, "parallel": _parallel, "flock": _flock, "su": _su, "runuser": _su,
    "script": _su, "at": _later, "batch": _later, "crontab": _later, "watch": _watch, "make": _make, "hash": _shell,
    "enable": _shell, "cross-env": _env,
}  # fmt: skip
"""By name."""
