"""The table of toolchains: for each language the file of a program, how it is compiled and run, how it is installed.

`{at}` in a command is where the toolchain lies inside the sandbox. Most belong to the system (`/usr`), which sandboxes
show; Rust, Zig and TypeScript may lie in somebody's home, so their own folder is shown, read-only, nothing beside it.

Not covered: several versions of one toolchain, cross compiling, packages (a program has its language's own library).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

WARM = "/opt/warm"
"""Where the cache of a compiler that has compiled a program of ours is shown, for each check to copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The tools that turn a program of one language into answers."""

    language: str
    """As samples name it."""
    title: str
    file: str
    """What the program's file is called."""
    program: str
    """What is looked for on the path."""
    compile: str = ""
    """For `/bin/sh`; empty where programs are run as they are."""
    run: str
    version: tuple[str, ...] = ("--version",)
    """Arguments that make the program say its version."""
    install: str
    fences: tuple[str, ...]
    """What a block of code in this language is marked with."""
    env: Mapping[str, str] = field(default_factory=dict)
    at: str = ""
    """Where its folder is shown inside; empty for one of the system's."""
    needs: tuple[str, ...] = ()
    """Patterns of what else of this machine it reads, which sandboxes do not show by themselves."""
    warm: str = ""
    """A program to fill the compiler's cache `.cache` with, once; empty where that gains nothing."""
    note: str = ""
    """What a reader of results must know."""
    hint: str = ""
    """What a model is told of how its program is compiled."""


