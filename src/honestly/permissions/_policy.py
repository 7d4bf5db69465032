"""A policy: rules on the use of tools, and what they decide.

A rule is `Tool` or `Tool(pattern)`, in the words in which people write them for agents: `Bash(npm run test:*)`,
`Edit(docs/**)`, `Read(.env)`, `WebFetch(domain:example.org)`, `mcp__github`; besides, `Host(*.example.org)`,
`Package(PyPI:left*)`, `Secret`, `Size(1000000)`. **Deny** if any part of a use fits, **ask** where one may fit or
cannot be read, **allow** otherwise, or, where the policy asks by default, only if every part is allowed. What a shell
command would run, read and write is worked out (`_reading`), so that a rule on files holds for commands, too.
"""

import json
import posixpath
import re
import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Literal

from honestly.errors import SettingsError
from honestly.permissions._effects import Effects, Ran, Touched
from honestly.permissions._follow import ShellState, code_effects, effects_of
from honestly.permissions._hosts import hosts_of
from honestly.permissions._matching import (
    Fit,
    first_folder,
    first_folders,
    fits_exactly,
    fits_path,
    fits_run,
    named_words,
    program_run,
    programs_of,
    wrapped_pattern,
)
from honestly.permissions._options import is_steering, not_understood, without_leading_options
from honestly.permissions._packages import package_name, same_package
from honestly.permissions._programs import CONTAINERS, SHELLS, WRITES_FILES, is_known
from honestly.permissions._words import ANY, MARKS, STAR, globbed, may_be_folder, named_below, overlaps, patched_paths

Word = Literal["deny", "ask", "allow"]

