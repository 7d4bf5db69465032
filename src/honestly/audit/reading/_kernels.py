"""Which files are kernels, the functions that a harness calls in them, and what these reach.

A kernel is a program that is measured: it has an entry (the `forward` of a module, `kernel`, `custom_kernel`, or a
function that a task about speed names) and it uses, or is asked to use, the tools of kernels: Triton, CUDA source in a
string, extensions, cupy, numba. Device code in strings is read by patterns, with its comments taken off. Everything
else than a kernel is left alone by the detectors that read this.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice

from honestly.audit.reading._left import LeftFile, Suspicion, parsed_module, syntax_nodes
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._places import base_name, is_test
from honestly.records import Severity

Function = ast.FunctionDef | ast.AsyncFunctionDef

_ASKED = re.compile(
    r"\b(?:cuda|triton|gpu|custom|fused|hip|metal|cutlass|ptx|simd)\b[^.\n]{0,60}\bkernels?\b"
    r"|\bkernels?\b[^.\n]{0,60}\b(?:cuda|triton|gpu|hip|metal|cutlass|ptx|simd)\b|kernelbench|get_init_inputs"
)
_MEASURED = re.compile(
    r"as fast as possible|\bfast(?:er|est)\b|\bspeed-?\s?up\b|\bthroughput\b|\blatency\b|\bmilliseconds\b"
)
_PRODUCT = re.compile(r"gemm|matmul|matrix[- ]mult|\bconv(?:olution|\d)|attention")
_FORBIDS = re.compile(
    r"[^.\n]{0,300}\b(?:forbid\w*|forbidden|must not|may not|not allowed|disallowed|banned|do not (?:use|call)"
    r"|don't (?:use|call)|never (?:use|call)|without (?:using|calling))\b[^\n]*(?:\n[ \t]*[-*][^\n]*)*"
)
_TOOLS = Pattern(
    r"@triton\.|import triton|load_inline|cpp_extension|RawKernel|RawModule|numba\.cuda|from numba import[^\n]*cuda"
    r"|__global__|tilelang|cutlass|pallas|ElementwiseKernel"
)
_ENTRY = re.compile(r"^def (?:custom_)?kernel\w*\(", re.MULTILINE)
_ENTRIES = frozenset({"kernel", "custom_kernel", "kernel_function", "kernel_fn"})
_ASIDE = re.compile(
    r"^(?:ref|reference|baseline|bench\w*|check\w*|eval\w*|harness|prof\w*|test\w*|debug\w*|sweep\w*)[._]"
)
_DEVICE = re.compile(
    r"^(?!torch\.|jax\.)(?:[\w.]+\.)?(?:n?jit|vectorize|guvectorize|stencil|autotune|heuristics|prim_func|kernel)\b"
)
# Functions of a device that are looked at.
_MOST = 200
_COMMENTS = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_C_CODE = re.compile(r"__global__|#include|\basm\b|torch::Tensor|at::Tensor|extern \"C\"")
_LOOPS = re.compile(r"\b(?:for|while)\s*\(|atomicAdd|_mm\d{3}_|\basm\b")
_GATHERS = re.compile(
    r"\+=|mma\w{0,60}\(|\bw?g?mma\b|fma\w{0,60}\(|atomic\w{1,60}\(|__shfl|__reduce|\basm\b|cub::|\bwhile\s*\(|max\w{0,40}\(|min\w{0,40}\("
)
_HEADER = re.compile(r"\bfor\s*\([^{};]{0,200};[^{};]{0,200};[^{};\n]{0,200}\)")
_NATIVE = (".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".hip", ".metal")
_COLLECTS = re.compile(
    r"\.(?:dot|sum|reduce|max|min|cumsum|cumprod|argmax|argmin|sort|associative_scan|atomic_\w+|gemm|dot_scaled|mma\w*)$"
)


class Kernel:
    """One file that is a kernel."""

    def __init__(self, file: LeftFile, tree: ast.Module, asked: str, device: str) -> None:
        self.file = file
        self.tree = tree
        self.asked = asked
        """The instruction, in lower case."""
        self.device = device
        """All device code of the trial that is not Python, without comments."""
        self.passes: dict[tuple[Function, frozenset[str]], bool] = {}
        """Whether functions give back something of the values of some of their arguments, as far as it was asked."""
        self.functions: dict[str, list[Function]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.owners: dict[Function, ast.ClassDef] = {}
        for node in syntax_nodes(file.text):
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
                self.owners |= {each: node for each in node.body if isinstance(each, Function)}
            elif isinstance(node, Function):
                self.functions.setdefault(node.name, []).append(node)

    @cached_property
    def entry_points(self) -> tuple[Function, ...]:
        """The functions that a harness calls."""
        found = [
            each
            for name, defined in self.functions.items()
            for each in defined
            if (
                name in {"forward", "__call__"}
                and (owner := self.owners.get(each)) is not None
                and any("Module" in ast.unparse(kind) or "Model" in ast.unparse(kind) for kind in owner.bases)
            )
            or (each in self.tree.body and (name in _ENTRIES or self._is_named(name)))
        ]
        return tuple(each for each in found if each not in self.device_functions)

    @cached_property
    def start_points(self) -> tuple[Function, ...]:
        """Where to begin: its entries and what makes them; all that is public where there are none."""
        makers = {self.owners[each].name for each in self.entry_points if each in self.owners}
        made = [
            each
            for each in self.functions.get("__init__", ())
            if each in self.owners and self.owners[each].name in makers
        ]
        return (
            (*self.entry_points, *made)
            if self.entry_points
            else tuple(
                each
                for name, defined in self.functions.items()
                for each in defined
                if not name.startswith(("_", "get_"))
                and each not in self.device_functions
                and (each in self.tree.body or each in self.owners)
            )
        )

    def _is_named(self, name: str) -> bool:
        return len(name) > 3 and _MEASURED.search(self.asked) is not None and f"{name.lower()}(" in self.asked

    @cached_property
    def device_functions(self) -> frozenset[Function]:
        """Device code that is written in Python."""
        return frozenset(
            each
            for defined in self.functions.values()
            for each in defined
            if any(_DEVICE.search(ast.unparse(mark)) for mark in each.decorator_list)
        )

    @property
    def is_bench(self) -> bool:
        """Whether it has the interface of KernelBench."""
        return {"get_inputs", "get_init_inputs"} <= self.functions.keys()

    @property
    def wants_kernel(self) -> bool:
        """Whether a kernel of its own is what was asked for, as far as task, interface and imports say."""
        return self.is_bench or asks_kernel(self.asked) or _TOOLS.search(self.file.text) is not None

    @property
    def asks_product(self) -> bool:
        """Whether a product is itself what was asked for."""
        said = re.search(r"^OP_TYPE\s*=\s*(.*)", self.file.text, re.MULTILINE)
        return _PRODUCT.search(said[1].lower() if said else self.asked) is not None

    @cached_property
    def forbidden_words(self) -> str:
        """The instruction's words about what is not to be used."""
        return "\n".join(_FORBIDS.findall(self.asked[:50_000]))

    @cached_property
    def reached_functions(self) -> frozenset[Function]:
        """Functions that entries lead to; a name that is mentioned is taken as called."""
        return self.reachable_from(self.start_points)

    def reachable_from(self, starts: Iterable[Function]) -> frozenset[Function]:
        """Functions that some functions lead to, with themselves."""
        seen: set[Function] = set()
        queue = list(starts)
        while queue:
            function = queue.pop()
            if function in seen:
                continue
            seen.add(function)
            for node in ast.walk(function):
                name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
                if name in self.classes:
                    queue += [each for each in self.classes[name].body if isinstance(each, Function)]
                elif name not in {"forward", "__init__"}:
                    # All modules have these two: a call of one would lead to each of them.
                    queue += self.functions.get(name, ())
        return frozenset(seen)

    @cached_property
    def launched_kernels(self) -> frozenset[Function]:
        """Kernels in Python that entries lead to."""
        return self.device_functions & self.reached_functions

    @property
    def host_functions(self) -> Iterator[Function]:
        """The functions that run beside the device when an entry is called, in the order of the file."""
        yield from sorted(self.reached_functions - self.device_functions, key=lambda function: function.lineno)

    @property
    def does_reduction(self) -> bool:
        """Whether device code that is reached does more than one element at a time: loops, sums, products."""
        if any(_GATHERS.search(_HEADER.sub("", body)) for body in _bodies(self.device)):
            return True
        return any(
            isinstance(node, ast.For | ast.While)
            or (isinstance(node, ast.Call) and _COLLECTS.search(ast.unparse(node.func)))
            for function in self.launched_kernels
            for node in ast.walk(function)
        )

    @property
    def is_native(self) -> bool:
        """Whether there are kernels in C or CUDA: device code, or loops where there is no device."""
        host = "cuda" not in self.device.lower() and _LOOPS.search(self.device) is not None
        return "__global__" in self.device or host

    def node_suspicion(self, node: ast.AST, note: str, severity: Severity | None = None) -> Suspicion:
        """A suspicion about the line where a node stands."""
        return self.file.file_suspicion(self.file.line(getattr(node, "lineno", 1)), note, severity)


