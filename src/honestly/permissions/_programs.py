"""What is known of programs: which run their arguments, which only name files, read or write them, and whose options
take a value. A program that no table names may run any of its arguments, and read or write any file that it is given.
"""

import re
from collections.abc import Sequence

from honestly.permissions._words import ANY, STAR

SHELLS = frozenset("sh bash dash zsh ksh ash mksh rbash fish nu xonsh csh tcsh pwsh".split())  # noqa: SIM905

_PLAIN_WRAPPERS = """nohup setsid command builtin busybox toybox valgrind dbus-run-session unbuffer rlwrap chronic
torsocks bunx pnpx entr linux64 setarch tsocks firejail bwrap prlimit eatmydata dumb-init tini
catchsegv arch flatpak-spawn screen daemonize"""
WRAPPERS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(_PLAIN_WRAPPERS.split(), ("", 0)), "stdbuf": ("-i -o -e --input --output --error", 0),
    "nice": ("-n --adjustment", 0), "ionice": ("-c -n --class --classdata", 0), "chrt": ("-T -P -D", 1),
    "timeout": ("-k -s --kill-after --signal", 1), "time": ("-f -o --format --output", 0), "exec": ("-a", 0),
    "sudo": ("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot", 0),
    "doas": ("-u -C", 0), "pkexec": ("--user", 0), "runuser": ("-u -g", 0), "chroot": ("--userspec --groups", 1),
    "strace": ("-e -o -p -s -u -E -a -b -I -O -P -S -U -X", 0),
    "ltrace": ("-e -o -p -s -u -a -A -D -F -l -n -x", 0), "taskset": ("", 1),
    "setpriv": (
        "--reuid --regid --ruid --rgid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig",
        0,
    ),
    "unshare": ("-S -G --setuid --setgid --root --wd -R -w --propagation --map-user --map-group", 0),
    "nsenter": ("-t --target -S -G", 0), "fakeroot": ("-l -s -i -b", 0), "faketime": ("-f", 1),
    "caffeinate": ("-t -w", 0), "systemd-run": ("-p --property --unit", 0), "xvfb-run": ("-n -s -e -f -p", 0),
    "proxychains": ("-f", 0), "npx": ("-p --package -c --call", 0), "uvx": ("--from --with --python -p", 0),
    "perf": ("-e -o -p", 1), "ssh-agent": ("-a -t", 0), "cpulimit": ("-l -p", 0), "direnv": ("", 2),
    "numactl": ("-N -m -C -p", 0), "gosu": ("", 1), "su-exec": ("", 1),
    "sshpass": ("-p -f -d -P", 0),
}  # fmt: skip
"""The options of a wrapper that take a value, and how many words stand before the command."""

_RUNNERS, _EXECUTERS = "pixi devbox uv poetry pdm hatch rye pipenv pipx conda mamba dotenv", "bundle asdf opam stack"
SUBCOMMAND_WRAPPERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_RUNNERS.split(), ("run",)), **dict.fromkeys(_EXECUTERS.split(), ("exec",)),
    "npm": ("exec", "x"), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "bun": ("x",), "mise": ("exec", "x"),
}  # fmt: skip
"""Programs of which some subcommands run what follows."""

VALUED: dict[str, str] = {
    "git": "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source",
    "npm": "--registry --prefix -C -w --workspace --loglevel --userconfig --cache --tag --otp --access",
    "kubectl": "-n --namespace --context --kubeconfig --cluster --user -s --server --token --as -v --request-timeout -f"
    " --filename -o --output -l --selector",
    "docker": "-H --host --config --context -c -l --log-level --tlscacert --tlscert --tlskey",
    "pip": "--index-url -i --extra-index-url --proxy --timeout --log --python --cache-dir --retries --trusted-host",
    "make": "-C --directory -f --file --makefile -I -o -W", "cargo": "--manifest-path --color --config -Z -C",
    "gh": "-R --repo", "helm": "-n --namespace --kube-context --kubeconfig",
    **dict.fromkeys(("terraform", "brew", "apt", "apt-get"), ""),
    **dict.fromkeys(("rm", "rmdir", "chmod", "chown"), ""),
    "aws": "--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout"
    " --cli-connect-timeout --cli-binary-format",
    "gcloud": "--project --account --configuration --zone --region --format --verbosity --filter",
    "manage.py": "--settings --pythonpath --database -v --verbosity", "systemctl": "-H -M -t -p -s -n -o",
    "uv": "--project --directory --config-file --cache-dir -p --python --group --extra --only-group --no-group"
    " --package --with --with-editable --with-requirements --index --link-mode --env-file",
    "poetry": "-C --directory -P --project", "go": "-C", "twine": "", "yarn": "--cwd",
    "pnpm": "-C --dir --filter -F",
    "psql": "-d -U -h -p -c -f -v -o -F -R -P -L --dbname --username --host --port --command --file",
    "conda": "-n --name -p --prefix", "just": "-f --justfile -d --working-directory",
}  # fmt: skip
"""Options before a subcommand that take a value."""

