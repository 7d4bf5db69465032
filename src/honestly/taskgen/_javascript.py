"""Tests of JavaScript and TypeScript: by jest, vitest, mocha, jasmine, `node --test` or tsd, as package.json says.

Installed is what the package needs, and of what it needs to be developed that which its code, its settings or its test
command name; versions are those of the lock file, where there is one. A file of tsd's is one test. Not covered: tests
of what has to be built first, several packages in one repository, and runners that only print.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import Any

from honestly.records import Tree
from honestly.taskgen._needs import Needs
from honestly.taskgen._split import is_a_test, language_of

_RUNNERS = ("jest", "vitest", "mocha", "jasmine", "node")
_OTHER_RUNNER = re.compile(
    r"(?:\w+=\S+ |cross-env |c8 |nyc )*(?:karma|ava|tape?|uvu|lab|testem|bun|deno|cypress|wtr)\b"
)
"""Test scripts of runners that are not read, whatever else is installed."""
_BIN = "/node_modules/.bin"
_RUN_ALL = re.compile(r"\s*(?:run-[ps]|npm-run-all)\s+(.*)")
_RUN = re.compile(r"\b(?:npm|pnpm|yarn)(?:\s+run)?(?:\s+-\S+)*\s+([\w:.-]+)")
_OF_TYPES = re.compile(r"(?:^|/)tests?-d/|\.test-d\.")
_ZONE = re.compile(r"\bTZ=['\"]?([A-Za-z][\w/+-]*)")
_DEPTH = 4
_JEST_WITH_ADDRESS = 24
_BABEL = re.compile(r"(?:^|/)(?:babel\.config\.\w+|\.babelrc(?:\.\w+)?)$")
_VALUED = frozenset(("-r", "--require", "-u", "--ui", "--loader", "--import", "-c", "--config", "--env", "-t", "--root",
                     "--environment", "--extension", "--timeout", "--preset", "--project"))  # fmt: skip
"""Options whose value is the next word."""
_DROPPED = re.compile(
    r"^(?:--?w(?:atch)?\b|--coverage|--collectCoverage|--reporters?\b|-R\b|--verbose|--bail|-b$|--test$)"
)
_SETTINGS = re.compile(r"^(?:(?:jest|vitest|vite|babel)\.config\.\w+|\.mocharc(?:\.\w+)?|\.babelrc(?:\.\w+)?)$")
_NOT_RUN = re.compile(
    r"(?:^|/)(?:node_modules|__mocks__|fixtures?|helpers?|support|utils?|browser|types?|data|snapshots?)/|\.d\.[cm]?ts$|"
    r"(?:^|/)(?:setup|helpers?|support|utils?|common|globals?)\.\w+$"
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
_LOCKED = {
    "pnpm-lock.yaml": re.compile(r"^ {4,8}'?([@\w./-]+)'?:\n +specifier: .*\n +version: '?(\d[\w.+-]*)", re.MULTILINE)
}
_YARN = re.compile(r'^("?@?[\w./-]+@[^\n]*):\n  version:? "?(\d[\w.+-]*)', re.MULTILINE)
_YARN_HEAD = re.compile(r"(@?[\w./-]+)@(?:npm:)?([^@:]*)")
_LOCK_FILES = ("package-lock.json", *_LOCKED, "yarn.lock")


class JavaScript:
    """JavaScript under node; TypeScript by what the project itself uses for it."""

    program, package, says_version = "node", "nodejs", "--version"

    def refused(self, tree: Tree) -> str:
        """No package, or no runner that reports single tests."""
        if not _parsed_manifest(tree):
            return "it has no package.json at its root"
        if _test_runner(tree):
            return ""
        said = str(_parsed_manifest(tree).get("scripts", {}).get("test", "")) or "nothing"
        return f"its package.json names none of {', '.join(_RUNNERS[:4])} and `node --test` for tests, but {said[:100]}"

    def needs(self, tree: Tree) -> Needs:
        """The packages that its tests need."""
        manifest, runner = _parsed_manifest(tree), _test_runner(tree)
        own = _registry_ranges(manifest, "dependencies") | _registry_ranges(manifest, "peerDependencies")
        developing = _registry_ranges(manifest, "devDependencies")
        named = _package_mentions(tree, manifest)
        wanted = own | {name: spec for name, spec in developing.items() if _used(name, named, tree)}
        if runner and runner[0] not in ("node", "script"):
            wanted.setdefault(runner[0], developing.get(runner[0], "*"))
        if _TYPED_SETTINGS in tree.files:
            wanted.setdefault("ts-node", "*")
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
            addresses=tuple(f"{name}: {spec}" for name, spec in sorted(_address_packages(manifest).items())),
            below=tuple(f"npm-below:{name}@{single[name]}" for name in sorted(single.keys() - wanted)),
        )  # fmt: skip

    def beside(self, tree: Tree, name: str) -> Tree:  # noqa: ARG002 - as of a Language
        """Nothing: packages are shown, and are no part of the workspace."""
        return Tree()

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
        name, options = _runner_of(tree, paths)
        report = {
            "jest": ["--json", "--outputFile=/tmp/results.json", "--cacheDirectory=/tmp/jest"],
            "vitest": ["--reporter=json", "--outputFile=/tmp/results.json"],
            "node": ["--test-reporter=tap"],
            "jasmine": ["--helper=/tmp/reporter.cjs"],
        }.get(name, [])
        options = [*options, *_chosen(name, only)]
        return {"kind": name, "argv": list(_runner_command(tree, name, options, report)), "paths": list(paths)}

    def command(self, tree: Tree, paths: Sequence[str], only: Sequence[str] = ()) -> tuple[str, ...]:
        """The runner with the project's own options."""
        name, options = _runner_of(tree, paths)
        named = [word for path in paths for word in ("--files", path)] if name == "tsd" else paths
        named = () if name == "script" else named
        return (*_runner_command(tree, name, [*options, *_chosen(name, only)], []), *named)

    def opposite(self, test: bytes) -> bytes:
        """Assertions of node's, jest's and chai's kind, negated."""
        for pattern, turned in _OPPOSITES:
            test = pattern.sub(turned, test)
        return test


