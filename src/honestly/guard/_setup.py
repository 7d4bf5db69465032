"""What is wrong with a project's set-up for agents, as far as its files say it: nothing is run, no model is asked.

Looked for: dead paths, imports and commands, rules for files that are not there, contradictions in words, with the
project's configuration and between permissions, secrets, skills that do not say when, agents without tools, what
stands twice or in the code, links out of the project, files that are too large; and, where a home folder is given, what
it adds and where it disagrees. Tokens are estimated, a quarter of the characters.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from honestly.errors import SettingsError
from honestly.guard._setup_settings import is_there, settings_faults
from honestly.guard._setup_texts import (
    PLACEHOLDER,
    Project,
    code_facts,
    commands,
    contradictions,
    denied_by,
    denied_files,
    missing_part,
    policy_in,
    project_of,
    shown_tree,
    without_sections,
)
from honestly.permissions import SECRET, Rule, settings_rules
from honestly.show import Shown, as_json, plural_text

_LARGEST, _MOST_FILES, _MOST_RULES, _MOST_COMPARED = 256_000, 50_000, 300, 1_000
_TEXTS = re.compile(
    r"(?s)(?:.*/)?(?:AGENTS|CLAUDE|CLAUDE\.local|GEMINI)\.md"
    r"|(?:.*/)?\.(?:claude|agents|codex|gemini)/.*\.(?:md|json|toml)"
    r"|\.mcp\.json|\.cursorrules|\.cursor/rules/.*\.mdc?|\.github/(?:copilot-instructions|instructions/.*)\.md"
)
_HOME = (
    ".claude/CLAUDE.md", ".claude/settings.json", ".claude/rules/*.md", ".claude/skills/*/SKILL.md",
    ".claude/agents/*.md", ".claude/commands/*.md", ".codex/AGENTS.md", ".gemini/GEMINI.md",
)  # fmt: skip
_READ_ALWAYS = re.compile(
    r"(?:.*/)?(?:AGENTS|CLAUDE|CLAUDE\.local|GEMINI)\.md|\.claude/rules/.*|\.cursorrules|\.cursor/rules/.*"
    r"|\.github/copilot-instructions\.md"
)
_HEAD = re.compile(r"\A---\n(.*?)\n---(?:\n|\Z)", re.DOTALL)
_PATH = re.compile(r"(?:`|\]\()((?:\./)?[\w.-]+(?:/[\w.-]+)+/?)(?:`|(?:#[\w-]*)?\))")
_IMPORT = re.compile(
    r"(?:^|\s)@((?:\.\./|~/|/(?:etc|home|root|tmp|usr|var)/)[\w./~-]+|[\w./~-]+\.(?:mdx?|mdc|txt|rst|adoc|json|ya?ml|toml))\b(?![:@])"
)
_IMPORTS = re.compile(r"(?:.*/)?(?:AGENTS|CLAUDE|CLAUDE\.local|GEMINI)\.md|(?:.*/)?\.claude/(?:rules|commands)/.*")
"""Files in which `@` names another one that is read with them."""
_MADE_TEXT = (
    r"examples?|samples?|templates?|(?:creat|generat|produc|sav|remov|delet|propos)(?:e[sd]?|ten|ing|es|ed|ion)|emits?"
    r"|outputs?|artifacts?|deliverables?|mkdir|touch|tee|rm|planned|todo|future|deprecated|legacy|histor\w+|changelog|migrat\w+"
    r"|출력|输出|出力|scaffold\w*|optional(?:ly)?|absent|missing|gitignored|exists?"
)
_MADE = re.compile(rf"(?i)\b(?:{_MADE_TEXT})\b|> ?[\w.]|-[fed] ")
"""Of headings and lines above lists, and in lines anywhere: what is shown, made or gone."""
_WRITTEN = re.compile(r"(?i)\b(?:write|record)s?\b[^`\n]{0,40}`([\w./-]+)`")
_NOT_THERE = re.compile(
    rf"(?i)\b(?:{_MADE_TEXT}|e\.g|such as|like|(?:stor|plac|renam|replac|writ)(?:e[sd]?|ing|ten)|results?"
    r"|reports?|records?"
    r"|ignored|put|new"
    r"|mov(?:e|ed)|not|non-?existent|don'?t|never|no longer|was|were|used to|former\w*|previous\w*|old|still|branch"
    r"|repo(?:sitory)?|fork|would|could|may|present|commit(?:ted)?|plans?|mounted)\b|[^\W\d_\x00-\x7f]"
)
"""Words near a path that speak of what need not be there; and letters of languages that are not read."""
_NEAR = 60
"""Characters before a path in which such a word counts; half as many after it."""
_EXAMPLES = re.compile(r"(?i)^#+ .*\b(?:examples?|samples?|templates?)\b")
_NAMED = re.compile(r"(?s)(?:~/)?\.\w+/(skill|agent|command)s/(?:(.+)/SKILL\.md|(.+)\.md)")
_TOOLS_TEXT = """Agent Artifact AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EndConversation
EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillBash KillShell ListMcpResourcesTool LS LSP Monitor
MultiEdit NotebookEdit NotebookRead PowerShell PushNotification Read ReadMcpResourceTool RemoteTrigger REPL
ScheduleWakeup SendMessage SendUserFile ShareOnboardingGuide Skill SlashCommand StructuredOutput Task TaskCreate
TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WaitForMcpServers
WebFetch WebSearch Workflow Write"""
_TOOLS = frozenset(_TOOLS_TEXT.split())
_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__"})
_PARAGRAPH, _LONGEST_DESCRIPTION, _DEEPEST_IMPORT = 80, 1024, 5
_EVENTS_TEXT = """PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied
Notification UserPromptSubmit UserPromptExpansion Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
Elicitation ElicitationResult TeammateIdle TaskCreated TaskCompleted Setup InstructionsLoaded CwdChanged FileChanged
ConfigChange WorktreeCreate WorktreeRemove SessionStart SessionEnd PreModelSwitch PostModelSwitch MessageDisplay
DirectoryAdded"""
_EVENTS = frozenset(_EVENTS_TEXT.split())
_RULED = {*"host package secret size python search browser".split(), *(each.lower() for each in _TOOLS)}  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """One fault of a configuration."""

    kind: str
    """Which rule it breaks."""
    file: str
    """Where, as a path in the project."""
    text: str
    """What is wrong, in a sentence."""


@dataclass(frozen=True, slots=True)
class SetupLint(Shown):
    """The faults and the size of a project's configuration."""

    findings: tuple[SetupFinding, ...]
    tokens: dict[str, int]
    """Of each file, estimated."""
    added: dict[str, int] = field(default_factory=dict)
    """Tokens of each file of the home folder, which agents read as well."""

    main_table = "findings"

    def to_plain(self) -> dict[str, Any]:
        """The findings, tokens by file, and their sum."""
        return {**as_json(self), "total_tokens": sum(self.tokens.values())}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its size, and the findings by kind."""
        yield f"{plural_text(len(self.tokens), 'file')}, about {sum(self.tokens.values())} tokens."
        if self.added:
            size = sum(self.added.values())
            yield f"The home folder adds {plural_text(len(self.added), 'file')}, about {size} tokens."
        for each in sorted(self.findings, key=lambda one: (one.kind, one.file)):
            yield Text(re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", f"{each.kind}: {each.file}: {each.text}"))
        if not self.findings:
            yield "Nothing is wrong that this looks for."


def lint_setup(folder: Path, home: Path | None = None) -> SetupLint:
    """Find faults in a project's configuration for agents.

    Args:
        folder: the project.
        home: whose `.claude`, `.codex` and `.gemini` agents read as well; none is looked at where it is not given.

    Raises:
        SettingsError: It holds no set-up.
    """
    names = list(_file_names(folder))
    texts: dict[str, str] = {}
    findings: list[SetupFinding] = []
    for name in [each for each in names if _TEXTS.fullmatch(each) or (folder / each).is_dir()]:
        said = _read_setup_file(folder, name, texts)
        findings += [said] if said is not None else []
    findings += _misplaced(folder, names, texts)
    if not texts and not findings:
        raise SettingsError(f"{folder}: it contains no set-up; expected AGENTS.md, CLAUDE.md or .claude/")
    own: dict[str, str] = {}
    for each in [path for shape in _HOME for path in sorted(home.glob(shape))[:_MOST_RULES]] if home else ():
        if home is not None and each.resolve() != (folder / each.relative_to(home)).resolve():
            _read_setup_file(home, str(each.relative_to(home)), own)
    project = project_of(names, lambda name: _plain_text(folder, name), lambda name: is_there(folder, name))
    pairs = (pair for text in texts.values() for pair in pairwise(["", *text.split("\n")]))
    lines = [line for above, line in pairs if _MADE.search(line) or (above[:1] == "#" and _MADE.search(above))]
    made = {each.rstrip("/") for line in lines for each in re.findall(r"[\w.-]+(?:/[\w.-]+)+", line)}
    made |= {each for text in texts.values() for each in _WRITTEN.findall(text)}
    project = project._replace(ignored=lambda path, ignored=project.ignored: path in made or ignored(path))  # type: ignore[misc]
    rules = 0
    for name, text in texts.items():
        rules += name.startswith(".claude/rules/")
        if rules > _MOST_RULES:
            findings.append(SetupFinding("too large", name, f"there are more than {_MOST_RULES} rules"))
            break
        findings += _in_file(folder, name, text, project)
    above = {f"~/{name}": text for name, text in own.items()}
    pages = {name: _plain_text(folder, name) for name in names if re.fullmatch(r"(?:README|CONTRIBUTING)\.md", name)}
    readme = {name: text for name, text in pages.items() if text not in texts.values()}
    findings += _repeated({**readme, **above, **texts}, set(texts))
    findings += _between(folder, texts, above)
    findings += _contradicting(texts | {name: text for name, text in above.items() if name.endswith("settings.json")})
    findings += _hidden(texts, above)
    counts = ({name: -(-len(text) // 4) for name, text in each.items()} for each in (texts, above))
    return SetupLint(tuple(dict.fromkeys(findings)), *counts)


def _file_names(folder: Path) -> Iterator[str]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED)
        linked = [each for each in folders if ".claude" in Path(root, each).parts and Path(root, each).is_symlink()]
        for each in sorted([*files, *linked]):
            count += 1
            if count > _MOST_FILES:
                return
            yield Path(root, each).relative_to(folder).as_posix()


def _read_setup_file(folder: Path, name: str, texts: dict[str, str]) -> SetupFinding | None:
    """Puts the text of a file where it can be read, and says why where it cannot."""
    path = folder / name
    inside = folder.resolve()
    try:
        if path.is_symlink() and path.is_dir():
            to = path.resolve()
            if to.is_relative_to(inside) and not path.parent.resolve().is_relative_to(to):
                return None  # what is there is looked at in its own place
            return SetupFinding(
                "link", name, "it leads to a folder out of the project or to its own, and was not followed"
            )
        if path.is_symlink() and not path.resolve().is_relative_to(inside):
            return SetupFinding("link", name, "it leads out of the project, and was not read")
        if path.is_symlink() and path.is_file():
            real = path.resolve().relative_to(inside).as_posix()
            if real in texts or _TEXTS.fullmatch(real):
                return None  # the same file once more, which is read by its own name
        if not path.is_file():
            return SetupFinding("unreadable", name, "it is a link to nothing" if path.is_symlink() else "it is no file")
        if path.stat().st_size > _LARGEST:
            return SetupFinding("too large", name, f"it has more than {_LARGEST:,} bytes, and was not read")
        texts[name] = path.read_text("utf-8")
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        return SetupFinding("unreadable", name, str(error)[:120])
    return None


def _plain_text(folder: Path, name: str) -> str:
    """A file of the project; empty where it is not there, is a link, is large or no text."""
    path = folder / name
    try:
        fits = path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST
        return path.read_text("utf-8") if fits else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _in_file(folder: Path, name: str, text: str, project: Project) -> Iterator[SetupFinding]:
    held = _KEY_HEADING.sub("", text)
    keys = (each[0] + held[each.end() : each.end() + 20].partition("\n")[0] for each in SECRET.finditer(held))
    if not all(map(_NO_SECRET.search, keys)):
        yield SetupFinding("secret", name, "it holds what looks like a key")
    if name.endswith(".json"):
        yield from _of_json(folder, name, text, project)
    if not name.endswith((".md", ".mdc", ".cursorrules")):
        return
    is_checked = _is_loaded(name) and ("/skills/" not in name or _names_own_files(name, text, project))
    if is_checked:
        yield from _dead_paths(folder, name, text, project)
    if _IMPORTS.fullmatch(name):
        yield from _dead_imports(folder, name, text, project)
    for command in list(commands(without_sections(text, _EXAMPLES)))[:300] if is_checked else ():
        said = missing_part(command.text, project)
        script = re.search(r"a script ('.+')", said)
        shown = script and f"{script[1]}:".replace("'", '"') in text
        if said and not shown and not ("/skills/" in name and re.match(r"[\w.-]+ is not there", said)):  # of an example
            yield SetupFinding("dead command", name, f"line {command.line}: {command.text[:80]}: {said}")
    if _is_loaded(name) and (lines := shown_tree(text, project.ends)):
        yield SetupFinding(
            "says the code", name, f"a drawing of {lines} files and folders, which agents see themselves"
        )
    yield from _of_head(name, text, project)


def _of_json(folder: Path, name: str, text: str, project: Project) -> Iterator[SetupFinding]:
    """Passwords in a file of settings, and what of a project's own means nothing."""
    if any(_told_keys(text)):
        yield SetupFinding("secret", name, "it holds what looks like a password or a key")
    if re.fullmatch(r"\.claude/settings(?:\.local)?\.json", name):
        yield from (SetupFinding(kind, name, said) for kind, said in settings_faults(folder, text))
        yield from _hooks(folder, name, text, project)