COMMAND_BEHIND = {"mise": "--", "just": "-c --command"}
"""Marks behind which a program is given a command."""
_UV_FLAGS = """--frozen --locked --no-sync --all-extras --all-groups --no-dev --dev --only-dev --isolated --active
--exact --no-project --no-editable --quiet --verbose -q -v --offline --no-cache --all-packages --no-config --module -m
--script -s --no-env-file"""
FLAGS = {"uv": frozenset(_UV_FLAGS.split())}
"""Options of a wrapper that take no value."""
_MANY_TARGETS_TEXT = "make rails rake gradle gradlew mvn ant ninja task invoke doit scons sbt lein"
MANY_TARGETS = frozenset(_MANY_TARGETS_TEXT.split())
"""Programs of which each plain word is something to do."""

_GNU_TEXT = """cat chmod chown cp cut date dd env find grep head install ln ls mkdir mktemp mv nice readlink rm rmdir
shred sort split stat stdbuf tail tar tee timeout touch truncate xargs"""
"""Programs that have a `g` before their names where others of those names are there."""
SAYS_ONLY = frozenset("echo printf test [ true false : kill wait sleep seq expr cal exit return break".split())  # noqa: SIM905
"""Programs of which no word, whatever it be, names a file or a program."""
SAME: dict[str, str] = {
    "hub": "git", "awscli": "aws", "npm-check-updates": "ncu", ".": "source", "gradlew": "gradle", "mvnw": "mvn",
    "fly": "flyctl", "oc": "kubectl", "nodejs": "node",
    **dict.fromkeys(("ncat", "netcat", "nc.openbsd", "nc.traditional"), "nc"), "vim": "vi", "pip3": "pip",
    "gmake": "make", "gsed": "sed", "gawk": "awk", **{f"g{each}": each for each in _GNU_TEXT.split()},
    "mawk": "awk", "nawk": "awk",
}  # fmt: skip

