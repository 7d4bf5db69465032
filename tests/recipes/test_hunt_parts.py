"""Parts of a hunt that need no compiler: reading reports and claims, making inputs smaller, refusing fixes."""

import anyio
import pytest

from honestly.errors import TaskError
from honestly.hunt import HuntedProject, read_fix
from honestly.hunt._agent import read_claims
from honestly.hunt._prove import minimised_input
from honestly.hunt._sanitizers import _asan_report, _memcheck_report
from honestly.records import File, Tree

PROJECT = HuntedProject("p", Tree.of({"main.c": "int main(void) {\n    return 0;\n}\n", "Makefile": "all:\n"}))

HEAP = """\
=================================================================
==22==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018 at pc 0x5653b8db63a1 bp 0x7f sp 0x7f
WRITE of size 1 at 0x602000000018 thread T0
    #0 0x7f0000000001 in __interceptor_memcpy ../../../../src/libsanitizer/memcpy.inc:827
    #1 0x5653b8db63a0 in fill /workspace/main.c:5
    #2 0x5653b8db63a9 in main /workspace/main.c:9
    #3 0x7f4a85c45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

0x602000000018 is located 4 bytes to the right of 4-byte region [0x602000000010,0x602000000014)
allocated by thread T0 here:
    #0 0x7f4a866b89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x5653b8db62c5 in make /workspace/main.c:3
"""
SIGNED = """\
main.c:7:12: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x55d0 in add /workspace/main.c:7
    #1 0x55d1 in main /workspace/main.c:12
"""
UNINITIALISED = """\
==26== Invalid read of size 1
==26==    at 0x1091D6: first (main.c:5)
==26==
==26== Conditional jump or move depends on uninitialised value(s)
==26==    at 0x48E0A10: strlen (in /usr/lib/valgrind/vgpreload_memcheck.so)
==26==    by 0x1091D6: judge (/workspace/main.c:15)
==26==    by 0x1091F0: main (main.c:19)
==26==
"""


def test_a_report_is_its_kind_and_the_frames_in_the_projects_own_sources():
    found = _asan_report(HEAP, PROJECT)
    assert (found.kind, found.stack) == ("heap-buffer-overflow", ("fill main.c:5", "main main.c:9"))
    assert found.key == ("heap-buffer-overflow", "fill", "main")
    assert _asan_report(SIGNED, PROJECT).key == ("signed-integer-overflow", "add", "main")
    assert _memcheck_report(UNINITIALISED, PROJECT).stack == ("judge main.c:15", "main main.c:19")


@pytest.mark.parametrize(
    "log",
    [
        "",
        HEAP.replace("/workspace/main.c", "/usr/src/other.c"),
        HEAP.replace("heap-buffer-overflow", "out-of-memory"),
        "==22==ERROR: AddressSanitizer: heap-buffer-overflow\n",
    ],
)
def test_no_report_without_a_known_kind_and_a_stack_in_the_project(log):
    assert _asan_report(log, PROJECT) is None


def test_inputs_become_as_small_as_the_same_error_allows():
    async def same(data):
        return b"ab" in data and b"z" in data

    data = b"x" * 300 + b"ab" + b"y" * 100 + b"z" + b"x" * 50
    assert anyio.run(minimised_input, data, same, 30.0) == b"abz"
    assert anyio.run(minimised_input, data, same, 0.0) == data


@pytest.mark.parametrize(
    ("claims", "inputs", "word"),
    [
        (b'[{"input": "a", "kind": "uaf"}, {"input": "./b"}]', [b"1", b"2"], ""),
        (b'[{"input": "a"}, {"input": "../state.json"}, {"input": "link"}]', [b"1"], "did not leave"),
        (b'{"input": "a"}', [], "cannot be read"),
        (b"\xff", [], "cannot be read"),
        (None, [], "left no claims.json"),
    ],
)
def test_claims_name_inputs_that_the_agent_left_and_nothing_else(claims, inputs, word):
    files = {"a": File(data=b"1"), "b": File(data=b"2"), "link": File(data=b"/etc/passwd", mode="link")}
    if claims is not None:
        files["claims.json"] = File(data=claims)
    found, note = read_claims(Tree(files=files))
    assert found == inputs
    assert word in note
    assert bool(note) == bool(word)


def _patch(path, old, new):
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,1 @@\n-{old}\n+{new}\n"


@pytest.mark.parametrize(
    "new",
    [
        "__attribute__((no_sanitize_address)) int main(void) {",
        'const char *__asan_default_options(void) { return "exitcode=0"; }',
        "#pragma GCC optimize 3",
        "int main(void) { signal(11, exit);",
    ],
)
def test_a_fix_that_may_hide_an_error_is_refused(new):
    with pytest.raises(TaskError, match="may hide"):
        read_fix(PROJECT, _patch("main.c", "int main(void) {", new))


def test_a_fix_changes_sources_only():
    with pytest.raises(TaskError, match="Makefile"):
        read_fix(PROJECT, _patch("Makefile", "all:", "all: none"))
    assert "int x" in read_fix(PROJECT, _patch("main.c", "int main(void) {", "int main(void) { int x;")).text("main.c")