def _dead_imports(folder: Path, name: str, text: str, project: Project, depth: int = 0) -> Iterator[SetupFinding]:
    """Files that `@` names and that are not there, or are no part of the project; those of these, as well."""
    home = Path(name).parent
    imports = _IMPORT.findall(re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL))
    for path in dict.fromkeys(imports) if depth < _DEEPEST_IMPORT else ():
        to = os.path.normpath(home / path)
        own = path[:1] == "~" or PLACEHOLDER.search(path) or re.search(r"(?i)\b(?:local|personal|private)\b", path)
        if own:
            continue  # what each user has for himself
        if to.startswith(("/", "..")):
            yield SetupFinding("import", name, f"@{path} leads out of the project")
        elif not is_there(folder, to) and not is_there(folder, path) and not project.ignored(to):
            yield SetupFinding("import", name, f"@{path} is not there")
        elif to == name:
            yield SetupFinding("import", name, f"@{path} is this file itself")
        elif not _IMPORTS.fullmatch(to) and to.endswith(".md"):
            yield from _dead_imports(folder, to, _plain_text(folder, to), project, depth + 1)


def _dead_paths(folder: Path, name: str, text: str, project: Project) -> Iterator[SetupFinding]:
    """Paths in backquotes that are not there, outside of code and of lines that speak of what is made or gone."""
    home = Path(name).parent
    made = False
    for line in re.sub(r"(?ms)^ *```.*?^ *```", "", text).split("\n"):
        if line.startswith("#") or line.rstrip().endswith(":"):
            made = _MADE.search(line) is not None
        found = [each[1] for each in _PATH.finditer(line) if not made and not _is_unsure(line, each, project)]
        for path in dict.fromkeys(found):
            plain = path.removeprefix("./").rstrip("/")
            first = plain.partition("/")[0]
            likely = first[:1] != "." and (
                path.startswith("./") or project.holds(first) or project.holds((home / first).as_posix())
            )
            is_there_or_made = plain in project.ends or project.has(plain) or project.ignored(plain)
            if not likely or PLACEHOLDER.search(path) or ".." in plain or is_there_or_made:
                continue
            if project.ignored((home / plain).as_posix()):
                continue
            stem = re.compile(rf"(?:.*/)?{re.escape(plain)}(?:\.\w+)+")
            last = plain.rpartition("/")[2]
            if (
                "." not in last
                and path[-1:] != "/"
                and any(each.startswith(f"{first}/") and each.endswith(f"/{last}") for each in project.files)
            ):
                continue  # a name of what lies there, and no path
            whole = re.sub(r"(?:\.(?=\w*[A-Z_]|\w{6})\w+)+(?:\(\))?$", ".", plain)  # of a module's attribute
            inside = whole != plain and any(each.startswith(whole) for each in project.files)
            if not inside and not is_there(folder / home, plain) and not any(map(stem.fullmatch, project.files)):
                yield SetupFinding("dead path", name, f"{path} is not there")


