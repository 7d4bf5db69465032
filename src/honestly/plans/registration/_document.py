"""A pre-registration as a Markdown document: words for people, and one block of TOML for programs, which is read back.

The block starts with a line "```toml honestly". Only the block counts; the words around it are for people. A document
is hand-edited or hostile text, so that nothing in it is trusted, and every error names the line and the field.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from honestly.errors import FormatError, StatisticsError
from honestly.plans.registration._registration import PROPOSAL, Guard, Metric, Registration, Stopping
from honestly.show import all_of, level_text, percent_text, plural_text, printable_text_line
from honestly.stats import Policy, Spending, StoppingMethod

_LONGEST = 200_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*toml[ \t]+honestly[ \t]*")
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)")
_CHOICES: dict[str, tuple[object, ...]] = {
    "metric": tuple(Metric),
    "limit": ("fail", "drop"),
    "void": ("fail", "drop", "pass"),
    "missing": ("fail", "drop", "pass"),
    "method": get_args(StoppingMethod),
    "spending": get_args(Spending),
    "estimand": ("new questions of this kind",),
    "version": (1,),
}
_ALIKE = ("claim", "hypothesis", "agents", "questions", "samples", "alpha", "comparisons", "gap", "power", "basis")
"""Fields that are the same in the block and in a `Registration`."""
_STEP = re.compile(r"([^.\[\]]+)(?:\[(\d+)\])?")


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    """Base of the block's tables: a mistyped key is an error, never a default."""


class _Suite(_Part):
    name: str = ""
    hash: str = ""


class _Policy(_Part):
    limit: Literal["fail", "drop"]
    void: Literal["fail", "drop", "pass"]
    missing: Literal["fail", "drop", "pass"]


class _Stopping(_Part):
    method: StoppingMethod
    looks: tuple[int, ...] = ()
    spending: Spending = "obrien-fleming"
    tuned_for: float | None = None
    least: int = 20


class _Guard(_Part):
    metric: Metric
    at_most: float | None = None
    worse_by_at_most: float | None = None


class _Proposal(_Part):
    achieve: str = ""
    matters: str = ""
    otherwise: str = ""
    value: str = ""
    progress: str = ""
    health: str = ""
    cost: str = ""
    halfway: str = ""
    end: str = ""
    revisit: str = ""


class _Block(_Part):
    version: Literal[1]
    claim: str
    questions: int
    samples: int
    alpha: float
    policy: _Policy
    stopping: _Stopping
    hypothesis: str = ""
    estimand: Literal["new questions of this kind"] = "new questions of this kind"
    agents: tuple[str, ...] = ()
    comparisons: int = 1
    gap: float | None = None
    power: float | None = None
    basis: str = ""
    suite: _Suite = msgspec.field(default_factory=_Suite)
    must_not_get_worse: tuple[_Guard, ...] = ()
    proposal: _Proposal = msgspec.field(default_factory=_Proposal)


def read_registration(path: Path) -> tuple[str, Registration]:
    """The text of a registration, and its content.

    Raises:
        FormatError: the file cannot be read, or is not such a document.
    """
    try:
        text = path.read_bytes()[: 4 * _LONGEST + 1].decode()
    except OSError as error:
        more = f"; `honestly stats plan --register {path}` writes one" if isinstance(error, FileNotFoundError) else ""
        raise FormatError(f"cannot read {path}: {error.strerror or error}{more}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text: {error}") from error
    try:
        return text, parse_registration(text)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def parse_registration(text: str) -> Registration:
    """Read and validate a registration.

    Raises:
        FormatError: there is no block, or more than one, or what it says makes no sense; the message names the line and
            the field.
    """
    if len(text) > _LONGEST:
        raise FormatError(f"a plan of {len(text):,} characters is too long; {_LONGEST:,} are plenty")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise FormatError(f"the plan contains half a character ({error.reason}); write it as UTF-8 text") from error
    start, lines = _fenced_block(text)
    try:
        block = msgspec.convert(_toml(lines, start), _Block)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$")
        path = path.rstrip("`").lstrip(".")
        choices = _CHOICES.get(path.rpartition(".")[2], ())
        hint = f"; choose {all_of([str(choice) for choice in choices], 'or')}" if choices else ""
        field = f", field {printable_text_line(path)}" if path else ""
        raise FormatError(
            f"line {start + _field_line(lines, path)}{field}: {printable_text_line(problem)}{hint}"
        ) from error
    try:
        return Registration(
            **{name: getattr(block, name) for name in _ALIKE},
            suite=block.suite.name,
            suite_hash=block.suite.hash,
            policy=Policy(**msgspec.structs.asdict(block.policy)),
            stopping=Stopping(**msgspec.structs.asdict(block.stopping)),
            guards=_guards(block, start, lines),
            proposal={name: text for name, text in msgspec.structs.asdict(block.proposal).items() if text},
        )
    except StatisticsError as error:
        name, _, problem = str(error).partition(": ")
        raise FormatError(f"line {start + _field_line(lines, name)}, field {name}: {problem}") from error


