"""Every line of the README's blocks runs as it is written there, its two agents replaced by command lines.

A stranger has a small repository; the demo's and the package's own lines are run by test_fresh_clone.py and
packaging/release.sh, Python's by test_examples.py.
"""

import re
import shlex
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "taskgen"))
from histories import MENDED, MORE, SHARES, TEST, History

from forked import honestly

README = (Path(__file__).parents[2] / "README.md").read_text()
ELSEWHERE = ("pip install", "honestly demo")
AGENTS = {
    "claude-code:model=anthropic:claude-sonnet-4-5": "cli:sed -i s/people/persons/ README",
    "codex:model=openai:gpt-5": "cli:true",
}


def lines():
    """The command lines of the README, without comments."""
    blocks = re.findall(r"(?:^    \S.*\n(?:^    .*\n)*)", README, re.MULTILINE)
    text = "".join(blocks).replace("\\\n", " ")
    return [shlex.split(line, comments=True) for line in text.splitlines() if line.strip().startswith("honestly ")]


def test_the_readme_is_a_screen_with_the_lines_of_a_first_day():
    assert len(README.splitlines()) <= 80
    verbs = {words[1] for words in lines()}
    assert verbs == {"demo", "task", "run", "report", "compare", "view", "audit", "check", "gate"}


@pytest.mark.slow
def test_every_line_runs_on_a_small_repository(tmp_path):
    history = History(tmp_path / "mine")
    history.commit("Start", {"shares.py": SHARES, "test_shares.py": TEST, "README": "shares of people\n"})
    history.commit("Raise an error where nobody shares", {"shares.py": MENDED, "test_shares.py": MORE})
    history.commit("Words", {"README": "shares of people, and of nobody\n"})
    history.git("update-ref", "refs/remotes/origin/main", "HEAD~2")
    home = history.folder

    def ask(*words, code=0):
        done = honestly(*words, cwd=home)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done

    for words in lines():
        words = [AGENTS.get(word, word) for word in words[1:]]
        if words[0] == "task":
            words += ["--seconds", "900"]  # of a machine that has other work
        if words[0] == "view":
            words += ["--export", "pages"]
        if words == ["report", "my-inspect-logs/"]:
            ask("export", "duel.honestly", "--to", "inspect", "--out", "my-inspect-logs")
            ask("export", "duel.honestly", "--to", "harbor", "--out", "harbor-jobs")
            for name, agent in (("new", "true"), ("main", "true")):
                ask("run", "tasks", "-a", f"cli:{agent}", "-k", "2", "--out", f"{name}.honestly")
        if words[0] != "demo":
            ask(*words)
    assert (home / "gate.xml").is_file()
    assert (home / "pages" / "index.html").is_file()
    said = " ".join(ask("compare", "duel.honestly").stdout.split())
    assert any(words in said for words in ("is ahead of", "the same score", "in common")), said
