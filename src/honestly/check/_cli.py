"""`honestly check`: a verdict on one change."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    gathered_options,
    headed_option,
    json_option,
    print_json,
    say_on_stderr,
    show,
    unsafe_option,
)
from honestly.show import plural_text, printable_text_line

if TYPE_CHECKING:
    from honestly.check._change import Change
    from honestly.check._kept import KeptParts, Tell
    from honestly.check._suite import ProjectSuite
    from honestly.check._verdict import CheckResult

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_NEW, _PLACE = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)
_AREAS = ("all", "tests", "claims", "uncovered", "mutants", "differences", "honesty", "safety", "structure")
_MOST_WORDS, _MUTANTS = 1 << 20, 40
_BUNDLED = ("claim", "root", "test", "install", "mutants", "seconds", "jobs", "seed")
_SILENT_S, _STILL = 30.0, ", still"


@dataclass(slots=True)
class CheckOptions:
    """What the options say."""

    claim: str
    issue: Path | None
    session: Path | None
    study: Path | None
    repo: Path
    root: str
    test: str
    env: Path | None
    install: bool
    mutants: int
    seconds: float
    jobs: int
    seed: int
    out: Path | None
    area: str | None
    map: bool
    hook: bool
    mcp: bool
    markdown: Path | None
    sarif: Path | None
    junit: Path | None
    html: Path | None
    bundle: Path | None
    sign: Path | None
    write_tests: Path | None
    model: str | None
    write_policy: Path | None


_OPTIONS = (
    click.option("--claim", default="", metavar="TEXT", help="A claim to test, besides commit messages."),
    click.option("--issue", type=_FILE, help="A file that says what was asked for."),
    click.option("--test", default="", metavar="COMMAND", help="The command that runs the tests."),
    click.option("--env", type=_FOLDER, help="The Python environment of the tests.  [default: .venv, or ours]"),
    click.option("--install", is_flag=True, help="Install what the tests need from the package index, as wheels."),
    click.option("--show", "area", type=click.Choice(_AREAS), help="Show everything about one topic."),
    click.option("--map", "map", is_flag=True, help="Instead show which files matter most, and why. Runs nothing."),
    headed_option("Beside an agent", "--hook", is_flag=True, help="Answer as a stop hook of Claude Code or Codex."),
    headed_option("Beside an agent", "--mcp", is_flag=True, help="Serve the check as a tool over MCP."),
    headed_option("Which change", "--session", type=_FILE, help="The log of the agent's session."),
    headed_option("Output", "--study", type=_FILE, metavar="STUDY",
                  help="Also keep the verdict in this study, where honestly view shows it beside the same session."),
    headed_option("Which change", "--repo", type=_FOLDER, default=Path(), help="Any folder in it.  [default: .]"),
    headed_option("Which change", "--root", default="", metavar="FOLDER", help="The project's folder, if not the top."),
    headed_option("How much", "--mutants", type=click.IntRange(0), default=_MUTANTS, show_default=True,
                  help="The most mutants to try."),
    headed_option("How much", "--seconds", type=click.FloatRange(1), default=180, show_default=True,
                  help="The most seconds to spend on mutants."),
    headed_option("How much", "--jobs", "-j", type=click.IntRange(1), default=2, show_default=True,
                  help="How many sandboxes run at once."),
    headed_option("How much", "--seed", default=0, show_default=True, help="Seed of the generated calls."),
    headed_option("Output", "--out", type=_PLACE, help="Folder for the records.  [default: below ~/.local/state]"),
    headed_option("Output", "--markdown", type=_NEW, help="Also write the verdict as Markdown, for a pull request."),
    headed_option("Output", "--sarif", type=_NEW, help="Also write the verdict as SARIF 2.1.0, for code scanning."),
    headed_option("Output", "--junit", type=_NEW, help="Also write the verdict as JUnit XML."),
    headed_option("Output", "--html", type=_NEW, help="Also write the verdict as an HTML page."),
    headed_option("Output", "--bundle", type=_NEW, help="Also write a bundle for honestly rerun."),
    headed_option("Output", "--sign", type=_FILE, metavar="KEY", help="Sign the bundle with this SSH key."),
    headed_option("Output", "--write-policy", type=_NEW,
                  help="With --map: also write a guard policy that asks before those files are changed."),
    click.option("--write-tests", type=_NEW, help="Write tests that catch the surviving mutants, as a patch."),
    headed_option("Output", "--model", "-m", metavar="SPEC",
                  help="With --write-tests: let this model write tests, too. It sees the claim, not the change."),
)  # fmt: skip


@click.command()
@click.argument("change", default="")
@gathered_options(CheckOptions, "options", _OPTIONS)
@unsafe_option
@json_option
def check(change: str, options: CheckOptions, unsafe: bool, as_json: bool) -> int:
    """Give a verdict on one change of your checkout: does it do what it says, and did it break anything?

    CHANGE is a commit, a branch, BASE..REVISION, a patch, or an agent's session. Without it, your uncommitted changes
    are checked, or else the latest commit. The tests run before and after the change, small faults planted at its
    lines test the tests, and its claims are compared with what was measured. Everything runs in sandboxes, without a
    model, and offline unless you give --install. Run the same command again to resume. Exit code 0: nothing speaks
    against the change. 1: something does. 4: cannot tell.
    """
    from honestly.check._change import opened_change

    if options.map:
        return _show_map(change, options, as_json=as_json)
    if options.mcp:
        from honestly.check._beside import check_server

        check_server(options.repo).run("stdio")
        return 0
    if options.hook:
        return _answer_hook(options, unsafe=unsafe)
    issue = options.issue.read_bytes()[:_MOST_WORDS].decode("utf-8", "replace") if options.issue else ""
    with opened_change(
        options.repo, change, claim=options.claim, issue=issue, session=options.session, root=options.root
    ) as found:
        result = _checked(found, options, quiet=as_json, unsafe=unsafe)
    from honestly.check import _outputs
    from honestly.work import write_file

    for place, made in (
        (options.markdown, _outputs.check_markdown),
        (options.sarif, _outputs.check_sarif),
        (options.junit, _outputs.check_junit),
        (options.html, _outputs.check_page),
    ):
        if place is not None:
            write_file(place, made(result).encode())
    if options.study is not None:
        _keep_for_viewer(options.study, result)
    if as_json:
        print_json(result.to_plain())
    elif options.area is not None:
        show(result.details(options.area), wrap=False)
    else:
        show(result)
    return result.exit_code


def _keep_for_viewer(place: Path, found: CheckResult) -> None:
    """Keeps a check in a study, beside the trials whose trajectory is the session of the change."""
    from honestly.errors import FormatError
    from honestly.store import open_study

    steps = found.change.session.steps if found.change.session is not None else ()
    with open_study(place, "write") as study:
        trials = [
            trial for trial in study.trial_ids()
            if (info := study.trajectory_info(trial)) is not None and info.steps == len(steps)
            and steps and tuple(study.steps(trial)) == tuple(steps)
        ]  # fmt: skip
        if not trials:
            raise FormatError(
                f"{place} has no trial with the session of this change; name the session's log with --session, and "
                f"import it first: honestly study import LOG --out {place}"
            )
        for trial in trials:
            study.keep(f"check {trial}", {"sentence": found.sentence, "title": found.title, **found.to_plain()})


def _answer_hook(options: CheckOptions, *, unsafe: bool) -> int:
    import json
    import sys
    from dataclasses import replace

    from honestly.check._beside import hook_answer
    from honestly.check._change import opened_change
    from honestly.errors import FormatError

    def checked(place: Path, log: Path | None, words: str) -> CheckResult:
        how = replace(options, repo=place, session=None)
        for session in (log, None) if log is not None else (None,):
            try:
                with opened_change(place, claim=words, session=session, root=options.root) as found:
                    return _checked(found, how, quiet=True, unsafe=unsafe)
            except FormatError:
                if session is None:
                    raise
        raise AssertionError

    try:
        given = json.loads(sys.stdin.read() or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise click.UsageError("--hook expects on standard input the JSON object that an agent's stop hook is given")
    records = (options.out or _state_folder()) / "hook.jsonl"
    if answer := hook_answer(given, checked, records):
        click.echo(json.dumps(answer, ensure_ascii=False))
    return 0


def _show_map(revision: str, options: CheckOptions, *, as_json: bool) -> int:
    from honestly.check._change import head_of
    from honestly.check._map import weight_map
    from honestly.check._map_picture import map_page
    from honestly.command import print_answer
    from honestly.git import git_folders
    from honestly.taskgen import open_repository
    from honestly.work import write_file

    folders = git_folders(options.repo)
    top = folders.top if folders is not None else options.repo
    with open_repository(top, options.root) as repository:
        found = weight_map(repository, revision or head_of(repository, top), top / options.root)
    if options.html is not None:
        write_file(options.html, map_page(found.files).encode())
    if options.write_policy is not None:
        write_file(options.write_policy, found.policy_text.encode())
    print_answer(found, as_json=as_json)
    return 0


def _checked(found: Change, options: CheckOptions, *, quiet: bool, unsafe: bool) -> CheckResult:
    from functools import partial

    import anyio

    from honestly._group import flat_group
    from honestly.audit.languages._code import parsers_in
    from honestly.check._check import CheckTerms, check_change, folder_name, read_remarks
    from honestly.check._kept import KeptParts
    from honestly.check._suite import open_suite
    from honestly.errors import TaskError
    from honestly.git import git_folders
    from honestly.records import digest
    from honestly.sandbox import open_sandbox
    from honestly.work import Journal

    if not found.paths:
        raise TaskError(
            f"{found.name or 'HEAD'} changes no file; expected a change, such as a commit, BASE..REVISION or a patch"
        )
    folders = git_folders(options.repo)
    top = (folders.top if folders is not None else options.repo) / options.root
    box = partial(open_sandbox, unsafe=unsafe)
    tell = _Progress(quiet=quiet or options.area is not None)
    how = digest(options.test, str(options.env), options.install, options.mutants, options.seed)[:8]
    folder = (options.out or _state_folder()) / f"{folder_name(found)}-{how}"
    terms = CheckTerms(
        mutants=options.mutants,
        seconds=options.seconds,
        jobs=options.jobs,
        seed=options.seed,
        installed=options.install,
    )

    async def go() -> CheckResult:
        async with flat_group() as group:
            group.start_soon(tell.go_on)
            result = await measured()
            group.cancel_scope.cancel()
        return result

    async def measured() -> CheckResult:
        suite: ProjectSuite | str
        await read_remarks(found, kept, tell)
        try:
            tell("installing what the tests need" if options.install else "looking for what the tests need")
            suite = await open_suite(
                found, top, box, command=options.test, environment=options.env, install=options.install, unsafe=unsafe,
                kept=kept,
            )  # fmt: skip
        except TaskError as error:
            suite = str(error)
        result = await check_change(found, suite, terms, kept, tell, _again(found.name, options, unsafe=unsafe))
        if options.write_tests is not None:
            await _write_tests(options, suite, result, kept, tell)
        return result

    with ExitStack() as stack:
        journal = stack.enter_context(Journal(folder / "check.jsonl", kind="check"))
        stack.enter_context(parsers_in(unsafe=unsafe))
        kept = KeptParts(journal)
        result = anyio.run(go)
    if options.bundle is not None:
        _write_bundle(options, result, (folder / "check.jsonl").read_bytes())
    return result


async def _write_tests(
    options: CheckOptions, suite: ProjectSuite | str, found: CheckResult, kept: KeptParts, tell: Tell
) -> None:
    from honestly.check._check import more_tests
    from honestly.models import RetryModel, make_model
    from honestly.work import write_file

    place, model = options.write_tests, RetryModel(make_model(options.model)) if options.model else None
    if place is None or isinstance(suite, str):
        say_on_stderr(f"no test was written: {suite}")
        return
    written = await more_tests(found.change, suite, found, kept, tell, options.seed, model)
    for each in written:
        if each.note:
            say_on_stderr(f"no test was written: {each.note}")
    if not any(each.text for each in written):
        return
    write_file(place, "".join(each.patch for each in written).encode())
    count = len({key for each in written for keys in each.kills.values() for key in keys})
    say_on_stderr(
        f"wrote {plural_text(sum(len(each.kills) for each in written), 'test')} to {place}, for "
        f"{plural_text(count, 'fault')} that no test noticed: git apply {place}"
    )
    for name, message in [pair for each in written for pair in each.against.items()]:
        say_on_stderr(f"also wrote {name}, which fails on the change: {printable_text_line(message)[:200]}")


def _write_bundle(options: CheckOptions, found: CheckResult, journal: bytes) -> None:
    from honestly.check._bundle import sign_bundle
    from honestly.check._rerun import write_check_bundle

    assert options.bundle is not None
    how = {name: getattr(options, name) for name in _BUNDLED}
    write_check_bundle(options.bundle, found, how, journal)
    signed = f", signed by {sign_bundle(options.bundle, options.sign)}" if options.sign is not None else ""
    say_on_stderr(f"the check is in {options.bundle}{signed}; again: honestly rerun {options.bundle}")


@click.command()
@click.argument("bundle", type=_FILE)
@click.option("--signers", type=_FILE, help="The allowed signers, in ssh-keygen's format.")
@click.option("--sign", type=_FILE, metavar="KEY", help="Sign the bundle with this SSH key instead.")
@click.option("--env", type=_FOLDER, help="The Python environment of the tests.  [default: ours]")
@click.option(
    "--most", type=click.IntRange(0), default=200, show_default=True, help="How many trials of a study to judge again."
)
@unsafe_option
@json_option
def rerun(
    bundle: Path, signers: Path | None, sign: Path | None, env: Path | None, most: int, unsafe: bool, as_json: bool
) -> int:
    """Rerun what is in BUNDLE (a check, a study or a hunt's findings), and say whether the results are the same.

    honestly check --bundle, honestly export --to bundle and honestly bench hunt --bundle write bundles. Every byte is
    first compared with the bundle's statement. Exit code 0: everything came out the same. 1: something did not. 2: the
    bundle was changed.
    """
    from functools import partial
    from tempfile import TemporaryDirectory

    import anyio

    from honestly.check import _bundle, _rerun
    from honestly.command import print_answer

    if sign is not None:
        say_on_stderr(f"{bundle} is signed by {_bundle.sign_bundle(bundle, sign)}")
        return 0
    opened = _bundle.read_bundle(bundle)
    who = _bundle.bundle_signers(opened, signers)
    if opened.kind == "study":
        result = anyio.run(partial(_rerun.rerun_study, opened, who, most, unsafe=unsafe))
    elif opened.kind == "hunt":
        from honestly.check._rerun_hunt import rerun_hunt

        result = anyio.run(partial(rerun_hunt, opened, who, unsafe=unsafe))
    elif opened.kind == "check":
        change, how = _rerun.change_of(opened)
        with TemporaryDirectory() as folder:
            nothing = dict.fromkeys(CheckOptions.__dataclass_fields__)
            options = CheckOptions(**{**nothing, **how, "repo": Path(folder), "out": Path(folder, "kept"), "env": env})
            result = _rerun.compared_check(opened, _checked(change, options, quiet=as_json, unsafe=unsafe), who)
    else:
        raise _rerun.kind_error(opened)
    print_answer(result, as_json=as_json)
    return 0 if result.same else 1


@click.command()
@click.argument("suite")
@click.option("--out", "-o", required=True, type=_PLACE, help="The folder to write.")
@click.option("--task", "names", multiple=True, metavar="ID", help="Use only this task of SUITE. Repeatable.")
@click.option("--seed", default=0, show_default=True, help="Seed of the draw.")
@unsafe_option
@json_option
def review_suite(suite: str, out: Path, names: tuple[str, ...], seed: int, unsafe: bool, as_json: bool) -> None:
    """Write a suite of code reviews: changes made of the tasks of SUITE, half of them with a planted defect.

    A reviewer accepts or rejects each change. The hidden checks of SUITE prove which is right. honestly report --by
    category then shows both rates. See docs/check.md.
    """
    from functools import partial

    import anyio

    from honestly.check._review import review_tasks
    from honestly.errors import TaskError
    from honestly.sandbox import open_sandbox
    from honestly.tasks import load_suite, write_task
    from honestly.work import write_file

    if out.exists():
        raise TaskError(f"{out} exists; the suite is written into a new folder")
    loaded = load_suite(suite)
    tasks = [task for task in loaded.tasks if not names or task.id in names]
    if unknown := set(names) - {task.id for task in tasks}:
        raise TaskError(f"{suite} has no task {min(unknown)!r}")
    count = 0
    for task in tasks:
        made = anyio.run(partial(review_tasks, task, seed, partial(open_sandbox, unsafe=unsafe)))
        for each in made:
            write_task(out / each.id, each)
        count += len(made)
        say_on_stderr(f"{task.id}: {plural_text(len(made), 'review')}")
    if not count:
        raise TaskError(f"{suite} has no task in Python with a reference, visible tests and hidden checks")
    write_file(out / "suite.toml", f'name = "{loaded.name}-reviews"\nversion = "{loaded.version}"\n'.encode())
    if as_json:
        print_json({"out": str(out), "tasks": count})


def _again(name: str, options: CheckOptions, *, unsafe: bool) -> str:
    """The command that says more of the same check."""
    given = {
        "--repo": options.repo if options.repo != Path() else "", "--root": options.root, "--claim": options.claim,
        "--issue": options.issue, "--session": options.session, "--test": options.test, "--env": options.env,
        "--out": options.out,
        "--mutants": options.mutants if options.mutants != _MUTANTS else "", "--seed": options.seed or "",
    }  # fmt: skip
    words = [name, *(word for option, value in given.items() if value for word in (option, str(value)))]
    words += [*(["--install"] if options.install else []), *(["--unsafe-no-sandbox"] if unsafe else [])]
    return shlex.join(["honestly", "check", *filter(None, words)])


def _state_folder() -> Path:
    from honestly.work import user_folder

    return user_folder("state") / "checks"


class _Progress:
    """Says what is being done, and every half a minute that it still is."""

    def __init__(self, *, quiet: bool) -> None:
        from time import monotonic

        self._quiet, self._clock, self._start = quiet, monotonic, monotonic()
        self._words, self._at = "", self._start

    def __call__(self, words: str) -> None:
        self._words, self._at = words, self._clock()
        if not self._quiet:
            say_on_stderr(f"{self._at - self._start:5.0f} s  {words}")

    async def go_on(self) -> None:
        """Until it is cancelled."""
        import anyio

        while True:
            await anyio.sleep(5)
            if self._clock() - self._at > _SILENT_S:
                self(f"{self._words.removesuffix(_STILL)}{_STILL}")