WORDS: tuple[Word, ...] = ("deny", "ask", "allow")
_RULE = re.compile(r"\s*([\w.*-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_LONGEST_RULE, _MOST_RULES = 1000, 5000
_SHELL_TEXT = """bash shell execute_bash run_shell_command local_shell exec_command terminal write_stdin monitor
powershell execute_command run_in_terminal run_command run_terminal_cmd run_terminal_command shell_command"""
_SHELL = frozenset(_SHELL_TEXT.split())
_HOME = re.compile(r"/(?:root|(?:home|Users)(?:/[^/]+)?|var|usr|etc)?/?")
"""Workspaces in which a home, or what a rule names from the root, may lie."""
_FOLDERS_TEXT = "workdir cwd directory dir_path working_directory working_dir work_dir current_dir exec_dir cd dir path"
_FOLDERS = tuple(_FOLDERS_TEXT.split())
"""Arguments of tools that say where a command begins."""
_NAMES = {
    **dict.fromkeys(("python", "execute_ipython_cell", "execute_python", "run_code"), ("python", "notebookedit")),
    **dict.fromkeys(("search", "web_search", "google_web_search"), ("search", "websearch")),
    **dict.fromkeys(("browser", "web_fetch", "fetch_webpage"), ("browser", "webfetch")),
    "helper": ("helper", "task", "agent"),
    "skill": ("skill",),
}
_SEARCHES = frozenset({"grep", "search_file_content", "grep_search", "grep_files"})
_SHAPES = ("glob", "include", "include_pattern")
"""Arguments that say in which files is searched."""
_READ_TEXT = "read read_file read_many_files view_file notebookread glob ls list_directory list_dir"
_READ = frozenset([*_READ_TEXT.split(), *_SEARCHES])
_EDIT_TEXT = """edit write multiedit multi_replace_string_in_file write_file replace notebookedit create apply_patch
str_replace_editor str_replace_based_edit_tool text_editor write_to_file create_file insert_edit_into_file edit_file
replace_in_file replace_string_in_file apply_diff search_replace patch delete_file file_editor"""
_EDIT = frozenset(_EDIT_TEXT.split())
_SPELLINGS = {each.replace("_", ""): each for each in (*_SHELL, *_READ, *_EDIT, *_NAMES)}
_COMMAND_KEYS = frozenset({"command", "cmd", "script", "commands", "argv", "command_line"})
_TYPES = re.compile(
    "send_?keys|(?:bash|shell|terminal|process|command|stdin).*input|(?:write|send|type|interact|input).*"
    "(?:bash|shell|terminal|process|command|stdin|keys)"
)
_TYPED_KEYS = frozenset({"input", "input_text", "chars", "keys", "text", "data"})
"""In the names of tools that type into a program that runs, and their arguments that hold what is typed."""
_TAGGED_PATH = re.compile(r"<(?:file_?)?path>\s*([^<]{1,500}?)\s*</")
_INSTALLS = re.compile("install|packag")
_PACKAGE_KEYS = re.compile(r"(?:dependency|package)(?:s|_list|_names?)?|dependencies")
"""In the names of tools that install packages, and their arguments that name these."""
_DEEPEST = 100
_PATH_KEYS = re.compile(
    r"(?:\w*_)?(?:(?:file)?paths?|files?|filename|source|destination|uri|directory|folder|notebook|pdfs?|images?)(?:_in_\w+)?"
)
_CONTENT_TEXT = """content contents text string str query pattern regex regexp prompt description message title body
comment summary subject label labels reason explanation thought thoughts question answer instruction instructions todo
todos plan step note snippet search replace replacement repl changes changelog diff patch code result memory rule
context task"""
_CONTENT = frozenset(_CONTENT_TEXT.split())
"""Words in the names of arguments that hold a text, which names no file and no command whatever it says."""
_LONGEST_TRIED, _MOST_TRIED = 4096, 50
_BARE_HOST = re.compile(
    r"(?://)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|co|app|edu|gov|info|sh|me|xyz|[a-z]{2})(?:[/:?]|$)"
)
_HOST_KEYS = frozenset("url urls uri uris host hosts domain domains address endpoint href link links".split())  # noqa: SIM905
"""Arguments of tools that name commands, files and hosts."""
_CHANGES = re.compile(
    "write|edit|create|move|delete|remove|rename|update|append|patch|save|put|replace|insert|mkdir|copy|download|generate"
)
"""In the names of tools that change files."""
_SOURCE = re.compile("sou?rce?|from|old")
"""In the name of the argument that says what is copied."""
_SEARCHES_WEB = re.compile(
    "web_?search|search_?(?:the_)?web|(?:tavily|firecrawl).*search|duckduckgo|perplexity|kagi|serper|serpapi"
    "|(?:google|bing|brave|exa)_?(?:web_?)?search"
)
_REACHES = re.compile("fetch|brows|url|http|crawl|scrap|navigat|download|extract|request|curl|web")
"""In the names of tools that reach an address, whichever argument holds it."""
_OPERATIONS_TEXT = """create view str_replace insert undo_edit append delete list get add update remove rename clear
plan spawn delegate review search"""
_OPERATIONS = frozenset(_OPERATIONS_TEXT.split())
"""Values of `command` that say what a tool is to do, and are no command of a shell."""
_LOOKS = re.compile(
    "read|view|open|grep|lsp|search|access|attach|upload|get_|find|list|show|count|stat|info|tree|diff|log|check|lint|symbol"
    "|reference|outline|describe|look|glob|ls$"
)
"""In the names of tools that read the files that they name."""
_ONLY_SAYS = frozenset({"finish", "submit", "think", "ask", "plan", "todowrite", "todoread", "askuserquestion"})
"""Tools that change and read nothing."""
_RAISES = frozenset("sudo doas pkexec su runuser gosu su-exec chroot nsenter unshare setpriv systemd-run ssh".split())  # noqa: SIM905
"""Programs that run another with other rights or elsewhere: to allow that one is not to allow them."""
_KINDS = frozenset({"bash", "read", "edit", "write", "multiedit", "webfetch", "host", "package", "secret", "size"})
"""Tools by which rules speak of what a command does."""
SECRET = re.compile(
    r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_(?!x{12})[A-Za-z0-9]{30,}|github_pat_\w{30,}|sk-[\w-]{20,}|xox[abprs]-[\w-]{10,}"
    r"|AIza[\w-]{35}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,}|hf_[A-Za-z0-9]{30,}"
    r"|[sr]k_(?:live|test)_\w{10,}|gsk_\w{20,}|SG\.[\w-]{16,}(?:\.[\w-]*)?|hvs\.[\w-]{20,}|dckr_pat_[\w-]{20,}|xapp-[\w-]{20,}"
    r"|dapi[0-9a-f]{32}|glptt-[\w-]{20,}|\d{8,10}:AA[\w-]{33}|\w{14}\.atlasv1\.\w+|(?:xai|nvapi|pplx)-[\w-]{40,}|r8_\w{30,}|dop_v1_\w{60,}|AGE-SECRET-KEY-1\w{50,})"
    r"|hooks\.slack\.com/services/[\w/]+"
    r"|(?i:(?:api[_-]?key|token|secret)[\w\"']*\s*[=:]\s*[\"']?)(?:[0-9a-f]{40}|[0-9a-f]{32})\b"
    r"|Authorization: Basic [A-Za-z0-9+/]{16,}|--password[= ](?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[\w/+-]{16,}"
    r"|(?:(?i:secret_access_key|\bpassword)\s|\bsshpass\s+-p\s*|\bredis-cli\s(?:[^|;&\n]*\s)?-a\s"
    r"|\bgh\s+secret\s+set\s(?:[^|;&\n]*\s)?(?:-b|--body)[\s=])\s*[\"']?"
    r"(?=[\w/+-]*\d)(?=[\w/+-]*[A-Z])(?=[\w/+-]*[a-z])[\w/+-]{14,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}|discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"
    r"|(?:(?i:secret|token|passw(?:or)?d|api[_-]?key|access_?key|account_?key)\w*[\"']?\s*[=:]\s*[\"']?|://[^\s/:@]+:(?=[^\s/@]{1,200}@)|-u\s*[\w.-]+:|\b(?:mysql|maria)\w*\s(?:[^|;&\n]*\s)?-p)"
    r"(?=[\w/+-]*\d)(?=[\w/+-]*[A-Z])(?=[\w/+-]*[a-z])[\w/+-]{16,}"
)
"""What looks like a key of a known kind."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule on the use of a tool."""

    word: Word
    tool: str
    """In lower case."""
    pattern: str = ""
    """Empty for every use."""
    name: str = field(default="", compare=False)
    """The tool as it was written."""

    @property
    def written(self) -> str:
        """The rule as people write it."""
        name = self.name or self.tool
        return f"{name}({self.pattern})" if self.pattern else name

    def __str__(self) -> str:
        return f"{self.word}: {self.written}"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a policy says of one use of a tool."""

    word: Word
    rule: str = ""
    """The rule that decided, as `deny: Bash(rm:*)`; empty where none did."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PolicyJudgeTerms:
    """The model that judges by a policy's principles, and its limits."""

    model: str
    """As `--model` takes it."""
    categories: tuple[str, ...] = ()
    """Of what it may refuse, for its answers' schema."""
    calls: int = 300
    """Questions of one trial; three for each use of a tool."""
    usd: float | None = None
    """US dollars of one trial."""


@dataclass(frozen=True)
class ToolPolicy:
    """A policy: rules, and the default if no rule applies."""

    rules: tuple[Rule, ...] = ()
    default: Literal["allow", "ask"] = "allow"
    principles: tuple[str, ...] = ()
    """In words: for whoever reads, and for the judge."""
    judge: PolicyJudgeTerms | None = None
    """Who judges by the principles; no rule follows from them without."""
    root: str = field(default="/workspace", compare=False)

    def __bool__(self) -> bool:
        return bool(self.rules) or self.default != "allow" or self.judge is not None

    def text(self) -> str:
        """The policy as the JSON that `read_policy` reads."""
        rules = {word: [r.written for r in self.rules if r.word == word] for word in WORDS}
        judge = {"judge": asdict(self.judge)} if self.judge else {}
        return json.dumps({"default": self.default, **rules, "principles": list(self.principles), **judge})

    @cached_property
    def limiting(self) -> tuple[Rule, ...]:
        """The rules that deny or ask; deny first."""
        return tuple(rule for word in ("deny", "ask") for rule in self.rules if rule.word == word)

    def decision(self, name: str, arguments: object, state: ShellState | None = None) -> Ruling:
        """What it says of a use of a tool; `state` is that of a shell that lasts from one command to the next."""
        given = arguments if isinstance(arguments, Mapping) else {"command": arguments or ""}  # as some models write it
        try:
            use = _use_of(str(name), given, self.root, state)
        except RecursionError:
            return Ruling("ask", "", "its arguments are nested too deeply to be read") if self else Ruling("allow")
        if not use.is_shell or "cd" in given:
            # Some programs say paths that begin with the name of the root's folder: they count without it, too.
            begin = f"{posixpath.basename(self.root)}/"
            for part in (use.effects.reads, use.effects.writes):
                inside = [each for each in part if each.path.startswith(begin)]
                part += [each._replace(path=each.path[len(begin) :], certain=False) for each in inside]
            use = replace(use, read_in=None, written_in=None)
        perhaps: Ruling | None = None
        for rule in self.limiting:
            fit, what = _fit(rule, use)
            if fit is Fit.CERTAIN:
                if rule.word == "ask" and perhaps is not None:
                    break
                return Ruling(rule.word, str(rule), what)
            if fit is Fit.PERHAPS and perhaps is None:
                perhaps = Ruling("ask", str(rule), f"perhaps {what}")
        if perhaps is not None:
            return perhaps
        if use.effects.doubts and any(rule.tool in _KINDS for rule in self.limiting):
            return Ruling("ask", "", "; ".join(use.effects.doubts[:3]))
        return self._allowed(use)

    def _allowed(self, use: "_Use") -> Ruling:
        rules = [rule for rule in self.rules if rule.word == "allow"]
        whole = next((r for r in rules if not r.pattern and any(_fits_tool(n, r.tool) for n in use.names)), None)
        if self.default == "allow" or whole is not None or _ONLY_SAYS & {*use.names}:
            return Ruling("allow", str(whole) if whole else "")
        left: list[str] = list(use.effects.doubts)
        if not use.is_shell:
            by = [rule for rule in rules if any(_fits_tool(name, rule.tool) for name in use.names)]
            fitting = next((rule for rule in by if _fit(rule, use)[0] is Fit.CERTAIN), None)
            return Ruling("allow", str(fitting)) if fitting else Ruling("ask", "", "no rule allows it")
        bash = [rule for rule in rules if rule.tool == "bash"]
        edit = [rule for rule in rules if rule.tool in {"edit", "write", "multiedit"}]
        read = [rule for rule in rules if rule.tool == "read"]
        may_read = bool(read) and all(_is_allowed(each, read) for each in use.effects.reads)
        used: list[Rule] = []
        implied: set[str] = set()  # files that an allowed program writes by itself
        left += use.effects.shifts
        trusted: set[int] = set()  # programs whose words are their own, unless one names a program that is known
        vouched: dict[int, int] = {}  # of programs that a rule names with whoever runs them: how many of their words
        for number, ran in enumerate(use.effects.runs):
            elsewhere = ran.by >= 0 and use.effects.runs[ran.by].words[0] in CONTAINERS
            its_own = ran.by in trusted and (elsewhere or not ran.certain) and not is_known(ran.words[0])
            if ran.as_script or (its_own and not MARKS.search(ran.words[0])):
                continue
            forms = dict.fromkeys((ran.words, without_leading_options(ran.words)))
            candidates: list[tuple[Rule | None, int, tuple[str, ...]]] = [
                (rule, named_words(rule.pattern), words)
                for words in forms
                for rule in bash
                if fits_exactly(rule.pattern, ran._replace(words=words))
            ]
            unnamed = (None, vouched.get(number, 0), ran.words)
            found, named, words = max(candidates, key=lambda each: each[1], default=unnamed)
            if (
                (found or named or ran.through)
                and (odd := not_understood(words, named or 1))
                and not (found and not named)
            ):
                left.append(odd)
            elif (found is not None or named) and ran.certain:
                used += [found] if found else []
                trusted |= {number} if not is_known(ran.words[0]) or ran.words[0] in CONTAINERS else set()
                implied |= set(WRITES_FILES.get(ran.words[0], ("", ""))[1].split())
                vouched |= _vouched(use.effects.runs, number, named - len(words) + len(ran.words))
            elif ran.certain and not ran.place and may_read and _is_by_files(ran.words):
                used += read[:1]
            elif not (ran.through or is_steering(ran.words)) or ran.place or ran.words[0] in _RAISES:
                left.append(f"no rule allows {' '.join((ran.place or ran.words[0], *ran.words[1:]))[:80]!r}")
        for written in use.effects.writes:
            if written.path not in implied and not written.guess and not _is_allowed(written, edit):
                left.append(f"no rule allows to write {_readable(written.path)!r}")
        if left or (use.effects.runs and not used):
            return Ruling("ask", "", "; ".join(left[:3]) or "no rule allows it")
        return Ruling("allow", str(used[0]) if used else "", "" if used else "it runs and writes nothing")


_BY_FILES_TEXT = """cat head tail wc nl od xxd hexdump strings grep egrep fgrep rg ls tree file stat diff cmp cut sort
uniq tr column comm join paste fold fmt expand rev tac md5sum sha1sum sha256sum cksum jq basename dirname realpath
readlink du find echo printf pwd cd sed awk touch mkdir cp mv tee"""
_BY_FILES = frozenset(_BY_FILES_TEXT.split())
"""Programs that do no more than read and write the files that they name."""


def _is_by_files(words: tuple[str, ...]) -> bool:
    return words[0] in _BY_FILES and not not_understood(words, 1)


def _is_allowed(touched: Touched, rules: Sequence[Rule]) -> bool:
    return any(not rule.pattern or fits_path(rule.pattern, touched) is Fit.CERTAIN for rule in rules)


def _vouched(runs: Sequence[Ran], number: int, named: int) -> dict[int, int]:
    """Which programs an allowed one runs whose first word its rule names, too (`uv run pytest`), and how many words."""
    words, found = runs[number].words, {}
    for at, ran in enumerate(runs):
        begins = len(words) - len(ran.words)
        if ran.by == number and 0 < begins < named and words[begins + 1 :] == ran.words[1:]:
            found[at] = named - begins
    return found


NO_POLICY = ToolPolicy()


def parse_rules(word: Word, given: Iterable[object]) -> tuple[list[Rule], list[str]]:
    """The rules in these texts, and the texts that contain no rule."""
    rules: list[Rule] = []
    wrong: list[str] = []
    for text in given:
        matched = _RULE.fullmatch(text) if isinstance(text, str) and len(text) < _LONGEST_RULE else None
        if matched is None or len(rules) >= _MOST_RULES:
            wrong.append(str(text)[:80])
        else:
            rules.append(Rule(word, matched[1].lower(), (matched[2] or "").strip(), matched[1]))
    return rules, wrong


def settings_rules(text: str) -> tuple[tuple[Rule, ...], list[str]]:
    """The rules in a settings file (`permissions` with `deny`, `ask`, `allow`), and entries that are not understood.

    Raises:
        SettingsError: It is not JSON.
    """
    try:
        settings = json.loads(text.removeprefix("\ufeff") or "{}")
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"is not JSON: {error}") from error
    given = settings.get("permissions") if isinstance(settings, dict) else None
    if not isinstance(given, dict):
        odd = given is not None or not isinstance(settings, dict)
        return (), ["has no permissions that can be understood"] if odd else []
    rules: list[Rule] = []
    notes: list[str] = []
    for word in WORDS:
        values = given.get(word, [])
        found, wrong = parse_rules(word, values if isinstance(values, list) else [values])
        rules += found
        notes += [f"has a rule that is not understood: {each!r}" for each in wrong]
    return tuple(rules[:_MOST_RULES]), notes


