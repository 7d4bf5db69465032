"""Tests of JavaScript and TypeScript: by jest, vitest, mocha, jasmine, `node --test`, tsd, what prints TAP (tape, tap,
ava, lab, qunit), or by programs that end well (uvu, a script of the project's own), as package.json says.

Installed is what the package needs, and of what it needs to be developed that which its code, its settings or its test
command name; versions are those of the lock file, where there is one. A file of tsd's is one test. Of several packages
in one repository, the one is tested that most of the tests are in, and each finds the others by their names. Where
tests load what a build makes (`dist/`), the scripts that come before the runner are run, or else `build`. Not covered:
builds that the test script does by grunt or gulp, and tests in browsers.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import Any

from honestly.records import File, Tree
from honestly.taskgen._needs import Needs
from honestly.taskgen._split import is_a_test, language_of

_RUNNERS = ("jest", "vitest", "mocha", "jasmine")
_KINDS = {"tape": "tap", "tap": "tap", "ava": "tap", "lab": "tap", "qunit": "tap", "uvu": "files"}
"""Runners whose reports are read in the same way."""
_BY_NODE = ("tape", "tap", "uvu")
"""Runners that only run each file of tests as a program."""
_OTHER_RUNNER = re.compile(r"(?:\w+=\S+ |cross-env |c8 |nyc )*(?:karma|testem|bun|deno|cypress|wtr)\b")
"""Test scripts of runners that are not read, whatever else is installed."""
_BIN = "/node_modules/.bin"
_RUN_ALL = re.compile(r"\s*(?:run-[ps]|npm-run-all)\s+(.*)")
_RUN = re.compile(r"\b(?:npm|pnpm|yarn)(?:\s+run)?(?:\s+-\S+)*\s+([\w:.-]+)")
_SUBSTITUTED = re.compile(r"\$\((?:[^()]++|\([^()]*+\))*+\)|`[^`]*`")
_OF_TYPES = re.compile(r"(?:^|/)tests?-d/|\.test-d\.")
_VARIABLE = re.compile(r"(?!(?:CI|DEBUG|FORCE_COLOR|NO_COLOR)=)[A-Z_][A-Z0-9_]*=")
_LOADED = re.compile(r"(?:-r|--require|--import|--(?:experimental-)?loader|--conditions)$")
_LOADS = re.compile(r"--(?:require|import|loader|conditions)=|--(?:no-)?experimental-")
"""Options of node's own that say what it loads; of the first kind the next word is the value."""
_OF_LAB = re.compile(r"(?:-a|--assert|-m|-T|-P)$")
"""Its options that are kept; the others want coverage, lint or types to be right, too."""
_TYPED = (".ts", ".tsx", ".mts", ".cts")
_READS_TYPES = re.compile(r"ts-node|\btsx\b|esbuild|\bswc|[@-]register|sucrase|jiti|\besno\b|\btsm\b|babel")
_PRINTS_TAP = re.compile(r"['\"](?:(?:@\w+/)?(?:blue-)?tape?|tape-\w+|zora)['\"/]")
_NAMED_BY = {
    "vitest": re.compile(r"from ['\"]vitest['\"]"),
    "jest": re.compile(r"['\"]@jest/globals['\"]"),
    "node": re.compile(r"['\"]node:test['\"]"),
    "ava": re.compile(r"['\"]ava['\"]"),
    "mocha": re.compile(r"['\"]mocha['\"]"),
    "tape": _PRINTS_TAP,
    "uvu": re.compile(r"['\"]uvu['\"]"),
}
"""The runners that files of tests load by name, whatever calls them."""
_TESTING = re.compile(r"(?:^|[:._-])(?:tests?|unit|specs?|mocha|jest|vitest|ava|tap)(?:$|[:._-])")
"""Names of scripts that may run tests where `test` does not."""
_DEPTH = 4
_LOADED_FILE = re.compile(r"(?:\brequire\(|\bfrom|\bimport\(?)\s*['\"](\.[^'\"\n]*)['\"]")
_MADE = re.compile(r"(?:dist|lib|build|out|es|esm|cjs|umd|output|generated|release)(?:/|$)")
_GRAMMAR = re.compile(r"\.(?:ne|peg(?:js|gy)|jison|g4|lezer)$")
_NO_BUILD = re.compile(
    r"(?:npx\s+)?(?:eslint|standard|xo|[jt]slint|jshint|semistandard|prettier|biome|flow|aud|depcheck|publint|attw|knip|"
    r"size-limit|remark|markdownlint|tsd|dtslint|git|lerna|husky|linklocal|npm (?:i|ci|install|audit)|.*--noEmit)\b"
)
_JEST_WITH_ADDRESS = 24
_BABEL = re.compile(r"(?:^|/)(?:babel\.config\.\w+|\.babelrc(?:\.\w+)?)$")
_VALUED = frozenset(("-r", "--require", "-u", "--ui", "--loader", "--import", "-c", "--config", "--env", "-t", "--root",
                     "--environment", "--extension", "--timeout", "--preset", "--project"))  # fmt: skip
