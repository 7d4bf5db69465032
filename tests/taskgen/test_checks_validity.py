"""What speaks against a task beside what its tests do: instructions that say nothing, checks that ask for more."""

import ast

import pytest

from honestly.records import Check, Checks, Edit, Hidden, Preparation, Tags, Task, Tree
from honestly.taskgen import language_named
from honestly.taskgen._asked import asked_definitions, content_words, other_declarations, untold_words, words_in_code
from honestly.taskgen._certify import _inward_lines
from honestly.taskgen._installed import InstalledNeeds, older_lines, with_lines
from honestly.taskgen._measured import (
    MeasuredCommit,
    States,
    Way,
    _offline_names,
    _showable_tests,
    _why_none,
    modules_too_new,
)
from honestly.taskgen._near import transformed_references
from honestly.taskgen._needs import Needs
from honestly.taskgen._told import task_instruction
from honestly.taskgen._untold import untold_tests
from honestly.tasks import task_mutants, task_weaknesses
from honestly.verify import SeenTests

BEFORE = '''"""Keys."""


class Key:
    def __init__(self, name, size):
        self.name = name
        self.size = size

    def get(self):
        return self.name if self.size > 3 else None


class Ring:
    def add(self, key):
        return key.size + 1
'''
AFTER = "from functools import lru_cache\n\n\ndef _half(size):\n    return size // 2\n\n\n" + BEFORE.replace(
    "        self.size = size\n",
    "        self.size = size\n        self.label = None\n",
).replace(
    "    def add(self, key):\n        return key.size + 1\n",
    '    def add(self, key, *, twice=False):\n        """Adds \'secret sauce\'."""\n        # like \'hidden input\'\n'
    "        if not twice:\n            raise ValueError('a ring holds one key only')\n        return _half(key.size)\n\n"
    "    def get(self, name):\n        return name\n\n    @lru_cache\n    def total(self):\n        return 1\n",
)
TEST = """import pytest
from keys import Key, Ring


def test_layout():
    assert len(Key(1, 2).__dict__) == 3


def test_add():
    with pytest.raises(ValueError, match="a ring holds one key only"):
        Ring().add(Key(1, 2), twice=False)
    assert Ring().get("hidden input") == "secret sauce"
"""


def task(instruction="Keys on rings have labels.", test=TEST, workspace=None):
    checks = Checks(
        runner="pytest", files=Tree.of({"test_keys.py": test}),
        expected=("test_keys.py::test_layout", "test_keys.py::test_add"),
    )  # fmt: skip
    return Task(
        id="it", instruction=instruction, workspace=Tree.of({"keys.py": BEFORE, **(workspace or {})}),
        hidden=Hidden(checks=checks, reference=Edit(write=Tree.of({"keys.py": AFTER}))), tags=Tags(),
    )  # fmt: skip


def told(message, after=AFTER, test=TEST):
    before = Tree.of({"keys.py": BEFORE})
    return task_instruction(
        message, "keys", before, Edit.between(before, Tree.of({"keys.py": after})), Tree.of({"test_keys.py": test}), []
    )


def test_what_a_method_of_the_same_name_elsewhere_hides_is_told_with_its_class_and_parameters():
    said = told("Rings have keys.").text
    assert "`Ring.add(self, key, *, twice=False)`" in said
    assert "`Ring.get(self, name)`" in said
    assert "the text `a ring holds one key only`" in said


def test_texts_in_comments_and_docstrings_are_no_texts_of_the_solution():
    said = told("Rings have keys.").text
    assert "hidden input" not in said
    assert "secret sauce" not in said


def test_a_word_that_the_tests_expect_is_told_as_a_text_and_one_that_they_only_use_is_not():
    after = BEFORE.replace("return key.size + 1", 'return "oversized" if key else "brandnew"')
    test = 'import keys\nbrandnew = 1\nassert keys.Ring().add(1) == "oversized"\n'
    assert told("Rings of keys.", after, test).told == ("oversized",)
    assert "the text `oversized`" in told("Rings of keys.", after, test).text