def settings_default(text: str) -> Literal["allow", "ask"]:
    """The default of a settings file: none, or `ask` in its mode `dontAsk`."""
    try:
        given = json.loads(text.removeprefix("\ufeff") or "{}")
        return "ask" if given["permissions"]["defaultMode"] == "dontAsk" else "allow"
    except (ValueError, RecursionError, KeyError, TypeError):
        return "allow"


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a tool, as rules see it."""

    names: Sequence[str]
    effects: Effects
    texts: Sequence[str]
    """Its arguments."""
    is_shell: bool = False
    size: int = 0
    programs: frozenset[str] | None = None
    """The programs that a command runs; None where one is not known."""
    root: str = ""
    kinds: frozenset[str] = frozenset()
    """Tools of other names that it is like, for rules that forbid one."""
    read_in: frozenset[str] | None = None
    """The folders in which it reads; None if that may be any."""
    written_in: frozenset[str] | None = None


def _use_of(name: str, arguments: Mapping[str, Any], root: str, state: ShellState | None) -> _Use:
    if isinstance(server := arguments.get("server_name"), str) and isinstance(tool := arguments.get("tool_name"), str):
        name = f"mcp__{server}__{tool}"
    lower = name.lower() if name.startswith("mcp__") else name.lower().replace("-", "_").rpartition("__")[2]
    lower = _SPELLINGS.get(lower.replace("_", ""), lower)
    arguments = _flat(arguments)
    texts = [value if isinstance(value, str) else str(value) for value in arguments.values()]
    size = max(map(len, texts), default=0)
    if "code" in arguments and str(arguments.get("language", "")).lower() in SHELLS:
        lower, arguments = "bash", {**arguments, "command": arguments["code"]}
    if lower in _SHELL:
        effects = effects_of(_command(arguments, {"chars"}) or "".join(texts[:1]), root, state)
        effects.reads, effects.writes = list(dict.fromkeys(effects.reads)), list(dict.fromkeys(effects.writes))
        programs = frozenset(program_run(ran.words[0]) for ran in effects.runs)
        known = None if any(MARKS.search(name) for name in programs) else programs
        places = first_folders(effects.reads), first_folders(effects.writes)
        names = ("bash", lower) if lower in {"powershell", "monitor"} else ("bash",)
        return _Use(names, effects, texts, True, size, known, root, frozenset(), *places)
    if "python" in _NAMES.get(lower, ()):
        code = next((str(arguments[key]) for key in ("code", "command", "input") if key in arguments), "")
        return _Use(_NAMES[lower], code_effects(code, "python", root), texts)
    effects = Effects()
    paths = _named_paths(arguments)
    path = paths[0] if paths else ""
    shows = "view" in (arguments.get("action"), arguments.get("command"))
    if lower in _READ or (lower in _EDIT and shows):
        if lower in _SEARCHES:
            shape = next((each for key in _SHAPES if isinstance(each := arguments.get(key), str)), "")
            effects.reads += _searched(_inside(path or ".", root), shape)
        for each in paths if lower not in _SEARCHES else ():  # what lists a folder shows names
            effects.reads.append(Touched(globbed(_inside(each, root))))
        return _Use(("read", lower), effects, texts)
    if lower in _EDIT:
        paths = paths or [each for text in texts for each in patched_paths(text)] or [ANY]
        effects.writes += [Touched(_inside(each, root) if each != ANY else ANY) for each in paths]
        for each in paths:
            if state is not None:
                state.wrote(_inside(each, root), arguments)
        return _Use(("edit", "write", "multiedit", lower), effects, texts, size=size)
    if lower not in _NAMES and lower not in _ONLY_SAYS:
        effects = _effects_of_others(lower, arguments, root)
    told = [each for key, value in arguments.items() if key.lower() in _HOST_KEYS for each in _texts_in(value)]
    told = [re.sub(r"^(?://)?(?=[\w-]+(?:\.[\w-]+)+(?:[/:?]|$))", "https://", each) for each in told]
    is_search = _SEARCHES_WEB.search(lower) is not None
    said = texts if _REACHES.search(lower) and not is_search else _texts_but_content(arguments)
    effects.hosts += hosts_of("", " ".join(told or said).split(), "")
    likely = {
        "bash": not lower.startswith("mcp__git") and any(ran.certain for ran in effects.runs),
        "webfetch": any(told),
        "websearch": is_search,
    }
    kinds = frozenset(kind for kind, is_like in likely.items() if is_like)
    return _Use((*_NAMES.get(lower, (lower,)), name.lower()), effects, texts, size=size, kinds=kinds)


def _flat(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments at any depth by their names in lower case, those of one name as a list, a command with its words."""
    found: dict[str, list[Any]] = {}

    def walk(key: str, value: object, depth: int) -> None:
        if isinstance(value, str) and value.lstrip()[:1] in {"{", "["} and not {*key.split("_")} & _CONTENT:
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if isinstance(value, dict) and depth < _DEEPEST:
            command = next((value[each] for each in ("command", "cmd", "program", "executable") if each in value), None)
            words = value.get("args", value.get("arguments"))
            if isinstance(command, str) and isinstance(words, list) and words:
                value = {**value, "command": [command, *words]}
            for name, each in value.items():
                walk(re.sub("(?<=[a-z])(?=[A-Z])", "_", str(name)).lower(), each, depth + 1)
        elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value) and depth < _DEEPEST:
            for each in value:
                walk(key, each, depth + 1)
        else:
            found.setdefault(key, []).append(value)

    walk("", dict(arguments), 0)
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