def _is_unsure(line: str, path: re.Match[str], project: Project) -> bool:
    """Whether the words next to a path speak of what need not be there."""
    before, after = line[max(0, path.start() - _NEAR) : path.start()], line[path.end() : path.end() + _NEAR // 2]
    others = re.findall(r"`(\w+-[\w-]+)/[\w*./-]+`", line)  # of a repository next to this one
    return _NOT_THERE.search(f"{before} {after}") is not None or not all(map(project.holds, others))


def _of_head(name: str, text: str, project: Project) -> Iterator[SetupFinding]:
    """What is wrong with the keys before a text."""
    head = _keys(text)
    with suppress(RecursionError, ValueError):
        if found := _HEAD.match(text):
            try:
                yaml.safe_load(found[1][:20_000])
            except yaml.MarkedYAMLError as error:
                if re.match("while (?:parsing a flow seq|scanning a quoted)", error.context or ""):  # others read it
                    yield SetupFinding("unreadable", name, f"its keys are no YAML: {error.problem}")
    named = _NAMED.fullmatch(name)
    described = head.get("description", "")
    if named and named[1] == "skill" and named[2]:
        yield from _of_skill(name, named[2].rpartition("/")[2], head)
    if name.startswith((".claude/rules/", ".cursor/rules/", ".github/instructions/")):
        yield from _never_applies(name, head, project)
    if named and named[1] == "agent" and not head and name.startswith(".claude/") and not name.endswith("README.md"):
        yield SetupFinding("agent", name, "it begins with no keys (name, description, tools), so it is no agent")
    if named and named[1] == "agent" and head.get("name"):  # without a name it is none
        if not head.get("tools", "").strip("[] ") and not head.get("disallowedTools"):
            yield SetupFinding("agent", name, "it names no tools, so it has all of them")
        if not described:
            yield SetupFinding("agent", name, "it has no description, so nothing says when to call it")
    tools = head.get("tools" if named and named[1] == "agent" and head.get("name") else "allowed-tools", "")
    for tool in re.findall(r"\w[\w-]*", re.sub(r"\([^)]*\)", "", tools)) if named and name[:8] == ".claude/" else ():
        if tool not in _TOOLS and not tool.startswith("mcp__"):
            yield SetupFinding(named[1] if named else "", name, f"there is no tool {tool!r}")


def _of_skill(name: str, folder: str, head: Mapping[str, str]) -> Iterator[SetupFinding]:
    described = head.get("description", "")
    if not described:
        yield SetupFinding("skill", name, "it has no description, so nothing says when to use it")
    elif described.lower().strip(".") == folder.replace("-", " ") or (
        len(described) < 20 and not re.search(r"(?i)\b(?:use|when|whenever|if|before|after)\b", described)
    ):
        yield SetupFinding("skill", name, f"its description {described!r} does not say when to use it")
    if len(described) > _LONGEST_DESCRIPTION:
        yield SetupFinding("skill", name, f"its description has more than {_LONGEST_DESCRIPTION} characters")
    if not re.fullmatch(r"[a-z0-9-]{1,64}", head.get("name", "a")):
        yield SetupFinding("skill", name, f"its name {head['name']!r} is not of a-z, 0-9 and hyphens")
    elif head.get("name", folder) != folder:
        yield SetupFinding("skill", name, f"its name is {head['name']!r}, and its folder {folder!r}")


def _never_applies(name: str, head: Mapping[str, str], project: Project) -> Iterator[SetupFinding]:
    """Rules for files that are not there."""
    if head.get("alwaysApply") == "true":
        return
    shapes = head.get({".cl": "paths", ".gi": "applyTo"}.get(name[:3], "globs"), "")
    plain = [each.strip("\"'") for each in re.split(r"(?:[,\s]+)(?![^{]*\})", shapes.strip("[]"))]
    spread = [each for shape in plain if shape for each in _spread(shape)]
    if spread and not any(fnmatchcase(one, each) for each in spread for one in project.files):
        yield SetupFinding("never applies", name, f"no file fits {', '.join(filter(None, plain))!r}")


def _keys(text: str) -> dict[str, str]:
    """The keys before a text; lists and folded texts are joined with commas or spaces."""
    found = _HEAD.match(text)
    keys: dict[str, str] = {}
    last = ""
    for line in found[1].split("\n") if found else ():
        if pair := re.match(r"([\w-]+):[ \t]*(.*)", line):
            last = pair[1]
            keys[last] = re.sub(r"^[>|][+-]?$|^['\"]|['\"]$", "", pair[2].strip())
        elif last and (item := line.strip()):
            keys[last] += f",{item[2:]}" if item.startswith("- ") else f" {item}"
    return {key: value.strip(" ,") for key, value in keys.items()}


def _spread(shape: str) -> list[str]:
    """A shape with braces as several, and without its leading folders."""
    found = re.search(r"\{([^{}]*)\}", shape)
    many = [shape.replace(found[0], each, 1) for each in found[1].split(",")] if found else [shape]
    return [one for each in many[:20] for one in (each.replace("**/", "*"), each.replace("**/", ""), each)]


def _hooks(folder: Path, name: str, text: str, project: Project) -> Iterator[SetupFinding]:
    """Hooks whose program is not there, cannot be run, or waits for a tool that does not exist."""
    try:
        events = json.loads(text).get("hooks", {})
        rows = [(event, each) for event, many in events.items() for each in many]
        asked = [
            (event, each.get("matcher") or "*", one.get("command") or "")
            for event, each in rows
            for one in each["hooks"]
        ]
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return
    for event in dict.fromkeys(event for event, _, _ in asked if event not in _EVENTS):
        yield SetupFinding("never applies", name, f"there is no event {event!r} of hooks")
    for event, matcher, command in asked:
        plain = re.sub(r"\$(?:CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR(?::-[^}]*)?\})", ".", str(command))
        said = missing_part(plain, project)
        first = re.match(r"[\"']?\.[\"']?/([\w./-]+)", plain)
        if said:
            yield SetupFinding("dead command", name, f"hook of {event}: {said}")
        elif first and (folder / first[1]).is_file() and not os.access(folder / first[1], os.X_OK):
            yield SetupFinding("dead command", name, f"hook of {event}: {first[1]} may not be run")
        if event in {"PreToolUse", "PostToolUse"} and re.fullmatch(r"[\w|]+", matcher):
            unknown = [each for each in matcher.split("|") if each not in _TOOLS and not each.startswith("mcp__")]
            for each in unknown:
                yield SetupFinding("never applies", name, f"hook of {event}: there is no tool {each!r}")


_SECRET_KEY = re.compile(r"(?i)(?:authorization|password|passwd|secret|token|api_?key|access_?key|credentials?)$")
_KEY_HEADING = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?!\W+(?:\d+\W+)?(?:[A-Z][\w-]+: |[\w+/=]{16}))")
"""A heading without a key below it."""
_NO_SECRET = re.compile(
    r"(?i)\$|[<{]|your|changeme|example|placeholder|dummy|fake|sample|redacted|x{4}|\*{3}|(.)\1{7}|0?1234567|abcdef"
    r"|4eC39HqLyjWDarjtT1zdp7dc|eyJzdWIiOiIxMjM0NTY3ODkwI"
)
"""Keys that are none: of examples, and of the public documentation of Stripe and of JSON Web Tokens."""