def test_a_builtin_is_no_new_name():
    after = BEFORE.replace("return key.size + 1", "return sorted(frozenset([key.size]), reverse=True)")
    assert told("Sort it.", after, "import keys\nassert sorted(frozenset([1]))\n").told == ()


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("Mend rings of keys (#4, fixes #3)", "Mend rings of keys\n"),
        ("Mend rings of keys. Fixes #12.", "Mend rings of keys.\n"),
        ("Mend rings of keys\ncloses issue #16", "Mend rings of keys\n\nThe repository"),
        ("Mend rings of keys (see pull request #7)", "Mend rings of keys\n\nThe repository"),
        ("Mend rings of keys\n\nFixes #12.\nCloses GH-4, #5.", "Mend rings of keys\n\nThe repository"),
        ("Mend rings of keys\n\n* Fixes #12.\n\n* Notes", "Mend rings of keys\n\n* Notes"),
    ],
)
def test_nothing_is_left_of_what_numbers_a_change(message, begins):
    assert told(message).text.startswith(begins)
    assert "\n.\n" not in told(message).text
    assert "\n, .\n" not in told(message).text


@pytest.mark.parametrize(
    ("new", "asked", "told_as"),
    [
        ("f'{key.size} keys lie in {key}'", "'3 keys '\n 'lie in a, b'", "{key.size} keys lie in {key}"),
        ("'%d keys lie in %s' % (1, key)", "'3 keys lie in a'", "%d keys lie in %s"),
        ("'{0!r} keys lie in {}'.format(1, key)", "'3 keys lay in a'", None),  # another text
        ("'{} of {}'.format(1, key)", "'3 of 4'", None),  # too little to be one
        ("f'<{key}({key.size})>'", "'<a(3)>'", "<{key}({key.size})>"),  # a format has marks of its own
        ("f'{key}: {key.size}'", "'a: 3'", None),
        ("'a key of no size'", "re.compile('key of no (size|name)')", "a key of no size"),  # tests have a phrase of it
    ],
)
def test_a_text_with_places_for_values_is_told_if_tests_have_it_filled_in(new, asked, told_as):
    after = BEFORE.replace("return key.size + 1", f"return {new}")
    found = told("Say it.", after, f"import keys\nassert keys.size(1) == ({asked})\n")
    assert (f"- the text `{told_as}`" in found.text, found.told != ()) == (told_as is not None,) * 2


@pytest.mark.parametrize("message", ["Improve things.", "Fix #12", "wip", "Fix bug", "Update code and tests"])
def test_a_message_without_content_is_thin(message):
    assert told(message).thin
    assert len(content_words(message)) < 3


def test_a_name_that_the_new_tests_use_is_content_enough():
    new = Tree.of({"test_keys.py": "def test_it():\n    assert KeysOfUnion\n"})
    edit = Edit(write=Tree.of({"keys.py": AFTER}))
    known = Tree.of({"keys.py": BEFORE + "KeysOfUnion = 1\n"})
    assert not task_instruction("Add `KeysOfUnion` type (#709)", "keys", known, edit, new, ()).thin
    assert task_instruction("Add `Another` type (#709)", "keys", known, edit, new, ()).thin


def test_a_message_that_names_nothing_of_the_changed_files_is_vague():
    assert told("Tidy everything that bothers visitors.").vague
    assert not told("Rings have keys.").vague
    assert not told("Новые кольца для ключей").vague


def test_words_of_a_comment_are_no_names_in_other_languages_either():
    after = '// Where nobody is there, see the manual.\nint share(int people) /* twice\nas many */\n{ return label("of // nobody"); }\n'
    assert words_in_code("a.c", "", after) == ({"int", "share", "people", "return", "label"}, {"of // nobody"})