_NAMES_ONLY = """ls echo printf test [ stat which type whatis whereis apropos chmod chown chgrp cd pwd basename dirname
realpath readlink kill pkill killall ps pgrep top htop sleep true false : id whoami groups uname printenv unset set
shopt ulimit umask wait jobs fg bg disown history hash help dirs pushd popd df du free uptime nproc lscpu lsof seq yes
tput clear reset stty tty logger cal expr factor getconf locale getent return exit break continue local declare typeset
readonly export let getopts shift times suspend logout enable complete compgen bind builtin caller brew apt apt-get
apt-cache dpkg service yum dnf apk pacman snap rmmod insmod lsmod modprobe modinfo adduser addgroup useradd usermod
groupadd deluser systemctl journalctl ifconfig ping netstat traceroute tldr info ldconfig curl-config pkg-config
xdg-open"""
_READERS = """cat tac head tail less more most bat nl od xxd hexdump strings base64 base32 md5sum sha1sum sha224sum
sha256sum sha384sum sha512sum shasum md5 b2sum b3sum cksum sum wc cut paste join comm fold fmt expand unexpand column
rev sort uniq tr shuf split csplit diff sdiff diff3 cmp colordiff grep egrep fgrep zgrep rg ag ack jq yq xq awk sed
tsort pr look zcat zless bzcat xzcat gzip bzip2 xz zstd gunzip openssl gpg iconv view source . mapfile readarray read
tar zip 7z rsync scp sftp curl wget ln cp mv dd install tee glow mdcat hexyl envsubst vim vi nano emacs nvim ed ex code
pico micro patch pygmentize ssh-keygen ssh-add age cpio ar objdump nm readelf gpg2 mail sendmail nc ncat xclip pbcopy
csvcut q miller mlr uuencode uudecode"""
_TOOLS = """date dig dmesg file ip ss man nslookup host hostname git gh glab hub svn hg notify-send pip npm pnpm yarn
bun node python ruby perl php docker podman kubectl helm terraform cargo rustc go gofmt make cmake ninja meson gcc g++
cc clang clang++ ld ar javac java mvn gradle gradlew kotlinc scala sbt dotnet swift pytest tox nox ruff mypy black isort
flake8 pylint pyright eslint prettier tsc jest vitest mocha webpack vite rollup esbuild uv poetry pdm hatch pipenv conda
mamba twine psql mysql sqlite3 pg_dump createdb dropdb mariadb duckdb redis-cli mongosh aws gcloud az ssh unzip touch
truncate mkdir rmdir rm unlink shred mktemp mkfifo find fd locate tree xargs parallel lua Rscript R julia ghc stack
cabal elixir mix rails rake bundle gem composer coverage sphinx-build mkdocs pre-commit alembic flask django-admin
uvicorn gunicorn celery ansible ansible-playbook vagrant packer act bc dc units graphviz dot convert ffmpeg
golangci-lint shellcheck shfmt hadolint yamllint markdownlint cloc tokei rustup cargo-clippy nvm deno pytest-3 jupyter
actionlint playwright cypress just commitlint cspell stylelint oxlint knip wrangler storybook astro next nuxt k6 buf
protoc semgrep bandit trivy grype gitleaks checkov tflint vale markdownlint-cli2 lychee codespell vulture radon rspec
phpunit phpstan psalm ctest lcov turbo nx venv"""
_SUBSCRIPTED = "test [ let printf read unset declare typeset local export readonly wait mapfile"
SUBSCRIPTED = frozenset(_SUBSCRIPTED.split())
"""Builtins that evaluate the subscript of a name that they are given."""
RUNS_FILES = {
    **dict.fromkeys(
        ("make", "just", "task", "rake"), r"(?i)(?:^|/)(?:\.?justfile|(?:GNU)?makefile|taskfile\.ya?ml|rakefile)$|\.mk$"
    ),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun", "npx", "node"), r"(?:^|/)(?:package\.json|\.npmrc|[\w.-]+\.[cm]?[jt]s)$"
    ),
    **dict.fromkeys(
        ("pip", "uv", "pytest", "tox", "nox", "python", "pre-commit", "poetry"),
        r"(?:^|/)(?:setup\.py|conftest\.py|test_\w+\.py|noxfile\.py|\w*custom\w*\.py|tox\.ini|\.pre-commit-config\.yaml|pyproject\.toml)$",
    ),
    "cargo": r"(?:^|/)(?:build\.rs|\.cargo/config(?:\.toml)?)$",
    "git": r"(?:^|/)\.git/(?:hooks/[\w-]+|config)$|\.gitconfig$|\.gitattributes$",
    **dict.fromkeys(("docker", "podman"), r"(?:^|/)(?:Dockerfile|(?:docker-)?compose\.ya?ml)$"),
    **dict.fromkeys(("vim", "vi", "nvim", "ex"), r"vimrc$|\.vim$"),
    **dict.fromkeys(("bash", "zsh", "sh", "tmux", "screen", "direnv"), r"(?:^|/)\.(?:\w*rc|\w*profile|tmux\.conf)$"),
}  # fmt: skip
"""Files whose text a program runs though no word of the command names them."""

