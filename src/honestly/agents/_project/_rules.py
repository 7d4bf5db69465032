"""What a project tells every agent: AGENTS.md, CLAUDE.md with its imports, and the rules in `.claude/rules`.

An import is `@path` outside of code; what it names is put in after the file, to a depth of five, each file once.
Files in the home directory are not read: an agent's set-up is the project's, not that of whoever runs it.
"""

import posixpath
import re

from honestly.agents._project._reading import LARGEST, Reader

_ROOTS = ("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_NESTED = ("AGENTS.md", "CLAUDE.md")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_IMPORT = re.compile(r"(?:^|\s)@([^\s`]+)")
_DEEPEST = 5
_MOST_NESTED = 30
_MOST_IMPORTS = 50


def read_rules(reader: Reader) -> str:
    """All of it as one text for the prompt; empty where there is none."""
    seen: dict[str, str] = {}
    for path in _ROOTS:
        if path in reader.tree.files:
            _read(reader, path, seen, 0)
    parts = [f"# {path}\n\n{text.strip()}" for path, text in seen.items() if text.strip()]
    parts += [_rule(reader, path) for path in reader.below(".claude/rules")[:_MOST_IMPORTS]]
    nested = [p for p in reader.tree.files if "/" in p and posixpath.basename(p) in _NESTED and p not in seen]
    nested = sorted(path for path in nested if not path.startswith(".claude/"))[:_MOST_NESTED]
    if nested:
        parts.append(f"Parts of the project have their own rules; read them before you work there: {', '.join(nested)}")
    text = "\n\n".join(filter(None, parts))
    if len(text) > LARGEST:
        reader.note("the project's rules", f"have {len(text):,} characters; the first {LARGEST:,} are told")
    return text[:LARGEST]


def _read(reader: Reader, path: str, seen: dict[str, str], depth: int) -> None:
    real = reader.resolved(path)
    if real in seen or len(seen) >= _MOST_IMPORTS:
        return
    text = reader.text(path)
    seen[real or path] = text
    for name in _IMPORT.findall(_CODE.sub(" ", text)):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(real or path), name.rstrip(".,;:)")))
        if name.startswith(("~", "/")) or target.startswith(".."):
            reader.note(path, f"imports {name[:100]!r}, which is outside the workspace")
        elif reader.resolved(target) is not None:
            if depth < _DEEPEST:
                _read(reader, target, seen, depth + 1)
            else:
                reader.note(path, f"imports {name[:100]!r} too deep; {_DEEPEST} levels are read")


def _rule(reader: Reader, path: str) -> str:
    headed = reader.headed(path)
    only = f" (for files that match {headed.head['paths']})" if headed.head.get("paths") else ""
    return f"# {path}{only}\n\n{headed.body.strip()}" if headed.body.strip() else ""