@pytest.mark.parametrize(
    ("path", "line", "shown"),
    [
        ("a.go", "func (d *Deal) Cut(a, b int) (int, error) {\n\treturn 1, nil\n}", "func (d *Deal) Cut(a, b int) (int, error)"),
        ("a.go", "type Cut struct {\n\tx int\n}", "type Cut struct"),
        ("a.ts", "export async function Cut({ a }, b = (1)): Promise<string> { return a }", "export async function Cut({ a }, b = (1)): Promise<string>"),
        ("a.ts", "export type Cut<a, b> = Exclude<a, b>", "export type Cut<a, b>"),
        ("a.js", "  Cut(a, b) {\n    return a\n", "Cut(a, b)"),
        ("a.js", "proto.Cut = function (a) {", "proto.Cut = function (a)"),
        ("a.js", "const Cut = (a, b) => a + b", "const Cut = (a, b)"),
        ("a.h", "extern int Cut(const char *a,\n    size_t b);", "extern int Cut(const char *a, size_t b)"),
        ("a.c", "#define Cut(a, b) ((a) + (b))", "#define Cut(a, b)"),
        ("a.h", "typedef struct {\n\tunsigned int Cut;\n} x;", "unsigned int Cut"),
        ("a.c", "int x(void) { return 1; }\n    y = Cut(3);", None),
        ("a.hpp", "    auto &Cut(std::string_view name) const {", "auto &Cut(std::string_view name) const"),
        ("a.go", 'var Cut = errors.New("x")', "var Cut"),
        ("a.go", 'type x struct {\n\tCut []string `json:"cut"`\n}', 'Cut []string `json:"cut"`'),
        ("a.go", "func x() {\n\tvar Cut []string\n}", None),
        ("a.ts", "interface X {\n\treadonly Cut?: (a: number) => void;\n}", "readonly Cut?: (a: number) => void"),
        ("a.js", "queue.Cut(() => Promise.resolve(), {", None),
    ],
)  # fmt: skip
def test_a_name_of_another_language_is_told_as_it_is_declared(path, line, shown):
    found = other_declarations(path, "", line + "\n", ["Cut"])
    assert found.get("Cut", ()) == ((shown,) if shown else ())
    assert other_declarations(path, line, line, ["Cut"]) == {}
    assert other_declarations(path, line, line.replace(" ", "  "), ["Cut"]) == {}


def test_a_name_that_is_declared_twice_is_told_twice_and_where():
    go = "func Cut() {\n}\n\nfunc (d *Deal) Cut() {\n}\n"
    assert other_declarations("a.go", "", go, ["Cut"]) == {"Cut": ("func Cut()", "func (d *Deal) Cut()")}
    test = "package a\n\nfunc TestCut(t *testing.T) {\n\tx.Cut()\n}\n"
    edit = Edit(write=Tree.of({"in/a.go": go}))
    said = task_instruction("Cut a deal", "a", Tree.of({}), edit, Tree.of({"in/a_test.go": test}), ()).text
    assert "- `func Cut()` in `in/a.go`\n- `func (d *Deal) Cut()` in `in/a.go`\n" in said


def test_how_a_class_is_made_what_it_is_and_where_a_package_has_it_are_told():
    source = "class TooFew(KeyError):\n    def __init__(self, name, least=1):\n        pass\n"
    edit = Edit(
        write=Tree.of({"keys/_few.py": source, "keys/__init__.py": "from ._few import TooFew\nfrom os import sep\n"})
    )
    test = Tree.of({"test_keys.py": "import keys\ndef test_few():\n    assert keys.TooFew('a', 2)\n"})
    found = task_instruction("Too few keys", "keys", Tree.of({"keys/__init__.py": ""}), edit, test, ())
    listed = [line for line in found.text.splitlines() if line.startswith("- ")]
    assert listed == [
        "- `class TooFew(KeyError)` in `keys/_few.py`",
        "- `TooFew.__init__(self, name, least=1)` in `keys/_few.py`",
        "- `TooFew` in `keys/__init__.py`",
    ]