WRITES_FILES = {
    "npm": ("install i add in update up uninstall remove rm un version pkg init", "package.json package-lock.json"),
    "pnpm": ("install i add update up remove rm import", "package.json pnpm-lock.yaml"),
    "yarn": ("install add upgrade remove import version", "package.json yarn.lock"),
    "bun": ("install i add update remove", "package.json bun.lock bun.lockb"),
    "poetry": ("add remove lock update version init", "pyproject.toml poetry.lock"),
    "pdm": ("add remove lock update", "pyproject.toml pdm.lock"),
    "uv": ("add remove lock sync init version", "pyproject.toml uv.lock"),
    "cargo": ("add remove update generate-lockfile init", "Cargo.toml Cargo.lock"),
    "go": ("get mod work", "go.mod go.sum go.work"),
    "bundle": ("install update add remove lock", "Gemfile Gemfile.lock"),
    "composer": ("install require update remove", "composer.json composer.lock"),
    "pipenv": ("install uninstall lock update sync", "Pipfile Pipfile.lock"),
}  # fmt: skip
"""The subcommands of a program that write files which they do not name, and those files."""
GENERATED_BY = {
    r"(?:python \S*manage\.py|django-admin) makemigrations": f"{STAR}/migrations/{STAR}.py",
    r"alembic (?:revision|init)": f"alembic/versions/{STAR}.py migrations/versions/{STAR}.py",
    r"prisma (?:migrate dev|db pull|init)": f"prisma/migrations/{STAR}/migration.sql prisma/schema.prisma",
    r"supabase migration new|supabase db diff": f"supabase/migrations/{STAR}.sql",
    r"husky (?:init|install|add)": ".husky/pre-commit package.json",
    r"(?:ncu|npm-check-updates)(?: .*)? -\w*u": "package.json",
    r"rails (?:g|generate) migration": f"db/migrate/{STAR}.rb",
    "drizzle-kit generate": f"drizzle/{STAR}.sql",
    "go generate": ANY,
}  # fmt: skip
"""Commands that make files which they do not name, and those files."""
INITIALIZED = {"tsc": "tsconfig.json", "eslint": "eslint.config.js eslint.config.mjs", "jest": "jest.config.js"}
"""What `--init` writes."""
NAMES_ONLY = frozenset(_NAMES_ONLY.split())
"""They take names, or nothing, and open no file that they are given."""
READERS = frozenset(_READERS.split())
"""They open the files that they are given."""
TOOLS = frozenset(_TOOLS.split())
"""They run none of their arguments, but for what is read of them one by one."""

EDITORS = frozenset("vim vi nano emacs nvim ed ex code pico micro".split())  # noqa: SIM905
COMMANDED = frozenset("psql mysql mariadb sqlite3 duckdb less more gdb view sftp mail".split())  # noqa: SIM905
"""Programs that are given commands of their own, of which some run others, read or write files; as editors are."""
_WEB = "js jsx ts tsx mjs cjs mts cts vue svelte"
FORMATTERS = {
    **dict.fromkeys(("black", "isort", "autopep8", "yapf", "ruff"), "py pyi ipynb"),
    "prettier": f"{_WEB} json json5 css scss less html md mdx yaml yml graphql hbs", "eslint": _WEB,
    "biome": f"{_WEB} json jsonc css graphql", "gofmt": "go", "rustfmt": "rs",
    **dict.fromkeys(("shfmt", "clang-format", "dos2unix"), ""),
    **dict.fromkeys(("terraform fmt", "tofu fmt"), "tf tfvars"),
    **dict.fromkeys(("go fmt", "go fix", "golangci-lint run", "golangci-lint fmt"), "go"), "cargo fmt": "rs",
    "mix format": "ex exs", "dart format": "dart", "swift format": "swift", "zig fmt": "zig",
    "deno fmt": f"{_WEB} json md",
}  # fmt: skip
"""And how the files end that they look for in a folder; empty where that is not known."""
_WITHOUT_FOLDER = (
    "go fmt|go fix|cargo fmt|terraform fmt|tofu fmt|mix format|deno fmt|golangci-lint run|golangci-lint fmt"
)
FORMAT_ALL = frozenset([*_WITHOUT_FOLDER.split("|"), "ruff"])
"""Those that take all files if they are given no folder."""
ONLY_IN_PLACE = frozenset(["biome", "prettier", "gofmt", "shfmt", "clang-format", "yapf", "autopep8"])
"""Formatters that print, unless they are told to write."""
_WRITERS_TEXT = """rm unlink shred touch truncate mkdir rmdir mkfifo gzip gunzip bzip2 xz zstd sponge venv"""
WRITERS = frozenset(_WRITERS_TEXT.split())
PATTERN_FIRST = {
    "grep": "-e -f --regexp --file", "egrep": "-e -f", "fgrep": "-e -f", "zgrep": "-e -f", "ag": "", "ack": "",
    "rg": "-e -f --regexp --file", "sed": "-e -f --expression --file", "awk": "-f --file", "jq": "-f --from-file",
    "yq": "", "tr": "",
}  # fmt: skip
"""Programs whose first word is no file, unless one of these options is there."""