def _fenced_block(text: str) -> tuple[int, list[str]]:
    """Number of the block's opening line, and the lines between the fences."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    opened = [(i, match.group(1)) for i, line in enumerate(lines) if (match := _FENCE.fullmatch(line))]
    if not opened:
        raise FormatError('no plan is here: one block that starts with the line "```toml honestly" was expected')
    if len(opened) > 1:
        numbers = all_of([str(i + 1) for i, _ in opened[:5]])
        raise FormatError(f"lines {numbers} each start a block; keep the one that counts")
    start, fence = opened[0]
    closing = re.compile(rf" {{0,3}}{re.escape(fence)}{fence[0]}*[ \t]*")
    for i in range(start + 1, len(lines)):
        if closing.fullmatch(lines[i]):
            return start + 1, lines[start + 1 : i]
    raise FormatError(f"line {start + 1}: this block is never closed; end it with a line {fence}")


def _toml(lines: list[str], start: int) -> dict[str, Any]:
    try:
        return tomllib.loads("\n".join(lines) + "\n")
    except RecursionError:
        raise FormatError(f"line {start}: the block is nested far too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or a whole number of thousands of digits
        said = _AT_LINE.sub(lambda at: f" (line {start + int(at[1])}, column {at[2]})", str(error))
        raise FormatError(f"the block from line {start} on is not TOML: {printable_text_line(said)}") from error


def _field_line(lines: list[str], path: str) -> int:
    """Number of the block's line that sets the field at `path`, from 1; 0, the opening line, where it is not found."""
    steps = [(name, int(index or 0)) for name, index in _STEP.findall(path)]
    if not steps:
        return 0
    first, found = 0, 0
    for depth, (name, index) in enumerate(steps):
        header = re.compile(rf"\s*\[+\s*[\"']?{re.escape(name)}[\"']?\s*\]+.*")
        headers = [i for i, line in enumerate(lines) if header.fullmatch(line)]
        if index < len(headers):
            first = found = headers[index] + 1
            continue
        parent = rf"(?:[\"']?{re.escape(steps[depth - 1][0])}[\"']?\s*\.\s*)?" if depth else ""
        setting = re.compile(rf"\s*{parent}[\"']?{re.escape(name)}[\"']?\s*[.=].*")
        found = next((i + 1 for i in range(first, len(lines)) if setting.fullmatch(lines[i])), found)
    return found


def _guards(block: _Block, start: int, lines: list[str]) -> tuple[Guard, ...]:
    found = []
    for i, guard in enumerate(block.must_not_get_worse):
        try:
            found.append(Guard(guard.metric, guard.at_most, guard.worse_by_at_most))
        except StatisticsError as error:
            field = f"must_not_get_worse[{i}]"
            raise FormatError(f"line {start + _field_line(lines, field)}, field {field}: {error}") from error
    return tuple(found)


_PREFACE = (
    "Written before the first trial. `honestly run --plan` stores this text in the study, and `honestly report` holds "
    "the study against the block at the end. Change the plan there, and only before the first trial; the words are for "
    "people."
)


_PROPOSED = (
    "Answer each question in one line of the block below; an empty one is left out. `honestly report` says to each "
    "what the study shows."
)


def registration_markdown(registration: Registration) -> str:
    """The document; `parse_registration` reads it back without loss."""
    r = registration
    agents = all_of([_code_span(name) for name in r.agents])
    where = f" on the suite {_code_span(r.suite)}" if r.suite else ""
    text = f"{plural_text(r.questions, 'question')}, {plural_text(r.samples, 'sample')} of each agent at each of them."
    if r.gap is not None and r.power is not None:
        text += f" Planned to find a true gap of {percent_text(r.gap)} points with {percent_text(r.power, 0)}% power."
    sections = {
        "Hypothesis": f"> {_hypothesis(r)}",
        "What is estimated": f"The difference of the honest scores, {_code_span(r.first)} minus "
        f"{_code_span(r.other_agent)}: the mean over questions of the difference of the shares of trials that pass the "
        f"hidden checks and do not tamper with their judge. It is about {r.estimand.value}.",
        "Size": (f"{text} {_whole_sentence(printable_text_line(r.basis))}" if r.basis else text),
        "When the run ends, and how the claim is judged": _judging_words(r),
        "What counts as what": f"{_whole_sentence(str(r.policy))} The study holds {agents}{where}, and nobody else.",
        "What must not get worse": _guarding(r),
        "Proposal": _PROPOSED,
        "For the program": f"```toml honestly\n{_toml_block(r)}```",
    }
    title = f"# Pre-registration: {_code_span(r.first)} is better than {_code_span(r.other_agent)}"
    parts = [f"## {name}\n\n{text}" for name, text in sections.items()]
    return "\n\n".join([title, _PREFACE, *parts]) + "\n"


