"""Which options of a program are understood: they choose and show, and change neither where it looks nor what it runs.

A rule that allows a program allows these with it, and no others: an option that no table names is asked about, as is a
computed word, a variable for `make`, and a setting in the environment. Of a program that no table has, options are
asked about whose name speaks of files, places or programs. A rule that names an option itself allows it.
"""

import re
from collections.abc import Sequence

from honestly.permissions import _programs as known
from honestly.permissions._words import NUMBER, ONE, STAR, UNKNOWN

_PLAIN_TEXT = """ls cat head tail wc echo printf pwd true false test [ basename dirname realpath readlink stat file cut
tr rev tac nl od hexdump strings comm join paste fold fmt expand unexpand column cmp diff cksum sum base64 base32 md5sum
sha1sum sha224sum sha256sum sha512sum b2sum id whoami groups uname nproc df du free uptime ps pgrep pidof which type
whereis seq sleep expr factor yes cal cd pushd popd jobs wait tty arch lscpu printenv mkdir rmdir touch rm chmod tsort
grep egrep fgrep zgrep tee cp mv ln uniq tree date kill nohup setsid : break continue return exit shift"""
_PLAIN = frozenset(_PLAIN_TEXT.split())
"""Programs without an option that runs something or looks elsewhere; what they write is judged as such."""

