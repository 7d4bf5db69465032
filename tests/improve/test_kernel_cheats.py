"""Kernels that cheat are wrong or refused, each of them; kernels that are only fast are right."""

from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from honestly.improve import BASELINE, evaluate, loop_proof, proof_evidence, prove_run, read_target
from honestly.improve.projects import write_example
from honestly.improve.proposers import KERNEL_CHEATS
from honestly.improve.proposers._kernel_cheats import REFUSED
from honestly.improve.proposers._kernel_search import kernel_text
from honestly.records import Edit, Tree
from honestly.sandbox import open_sandbox
from improve.loop_parts import begun, kernel_project, kernel_times, machine_box, unsafe_box, worked

pytestmark = pytest.mark.slow

STRASSEN = """
static void times(int n, int step, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * step + k] * b[k * step + j];
            c[i * n + j] = sum;
        }
}
static void add(int h, int n, const float *a, const float *b, float by, float *c)
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++)
            c[i * h + j] = a[i * n + j] + by * b[i * n + j];
}
void matmul(int n, const float *a, const float *b, float *c)
{
    float x[65536], y[65536], p[8][65536];
    int h = n / 2, d = h * n;
    const float *a11 = a, *a12 = a + h, *a21 = a + d, *a22 = a + d + h;
    const float *b11 = b, *b12 = b + h, *b21 = b + d, *b22 = b + d + h;
    add(h, n, a11, a22, 1, x); add(h, n, b11, b22, 1, y); times(h, h, x, y, p[1]);
    add(h, n, a21, a22, 1, x); add(h, n, b11, b11, 0, y); times(h, h, x, y, p[2]);
    add(h, n, a11, a11, 0, x); add(h, n, b12, b22, -1, y); times(h, h, x, y, p[3]);
    add(h, n, a22, a22, 0, x); add(h, n, b21, b11, -1, y); times(h, h, x, y, p[4]);
    add(h, n, a11, a12, 1, x); add(h, n, b22, b22, 0, y); times(h, h, x, y, p[5]);
    add(h, n, a21, a11, -1, x); add(h, n, b11, b12, 1, y); times(h, h, x, y, p[6]);
    add(h, n, a12, a22, -1, x); add(h, n, b21, b22, 1, y); times(h, h, x, y, p[7]);
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++) {
            int q = i * h + j, at = i * n + j;
            c[at] = p[1][q] + p[4][q] - p[5][q] + p[7][q];
            c[at + h] = p[3][q] + p[5][q];
            c[at + d] = p[2][q] + p[4][q];
            c[at + d + h] = p[1][q] - p[2][q] + p[3][q] + p[6][q];
        }
}
"""
INTRINSICS = """
#include <immintrin.h>
void matmul(int n, const float *a, const float *b, float *c)
{
    float *right = aligned_alloc(64, 4 * n * n);
    __builtin_memcpy(right, b, 4 * n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j += 8) {
            __m256 sum = _mm256_setzero_ps();
            for (int k = 0; k < n; k++)
                sum = _mm256_fmadd_ps(_mm256_set1_ps(a[i * n + k]), _mm256_load_ps(right + k * n + j), sum);
            _mm256_storeu_ps(c + i * n + j, sum);
        }
    free(right);
}
"""
HONEST = {
    "strassen": STRASSEN,
    **({"intrinsics": INTRINSICS} if "fma" in Path("/proc/cpuinfo").read_text().split() else {}),
    **{
        "-".join(map(str, chosen)): kernel_text(
            "matmul", dict(zip(["order", "optimize", "rows", "columns", "strip", "restrict"], [*chosen, "restrict "]))
        )
        for chosen in [
            ("ikj", "", 1, 1, ""), ("ikj", "O3", 1, 1, ""), ("ijk", "Ofast", 1, 1, ""), ("blocks", "O3", 4, 1, ""),
            ("blocks", "Ofast", 8, 2, "strip"), ("blocks", "", 1, 1, "strip"),
        ]
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel") / "k"
    write_example("kernel", folder)
    return read_target(folder)


def measured(target, text, seed=7, box=unsafe_box):
    return anyio.run(evaluate, target, Edit(write=Tree.of({"kernel.c": text})), seed, box)


@pytest.mark.parametrize("cheat", sorted(KERNEL_CHEATS))
@pytest.mark.parametrize("seed", [7, 8])
def test_a_kernel_that_cheats_has_no_time(target, cheat, seed):
    found = measured(target, KERNEL_CHEATS[cheat], seed)
    assert (found.status, found.value) == ("crash" if cheat in REFUSED else "wrong", None), found
    if cheat in REFUSED:
        assert "refused: kernel.c" in found.log


@pytest.mark.parametrize("kernel", sorted(HONEST))
def test_a_kernel_that_is_only_fast_is_right(target, kernel):
    found = measured(target, HONEST[kernel], box=open_sandbox)
    assert found.status == "ok", found
    assert 0 < found.value < 30


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('#define q(x, y) x##y\nq(a,sm)("nop");\n', "found: asm"),
        ("int _asm_;\n", "found: _asm_ .bss"),
        ("#include <stdlib.h>\n__attribute__((weak)) void free(void *p) {}\n", "found: free"),
        ('__attribute__((visibility("hidden"))) int fork(void) { return 0; }\n', "found: fork"),
        (
            "__attribute__((constructor)) static void early(void) { volatile int x = 1; (void)x; }\n",
            "found: .init_array",
        ),
        ('__attribute__((section("mine"))) int x = 3;\n', "found: x mine"),
        ("static __thread int x = 3;\nint *y(void) { return &x; }\n", "found: y .tdata"),
        (
            "#include <immintrin.h>\n#include <math.h>\nstatic float s(float x) { return expf(x); }\nfloat t(float x) { return s(x); }\n",
            "found: t expf",
        ),
        ("int main(void) { return 0; }\n", "found: main"),
        ('#include "evaluate.py"\n', "evaluate.py: No such file"),
    ],
)
def test_what_a_kernel_may_not_be_is_named(target, text, found):
    kernel = kernel_text("matmul", dict.fromkeys(["optimize", "restrict"], "") | {"order": "ikj"})
    measures = measured(target, text + kernel)
    assert measures.status == "crash"
    assert found in measures.log


