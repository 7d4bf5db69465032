"""What the texts of a set-up ask for, compared with each other, with its permissions and with the project.

Sentences are compared by their words: two that share them, one with *always* and one with *never*, contradict each
other; so do two choices of one kind (package managers, indentation, the length of lines). Commands in code are taken
apart as the guard does, and not run: what they name (scripts of package.json, targets of make, files) is there or not.
Only texts that an agent reads together are compared: those of one folder, not two skills. Not covered: contradictions
in other words, commands that are there and fail.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

from honestly.errors import SettingsError
from honestly.permissions import Ran, Rule, ToolPolicy, effects_of, settings_rules

_NOT = r"^\W*no\b|\b(?:never|don'?t|mustn'?t|shouldn'?t|avoid|forbidden|no longer|instead of|rather than|not)\b"
_NEGATIVE = re.compile(_NOT, re.IGNORECASE)
_DENIES = re.compile(r"(?i)\b(?:no|none|nor|without|n't|only|unless|except)\b")
_FILLER_TEXT = """always never do does not don dont must should shall a an the and or to of in on for with is are be it
this that all any your you we our please make sure ensure use using avoid when if by as at from"""
_FILLER = frozenset(_FILLER_TEXT.split())
_IF = re.compile(
    r"(?i)\bif (?:it |they |there |one )?(?:is |are |exists?|configured|available|present|defined|any\b|needed)"
)
_ASKED = re.compile(
    r"(?i)(?:\b(edit|change|modify|update|write(?: to)?|append to|set [^.`\n]{1,30} in)|\b(read|open|check|consult))"
    r"\b[^.`\n]{0,30}`([\w./~-]*[./][\w./-]*)`"
)
"""A file that a text wants changed, or read."""
_STATES = re.compile(
    r"(?i)\W*(?:an?|the|this|that|these|those|it|they|each|there|our|we|some|when|if|in|on|for|with|because)\b"
)
_DEMANDS = re.compile(r"(?i)\b(?:always|must|should|shall|prefer|use|required|ensure|make sure|please)\b")
"""How a sentence begins that states something; and what makes it a demand all the same."""
_LANGUAGES = re.compile(
    r"(?i)^#+ .*\b(?:nix|go(?:lang)?|rust|python|type ?script|java ?script|[jt]s|shell|bash|java|kotlin|swift|ruby|lua"
    r"|s?css|html|sql|markdown|ya?ml|terraform)\b"
)
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)[ \t]*(\w*)")
_LONGEST_COMMAND = 2000
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh", "shellsession"})
_RUNNERS_TEXT = "npm pnpm yarn bun make just python python3 node bash sh uv poetry pytest tsx deno go ./gradlew ./mvnw"
_RUNNERS = frozenset(_RUNNERS_TEXT.split())
_USE = r"\b(?:use|using|prefer) +[`*_]*"
_WIDE = r"(?:two|four|eight|[248])[- ]spaces?"
_CHOICES: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(shape, re.IGNORECASE)
    for kind, shape in {
        "package manager": rf"(?:{_USE}|package manager(?: is)?:?\s+[`*_]*|install with `)"
        r"(npm|pnpm|yarn|bun)\b(?! (?:run|test|work|resol|overrid|lock|catalog))"
        r"|\b(?:install|add)\b[^.\n]{0,30}\b(?:with|using) +[`*_]*(npm|pnpm|yarn|bun)\b",
        "installer": rf"(?:{_USE}|\b(?:managed|install(?:ed)?) (?:with|by) +[`*_]*)(pip|poetry|uv|pipenv|pdm|conda)\b",
        "test runner": rf"(?:{_USE}"
        rf"|\btests?\b[^.\n]{{0,30}}\b(?:with|by) +[`*_]*)(?:python3? -m )?(pytest|unittest|jest|vitest|mocha)\b",
        "indentation": rf"\b(tabs|{_WIDE})\b(?=[^.\n]*\bindent)|\bindent\w*[^.\n]{{0,30}}?\b(tabs|{_WIDE})\b",
        "quotes": r"\b(?:use|prefer|always) +[`*_]*(single|double)[- ]quotes\b(?! (?:around|in shell))",
        "line length": r"\b(?:line[- ]?(?:length|width)|lines?)\b[^.\d]{0,30}\b(\d{2,3})\b(?= ?(?:cha|col|$|[.,;)*`]))",
    }.items()
}
_NUMBERS = {"two": "2", "four": "4", "eight": "8"}
_TREE_LINE = re.compile(r"^([│├└─┬|`\s+-]*[├└|`][─-]+\s*)?([\w.@-]+)(?=/|\s|$)(.*)", re.MULTILINE)
PLACEHOLDER = re.compile(
    r"[<…{\[]|\.\.\.|(?:^|[/_ -])(?:specific|your|my|example|some|foo|bar|path|xxx|file)(?=[/_. -]|$)"
    r"|\bscript\.\w+|\w+Name(?=/|$)|(?:^|[-_/.])\d*(?:N{2,}|X{2,}|YYYY)(?![a-z])|\bmy(?!py|sql)[a-z]+\.\w+$"
    r"|(?:^|[/_-])[A-Z](?=/|\.\w+$)|(?<=run )[A-Z](?= |$)"
)
"""What stands for another name."""


class Said(NamedTuple):
    """A sentence, and whether it says *not*."""

    text: str
    negative: bool
    words: frozenset[str]


class Code(NamedTuple):
    """A command that a text wants run."""

    text: str
    line: int


class _Block(NamedTuple):
    """A block of code between fences."""

    begin: int
    end: int
    language: str
    inside: int
    text: str


def _blocks(text: str) -> list[_Block]:
    """The blocks of code of a text; one that does not end goes to the end of the text."""
    found: list[_Block] = []
    opened: tuple[str, str, int, int] | None = None
    at = 0
    for line in [*text.split("\n"), None]:
        end = at + len(line or "") + 1
        plain = "" if line is None else line.strip()
        if opened is None and line is not None and (match := _FENCE.match(line)):
            opened = match[1], match[2].lower(), at, end
        elif opened and (line is None or (plain.startswith(opened[0]) and not plain.strip(opened[0][0]))):
            _, language, begin, inside = opened
            found.append(_Block(begin, min(end - 1, len(text)), language, inside, text[inside:at]))
            opened = None
        at = end
    return found


def _without_blocks(text: str, place: Callable[[str], str]) -> str:
    parts, at = [], 0
    for block in _blocks(text):
        parts += [text[at : block.begin], place(text[block.begin : block.end])]
        at = block.end
    return "".join([*parts, text[at:]])


def sentences(text: str) -> list[Said]:
    """The sentences of a text, without code."""
    found = []
    for each in re.split(
        r"(?<=[.!?;])\s+|\n\s*(?:[-*+]|\d+\.|#+)\s+|\n\s*\n|\s*\|\s*", _without_blocks(text, lambda _: "\n\n")
    ):
        plain = " ".join(each.split())
        if 8 < len(plain) < 400 and plain[-1] != ":" and plain[0] not in "\"'":
            words = re.findall(r"[a-z0-9][\w./-]*\w|[a-z0-9]", plain.lower())
            found.append(Said(plain, bool(_NEGATIVE.search(plain)), frozenset(words) - _FILLER))
    return found


def commands(text: str, *, every: bool = False) -> Iterator[Code]:
    """The commands that a text shows and does not forbid: lines of shell blocks, and code that begins with a runner, or
    every one.
    """
    blocks = [(each.inside, each.text) for each in _blocks(text) if each.language in _SHELLS]
    for at, block in blocks:
        for number, line in enumerate(re.sub(r"\\\n", "  ", block).split("\n")):
            plain = re.sub(r"^\s*(?:[$>%]\s+)?|\s+#.*", "", line)
            before = text[:at].rstrip("` \n")[-300:].rpartition("\n")[2]
            if 0 < len(plain) < _LONGEST_COMMAND and not plain.startswith("#") and not _NEGATIVE.search(before):
                yield Code(plain, text.count("\n", 0, at) + number + 1)
    plain_text = _without_blocks(text, lambda block: "\n" * block.count("\n"))
    for number, line in enumerate(plain_text.split("\n"), 1):
        asks = not _NEGATIVE.search(line) and not _IF.search(line)
        for found in re.finditer(r"`([^`\n]{1,2000})`", line) if asks else ():
            begin = re.sub(r"^cd +\S+ +&& +", "", found[1]).partition(" ")[0]
            if (every or begin in _RUNNERS or re.match(r"\./[\w./-]+\.\w+$", begin)) and " " in found[1]:
                yield Code(found[1], number)


def contradictions(texts: Mapping[str, str], facts: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Kind, file and what is wrong: texts against each other, and against what the project's configuration says.

    Args:
        texts: those that an agent reads together, by file.
        facts: what configurations say of each kind of choice, and which of them.
    """
    said = {name: sentences(text) for name, text in texts.items()}
    general = {name: sentences(without_sections(text, _LANGUAGES)) for name, text in texts.items()}
    chosen: dict[str, dict[str, str]] = {}
    for name, rows in said.items():
        for kind, shape in _CHOICES.items():
            of = general[name] if kind in {"indentation", "quotes", "line length"} else rows
            values = {_value(found) for row in of for found in shape.finditer(_asked_part(row.text))}
            if len(values) != 1:
                continue
            (value,) = values
            if kind in facts and facts[kind][0] != value:
                yield "contradiction", name, f"it says {kind} {value}, and {facts[kind][1]} says {facts[kind][0]}"
            elif kind in facts and facts[kind][1] not in LOCKS:
                yield "says the code", name, f"{kind} {value}: {facts[kind][1]} says so already"
            for other, theirs in chosen.items():
                if theirs.get(kind, value) != value:
                    yield "contradiction", name, f"it says {kind} {value}, and {other} says {theirs[kind]}"
            chosen.setdefault(name, {})[kind] = value
    every = [(name, row) for name, each in said.items() for row in each if len(row.words) >= 2][:3000]
    demands = (each for each in every if not _STATES.match(each[1].text) or _DEMANDS.search(each[1].text))
    positive = [(name, row) for name, row in demands if not row.negative]
    for name, row in [(name, row) for name, row in every if row.negative][:1000]:
        for other, against in positive:
            common, both = len(row.words & against.words), len(row.words | against.words)
            narrower = common == len(row.words - {"no"}) >= 3 and both <= common + 3
            about = [re.match(r"`[^`]+`", each.text) for each in (row, against)]
            if all(about) and len({each[0] for each in about if each}) > 1:
                continue  # they speak of two things
            if (common >= 2 and common >= 0.8 * both) or (narrower and not _DENIES.search(against.text)):
                first, second = ((name, row), (other, against)) if name[0] != "~" else ((other, against), (name, row))
                yield "contradiction", first[0], f"{first[1].text[:90]!r}, and {second[0]}: {second[1].text[:90]!r}"


