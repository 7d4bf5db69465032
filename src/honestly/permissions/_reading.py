"""What a command would do: the programs that it would run, the files that it would read and write, hosts, packages.

The tree of the command is walked as bash would walk it, with every branch taken and loops twice. Values that follow
from the text are worked out (variables, `$(echo ...)`, here-documents, what `echo` gives to a shell); the others are
marks that stand for any text. Programs that run others are followed. What cannot be followed is a doubt, or an effect
that is not certain; nothing is left out in silence. What is not covered: what the scripts, makefiles and programs that
are run do by themselves, unless they were written by the same command.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from functools import lru_cache
from itertools import pairwise, product

from honestly.permissions import _programs as known
from honestly.permissions._code import Code, read_code
from honestly.permissions._effects import Effects, Ran, Touched
from honestly.permissions._hosts import hosts_of, hosts_of_code
from honestly.permissions._makefiles import Makefile
from honestly.permissions._options import PLAIN_VALUE, is_plain_variable
from honestly.permissions._packages import installed_packages, listed_packages
from honestly.permissions._parse import (
    Computed,
    Function,
    Group,
    Node,
    Pipe,
    Redirect,
    Simple,
    Substitution,
    Text,
    UnreadableError,
    Variable,
    Word,
    parse,
)
from honestly.permissions._words import (
    ANY,
    ASSIGNED,
    CLASS,
    IN_RUNNER,
    IN_TEMPORARY,
    MANY,
    MARKS,
    MOST_VALUES,
    MOST_WORDS,
    NUMBER,
    ONE,
    SEP,
    SPACE,
    STAR,
    UNKNOWN,
    attached_value,
    braced,
    changed_value,
    few_values,
    has_flag,
    included,
    may_be_folder,
    named_below,
    opened_text,
    options_apart,
    overlaps,
    path_words,
    positionals,
    quoted,
    shows_names,
    without_excluded,
)

Handler = Callable[["Reading", Sequence[str], str], str]
"""Follows one program: its words, and its input; what it prints."""
_ESCAPE = re.compile(r"(?:^|[:|+;\n ])(?:\\!|!|\.shell|\.system|\bsystem|\bshell)\s*(.+)")
_RUNNING_OPTION = re.compile(
    r"(?!--no-)--?(?:[\w-]*(?:exec|eval|command|cmd|shell|program|rsync-path|pager|editor|hook|rsh|script|before|after)"
    r"[\w-]*|[eH])(?:=(.*))?$|commands?=(.*)",
    re.DOTALL,
)
"""Options whose value may be a command, with any program."""
_BETWEEN = re.compile(r"[^\w./~+@\ue000-\ue005-]+")
"""What stands between names in a text of any language."""
_IMPORTED = re.compile(r"(?:^|[;\n]) *(?:import +([a-zA-Z_][\w.]*)|from +([a-zA-Z_][\w.]*) +import +(\w+))")
"""Modules that Python runs."""
_LITERALS = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_NO_OUTPUT = re.compile(
    r"--[\w-]*(?:config|(?<!out)(?<!log)file|input|from|rc|require|env|project|manifest|include|exclude)"
)
_RG_VALUED = re.compile(r"-[gtTABCmj]|--(?:i?glob|type(?:-not)?)")
_FORMAT = re.compile(r"(?:wide|json|ya?ml|table|name|text|csv|tsv|concise|full|github|(?:json|custom-)\w+=.*)$")
"""What `-o` says where it names no file."""
_SUFFIXES = dict.fromkeys((".js", ".cjs", ".mjs", ".ts"), "node") | {".py": "python", ".rb": "ruby", ".pl": "perl"}
_SUFFIXES |= {f".{each}": each for each in "c cc cpp h go rs java kt swift cs php lua r jl el scm hs ml".split()}  # noqa: SIM905
_OUTPUT = re.compile(
    r"--?(?:\w+[_-])?(?:out(?:put|file|[_-]?dir)?|(?:pack-)?dest\w*|target)(?:=(.+))?$", re.IGNORECASE | re.DOTALL
)
_OWN_OUTPUT = re.compile(
    r"(?:csplit (?:-[ksnqz]*f|--prefix=)"
    r"|ssh-keygen -f(?=$|[\w./~])|(?:pg_|mysqldump)\w* (?:-[fr]|--file=?|--result-file=?)|\w+ -o(?=[\w./~]))(.*)",
    re.DOTALL,
)
"""Options of some programs that name what is written, with the program: `7z -oDIR`."""
_RUN_SCRIPTS = frozenset(["python", "node", "ruby", "perl", "php", "bun", "deno", "tsx"])
_DATA = re.compile(r"\.(?:jsonl?|csv|tsv|md|log|xml|html?|diff|patch|ya?ml|txt|svg|png|parquet|db)$")
"""Files that a script is given as data."""
_CHANGE_LISTS = frozenset("install i add lock update upgrade".split())  # noqa: SIM905
_FROZEN = frozenset("--frozen --locked --frozen-lockfile --immutable --dry-run --check".split())  # noqa: SIM905
"""Options by which an installer leaves its lists alone."""
_NO_FILES = frozenset("kubectl gh glab aws gcloud az helm heroku vault docker podman terraform".split())  # noqa: SIM905
"""Programs whose plain words name what lies elsewhere."""
_READ_OPTION = re.compile(
    r"--?(?:homedir|[\w-]*(?:env|var|key|cert|pass\w*|values|cred\w*|private)-?file|(?:private|identity)-key|values|from-file)"
)
"""Options whose value is a file that a program reads."""
_COPIES = frozenset({"cp", "sync", "mv", "rsync", "upload", "upload-batch"})
"""Subcommands of those by which files are brought there."""
_NO_FILE = re.compile(r"/dev/(?:null|zero|full|tty\b|std|fd/|tcp/|udp/|shm/|pts/)")
_MAKE_FLAGS = re.compile(r"(?:-*(?:[jlkswBinqrRS]|jobs|no-print-directory|silent|output-sync)(?:[= ]?[\d.]+)? *)*")
_STDIN = re.compile(r"/dev/stdin|/dev/fd/0|/proc/self/fd/0")
_OPENED = re.compile(r"/dev/fd/\d+$|/proc/self/fd/\d+$")
_PACKERS = frozenset({"gzip", "gunzip", "bzip2", "xz", "zstd"})
_EDITOR_RUNS = re.compile(r"!|\bsystem|\bterm|\bshell|-process|\bsh\b")
_LASTING = "variables arrays others functions aliases files edited drafts links stack places".split()  # noqa: SIM905
_NUMBERS = frozenset("# ? $ ! RANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS OPTIND COLUMNS LINES".split())  # noqa: SIM905
"""Variables that hold a number."""
_MOST_STEPS, _LONGEST_OUTPUT = 3000, 100_000
_EVALUATED = re.compile(r"\w\[[^\]]*[$`]")
"""A subscript that bash evaluates once more."""
_RUNS_VALUE = re.compile(r"(?i)npm_config_(?:script_shell|shell|node_options)|GIT_CONFIG_(?:VALUE_\d|PARAMETERS)")
_MOST_RECIPES = 100
_GIVES_INPUT = re.compile(r"\binput\s*[=:]|\bcommunicate\b|\bstdin\s*[=.:]")
"""In code that runs a program: it may give it an input of its own."""
_GENERATORS = frozenset("python django-admin alembic prisma supabase husky ncu rails drizzle-kit go".split())  # noqa: SIM905
_CHANGES_TABLES = re.compile(
    r"(?i)\b(?:insert|update|delete|drop|create|alter|replace|vacuum|attach|import|restore|read)\b"
)
_MOST_RUNS, _MOST_ARGUMENTS, _MOST_NESTED, _DEEPEST = 600, 20_000, 30, 12
_OF_SHELL = frozenset(["eval", "time", "trap", "source", "."])
"""Programs that run functions and aliases of the shell."""
_THROUGH = frozenset(["env", "xargs", "parallel", "flock", "eval", "su", "runuser", "script"])


@lru_cache(20_000)
def _path_from(root: str, place: str, name: str) -> str:
    name = re.sub(r"^~\+(?=/|$)", ".", name.removeprefix("file://"))
    if name.startswith("~"):
        return posixpath.normpath(name)
    full = posixpath.normpath(posixpath.join(root, place, name))
    if full.startswith("/proc/") and (found := re.match(r"/proc/[^/]+/(cwd|root)(?=/|$)", full)):
        full = posixpath.normpath(f"{root if found[1] == 'cwd' else ''}/{full[found.end() :]}")
    if full.startswith("//"):
        full = full[1:]
    return "." if full == root else full.removeprefix("/" if root == "/" else f"{root}/")


def _without_values(words: Sequence[str]) -> list[str]:
    """The words of `jq` without the texts that it is given for names."""
    given = [at for at, word in enumerate(words) if word in {"--arg", "--argjson"}]
    return [word for at, word in enumerate(words) if not any(each <= at <= each + 2 for each in given)]


def _ends_with_valued(word: str, valued: Sequence[str]) -> bool:
    """Whether the last of several options of one letter takes a value: `-iu`."""
    *flags, last = [f"-{letter}" for letter in word[1:]] if re.fullmatch("-[A-Za-z]{2,}", word) else [""]
    return last in valued and not {*flags} & {*valued}


def _argument(words: Sequence[str], number: int) -> str:
    """The argument of this number."""
    if any(MANY in word for word in words[:number]):
        return ANY
    return words[number - 1] if number <= len(words) else ""


class Reading:
    """One command as it is followed."""

    def __init__(self, root: str, handlers: Mapping[str, Handler]) -> None:
        self.handlers = handlers
        self.root = root.rstrip("/") or "/"
        self.found = Effects()
        self.echo_escapes = False  # `sh` is dash here and bash there
        self.variables: dict[str, list[str]] = {"PWD": [self.root], "HOME": ["~"], "IFS": [" "]}
        self.variables |= {name: [self.root] for name in known.WORKSPACES}
        self.variables |= {"TMPDIR": [IN_TEMPORARY], **{name: [IN_RUNNER] for name in known.RUNNER_FILES}}
        self.arrays: dict[str, list[str]] = {"@": [MANY]}
        self.others: dict[str, list[list[str]]] = {}
        """What arrays may hold besides, as nothing here knows which branch is taken."""
        self.functions: dict[str, Group] = {}
        self.aliases: dict[str, str] = {}
        self.files: dict[str, str] = {}
        """Texts of files that the command itself has written; a mark for what is not known."""
        self.edited: dict[str, str] = {}
        """Those of them that another tool has written: what cannot be read of them is no doubt."""
        self.drafts: dict[str, str] = {}
        """What may stand in files that programs have written: the texts that those had."""
        self.links: dict[str, str] = {}
        """Programs that the command itself has given another name."""
        self.stack: list[str] = []
        """Where `popd` goes back to."""
        self.places = [""]
        """Where it may be; the first is the likely one."""
        self.certain, self.count, self.depth, self.calls, self.words, self.nested = True, 0, 0, 0, 0, 0
        self.steps, self.branches = 0, 0
        self.replaced: list[tuple[str, str]] = []
        """Files, functions and aliases that branches have replaced, and what stood there."""
        self.before: list[str | Group | None] = []
        self.stdin = ""
        """The input of the program that is followed now."""
        self.loops, self.mixed = 0, False
        """How many loops it is in, and whether what was printed there has been printed by turns."""
        self.moved: str | None = None
        """The input of the shell itself, where `exec` changed it."""
        self.tried: set[str] | None = None
        """Texts that one program may run, as far as they were followed."""
        self.entered: list[Group | str] = []
        """The functions and aliases that are followed now."""
        self.parents: list[int] = []
        """Which programs run what is followed now, as numbers among those that are found."""

    def saved(self) -> dict[str, object]:
        """What a lasting shell knows for its next command; texts of files only while they are few."""
        if sum(map(len, self.files.values())) > 1_000_000 or len(self.files) > 500:
            self.files = dict.fromkeys(list(self.files)[-500:], MANY)
        return {name: getattr(self, name).copy() for name in _LASTING}

    def restore(self, known: Mapping[str, object]) -> None:
        """Goes on where a lasting shell is."""
        for name in _LASTING:
            if name in known:
                setattr(self, name, copy(known[name]))

    def doubt(self, why: str) -> None:
        if why not in self.found.doubts and len(self.found.doubts) < 50:
            self.found.doubts.append(why)

    @contextmanager
    def uncertain(self) -> Iterator[None]:
        before, self.certain = self.certain, False
        try:
            yield
        finally:
            self.certain = before

    @contextmanager
    def text_in(self, path: str) -> Iterator[str]:
        """The text of a file that is followed now."""
        doubts = list(self.found.doubts)
        yield self.text_at(path) or ""
        if path in self.edited:
            self.found.doubts = doubts

    def text_at(self, path: str) -> str | None:
        """What the command has written to a file; also where only a part of the names is known."""
        if _STDIN.fullmatch(path):
            return self.stdin
        if _OPENED.match(path) and path not in self.files:
            return MANY
        text = self.files.get(path)
        if text is None and self.files:
            either = (each for each in self.files if (MARKS.search(each) or MARKS.search(path)) and path != each)
            found = [self.files[each] for each in either if overlaps(path, MARKS.sub("*", each))]
            text = "\n".join(found) if found else None
        return text

    # the tree

    def script(self, text: str, *, stdin: str = "", marked: bool = True) -> str:
        """Follows a script; what it prints."""
        if self.depth >= _DEEPEST:
            self.doubt("scripts in scripts, too many levels deep")
            return MANY
        text = text.replace(f"${STAR}", "$*").replace(f"${ONE}", "$?")  # no globs, once it is run
        if marked and (UNKNOWN.search(text) or re.search(rf"\$\{{[^}}]*[{STAR}{ONE}]", text)):
            self.doubt("a text is run that is computed")
        self.depth += 1
        try:
            nodes = parse(text, marked=marked)
        except UnreadableError as error:
            self.doubt(f"it cannot be read: {error}")
            nodes = error.nodes
        out = self.nodes(nodes, stdin)
        self.depth -= 1
        return out

    @contextmanager
    def branch(self) -> Iterator[None]:
        """What is followed now may not be run, or in a shell of its own: what it replaces still stands."""
        begun, words = len(self.replaced), self.arrays["@"]
        self.branches += 1
        try:
            yield
        finally:
            self.branches -= 1
            for (kind, key), old in reversed([*zip(self.replaced[begun:], self.before[begun:], strict=True)]):
                self.both(kind, key, old)
            if not self.branches:
                self.replaced, self.before = [], []
            if self.arrays["@"] is not words and self.arrays["@"] != words:
                self.others["@"] = [*self.others.get("@", []), words][-MOST_VALUES:]
                for number in range(1, 10):
                    old = _argument(words, number)
                    self.variables[str(number)] = few_values([*self.variables[str(number)], old])

    def replace(self, kind: str, key: str, new: str | Group) -> None:
        """Gives a file, a function or an alias another text or body."""
        table = getattr(self, kind)
        if self.branches and key in table:
            self.replaced.append((kind, key))
            self.before.append(table[key])
        table[key] = new

    def both(self, kind: str, key: str, old: str | Group | None) -> None:
        """Lets a name stand for what it stood for before a branch, too."""
        table = getattr(self, kind)
        new = table.get(key)
        if isinstance(old, Group) and isinstance(new, Group) and new is not old and old not in new.nodes[:1]:
            table[key] = Group((old, new))
        elif isinstance(old, str) and isinstance(new, str) and old not in new:
            table[key] = f"{old}\n{new}"
            if kind == "aliases":
                self.doubt("an alias is another one in a branch")

    def nodes(self, nodes: Sequence[Node], stdin: str = "") -> str:
        before, self.mixed = self.mixed, False
        outs = [self.node(node, stdin) for node in nodes]
        mixes = self.mixed and sum(map(bool, outs)) > 1  # what comes between is not known
        self.mixed |= before
        return MANY if mixes else "".join(outs)

    def node(self, node: Node, stdin: str) -> str:
        if isinstance(node, Group) and node.branch:
            with self.branch():
                return self.nodes(node.nodes, stdin)
        self.steps += 1
        if self.steps > _MOST_STEPS:
            self.doubt("it has too many commands, or loops in loops, to be read")
            return MANY
        if isinstance(node, Simple):
            return self.simple(node, stdin)
        if isinstance(node, Pipe):
            for each in node.nodes:
                with self.branch():
                    stdin = self.node(each, stdin)
            return stdin
        if isinstance(node, Function):
            self.replace("functions", node.name, node.body)
            if node.name == "command_not_found_handle":
                self.function(node.body, [node.name, MANY], "")
            return ""
        return self.group(node, stdin)

    def group(self, node: Group, stdin: str) -> str:
        stdin = self.redirects(node.redirects, stdin)
        values = [value for word in node.words for fields in self.fields(word) for value in fields]
        if any(_EVALUATED.search(value) for value in values):
            self.doubt("a subscript is evaluated")
        if node.variable:
            self.shifted(node.variable, values)
            self.variables[node.variable] = few_values(values) or [ANY]
        before = list(self.places)
        out = ""
        self.loops += node.loops
        with self.branch() if node.loops or node.subshell else nullcontext():
            for _ in range(2 if node.loops else 1):
                out += self.nodes(node.nodes, stdin)
        self.loops -= node.loops
        out = out if len(out) <= _LONGEST_OUTPUT else MANY
        if node.subshell:
            self.places = [*before, *(place for place in self.places if place not in before)][:6]
        self.keep(node.redirects, out)
        return out

    def simple(self, node: Simple, stdin: str) -> str:
        for name, words in node.assignments:
            values = [list(self.values(word)) for word in words]
            if name != "IFS" or not node.words:  # `IFS= read x` changes what that command reads, no other
                self.assign(name, values, exported=bool(node.words))
        choices = [self.fields(word) for word in node.words]
        stdin = self.redirects(node.redirects, stdin or self.moved or "")
        if choices == [[["exec"]]] and any(each.operator[0] == "<" for each in node.redirects):
            self.moved = stdin
        outs, total = [""], 1
        for choice in choices:
            total *= len(choice)
        if total > 16:
            self.doubt("a command has too many readings")
        for number, chosen in enumerate(product(*choices)):
            if number >= 16:
                break
            argv = [value for fields in chosen for value in fields]
            if argv:
                outs.append(self.follow_program(argv, stdin))
            elif not node.assignments and any(each.operator == "<" for each in node.redirects):
                outs.append(MANY)  # `$(<file)`
        if choices and not any(fields for choice in choices for fields in choice):
            self.doubt("a command is empty, or computed")
        varies = len({*outs[1:]}) > 1
        self.mixed |= varies
        out = "".join(outs[1:]) if varies and self.loops else MANY if varies else outs[-1]
        out = out if len(out) <= _LONGEST_OUTPUT else MANY
        self.keep(node.redirects, out)
        return out

    def keep(self, redirects: Sequence[Redirect], out: str) -> None:
        """Remembers what was written to files."""
        for each in redirects:
            if each.operator in {">", ">>", ">|", "&>"} and each.number in {"", "1"}:
                for path in [self.path(value) for value in self.values(each.word) if value != "/dev/null"]:
                    self.write_text(path, out, adds=each.operator == ">>")

    def write_text(self, path: str, text: str, *, adds: bool = False) -> None:
        """Remembers what a file holds; one that perhaps is not written keeps what it held, too."""
        self.replace("files", path, (self.files.get(path, "") if adds or not self.certain else "") + text)
        self.edited.pop(path, None)

    def redirects(self, redirects: Sequence[Redirect], stdin: str) -> str:
        for each in redirects:
            if each.operator in {"<<", "<<<"}:
                values = self.values(each.word)
                stdin = values[0] if len(values) == 1 else MANY
                continue
            values = [" ".join(fields) for fields in self.fields(each.word)]
            for value in values:
                if each.operator in {"<&", ">&"} and re.fullmatch(r"\d*-?", value):
                    copied = each.operator == "<&" and each.number in {"", "0"} and value not in {"0", "-"}
                    stdin = MANY if copied else stdin
                    continue
                if found := re.match(r"/dev/(?:tcp|udp)/([^/]+)/", value):
                    self.found.hosts.append(found[1])
                    self.found.writes.append(Touched(value))
                elif each.operator in {"<", "<>", "<&"}:
                    self.reads(value)
                    if each.number in {"", "0"}:
                        stdin = self.text_at(self.path(value)) or MANY
                if each.operator not in {"<", "<&"}:
                    self.writes(value)
        return stdin

    def shifted(self, name: str, values: Sequence[str], *, exported: bool = False) -> None:
        """Notes a variable that programs may look at."""
        if not is_plain_variable(name, values, exported=exported):
            self.found.shifts.append(f"{name[:40]} is set, by which programs may do something else")

    def assign(self, name: str, given: list[list[str]], *, exported: bool = False) -> None:  # noqa: C901 - one for each kind
        """Adds to what a variable may hold: nothing here knows which branch is taken."""
        adds, name = name.endswith("+"), name.rstrip("+")
        if len(given) != 1 or name in self.arrays:
            self.assign_array(name, [value for values in given for value in values][:MOST_WORDS], adds=adds)
            given = [[given[0][0] if given and given[0] else ""]]
        values = given[0]
        old = self.variables.get(name, [])
        if adds:
            values = [before + value for before in old or [""] for value in values]
        self.variables[name] = few_values([*old, *values] if name not in {"PWD", "IFS"} else [ANY])
        self.shifted(name, given[0] if len(given) == 1 else [], exported=exported)
        if _RUNS_VALUE.match(name) or any(_EVALUATED.search(value) for value in values):  # the latter by arithmetic
            self.doubt(f"what {name[:40]} holds may be run")
        if name == "IFS":
            self.doubt("IFS is changed")
        if name.endswith("MAKEFLAGS") and not all(map(_MAKE_FLAGS.fullmatch, values)):
            self.doubt(f"{name} says what else is run")
        if re.search(r"(?i)proxy$|ur[il]$|index|registr|endpoint|_base", name):
            self.found.hosts += hosts_of("curl", values, "")
        if exported and known.FILE_KINDS.fullmatch(name):
            with self.uncertain():
                for each in (part for value in values for part in value.split(":")):
                    self.reads(each, guess=True)
        for value in values if exported else ():
            if (path := self.path(value)) in self.files:
                self.text_of(path, self.files[path], name)
        if name in known.RUN_VARIABLES or known.RUN_KINDS.fullmatch(name):
            if name in known.RUN_FIRST:
                self.doubt(f"{name} says what else is run")
            for value in values:
                with self.uncertain():
                    for each in dict.fromkeys((value, *value.split("\n"), *(self.made(value) if "$" in value else ()))):
                        if each not in {"", "cat", "less", "true"}:
                            self.script(each)

    def assign_array(self, name: str, values: list[str], *, adds: bool) -> None:
        """Adds to what an array may hold."""
        is_set = name in self.arrays or name in self.variables
        held = self.arrays.get(name, self.variables.get(name, [])[:1])
        others = self.others.get(name, [])
        if adds:
            self.others[name] = [*([*each, *values] for each in others), *([[]] if not held or [] in others else [])]
            self.arrays[name] = [*held, *values][:MOST_WORDS]
        else:
            self.others[name] = [*others, *([held] if is_set and held not in (values, *others) else [])]
            self.arrays[name] = values
        if len(self.others[name]) > MOST_VALUES:
            self.others[name] = [[MANY]]

    # words

    def values(self, word: Word) -> list[str]:
        """What a word may be, where it is one word whatever it holds."""
        found = []
        for fields in self.fields(word, split=False):
            found.append(" ".join(fields))
        return found

    def fields(self, word: Word, *, split: bool = True) -> list[list[str]]:
        """The readings of a word, each with the words that it becomes."""
        if len(word) == 1 and isinstance(word[0], Text):
            part = word[0]
            if part.quoted or not (part.text in "*?[~{" or CLASS.search(part.text)):
                return [[part.text]]
        pieces = braced(word) if split and any(isinstance(p, Text) and p.text == "{" for p in word) else [word]
        readings: list[list[str]] = [[]]
        for piece in pieces:
            options = self.options(piece, split=split)
            readings = [[*before, *fields] for before in readings for fields in options]
            if len(readings) > MOST_VALUES:
                return [[MANY]]
        return readings

    def options(self, word: Word, *, split: bool) -> list[list[str]]:
        texts = [""]
        held = ""
        keeps = False
        for part in (*word, None):
            if isinstance(part, Text) and not part.quoted:
                held += part.text
                continue
            if held:
                text = opened_text(held) if split else held
                texts, held = [before + text for before in texts], ""
            if part is None:
                break
            keeps |= not isinstance(part, Computed) and part.quoted
            adds = self.part(part, split=split)
            texts = [before + each for before in texts for each in adds]
            if len(texts) > MOST_VALUES:
                texts = [MANY if split else ANY]
        if not split:
            return [[text.replace(SEP, " ")] for text in texts]
        found = []
        for text in texts:
            fields = [each for each in text.split(SEP) if each or (keeps and SEP not in text)]
            found.append(fields[:MOST_WORDS])
        return found

    def part(self, part: Variable | Text | Substitution | Computed, *, split: bool) -> list[str]:
        if isinstance(part, Text):
            return [part.text]
        if isinstance(part, Computed):
            self.values(part.parts)
            return [NUMBER]
        open_ = split and not part.quoted
        if isinstance(part, Substitution):
            places = list(self.places)
            with self.branch():
                out = self.nodes(part.nodes, MANY if part.kind == ">" else "")
            self.places = [*places, *(place for place in self.places if place not in places)][:6]
            if part.kind != "$":
                self.calls += 1
                name = f"/dev/fd/{60 + self.calls}"
                self.files[name] = out
                return [name]
            text = out.rstrip("\n") or ""
            if UNKNOWN.search(text):
                text = text.replace(MANY, MANY if open_ else ANY)
            return [opened_text(text) if open_ else text]
        return self.variable(part, opened=open_)

    def variable(self, part: Variable, *, opened: bool) -> list[str]:
        unknown = MANY if opened else ANY
        name = part.name
        others = [(SEP if opened else " ").join(fields) for fields in self.fields(part.word, split=opened)]
        if name in _NUMBERS or part.operator == "#":
            return [NUMBER]
        if part.operator == "*" or name in {"-", "_"}:
            said = "".join(each.text for each in part.word if isinstance(each, Text))
            is_plain = name[-1:] not in {"]", "@", "*"} and all(isinstance(each, Text) for each in part.word)
            given = self.variables.get(name) if is_plain else None
            cut = [changed_value(value, said) for value in given or [ANY]]
            return [unknown] if ANY in cut else [opened_text(each) if opened else each for each in cut]
        if name in {"@", "*"} or name.endswith("[@]"):
            name = name.removesuffix("[@]").replace("*", "@")
            held = (
                [self.arrays[name]] if name in self.arrays else [[each] for each in self.variables.get(name, [unknown])]
            )
            held = [each for each in (*held, *self.others.get(name, ())) if each] or [[]]
            between = SEP if part.name != "*" or opened else " "
            return [between.join(each) or SEP for each in held]
        values = self.variables.get(name, [unknown])
        if part.operator == "@P":
            for value in values:
                self.script(f'echo "{value}"')  # a prompt is expanded
            return [unknown]
        kind = part.operator.lstrip(":")
        if kind == "=":
            self.variables[name] = [*values, *self.values(part.word)][:MOST_VALUES]
        values = [opened_text(value) if opened else value for value in ([""] if kind == "+" else values)]
        return [*values, *(others if kind in {"-", "=", "+"} else ())]

    # programs

    def follow_program(self, argv: Sequence[str], stdin: str = "") -> str:
        """Follows a program with its arguments; what it prints."""
        self.count += 1
        self.words += len(argv)
        if self.count > _MOST_RUNS or self.words > _MOST_ARGUMENTS or self.nested > _MOST_NESTED:
            self.doubt("it runs too many programs, or with too many words, to be read")
            return MANY
        self.nested += 1
        runs, at = self.found.runs, len(self.found.runs)
        try:
            return self.followed(argv, stdin)
        finally:
            self.nested -= 1
            if runs[at:] and all(each.through for each in runs[at:]):  # it runs what no word of the command shows
                runs[at] = runs[at]._replace(through=False)

    def followed(self, argv: Sequence[str], stdin: str) -> str:
        """What a program prints, once it has been followed."""
        name = (argv[0] if argv[0][:1] == "@" else posixpath.basename(argv[0])).replace("\\", "")
        name = name or argv[0]  # shells differ on what quotes leave
        if UNKNOWN.search(argv[0]) or NUMBER in argv[0]:
            self.doubt("the name of a program is computed")
            self.unknown(argv)
            return MANY
        body = self.functions.get(name) or self.aliases.get(name)
        if body is not None and "/" not in argv[0] and not any(each is body for each in self.entered):
            return self.renamed(body, argv, stdin)
        if (link := self.links.get(self.path(argv[0]))) and link != name:
            self.links.pop(self.path(argv[0]))
            self.follow_program([link, *argv[1:]], stdin)
            self.links[self.path(argv[0])] = link
        if "/" not in argv[0] and len(self.variables.get("PATH", ())) and self.files:
            for path in [each for each in self.files if posixpath.basename(each) == name]:
                with self.uncertain(), self.text_in(path) as text:
                    self.script(text)
        name = known.plain_name(name)
        place = argv[0] if known.is_elsewhere(argv[0]) else ""
        argv = [name, *known.spelled_out(argv[1:], name)]
        if name.startswith("git-") and name[4:] in known.GIT:
            argv = ["git", name[4:], *argv[1:]]
            name = "git"
        if name == "docker-compose":
            name, argv = "docker", ["docker", "compose", *argv[1:]]
        through = name in known.WRAPPERS or name in known.SHELLS or name in _THROUGH
        by = self.parents[-1] if self.parents else -1
        self.parents.append(len(self.found.runs))
        self.found.runs.append(Ran(tuple(argv), self.certain, through, place, by))
        if place:
            self.as_script(place, argv[1:])
        if name not in known.NAMES_ONLY or name in {"ping", "traceroute", "brew", "apt", "apt-get"}:
            self.found.hosts += hosts_of(name, argv[1:], self.told_input(argv, stdin))
        before = list(self.places)
        self.places = [*before, *(place for place in self.told_places(name, argv) if place not in before)][:6]
        self.installs(argv, stdin)
        self.values_that_run(name, argv)
        self.by_itself(name, argv, stdin)
        out = self.handled(name, argv, stdin)
        self.parents.pop()
        if len(self.places) > len(before) and self.places[: len(before)] == before:
            self.places = before
        return out

    def as_script(self, name: str, words: Sequence[str]) -> None:
        """Notes a script that is run, by whatever interpreter and from whatever folder."""
        if not MARKS.search(name):
            self.found.runs.append(Ran((self.path(name), *words), self.certain, through=True, as_script=True))

    def renamed(self, body: Group | str, argv: Sequence[str], stdin: str) -> str:
        """What a function or an alias prints; the program of its name may be run instead: by whoever runs programs, or
        where the name was defined in a branch that is not taken, or in a shell of its own.
        """
        name = argv[0].replace("\\", "")
        self.entered.append(body)
        of_shell = not self.parents or self.found.runs[self.parents[-1]].words[0] in _OF_SHELL
        if isinstance(body, Group):
            out = self.function(body, argv, stdin)
        else:
            out = self.script(" ".join([body, *map(quoted, argv[1:])]), stdin=stdin)
        others = self.functions.pop(name, None), self.aliases.pop(name, None)
        with self.uncertain() if of_shell else nullcontext():
            if not of_shell or known.is_known(known.plain_name(name)) or name in self.handlers:
                self.followed(argv, stdin)
            else:
                self.found.runs.append(Ran((name, *argv[1:]), certain=False))
        self.functions |= {name: others[0]} if others[0] else {}
        self.aliases |= {name: others[1]} if others[1] else {}
        self.entered.pop()
        return out

    def handled(self, name: str, argv: Sequence[str], stdin: str) -> str:
        """What a program prints, by what is known of it."""
        self.stdin = stdin
        if (handler := self.handlers.get(name)) is not None:
            return handler(self, argv, stdin)
        if name in known.SHELLS:
            return self.shell(argv, stdin)
        if name in known.WRAPPERS:
            return self.wrapper(argv, stdin)
        if name == "gh" and argv[1:3] == ["alias", "set"] and len(argv) > 4:
            self.script(argv[-1][1:] if argv[-1][:1] == "!" else f"gh {argv[-1]}")
        if name == "cmake" and argv[1:3] == ["-E", "env"]:
            return self.follow_program(argv[2:], stdin)
        for mark in known.COMMAND_BEHIND.get(name, "").split():
            if mark in argv[:-1]:
                return self.follow_program(argv[argv.index(mark) + 1 :], stdin)
        if len(argv) > 1 and argv[1] in known.SUBCOMMAND_WRAPPERS.get(name, ()):
            return self.after(argv, 2, known.VALUED.get(name, ""), 0, stdin)
        return self.files_of(argv, stdin)

    def told_input(self, argv: Sequence[str], stdin: str) -> str:
        """The texts of a list of addresses that a program is given: its input, or a file that the command wrote."""
        given = [text for word in argv[1:] for each in (word, attached_value(word)) if each and
                 (text := self.text_at(self.path(each)))]  # fmt: skip
        return "\n".join([*given, *([stdin] if MANY not in stdin else [])])

    def told_places(self, name: str, argv: Sequence[str]) -> Iterator[str]:
        """Where else a program may work, by its options."""
        if name == "tar":
            return
        short = known.PLACED.get(name, "--")
        for word, follows in zip(argv[1:], [*argv[2:], ""], strict=False):
            if (found := known.PLACE.match(word)) and (value := follows if found[1] is None else found[1]):
                yield value
            elif word == short and follows:
                yield follows
        if name == "git":
            yield from self.variables.get("GIT_WORK_TREE", [])

    def function(self, body: Group, argv: Sequence[str], stdin: str) -> str:
        if self.depth >= _DEEPEST:
            self.doubt("a function calls itself")
            return MANY
        with self.given(argv[1:]):
            self.depth += 1
            out = self.group(body, stdin)
            self.depth -= 1
        return out

    @contextmanager
    def given(self, words: Sequence[str]) -> Iterator[None]:
        """What is followed now has these words as its arguments."""
        words_before, others = self.arrays["@"], self.others.pop("@", [])
        before = {key: self.variables.get(key) for key in map(str, range(1, 10))}
        self.bind(words)
        try:
            yield
        finally:
            self.arrays["@"], self.others["@"] = words_before, others
            for key, old in before.items():
                if old is None:
                    self.variables.pop(key, None)
                else:
                    self.variables[key] = old

    def bind(self, words: Sequence[str]) -> None:
        self.arrays["@"] = list(words)
        if not self.branches:
            self.others.pop("@", None)
        for number in range(1, 10):
            self.variables[str(number)] = [_argument(words, number)]

    def values_that_run(self, name: str, argv: Sequence[str]) -> None:
        options = known.RUN_BY_OPTION.get(name, "").split()
        for at, word in enumerate(argv[1:], 1):
            if name in known.EDITORS and not _EDITOR_RUNS.search(" ".join(argv[at : at + 2])):
                continue  # it searches, or edits
            for option in options:
                if word == option and at + 1 < len(argv):
                    value = argv[at + 1]
                elif word.startswith(f"{option}=") or (option == "+" and word.startswith("+")):
                    value = word[len(option) :].lstrip("=")
                elif len(option) == 2 and (clustered := re.match(rf"-[A-Za-z0-9]*?{re.escape(option[1])}", word)):
                    value = word[clustered.end() :] or (argv[at + 1] if at + 1 < len(argv) else "")
                else:
                    continue
                if option == "-wrapper":
                    self.follow_program(value.split(","))
                    continue
                if name == "make":
                    self.recipes(Makefile(value, self.variables))
                value = value.partition(":")[2] if name == "bind" else value
                if "\\" in value and name not in known.SHELLS:
                    self.doubt(f"{name} may take the backslashes away from what it runs")
                self.script(re.sub(r"^(?:exec=|[\w:-]*(?:Command|Invoke|Wrapper)[\w:]*=+|:*!|:+)", "", value))
            if (found := _RUNNING_OPTION.match(word)) and (
                (len(word) > 2 and name not in {"find", "pre-commit"})
                or not (
                    name in {"tox", "nox"}
                    or name in known.PATTERN_FIRST
                    or name in known.NAMES_ONLY
                    or name in self.handlers
                )
            ):
                given = found[1] if found[2] is None else found[2]
                self.maybe_run(given if given is not None else argv[at + 1] if at + 1 < len(argv) else "")

    def by_itself(self, name: str, argv: Sequence[str], stdin: str) -> None:  # noqa: C901 - one branch for each kind
        """What a program does of which no word of the command speaks."""
        if name in known.SUBSCRIPTED and any(map(_EVALUATED.search, argv[1:])):
            self.doubt("a subscript is evaluated")
        if self.files or self.drafts:
            self.written_for(name, argv)
        for option, value in pairwise(options_apart(argv, "f")):
            if _READ_OPTION.fullmatch(option) or (name in {"kubectl", "helm"} and option in {"-f", "--filename"}):
                self.reads(value, tree=option == "--homedir")
        with self.uncertain():
            if name.startswith("dotenv") or "dotenv/config" in argv:
                self.reads(".env")
            for shape, made in known.GENERATED_BY.items() if name in _GENERATORS else ():
                if re.match(shape, " ".join(argv)) and not {"--check", "--dry-run"} & {*argv}:
                    for each in made.split():
                        self.writes(each)
            if name in {"sqlite3", "duckdb"} and (
                stdin == MANY or _CHANGES_TABLES.search(" ".join([*argv[2:], stdin]))
            ):
                self.writes("".join(positionals(argv[1:])[:1]))
            for each in known.INITIALIZED.get(name, "").split() if "--init" in argv else ():
                self.writes(each)
            for word in argv[1:] if name in {"http", "https", "xh", "xhs"} else ():
                self.reads(word.rpartition("@")[2] if "@" in word else "")
            for loaded in re.findall(r"load\w*\(\s*[\"']([^\"']+)", " ".join(argv)) if name == "yq" else ():
                self.reads(loaded)
        if any(map(known.NAMES_FROM.match, argv[1:])) or (name == "tar" and "-T" in argv):
            self.found.reads.append(Touched(ANY, certain=False))
            if name not in known.INERT or name in {"git", "rsync"}:
                self.found.writes.append(Touched(ANY, certain=False))
        if name in known.COMPILERS and stdin not in {"", MANY}:
            self.follow(read_code(stdin, "c"), "c")
        if (name in known.LAST_WRITTEN or (name in {"kubectl", "oc"} and argv[1:2] == ["cp"])) and len(
            plain := positionals(argv[1:])
        ) > 1:
            self.writes(plain[-1])
        for word in argv[1:] if name in known.MANY_TARGETS else ():
            found = re.fullmatch(r"([\w.]+) *[:+?!]*=(.*)", word, re.DOTALL)
            if found and not PLAIN_VALUE.fullmatch(found[2]):  # a variable may be a command
                runs = known.RUN_KINDS.fullmatch(found[1]) or not UNKNOWN.search(found[2])
                for each in self.made(found[2]):
                    (self.script if runs else self.maybe_script)(each)
        subcommands, written = known.WRITES_FILES.get(name, ("", ""))
        if subcommands and (plain := positionals(argv[1:])) and not has_flag(argv[1:], "g", "--global"):
            which = next((word for word in plain[:3] if word in subcommands.split()), None)
            if which is not None:
                listed = written.split()
                if plain[-1] == which and name not in {"go", "init"} and which not in {"init", "version"}:
                    listed = listed[1:]  # without a package it leaves the manifest alone
                if (which == "pkg" and "get" in plain) or _FROZEN & set(argv):
                    return
                sure = which in ({"lock", "update", "upgrade"} if plain[-1] == which else _CHANGE_LISTS)
                with nullcontext() if sure else self.uncertain():
                    for each in listed:
                        self.writes(each)
        if name == "npm" and "pkg" in argv and "set" in argv:
            self.files["package.json"] = "\n".join(word.partition("=")[2] for word in argv)

    def written_for(self, name: str, argv: Sequence[str]) -> None:
        """What a program finds in files that the command has written: those that it looks for by itself, or is told."""
        own = re.compile(known.RUNS_FILES[name]) if name in known.RUNS_FILES else None
        told = " ".join(argv[1:]) if name not in known.INERT else ""
        folders = {self.path(word) for word in argv[1:]} - {"."}
        is_read = name == "python" and argv[1:2] in (["-c"], ["-"], [])  # its code is, and tells what else it runs
        for path, text in [*self.files.items(), *self.drafts.items()]:
            base = posixpath.basename(path)
            named = re.search(rf"(?<![\w-]){re.escape(base.removesuffix('.py'))}(?![\w-])", told) is not None
            named &= not is_read or base.endswith(".py")
            named |= not known.is_known(name) and posixpath.dirname(path) in folders  # it may run all that is there
            named &= not (name in _RUN_SCRIPTS and _DATA.search(base) and base not in "".join(argv[1:2]))
            own_file = own is not None and own.search(path) is not None
            if path in self.edited:  # code is followed where it is named, and other text where a program looks for it
                is_code = posixpath.splitext(path)[1] in _SUFFIXES
                named, own_file = named and is_code, own_file and not is_code
            if named or own_file:
                doubts = list(self.found.doubts)
                self.text_of(path, text, name)
                self.found.doubts = doubts if path in self.edited else self.found.doubts

    def text_of(self, path: str, text: str, name: str) -> None:
        """What a program may do that gets a text."""
        if UNKNOWN.search(text):
            self.doubt(f"{name} runs what {path} says, which is computed")
        with self.uncertain():
            language = _SUFFIXES.get(posixpath.splitext(path)[1], "awk" if name == "awk" else None)
            if language is not None:
                return self.code(text, language)
            if name in known.SHELLS and re.search("(?:rc|profile)$", path):
                self.script(text)
                return None
            if name in {"make", "MAKEFILES"}:
                for words in re.findall(r"(?m)^[-s]?include (.+)", text):
                    text = "\n".join([text, *(self.text_at(self.path(each)) or "" for each in words.split())])
                return self.recipes(Makefile(text, self.variables))
            if text.startswith("#!") or path.endswith((".sh", ".bash")) or "/hooks/" in path:
                self.script(text)
            lines = [line.strip().lstrip("@-") for line in text.split("\n")]
            for each in (*lines, *(literal for pair in _LITERALS.findall(text) for literal in pair))[:100]:
                if name in known.SHELLS:
                    self.maybe_script(each)
                if SPACE.search(each) or (each and name in known.SHELLS):
                    self.maybe_run(each)
        return None

    def recipes(self, makefile: Makefile) -> None:
        """Follows what a makefile would run."""
        commands = list(dict.fromkeys(makefile.commands))
        for each in commands[:_MOST_RECIPES]:
            self.script(each)
        if makefile.doubt or len(commands) > _MOST_RECIPES:
            self.doubt(f"a makefile: {makefile.doubt or 'it is too long'}")

    def made(self, value: str) -> list[str]:
        """The commands that a value may be once `make` has put variables in, as a whole and each of its lines."""
        makefile = Makefile("", self.variables)
        texts = makefile.expanded(value)
        with self.uncertain():
            self.recipes(makefile)
        return list(dict.fromkeys(part for text in texts for part in (text, *text.split("\n"))))

    def unknown(self, argv: Sequence[str]) -> None:
        """What a program might do that nothing is known of: run its arguments, read and write the files they name."""
        if "--" in argv[:-1] and known.is_known(posixpath.basename(argv[argv.index("--") + 1])):
            self.follow_program(argv[argv.index("--") + 1 :])
        with self.uncertain():
            for at, word in enumerate(argv[1:60], 1):
                base = posixpath.basename(word)
                known_here = base in known.SHELLS or base in known.WRAPPERS or base in self.handlers
                if word == ANY and re.match(r"--\w", argv[at - 1]) and not _RUNNING_OPTION.match(argv[at - 1]):
                    continue  # the value of an option
                if known_here and self.depth < 4:
                    self.depth += 1
                    self.follow_program(argv[at:])
                    if "--" in argv[at:]:  # what is behind it may be its arguments
                        self.follow_program([word, *argv[at + argv[at:].index("--") + 1 :]])
                    self.depth -= 1
                elif _BETWEEN.search(word):
                    self.maybe_run(word)
                elif known_here or (word[:1] != "-" and base and not ({STAR, ONE} & {*base} and "." in base)):
                    by = self.parents[-1] if self.parents else -1
                    self.found.runs.append(Ran((base, *argv[at + 1 :]), certain=False, by=by))
            for path in path_words(argv[1:]):
                self.reads(path, guess=True)
                self.writes(path, guess=True)

    def maybe_run(self, text: str) -> None:
        """A text that a program may run in a language that is not known: each name in it may be run, read, written."""
        if self.tried is not None and text in self.tried:
            return
        outermost = self.tried is None
        self.tried = {text, *(self.tried or ())}
        with self.uncertain():
            if (
                SPACE.search(text)
                and len(text) < 2000
                and self.depth < 4
                and text.lstrip()[:1] not in {"*", STAR, "-", ">"}
            ):
                for each in (text, *(literal for pair in _LITERALS.findall(text) for literal in pair)):
                    self.maybe_script(each)
            tokens = [each for each in _BETWEEN.split(text[:2000]) if each][:40]
            is_followed = self.depth < 4 and known.is_known(
                known.plain_name(posixpath.basename("".join(text.split()[:1])))
            )
            for at, token in enumerate(tokens):
                self.found.runs.append(
                    Ran((posixpath.basename(token) or token, *tokens[at + 1 : at + 6]), certain=False)
                )
                if "." in token or "/" in token:
                    self.reads(token)
                    self.writes("" if is_followed else token)
        self.tried = None if outermost else self.tried

    def maybe_script(self, text: str) -> None:
        """A text that a program may give to a shell, or may not: what cannot be read of it is no doubt."""
        doubts = list(self.found.doubts)
        self.script(text)
        self.found.doubts = doubts

    def after(self, argv: Sequence[str], at: int, valued: str, skip: int, stdin: str) -> str:
        """Follows the command that a wrapper runs, behind its own options and its first words."""
        values = valued.split()
        seconds: list[int] = []
        while at < len(argv) and (argv[at].startswith("-") or skip > 0 or (argv[0] == "sudo" and "=" in argv[at])):
            word = argv[at]
            if given := ASSIGNED.fullmatch(word):
                self.assign(given[1], [[given[2]]], exported=True)
            if word == "--":
                at += 1
                break
            if re.match(r"--?[\w-]*(?:file|env|config)", word):
                with self.uncertain():
                    self.reads(word.partition("=")[2] or (argv[at + 1] if at + 1 < len(argv) else ""))
            if not word.startswith("-"):
                skip -= 1
            elif word in values or re.fullmatch(r"-\w?[lL]\w*", word) or _ends_with_valued(word, values):
                value = argv[at + 1] if at + 1 < len(argv) else ""
                with self.uncertain():
                    if not UNKNOWN.search(value) or re.search("file|path|dir|out|log|^-o", word):
                        self.reads(value)
                        self.writes(value, guess=True)
                if word in values or _ends_with_valued(word, values):
                    at += 1
                else:
                    seconds.append(at + 2)
            elif (
                "=" not in word
                and not (word[:2] in values and len(word) > 2)
                and word not in known.FLAGS.get(argv[0], ())
            ):
                seconds.append(at + 2)  # whether it takes a value is not known
            at += 1
        at += skip if 0 < at <= len(argv) and argv[at - 1] == "--" else 0
        for second in seconds:
            if second > at and second < len(argv):
                with self.uncertain():
                    self.follow_program(argv[second:])
        return self.follow_program(argv[at:], stdin) if at < len(argv) else MANY

    def wrapper(self, argv: Sequence[str], stdin: str) -> str:
        name = argv[0]
        if name == "command" and len(argv) > 1 and re.fullmatch(r"-p?[vV]", argv[1]):
            return argv[-1]
        valued, skip = known.WRAPPERS[name]
        if name == "taskset" and "-p" in argv:
            return MANY
        if name == "direnv" and argv[1:2] != ["exec"]:
            for each in path_words(argv[2:]):
                self.reads(each)
            return MANY
        return self.after(argv, 1, valued, skip, stdin)

    def shell(self, argv: Sequence[str], stdin: str) -> str:
        """What a shell prints that runs a script."""
        before, self.echo_escapes = self.echo_escapes, argv[0] in {"sh", "dash", "zsh"}
        try:
            return self._shell(argv, stdin)
        finally:
            self.echo_escapes = before

    def _shell(self, argv: Sequence[str], stdin: str) -> str:  # noqa: C901 - one branch for each option
        at, commanded, from_input = 1, False, False
        while at < len(argv) and argv[at][:1] in {"-", "+"} and len(argv[at]) > 1:
            word = argv[at]
            at += 1
            if word == "--":
                break
            if word in {"--rcfile", "--init-file"} and at < len(argv):
                self.sourced(argv[at], argv[at + 1 :], stdin)
                at += 1
            elif argv[0] == "pwsh":
                commanded |= word.lower().startswith("-c")
            elif not word.startswith("--"):
                commanded |= "c" in word[1:] and word[0] == "-"
                from_input |= "s" in word[1:]
                at += word.count("o") + word.count("O")
        if at < len(argv) and MANY in argv[at] and not commanded:
            self.doubt("what a shell runs is computed")
        if commanded:
            if at >= len(argv):
                return MANY
            zero = self.variables.get("0")
            self.variables["0"] = [argv[at + 1]] if at + 1 < len(argv) else ["sh"]
            with self.given(argv[at + 2 :]):
                out = self.script(argv[at], stdin=stdin)
            if zero is not None:
                self.variables["0"] = zero
            return out
        if at < len(argv) and not from_input and argv[at] != "-":
            if re.fullmatch(r"\w[\w-]*", argv[at]):  # of a name alone shells look for a script on PATH, too
                self.found.runs.append(Ran(tuple(argv[at:]), certain=False))
            if "-n" in argv[:at]:  # it is checked
                return self.files_of(["cat", argv[at]], "")
            return self.sourced(argv[at], argv[at + 1 :], stdin)
        if stdin != "":
            return self.script(stdin)
        return MANY

    def sourced(self, name: str, words: Sequence[str], stdin: str, *, by_shell: bool = False) -> str:
        """Follows a script in a file, where the command itself has written that."""
        self.reads(name)
        with self.uncertain():
            for each in path_words(words):
                self.reads(each, guess=True)
                self.writes(each, guess=True)
        path = self.path(name)
        self.as_script(name, words)
        if UNKNOWN.search(name):
            self.doubt("the name of a script is computed")
        if self.text_at(path) is not None:
            same = not words and by_shell  # it has the arguments of the shell
            with nullcontext() if same else self.given(words), self.text_in(path) as text:
                return self.script(text, stdin=stdin)
        self.note_made(path)
        return MANY

    def note_made(self, path: str) -> None:
        """Notes that a script is run which a program has written before."""
        if any(each.path == path and not each.guess and not each.tree for each in self.found.writes):
            self.doubt(f"{path[:80]} is run, which a program has written")

    def code(self, text: str, language: str, words: Sequence[str] = ()) -> None:
        """Follows a program in another language by its literals, and by the words that it is given."""
        if UNKNOWN.search(text):
            self.doubt(f"{language} code is computed")
        with self.uncertain():
            for found in _IMPORTED.finditer(text) if language == "python" else ():
                for each in dict.fromkeys((found[1] or found[2], f"{found[2]}.{found[3]}")):
                    self.as_script(f"{each.replace('.', '/')}.py", ())
        self.follow(read_code(text, language, words if not any(MANY in word for word in words) else ()), language)

    def follow(self, code: Code, language: str) -> None:
        stdin = MANY if _GIVES_INPUT.search(code.text) else self.stdin
        self.drafts |= {
            self.path(path): "\n".join(each for each in code.texts if each != path)[:_LONGEST_OUTPUT] or old
            for path in code.writes
            for old in [self.drafts.get(self.path(path), "")]
        }
        for words in code.runs:
            self.follow_program(words, stdin)
        for script, given in (*((each, stdin) for each in code.scripts), *code.fed):
            self.script(script, stdin=given)
        for place in code.places:
            self.places = [*self.places, *([place] if place not in self.places else [])][:6]
        with self.uncertain():
            for words in code.perhaps:
                self.found.runs.append(Ran((posixpath.basename(words[0]) or words[0], *words[1:]), certain=False))
        for path in code.reads:
            self.reads(path, tree=code.deep and may_be_folder(path))
        for path in code.writes:
            self.writes(path, tree=code.whole and may_be_folder(path))
        with self.uncertain():
            if code.reads_computed:
                self.found.reads.append(Touched(ANY, certain=False))
            if code.writes_computed:
                self.found.writes.append(Touched(ANY, certain=False))
            if "dotenv" in code.text:  # it looks for the file by itself
                self.reads(".env")
        self.found.hosts += hosts_of_code(code.texts, code.text, language)
        self.found.packages += [("CRAN", each) for each in code.texts if "install.packages(" in code.text]
        self.found.hosts += [host for text in code.given if "://" in text for host in hosts_of("curl", [text], "")]
        if code.doubt:
            self.doubt(f"{language} code: {code.doubt}")

    # files

    def path(self, name: str, place: str | None = None) -> str:
        """A path from the workspace's root."""
        if re.match("~-(?:/|$)", name):
            name = self.variables.get("OLDPWD", [ANY])[0] + name[2:]
        return _path_from(self.root, self.places[0] if place is None else place, name)

    def touched(self, name: str, *, tree: bool = False, guess: bool = False, fresh: bool = False) -> Iterator[Touched]:
        if not name or name == "-":
            return
        for number, place in enumerate(self.places):
            yield Touched(self.path(name, place), self.certain and not number, tree, guess, fresh)
            if name[0] in "/~":
                return

    def reads(self, name: str, *, tree: bool = False, guess: bool = False) -> None:
        if "/dev/fd/" not in name:
            self.found.reads += self.touched(name, tree=tree, guess=guess)

    def writes(self, name: str, *, tree: bool = False, guess: bool = False, fresh: bool = False) -> None:
        if not _NO_FILE.match(name):
            self.found.writes += self.touched(name, tree=tree, guess=guess, fresh=fresh)

    def files_of(self, argv: Sequence[str], stdin: str) -> str:  # noqa: C901 - one branch for each kind
        """Which files a program reads and writes that runs none of its arguments, or of which nothing is known."""
        name, words = argv[0], without_excluded(argv[1:])
        if name not in known.NAMES_ONLY:
            self.outputs(name, words, stdin)
        if name == "tree" or (name == "rg" and "--files" in words):
            return MANY  # they show names
        path = self.path(argv[0])
        if name in {"chmod", "chown", "chgrp", "setfacl", "chattr"}:
            with self.uncertain():
                given = any(re.match(r"-[rwxXst]+(?:$|,)|--reference", word) for word in words)
                for each in positionals(words)[not given :]:
                    self.writes(each, tree=has_flag(words, "R"))
        if name in known.NAMES_ONLY:
            return words[0] if name == "which" and len(words) == 1 else MANY
        if name in known.READERS:
            if name in {"jq", "yq"}:
                words = _without_values(words)
            values = [at for at, word in enumerate(words, 1) if name == "rg" and _RG_VALUED.fullmatch(word)]
            plain = positionals([word for at, word in enumerate(words) if at not in values])
            if name in {"cpio", "tar", "zip", "rsync"} and (
                name == "cpio" or {"-@", "-T", "--files-from=-"} & set(words)
            ):
                with self.uncertain():
                    for each in stdin.split():
                        self.reads(each)
            for each in plain if name == "cpio" and has_flag(words, "pi") else ():
                self.writes(each, tree=True)
            plain = plain[1:] if name == "7z" else plain
            if name == "xxd" and has_flag(words, "r") and len(plain) > 1:
                self.writes(plain[-1])
            if name in known.PATTERN_FIRST:
                options = known.PATTERN_FIRST[name].split()
                if name == "yq" and len(plain) == 1:  # an expression, or the file of it
                    with self.uncertain():
                        self.reads(plain[0])
                if not any(word == each or word.startswith(each) for word in words for each in options):
                    plain = plain[1:]
                if name == "tr":
                    return MANY if MARKS.search(stdin) else ANY
            letters = "-[a-eg-zA-Z]+" if name in known.PATTERN_FIRST else r"-[\w]+"  # options that stand together
            options = [value for word in words if (value := attached_value(word)) and not re.fullmatch(letters, word)]
            recursive = name.endswith("grep") or name in {"diff", "zip", "rsync"}
            deep = name in {"rg", "ag", "ack"} or (
                recursive and has_flag(words, "rR", "--recursive", "--dereference-recursive")
            )
            if name.endswith("grep") or name in {"rg", "ag", "ack"}:
                plain = plain or (["."] if deep else [])
            shapes = included(words) if name.endswith("grep") or name in {"rg", "ag", "ack"} else []
            if shows_names(name, words):  # of what is in a folder it says no more than that it is there
                deep, shapes = False, []
                plain = [each for each in plain if not MARKS.match(posixpath.basename(each))]
            for each in (*plain, *options) if not shapes else ():
                recurses = (deep or name in {"tar", "zip", "7z", "diff"}) and may_be_folder(each)
                shown_only = name in {"rg", "ag"} and not has_flag(words, "u.", "--hidden", "--unrestricted")
                self.reads(f"{each}/{STAR}" if recurses and shown_only else each, tree=recurses)
            for each in (plain or ["."]) if shapes else ():
                for path in named_below(each, shapes) if may_be_folder(each) else [each]:
                    self.reads(path)
            prints = name in _PACKERS and has_flag(words, "ctl", "--stdout", "--list", "--test")
            if (
                name in known.EDITORS
                or (name in known.WRITERS and not prints)
                or ({"--in-place", "--inplace", "--write"} & set(words) or (name == "yq" and has_flag(words, "i")))
            ):
                for each in plain:
                    self.writes(each)
            return MANY
        if name in known.WRITERS:
            deep = name == "rm" and has_flag(words, "rR", "--recursive")
            for each in positionals(words):
                made = posixpath.basename(each.rstrip("/")) in known.GENERATED
                if not (MARKS.search(each) and (made or name == "mkdir")):  # a new folder, or one that was generated
                    self.writes(each, tree=deep and may_be_folder(each), fresh=made)
            return ""
        if f"{name} {words[0] if words else ''}" in known.FORMATTERS:
            name, words = f"{name} {words[0]}", words[1:]
        if name in known.FORMATTERS and (
            name not in {"ruff", "eslint", "golangci-lint run"} or {"--fix", "format"} & set(words)
        ):
            keeps = any(
                re.match(r"--(?:check|diff|list-different|dry-run)|-(?:[cld]|check|diff|write=false)$", word)
                for word in words
            )
            shows = any(re.match(r"--diff|-d$", word) for word in words)
            if name in known.ONLY_IN_PLACE and not has_flag(words, "wi", "--write", "--in-place", "--inplace"):
                keeps, shows = True, not has_flag(words, "l", "--check", "--list-different")
            shapes = [f"{STAR}.{kind}" for kind in known.FORMATTERS[name].split()]
            plain = positionals(words)
            plain = [each.removesuffix("/...") for each in plain if not each.isdecimal()]
            plain = plain[1:] if plain[:1] in (["check"], ["format"], ["lint"], ["ci"]) else plain
            for each in plain or (["."] if name in known.FORMAT_ALL else []):
                deep = may_be_folder(each)
                some = bool(shapes) and deep  # of those below a folder
                for path in named_below(each, shapes) if some else [each]:
                    if shows or not some:
                        self.reads(path, tree=deep and not shapes)
                    if not keeps:
                        self.writes(path, tree=deep and not shapes)
            return MANY
        if name in known.TOOLS:
            with self.uncertain():
                copies = name in _NO_FILES and _COPIES & {*words}
                for each in path_words(words):
                    if (name not in _NO_FILES or copies or re.search("[./]", each)) and words[:1] != ["api"]:
                        self.reads(each, tree=bool(copies) and "://" not in each and may_be_folder(each))
                for word, follows in zip(words, [*words[1:], ""], strict=False):
                    value = word.partition("=")[2] or follows
                    named = not MARKS.search(value) or re.search("out|file|path|dest|dir|report|log|save", word)
                    if named and re.match(r"--", word) and not _NO_OUTPUT.match(word):
                        self.writes(value, tree=True, guess=True, fresh=True)
            marks = {"exec", "ssh", "shell", "--"} - ({"--"} if name == "gh" else set())
            at = next((n for n, word in enumerate(argv) if n and word in marks), None)
            if at is not None and name != "git":
                self.unknown(argv[at:])  # `kubectl exec pod -- rm x`
            return MANY
        for written in {path, self.path(name)}:
            if self.text_at(written) is not None:
                with self.text_in(written) as text:
                    self.script(text)
        self.unknown(argv)
        if stdin and MANY not in stdin and len(stdin) < 5000 and self.depth < 4:
            for each in stdin.split("\n"):
                self.maybe_run(each)
        return MANY

    def outputs(self, name: str, words: Sequence[str], stdin: str) -> None:
        """Files that options name as outputs, and what a program runs by a mark of its own, or as its commands."""
        escapes = name in known.EDITORS or name in known.COMMANDED
        with self.uncertain():
            for text in [*words, *stdin.split("\n")[:100]] if escapes else ():
                for token in re.split(r"[\s'\"|;>]+", text) if SPACE.search(text) else ():
                    self.reads(token)
                    self.writes(token)
                if found := _ESCAPE.search(text):
                    (self.script if not found.start() else self.maybe_script)(found[1])
            for at, word in enumerate(words):
                follows = words[at + 1] if at + 1 < len(words) else ""
                if word in {"-o", "-out"} and not name.endswith("grep"):
                    self.writes(follows, tree=True, fresh=True, guess=_FORMAT.match(follows) is not None)
                elif found := _OUTPUT.match(word):
                    self.writes(found[1] or follows, tree=True, fresh=True)
                elif found := _OWN_OUTPUT.match(f"{name} {word}"):
                    self.writes(found[1] or follows)
            if name in {"split", "csplit"}:
                plain = positionals(words)
                begin = plain[-1] if len(plain) > 1 and name == "split" else "x"
                self.writes(begin if begin != "x" else "")
                self.write_text(self.path(f"{begin}{STAR}"), MANY)
        if name == "unzip" and not has_flag(words, "lvtpZ"):
            self.writes(words[words.index("-d") + 1] if "-d" in words[:-1] else ".", tree=True)

    def installs(self, argv: Sequence[str], stdin: str = "") -> None:
        """Notes the packages that a command would install."""
        found = installed_packages(argv)
        self.found.packages += [(ecosystem, each) for ecosystem, each in found if not each.startswith("-")]
        lists = {"-r", "--requirement", "--requirements"} | (
            {"sync", "compile"} if argv[:2] == ["uv", "pip"] else set()
        )
        for word, follows in pairwise(argv) if argv[0] in {"pip", "uv"} else ():
            value = follows if word in lists else ""
            value = value or (re.match(r"(?:-r|--requirements?=)(.+)", word) or ["", ""])[1]
            if value:
                text = stdin if value in {"-", "/dev/stdin"} else self.text_at(self.path(value)) or ""
                self.found.packages += listed_packages(text)