_TABLE = """
git log|git diff|git show|git shortlog|git rev-list|git reflog|git range-diff: abBcCDGhimMnpPqrRstuwWXzS:U:G:L:l:0
 abbrev abbrev-commit after all all-match ancestry-path author before binary boundary branches cached cc check cherry
 cherry-mark cherry-pick children color color-words combined-all-paths committer compact-summary date date-order
 decorate diff-algorithm diff-filter dirstat dst-prefix encoding exit-code ext-diff- extended-regexp find-copies
 find-copies-harder find-renames first-parent fixed-strings follow format full-history full-index function-context
 graph grep histogram ignore-all-space ignore-blank-lines ignore-cr-at-eol ignore-space-at-eol ignore-space-change
 ignore-submodules indent-heuristic inter-hunk-context invert-grep ita-visible-in-index left-only left-right
 line-prefix max-count merge merge-base merges minimal name-only name-status no-walk notes numstat oneline parents
 patch patch- patch-with-stat patience perl-regexp pickaxe-all pickaxe-regex prefix pretty quiet raw
 regexp-ignore-case relative relative-date remotes renames- reverse right-only root shortstat show-signature
 simplify-merges since skip source src-prefix staged stat stdin submodule summary tags text textconv- topo-order
 unified until walk-reflogs word-diff
git: P help literal-pathspecs optional-locks- pager- paginate version
git status: sbvuzu: ahead-behind branch column find-renames ignore-submodules ignored long porcelain renames short
 show-stash untracked-files verbose
git add: nvfiuApN all chmod dry-run force ignore-errors intent-to-add interactive- patch refresh renormalize sparse
 update verbose
git commit: aqvm:mnpseSuC:z all allow-empty amend author branch date dry-run edit- include long message only patch
 porcelain quiet reuse-message short signoff status verbose
git branch: avrdDmMcCqlft: abbrev all color column contains copy delete force format ignore-case list merged move
 no-contains no-merged points-at quiet remotes show-current sort track verbose
git checkout: qbBftmdlp conflict detach force guess merge orphan ours patch progress quiet theirs track
git switch: qcCftdm create detach discard-changes force guess merge orphan quiet track
git restore: qSWs:mp merge ours patch quiet source staged theirs worktree
git fetch: apPtvqfnj: all append depth dry-run force jobs prune prune-tags quiet tags unshallow verbose
git pull: qvrafnp all autostash commit depth ff ff-only no-rebase prune quiet rebase squash tags verbose
git stash: kuaqpm:S all include-untracked index keep-index message patch quiet staged
git tag: lnadfm:si annotate column contains delete force format list merged message points-at sort
git blame: wlsfneptcbMCL:L abbrev color-lines date incremental line-porcelain porcelain root show-email show-name
 show-number since
git reset: qpN hard keep merge mixed patch quiet soft
git rev-parse: q abbrev-ref all is-inside-work-tree short show-cdup show-prefix show-toplevel symbolic-full-name
 verify
git ls-files: cdomsuktvfzx: cached deduplicate deleted error-unmatch exclude exclude-standard full-name killed
 modified others stage unmerged
git remote: v verbose
git mv: fknv dry-run force verbose
git rm: rfnq cached dry-run force ignore-unmatch quiet
npm|pnpm|yarn|bun: sdDEBqvh all audit color coverage depth dry-run foreground-scripts frozen-lockfile fund if-present
 immutable include json loglevel long offline omit only parseable prefer-offline production progress quiet recursive
 save save-dev save-exact silent verbose watch
jest|vitest: bitouvwt:j: bail changedSince ci color colors coverage detectOpenHandles expand forceExit json listTests
 logHeapUsage maxWorkers no-color onlyChanged onlyFailures passWithNoTests randomize run runInBand showSeed silent
 testNamePattern testPathPattern testPathPatterns testTimeout updateSnapshot verbose watch watchAll
mocha: g:bt: bail check-leaks colors exit grep invert parallel recursive timeout
black|ruff|isort|flake8|eslint|prettier: qvl:t:Swhs atomic cache check color count diff exclude exit-non-zero-on-fix
 exit-zero ext extend-exclude extend-ignore extend-select fast fix fix-dry-run ignore ignore-unknown
 include-trailing-comma line-length list-different log-level loglevel max-complexity max-line-length max-warnings
 no-cache output-format per-file-ignores preview print-width profile quiet report-unused-disable-directives safe
 select show-files show-fixes show-source single-quote skip-string-normalization statistics tab-width target-version
 trailing-comma unsafe-fixes use-tabs verbose watch write
tsc: wb diagnostics esModuleInterop explainFiles incremental listFiles noEmit noEmitOnError noUnusedLocals
 noUnusedParameters pretty skipLibCheck strict watch
mypy: vqp:m: check-untyped-defs disallow-any-generics disallow-incomplete-defs disallow-untyped-calls
 disallow-untyped-defs exclude explicit-package-bases follow-imports hide-error-codes ignore-missing-imports
 namespace-packages no-color-output no-error-summary no-implicit-optional no-incremental pretty python-version
 show-column-numbers show-error-codes show-error-context show-traceback strict strict-optional warn-redundant-casts
 warn-return-any warn-unreachable warn-unused-ignores
pyright: w level outputjson skipunannotated stats verbose warnings watch
pytest: vqsxlhk:m:n:r: asyncio-mode benchmark-only capture co collect-only color cov cov-branch cov-fail-under
 cov-report deselect disable-warnings dist durations durations-min exitfirst failed-first ff fixtures full-trace
 hypothesis-seed ignore ignore-glob last-failed lf log-cli-level log-level markers maxfail new-first nf no-header
 no-summary numprocesses quiet randomly-seed reruns runslow runxfail setup-show showlocals snapshot-update stepwise
 strict-config strict-markers sw sw-skip tb timeout verbose version
less|more|bat: NRSFXinmMeEqsn0123456789l:r: line-numbers quit-if-one-screen no-init style number paging plain language
 line-range
rg: aceFHIiLlNnopPqsSuUvVwxzA:B:C:d:E:g:j:m:M:r:t:T:.0h after-context before-context case-sensitive color colors
 column context count count-matches debug filename files files-with-matches files-without-match fixed-strings follow
 glob heading hidden iglob ignore ignore-case ignore-vcs invert-match json line-number line-regexp max-columns
 max-count max-depth max-filesize messages multiline multiline-dotall null only-matching passthru pcre2 quiet regexp
 replace smart-case sort sort-files sortr stats text threads trim type type-list type-not unrestricted version vimgrep
 with-filename word-regexp
fd: HIustedgpFal0LE: absolute-path case-sensitive changed-before changed-within color exclude extension fixed-strings
 follow full-path glob hidden ignore-case list-details max-depth max-results min-depth no-ignore print0 regex size
 type unrestricted
find: LHPO: a amin and anewer atime cmin ctime daystart delete depth empty exec executable false follow fprint fprint0
 fprintf group ignore_readdir_race iname inum ipath iregex links ls maxdepth mindepth mmin mount mtime name newer
 newermt noleaf not o ok or path perm print print0 printf prune quit readable regex regextype samefile size true type
 user wholename writable xdev xtype
sed: nErsuzie:l: debug expression in-place line-length null-data posix quiet regexp-extended sandbox separate silent
 unbuffered version
awk: F:v: assign field-separator posix re-interval sandbox traditional version
jq: rcsnSjaMCeR arg argjson args ascii-output color-output compact-output exit-status indent join-output jsonargs
 monochrome-output null-input raw-input raw-output rawfile seq slurp slurpfile sort-keys stream tab
sort: bdfghiMnRrVcCmsuzk:t:S:o: check dictionary-order field-separator general-numeric-sort human-numeric-sort
 ignore-case ignore-leading-blanks key merge month-sort numeric-sort output parallel random-sort reverse stable unique
 version-sort zero-terminated
man: kfaws: all apropos whatis where
xargs: 0rtxn:P:L:I:d:i delimiter exit max-args max-lines max-procs no-run-if-empty null replace verbose
env: i0u: ignore-environment null unset
timeout: vk:s: foreground kill-after preserve-status signal verbose
time: pv portability verbose
nice: n:0123456789 adjustment
ionice: c:n:t class classdata ignore
stdbuf: i:o:e: error input output
command: vVp
exec: cl
bash|sh|dash|zsh|ksh: cleuxfvnCo:O:
python: BEIOPqRsSuvVxbdhc:m: version
node: cehipve:p: check enable-source-maps eval experimental-strip-types max-old-space-size no-warnings print test
 test-name-pattern test-only throw-deprecation trace-deprecation trace-warnings version watch
cargo: vqrp:j:F:h all all-features all-targets allow-dirty bench benches bin bins check color doc example examples
 exclude features fix frozen jobs keep-going lib locked message-format no-default-features no-fail-fast no-run offline
 package profile quiet release tag test tests verbose workspace
go: vnxap a bench benchmem benchtime count cover covermode cpu failfast fuzz fuzztime json list m n p parallel race
 run short shuffle tags timeout u v vet x
make: j:kqnsiBwrRhl:S always-make debug dry-run ignore-errors jobs just-print keep-going output-sync print-directory
 question quiet recon silent trace version warn-undefined-variables
tar: cxtrzjJvpkmOaf:C:hPW auto-compress bzip2 create directory exclude exclude-vcs extract file gzip keep-old-files
 list no-same-owner numeric-owner preserve-permissions strip-components totals verbose wildcards xz zstd
curl: sSfLIivkGgNZ#0123456789jnqH:X:d:m:A:e:u:w:r:o:OF:b:z: compressed connect-timeout cookie data data-binary
 data-raw data-urlencode fail fail-with-body form get globoff head header http1.1 http2 include insecure json location
 max-time no-progress-meter output parallel progress-bar range referer remote-name request retry retry-all-errors
 retry-delay show-error silent user user-agent verbose write-out
pip: qvUhI break-system-packages disable-pip-version-check dry-run exclude force-reinstall format local
 no-build-isolation no-cache-dir no-deps no-input not-required outdated pre quiet require-hashes upgrade uptodate user
 verbose yes
docker compose: dqT detach build no-deps force-recreate remove-orphans wait pull quiet-pull follow tail all quiet
docker ps|docker images|docker logs: aqnlsf: all details filter follow format latest no-trunc quiet since size tail
 timestamps until
kubectl get|kubectl describe|kubectl logs: n:Al:o:wR all-namespaces container field-selector follow ignore-not-found
 namespace no-headers output previous recursive selector show-labels since sort-by tail timestamps watch
gradle: qisdx: build-cache console continue daemon debug dry-run exclude-task info offline parallel quiet rerun-tasks
 scan stacktrace tests warn
kubectl: n: namespace
tox|nox: e:pqvrs: parallel quiet recreate session verbose
pre-commit: av all-files color hook-stage show-diff-on-failure verbose
dotnet: c:v:f: configuration framework no-build no-restore nologo verbosity
swift: c:vj: configuration jobs verbose
flutter: d:v debug device-id no-pub profile release verbose
terraform: - no-color auto-approve compact-warnings destroy detailed-exitcode input json lock lock-timeout parallelism
 refresh target
"""
"""By program, or program and subcommand: letters, with a colon behind those that take a value, and long names; one
with a hyphen at its end counts only with `no-` before it."""
_OPTIONS: dict[str, tuple[str, frozenset[str]]] = {}
for _line in re.sub(r"\n +", " ", _TABLE).strip().split("\n"):
    _keys, _, _given = _line.partition(": ")
    _letters, *_names = _given.split()
    _OPTIONS |= dict.fromkeys(_keys.split("|"), (_letters, frozenset(_names)))