def _told_keys(text: str) -> Iterator[str]:
    """Values of a JSON file that are secrets by their names, or addresses with a password."""
    try:
        waiting = [("", json.loads(text))]
    except (ValueError, RecursionError):
        return
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += list(value.items())
        elif isinstance(value, list):
            waiting += [(key, each) for each in value]
        elif isinstance(value, str):
            found = re.search(r"\w://[^\s/:@]{1,99}:([^\s/@]{1,99})@", value[:10_000])
            for each in ([value] if _SECRET_KEY.search(key) else []) + ([found[1]] if found else []):
                if len(each) > 7 and each[:4] != "env:" and not _NO_SECRET.search(each):
                    yield each


def _is_loaded(name: str) -> bool:
    """Whether a file is one that agents load by themselves, and not what somebody keeps next to those."""
    kept = re.fullmatch(r"(?:.*/)?\.(?:claude|agents|codex|gemini)/(.*/).*", name)
    own = kept is None or re.match("(?:rules|skills|agents|commands|prompts)/", kept[1]) is not None
    return (
        own
        and not _is_skill_reference(name)
        and not re.search("(?:^|/)(?:vendor|third_party|fixtures|templates?)/", name)
    )


def _names_own_files(name: str, text: str, project: Project) -> bool:
    """Whether a text speaks of this project: it names a path in it, out of its own folder."""
    home = f"{Path(name).parent.as_posix()}/"
    given = {each.removeprefix("./").rstrip("/") for each in re.findall(r"[\w.-]+(?:/[\w.-]+)+", text)}
    return any(each in project.files and not each.startswith(home) for each in given)


