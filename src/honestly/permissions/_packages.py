"""The packages that a command would install."""

import re
from collections.abc import Sequence

from honestly.permissions._words import ONE

_NPM_INSTALL = "install i add a in ins inst insta instal isnt isnta isntal isntall install-test it install-ci-test cit"
_INSTALLERS_TEXT = f"""
pip; PyPI; install download wheel | uv rye pdm poetry hatch; PyPI; add install run | pipenv; PyPI; install
| pipx; PyPI; install run inject upgrade | uvx easy_install; PyPI; ; run
| conda mamba micromamba pixi; conda; install add create | lerna ng expo volta; npm; add install | ni; npm;
| npm cnpm tnpm pnpm bun; npm; {_NPM_INSTALL} exec x dlx create init | yarn; npm; add dlx create
| npx bunx pnpx; npm; ; run | deno; npm; add install run | cargo; crates.io; add install binstall
| go; Go; get install run | gem bundle; RubyGems; install add | apt apt-get; Debian; install | apk; Alpine; add
| dnf microdnf yum zypper; RPM; install in | pacman yay paru; Arch; install | brew; Homebrew; install reinstall tap
| snap flatpak; Linux; install | choco winget scoop; Windows; install | composer; Packagist; require
| dotnet nuget; NuGet; install | dart flutter; Pub; add | luarocks; LuaRocks; install | cpanm cpan; CPAN;
| opam; opam; install | cabal; Hackage; install | nix-env; Nixpkgs; install
"""
_ROWS = [[part.strip() for part in f"{row};".split(";")[:4]] for row in _INSTALLERS_TEXT.split("|")]
_INSTALLERS = {name: (row[1], row[2].split(), row[3] == "run") for row in _ROWS for name in row[0].split()}
"""Ecosystem, subcommands that install (none: it runs the package that it is given)."""
ECOSYSTEMS = frozenset(ecosystem for ecosystem, _, _ in _INSTALLERS.values())
_RUNS_ONE = frozenset("run exec x dlx create init".split())  # noqa: SIM905
"""Subcommands of which only the first word is a package."""

_INSTALL_VALUES_TEXT = """-r -c -e -i -t -d --requirement --constraint --editable --index-url --extra-index-url
--target --dest --prefix --registry --tag -f --find-links --python -p --root --platform --features --path --git
--group --optional --from --with --timeout --retries --proxy --cache-dir --python-version --abi --implementation -n
--name -w --workspace --package --call --version --vers --python-preference --index --index-strategy --requirements
--link-mode --resolution --prerelease --bounds --progress-bar --root-user-action --report --upgrade-strategy --loglevel
--reporter --network-timeout --source --suffix --profile --rename -o --default-index --exclude-newer --keyring-provider
--config-settings --no-binary --only-binary --upgrade-package --extra --only-group --no-group --directory --project
--config-file --python-platform --branch --rev --jobs -j --bin --example --target-dir --manifest-path --color
--userconfig --cache-folder --modules-folder --mutex --store-dir --trusted-host --log --script --marker"""
_INSTALL_VALUES = frozenset(_INSTALL_VALUES_TEXT.split())
_NPM = frozenset(name for name, (ecosystem, _, _) in _INSTALLERS.items() if ecosystem == "npm")
_NPM_VALUES = frozenset(each for each in _INSTALL_VALUES if each[:2] == "--" or each in {"-w", "-c"}) | frozenset(
    ["-F", "-C", "--filter", "--cwd", "--dir", "--scope", "--omit", "--include"]
)
_OUTSIDE = re.compile(r"[./~]|(?:git\+)?\w+://|[^ @]*\.(?:whl|tar\.gz|tgz|zip|deb|py|ts|js)$")
_WHEEL = re.compile(
    r"(?:[^\s#]*/)?([A-Za-z0-9][\w.]*?(?:-[A-Za-z][\w.]*?)*)-\d[^/\s]*?\.(?:whl|tar\.gz|tgz|zip)(?:#.*)?$"
)