def _chosen(runner: str, only: Sequence[str]) -> list[str]:
    """Options that run only the tests whose titles match some pattern."""
    option = {"mocha": "--grep", "node": "--test-name-pattern", "jasmine": "--filter"}.get(runner, "--testNamePattern")
    return [f"{option}=(?:{'|'.join(only)})$"] if only and runner != "script" else []


def _title_pattern(title: str) -> str:
    """A pattern of JavaScript's for a title as its source has it."""
    plain = (re.sub(r"[^\w\s]", r"\\\g<0>", part) for part in re.split(r"\$\{[^}]*\}|%\w|\\.", title))
    return ".*".join(plain)


def _runner_command(tree: Tree, name: str, options: Sequence[str], report: Sequence[str]) -> Iterator[str]:
    first = {
        "jest": ("--ci", "--runInBand", "--watchman=false", "--coverage=false"),
        "vitest": ("run", "--coverage.enabled=false"),
        "node": ("--test",),
    }.get(name, ())
    typed = ("TS_NODE_TRANSPILE_ONLY=1", "TS_NODE_SKIP_PROJECT=1")
    own = [*_first_zone(tree), *(typed if name == "jest" and _TYPED_SETTINGS in tree.files else ())]
    yield from ("env", *own) if own else ()
    yield "node" if name in ("node", "script") else f"{_BIN}/{name}"
    if name == "jest" and _is_old_jest(tree):
        yield "--testURL=http://localhost/"
    yield from (*first, *options, *report, *(("--runTestsByPath",) if name == "jest" else ()))