"""Options whose value is the next word."""
_DROPPED = re.compile(
    r"^(?:--?w(?:atch)?\b|--coverage|--collectCoverage|--reporters?\b|-R\b|--verbose|--bail|-b$|--test$|--max-?[wW]orkers|"
    r"--runInBand|-i$|--ci$|--run$|-p$|--type-check$)"
)
_SETTINGS = re.compile(r"^(?:(?:jest|vitest|vite|babel)\.config\.\w+|\.mocharc(?:\.\w+)?|\.babelrc(?:\.\w+)?)$")
_NOT_RUN = re.compile(
    r"(?:^|/)(?:node_modules|__mocks__|fixtures?|helpers?|support|utils?|browser|types?|data|snapshots?)/|\.d\.[cm]?ts$|"
    r"(?:^|/)(?:setup|helpers?|support|globals?)\.\w+$"
)
_TITLED = re.compile(r"(\b(?:it|test)(?:\.\w+)*(?:\([^()\n]*\))?\(\s*(?=(['\"`])((?:\\.|(?!\2)[^\\])*)\2))")
_TYPED_SETTINGS = "jest.config.ts"
"""Read by way of ts-node, which would check the types of it each time."""
_OPPOSITES = (
    (re.compile(rb"(?<!\.not)\.(to(?:Be|Equal|StrictEqual|Throw|Match|Contain|Have)\w*\()"), rb".not.\1"),
    (re.compile(rb"(?<!\.not)\.to\.(?!not\b)(?=\w)"), rb".to.not."),
    (
        re.compile(rb"\bassert\.(?:e|(?P<kind>strict|deep|deepStrict)E)qual\("),
        lambda found: b"assert.not" + (found["kind"] or b"").capitalize().replace(b"strict", b"Strict") + b"Equal(",
    ),
    (re.compile(rb"\bassert\.throws\("), rb"assert.doesNotThrow("),
)
_SECTIONS = ("dependencies", "peerDependencies", "devDependencies")
_SPEC = re.compile(r"^[\w.^~<>=|*+ -]*$")
_PNPM = re.compile(r"^ {4,8}'?([@\w./-]+)'?:\n +specifier: .*\n +version: '?(\d[\w.+-]*)", re.MULTILINE)
_YARN = re.compile(r'^("?@?[\w./-]+@[^\n]*):\n  version:? "?(\d[\w.+-]*)', re.MULTILINE)
_YARN_HEAD = re.compile(r"(@?[\w./-]+)@(?:npm:)?([^@:]*)")
_ROWS = {
    "pnpm-lock.yaml": re.compile(r"^  '?/?(@[\w.-]+/[\w.-]+|[\w.-]+)[@/](\d[\dA-Za-z.+-]*)[^\n]*:$", re.MULTILINE),
    "bun.lock": re.compile(r'": \["(@?[\w./-]+)@(\d[\w.+-]*)",'),
}
_NPM_LOCKS = ("npm-shrinkwrap.json", "package-lock.json")
_LOCK_FILES = (*_NPM_LOCKS, *_ROWS, "yarn.lock")


