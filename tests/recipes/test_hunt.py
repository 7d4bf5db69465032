"""Hunts with a compiler: what is planted is proved, what is only claimed or printed is not, fixes are verified."""

import json
import shutil
from functools import partial
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner

from honestly.agents import FunctionAgent, Hands
from honestly.errors import FormatError, TaskError
from honestly.hunt import Hunt, HuntBuilds, HuntedProject, HuntOrder, prove_claim
from honestly.hunt._cli import hunt as command
from honestly.hunt._sanitizers import LIMITS
from honestly.records import Tree
from honestly.sandbox import open_sandbox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("valgrind")), reason="needs gcc and valgrind"),
]
SUITE = Path(__file__).parents[2] / "suites" / "hunt"

INPUTS = {
    "heap-tags": b"t\x04abcd",
    "stack-calc": b"123456789\n",
    "global-days": b"2020-12-1\n",
    "uaf-queue": b"+1-",
    "double-parse": b":;",
    "signed-area": b"99999 99999\n",
    "uninit-mode": b"auto 3\n",
}
"""An input by hand for one program of each kind."""


def planted(name, patch=""):
    tree = Tree.read(SUITE / name).only(["main.c"])
    return HuntedProject(name, tree), json.loads((SUITE / name / "planted.json").read_text())


def run(tmp_path, project, agent=None, **order):
    order = HuntOrder(**{"seconds": 0, "minimise_s": 3, "fuzz_s": 3, **order})
    hunt = Hunt(project, order, tmp_path / "hunt", open_sandbox, lambda line: None)
    return anyio.run(hunt.hunt, FunctionAgent.of(agent) if agent else None)


async def proof(project, data, known=()):
    async with HuntBuilds(project, open_sandbox) as bench:
        return await prove_claim(bench, data, known, minimise_s=3)


def program(text):
    return HuntedProject("own", Tree.of({"main.c": text}))


@pytest.mark.parametrize("name", INPUTS)
def test_every_kind_of_planted_error_is_proved_by_its_input_and_not_with_its_fix(name):
    from honestly.formats import read_patch

    project, truth = planted(name)
    found = anyio.run(proof, project, INPUTS[name] + b"\n\n\n")
    assert (found.verdict, found.reproduced) == ("proved", 2)
    assert (found.report.kind, found.report.stack[0].split()[0]) == (truth["kind"], truth["function"])
    assert len(found.data) <= len(INPUTS[name]) + 3
    mended = read_patch((SUITE / name / "fix.patch").read_text()).apply(project.tree)
    assert anyio.run(proof, HuntedProject(name, mended), INPUTS[name]).verdict == "nothing"
    assert anyio.run(proof, project, INPUTS[name], [found.report.key]).verdict == "known"


FAKE = r"""
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char fake[] = "==%d==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018\n"
    "==%d== Conditional jump or move depends on uninitialised value(s)\n"
    "==%d==    at 0x1091D6: main (main.c:5)\n"
    "    #0 0x5653b8db63a0 in main /workspace/main.c:5\n\n";
int main(void) {
    char text[2000], path[4000], environment[8000];
    int size = snprintf(text, sizeof text, fake, getpid(), getpid(), getpid()), status = 1;
    for (int fd = 1; fd < 1024; fd++) if (fd != 0) (void)!write(fd, text, size);
    FILE *own = fopen("/proc/self/environ", "r");
    size_t got = fread(environment, 1, sizeof environment - 1, own);
    for (size_t i = 0; i < got; i++) if (!environment[i]) environment[i] = ':';
    environment[got] = 0;
    char *name = strstr(environment, "log_path="), *code = strstr(environment, "exitcode=");
    if (name) {
        snprintf(path, sizeof path, "%.*s.%d", (int)strcspn(name + 9, ":"), name + 9, getpid());
        FILE *log = fopen(path, "w");
        if (log) { fputs(text, log); fclose(log); }
    }
    if (code) status = atoi(code + 9);
    DIR *folder = opendir("/tmp");
    for (struct dirent *each; (each = readdir(folder));) {
        snprintf(path, sizeof path, "/tmp/%s", each->d_name);
        FILE *log = fopen(path, "a");
        if (log) { fputs(text, log); fclose(log); }
    }
    closedir(folder);
    _exit(status);
}
"""


def test_a_program_that_prints_and_writes_reports_wherever_it_can_proves_nothing():
    assert anyio.run(proof, program(FAKE), b"x").verdict == "nothing"


def test_what_the_program_echoes_of_an_input_is_no_report():
    echo = "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) { putchar(c); fputc(c, stderr); } abort(); }\n"
    text = "==22==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x1 in main /workspace/main.c:2\n"
    echo = "#include <stdlib.h>\n" + echo
    assert anyio.run(proof, program(echo), text.encode()).verdict == "nothing"


def test_an_error_that_shows_once_in_a_while_is_not_proved():
    luck = (
        "#include <stdlib.h>\n#include <unistd.h>\n#include <fcntl.h>\n#include <stdio.h>\n"
        'int main(void) { unsigned char byte[8]; int fd = open("/dev/urandom", O_RDONLY); (void)!read(fd, byte, 8);\n'
        "    char *p = malloc(4); int bad = byte[0] < 60; p[bad ? 4 : 0] = 1; free(p); return 0; }\n"
    )
    verdicts = [anyio.run(proof, program(luck), b"x").verdict for _ in range(6)]
    assert verdicts.count("nothing") >= 4