def _command(arguments: Mapping[str, Any], more: Container[str]) -> str:
    """The command that arguments say, in the folder that they name."""
    keys = [key for key in arguments if key in _COMMAND_KEYS or key in more]
    text = "\n".join(each for key in keys for each in _commands(arguments[key], several=key == "commands"))
    where = next((arguments[key] for key in _FOLDERS if text and isinstance(arguments.get(key), str)), "")
    return f"cd {shlex.quote(where)} && {text}" if where else text


def _commands(value: object, *, several: bool) -> list[str]:
    """The commands that an argument is: a text, the words of one, or several of either."""
    if not isinstance(value, list):
        return [str(value)]
    if several or any(isinstance(each, list) for each in value):
        return [command for each in value for command in _commands(each, several=False)]
    return [shlex.join(map(str, value)) if len(value) > 1 else "".join(map(str, value))]


def _searched(folder: str, shape: str) -> list[Touched]:
    """What a search looks into: a file, or what is in a folder, hidden files left out unless a shape names them."""
    if not may_be_folder(folder):
        return [Touched(folder)]
    if not shape:
        return [Touched(f"{folder}/{STAR}" if folder == "." else folder, tree=True)]
    return [Touched(posixpath.normpath(each)) for each in named_below(folder, [globbed(shape)])]


