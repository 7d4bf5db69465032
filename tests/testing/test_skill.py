"""The skill names commands that there are."""

import re

from forked import honestly
from honestly.cli import COMMANDS, with_new_names


def test_the_skill_names_commands_that_there_are():
    text = honestly("plugin", "skill").stdout
    assert text.startswith("---\nname: honestly\n")
    named = [" ".join(each.split()) for each in re.findall(r"`honestly\s+([a-z][^`]*)`", text)]
    assert len(named) >= 10
    for line in named:
        assert with_new_names(line.split())[1] == [], line
        assert any(line.startswith(words) for words in COMMANDS), line