def _first_zone(tree: Tree) -> list[str]:
    """The first time zone in which the project's own script runs tests: in UTC nothing shows of summer time."""
    scripts = _parsed_manifest(tree).get("scripts")
    found = _ZONE.search(str(scripts.get("test", ""))) if isinstance(scripts, dict) else None
    return [f"TZ={found[1]}"] if found else []


def _is_old_jest(tree: Tree) -> bool:
    """Whether jest's own page has no address, which later versions of its browser refuse, and nobody gives it one."""
    spec = _registry_ranges(_parsed_manifest(tree), "devDependencies").get("jest", "")
    major = re.search(r"\d+", spec)
    settings = (file.data for path, file in tree.files.items() if _SETTINGS.match(path) or path == "package.json")
    return major is not None and int(major[0]) < _JEST_WITH_ADDRESS and not any(b"testURL" in each for each in settings)


def _parsed_manifest(tree: Tree) -> dict[str, Any]:
    file = tree.files.get("package.json")
    try:
        found = json.loads(file.data) if file is not None and file.mode != "link" else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _test_runner(tree: Tree) -> tuple[str, list[str]] | None:
    """The runner that the test script calls, and its options; else one that is there to be called."""
    manifest = _parsed_manifest(tree)
    scripts = manifest.get("scripts")
    scripts = scripts if isinstance(scripts, dict) else {}
    commands = _all_commands(tree)
    for words in commands:
        for at, word in enumerate(words):
            name = word.rpartition("/")[2].removeprefix("_").removesuffix(".js")
            if name in _RUNNERS and (name != "node" or "--test" in words):
                return name, _options(words[at + 1 :])
    if _OTHER_RUNNER.match(str(scripts.get("test", ""))):
        return None
    there = {**_registry_ranges(manifest, "devDependencies"), **_registry_ranges(manifest, "dependencies")}
    makefile = tree.text("Makefile") if "Makefile" in tree.files else ""
    for name in _RUNNERS[:4]:
        if name in there or re.search(rf"\b{name}\b", makefile):
            return name, []
    for words in commands:
        if (
            words[:1] == ["node"]
            and len(words) > 1
            and is_a_test(script := normpath(words[1]))
            and script in tree.files
        ):
            return "script", [script]
    return (
        ("tsd", []) if _calls_tsd(commands) and not any(map(_OTHER_RUNNER.match, map(shlex.join, commands))) else None
    )


def _runner_of(tree: Tree, paths: Sequence[str]) -> tuple[str, list[str]]:
    """The runner of some files, and its options: tests of types are tsd's, where the project has them, too."""
    if paths and all(map(_OF_TYPES.search, paths)) and _calls_tsd(_all_commands(tree)):
        return "tsd", []
    return _test_runner(tree) or ("node", [])


def _calls_tsd(commands: Sequence[Sequence[str]]) -> bool:
    return any("tsd" in words for words in commands)


def _all_commands(tree: Tree) -> list[list[str]]:
    """The words of all commands that the test script comes to."""
    scripts = _parsed_manifest(tree).get("scripts")
    scripts = scripts if isinstance(scripts, dict) else {}
    return [_command_words(command) for command in _script_commands("npm test", scripts, 0)]


def _script_commands(text: str, scripts: Mapping[str, object], depth: int) -> Iterator[str]:
    """The commands that a script runs, other scripts that it calls among them."""
    for command in re.split(r"&&|\|\||;|\n", text):
        if (several := _RUN_ALL.match(command)) and depth < _DEPTH:
            for name in (name for name in scripts if any(fnmatchcase(name, each) for each in several[1].split())):
                yield from _script_commands(str(scripts[name]), scripts, depth + 1)
            continue
        called = _RUN.search(command)
        name = {"t": "test"}.get(called[1], called[1]) if called else ""
        if name in scripts and depth < _DEPTH:
            yield from _script_commands(str(scripts[name]), scripts, depth + 1)
        else:
            yield command