def _asked_part(text: str) -> str:
    """What a sentence asks for, without what it rules out; empty if it only rules out."""
    asked = re.split(r"(?i),? (?:and )?(?:never|not|instead of|rather than)\b", text)[0]
    return "" if _NEGATIVE.search(asked) else asked


def without_sections(text: str, named: re.Pattern[str]) -> str:
    """A text with empty lines for the sections whose headings fit."""
    kept: list[str] = []
    level, in_code = 0, False
    for line in text.split("\n"):
        in_code ^= line.lstrip().startswith("```")
        depth = len(line) - len(line.lstrip("#")) if not in_code else 0
        if depth and (not level or depth <= level):
            level = depth if named.match(line) else 0
        kept.append("" if level else line)
    return "\n".join(kept)


def _value(found: re.Match[str]) -> str:
    value = next(each for each in found.groups() if each).lower()
    first = re.split(r"[- ]", value)[0]
    return value if first == value else f"{_NUMBERS.get(first, first)} spaces"


LOCKS = {
    "package-lock.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}
"""Files by which a package manager is known that has written them."""


def code_facts(read: Callable[[str], str], has: Callable[[str], bool]) -> dict[str, tuple[str, str]]:
    """What a project's configuration says of package manager, indentation, quotes and the length of lines."""
    found: dict[str, tuple[str, str]] = {}
    for kind, file, shape in (
        ("package manager", "package.json", r'"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@'),
        ("line length", "pyproject.toml", r"(?m)^line[-_]length\s*=\s*(\d+)"),
        ("line length", "ruff.toml", r"(?m)^line[-_]length\s*=\s*(\d+)"),
        ("line length", ".prettierrc", r'"?printWidth"?\s*:\s*(\d+)'),
        ("line length", ".editorconfig", r"(?m)^max_line_length\s*=\s*(\d+)"),
        ("quotes", ".prettierrc", r'"?singleQuote"?\s*:\s*(true|false)'),
        ("quotes", "pyproject.toml", r'(?m)^quote-style\s*=\s*"(single|double)"'),
    ):
        match = re.search(shape, read(file))
        if match is not None and kind not in found:
            found[kind] = {"true": "single", "false": "double"}.get(match[1], match[1]), file
    locks = [name for name in LOCKS if has(name)]
    if len({LOCKS[name] for name in locks}) == 1:
        found.setdefault("package manager", (LOCKS[locks[0]], locks[0]))
    return found


def shown_tree(text: str, known: frozenset[str]) -> int:
    """How many lines a drawing of folders has, where nearly all are there as drawn, and few have a word beside them.

    Args:
        text: the text.
        known: paths, and all that they end in.
    """
    most = 0
    for block in _blocks(text):
        above: list[tuple[int, str]] = []
        paths, told = [], 0
        for prefix, name, rest in _TREE_LINE.findall(block.text):
            told += bool(rest.strip("/ "))
            above = [each for each in above if each[0] < len(prefix)]
            paths += ["/".join([*(each for at, each in above if at or each in known), name])] if prefix else []
            above.append((len(prefix), name))
        there = sum(each in known for each in paths)
        if len(paths) >= 5 and there >= 0.8 * len(paths) and told < 0.5 * len(paths):
            most = max(most, len(paths))
    return most


class Project(NamedTuple):
    """What commands may name in a project."""

    files: frozenset[str]
    """Paths of files and folders."""
    ends: frozenset[str]
    """Paths, and all that they end in."""
    has: Callable[[str], bool]
    """Whether a path is there, links followed."""
    scripts: frozenset[str] | None
    """Of every package.json; None where there is none."""
    targets: tuple[str, ...] | None
    """Of every makefile, as patterns; None where there is none, or one includes what is not read."""
    recipes: frozenset[str] | None
    ignored: Callable[[str], bool]
    """Whether git ignores a path: it may be built first."""
    scripts_in: Mapping[str, frozenset[str]] = {}
    """Of each folder's own package.json."""
    targets_in: Mapping[str, tuple[str, ...]] = {}
    """Of each folder's own makefile, if it includes nothing."""
    lacks_submodules: bool = False
    """Whether a folder that belongs to it was not fetched."""
    tasks: frozenset[str] | None = None
    """Of every deno.json, and scripts, which deno runs, too."""

    def holds(self, folder: str) -> bool:
        """Whether a folder is there, with more in it than what keeps it in git."""
        begin = f"{folder}/"
        return any(each.startswith(begin) and "/." not in each[len(folder) :] for each in self.files)


def project_of(names: Sequence[str], read: Callable[[str], str], has: Callable[[str], bool]) -> Project:
    """What commands may name in a project of these paths."""
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents} - {"."}
    every = frozenset({*names, *folders})
    ends = frozenset(each.split("/", at)[at] for each in every for at in range(each.count("/") + 1))
    scripts: set[str] = set()
    scripts_in: dict[str, frozenset[str]] = {}
    targets: list[str] = []
    targets_in: dict[str, tuple[str, ...]] = {}
    recipes: set[str] = set()
    tasks: set[str] = set()
    unsure, kinds = False, set()
    for name in names:
        base = name.rpartition("/")[2]
        if base == "package.json" and not name.startswith("."):
            try:
                own = frozenset(json.loads(read(name)).get("scripts") or ())
                scripts |= own
                scripts_in[name.rpartition("/")[0]] = own
            except (ValueError, AttributeError, TypeError, RecursionError):
                unsure = True
            kinds.add("npm")
        elif base in {"Makefile", "makefile", "GNUmakefile"} or base.endswith((".mk", ".mak")):
            text = read(name)
            lines = re.findall(r"(?m)^([^\s#=:][^=:\n]*)::?(?:[^=]|$)", text)
            mine = tuple(each for line in lines for each in line.replace("%", "*").split())
            targets += mine
            if not re.search(r"\$\(eval|^-?s?include\b|^\$[({]", text, re.MULTILINE):
                targets_in[name.rpartition("/")[0]] = mine
            kinds.add("make" if not re.search(r"\$\(eval|^\$[({]", text, re.MULTILINE) else "unsure")
        elif base in {"deno.json", "deno.jsonc"}:
            tasks |= set(re.findall(r'"([\w:.-]+)"\s*:', "".join(re.findall(r'"tasks"\s*:\s*\{[^}]*', read(name)))))
            kinds.add("deno")
        elif base.lower() in {"justfile", ".justfile"} or base.endswith(".just"):
            recipes |= set(
                re.findall(r"(?m)^@?([\w-]+)(?:[^\n:=]|=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s:=]+))*:(?!=)", read(name))
            )
            recipes |= set(re.findall(r"(?m)^(?:alias|mod) +([\w-]+)", read(name)))
            kinds.add("just")
    submodules = re.findall(r"(?m)^\s*path\s*=\s*(\S+)", read(".gitmodules"))
    ignoring = [("", each.strip("/")) for each in submodules]
    ignoring += [
        (name.removesuffix(".gitignore"), re.sub(r"^/|/(?:\*{0,2})$", "", each.strip()))
        for name in names
        if name.rpartition("/")[2] == ".gitignore"
        for each in read(name).split("\n")
        if each.strip() and each[0] not in "#!"
    ]

    def ignored(path: str) -> bool:
        whole = path.removeprefix("./").strip("/")
        for base, shape in ignoring:
            parts = whole.removeprefix(base).split("/")
            ways = [*parts, *("/".join(parts[: at + 1]) for at in range(len(parts)))]
            if whole.startswith(base) and any(fnmatchcase(each, shape) for each in ways):
                return True
        return False

    return Project(
        every, ends, has, frozenset(scripts) if "npm" in kinds and not unsure else None,
        tuple(targets) if "unsure" not in kinds and "make" in kinds else None,
        frozenset(recipes) if "just" in kinds else None, ignored, scripts_in, targets_in,
        any(each.strip("/") not in every for each in submodules),
        frozenset(tasks | scripts) if "deno" in kinds else None,
    )  # fmt: skip