def _in_one_form(argv: list[str]) -> list[str]:
    """A command that installs, without the words between the program and what it installs."""
    first, second = argv[0], argv[1]
    if argv[:3] == ["yarn", "workspaces", "foreach"]:
        return ["yarn", *(word for word in argv[3:] if word[:1] != "-")]
    if first == "dotnet" and argv[1] == "add" and "package" in argv:
        return ["dotnet", "install", *argv[argv.index("package") + 1 :]]
    if first in {"pacman", "yay", "paru", "nix-env"} and re.match("-S(?!.*[si])|-i|--(?:install|sync)", second):
        return [first, "install", *argv[2:]]
    again = {"uv pip": ["pip"], "uv tool": ["pipx"], "yarn global": ["yarn"]}.get(f"{first} {second}")
    if argv[1:3] in (["pub", "add"], ["tool", "install"], ["global", "require"]):
        again = again or [first]
    return [*again, *argv[2:]] if again else ["yarn", *argv[3:]] if argv[:2] == ["yarn", "workspace"] else argv


def installed_packages(argv: Sequence[str]) -> list[tuple[str, str]]:
    """The packages that a command would install, each with its ecosystem, as they are written there."""
    if len(argv) < 2:
        return []
    argv = _in_one_form(list(argv))
    if argv[0] not in _INSTALLERS:
        return []
    name = argv[0]
    if argv[1:3] == ["pkg", "set"]:
        return [("npm", found[1]) for word in argv[3:] if (found := re.match(r"\w*[dD]ependencies\.([^=]+)=", word))]
    ecosystem, subcommands, runs = _INSTALLERS[name]
    plain, told = _words_and_packages(argv, name, runs=runs)
    if subcommands:
        if not plain or plain[0] not in subcommands:
            return []
        runs = plain[0] in _RUNS_ONE
        inside = runs and name in {"uv", "rye", "pdm", "poetry", "hatch"}  # they run what is there already
        plain = [] if inside else plain[1:]
    if runs:
        plain = [] if told else plain[:1]
    if name == "deno":
        plain = [each for each in plain if each.startswith(("npm:", "jsr:"))]
    return [
        (("PyPI" if "--pypi" in argv else ecosystem), each)
        for word in (*told, *plain)
        for each in _named_packages(word, ecosystem)
    ]


def _words_and_packages(argv: Sequence[str], name: str, *, runs: bool) -> tuple[list[str], list[str]]:
    """The words that are no options, and the packages that options name."""
    plain: list[str] = []
    told: list[str] = []
    names_package = {"--with", "--from", "--package"} | ({"-p"} if name in {"npx", "bunx"} else set())
    at = 1
    while at < len(argv):
        word, follows = argv[at], argv[at + 1] if at + 1 < len(argv) else ""
        at += 1
        key, equals, value = word.partition("=")
        if key in names_package:
            told += (value if equals else follows).split(",")
            at += not equals
        elif word in (_NPM_VALUES if name in _NPM else _INSTALL_VALUES) and (name, word) != ("pnpm", "-w"):
            at += 1
        elif not word.startswith("-"):
            plain.append(word)
            if runs and name != "easy_install":
                break
    return plain, [each for each in told if each]


def _named_packages(word: str, ecosystem: str) -> list[str]:
    """The package that a word names, if it names one of a registry."""
    if egg := re.search(r"[#&]egg=([\w.-]+)", word):
        return [egg[1]]
    if " @ " in word:
        return [word.partition(" @ ")[0]]
    if ecosystem == "npm":
        word = word.rpartition("npm:")[2]
    if wheel := _WHEEL.match(word):
        return [wheel[1]]
    if _OUTSIDE.match(word) and not (ecosystem == "Go" and word[:1] != "."):
        return []
    return [word]


def listed_packages(text: str) -> list[tuple[str, str]]:
    """The packages in a list of requirements for `pip`."""
    lines = (re.sub(r"\s#.*|^#.*", "", line).strip() for line in text.split("\n")[:200])
    return [("PyPI", each) for line in lines if line and line[0] != "-" for each in _named_packages(line, "PyPI")]


def package_name(ecosystem: str, written: str) -> str:
    """The name of a package as its registry normalizes it: `Req_uests[x]>=2`."""
    name = re.split(rf"[=<>~!;\[ {ONE}]|(?<=.)@", written)[0]
    return same_package(ecosystem, name)


def same_package(ecosystem: str, name: str) -> str:
    """A name, or the shape of one, as its registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "PyPI" else name