_ALL = "*", frozenset[str]()
_COMPUTED = "a word is computed"
_ELSEWHERE = re.compile(
    r"-(?![-abhjklmnqstuvwyALNQSV0-9])|--?[\w.-]*(?:exec|eval|command|cmd|shell|program|pager|editor|hook|script|plugin|module|require"
    r"|import|load|conf|rc$|file|dir|folder|path|root|cwd|prefix|home|profile|context|server|host|ur[il]|registry|index|endpoint"
    r"|proxy|env|from|include|workspace|project|manifest|out|store|source|with|set|define|override|wrapper|runner|driver|bin)"
)
"""Options of a program that no table has which may say where it looks, or what it runs."""
_RUN_OTHERS = frozenset("env xargs python node perl ruby php lua bash sh dash zsh npx uvx exec command time".split())  # noqa: SIM905
"""Programs whose options end with their first other word."""
_STEERING = frozenset("true false : break continue return exit shift wait test [ read echo printf".split())  # noqa: SIM905
_PLAIN_VARIABLE = re.compile(
    r"LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|CI|DEBUG|VERBOSE|(?:NODE|RAILS|RACK|APP)_ENV"
    r"|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|IOENCODING|FAULTHANDLER)|RUST_(?:LOG|BACKTRACE)|GOOS|GOARCH|CGO_ENABLED"
    r"|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|DEBIAN_FRONTEND|PORT|OMP_NUM_THREADS|CUDA_VISIBLE_DEVICES|SOURCE_DATE_EPOCH"
    r"|(?:GIT_|MAN)?PAGER|PWD|OLDPWD|[a-z_]+"
)
"""Variables that change what a program shows or how it works, not what it runs or reads."""


