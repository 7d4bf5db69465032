"""Prose is plain technical English: patterns over which a native reader stumbles are counted, and do not come back.

Tables, code and quoted output are left out. A pattern has a budget for all pages together: a tenth of what there was
when it was set. Where a test fails, say it plainly: subject first, present tense, "you" and the imperative.
"""

import re
from collections import Counter
from pathlib import Path

import click
import pytest

from honestly.cli import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PATTERNS = {
    ", since": (r", since\b", 4),
    "text stands": (r"\bstands?\b(?! for\b| out\b| alone\b)", 4),
    "files lie": (r"\b(?:lies?|lay)\b(?! in wait)", 2),
    "whoever": (r"\b(?:[Ww]hoever|[Ww]hatever)\b", 7),
    "of its own": (r"\bof (?:its|your|their|our|one's) own\b|\bof ours\b", 11),
    "is told": (r"\b(?:is|are|was|were) told\b", 3),
    "of which": (r"\bof which\b", 3),
    "by hand": (r"\bby (?:name|hand)\b", 2),
    "mend": (r"\bmend(?:s|ed|ing)?\b", 0),
    "begin": (r"\b(?:begins?|began|begun)\b", 2),
    "spoilt": (r"\bspoil(?:t|s)?\b|\bgiven up\b|\bput back\b", 3),
}
ON_PAGES = {  # as calques: "beside" for "next to", "holds" for "contains", "where" for "if", "law" for "distribution"
    "beside": (r"\b[Bb]eside\b", 4),
    "holds": (r"\bholds?\b|\bheld\b(?![ -]out)", 16),
    "where": (r"\b[Ww]here\b", 28),
    "but for": (r"\b(?:laws?|but for|be it|one and the same|exit status|speaks? of)\b", 1),
    "goes on": (r"\b(?:goes? on|afresh|anew)\b", 6),
    "somebody": (r"\b(?:[Ss]omebody|[Nn]obody)\b", 22),
    "became of": (r"\b(?:comes?|came|becomes?|became) of\b", 1),
    "the work": (r"\b(?:the|its) work\b", 14),
    "Of 7": (r"(?:^|[.:;] )Of (?:the )?\d", 12),
    "as it is": (r"\bas (?:it|they) (?:is|was|are|were)\b", 6),
}


def prose(page: Path) -> str:
    """A page's sentences, without code, tables and quoted output."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    lines = (line for line in text.splitlines() if not re.match(r"\s*\||    |\t", line))
    return re.sub(r"`[^`]*`", "", "\n".join(lines))


def hits(pattern: str) -> Counter[str]:
    """How often a pattern is on each page."""
    return Counter(
        {str(page.relative_to(ROOT)): found for page in PAGES if (found := len(re.findall(pattern, prose(page))))}
    )


@pytest.mark.parametrize("name", PATTERNS | ON_PAGES)
def test_prose_is_plain(name):
    pattern, most = (PATTERNS | ON_PAGES)[name]
    found = hits(pattern)
    assert found.total() <= most, f"{found.total()} of at most {most}: {dict(found.most_common())}"


def help_texts() -> list[str]:
    """What `--help-all` says of every command and option."""
    found = []
    for words in COMMANDS:
        command, rest = cli, words.split()
        while rest:
            _, command, rest = command.resolve_command(click.Context(command), rest)
        found += [command.help or "", *(getattr(param, "help", None) or "" for param in command.params)]
    return found


def test_help_is_plain():
    text = "\n".join(" ".join(each.split()) for each in help_texts())
    found = {name: re.findall(f".{{,30}}{pattern}.{{,20}}", text) for name, (pattern, _) in PATTERNS.items()}
    assert sum(map(len, found.values())) <= 8, {name: hits for name, hits in found.items() if hits}


if __name__ == "__main__":
    for each, (pattern, most) in (PATTERNS | ON_PAGES).items():
        print(f"{each:12} {hits(pattern).total():4} of at most {most}")