async def liar(run, box):
    hands = Hands(run, box)
    report = "==1==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x1 in main /workspace/main.c:1\n"
    await hands.write("harmless", report)
    claims = [{"input": "harmless", "kind": "heap-use-after-free", "note": report}, {"input": "nowhere", "kind": "uaf"}]
    await hands.write("claims.json", json.dumps(claims))
    hands.finish("I found two errors, both proved.", claimed=True)


async def finder(run, box):
    hands = Hands(run, box)
    await hands.bash("printf '123456789\\n' > found; printf '1 2 +\\n' > harmless")
    await hands.write("claims.json", '[{"input": "found"}, {"input": "harmless"}]')
    await hands.write("fix.patch", (SUITE / "stack-calc" / "fix.patch").read_text())


def test_a_claim_without_a_reproduced_crash_is_never_a_finding(tmp_path):
    state = run(tmp_path, planted("stack-calc")[0], liar)
    assert state.to_plain() == {"findings": [], "claims": 1, "proved": 0}
    assert "nowhere" in state.notes[0]


def test_an_agents_finding_is_proved_and_its_fix_verified(tmp_path):
    state = run(tmp_path, planted("stack-calc")[0], finder)
    (only,) = state.findings
    assert (only.kind, only.reproduced, only.fixed) == ("stack-buffer-overflow", 2, True)
    assert sorted(state.claims.values()) == ["nothing", "proved"]

    async def finder_again(run, box):
        raise AssertionError("asked twice")

    again = FunctionAgent(finder_again, FunctionAgent.of(finder).record)
    order = HuntOrder(seconds=0, fuzz_s=1)
    hunt = Hunt(planted("stack-calc")[0], order, tmp_path / "hunt", open_sandbox, lambda line: None)
    assert anyio.run(hunt.hunt, again).findings == state.findings
    assert (tmp_path / "hunt" / only.input).read_bytes().count(b"9") <= 1


@pytest.mark.parametrize(
    ("old", "new", "tests", "word"),
    [
        ("int main(void) {", "#include <stdlib.h>\nint main(void) {\n    exit(0);", "", "harmless input"),
        ("int main(void) {", "int main(void) {\n    int unused = 0;", "", ""),
        ("            if (top > 8) return 1;", "            if (top > 7) return 1;", "exit 3", "tests fail"),
    ],
)
def test_a_fix_that_breaks_the_program_or_mends_nothing_does_not_hold(tmp_path, old, new, tests, word):
    project, _ = planted("stack-calc")
    text = project.tree.text("main.c")
    at = text[: text.index(old)].count("\n") + 1
    lines = new.split("\n")
    patch = f"--- a/main.c\n+++ b/main.c\n@@ -{at},1 +{at},{len(lines)} @@\n-{old}\n" + "".join(
        f"+{e}\n" for e in lines
    )

    async def finds(run, box):
        await Hands(run, box).bash("printf '123456789\\n' > f; echo '[{\"input\": \"f\"}]' > claims.json")

    folder = tmp_path / "hunt" / "corpus"
    folder.mkdir(parents=True)
    (folder / "1").write_bytes(b"12+=\n")
    state = run(tmp_path, HuntedProject("p", project.tree, tests=tests), finds, fix=patch)
    assert [each.fixed for each in state.findings] == [False]
    assert word in "".join(state.notes)


def test_the_command_fuzzes_proves_and_goes_on_where_it_was(tmp_path):
    project = tmp_path / "calc"
    shutil.copytree(SUITE / "stack-digits", project)
    (project / "Makefile").write_text("digits: main.o\n\t$(CC) -o $@ $^\nmain.o: main.c\n\t$(CC) -O2 -c $<\n")
    words = [str(project), "--run", "./digits", "--seconds", "8", "--json"]
    first = CliRunner().invoke(command, words, standalone_mode=False)
    found = json.loads(first.stdout)
    assert set(found) == {"findings", "claims", "proved"}
    assert first.return_value == 1
    (only,) = found["findings"]
    assert set(only) == {"program", "kind", "stack", "input", "reproduced", "fixed"}
    assert (only["kind"], only["fixed"]) == ("stack-buffer-overflow", None)
    state = (project / ".hunt" / "state.json").read_bytes()
    assert json.loads(CliRunner().invoke(command, words, standalone_mode=False).stdout) == found
    assert (project / ".hunt" / "state.json").read_bytes() == state
    (project / "main.c").write_text("int main(void) { return 0; }\n")
    with pytest.raises(FormatError, match="other sources"):
        CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)


def test_what_does_not_build_or_run_is_said(tmp_path):
    with pytest.raises(TaskError, match="does not build"):
        anyio.run(proof, program("int main(void) { return x; }"), b"")
    with pytest.raises(TaskError, match="cannot be fuzzed"):
        run(tmp_path, HuntedProject("p", Tree.of({"main.c": "int main(void) { return 0; }"}), ("./other",)), seconds=1)


def test_what_a_program_holds_stays_limited_while_it_reserves_terabytes():
    async def hold():
        text = "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) memset(malloc(1 << 24), 1, 1 << 24); }\n"
        async with partial(open_sandbox, limits=LIMITS)(Tree.of({"m.c": text})) as box:
            assert (await box.exec("gcc -fsanitize=address -o m m.c")).code == 0
            return await box.exec("./m", timeout=50)

    result = anyio.run(hold)
    assert result.out_of_memory
    assert not result.timed_out
