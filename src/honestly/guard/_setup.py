"""What is wrong with a project's set-up for agents, as far as its files say it: nothing is run, no model is asked.

Looked for: dead paths and imports, rules for files that are not there, permissions that contradict each other,
secrets, skills without a description, agents without tools, paragraphs that stand twice, links out of the project,
files that are too large. Tokens are estimated, a quarter of the characters. Not looked for: contradictions in
words, commands that fail, what the global folder adds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult

from honestly.errors import SettingsError
from honestly.permissions import SECRET, Rule, settings_rules
from honestly.show import Shown, as_json, plural_text

_LARGEST, _MOST_FILES, _MOST_RULES = 256_000, 50_000, 300
_TEXTS = re.compile(
    r"(?:.*/)?(?:AGENTS|CLAUDE|CLAUDE\.local|GEMINI)\.md|\.claude/.*\.(?:md|json)|\.mcp\.json|\.cursorrules"
)
_HEAD = re.compile(r"---\n(.*?)\n---(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^([\w-]+):[ \t]*(.*)$", re.MULTILINE)
_PATH = re.compile(r"`((?:\./)?[\w.-]+(?:/[\w.-]+)+/?|[\w-]+\.(?:py|md|json|toml|ts|js|go|rs|yml|yaml|sh))`")
_IMPORT = re.compile(r"(?:^|\s)@([\w./~-]+\.\w+)")
_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__"})
_PARAGRAPH = 80


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """One thing that is wrong with a set-up."""

    kind: str
    """Which rule it breaks."""
    file: str
    """Where, as a path in the project."""
    text: str
    """What is wrong, in a sentence."""


@dataclass(frozen=True, slots=True)
class SetupLint(Shown):
    """What is wrong with a project's set-up, and how large it is."""

    findings: tuple[SetupFinding, ...]
    tokens: dict[str, int]
    """Of each file, estimated."""

    main_table = "findings"

    def to_plain(self) -> dict[str, Any]:
        """The findings, tokens by file, and their sum."""
        return {**as_json(self), "total_tokens": sum(self.tokens.values())}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its size, and the findings by kind."""
        yield f"{plural_text(len(self.tokens), 'file')}, about {sum(self.tokens.values())} tokens."
        for each in sorted(self.findings, key=lambda one: (one.kind, one.file)):
            yield f"{each.kind}: {each.file}: {each.text}"
        if not self.findings:
            yield "Nothing is wrong that this looks for."


def lint_setup(folder: Path) -> SetupLint:
    """Look at a project's set-up.

    Raises:
        SettingsError: It holds no set-up.
    """
    names = list(_names(folder))
    texts: dict[str, str] = {}
    findings: list[SetupFinding] = []
    for name in names:
        path = folder / name
        if path.is_symlink() and path.is_dir():
            findings.append(SetupFinding("link", name, "it leads to a folder, which was not looked at"))
            continue
        if not _TEXTS.fullmatch(name):
            continue
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            findings.append(SetupFinding("link", name, "it leads out of the project, and was not read"))
            continue
        try:
            if not path.is_file():
                findings.append(SetupFinding("unreadable", name, "it is no file"))
                continue
            if path.stat().st_size > _LARGEST:
                findings.append(
                    SetupFinding("too large", name, f"it has more than {_LARGEST:,} bytes, and was not read")
                )
                continue
            texts[name] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            findings.append(SetupFinding("unreadable", name, str(error)[:120]))
    if not texts and not findings:
        raise SettingsError(f"{folder}: it holds no set-up; expected AGENTS.md, CLAUDE.md or .claude/")
    known = set(names)
    rules = 0
    for name, text in texts.items():
        rules += name.startswith(".claude/rules/")
        if rules > _MOST_RULES:
            findings.append(SetupFinding("too large", name, f"there are more than {_MOST_RULES} rules"))
            break
        findings += _in_file(folder, name, text, known)
    findings += _repeated(texts)
    findings += _contradicting(texts)
    return SetupLint(tuple(findings), {name: -(-len(text) // 4) for name, text in texts.items()})


def _names(folder: Path) -> Iterator[str]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED)
        linked = [each for each in folders if ".claude" in Path(root, each).parts and Path(root, each).is_symlink()]
        for each in sorted([*files, *linked]):
            count += 1
            if count > _MOST_FILES:
                return
            yield str(Path(root, each).relative_to(folder))


def _in_file(folder: Path, name: str, text: str, known: set[str]) -> Iterator[SetupFinding]:
    if SECRET.search(text):
        yield SetupFinding("secret", name, "it holds what looks like a key")
    if not name.endswith(".md"):
        return
    home = Path(name).parent
    for path in dict.fromkeys(_PATH.findall(text)):
        plain = path.removeprefix("./").rstrip("/")
        there = (
            (folder / plain).exists()
            or (folder / home / plain).exists()
            or any(one.endswith(f"/{plain}") for one in known)
        )
        if not there:
            yield SetupFinding("dead path", name, f"{path} is not there")
    for path in dict.fromkeys(_IMPORT.findall(re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL))):
        if path.startswith(("~", "/")) or ".." in path:
            yield SetupFinding("import", name, f"@{path} leads out of the project")
        elif not (folder / home / path).is_file() and not (folder / path).is_file():
            yield SetupFinding("import", name, f"@{path} is not there")
    found = _HEAD.match(text)
    head = dict(_KEY.findall(found[1])) if found else {}
    if re.fullmatch(r"\.claude/skills/[^/]+/SKILL\.md", name) and not head.get("description"):
        yield SetupFinding("skill", name, "it has no description, so nothing says when to use it")
    if name.startswith(".claude/agents/") and not head.get("tools"):
        yield SetupFinding("agent", name, "it names no tools, so it has all of them")
    for shape in re.split(r"[,\s]+", head.get("paths", "").strip("[]")) if name.startswith(".claude/rules/") else ():
        plain = shape.strip("\"'")
        if plain and not any(fnmatchcase(one, plain.replace("**/", "*")) or fnmatchcase(one, plain) for one in known):
            yield SetupFinding("never applies", name, f"no file fits {plain!r}")


def _repeated(texts: dict[str, str]) -> Iterator[SetupFinding]:
    seen: dict[str, str] = {}
    for name, text in texts.items():
        for paragraph in re.split(r"\n\s*\n", text) if name.endswith(".md") else ():
            plain = " ".join(paragraph.split()).lower()
            if len(plain) < _PARAGRAPH:
                continue
            if plain in seen:
                yield SetupFinding("repeated", name, f"stands in {seen[plain]}, too: {plain[:60]}...")
            seen.setdefault(plain, name)


def _contradicting(texts: dict[str, str]) -> Iterator[SetupFinding]:
    given: list[tuple[str, Rule]] = []
    for name in (".claude/settings.json", ".claude/settings.local.json"):
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
    for name, rule in given:
        for _, other in given:
            wider = not other.pattern or other.pattern == rule.pattern
            wider |= other.pattern.endswith(":*") and rule.pattern.startswith(other.pattern[:-2])
            stricter = ("deny", "ask", "allow").index(other.word) < ("deny", "ask", "allow").index(rule.word)
            if other.tool == rule.tool and wider and stricter:
                yield SetupFinding("permissions", name, f"{rule} has no effect: {other} goes before it")