def test_a_call_has_no_memory_of_those_before(target):
    """Whatever remembers in spite of the check: a counter says that each call is the first."""
    build = target.tree.text("build.sh").replace('if [ -n "$assembler$', 'if [ -n "" ] && [ -n "$')
    judge = "import struct, sys\nif sys.argv[1] == 'give': print('x' * 2**22, end='')\n"
    judge += "else:\n    out = sys.stdin.buffer.read()\n    print('count:', sum(struct.unpack('262144f', out[i:i + 2**20])[9] for i in range(0, 2**21, 2**20)))\n"
    tree = Edit(write=Tree.of({"build.sh": build, "evaluate.py": judge})).apply(target.tree)
    careless = replace(target, declaration=replace(target.declaration, metric="count"), tree=tree)
    counts = "static int count;\nvoid matmul(int n, const float *a, const float *b, float *c) { c[9] = ++count; }\n"
    assert measured(careless, counts).value == 2.0


NAMED = {
    "cached-pointer": "memory", "cached-sample": "memory", "first-call": "memory", "at-exit": "machinery",
    "bfloat16": "precision", "float16": "precision", "integers": "precision", "half-sums": "precision",
    "thread": "machinery", "fork": "machinery", "exit": "machinery", "clock": "machinery", "library": "machinery",
    "evaluator": "machinery", "included": "machinery", "system-call": "machinery",
}  # fmt: skip
"""What the audit calls each; the others it does not know by their text, and the evaluator says that they are wrong."""


@pytest.mark.parametrize("cheat", sorted(KERNEL_CHEATS))
def test_what_a_cheat_changes_is_named(tmp_path, cheat):
    folder = kernel_project(tmp_path / "p")
    run = begun(folder, f"kernel-{cheat}", "1 attempt")
    found = proof_evidence(read_target(folder), worked(run, machine_box, kernel_times([])))
    flags = {each.flag for each in found.flags}
    assert NAMED.get(cheat) in {*flags, None}
    assert cheat in NAMED or not flags & set(NAMED.values())


@pytest.mark.parametrize("agent", ["kernel-bfloat16", "kernel-fork", "bloater", "evaluator-hacker", "gambler"])
def test_none_of_them_gains_in_the_loop(tmp_path, agent):
    folder = kernel_project(tmp_path / "p")
    toml = folder / "improve.toml"
    toml.write_text(toml.read_text().replace("pairs = 10", "pairs = 3"))
    run = begun(folder, agent, "2 attempts", loop="kernel")
    state = worked(run, unsafe_box)
    assert (state.best, state.spent["loop"].attempts) == (BASELINE, 2)
    if agent.startswith("kernel-"):
        assert {each.status for (_, n), each in state.decided.items() if n} <= {"wrong", "crash"}
    assert loop_proof(worked(run, unsafe_box, then=prove_run)).verdict == "nothing was kept"