def _effects_of_others(name: str, arguments: Mapping[str, Any], root: str) -> Effects:
    """What a tool of which nothing is known may do, by the names of its arguments."""
    said = {key: value for key, value in arguments.items() if key != "command" or str(value) not in _OPERATIONS}
    effects = effects_of(_command(said, _TYPED_KEYS if _TYPES.search(name) else frozenset()), root)
    for code in [str(value) for key, value in arguments.items() if key == "code"]:
        inside = code_effects(code, "python", root)
        for part in fields(Effects):
            getattr(effects, part.name).extend(getattr(inside, part.name))
    changes = _CHANGES.search(name) is not None
    looks = not changes and _LOOKS.search(name) is not None
    for text in [value for value in arguments.values() if isinstance(value, str)]:
        effects.writes += [Touched(_inside(each, root), certain=changes) for each in patched_paths(text)]
        effects.reads += [Touched(_inside(each, root), certain=False) for each in _TAGGED_PATH.findall(text)]
    for key, value in arguments.items():
        for each in _named_paths({key: value}):
            path, copied = _inside(each, root), "copy" in name and _SOURCE.search(key) is not None
            searches = not changes and re.search("search|grep", name) is not None
            effects.reads += _searched(path, "") if searches else [Touched(path, certain=looks or copied)]
            effects.writes += [Touched(path, certain=changes)] if not (looks or copied) else []
        for each in _texts_in(value) if _INSTALLS.search(name) and _PACKAGE_KEYS.fullmatch(key) else ():
            effects.packages += [(ecosystem, each) for ecosystem in ("PyPI", "npm")]
    _try_others(effects, arguments, root, looks=looks)
    if found := re.fullmatch(r"mcp__git\w*__git_(\w+)", name):
        effects.runs.append(Ran(("git", found[1].replace("_", "-"))))
    return effects