class JavaScript:
    """JavaScript under node; TypeScript by what the project itself uses for it."""

    program, package, says_version = "node", "nodejs", "--version"

    def refused(self, tree: Tree) -> str:
        """No package, or no runner that reports single tests."""
        if not _parsed_manifest(tree):
            return "it has no package.json at its root"
        for inner in (_inside(tree, folder) for folder in ("", *_packages(tree))):
            if _test_runner(inner, [path for path in inner.files if self.runs(path)]):
                return ""
        said = str(_parsed_manifest(tree).get("scripts", {}).get("test", "")) or "nothing"
        known = ", ".join((*_RUNNERS, *_KINDS))
        return f"its package.json names none of {known} and `node --test` for tests, but {said[:100]}"

    def others(self, tree: Tree) -> Sequence["JavaScript"]:  # noqa: ARG002 - as of a Language
        """None: the runner is told from the project's files."""
        return ()

    def needs(self, tree: Tree) -> Needs:
        """The packages that its tests need."""
        manifest, packages = _parsed_manifest(tree), _packages(tree)
        rest, runner = packages.values(), _test_runner(tree)
        names = {str(each.get("name")): str(each.get("version", "")) for each in rest if each.get("name")}
        own = _registry_ranges(manifest, "dependencies") | _registry_ranges(manifest, "peerDependencies")
        developing = _joined_ranges((manifest, *rest), "devDependencies")
        named = _package_mentions(tree, (manifest, *rest), runner)
        others = _joined_ranges(rest, "dependencies", "peerDependencies") | developing
        wanted = {name: spec for name, spec in others.items() if _used(name, named, tree)} | own
        for folder in ("", *packages):
            inner = _inside(tree, folder)
            paths = [path for path in inner.files if self.runs(path)]
            runner = _test_runner(inner, paths)
            if runner and runner.name not in ("node", "script", *_BY_NODE):
                package = next((name for name in (runner.name, f"@hapi/{runner.name}") if name in others), runner.name)
                wanted.setdefault(package, others.get(package, "*"))
            if runner and _lacks_loader(inner, paths, runner):
                wanted.setdefault("tsx", "*")
            wanted |= _registry_ranges(_parsed_manifest(inner), "devDependencies") if _builds(inner, paths) else {}
        wanted = {name: spec for name, spec in wanted.items() if name not in names}
        if _TYPED_SETTINGS in tree.files:
            wanted.setdefault("ts-node", "*")
        rows = {name: spec for section in _SECTIONS for name, spec in _section_rows(manifest, section).items()}
        every = _lock_rows(tree)
        locked = _locked_versions(tree) | {
            name: every[name][spec] for name, spec in wanted.items() if spec in every.get(name, {})
        }
        single = {name: next(iter(rows.values())) for name, rows in every.items() if len(set(rows.values())) == 1}
        return Needs(
            pinned=tuple(f"npm:{name}@{locked.get(name, spec)}" for name, spec in sorted(wanted.items())),
            free=tuple(f"npm:{name}@{spec}" for name, spec in sorted(wanted.items())),
            runtime=(),
            files=tuple(path for path in ("package.json", *_LOCK_FILES) if path in tree.files),
            name=str(manifest.get("name", "")), version=str(manifest.get("version", "")),
            addresses=tuple(f"{name}: {spec}" for name, spec in sorted(rows.items()) if not _SPEC.match(spec)),
            below=tuple(f"npm-below:{name}@{single[name]}" for name in sorted(single.keys() - wanted)),
            siblings=tuple(names.items()),
        )  # fmt: skip

    def beside(self, tree: Tree, name: str) -> Tree:  # noqa: ARG002 - as of a Language
        """The packages of the same repository where others look for them; those of registries are shown."""
        links = {f"node_modules/{name}": folder for name, folder in _siblings(tree).items()}
        return Tree(
            files={
                path: File(data=f"{'../' * path.count('/')}{to}".encode(), mode="link") for path, to in links.items()
            }
        )

    def runs(self, path: str) -> bool:
        """Whether a file holds tests."""
        return bool(language_of(path) == "javascript" and is_a_test(path) and not _NOT_RUN.search(path))

    def sets_tests(self, path: str) -> bool:
        """Whether a file is a runner's settings."""
        return bool(_SETTINGS.match(path))

    def tests(self, text: str) -> Mapping[str, str]:
        """Its tests by what their titles match; a title that is computed matches any."""
        pieces = _TITLED.split(text)  # what comes before, then a head, a quote, a title and a rest, again and again
        found = zip(pieces[1::4], pieces[3::4], pieces[4::4], strict=True)
        return {_title_pattern(title): f"{head}{rest}" for head, title, rest in found}

    def run_orders(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> dict[str, object]:
        """The runner with the project's own options, and with a report that can be read."""
        inner, own, home = _of_package(tree, paths)
        runner = _runner_of(inner, own)
        report = {
            "jest": ["--json", "--outputFile=/tmp/results.json", "--cacheDirectory=/tmp/jest"],
            "vitest": ["--reporter=json", "--outputFile=/tmp/results.json"],
            "node": ["--test-reporter=tap"],
            "jasmine": ["--helper=/tmp/reporter.cjs"],
        }.get(runner.name, [])
        argv = list(_runner_command(inner, runner, _chosen(runner.name, only), report))
        more = {"at": home, "builds": _builds(inner, own), "links": _siblings(tree)}
        kind = _KINDS.get(runner.name, runner.name)
        return {"kind": kind, "argv": argv, "paths": own, **{key: value for key, value in more.items() if value}}

    def command(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> tuple[str, ...]:
        """The runner with the project's own options."""
        inner, own, home = _of_package(tree, paths)
        runner = _runner_of(inner, own)
        words = list(_runner_command(inner, runner, _chosen(runner.name, only), []))
        if runner.name in _BY_NODE:
            words = ["sh", "-c", f'for each; do {shlex.join(words)} "$each" || exit; done', "sh"]
        if builds := _builds(inner, own):
            words = ["sh", "-c", f'PATH={_BIN}:$PATH; {" && ".join(builds)}; exec "$@"', "sh", *words]
        named = [word for path in own for word in ("--files", path)] if runner.name == "tsd" else own
        return (*(("env", "-C", home) if home else ()), *words, *(() if runner.name == "script" else named))

    def opposite(self, test: bytes) -> bytes:
        """Assertions of node's, jest's and chai's kind, negated."""
        for pattern, turned in _OPPOSITES:
            test = pattern.sub(turned, test)
        return test


def _chosen(runner: str, only: Sequence[str]) -> list[str]:
    """Options that run only the tests whose titles match some pattern."""
    option = {"mocha": "--grep", "node": "--test-name-pattern", "jasmine": "--filter"}.get(runner, "--testNamePattern")
    return [f"{option}=(?:{'|'.join(only)})$"] if only and runner != "script" and runner not in _KINDS else []


def _title_pattern(title: str) -> str:
    """A pattern of JavaScript's for a title as its source has it."""
    plain = (re.sub(r"[^\w\s]", r"\\\g<0>", part) for part in re.split(r"\$\{[^}]*\}|%\w|\\.", title))
    return ".*".join(plain)


@dataclass(frozen=True, slots=True)
class _Runner:
    """What runs tests, with its options, and with the variables that the project's script sets for it."""

    name: str
    options: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


def _runner_command(tree: Tree, runner: _Runner, chosen: Sequence[str], report: Sequence[str]) -> Iterator[str]:
    name = runner.name
    first = {
        "jest": ("--ci", "--runInBand", "--watchman=false", "--coverage=false"),
        "vitest": ("run", "--coverage.enabled=false"),
        "node": ("--test",),
        "ava": ("--tap",),
        "lab": ("-r", "tap", "-l"),
        "qunit": ("--reporter", "tap"),
    }.get(name, ())
    typed = ("TS_NODE_TRANSPILE_ONLY=1", "TS_NODE_SKIP_PROJECT=1")
    own = [*runner.env, *(typed if name == "jest" and _TYPED_SETTINGS in tree.files else ())]
    yield from ("env", *own) if own else ()
    yield "node" if name in ("node", "script", *_BY_NODE) else f"{_BIN}/{name}"
    if name == "jest" and _is_old_jest(tree):
        yield "--testURL=http://localhost/"
    yield from (*first, *runner.options, *chosen, *report, *(("--runTestsByPath",) if name == "jest" else ()))


def _is_old_jest(tree: Tree) -> bool:
    """Whether jest's own page has no address, which later versions of its browser refuse, and nobody gives it one."""
    spec = _registry_ranges(_parsed_manifest(tree), "devDependencies").get("jest", "")
    major = re.search(r"\d+", spec)
    settings = (file.data for path, file in tree.files.items() if _SETTINGS.match(path) or path == "package.json")
    return major is not None and int(major[0]) < _JEST_WITH_ADDRESS and not any(b"testURL" in each for each in settings)


def _parsed_manifest(tree: Tree, path: str = "package.json") -> dict[str, Any]:
    file = tree.files.get(path)
    try:
        found = json.loads(file.data) if file is not None and file.mode != "link" else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _called_runner(commands: Sequence[Sequence[str]], tree: Tree) -> tuple[int, _Runner] | None:
    """The first command that calls a runner, and that with its options."""
    for number, words in enumerate(commands):
        for at, word in enumerate(words):
            name = word.rpartition("/")[2].removeprefix("_").removeprefix("ts-").removesuffix(".js")
            by_node = name in ("node", "tsx") and "--test" in words[at:]
            if by_node or name in _RUNNERS or (name in _KINDS and (word == name or "node_modules/" in word)):
                kept = _options(words[at + 1 :], tree)
                kept = (
                    _node_options(kept) if name in _BY_NODE else _with_values(kept, _OF_LAB) if name == "lab" else kept
                )
                # Of what measures coverage, `-r` is something else.
                plain = words[:at] if "node" in words[:at] else [each for each in words[:at] if each != "-r"]
                loads = [*_node_options(plain), *(["--import=tsx"] if name == "tsx" else [])]
                loads += _loaded_by_nyc(tree) if "nyc" in words[:at] else []
                env = tuple(_variables(words[:at], loads))
                return number, _Runner("node" if by_node else name, tuple(kept), env)
    return None


def _test_runner(tree: Tree, paths: Sequence[str] = ()) -> _Runner | None:
    """The runner that the test script calls, and its options; else one that is there to be called, or a program of the
    project's own that the script calls, as some files of tests are written.
    """
    manifest, commands = _parsed_manifest(tree), _all_commands(tree)
    if called := _called_runner(commands, tree):
        return called[1]
    scripts = manifest.get("scripts")
    if _OTHER_RUNNER.match(str(scripts.get("test", "")) if isinstance(scripts, dict) else ""):
        return None
    texts = [tree.text(path) for path in paths if path in tree.files]
    own = next(filter(None, (_own_program(words, tree) for words in commands)), None)
    there = {**_registry_ranges(manifest, "devDependencies"), **_registry_ranges(manifest, "dependencies")}
    makefile = tree.text("Makefile") if "Makefile" in tree.files else ""
    for name in _RUNNERS if own is None or any(map(_TITLED.search, texts)) else ():
        if name in there or re.search(rf"\b{name}\b", makefile):
            return _Runner(name)
    if own is not None:
        alike = {"tape": _PRINTS_TAP, "node": re.compile(r"['\"](?:node:)test['\"]")}
        return next((_Runner(name) for name, mark in alike.items() if texts and all(map(mark.search, texts))), own)
    if _calls_tsd(commands) and not any(map(_OTHER_RUNNER.match, map(shlex.join, commands))):
        return _Runner("tsd")
    named = next((_Runner(name) for name, mark in _NAMED_BY.items() if any(map(mark.search, texts))), None)
    plain = bool(texts) and not any(map(_TITLED.search, texts))  # each a program that ends well, or not
    return named or (_Runner("uvu") if plain else None)


def _packages(tree: Tree) -> dict[str, dict[str, Any]]:
    """The manifests of the packages below the root that it says it has, or that its test script goes to, by folder."""
    manifest, files = _parsed_manifest(tree), tree.files
    spaces = manifest.get("workspaces")
    spaces = spaces.get("packages") if isinstance(spaces, dict) else spaces
    patterns = list(map(str, spaces)) if isinstance(spaces, list) else []
    if "lerna.json" in files:
        said = re.search(r'"packages"\s*:\s*\[([^\[\]]*)\]', tree.text("lerna.json"))
        patterns += re.findall(r'"([^"]+)"', said[1]) if said else ["packages/*"]
    if "pnpm-workspace.yaml" in files:
        patterns += re.findall(r"^\s*-\s*['\"]?([^'\"\s#]+)", tree.text("pnpm-workspace.yaml"), re.MULTILINE)
    scripts = manifest.get("scripts")
    test = str(scripts.get("test", "")) if isinstance(scripts, dict) else ""
    patterns += re.findall(r"(?:\bcd|--prefix|--cwd|-C)[\s=]+([\w./-]+)", test)
    folders = (path.rpartition("/")[0] for path in files if path.endswith("/package.json"))
    mine = {
        folder
        for folder in folders
        for each in map(normpath, patterns)
        if "node_modules" not in folder
        and fnmatchcase(folder, each)
        and ("**" in each or folder.count("/") == each.count("/"))
    }
    return {folder: _parsed_manifest(tree, f"{folder}/package.json") for folder in sorted(mine)}


def _inside(tree: Tree, folder: str) -> Tree:
    """A package's own files, by their paths in it."""
    if not folder:
        return tree
    inner = {path: file for path, file in tree.files.items() if path.startswith(f"{folder}/")}
    return Tree(files={path.removeprefix(f"{folder}/"): file for path, file in inner.items()})


def _siblings(tree: Tree) -> dict[str, str]:
    """The folders of the packages of a repository, by the names under which they are loaded."""
    named = ((str(manifest.get("name", "")), folder) for folder, manifest in _packages(tree).items())
    return {name: folder for name, folder in named if re.fullmatch(r"(?:@[\w.-]+/)?[\w-][\w.-]*", name)}


def _of_package(tree: Tree, paths: Sequence[str]) -> tuple[Tree, list[str], str]:
    """The package that most of some tests are in, these by their paths in it, and its folder; the root itself, where
    its own script runs all of them.
    """
    folders = [] if _called_runner(_all_commands(tree), tree) else sorted(_packages(tree), key=len, reverse=True)
    homes = [next((each for each in folders if path.startswith(f"{each}/")), "") for path in paths]
    home = max(homes, key=homes.count, default="")
    inner = _inside(tree, home)
    if not home or _test_runner(inner) is None:
        return tree, list(paths), ""
    return inner, [path.removeprefix(f"{home}/") for path in paths if path.startswith(f"{home}/")], home


def _builds(tree: Tree, paths: Sequence[str]) -> list[str]:
    """The commands by which a package makes what its tests load and its repository does not have, up to the last that
    names it; none if they load nothing of the kind, and none that come before the runner name code that is not there.
    """
    scripts = _parsed_manifest(tree).get("scripts")
    if not isinstance(scripts, dict):
        return []
    commands = list(_script_commands("npm test", scripts, 0))
    called = _called_runner([_command_words(each) for each in commands], tree)
    before = commands[: called[0]] if called else []
    made = {each for path in paths for each in _made_folders(tree, path)}
    build = next(
        (name for name in ("build", "compile", "dist", "prepare", "prepublish") if made and name in scripts), ""
    )
    tries = (before, list(_script_commands(f"npm run {build}", scripts, 0)) if build else [])
    plain = ([re.sub(r"\b(?:cross-env(?:-shell)?|npx)\s+", "", each).strip() for each in some] for some in tries)
    found = next(filter(None, ([each for each in some if not _NO_BUILD.match(each)] for some in plain)), [])
    words = (set(re.findall(r"\w+", each)) if made else _command_words(each) for each in found)
    named = [at for at, some in enumerate(words, 1) if any(w in made if made else _is_written(w, tree) for w in some)]
    return found[: named[-1]] if named else found if made else []


def _is_written(word: str, tree: Tree) -> bool:
    """Whether a word of a command is code that it writes, by its name or by its grammar."""
    path = normpath(word.rpartition("=")[2])
    absent = language_of(path) == "javascript" and not re.search(r"[*{$(]|node_modules", path)
    return _GRAMMAR.search(path) is not None or (absent and not _MADE.match(path) and not _is_there(path, tree))


def _made_folders(tree: Tree, path: str) -> Iterator[str]:
    """The folders in which builds put what a file of tests loads, and what is not there."""
    for named in _LOADED_FILE.findall(tree.text(path)) if path in tree.files else ():
        place = normpath(f"{path.rpartition('/')[0] or '.'}/{named}")
        place = normpath(str(_parsed_manifest(tree).get("main") or "index.js")) if place == "." else place
        stem = re.sub(r"\.[cm]?js$", "", place)
        there = _is_there(place, tree) or any(each.startswith(f"{stem}.") for each in tree.files)
        if _MADE.match(place) and not there:
            yield place.partition("/")[0]


def _own_program(words: Sequence[str], tree: Tree) -> _Runner | None:
    """A program beside the tests that a command runs."""
    if words[:1] != ["node"]:
        return None
    loads = _node_options(words)
    word = next((each for each in words[1:] if not each.startswith("-") and each not in loads), "")
    for ending in ("", ".js", ".cjs", ".mjs", "/index.js"):
        if is_a_test(path := normpath(word + ending)) and path in tree.files:
            return _Runner("script", (*loads, path))
    return None


def _variables(words: Sequence[str], loads: Sequence[str]) -> Iterator[str]:
    """Variables that a command begins with, and what node is to load."""
    found = dict(word.split("=", 1) for word in words if _VARIABLE.match(word))
    own = re.sub(r"\$\{[^{}]*\}|\$\w+", "", found.pop("NODE_OPTIONS", "")).split()
    given = [*_node_options(own), *loads]
    yield from (f"{name}={value}" for name, value in found.items() if "$" not in value)
    yield from [f"NODE_OPTIONS={' '.join(given)}"] if given else []


def _loaded_by_nyc(tree: Tree) -> list[str]:
    """What nyc's settings let node load first."""
    said = [_parsed_manifest(tree).get("nyc"), *(_parsed_manifest(tree, path) for path in (".nycrc", ".nycrc.json"))]
    names: Any = next((each["require"] for each in said if isinstance(each, dict) and each.get("require")), [])
    return [f"--require={name}" for name in ([names] if isinstance(names, str) else names)]


def _node_options(words: Sequence[str]) -> list[str]:
    """Options of node's own that say what it loads."""
    return [*_with_values(words, _LOADED), *filter(_LOADS.match, words)]


def _with_values(words: Sequence[str], named: re.Pattern[str]) -> list[str]:
    return [each for at, word in enumerate(words) if named.match(word) for each in words[at : at + 2]]


def _lacks_loader(tree: Tree, paths: Sequence[str], runner: _Runner) -> bool:
    """Whether tests are TypeScript, which nothing turns into JavaScript as they are loaded: a build does it before."""
    if runner.name not in ("mocha", "node", "jasmine", *_BY_NODE) or not any(path.endswith(_TYPED) for path in paths):
        return False
    manifest = _parsed_manifest(tree)
    said = [*runner.options, *runner.env, json.dumps([manifest.get("mocha"), manifest.get("tap")])]
    said += [tree.text(path) for path in tree.files if path.endswith("mocha.opts") or path.startswith(".mocharc")]
    return _READS_TYPES.search(" ".join(said)) is None


def _runner_of(tree: Tree, paths: Sequence[str]) -> _Runner:
    """The runner of some files, and its options: tests of types are tsd's, where the project has them, too."""
    if paths and all(map(_OF_TYPES.search, paths)) and _calls_tsd(_all_commands(tree)):
        return _Runner("tsd")
    runner = _test_runner(tree, paths) or _Runner("node")
    loads = ("NODE_OPTIONS=--import=tsx",) if _lacks_loader(tree, paths, runner) else ()
    return replace(runner, env=(*runner.env, *loads))


def _calls_tsd(commands: Sequence[Sequence[str]]) -> bool:
    return any("tsd" in words for words in commands)


def _all_commands(tree: Tree) -> list[list[str]]:
    """The words of all commands that the test script comes to."""
    scripts = _parsed_manifest(tree).get("scripts")
    scripts = scripts if isinstance(scripts, dict) else {}
    names = ["test", *(name for name in scripts if name != "test" and _TESTING.search(name))]
    commands = [[_command_words(each) for each in _script_commands(f"npm run {name}", scripts, 0)] for name in names]
    return next((each for each in commands if _called_runner(each, tree)), commands[0])


def _script_commands(text: str, scripts: Mapping[str, object], depth: int) -> Iterator[str]:
    """The commands that a script runs, other scripts that it calls among them."""
    for command in re.split(r"&&|\|\||;|\n", _SUBSTITUTED.sub(" ", text)):
        if (several := _RUN_ALL.match(command)) and depth < _DEPTH:
            for name in (name for name in scripts if any(fnmatchcase(name, each) for each in several[1].split())):
                yield from _script_commands(str(scripts[name]), scripts, depth + 1)
            continue
        called = _RUN.search(command)
        name = {"t": "test"}.get(called[1], called[1]) if called else ""
        if called and name in scripts and depth < _DEPTH:
            given = shlex.join(filter(_VARIABLE.match, _command_words(command[: called.start()])))
            for part in (f"pre{name}", name, f"post{name}"):
                inner = _script_commands(str(scripts.get(part, "")), scripts, depth + 1)
                yield from (f"{given} {each.strip()}".strip() for each in inner if each.strip())
        else:
            yield command


def _options(words: Sequence[str], tree: Tree) -> list[str]:
    """A runner's options, without the files and without those that only change what is shown; of a word that follows
    one and names nothing in the project, it is the value.
    """
    kept, at = [], 0
    while at < len(words):
        word = words[at]
        value = words[at + 1 : at + 2] if word.startswith("-") and "=" not in word and word != "--" else []
        if value and word not in _VALUED and (re.match("-|.*[*{]", value[0]) or _is_there(value[0], tree)):
            value = []
        if word.startswith("-") and word != "--" and not _DROPPED.match(word):
            kept += [word, *value]
        at += 1 + len(value)
    return kept


def _is_there(word: str, tree: Tree) -> bool:
    path = normpath(word)
    return path in tree.files or any(each.startswith(f"{path}/") for each in tree.files)


def _command_words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _registry_ranges(manifest: Mapping[str, Any], section: str) -> dict[str, str]:
    """Packages of a registry that a section names; those from elsewhere are left out."""
    rows = _section_rows(manifest, section).items()
    return {name: spec or "*" for name, spec in rows if _SPEC.match(spec)}


def _joined_ranges(manifests: Iterable[Mapping[str, Any]], *sections: str) -> dict[str, str]:
    """The same of several packages; what the first says of each holds."""
    every = [_registry_ranges(manifest, section) for manifest in manifests for section in sections]
    return {name: spec for each in reversed(every) for name, spec in each.items()}


def _section_rows(manifest: Mapping[str, Any], section: str) -> dict[str, str]:
    found = manifest.get(section)
    return {str(name): str(spec) for name, spec in found.items()} if isinstance(found, dict) else {}


def _package_mentions(tree: Tree, manifests: Iterable[Mapping[str, Any]], runner: _Runner | None) -> str:
    """All text in which a package that the tests use would be named."""
    no = ("ependencies", "scripts")
    texts = [json.dumps({key: value for key, value in each.items() if not key.endswith(no)}) for each in manifests]
    texts += [shlex.join((*runner.options, *runner.env))] if runner else []
    for path, file in tree.files.items():
        settings = _SETTINGS.match(path) or path.endswith(("mocha.opts", "tsconfig.json"))
        if (settings or language_of(path) == "javascript") and file.mode != "link":
            texts.append(file.data.decode("utf-8", "replace"))
    return "\n".join(texts)


def _used(name: str, named: str, tree: Tree) -> bool:
    if name == "typescript" or name.startswith("@types/"):
        return any(path.endswith(_TYPED) for path in tree.files)
    if re.match(r"@?babel\b", name) and (
        any(map(_BABEL.search, tree.files)) or re.search(r"['\"]@?babel\b[-/]", named)
    ):
        return True  # each finds the others by their names alone
    return re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w-])", named) is not None