def _nearest(folder: str, known: Mapping[str, object]) -> str | None:
    """The folder, or the nearest one above it, of which something is known."""
    parts = folder.split("/")
    ways = ["/".join(parts[:at]) for at in range(len(parts), -1, -1)]
    return next((each for each in ways if each in known), None)


_IN_FOLDER = re.compile(
    r"[\s(]*(?:cd +(?:\./)?(?P<cd>[\w./-]+?)/? *&& *)?(?:npm|yarn|pnpm|bun)"
    r"(?: +(?:--prefix|--cwd|-C|--dir|--filter|-F)[ =](?:\./)?(?P<to>[\w./-]+?)/?)?"
    r"(?P<run> +(?:run|run-script))? +(?P<script>[\w:.-]+)"
    r"(?: +-w[ =](?:\./)?(?P<of>[\w./-]+))?"
)
"""A script that is run in a folder."""
_MADE_IN_FOLDER = re.compile(
    r"\s*(?:cd +(?:\./)?(?P<cd>[\w./-]+?)/? *&& *)?make(?: +(?:-C|--directory)[ =]?(?:\./)?(?P<to>[\w./-]+?)/?)?"
    r" +(?P<target>[a-zA-Z][\w.-]*) *$"
)
_SCRIPT_NAMES_TEXT = """build test lint dev start deploy format typecheck type-check check release e2e preview clean
codegen storybook test-unit test-e2e lint-fix migrate seed serve watch coverage"""
_SCRIPT_NAMES = frozenset(_SCRIPT_NAMES_TEXT.split())
"""What scripts are called, and no program is."""