def test_a_parameter_that_calls_need_not_name_is_told():
    def parameters(now):
        old, new = (f"class Delta:\n    def __init__(self, unit{each}):\n        pass\n" for each in ("", now))
        tests = Tree.of({"test_a.py": "from a import Delta\nassert Delta('day', float)\n"})
        return list(asked_definitions(Tree.of({"a.py": old}), Tree.of({"a.py": new}), tests))

    assert parameters(", kind=int") == ["Delta.__init__(self, unit, kind=int)"]
    assert parameters("='day'") == []


def test_what_the_documentation_of_a_commit_says_is_told_but_for_what_tests_expect():
    before = Tree.of({"keys.py": "def cut(n):\n    return n\n", "README.md": "# Keys\n\nOf rings.\n", "LICENSE.md": ""})
    page = (
        "# Keys\n\nOf rings.\n\n## cut(n)\n\nHalves a key, whatever it is made of.\n\n    cut(7)  # a half of seven\n"
    )
    source = (
        'def cut(n):\n    """Halves a key; of one that is odd, the smaller half."""\n    half = n // 2\n    return half\n\n\n'
        'def _own():\n    """Nobody needs to know it."""\n'
    )
    edit = Edit.between(before, Tree.of({"keys.py": source, "README.md": page, "LICENSE.md": "All rights."}))
    test = Tree.of({"test_keys.py": "import keys\ndef test_cut():\n    assert str(keys.cut(7)) == 'a half of seven'\n"})
    said = task_instruction("Mend cut (#3)", "keys", before, edit, test, ()).text
    shown = said.partition("What its documentation will say of it:\n\n")[2].partition("\n\nThe repository")[0]
    assert shown.splitlines() == [
        "`README.md`:", "", "> ## cut(n)", ">", "> Halves a key, whatever it is made of.", "",
        "`keys.py`:", "", "> Halves a key; of one that is odd, the smaller half.",
    ]  # fmt: skip
    assert "rights" not in said
    assert "What its documentation" not in told("Rings have keys.").text


@pytest.mark.parametrize(
    ("path", "old", "new", "shown"),
    [
        ("a.go", "", "// Cut halves.\n// It rounds.\nfunc Cut() {}\n\n// own is private.\nfunc own() {}\n", ["> Cut halves.", "> It rounds."]),
        ("a.ts", "", "/**\nHalves it.\n\n@default 2\n*/\ncut?: number;\n// no\n", ["> Halves it.", ">", "> @default 2"]),
        ("a.h", "/** Cuts. */\nint cut(void);\n", "/** Cuts.\n * Twice. */\nint cut(void);\n", ["> Twice."]),
        ("docs/a.txt", "one\n", "one\n\ntwo\n", ["> two"]),
        ("CHANGES", "", "New keys\n", ["> New keys"]),
        ("requirements.txt", "", "keys\n", []),
        (".github/a.md", "", "Keys\n", []),
        ("tests/a.md", "", "Keys\n", []),
    ],
)  # fmt: skip
def test_pages_and_comments_of_what_is_declared_are_documentation(path, old, new, shown):
    edit = Edit(write=Tree.of({path: new}))
    said = task_instruction("Keys", "keys", Tree.of({path: old}), edit, Tree.of({}), ()).text
    pages = said.partition("What its documentation will say of it:\n\n")[2].partition("\n\nThe repository")[0]
    assert pages.splitlines()[2:] == shown


UNKNOWN = """import pytest
import keys


def test_limit():
    assert keys.limit() == 4711


@pytest.mark.parametrize("kind", ["brass", "electrum"])
def test_kind(kind):
    assert keys.kind(kind)


def test_plain():
    assert keys.limit() > 10
"""