RUN_BY_OPTION = {
    "tar": "--checkpoint-action --to-command -I --use-compress-program -F --info-script --rsh-command",
    "sort": "--compress-program", "rsync": "-e --rsh --rsync-path", "rg": "--pre", "split": "--filter",
    "man": "-P --pager", "apt": "-o", "apt-get": "-o", "ansible": "-a --args", "wget": "--use-askpass",
    **dict.fromkeys(("mapfile", "readarray", "compgen", "complete"), "-C"), "bind": "-x",
    **dict.fromkeys(("gcc", "g++", "cc"), "-wrapper"), "scp": "-S", "sftp": "-S", "ssh": "-o",
    "zip": "-TT --unzip-command", "bat": "--pager", "script": "-c --command", "runuser": "-c", "su": "-c --command",
    **dict.fromkeys(("npx", "npm", "pnpm"), "-c --call"), **dict.fromkeys(("nc", "ncat"), "-c -e --exec --sh-exec"),
    "make": "--eval -E", "go": "-exec -toolexec", "gdb": "-ex", "nodemon": "-x --exec",
    "nix-shell": "--run --command", "vagrant": "-c --command", "vim": "-c +", "vi": "-c +", "nvim": "-c +",
    "flock": "-c --command", "git": "--upload-pack --receive-pack --open-files-in-pager -O",
}  # fmt: skip
"""Options whose value is run."""

_LONG = {
    "cp mv ln install": "target-directory",
    "sed": "in-place expression file",
    "sort": "output compress-program files0-from",
    "wc du": "files0-from",
    "tar": "directory extract get list file files-from use-compress-program to-command checkpoint-action info-script",
    "env": "chdir split-string unset",
    "script su runuser flock": "command",
    "git": "exec extcmd tree-filter index-filter msg-filter upload-pack receive-pack open-files-in-pager output",
    "wget": "output-document directory-prefix post-file input-file execute",
    "curl": "output config upload-file data data-binary form",
    "xargs": "arg-file replace",
    "patch": "directory output",
    "jq": "from-file rawfile slurpfile",
}
LONG = {name: names.split() for programs, names in _LONG.items() for name in programs.split()}
"""Long options that may be shortened, and that change what is run, read or written."""
_PLACED_TEXT = "make ninja env cargo pnpm poetry go npm just uv meson cmake tox"
PLACED = dict.fromkeys(_PLACED_TEXT.split(), "-C") | {"patch": "-d", "wget": "-P"}
"""The option of one letter by which a program is told where to work."""
PLACE = re.compile(
    r"--(?:directory(?:-prefix)?|chdir|work-tree|working-dir(?:ectory)?|cwd|prefix|output-dir|root|dir|project|target)(?:=(.*))?$",
    re.DOTALL,
)
"""Long options that say where a program works."""
NAMES_FROM = re.compile(r"--?(?:[\w-]*files?0?-from|pathspec-from-file|arg-file)(?:=|$)")
"""Options by which the names of files come from a file."""
LAST_WRITTEN = frozenset("uniq convert magick ffmpeg objcopy".split())  # noqa: SIM905
"""Programs that write the last file that they name."""
COMPILERS = frozenset("gcc g++ cc c++ clang clang++ tcc rustc go gccgo".split())  # noqa: SIM905
_INERT_TEXT = """cat tac head tail wc diff sdiff diff3 cmp grep egrep fgrep zgrep rg ag ack sort uniq cut paste join
comm cp mv ln install tee rsync scp tar zip gzip xz bzip2 git gh md5sum sha1sum sha256sum sha512sum base64 xxd od
hexdump strings chmod rm touch mkdir nl rev fold fmt column split shuf dd curl wget unlink shred file ls stat jq yq tr
less more bat black ruff isort flake8 pylint mypy prettier eslint shellcheck shfmt gofmt find fd locate tree"""
INERT = frozenset(_INERT_TEXT.split()) | NAMES_ONLY
"""Programs that run no text of a file that they are given."""