def _try_others(effects: Effects, arguments: Mapping[str, Any], root: str, *, looks: bool) -> None:
    """Adds what short texts might be whose arguments are not known by name: a path, a command, an address."""
    known = _FOLDERS if _COMMAND_KEYS & {*arguments} else ()
    unknown = {key: arguments[key] for key in arguments if key not in known and not _PATH_KEYS.fullmatch(key)}
    texts = _texts_but_content(unknown)
    for text in [each.strip() for each in texts if len(each) <= _LONGEST_TRIED][:_MOST_TRIED]:
        if "\n" in text or not text:
            continue
        inside, path = effects_of(text, root), Touched(_inside(text, root), certain=False, guess=True)
        effects.runs += [each._replace(certain=False, by=-1) for each in inside.runs]
        effects.reads += [path, *(each._replace(certain=False) for each in inside.reads)]
        effects.writes += [each._replace(certain=False) for each in inside.writes] + ([] if looks else [path])
        effects.hosts += hosts_of("curl", [text], "") if _BARE_HOST.match(text) else []


def _named_paths(arguments: Mapping[str, Any]) -> list[str]:
    """The paths that arguments are by their names."""
    values = [value for key, value in arguments.items() if _PATH_KEYS.fullmatch(key.lower())]
    values += [arguments["include"]] if isinstance(arguments.get("include"), list) else []
    tagged = [path for value in arguments.values() if isinstance(value, str) for path in _TAGGED_PATH.findall(value)]
    return [each for value in values for each in _texts_in(value) if "\n" not in each] + tagged


