"""What is compiled on the host's side of a sandbox: the guest programs, and the sources of a workspace."""

import marshal
from pathlib import Path
from types import CodeType

import anyio
import pytest

import honestly
from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.verify import Slots
from honestly.verify._programs import FIRST, PACKAGE, guest_code


def all_of(program):
    yield program
    for inner in program.co_consts:
        if isinstance(inner, CodeType):
            yield from all_of(inner)


def test_guest_programs_do_not_say_where_this_program_is_installed():
    programs = marshal.loads(guest_code("wire", "grader"))
    assert [name for name, _ in programs] == [*FIRST, f"{PACKAGE}.wire", f"{PACKAGE}.grader"]
    assert {each.co_filename for each in all_of(programs[-1][1])} == {"honestly/grader.py"}
    assert str(Path(honestly.__file__).parent).encode() not in guest_code("wire", "grader")


@pytest.fixture(scope="module")
def compiled():
    """A tree compiled ahead, together with others, and then by itself."""

    async def go():
        tree = Tree.of({"a.py": "x = 1\n", "b/c.py": "x = 1\n", "bad.py": "x ==\n", "__pycache__/a.pyc": b"forged"})
        async with Slots(open_sandbox) as slots:
            await slots.compiler.compile_ahead([Tree.of({"empty.py": ""}), tree, Tree.of({"d.py": "x = 2\n"})])
            return await slots.compiler.compiled_tree(tree), await slots.compiler.compiled_tree(tree)

    return anyio.run(go)


def test_each_file_has_its_code_also_where_two_are_the_same(compiled):
    for tree in compiled:
        cached = sorted(path.rpartition("/__pycache__/")[0] for path in tree.files if path.startswith("b/__pycache__/"))
        assert cached == ["b"]
        assert [path.split(".")[0] for path in tree.files if path.startswith("__pycache__/")] == ["__pycache__/a"]


def test_code_is_the_same_whether_it_was_remembered_or_not(compiled):
    assert compiled[0] == compiled[1]
    assert b"forged" not in {file.data for file in compiled[0].files.values()}