def _is_skill_reference(name: str) -> bool:
    """Whether a file is what a skill shows where it is needed."""
    return "/skills/" in name and not name.endswith("/SKILL.md")


def _repeated(texts: Mapping[str, str], own: set[str]) -> Iterator[SetupFinding]:
    """Paragraphs that stand in an earlier file that is read with this one: a finding for each two files."""
    seen: dict[str, str] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for name in sorted(texts, key=lambda each: (each in own, not _is_read_always(each, texts[each]))):
        code = frozenset(re.split(r"\n\s*\n", "\n\n".join(re.findall(r"(?ms)^ *(```.*?^ *```)", texts[name]))))
        for paragraph in (
            re.split(r"\n\s*\n", _HEAD.sub("", texts[name], count=1))
            if name.endswith((".md", ".mdc")) and not _is_skill_reference(name)
            else ()
        ):
            plain = " ".join(paragraph.split()).lower()
            if len(plain) < _PARAGRAPH:
                continue
            if seen.get(plain) == name and paragraph in code:
                continue
            if plain in seen and name in own and _read_together(name, seen[plain]):
                pairs[name, seen[plain]] += 1
                first.setdefault((name, seen[plain]), plain[:60])
            if name not in own or _is_read_always(name, texts[name]):
                seen.setdefault(plain, name)
    for (name, other), count in pairs.items():
        kind = "global" if other.startswith("~/") else "repeated"
        where = "earlier in it" if other == name else f"in {other}"
        stand = "stands" if count == 1 else "stand"
        yield SetupFinding(
            kind, name, f"{plural_text(count, 'paragraph')} {stand} {where}, too: {first[name, other]}..."
        )