def is_steering(words: Sequence[str]) -> bool:
    """Whether a program only leads from one command to the next, goes into a folder below, or says something."""
    below = words[0] == "cd" and len(words) == 2 and re.fullmatch(r"\w[\w./-]*", words[1]) is not None
    return words[0] in _STEERING or tuple(words) == ("cat",) or (below and "/.." not in words[1])


PLAIN_VALUE = re.compile(r"(?:(?!SHELL|MAKE)\w+=)?(?:\d*|true|false|yes|no|on|off|y|n)")


def is_plain_variable(name: str, values: Sequence[str], *, exported: bool) -> bool:
    """Whether a variable may be set before any program is run: to a number, or one that only says how to show; one of
    the shell alone, unless programs have it for their own.
    """
    if name not in _KEPT and not _KEPT_KINDS.match(name) and values and all(map(PLAIN_VALUE.fullmatch, values)):
        return True
    if name.startswith(("npm_config_", "http", "all_proxy", "ftp_proxy")):
        return False
    return _PLAIN_VARIABLE.fullmatch(name) is not None or not (exported or name in _KEPT or _KEPT_KINDS.match(name))


_KEPT = frozenset("PATH HOME USER SHELL TMPDIR EDITOR VISUAL IFS CDPATH PS4 MAKEFLAGS".split())  # noqa: SIM905
"""Variables that a shell has from outside, so that setting them without `export` changes those of its programs."""
_KEPT_KINDS = re.compile(r"(?:GIT|NODE|NPM|PYTHON|LD|DYLD|CARGO|RUST|GO|PIP|XDG|JAVA|DOCKER|AWS|KUBE|BASH)_?[A-Z]")


