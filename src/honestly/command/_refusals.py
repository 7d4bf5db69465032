"""Refusals of the command-line parser, each with what was found, what was expected and what to do."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

_PATH = re.compile(
    r"(File|Directory|Path) '(.*)' (does not exist|is a file|is a directory|is not (?:read|writ)able)\.", re.DOTALL
)

_ELSEWHERE = {
    **dict.fromkeys(("--limit", "--max-samples", "--n-tasks", "--num-tasks", "--sample"), "--draw --limit"),
    **dict.fromkeys(
        ("--epochs", "--repeat", "--repeats", "--n", "--num-samples", "--trials", "--attempts"), "--samples"
    ),
    **dict.fromkeys(("--max-cost", "--cost-limit", "--max-usd", "--token-limit", "--time-limit"), "--budget"),
    **dict.fromkeys(
        ("--max-connections", "--workers", "--concurrency", "--num-workers", "--parallel", "--threads", "-n"), "--jobs"
    ),
    **dict.fromkeys(("--n-concurrent",), "--jobs"),
    **dict.fromkeys(("--dest", "--output-dir", "--output-path", "--log-dir", "--save"), "--out"),
    **dict.fromkeys(("--csv", "--type"), "--to --json"),
    **dict.fromkeys(("--debug", "--log-level"), "--log"),
    **dict.fromkeys(("--threshold", "--min-score"), "--at-least"),
    "--max-tokens": "--trial-tokens",
    "--no-sandbox": "--unsafe-no-sandbox",
    "--docker": "--sandbox",
    "--password": "--password-file",
    **dict.fromkeys(("--filter", "--include", "--id", "--task-id", "--task-name", "--tasks"), "--task"),
    **dict.fromkeys(("--confidence", "--ci", "--level"), "--alpha"),
    **dict.fromkeys(("--agents", "--scaffold", "--solver"), "--agent"),
    **dict.fromkeys(("--models", "--model-name", "--llm"), "--model"),
    "--model": "--monitor",
    **dict.fromkeys(("--verbose", "--details", "--all"), "--log --details --full"),
    **dict.fromkeys(("--failed", "--failures", "--errors", "--passed", "--status"), "--outcome"),
    **dict.fromkeys(("--timeout", "--max-time"), "--budget"),
    **dict.fromkeys(("--retries", "--max-retries", "--retry"), "--attempts"),
    **dict.fromkeys(("--name", "--run-name", "--label"), "--tag"),
    **dict.fromkeys(("--fail-fast", "--fail-on-error", "--maxfail"), "--breaker"),
    **dict.fromkeys(("--random-seed", "--random-state"), "--seed"),
    **dict.fromkeys(("--dryrun", "--plan-only"), "--dry-run"),
    "--output": "--out --html --json",
    "--format": "--to --json",
}
"""What other programs call an option: the first of ours that the command has is named."""

_SAID = {
    **dict.fromkeys(("--timeout", "--time-limit", "--max-time"), "Limit each trial with -a AGENT:max-seconds=600."),
    **dict.fromkeys(("--temperature", "--top-p"), "It is a setting of the agent: -a honest:temperature=0."),
    **dict.fromkeys(("--prompt", "--system-prompt"), "It is a setting of the agent: -a honest:prompt=FILE."),
    **dict.fromkeys(("--max-steps", "--max-turns"), "Limit each trial with -a AGENT:max-turns=50."),
    **dict.fromkeys(("--base-url", "--api-base"), "Name the address in the model: -m http://HOST:PORT/v1#NAME."),
    "--api-key": "Keys come from the environment; `honestly help models` names the variables.",
    **dict.fromkeys(("--force", "--overwrite"), "Another --out starts over; the same one goes on."),
    **dict.fromkeys(("--resume", "--continue"), "The same command goes on where it stopped."),
    **dict.fromkeys(("--quiet", "--silent"), "Redirect standard error (2>/dev/null) to hide the progress."),
}
"""What `run` answers to options of other programs that no option of its own is."""


def same_letters(word: str, known: Iterable[str], likeness: float = 0.8) -> list[str]:
    """The known words that are probably meant by a mistyped one, nearest first."""
    from difflib import get_close_matches

    bare = {each.strip("-"): each for each in known}
    swapped = [each for each in bare if sorted(each) == sorted(word.strip("-"))]
    return [bare[each] for each in swapped or get_close_matches(word.strip("-"), bare, cutoff=likeness)]


def explain_refusal(error: click.UsageError, ctx: click.Context) -> None:
    """Rewrites what click says when it parses the words of a command."""
    error.ctx = error.ctx or ctx
    vars(error)["message"] = _explained(error, ctx) or error.message


def _explained(error: click.UsageError, ctx: click.Context) -> str:
    if isinstance(error, click.MissingParameter):
        return error.message or _expected(error.param, ctx)
    if isinstance(error, click.BadParameter):
        return _plain_number(error) or _plain_path(error, ctx) or _plain_choice(error)
    if isinstance(error, click.NoSuchOption):
        words = {name for param in ctx.command.params for name in param.opts}
        if error.option_name in _SAID and "--samples" in words:
            vars(error)["possibilities"] = []
            return f"No such option {error.option_name!r}. {_SAID[error.option_name]}"
        if ours := next((each for each in _ELSEWHERE.get(error.option_name, "").split() if each in words), ""):
            vars(error)["possibilities"] = [ours]
            return f"No such option {error.option_name!r}."
        vars(error)["possibilities"] = same_letters(error.option_name, error.possibilities or ())
        return "" if error.possibilities else f"{error.message} {ctx.command_path} --help-all lists all options."
    if isinstance(error, click.BadOptionUsage) and "requires" in error.message:
        param = next((each for each in ctx.command.params if error.option_name in each.opts), None)
        many = f"{param.nargs} values" if param is not None and param.nargs > 1 else "a value"
        return f"{error.option_name} needs {many}. {_expected(param, ctx)}".rstrip()
    found = re.match(r"Got unexpected extra arguments? \((.*)\)", error.message, re.DOTALL)
    if found is None:
        return ""
    pieces = (param.make_metavar(ctx) for param in ctx.command.params if isinstance(param, click.Argument))
    most = " ".join(filter(None, pieces))
    return (
        f"Unexpected argument {found[1]!r}; expected {f'only {most}' if most else 'options only'}. "
        "Put quotes around a value that contains spaces."
    )


def _expected(param: click.Parameter | None, ctx: click.Context) -> str:
    """What is expected for a parameter: an option's help, or what the help of a command says of its argument."""
    if isinstance(param, click.Option):
        words = {"INTEGER RANGE": "NUMBER", "FLOAT RANGE": "NUMBER", "INTEGER": "NUMBER", "FLOAT": "NUMBER"}
        name = param.make_metavar(ctx)
        return f"Expected {param.opts[0]} {words.get(name, name)}: {(param.help or '').partition('  [')[0]}"
    if param is None:
        return ""
    name = param.make_metavar(ctx).strip("[].").split("]")[0]
    text = " ".join((ctx.command.help or "").split())
    if found := re.search(rf"(?:^|[.;] ){re.escape(name)} (?:is|are|has|contains?) .*?\.(?=\s|$)", text):
        return found[0].lstrip(".; ")
    found = re.match(r".*?\.(?=\s|$)", text)
    return f"`{ctx.command_path} {name}`: {found[0]}" if found else ""