def test_tests_that_want_a_number_or_a_word_that_nothing_says_are_told_from_the_others():
    before = Tree.of({"keys.py": "KINDS = ['brass']\n", "kinds.json": "[]"})
    edit = Edit(
        write=Tree.of({"keys.py": "KINDS = ['brass']\ndef limit():\n    return 4711\n", "kinds.json": '["electrum"]'})
    )
    tests, ids = Tree.of({"test_keys.py": UNKNOWN}), ("limit", "kind[brass]", "kind[electrum]", "plain")
    names = [f"test_keys.py::test_{each}" for each in ids]

    def wanted(text):
        return untold_tests(names, text, before, edit, tests, None)

    assert wanted("Keys have a limit.") == {names[0]: "4711", names[2]: "electrum"}
    assert wanted("Up to 4711 keys, of Electrum, too.") == {}
    found = task_instruction("Keys have a limit.", "keys", before, edit, tests, ())
    assert "4711" not in found.text
    js = Tree.of({"a.test.js": "test('of electrum', () => is(1))\ntest('all', () => is('electrum'))\n"})
    asked = untold_tests(
        ["a.test.js::of electrum", "a.test.js::all"], "", before, edit, js, language_named("javascript")
    )
    assert asked == {"a.test.js::all": "electrum"}


def test_tests_that_need_the_network_are_those_that_say_so_and_those_that_take_what_only_these_take():
    test = "".join(f"def test_{name}({taken}):\n    pass\n\n\n" for name, taken in (
        ("pip", "tmp_path, isolated"), ("late", "isolated"), ("good", "tmp_path"), ("later", "tmp_path")))  # fmt: skip
    tree = Tree.of({"test_a.py": test})
    states = States(tree, tree, tree, ("test_a.py",), Preparation())
    said = "subprocess.CalledProcessError: Command '['/tmp/x/python', '-m', 'pip', 'install', 'flit']' returned 1"
    checks = {
        "test_a.py::test_pip": Check(id="", status="error", message=said),
        "test_a.py::test_late": Check(id="", status="timeout"),
        "test_a.py::test_good": Check(id="", status="passed"),
        "test_a.py::test_later": Check(id="", status="timeout"),
    }
    seen = SeenTests(checks, "", timed_out=True, whole=True)
    assert _offline_names(seen, states, ["test_a.py"]) == {("test_a.py", "test_pip"), ("test_a.py", "test_late")}


def test_names_parameters_and_texts_that_nobody_is_told_are_listed():
    found = untold_words(task())
    assert "twice in Ring.add(self, key, *, twice=False)" in found
    assert "the text 'a ring holds one key only'" in found
    assert untold_words(task(told("Rings have keys.").text)) == []
    assert "module rings.py" in asked_definitions(
        Tree.of({}), Tree.of({"rings.py": "x = 1\n"}), Tree.of({"test_a.py": "import rings\n"})
    )


def test_visible_tests_are_tried_without_options_for_plugins_that_are_not_loaded_too():
    files = {
        "keys.py": BEFORE,
        "test_keys.py": TEST,
        "test_more.py": TEST,
        ".pytest.ini": "[pytest]\naddopts = --cov=keys -q\n",
    }
    before = Tree.of(files)
    states = States(before, before, before, ("test_keys.py",), Preparation())
    nothing = Checks(runner="pytest", files=before, expected=())
    quick, heavy = (Way(SeenTests({}, "", timed_out=False, whole=True), nothing, "", took) for took in (1.0, 9.0))
    ways = list(_showable_tests(states, quick))
    assert [len(way.expected) for way in ways] == [2, 1, 2, 1]
    assert ["pytest.ini" in way.files.files for way in ways] == [False, False, True, True]
    assert "--cov" not in ways[2].files.text("pytest.ini")
    plain = States(before.without([".pytest.ini"]), before, before, (), Preparation())
    assert [way.expected for way in _showable_tests(plain, quick)][1:] == [("test_keys.py",)]
    assert len(list(_showable_tests(plain, heavy))) == 1


def test_faults_lie_at_the_lines_that_the_reference_changes():
    lines = AFTER.splitlines()
    found = {lines[mutant.line - 1].strip() for mutant in task_mutants(task())}
    assert found
    assert "return self.name if self.size > 3 else None" not in found
    assert "return size // 2" in found


