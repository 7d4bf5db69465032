"""The site's contents: every page that they name is there, and every page is in them or reached from one that is."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MOST_WORDS = 60_000
"""As `wc -w` counts them, of all pages but what commands print; lower it when you cut."""
NAMED = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)


def test_the_contents_name_pages_that_there_are():
    assert len(NAMED) > 50
    assert [name for name in NAMED if not (DOCS / name).is_file()] == []


def test_every_page_is_within_two_clicks_of_the_contents():
    def reached_from(names: set[str]) -> set[str]:
        found = set()
        for name in names:
            for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", (DOCS / name).read_text()):
                path = ((DOCS / name).parent / target).resolve()
                if path.is_relative_to(DOCS):
                    found.add(str(path.relative_to(DOCS)))
        return found

    near = set(NAMED) | reached_from(set(NAMED))
    every = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert sorted(every - near) == []


def test_the_pages_do_not_grow_beyond_what_one_reads():
    pages = [path for path in DOCS.rglob("*.md") if path.name not in {"commands.md", "api.md", "questions.md"}]
    words = {str(path.relative_to(DOCS)): len(path.read_text("utf-8").split()) for path in pages}
    longest = sorted(words, key=words.__getitem__)[-8:]
    assert sum(words.values()) <= MOST_WORDS, {name: words[name] for name in longest}


def test_the_changelog_is_one_that_a_user_reads():
    assert len((ROOT / "CHANGELOG.md").read_text("utf-8").split()) <= 3_000
