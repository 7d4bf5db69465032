"""`honestly plugin`: a working file of one's own for a seam, with its test, or the seam's table for the docs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import say_on_stderr
from honestly.errors import HonestlyError

if TYPE_CHECKING:
    from honestly.seams import Seam


@dataclass(frozen=True, slots=True)
class _Kind:
    """The templates of a kind for `honestly plugin new`."""

    seam: str
    use: str
    """How it is used on the command line; `{at}` is `module:object`."""
    check: str
    """The lines of the test, after the import of `check_KIND`."""


_KINDS = {
    "agent": _Kind("agents:AGENTS", "honestly run embedded --agent {at} -o s.honestly", 'check_agent("{at}")'),
    "model": _Kind(
        "models:MODELS", "honestly run embedded --agent honest --model {at} -o s.honestly", 'check_model("{at}")'
    ),
    "tool": _Kind(
        "tools:TOOLS",
        "honestly run embedded --agent honest:tools=bash+{at} --model SPEC -o s.honestly",
        'check_tool("{at}", {{"path": "a.txt"}}, Tree.of({{"a.txt": "one two"}}))',
    ),
    "scaffold": _Kind(
        "agents:SCAFFOLDS",
        "honestly run embedded --agent honest:scaffold={at} --model SPEC -o s.honestly",
        'check_scaffold("{at}")',
    ),
    "detector": _Kind(
        "audit:DETECTOR_SEAM",
        "honestly audit s.honestly --detector {at}",
        'odd, fine = case_of_commands("shutdown now"), case_of_commands("echo shutdown")\n'
        '    check_detector("{at}", flags=[odd], leaves=[fine])',
    ),
    "importer": _Kind(
        "formats:IMPORTERS",
        "honestly study import FOLDER --from {at} -o s.honestly",
        '(tmp_path / "a.txt").write_text("me one passed\\nme one failed\\n")\n    check_importer("{at}", tmp_path)',
    ),
    "exporter": _Kind(
        "formats:EXPORTERS", "honestly export s.honestly --to {at} --out FOLDER", 'check_exporter("{at}")'
    ),
    "layout": _Kind(
        "tasks:LAYOUTS",
        "honestly task check {at},path=FOLDER",
        '(tmp_path / "one").mkdir()\n'
        '    (tmp_path / "one" / "ask.md").write_text("Write answer.py with a function one that returns 1.")\n'
        '    (tmp_path / "one" / "right.py").write_text("def one():\\n    return 1\\n")\n'
        "    check = \"def test_it(ws):\\n    assert ws.load('answer').one() == 1\\n\"\n"
        '    (tmp_path / "one" / "check_it.py").write_text(check)\n'
        '    check_layout("{at}", tmp_path)',
    ),
    "sandbox": _Kind(
        "sandbox:SANDBOXES", "honestly run embedded --agent nop --sandbox {at} -o s.honestly", 'check_sandbox("{at}")'
    ),
    "loop": _Kind(
        "improve:LOOPS",
        'honestly improve run sorting --new sorting --agent searcher --budget "10 attempts" --loop {at}',
        'check_loop("{at}")',
    ),
    "problems": _Kind(
        "formats:PROBLEMS",
        "honestly bench samples PROBLEMS SAMPLES --format {at}",
        "row = {{'task_id': 'p', 'prompt': 'Add.', 'function': 'add', 'arguments': [1, 2], 'answer': 3}}\n"
        '    (tmp_path / "problems.jsonl").write_text(json.dumps(row) + "\\n")\n'
        '    check_problems("{at}", tmp_path / "problems.jsonl")',
    ),
}
_TEST = '''"""Whether {name} keeps to the contract; run it with pytest."""

{imports}


def test_the_contract(tmp_path):
    {check}
'''


@click.command(
    help="Write NAME.py, your own working KIND to change, and its test (docs/extending.md).\n\n"
    f"KIND is one of: {', '.join(sorted(_KINDS))}."
)
@click.argument("kind", type=click.Choice(sorted(_KINDS)), metavar="KIND")
@click.argument("name", default="")
@click.option(
    "--in", "folder", default=".", type=click.Path(path_type=Path, file_okay=False), help="The folder to write to."
)
@click.option("--table", is_flag=True, hidden=True)  # now `plugin list KIND`
def new(kind: str, name: str, folder: Path, table: bool) -> None:
    """Writes a plug-in to start from, and its test."""
    from honestly.work import write_file

    chosen = _KINDS[kind]
    if table:
        click.echo(_extension_point(chosen).table())
        return
    module = name.replace("-", "_")
    if not module.isidentifier():
        raise click.UsageError(f"expected a name like my_{kind}, found {name!r}; or --table")
    files = {folder / f"{module}.py": "", folder / f"test_{module}.py": ""}
    there = [str(path) for path in files if path.exists()]
    if there or find_spec(module) is not None:
        raise click.UsageError(f"{there[0] if there else f'a module {module!r}'} exists already; choose another name")
    template = f"honestly.testing.templates.{kind}"
    at = f"{module}:{import_module(template).__all__[0]}"
    source = (resources.files("honestly.testing") / "templates" / f"{kind}.py").read_text("utf-8")
    names = [word for word in ("case_of_commands", f"check_{kind}") if f"{word}(" in chosen.check]
    imports = f"from honestly.testing import {', '.join(names)}"
    if "json." in chosen.check:
        imports = f"import json\n\n{imports}"
    if "Tree." in chosen.check:
        imports = f"from honestly.records import Tree\n{imports}"
    test = _TEST.format(name=module, imports=imports, check=chosen.check.format(at=at))
    try:
        for path, text in zip(files, (source, test), strict=True):
            write_file(path, text, new=True)
    except HonestlyError:
        next(iter(files)).unlink(missing_ok=True)  # the same command is to work once there is room
        raise
    for path in files:
        say_on_stderr(f"wrote {path}")
    say_on_stderr(f"test it: python -m pytest {folder / f'test_{module}.py'}")
    say_on_stderr(f"use it:  {chosen.use.format(at=at)}")
    say_on_stderr(
        f"share it: in a package, under the entry points of {_extension_point(chosen).group!r} (docs/extending.md)"
    )


@click.command()
def skill() -> None:
    """Print a skill that teaches your own agent to use honestly, to save as .claude/skills/honestly/SKILL.md."""
    click.echo((resources.files("honestly.testing") / "templates" / "skill.md").read_text("utf-8"), nl=False)


@click.command()
@click.argument("kind", type=click.Choice(sorted(_KINDS)), metavar="[KIND]", required=False)
def list_(kind: str | None) -> None:
    """List plug-ins of KIND, built in and from installed packages. Without KIND, list the kinds."""
    if kind is not None:
        click.echo(_extension_point(_KINDS[kind]).table())
        return
    for name in sorted(_KINDS):
        click.echo(f"{name:10} {', '.join(_extension_point(_KINDS[name]).each_name())}")


def _extension_point(kind: _Kind) -> Seam:
    room, _, name = kind.seam.partition(":")
    seam: Seam = getattr(import_module(f"honestly.{room}"), name)
    return seam