def _is_read_always(name: str, text: str) -> bool:
    """Whether an agent in a folder reads a file whatever it does there."""
    keys = _keys(text)
    return _READ_ALWAYS.fullmatch(name) is not None and not keys.get("paths") and not keys.get("globs")


def _read_together(name: str, other: str) -> bool:
    """Whether who reads a file has read another one: of the same folder or one above, and not of another program."""
    above = PurePosixPath(other).parent.as_posix()
    inside = above == "." or other[0] in ".~" or name.startswith(f"{above}/")
    rendered = len({re.search("(?:^|/)templates?/", each) is None for each in (name, other)}) == 2  # one from the other
    return inside and not rendered and {name[:8], other[:8]} != {".cursor/", ".claude/"}


def _between(folder: Path, texts: Mapping[str, str], above: Mapping[str, str]) -> Iterator[SetupFinding]:
    """What texts that are read together say against each other, the project's configuration and its permissions."""
    always = {name: text for name, text in texts.items() if _is_read_always(name, text)}
    scopes = {name: "." if name[0] == "." else str(PurePosixPath(name).parent) for name in always}
    facts = code_facts(lambda name: _plain_text(folder, name), lambda name: is_there(folder, name))
    for scope in dict.fromkeys(scopes.values()):
        here = {name: text for name, text in always.items() if scopes[name] == scope}
        if scope == ".":
            here = {name: text for name, text in above.items() if name.endswith("/CLAUDE.md")} | here
        found = contradictions(here, facts if scope == "." else {})
        yield from (SetupFinding(*each) for each in found if not each[1].startswith("~/"))
    policy = policy_in(texts)
    read_by_others = re.compile(r"(?:.*/)?GEMINI\.md|\.cursor.*|\.github/.*")  # who reads these reads no such settings
    for name, text in always.items() if policy.rules else ():
        if read_by_others.fullmatch(name):
            continue
        for command in list(commands(text, every=True))[:300]:
            if "(" in (rule := denied_by(command.text, policy)):  # of all edits, or commands, each is one
                yield SetupFinding(
                    "contradiction", name, f"line {command.line}: {command.text[:80]}: {rule} forbids it"
                )
        for line, asked, rule in denied_files(text, policy):
            yield SetupFinding("contradiction", name, f"line {line}: {asked}: {rule} forbids it")