_ZIG_WARM = """\
const std = @import("std");
pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    const text = try std.io.getStdIn().readToEndAlloc(arena.allocator(), 1 << 20);
    var words = std.mem.tokenizeAny(u8, text, " \\n");
    var all = std.ArrayList(i64).init(arena.allocator());
    while (words.next()) |word| try all.append(try std.fmt.parseInt(i64, word, 10));
    try std.io.getStdOut().writer().print("{d}\\n", .{all.items});
}
"""
_DEBIAN = "apt-get install --no-install-recommends"
_TSC = (
    "node {at}/typescript/bin/tsc --target es2022 --lib es2022 --module commonjs --esModuleInterop --skipLibCheck "
    "--typeRoots {at}/@types --types node --pretty false main.ts"
)
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_TABLE = (
    Toolchain(
        language="python",
        title="Python",
        file="main.py",
        program="python3",
        run="python3 main.py",
        install="what honestly itself runs on",
        fences=("python", "py", "python3"),
    ),
    Toolchain(
        language="typescript",
        title="TypeScript",
        file="main.ts",
        program="tsc",
        compile=_TSC,
        run="node main.js",
        install="npm install --global typescript@5 @types/node@20 (and Node.js: apt-get install nodejs)",
        fences=("typescript", "ts"),
        at="/opt/node_modules",
        hint="It is compiled by tsc with the types of Node, and run by Node.",
    ),
    Toolchain(
        language="go",
        title="Go",
        file="main.go",
        program="go",
        compile="go build -o main main.go",
        run="./main",
        version=("version",),
        install=f"{_DEBIAN} golang-go",
        fences=("go", "golang"),
        env={"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": "/workspace/.cache", "GOTELEMETRY": "off"},
    ),
    Toolchain(
        language="rust",
        title="Rust",
        file="main.rs",
        program="rustc",
        compile="{at}/bin/rustc -O --edition 2021 -o main main.rs",
        run="./main",
        install=f"{_DEBIAN} rustc, or rustup",
        fences=("rust", "rs"),
        at="/opt/rust",
        hint="It is compiled by rustc alone, edition 2021, without Cargo.",
    ),
    Toolchain(
        language="java",
        title="Java",
        file="Main.java",
        program="javac",
        compile=f"javac {_JAVA.replace('-XX', '-J-XX')} Main.java",
        run=f"java {_JAVA} -Xss256m -cp . Main",
        install=f"{_DEBIAN} openjdk-17-jdk-headless",
        fences=("java",),
        hint="Its file is Main.java, and its class Main.",
    ),
    Toolchain(
        language="kotlin",
        title="Kotlin",
        file="main.kt",
        program="kotlinc-js",
        compile=f"java {_JAVA} -cp '{{at}}/lib/*' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -kotlin-home {{at}} "
        "-d . main.kt",
        run=f"java {_JAVA} -Xss256m -cp .:{{at}}/lib/kotlin-stdlib.jar MainKt",
        install=f"npm install --global kotlin-compiler (and Java: {_DEBIAN} openjdk-17-jre-headless)",
        fences=("kotlin", "kt"),
        at="/opt/kotlin",
        hint="It is compiled by kotlinc for the JVM, without other libraries.",
    ),
    Toolchain(
        language="ocaml",
        title="OCaml",
        file="main.ml",
        program="ocamlopt",
        compile="ocamlopt -O3 unix.cmxa str.cmxa -o main main.ml",
        run="./main",
        version=("-version",),
        install=f"{_DEBIAN} ocaml-nox",
        fences=("ocaml", "ml"),
        hint="It is linked with unix and str, and with no other library.",
    ),
    Toolchain(
        language="zig",
        title="Zig",
        file="main.zig",
        program="zig",
        compile=f"cp -r {WARM} .cache && {{at}}/zig build-exe main.zig --global-cache-dir .cache "
        "--cache-dir .local -femit-bin=main",
        run="./main",
        version=("version",),
        install="pip install ziglang==0.14.1",
        fences=("zig",),
        at="/opt/zig",
        warm=_ZIG_WARM,
        hint="It is built by zig build-exe, version 0.14.",
    ),
    Toolchain(
        language="php",
        title="PHP",
        file="main.php",
        program="php",
        run="php -d display_errors=stderr -d log_errors=0 -d memory_limit=-1 -d short_open_tag=0 main.php",
        install=f"{_DEBIAN} php-cli",
        fences=("php", "hack"),
        note="stands in for Hack, whose HHVM no registry gives",
    ),
    Toolchain(
        language="c",
        title="C",
        file="main.c",
        program="gcc",
        compile="gcc -O2 -std=gnu17 -o main main.c -lm",
        run="./main",
        install=f"{_DEBIAN} gcc libc6-dev",
        fences=("c",),
    ),
    Toolchain(
        language="cpp",
        title="C++",
        file="main.cpp",
        program="g++",
        compile="g++ -O2 -std=gnu++20 -o main main.cpp",
        run="./main",
        install=f"{_DEBIAN} g++",
        fences=("cpp", "c++", "cc"),
        hint="It is compiled by g++ as C++20.",
    ),
    Toolchain(
        language="haskell",
        title="Haskell",
        file="main.hs",
        program="ghc",
        compile="ghc -v0 -O1 -o main main.hs",
        run="./main",
        install=f"{_DEBIAN} ghc",
        fences=("haskell", "hs"),
        needs=("var/lib/ghc",),
        hint="It is compiled by ghc alone, with the packages that come with it.",
    ),
    Toolchain(
        language="lua",
        title="Lua",
        file="main.lua",
        program="lua5.4",
        run="lua5.4 main.lua",
        version=("-v",),
        install=f"{_DEBIAN} lua5.4",
        fences=("lua",),
        hint="It is run by Lua 5.4.",
    ),
    Toolchain(
        language="ruby",
        title="Ruby",
        file="main.rb",
        program="ruby",
        run="ruby main.rb",
        install=f"{_DEBIAN} ruby",
        fences=("ruby", "rb"),
    ),
    Toolchain(
        language="perl",
        title="Perl",
        file="main.pl",
        program="perl",
        run="perl main.pl",
        install=f"{_DEBIAN} perl",
        fences=("perl", "pl"),
    ),
)
"""In the order in which tables show them."""

TOOLCHAINS = {each.language: each for each in _TABLE}