def not_understood(words: Sequence[str], named: int) -> str:
    """Of a command what a rule that allows its first words may not have meant; empty if nothing."""
    name, rest = words[0], [word.replace(NUMBER, "1") for word in words[1:]]
    if name == "find":
        rest = _without_commands(rest)
    table = _OPTIONS.get(name, _ALL if name in _PLAIN else None)
    has_word = False
    at = 0
    if _ends_options(name) and any(word[:1] != "-" for word in rest[: named - 1]):
        return ""  # what follows goes to the program that the rule names, too
    while at < len(rest):
        word = rest[at]
        at += 1
        is_option = (word[:1] == "-" and word != "-") or (word[:1] == "+" and name in known.EDITORS)
        if not is_option and not has_word:
            has_word = True
            table = _OPTIONS.get(f"{name} {word}", None if name in {"git", "kubectl"} else table)
        if at < named:
            continue
        if word == "--":
            if name not in known.SUBCOMMAND_WRAPPERS:
                break
            table = None  # what follows goes to a program of the project
        elif not is_option and _ends_options(name):
            return ""
        elif why := _odd_word(word, name, table) or (
            _odd_target(word, rest[at - 2 : at - 1], name, named) if not is_option else ""
        ):
            return why
        elif is_option and table and f"{word[-1]}:" in table[0] and word[1] != "-":
            at += 1  # its value
    return next((_COMPUTED for word in rest[at:] if UNKNOWN.search(word)), "")


def without_leading_options(words: Sequence[str]) -> tuple[str, ...]:
    """A command without understood options before its first other word: `git --no-pager log`, `make -j4 test`."""
    name, rest = words[0], list(words[1:])
    table = _OPTIONS.get(name)
    while rest and table and rest[0][:1] == "-" and rest[0] not in {"-", "--"}:
        if rest[:2] in (["-C", "."], ["-C", "./"]) and name in {"git", "make"}:
            rest = rest[2:]
        elif not _is_listed(rest[0], *table):
            break
        else:
            rest = rest[2 if f"{rest[0][-1]}:" in table[0] and rest[0][1] != "-" else 1 :]
    return (name, *rest)


def _ends_options(name: str) -> bool:
    return name in _RUN_OTHERS or (name in known.WRAPPERS and name not in known.SUBCOMMAND_WRAPPERS)


def _odd_word(word: str, name: str, table: tuple[str, frozenset[str]] | None) -> str:
    """Why a word is not understood."""
    is_below = name in _PLAIN and not UNKNOWN.match(word)  # a path whose beginning is known is no option
    if UNKNOWN.search(word) and name not in known.SAYS_ONLY and not is_below and not re.match(r"--?[\w-]+=", word):
        return _COMPUTED
    if word[:1] in {STAR, ONE} and name in known.RUN_BY_OPTION:
        return "a file's name may be an option"
    if word[:1] not in {"-", "+"} or (word[0] == "+" and name not in known.EDITORS) or word == "-":
        return ""
    understood = _ELSEWHERE.match(word) is None if table is None else table is _ALL or _is_listed(word, *table)
    return "" if understood and not known.NAMES_FROM.match(word) else f"what {word[:40]} changes is not known"


def _odd_target(word: str, before: Sequence[str], name: str, named: int) -> str:
    """Why a word of `make` and the like is not understood, behind the target that a rule names."""
    is_value = bool(before) and before[0][:2] == "--"
    if name in known.MANY_TARGETS and not is_value and not PLAIN_VALUE.fullmatch(word) and ("=" in word or named > 1):
        return f"{word[:40]} is another target, or sets a variable"
    return ""


def _is_listed(word: str, letters: str, names: frozenset[str]) -> bool:
    long = word.lstrip("-").partition("=")[0]
    if long in names or (word.startswith("--no-") and (long[3:] in names or f"{long[3:]}-" in names)):
        return True
    if word.startswith("--") or word[0] == "+":
        return False
    for at, letter in enumerate(word[1:], 2):
        if letter.isdigit() and at == 2:
            return True  # `-5`
        place = letters.find(letter)
        if place < 0 or letter in ":=":
            return letter == "=" and at > 2
        if letters[place + 1 : place + 2] == ":":
            return True  # the rest is its value
    return True


def _without_commands(words: Sequence[str]) -> list[str]:
    """The words of `find` without the commands that it runs, which are judged by themselves."""
    found: list[str] = []
    inside = False
    for at, word in enumerate(words):
        inside = inside and not (word == ";" or (word == "+" and words[at - 1] == "{}"))
        if not inside:
            found.append(word)
        inside |= word in {"-exec", "-ok"}
    return [word for word in found if word not in {";", "+", "(", ")", "!"}]
