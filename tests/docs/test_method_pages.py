"""The methods pages tell the truth: examples give what they show, pictures are what the script draws, nothing is left out.

Examples are interpreter sessions; those of one page share their names, in order. Pictures are compared byte by byte with
what the commands on the pages draw now. The pages' prose is not tested.
"""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from honestly import stats
from sampled import sampled

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "methods"
SCRIPT = "docs/methods/pictures.py"
APART = {"README", "coverage", "evidence", "headline"}
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem not in APART)
MOST_LINES = 72
MOST_BYTES = 40_000
# A shown error may be cut short with "...".
FLAGS = doctest.ELLIPSIS


def text(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


def code_blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text(page), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Path:
    """All pictures, drawn by the script as the pages say, in a folder of their own."""
    folder = tmp_path_factory.mktemp("pictures")
    command = [sys.executable, SCRIPT, *PAGES, "--into", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("page", sampled(PAGES, lambda page: page != "hierarchical-model"))
def test_examples_give_what_they_show(page):
    names, report = {"__name__": "__main__"}, []
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    blocks = code_blocks(page)
    assert blocks, f"{page} has no example"
    for block in blocks:
        test = parser.get_doctest(block, names, page, f"{page}.md", 0)
        assert any(example.want for example in test.examples), "an example that shows nothing cannot fail"
        runner.run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    assert not runner.summarize(verbose=False).failed, "".join(report)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_every_part(page):
    lines = text(page).splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 120
    for part in ("**When not to use it.**", "## Formula", "**Source.**", "## In Python", "## Picture"):
        assert part in text(page), f"{page} lacks {part}"
    assert f"](pictures/{page}.svg)" in text(page)
    assert f"    python {SCRIPT} {page}" in lines


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_picture_is_what_its_command_draws(page, drawn):
    committed = (FOLDER / "pictures" / f"{page}.svg").read_bytes()
    assert committed == (drawn / f"{page}.svg").read_bytes(), f"run: python {SCRIPT} {page}"
    assert len(committed) < MOST_BYTES


def test_no_picture_is_left_over():
    assert sorted(path.stem for path in (FOLDER / "pictures").iterdir()) == sorted([*PAGES, "coverage"])


def test_the_index_lists_every_page_once():
    assert sorted(re.findall(r"\]\(([\w-]+)\.md\)", text("README"))) == sorted(
        [*PAGES, "coverage", "evidence", "headline"]
    )


def test_every_public_name_is_on_a_page():
    mentioned = {name for page in PAGES for name in re.findall(r"\w+", text(page))}
    assert sorted(set(stats.__all__) - mentioned) == []


def test_an_unknown_picture_is_refused():
    done = subprocess.run([sys.executable, SCRIPT, "nonsense"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no picture nonsense" in done.stderr