def missing_part(command: str, project: Project) -> str:
    """What of a command is not there, in words; empty where nothing is known to be missing."""
    if PLACEHOLDER.search(command) or project.lacks_submodules:
        return ""
    there = _IN_FOLDER.match(command)
    place = (there["cd"] or there["to"] or there["of"] or "") if there else ""
    gone = re.match(r"\s*cd +(?:\./)?([\w./-]+?)/? *(?:&&|;)", command)
    if gone and (project.ignored(gone[1]) or gone[1] not in project.ends):
        return ""  # a folder that is fetched, or made
    made = _MADE_IN_FOLDER.match(command)
    if made and (folder := made["cd"] or made["to"]) and (targets := project.targets_in.get(folder)) is not None:
        fits = any(fnmatchcase(made["target"], each) for each in targets)
        return "" if fits else f"{folder}'s makefile has no target {made['target']!r}"
    if (
        there
        and place
        and (there["run"] or there["script"] in _SCRIPT_NAMES)
        and (own := _nearest(place, project.scripts_in)) is not None
        and there["script"] not in project.scripts_in[own]
    ):
        return f"{own or '.'}/package.json has no script {there['script']!r}"
    for ran in effects_of(command).runs:
        marked = [at for at, word in enumerate(ran.words) if any("\ue000" <= letter <= "\ue0ff" for letter in word)]
        plain = (
            ran.certain and not ran.as_script and (not marked or (marked[0] and ran.place != ""))
        )  # of a script its name is enough
        if plain and ran.words and (said := _missing(ran, project, command)):
            return said
    return ""


