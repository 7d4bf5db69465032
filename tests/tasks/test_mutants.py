"""Mutants: every operator makes its faults, what nobody could test is left alone, keys survive changes elsewhere."""

import ast
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

import honestly
from honestly.records import Checks, Edit, Hidden, Tags, Task, Tree
from honestly.tasks import sampled_mutants, task_mutants
from honestly.tasks.mutants._mutants import text_changes
from honestly.tasks.mutants._python import python_changes
from shipped import shipped_suite

CHECKS = Checks(runner="grader", files=Tree.of({"check_a.py": ""}), expected=("check_a.test_a",))


def task(files, category=""):
    return Task(
        id="t",
        instruction="",
        hidden=Hidden(checks=CHECKS, reference=Edit(write=Tree.of(files))),
        tags=Tags(category=category),
    )


def changed(source, path="a.py", category=""):
    """The changed lines of all mutants, by operator."""
    found = {}
    for mutant in task_mutants(task({path: textwrap.dedent(source).lstrip()}, category)):
        found.setdefault(mutant.key.split(":")[-2], []).append(mutant.after)
    return found


@pytest.mark.parametrize(
    ("line", "operator", "expected"),
    [
        ("return a < b", "compare", {"return (a <= b)", "return (a >= b)"}),
        ("return a is not b", "compare", {"return (a is b)"}),
        ("return a not in b", "compare", {"return (a in b)"}),
        ("return a + b", "arithmetic", {"return (a - b)"}),
        ("return a // b", "arithmetic", {"return (a * b)"}),
        ("return -a", "arithmetic", {"return a"}),
        ("return a and b", "boolean", {"return (a or b)", "return a", "return b"}),
        ("return not a", "boolean", {"return a"}),
        ("return 7", "constant", {"return 8", "return 6"}),
        ("return True", "constant", {"return False"}),
        ("return 'x'", "constant", {"return ''"}),
        ("return ''", "constant", {"return '?'"}),
        ("return 2.5", "constant", {"return 3.5", "return (-2.5)"}),
        ("return a", "return", {"return None"}),
        ("yield a", "return", {"((yield None))"}),
        ("while a: b()", "negate", {"while (not a): b()"}),
        ("a.b = 1", "remove", {"pass"}),
        ("a.b()", "remove", {"pass"}),
        ("return a[b:c]", "bounds", {"return a[b + 1:c]", "return a[:c]", "return a[b:c + 1]", "return a[b:c - 1]", "return a[b:]"}),
        ("return range(a)", "bounds", {"return (range(a + 1))", "return (range(a - 1))"}),
        ("return f(a, b)", "swap", {"return (f(b, a))"}),
        ("raise ValueError", "except", {"raise RuntimeError"}),
        ("return f'{a < b}'", "compare", {"return (f'{a <= b}')", "return (f'{a >= b}')"}),
    ],
)  # fmt: skip
def test_each_operator(line, operator, expected):
    assert set(changed(f"def f(a, b, c):\n    {line}\n")[operator]) == expected


def test_handlers_and_loops():
    found = changed("""
        def f(a):
            for x in a:
                try:
                    g(x)
                except (KeyError, IndexError):
                    break
    """)
    assert found["loop"] == ["continue"]
    assert found["except"] == ["except ((IndexError,)):", "except ((KeyError,)):", "except ():"]


def test_what_nobody_tests_is_left_alone():
    assert changed('''
            """A module."""
            from __future__ import annotations
            from x import y
            if TYPE_CHECKING:
                z = 1
            __all__ = ["f"]
            @cache(maxsize=3)
            def f(a: Literal[3]) -> "text":
                """A function."""
                local = a
                raise ValueError(f"{a + 1} is too much", 3)
            if __name__ == "__main__":
                f(1)
        ''') == {"remove": ["pass"], "except": ['raise RuntimeError(f"{a + 1} is too much", 3)']}


def test_what_is_no_other_program_is_no_mutant():
    assert changed("def f(a):\n    return min(a, 1 + 1)\n")["constant"] == [
        "return min(a, 0 + 1)",
        "return min(a, 2 + 1)",
    ]
    assert "swap" not in changed("def f(a, b):\n    return min(a, b) + f(a, a)\n")


def test_a_test_suite_misses_one_test_each():
    found = changed(
        "class T:\n    def test_a(self):\n        '''A.'''\n        x()\n        y()\n    def help(self): ...\n",
        category="tests",
    )
    assert found == {"omit": ["pass"]}


def test_keys_survive_changes_elsewhere():
    before = "X = 1\ndef f(a):\n    return a < 1\ndef g(a):\n    return a < 1\n"
    after = "X = 1\n\n\ndef f(a):\n    return a < 1\ndef g(a):\n    return 2 + (a < 1)\n"
    one, other = ({m.key for m in task_mutants(task({"a.py": text}))} for text in (before, after))
    assert {key for key in one if ":f:" in key} == {key for key in other if ":f:" in key}
    assert {key for key in one if ":-:" in key} == {key for key in other if ":-:" in key}
    assert not {key for key in one if ":g:" in key} & {key for key in other if ":g:" in key}