def test_other_ways_to_write_the_reference_do_the_same_and_touch_only_what_it_changes():
    ways = transformed_references(task(), Tree.of({"keys.py": AFTER}))
    expected = {
        "one more private attribute",
        "attributes set in another order",
        "nothing cached",
        "its helpers in their callers",
    }
    assert expected <= ways.keys()
    source = {name: tree.files["keys.py"].data.decode() for name, tree in ways.items()}
    assert "self._own_note = None" in source["one more private attribute"]
    assert "@lru_cache" not in source["nothing cached"]
    assert "return key.size // 2" in source["its helpers in their callers"]
    for name in expected:
        scope = {}
        exec(compile(ast.parse(source[name]), name, "exec"), scope)
        assert scope["Ring"]().add(scope["Key"](1, 8), twice=True) == 4
        assert scope["Key"]("a", 5).get() == "a"


def test_what_depends_on_the_layout_of_objects_is_left_alone():
    laid_out = AFTER.replace(
        "    def get(self):\n",
        "    def same(self, other):\n        return vars(self) == vars(other)\n\n    def get(self):\n",
    )
    given = task()
    ways = transformed_references(given, Tree.of({"keys.py": laid_out}))
    assert "one more private attribute" not in ways


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("AttributeError: module 'collections' has no attribute 'MutableMapping'", "for another Python than"),
        ("ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib)", "where collections has no Mapping"),
        ("AttributeError: module 'keys' has no attribute 'Ring'", "none of its 1 tests passes after it here"),
        ("ModuleNotFoundError: No module named 'snapping'", "need the module 'snapping'"),
        ("socket.gaierror: Temporary failure in name resolution", "need the network"),
        ("MemoryError", "run out of memory: a::b: MemoryError"),
    ],
)
def test_the_reason_why_no_test_passes_is_what_the_tests_say(message, why):
    seen = SeenTests({"a::b": Check(id="a::b", status="failed", message=message)}, "", timed_out=False, whole=True)
    assert why in _why_none(seen, MeasuredCommit())


def test_the_line_that_looks_inside_is_named():
    assert list(_inward_lines(task(), ["test_keys.py::test_layout"])) == [
        "test_keys.py, line 6: assert len(Key(1, 2).__dict__) == 3"
    ]
    assert list(_inward_lines(task(), ["test_keys.py::test_add"])) == []


def test_settings_that_are_put_back_as_they_were_give_nothing_away():
    settings = "[tool:pytest]\naddopts = --strict-markers --import-mode=importlib\n"
    given = task(workspace={"setup.cfg": settings, "copy.py": TEST})
    checks = Checks(
        runner="pytest",
        files=Tree.of({"test_keys.py": TEST, "setup.cfg": settings}),
        expected=("test_keys.py::test_add",),
    )
    given = Task(
        id="it",
        instruction="x",
        workspace=given.workspace,
        hidden=Hidden(checks=checks, reference=given.hidden.reference),
    )
    assert [each.path for each in task_weaknesses(given) if each.rule == "tests-readable"] == ["workspace/copy.py"]


def test_of_a_library_that_has_lost_what_tests_want_an_earlier_major_version_is_taken():
    seen = SeenTests({}, "AttributeError: module 'numpy.core' has no attribute 'x'; cannot import name 'Y' from 're'",
                     timed_out=False, whole=True)  # fmt: skip
    assert modules_too_new(seen) == {"numpy"}
    needs = Needs(("numpy==2.1.0", "us"), ("numpy", "us"), ("numpy",), (), "x")
    installed = ("numpy==2.1.0 sha256:0", "us==1.0 sha256:0")
    lines = older_lines(InstalledNeeds(needs, Preparation(installed=installed), ()), {"numpy", "us", "other"})
    assert lines == {"numpy<2"}
    assert with_lines(needs, lines).pinned == with_lines(needs, lines).free == ("us", "numpy<2")
    assert with_lines(needs, ()) is needs