def _missing(ran: Ran, project: Project, command: str) -> str:
    words = ran.words
    program, rest = words[0].rpartition("/")[2], [each for each in words[1:] if not each.startswith("-")]
    names = [each for each in rest if re.fullmatch(r"[\w-]+(?:[:.][\w:.-]*\w)?", each)]
    if program in {"npm", "pnpm", "yarn", "bun"}:
        asked = names[1:2] if rest[:1] in (["run"], ["run-script"]) and names[1:2] == rest[1:2] else []
        direct = {"yarn": _SCRIPT_NAMES, "pnpm": _SCRIPT_NAMES, "npm": {"test", "start"}}.get(program, frozenset())
        asked += [each for each in names[:1] if each in direct or (":" in each and program in {"yarn", "pnpm"})]
        if program in {"bun", "yarn"} and len(names) > 2 and not _SCRIPT_NAMES & {*asked}:
            return ""  # a program of a package
        files = [each for each in asked if program == "bun" and re.search(r"\.[cm]?[jt]sx?$", each)]
        if files:
            there = files[0] in project.ends or project.ignored(files[0])
            return "" if there else f"{files[0]} is not there"
        lacking = [each for each in asked if project.scripts is not None and each not in project.scripts]
        return f"no package.json has a script {lacking[0]!r}" if lacking else ""
    if program == "make":
        shapes = project.targets if not any(each.startswith(("-f", "-C")) for each in words) else None
        lacking = [each for each in names if shapes is not None and not any(fnmatchcase(each, one) for one in shapes)]
        return f"no makefile has a target {lacking[0]!r}" if lacking else ""
    if program == "deno" and rest[:1] == ["task"]:
        lacking = [each for each in names[1:2] if project.tasks is not None and each not in project.tasks]
        return f"no deno.json has a task {lacking[0]!r}" if lacking else ""
    if program == "just":
        lacking = [each for each in names[:1] if project.recipes is not None and each not in project.recipes]
        return f"no justfile has a recipe {lacking[0]!r}" if lacking else ""
    paths = re.findall(r"(?<!\S)\./(gradlew|mvnw|configure)(?!\S)", command)
    paths += [ran.place] if ran.place and re.search(r"\.\w+$", words[0]) else []
    if program in {"python", "python3", "node", "bash", "sh", "tsx", "pytest"}:
        paths += [each for each in rest[:1] if re.search(r"\w\.(?:py|sh|[cm]?[jt]s)$", each.partition("::")[0])]
    for path in paths:
        plain = path.partition("::")[0].removeprefix("./").rstrip("/")
        inside = ".." not in plain and not re.search(r"[*?\[{]", plain) and plain[:1] not in {"/", "~", "$", ""}
        if inside and plain not in project.ends and not project.ignored(plain) and not project.has(plain):
            return f"{plain} is not there"
    return ""


def denied_by(command: str, policy: ToolPolicy) -> str:
    """The rule that denies a command; empty where none does."""
    said = policy.decision("bash", {"command": command})
    return said.rule if said.word == "deny" else ""


def denied_files(text: str, policy: ToolPolicy) -> Iterator[tuple[int, str, str]]:
    """Files that a text wants changed or read and a rule denies: the line, what is asked for, the rule."""
    for number, line in enumerate(_without_blocks(text, lambda block: "\n" * block.count("\n")).split("\n"), 1):
        for found in _ASKED.finditer(line) if not _NEGATIVE.search(line) else ():
            said = policy.decision("edit" if found[1] else "read", {"path": found[3], "content": ""})
            if said.word == "deny" and "(" in said.rule:
                yield number, f"{(found[1] or found[2]).lower()} {found[3]}", said.rule


def policy_in(texts: Mapping[str, str]) -> ToolPolicy:
    """The rules of a project's settings files, as far as they can be read."""
    rules: list[Rule] = []
    for name in (".claude/settings.json", ".claude/settings.local.json"):
        try:
            rules += settings_rules(texts.get(name, ""))[0]
        except SettingsError:
            continue
    return ToolPolicy(tuple(rules))