def test_only_what_the_reference_changes_is_mutated():
    kept, new = "def f(a):\n    return a < 1\n", "def g(a):\n    return a < 2\n"
    tests = Tree.of({"tests/test_a.py": new})
    whole = Task(
        id="t",
        instruction="",
        workspace=Tree.of({"kept.py": kept}),
        visible=Checks(runner="unittest", files=tests, expected=("x",)),
        hidden=Hidden(
            checks=CHECKS, reference=Edit(write=tests.over(Tree.of({"kept.py": kept, "new.py": new, "bad.py": "def"})))
        ),
    )
    assert {mutant.path for mutant in task_mutants(whole)} == {"new.py"}
    assert task_mutants(whole.public()) == []


SOURCES = sorted(Path(honestly.__file__).parent.glob("[st]*/*.py"))


@settings(max_examples=4, deadline=None)
@given(st.sampled_from(SOURCES))
def test_mutants_of_real_programs_are_different_programs(path):
    source = path.read_bytes()
    found = task_mutants(task({"a.py": source}))
    assert len({mutant.key for mutant in found}) == len({mutant.source for mutant in found}) == len(found)
    lines = source.splitlines()
    for mutant in found:
        ast.parse(mutant.source)
        assert mutant.before == lines[mutant.line - 1].decode().strip()[:160]
    assert found == task_mutants(task({"a.py": source}))
    few = sampled_mutants(found, 7, "seed")
    assert few == sampled_mutants(found, 7, "seed")
    assert few == [mutant for mutant in found if mutant in few]
    assert sampled_mutants(found, None, "") == found


C = """
#include <stdio.h>
int f(int a) { // a < b
    char s[] = "1 + 1"; /* 7 */
    if (a >= 10 && s[0] != 'x') return a->b << 2;
    return a - 1;
}
"""
BASH = """
set -e # 1 -eq 2
if [ "$1" -lt 3 ] && [ -z "$2" ]; then
    head -n 5 <"$1" || exit 1
fi
"""
SQL = """
SELECT max(a) -- 5
FROM t WHERE a >= 3 and b = 'x > 1' ORDER BY a DESC;
"""


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.c", C, [">= >", ">= <", "10 11", "&& ||", "0 1", "!= ==", "2 3", "- +", "1 2"]),
        ("a.sh", BASH, ["-lt -le", "3 4", "&& ||", "-z -n", "-n -z", "5 6", "|| &&", "1 2"]),
        ("a.sql", SQL, ["max MIN", ">= >", ">= <", "3 4", "and OR", "= <>", "DESC ASC"]),
        (
            "a.jq",
            'map(select(.a > 1 and .b != "x > 1")) | first # 2',
            ["> >=", "> <=", "1 2", "and or", "!= ==", "first last"],
        ),
        ("a.bc", "/* 1 */ if (a == b) return (a % 2)", ["== !=", "% *", "2 3"]),
        ("a.sed", "# + 1\ns/[a-z]+*x{2}/y/g", ["+ *", "* +", "2 3", "/g /"]),
        ("a.ml", "let x = y |> f (* 1 *) && a <> 'b' || c <- 2", ["&& ||", "<> =", "|| &&", "2 3"]),
        ("a.json", '{"a 1": [7, -2, true, "3"]}', ["7 8", "2 3", "true false"]),
        ("a.txt", "1 < 2", []),
    ],
)
def test_other_languages_change_token_by_token(path, source, expected):
    data = source.encode()
    assert [f"{data[c.start : c.end].decode()} {c.text}" for c in text_changes(path, data)] == expected


@given(
    st.sampled_from(["c", "sh", "sql", "js", "lua", "pl", "jq", "bc", "sed", "ml", "json"]),
    st.text(alphabet="ab1 .+-*/<>=&|!\"'`\\#$(){}\né\r"),
)
def test_any_text_has_changes_within_it(language, text):
    data = text.encode()
    for change in text_changes(f"a.{language}", data):
        (data[: change.start] + change.text.encode() + data[change.end :]).decode()
        assert 0 <= change.start < change.end <= len(data)


@given(st.text())
def test_any_text_is_python_or_refused(text):
    try:
        python_changes(text.encode("utf-8", "replace"))
    except (SyntaxError, ValueError):
        pass


@pytest.mark.slow
def test_equivalents_that_embedded_tasks_declare_are_mutants_of_theirs():
    for each in shipped_suite("embedded").tasks:
        declared = {equivalent.mutant for equivalent in each.hidden.equivalent}
        if declared and each.tags.variant == "standard":
            whole = replace(each, workspace=Tree())  # some lie beside the lines that the reference changes
            assert declared <= {mutant.key for mutant in task_mutants(whole)}, each.id
