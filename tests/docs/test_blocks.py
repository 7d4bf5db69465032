"""Every block of code on a page runs as it stands there, and every command line is one that there is.

A block that goes on from what its page says in words is given that: the names of `GIVEN`, or the rest of a function of
`AROUND`. Blocks of the methods pages are sessions, run by `test_method_pages.py`; that what a block says is also true
is for the tests of its room. Command lines are not run here, but read by the commands themselves; those of README, the
first hour and the questions run in tests of their own.
"""

import ast
import json
import re
import shlex
import tomllib
from pathlib import Path

import anyio
import click
import pytest
import yaml

import honestly
from honestly.cli import LazyGroup, cli, words_below
from honestly.records import Tree
from honestly.store import create_study
from sampled import sampled

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "cases").glob("*.md"))]
FENCED = [
    (page.stem, at, language, code)
    for page in PAGES
    for at, (language, code) in enumerate(
        re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    )
]
PYTHON = [(page, at, code) for page, at, language, code in FENCED if language == "python"]
SLOW = {"environments", "notebook", "tools-browser", "tools-python"}
ELSEWHERE = {
    ("prove", 1): "integrations/test_gepa_acceptance.py",
    ("README", 0): "docs/test_examples.py",
    ("tools", 4): "tools/test_mcp.py",
    ("gate", 1): "docs/test_gate_workflow.py",
    ("inspect", 0): "integrations/test_inspect_extension.py",
    ("environments", 1): "train/test_released_packages.py",
}
"""Blocks that need what only a user has, and the tests that run what they show."""


def given(page: str, folder: Path) -> dict[str, object]:
    """The names that a page's blocks take from the words around them."""
    names: dict[str, object] = {"__name__": "__main__", "honestly": honestly, "anyio": anyio, "json": json}
    names |= {"Path": Path, "tree": Tree.of({"index.html": "<button>a</button>" * 3}), "key": "k", "tests": Tree.of({})}
    with create_study(folder / "my.honestly"):
        pass
    for room in {"sandbox": ["sandbox"], "tools": ["tools"], "verdicts": ["records"]}.get(page, []):
        names |= {name: getattr(getattr(honestly, room), name) for name in getattr(honestly, room).__all__}
    (folder / "data").mkdir()
    (folder / "docs").mkdir()
    return names


@pytest.mark.parametrize("page", sampled(sorted({page for page, *_ in PYTHON}), lambda page: page not in SLOW))
def test_python_runs(page, tmp_path, monkeypatch):
    """Blocks of one page share their names, in order."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(Path(honestly.verify.__file__).parent / "_guest"))
    names = given(page, tmp_path)
    for of, at, code in PYTHON:
        if of == page and (page, at) in ELSEWHERE:
            assert (ROOT / "tests" / ELSEWHERE[page, at]).is_file()
        elif of == page:
            code = code.replace("samples=2)  # or", 'samples=2, tasks=["api-move", "split-bill"])  # or')
            compiled = compile(code, f"{page}.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            if (found := eval(compiled, names)) is not None:
                anyio.run(lambda found=found: found)


@pytest.mark.parametrize("language", ["toml", "json", "yaml"])
def test_what_is_written_down_can_be_read(language):
    read = {
        "toml": tomllib.loads,
        "json": lambda code: [json.loads(line) for line in code.splitlines()],
        "yaml": yaml.safe_load,
    }[language]
    found = [read(code) for _, _, of, code in FENCED if of == language]
    assert found
    assert all(found)


LINE = re.compile(r"^(?:    |\$ )(honestly .*?)(?:  +[#\w(].*| +# .*)?$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_command_lines_have_words_and_options_that_there_are(page):
    text = page.read_text().replace("\\\n", " ")
    for line in LINE.findall(text):
        for words in re.split(r" [|&]+ | > |; | < ", line):
            if words.startswith("honestly "):
                check_words(line, shlex.split(words, comments=True)[1:])


def check_words(line: str, words: list[str]) -> None:
    path = ""
    while words and words[0] in words_below(path):
        path = f"{path} {words.pop(0)}".strip()
    command, (group, _, name) = cli, path.rpartition(" ")
    if path:
        command = LazyGroup(group).get_command(click.Context(cli), name)
    options = {
        option for each in command.get_params(click.Context(command)) for option in (*each.opts, *each.secondary_opts)
    }
    for word in words:
        if word == "--":
            return
        if word.startswith("--"):
            assert word.split("=")[0] in options, line