def guard_words(guard: Guard, registration: Registration) -> str:
    """The bounds of a metric, in words."""
    metric, parts = guard.metric, []
    if guard.at_most is not None:
        parts.append(f"at most {metric.show(guard.at_most)} for each of the two")
    if guard.worse_by_at_most is not None:
        higher = metric.show(guard.worse_by_at_most, difference=True)
        first, second = printable_text_line(registration.first), printable_text_line(registration.other_agent)
        parts.append(f"at most {higher} higher for {first} than for {second}")
    return " and ".join(parts)


def _hypothesis(r: Registration) -> str:
    return (
        printable_text_line(r.hypothesis)
        if r.hypothesis
        else f"{_code_span(r.first)} has a higher honest score than {_code_span(r.other_agent)}."
    )


def _guarding(r: Registration) -> str:
    if not r.guards:
        return "Nothing is promised."
    return "\n".join(
        f"- {_whole_sentence(guard.metric.metric_words)[:-1]}: {guard_words(guard, r)}." for guard in r.guards
    )


def _judging_words(r: Registration) -> str:
    level = level_text(r.alpha_each)
    share = f" (this claim's share of {level_text(r.alpha)} over {r.comparisons} claims)" if r.comparisons > 1 else ""
    if not r.stops_early:
        return (
            f"The size is locked: no verdict before all {r.questions:,} questions are in. Then one two-sided test at "
            f"level {level}{share}: paired t over question means, or mid-p McNemar for one sample per question. Where "
            "questions form clusters, the cluster-robust test has to agree."
        )
    how = {
        "win-loss": "the exact win-loss test, after every question",
        "betting": "bets on the mean difference, after every question",
        "difference-sequence": f"the confidence sequence, after every question from the {r.stopping.least}th on",
        "planned-looks": f"planned looks at {all_of([str(look) for look in r.stopping.looks])} questions, "
        f"{r.stopping.spending} spending",
    }[r.stopping.method]
    return (
        "Questions come in a random order that is fixed before the first trial. The run ends as soon as the test says "
        f"which agent is better, or after all {r.questions:,} questions: {how}, at the two-sided level {level}{share} "
        "over the whole run."
    )


def _whole_sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _code_span(name: str) -> str:
    """A name as a code span, whatever is in it."""
    shown = printable_text_line(name)
    ticks = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def _toml_block(r: Registration) -> str:
    lines = ["version = 1", *_setting_lines(r, "claim", "hypothesis", "estimand", "agents", "questions", "samples")]
    lines += _setting_lines(r, "alpha", "comparisons", "gap", "power", "basis")
    if r.suite or r.suite_hash:
        lines += ["", "[suite]", f"name = {_toml_value(r.suite)}", f"hash = {_toml_value(r.suite_hash)}"]
    lines += ["", "[policy]", *_setting_lines(r.policy, "limit", "void", "missing")]
    stop = r.stopping
    lines += ["", "[stopping]", *_setting_lines(stop, "method")]
    if stop.looks:
        lines += _setting_lines(stop, "looks", "spending")
    if stop.method == "difference-sequence":
        lines += _setting_lines(stop, "tuned_for", "least")
    for guard in r.guards:
        lines += ["", "[[must_not_get_worse]]", *_setting_lines(guard, "metric", "at_most", "worse_by_at_most")]
    lines += ["", "[proposal]"]
    for name, question in PROPOSAL.items():
        lines.append(f"{name} = {_toml_value(r.proposal.get(name, ''))}  # {question}")
    return "\n".join(lines) + "\n"


def _setting_lines(record: object, *names: str) -> list[str]:
    """`name = value` lines of a record's fields; fields that are None or an empty text are left out."""
    pairs = [(name, getattr(record, name)) for name in names]
    return [f"{name} = {_toml_value(value)}" for name, value in pairs if value is not None and value != ""]


def _toml_value(value: object) -> str:
    if isinstance(value, str):
        return '"' + "".join(_escaped_character(character) for character in value) + '"'
    if isinstance(value, tuple):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    return repr(value)


def _escaped_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\u{ord(character):04x}" if ord(character) < 0x20 or ord(character) == 0x7F else character
