"""Writes docs/commands.md: the tree of commands, options that several share, and old names with their new ones.

`python docs/commands.py` writes it anew; tests/docs/test_commands_page.py compares.
"""

from collections import defaultdict
from pathlib import Path

import click

from honestly.cli import cli
from honestly.cli._renamed import BARE, COMMANDS as OLD, OPTIONS, UNTIL
from honestly.cli._tree import COMMANDS, FIRST_SCREEN, GROUPS

PAGE = Path(__file__).with_suffix(".md")
INTRODUCTION = """# Commands

*Every command of `honestly`, as `honestly --help-all` shows them. `python docs/commands.py` writes this page.*

`honestly --help` shows the verbs, `honestly GROUP --help` a group, `honestly COMMAND --help` the usual options and
`--help-all` all of them. `honestly help PAGE` shows a page of this documentation, `honestly help WORDS` searches it.

- Without `--out`, `run` and `demo` write `runs/SUITE-DATE.honestly`. Commands that read a study take the newest one
  there if you name none, and say so.
- A study can be a file, an address in a database ([store.md](store.md)), or another tool's results
  ([import.md](import.md)).
- Every command that answers has `--json`: one object on standard output. Exit codes: 0 fine; 1 the answer is no; 2
  wrong input; 3 no sandbox; 4 cannot tell; 5 stopped early; 6 others still at work; 130 interrupted.

## Shell completion

    eval "$(_HONESTLY_COMPLETE=bash_source honestly)"       # bash: put both lines into ~/.bashrc
    complete -o default -o nosort -F _honestly_completion honestly    # file names, where nothing else fits
    eval "$(_HONESTLY_COMPLETE=zsh_source honestly)"        # zsh: ~/.zshrc
    _HONESTLY_COMPLETE=fish_source honestly | source        # fish: ~/.config/fish/config.fish
"""


_ARGUMENTS = {
    "export STUDY FOLDER": "export STUDY --out FOLDER",
    "task export SUITE FOLDER": "task export SUITE --out FOLDER",
    "agent memory export STUDY AGENT FOLDER": "agent memory export STUDY AGENT --out FOLDER",
    "improve PROJECT status (show, diff, apply)": "improve status PROJECT",
    "improve PROJECT export FOLDER": "improve export PROJECT --out FOLDER",
    "new KIND --table": "plugin list KIND",
}


def command_at(words: str) -> click.Command:
    """The command that these words call."""
    found: click.Command = cli
    rest = words.split()
    while rest:
        assert isinstance(found, click.Group)
        context = click.Context(found)
        name, below, rest = found.resolve_command(context, rest)
        assert below is not None, name
        found = below
    return found


def page() -> str:
    """The page."""
    lines = [INTRODUCTION]
    first = {name: title for title, names in FIRST_SCREEN.items() for name in names}
    for title, names in FIRST_SCREEN.items():
        lines += [f"## {title}", "", "| command | what it does |", "|---|---|"]
        lines += [f"| `honestly {name}` | {COMMANDS[name][1]} |" for name in names] + [""]
    for group in (name for name in GROUPS if " " not in name):
        below = [name for name in COMMANDS if name.startswith(f"{group} ")]
        lines += [f"## {group}", "", GROUPS[group], "", "| command | what it does |", "|---|---|"]
        lines += [f"| `honestly {name}` | {COMMANDS[name][1]} |" for name in below] + [""]
    alone = [name for name in COMMANDS if " " not in name and name not in first]
    lines += ["## Others", "", "| command | what it does |", "|---|---|"]
    lines += [f"| `honestly {name}` | {COMMANDS[name][1]} |" for name in alone] + [""]
    return "\n".join([*lines, *options_table(), *renamed_table()])


def options_table() -> list[str]:
    """One name for one thing: options that several commands have."""
    users: dict[str, list[str]] = defaultdict(list)
    for words in COMMANDS:
        for param in command_at(words).params:
            if isinstance(param, click.Option) and not param.hidden and param.name != "help_all":
                names = ", ".join(f"`{name}`" for name in sorted(param.opts, key=len, reverse=True))
                users[names].append(words)
    lines = ["## Options of several commands", "", "| option | commands |", "|---|---|"]
    shared = {names: words for names, words in users.items() if len(words) > 2}
    return lines + [f"| {names} | {', '.join(shared[names])} |" for names in sorted(shared)] + [""]


def renamed_table() -> list[str]:
    """Old names of commands and options."""
    lines = ["## Old names", "", f"They work until version {UNTIL}, and print one line that names the new one.", ""]
    lines += ["| before | now |", "|---|---|"]
    lines += [f"| `honestly {old}` | `honestly {new}` |" for old, new in OLD.items()]
    lines += [f"| `honestly {old} …` | `honestly {old} {new} …` |" for old, new in BARE.items()]
    lines += [
        f"| `honestly {words} {old}` | `honestly {words} {new}` |"
        for words, renamed in OPTIONS.items()
        for old, new in renamed.items()
    ]
    lines += [f"| `honestly {old}` | `honestly {new}` |" for old, new in _ARGUMENTS.items()]
    return [*lines, ""]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