def _texts_but_content(arguments: Mapping[str, Any]) -> list[str]:
    """The texts of arguments that may name a file, a command or an address."""
    keys = (key for key in arguments if not {*key.split("_")} & _CONTENT)
    return [each for key in keys for each in _texts_in(arguments[key])]


def _texts_in(value: object) -> list[str]:
    """The texts in a value, in lists at any depth."""
    if isinstance(value, list):
        return [text for each in value for text in _texts_in(each)]
    return [value] if isinstance(value, str) else []


def _inside(path: str, root: str) -> str:
    path = path.strip().removeprefix("file://")
    if path.startswith("~"):
        return path
    full = posixpath.normpath(posixpath.join(root, path))
    return "." if full == root else full.removeprefix(f"{root}/")


def _fits_tool(name: str, tool: str) -> bool:
    """Whether a rule names a tool: itself, the server that it belongs to, or either as some program writes it."""
    if name == tool or name.startswith(f"{tool}__") or ("*" in tool and fnmatchcase(name, tool)):
        return True
    plain, wanted = (re.sub("_+|-{2,}", "_", each).removeprefix("mcp_") for each in (name, tool))
    return tool.startswith("mcp__") and (fnmatchcase(plain, wanted) or plain.startswith(f"{wanted}_"))


def _fit(rule: Rule, use: _Use) -> tuple[Fit, str]:
    """Whether a rule speaks of a use, and of what in it."""
    if use.is_shell and _speaks_of_others(rule, use):
        return Fit.NO, ""
    best = Fit.NO
    what: tuple[str, ...] = ("", "")
    for fit, subject in _fits(rule, use):
        if fit > best:
            best, what = fit, subject
            if best is Fit.CERTAIN:
                break
    return best, what[0] + _readable(" ".join(what[1:])) if best else ""


def _speaks_of_others(rule: Rule, use: _Use) -> bool:
    """Whether a rule names a program that a command does not run, or files where it touches none: most of them do."""
    if rule.tool == "bash" and rule.pattern:
        programs = programs_of(rule.pattern)
        others = use.programs is not None and not use.programs.intersection(programs)
        others = others and programs[0] != "" and not any("*" in each for each in programs)
        return others and "|" not in rule.pattern and ">" not in rule.pattern
    if rule.tool not in {"read", "edit", "write", "multiedit"}:
        return False
    touched, places = (use.effects.reads, use.read_in) if rule.tool == "read" else (use.effects.writes, use.written_in)
    place = first_folder(rule.pattern) if places is not None and rule.pattern[:1] != "/" else ""
    return not touched or (places is not None and place != "" and place not in places)