def asks_kernel(asked: str) -> bool:
    """Whether an instruction, in lower case, asks for a kernel."""
    return _ASKED.search(asked) is not None


def find_kernels(left: Iterable[LeftFile], asked: str) -> tuple[Kernel, ...]:
    """The kernels among the files that are left."""
    files = [file for file in left if not is_test(base_name(file.path))]
    python = [file for file in files if file.path.endswith(".py") and not _ASIDE.match(base_name(file.path).lower())]
    measured = asks_kernel(asked) or _MEASURED.search(asked) is not None
    # A look that is quicker than a parser.
    python = [
        file
        for file in python
        if "def " in file.text
        and (measured or "get_init_inputs" in file.text or _TOOLS.search(file.text) or _ENTRY.search(file.text))
    ]
    if not python:
        return ()
    device = "\n".join(
        [_COMMENTS.sub("", file.text) for file in files if file.path.endswith(_NATIVE)]
        + [text for file in python for text in _native(file.text)]
    )
    found = []
    for file in python:
        tree = parsed_module(file.text)
        if tree is not None:
            kernel = Kernel(file, tree, asked, device)
            if kernel.entry_points or (kernel.start_points and (kernel.is_bench or _TOOLS.search(file.text))):
                found.append(kernel)
    return tuple(found)


def _bodies(device: str) -> Iterator[str]:
    """Bodies of functions that run on the device."""
    for match in islice(re.finditer(r"__(?:global|device)__", device), _MOST):
        start = device.find("{", match.end())
        depth, at = 0, max(start, 0)
        for brace in re.compile(r"[{}]").finditer(device, at, at + 100_000) if start >= 0 else ():
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                yield device[start : brace.end()]
                break


@lru_cache(maxsize=64)
def _native(text: str) -> tuple[str, ...]:
    """C and CUDA in the strings of a Python file, without comments."""
    return tuple(
        _COMMENTS.sub("", node.value)
        for node in syntax_nodes(text)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _C_CODE.search(node.value)
    )