_RUN_VARIABLES_TEXT = """PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND
GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS LESSOPEN LESSCLOSE BASH_ENV ENV PROMPT_COMMAND RSYNC_RSH PERL5OPT
RUBYOPT NODE_OPTIONS LD_PRELOAD PS4 PYTHONSTARTUP MAKEFILES"""
RUN_VARIABLES = frozenset(_RUN_VARIABLES_TEXT.split())
"""Variables that name what a program will run."""
RUN_FIRST = frozenset("BASH_ENV ENV MAKEFILES LD_PRELOAD PERL5OPT RUBYOPT NODE_OPTIONS PYTHONSTARTUP".split())  # noqa: SIM905
"""Those of them that name what is run before anything else."""
RUN_KINDS = re.compile(
    r"(?i)(?:.*_)?(?:CC|CXX|CPP|LD|AR|SHELL|CMD|COMMAND|HOOK|PAGER|EDITOR|BROWSER|RUNNER|WRAPPER|LAUNCHER|ASKPASS"
    r"|SUDO|OPENER)"
)
"""And kinds of those."""
FILE_KINDS = re.compile(
    r"(?i)\w*(?:CONFIG(?:_?(?:FILE|GLOBAL|SYSTEM|PATH))?|FILES?|CREDENTIALS|CERTS?|BUNDLE|KEY|RC|CONF|KEYRING)"
)
"""Variables that name a file which a program will read."""

_GIT_TEXT = """add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore
check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit
commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool
fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg for-each-ref format-patch fsck gc
fsck-objects get-tar-commit-id grep gui hash-object help index-pack init init-db instaweb interpret-trailers lfs log
ls-files ls-remote ls-tree mailinfo maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag
mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id pickaxe prune prune-packed pull push
range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert
rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace
submodule subtree switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var
verify-commit verify-pack verify-tag version whatchanged worktree write-tree"""
GIT = frozenset(_GIT_TEXT.split())
"""The subcommands of git; another word is an alias, whose meaning lies in a file."""


def spelled_out(words: Sequence[str], name: str) -> list[str]:
    """The words of a program with those long options that it lets people shorten in full."""
    long = LONG.get(name)
    if long is None or not any(word[:2] == "--" for word in words):
        return list(words)
    found = []
    for word in words:
        given, equals, value = word.partition("=")
        full = next((f"--{each}" for each in long if f"--{each}".startswith(given) and len(given) > 3), given)
        found.append(f"{full}{equals}{value}" if word[:2] == "--" else word)
    return found


_SYSTEM = re.compile(r"(?:/usr(?:/local)?)?/s?bin/[^/]+")


def plain_name(name: str) -> str:
    """A program's name without its version, and as that of the program whose other name it is."""
    name = re.sub(r"(?<=.)@[\w.^~*-]+$", "", name)  # of a package, as npx runs it
    if name[:1] == "@":  # its scope and name: `@anthropic-ai/claude-code` is `claude`
        scope, _, name = name[1:].partition("/")
        name = scope if name == "cli" else re.sub("-(?:cli|code)$", "", name)
    name = SAME.get(name, name)
    if re.fullmatch(r"python[\d.]*", name) or name in {"pypy", "pypy3", "ipython"}:
        return "python"
    found = re.fullmatch(r"(pip|perl|ruby|node|php|lua)[\d.]+", name)
    return found[1] if found else name


def is_elsewhere(word: str) -> bool:
    """Whether a program is called by a path out of the folders of the system."""
    return "/" in word and _SYSTEM.fullmatch(word) is None


WORKSPACES = ("CLAUDE_PROJECT_DIR", "GITHUB_WORKSPACE")
RUNNER_FILES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP")
"""Variables that CI sets, and that name files outside of a workspace."""
_GENERATED_TEXT = """build dist out target node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache
.cache .next .turbo .tox .nox coverage htmlcov tmp bin obj _build _site .nyc_output .gradle .parcel-cache"""
GENERATED = frozenset(_GENERATED_TEXT.split())
"""Folders of what is made from other files."""
CONTAINERS = frozenset({"docker", "podman", "nerdctl"})
"""Programs that run others elsewhere."""


def is_known(name: str) -> bool:
    """Whether a name is that of a program that a table names."""
    return name in SHELLS or name in WRAPPERS or name in NAMES_ONLY or name in READERS or name in TOOLS