def _plain_number(error: click.BadParameter) -> str:
    kind = getattr(error.param, "type", None)
    found = re.match(r"(.+) is not a valid (?:integer|float)|(.+) is not in the range", error.message)
    if found is None:
        return ""
    ends = "".join(
        f" {word} {end:g}"
        for word, end in (("from", getattr(kind, "min", None)), ("to", getattr(kind, "max", None)))
        if end is not None
    )
    opened = (
        ", ends excluded" if ends and (getattr(kind, "min_open", False) or getattr(kind, "max_open", False)) else ""
    )
    whole = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    return f"found {found[1] or found[2]}; expected {whole}{ends}{opened}"


def _plain_path(error: click.BadParameter, ctx: click.Context) -> str:
    if (found := _PATH.fullmatch(error.message)) is None:
        return ""
    kind, path, trouble = (
        {"File": "file", "Directory": "folder", "Path": "file or folder"}[found[1]],
        *found.groups()[1:],
    )
    meaning = _expected(error.param, ctx) if isinstance(error.param, click.Argument) else ""
    given = bool(getattr(getattr(error.param, "type", None), "exists", False))
    if trouble == "does not exist":
        if re.match(r"https?://|git@", path):
            return f"found an address, {path!r}; expected a {kind} on this machine: clone or download it first"
        return f"there is no {kind} {path!r}{_near(path)}. {meaning or 'Check the path.'}"
    if trouble == "is a file":
        to_do = "" if given else "; name another, which is made if it is missing"
        return f"found a file, {path!r}; expected a folder{to_do}. {meaning}".rstrip()
    if trouble == "is a directory":
        to_do = "" if given else f": add a file's name, such as {path.rstrip('/')}/NAME"
        return f"found a folder, {path!r}; expected a file{to_do}. {meaning}".rstrip()
    verb = "read" if trouble == "is not readable" else "write"
    return f"found {path!r}, which you have no permission to {verb}; change it with chmod, or name another {kind}"


def _near(path: str) -> str:
    """A file next to the path with a similar name."""
    from honestly.seams import did_you_mean

    names: list[str] = []
    with suppress(OSError):
        names = [str(each) for each in Path(path).parent.iterdir()]
    return did_you_mean(str(Path(path)), names)


def _plain_choice(error: click.BadParameter) -> str:
    choices = getattr(getattr(error.param, "type", None), "choices", ())
    found = re.match(r"'(.*)' is not (?:one of )?'", error.message, re.DOTALL)
    if found is None or not choices:
        return ""
    from honestly.seams import did_you_mean

    known = [str(each) for each in choices if each != ""]
    near = did_you_mean(found[1], known)
    return f"found {found[1]!r}{near}; expected {', '.join(known[:-1])}{' or ' if known[:-1] else ''}{known[-1]}"