def _options(words: Sequence[str]) -> list[str]:
    """A runner's options, without the files and without those that only change what is shown."""
    kept, at = [], 0
    while at < len(words):
        word = words[at]
        value = words[at + 1 : at + 2] if word in _VALUED or word == "-R" or word == "--reporter" else []
        if word.startswith("-") and word != "--" and not _DROPPED.match(word):
            kept += [word, *value]
        at += 1 + len(value)
    return kept


def _command_words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _registry_ranges(manifest: Mapping[str, Any], section: str) -> dict[str, str]:
    """Packages of a registry that a section names; those from elsewhere are left out."""
    rows = _section_rows(manifest, section).items()
    return {name: spec or "*" for name, spec in rows if _SPEC.match(spec)}


def _address_packages(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What a manifest asks for by an address."""
    rows = {name: spec for section in _SECTIONS for name, spec in _section_rows(manifest, section).items()}
    return {name: spec for name, spec in rows.items() if not _SPEC.match(spec)}


def _section_rows(manifest: Mapping[str, Any], section: str) -> dict[str, str]:
    found = manifest.get(section)
    return {str(name): str(spec) for name, spec in found.items()} if isinstance(found, dict) else {}


def _package_mentions(tree: Tree, manifest: Mapping[str, Any]) -> str:
    """All text in which a package that the tests use would be named."""
    rest = {key: value for key, value in manifest.items() if not key.endswith(("ependencies", "scripts"))}
    texts = [json.dumps(rest), shlex.join((_test_runner(tree) or ("", []))[1])]
    for path, file in tree.files.items():
        code = (
            language_of(path) == "javascript" or _SETTINGS.match(path) or path.endswith(("mocha.opts", "tsconfig.json"))
        )
        if code and file.mode != "link":
            texts.append(file.data.decode("utf-8", "replace"))
    return "\n".join(texts)


def _used(name: str, named: str, tree: Tree) -> bool:
    if name == "typescript" or name.startswith("@types/"):
        return any(path.endswith((".ts", ".tsx", ".mts", ".cts")) for path in tree.files)
    if re.match(r"@?babel\b", name) and any(map(_BABEL.search, tree.files)):
        return True  # each finds the others by their names alone
    return re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w-])", named) is not None


def _lock_rows(tree: Tree) -> dict[str, dict[str, str]]:
    """All versions that a lock has of each package, by the range, or the place, that they are for."""
    found: dict[str, dict[str, str]] = {}
    for heads, version in _YARN.findall(tree.text("yarn.lock")) if "yarn.lock" in tree.files else ():
        for head in heads.replace('"', "").split(", "):
            if named := _YARN_HEAD.fullmatch(head):
                found.setdefault(named[1], {})[named[2]] = version
    for path, row in _npm_lock(tree).items():
        name = path.rpartition("node_modules/")[2]
        if name and _SPEC.match(str(row.get("version", ""))):
            found.setdefault(name, {})[path] = row.get("version") or "*"
    return found


def _npm_lock(tree: Tree) -> dict[str, Any]:
    """What package-lock.json has of each package, by its place."""
    try:
        lock = json.loads(tree.files["package-lock.json"].data) if "package-lock.json" in tree.files else {}
    except (ValueError, RecursionError):
        lock = {}
    old = {f"node_modules/{name}": row for name, row in lock.get("dependencies", {}).items()}
    return {path: row for path, row in (lock.get("packages") or old).items() if isinstance(row, dict)}


def _locked_versions(tree: Tree) -> dict[str, str]:
    """Versions of the lock file, of what lies on top."""
    found: dict[str, str] = {}
    for path, pattern in _LOCKED.items():
        if path in tree.files:
            found |= dict(reversed(pattern.findall(tree.text(path))))
    for name, rows in _lock_rows(tree).items():
        top = rows.get(f"node_modules/{name}", "" if "package-lock.json" in tree.files else next(iter(rows.values())))
        found |= {name: top} if top else {}
    return found