def _misplaced(folder: Path, names: Sequence[str], texts: Mapping[str, str]) -> Iterator[SetupFinding]:
    """What is no file or no folder where an agent looks for one, and agents that share a name."""
    for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        if (folder / name).is_dir():
            yield SetupFinding("unreadable", name, "it is a folder, not a file")
    for name in (".claude", ".agents", ".codex"):
        if (folder / name).is_file():
            yield SetupFinding("unreadable", name, "it is a file, not a folder")
    skills = {each.split("/")[2] for each in names if re.match(r"\.claude/skills/[^/]+/.", each)}
    whole = {each.split("/")[2] for each in names if re.fullmatch(r"\.claude/skills/[^/]+/(?:.*/)?SKILL\.md", each)}
    for skill in sorted(skills - whole):
        yield SetupFinding("skill", f".claude/skills/{skill}", "it has no SKILL.md")
    called: dict[str, str] = {}
    for name, text in texts.items():
        own = _keys(text).get("name", "") if re.fullmatch(r"\.claude/agents/.*\.md", name) else ""
        if own and own in called:
            yield SetupFinding("agent", name, f"{called[own]} has the name {own!r}, too")
        called.setdefault(own, name)


def _hidden(texts: Mapping[str, str], above: Mapping[str, str]) -> Iterator[SetupFinding]:
    """Skills, agents and commands whose names the home folder has, too."""
    theirs = {(each[1], each[2] or each[3]): name for name in above if (each := _NAMED.fullmatch(name))}
    for name in texts:
        found = _NAMED.fullmatch(name)
        if found and (found[1], found[2] or found[3]) in theirs:
            yield SetupFinding(
                "global", name, f"{theirs[found[1], found[2] or found[3]]} has the same name; one hides the other"
            )