def _fits(rule: Rule, use: _Use) -> Iterator[tuple[Fit, tuple[str, ...]]]:  # noqa: C901 - one branch for each kind
    pattern = "" if rule.pattern in {"", "*"} else rule.pattern
    named = any(_fits_tool(name, rule.tool) for name in use.names)
    if not pattern and (named or (rule.word != "allow" and rule.tool in use.kinds)):
        yield Fit.CERTAIN, ("", rule.tool)
    is_joined = rule.tool == "bash" and ("|" in pattern or ">" in pattern)
    parts = re.split(r"\s*(?<!\|)(\||>>?)(?!\|)\s*", pattern) if is_joined else []
    if len(parts) > 1 and any(parts[1] in text for text in use.texts):
        yield _fits_joined(parts, use), ("runs ", pattern)
    elif pattern and (rule.tool == "bash" or (named and use.is_shell)):
        for ran in use.effects.runs:
            yield fits_run(pattern, ran), ("runs ", *ran.words)
        wrapper, rest = wrapped_pattern(pattern)
        for ran in use.effects.runs if wrapper else ():
            if wrapper in _above(use.effects.runs, ran):
                yield fits_run(rest, ran), ("runs ", wrapper, *ran.words)
    elif rule.tool in {"read", "edit", "write", "multiedit"} or (
        named and pattern and rule.tool in _READ and use.effects.reads
    ):
        verb = "reads" if rule.tool in _READ else "writes"
        for touched in use.effects.reads if verb == "reads" else use.effects.writes:
            if verb == "writes" and touched.path.startswith(("/", "~", "../")) and "/" not in pattern:
                continue  # a bare name speaks of the workspace
            if touched.path == "." and pattern.startswith(("~", "//")) and not _HOME.fullmatch(use.root):
                continue
            if touched.guess and not pattern.strip("*/"):
                continue  # of every file, and of a word that may be none
            listed = named and rule.tool in {"ls", "glob", "list_directory", "list_dir"}
            touched = touched._replace(tree=True) if listed else touched
            fit = fits_path(pattern or "**", touched)
            is_rooted = pattern[:1] == "/" != pattern[1:2] and pattern != "/"
            if rule.word != "allow" and is_rooted:  # from the project, and, to be safe, from the root
                fit = max(fit, fits_path(f"/{pattern}", touched))
            yield fit, (f"{verb} ", touched.path)
    elif rule.tool in {"host", "webfetch"} and (pattern or rule.tool == "host"):
        shape = pattern.removeprefix("domain:").strip().lstrip(".") or "*"
        for host in use.effects.hosts:
            fits = fnmatchcase(host, shape.lower()) or host.endswith(f".{shape.lower()}")
            perhaps = bool(MARKS.search(host)) and (
                overlaps(host, shape.lower()) or overlaps(host, f"*.{shape.lower()}")
            )
            yield Fit.CERTAIN if fits else Fit.PERHAPS if perhaps else Fit.NO, ("reaches ", host)
    elif rule.tool == "package":
        for ecosystem, written in use.effects.packages:
            name = package_name(ecosystem, written)
            shape = same_package(ecosystem, pattern or "*").lower()
            fits = any(fnmatchcase(each.lower(), shape) for each in (name, f"{ecosystem}:{name}"))
            yield Fit.CERTAIN if fits else Fit.NO, ("installs ", written)
    elif rule.tool == "secret":
        yield Fit.CERTAIN if any(SECRET.search(text) for text in use.texts) else Fit.NO, ("holds a secret", "")
    elif rule.tool == "size" and pattern.isdigit():
        yield Fit.CERTAIN if use.size > int(pattern) else Fit.NO, (f"writes {use.size} characters", "")
    elif named and pattern and not use.is_shell:
        plain = pattern.removesuffix(":*")
        for text in use.texts:
            yield Fit.CERTAIN if fnmatchcase(text, plain) or text.startswith(plain) else Fit.NO, ("", text[:80])


def _above(runs: Sequence[Ran], ran: Ran) -> Iterator[str]:
    """The programs that run another one, from the nearest."""
    while 0 <= ran.by < len(runs) and runs[ran.by] is not ran:
        ran = runs[ran.by]
        yield ran.words[0]


def _fits_joined(parts: Sequence[str], use: _Use) -> Fit:
    """Whether a command runs each program of a pipe that a rule names, and writes the file behind a `>`."""
    found = Fit.CERTAIN
    for mark, part in zip(("|", *parts[1::2]), parts[::2], strict=True):
        fits = [fits_run(part, ran) for ran in use.effects.runs if part and mark == "|"]
        fits += [fits_path(f"/{part}" if part[:1] == "/" else part, each) for each in use.effects.writes if ">" in mark]
        found = min(found, max(fits, default=Fit.NO if part else Fit.CERTAIN))
    return found


def _readable(text: str) -> str:
    """A text for people: what is not known is a `…`, globs are globs."""
    for mark, shown in (("\ue000", "…"), ("\ue003", "…"), ("\ue005", "…"), ("\ue001", "*"), ("\ue002", "?")):
        text = text.replace(mark, shown)
    return text[:120]