def _lock_rows(tree: Tree) -> dict[str, dict[str, str]]:
    """All versions that a lock has of each package, by the range, or the place, that they are for."""
    found: dict[str, dict[str, str]] = {}
    for heads, version in _YARN.findall(tree.text("yarn.lock")) if "yarn.lock" in tree.files else ():
        for head in heads.replace('"', "").split(", "):
            if named := _YARN_HEAD.fullmatch(head):
                found.setdefault(named[1], {})[named[2]] = version
    for path, pattern in _ROWS.items():
        for name, version in pattern.findall(tree.text(path)) if path in tree.files else ():
            found.setdefault(name, {})[version] = version
    for path, row in _npm_lock(tree).items():
        name = path.rpartition("node_modules/")[2]
        if name and _SPEC.match(str(row.get("version", ""))):
            found.setdefault(name, {})[path] = row.get("version") or "*"
    return found


def _npm_lock(tree: Tree) -> dict[str, Any]:
    """What a lock of npm's has of each package, by its place."""
    path = next((path for path in _NPM_LOCKS if path in tree.files), "")
    try:
        lock = json.loads(tree.files[path].data) if path else {}
    except (ValueError, RecursionError):
        lock = {}
    old = {f"node_modules/{name}": row for name, row in lock.get("dependencies", {}).items()}
    return {path: row for path, row in (lock.get("packages") or old).items() if isinstance(row, dict)}


def _locked_versions(tree: Tree) -> dict[str, str]:
    """Versions of the lock file, of what lies on top."""
    pnpm = _PNPM.findall(tree.text("pnpm-lock.yaml")) if "pnpm-lock.yaml" in tree.files else []
    found: dict[str, str] = dict(reversed(pnpm))
    npm = any(path in tree.files for path in _NPM_LOCKS)
    for name, rows in _lock_rows(tree).items():
        top = rows.get(f"node_modules/{name}", "" if npm else next(iter(rows.values())))
        found = ({name: top} if top else {}) | found
    return found