def _covers(other: Rule, rule: Rule) -> bool:
    """Whether a rule speaks of everything of which another one of its tool does."""
    if other.pattern.endswith(":*") and rule.pattern.startswith(other.pattern[:-2]):
        return rule.pattern[len(other.pattern) - 2 :][:1] in {"", " "} or rule.pattern == other.pattern
    if other.pattern.endswith("/**") and rule.tool in {"read", "edit", "write"}:
        folder = other.pattern.removeprefix("./")[:-2]
        return rule.pattern.removeprefix("./").startswith(folder) and "*" not in folder and bool(folder.strip("/"))
    return other.pattern in {"", rule.pattern}


def _no_such_server(given: Sequence[tuple[str, Rule]], told: str) -> Iterator[SetupFinding]:
    """Rules on tools of a server that `.mcp.json` has under a similar name."""
    servers = re.findall(r'"([\w-]+)"\s*:\s*\{\s*"(?:type|command|url|args|env)"', told.lower())
    for name, rule in given:
        server = rule.tool.split("__")[1] if rule.tool.startswith("mcp__") else ""
        near = get_close_matches(server, servers, 1, 0.7) if server not in servers else []
        if near:
            yield SetupFinding("permissions", name, f"{rule}: .mcp.json has no such server; it has {near[0]!r}")


def _contradicting(texts: dict[str, str]) -> Iterator[SetupFinding]:
    given: list[tuple[str, Rule]] = []
    for name in (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json"):
        if name not in texts:
            continue
        try:
            rules, notes = settings_rules(texts[name])
        except SettingsError as error:
            yield SetupFinding("permissions", name, str(error)[:120])
            continue
        given += [(name, rule) for rule in rules]
        for note in notes:
            yield SetupFinding("permissions", name, note)
    yield from _no_such_server(given, texts.get(".mcp.json", ""))
    for name, rule in given:
        if rule.tool not in _RULED and not rule.tool.startswith("mcp__") and "*" not in rule.tool:
            yield SetupFinding("permissions", name, f"{rule}: there is no such tool")
    yield from _without_effect(given)


def _without_effect(given: Sequence[tuple[str, Rule]]) -> Iterator[SetupFinding]:
    """Rules that others make useless."""
    if len(given) > _MOST_COMPARED:
        said = f"there are more than {_MOST_COMPARED:,} rules; the others are compared with none"
        yield SetupFinding("too large", given[_MOST_COMPARED][0], said)
        given = given[:_MOST_COMPARED]
    for number, (name, rule) in enumerate(given):
        for at, (place, other) in enumerate(given):
            if other.tool != rule.tool:
                continue
            wider = _covers(other, rule)
            stricter = ("deny", "ask", "allow").index(other.word) < ("deny", "ask", "allow").index(rule.word)
            same = (other.word, place) == (rule.word, name) and (at < number or (at != number and other != rule))
            if wider and same and "~" not in name[:1] and (other != rule or at < number):
                yield SetupFinding("permissions", name, f"{rule} adds nothing to {other}")
            if wider and stricter and not (name[0] == "~" == place[0]):
                kind = "global" if "~" in {name[0], place[0]} else "permissions"
                by = "" if place == name else f" of {place}"
                yield SetupFinding(kind, name, f"{rule} has no effect: {other}{by} goes before it")
