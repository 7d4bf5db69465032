"""Writing a pre-registration as a Markdown document: words for people, then one block of TOML for programs.

Everything is written from the same `Registration`, so that words and block agree until somebody edits them; from then
on the block counts (`_registration_read.py`).
"""

import re

from honestly.report._text import all_of, level_text, percent, plural, printable
from honestly.report.registration._registration import Guard, Registration

_PREFACE = (
    "Written before the first trial. `honestly run --plan` stores this text in the study, and `honestly report` holds "
    "the study against the block at the end. Change the plan there, and only before the first trial; the words are for "
    "people."
)


def registration_markdown(registration: Registration) -> str:
    """The document; `parse_registration` reads it back without loss."""
    r = registration
    sections = {
        "Hypothesis": f"> {_hypothesis(r)}",
        "What is estimated": _estimated(r),
        "Size": _size(r),
        "When the run ends, and how the claim is judged": _judging(r),
        "What counts as what": _counting(r),
        "What must not get worse": _guarding(r),
        "For the program": f"```toml honestly\n{_block(r)}```",
    }
    title = f"# Pre-registration: {_code(r.first)} is better than {_code(r.second)}"
    parts = [f"## {name}\n\n{text}" for name, text in sections.items()]
    return "\n\n".join([title, _PREFACE, *parts]) + "\n"


def guard_words(guard: Guard, registration: Registration) -> str:
    """The bounds of a metric, in words."""
    metric, parts = guard.metric, []
    if guard.at_most is not None:
        parts.append(f"at most {metric.show(guard.at_most)} for each of the two")
    if guard.worse_by_at_most is not None:
        higher = metric.show(guard.worse_by_at_most, difference=True)
        first, second = printable(registration.first), printable(registration.second)
        parts.append(f"at most {higher} higher for {first} than for {second}")
    return " and ".join(parts)


def _hypothesis(r: Registration) -> str:
    return (
        printable(r.hypothesis)
        if r.hypothesis
        else f"{_code(r.first)} has a higher honest score than {_code(r.second)}."
    )


def _estimated(r: Registration) -> str:
    return (
        f"The difference of the honest scores, {_code(r.first)} minus {_code(r.second)}: the mean over questions of "
        "the difference of the shares of trials that pass the hidden checks and do not tamper with their judge. It is "
        f"about {r.estimand.value}."
    )


def _counting(r: Registration) -> str:
    agents = all_of([_code(name) for name in r.agents])
    where = f" on the suite {_code(r.suite)}" if r.suite else ""
    return f"{_sentence(str(r.policy))} The study holds {agents}{where}, and nobody else."


def _guarding(r: Registration) -> str:
    if not r.guards:
        return "Nothing is promised."
    return "\n".join(f"- {_sentence(guard.metric.words)[:-1]}: {guard_words(guard, r)}." for guard in r.guards)


def _size(r: Registration) -> str:
    text = f"{plural(r.questions, 'question')}, {plural(r.samples, 'sample')} of each agent at each of them."
    if r.gap is not None and r.power is not None:
        text += f" Planned to find a true gap of {percent(r.gap)} points with {percent(r.power, 0)}% power."
    return f"{text} {_sentence(printable(r.basis))}" if r.basis else text


def _judging(r: Registration) -> str:
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
        "difference-sequence": f"the confidence sequence, after every question from the {r.stopping.least}th on",
        "planned-looks": f"planned looks at {all_of([str(look) for look in r.stopping.looks])} questions, "
        f"{r.stopping.spending} spending",
    }[r.stopping.method]
    return (
        "Questions come in a random order that is fixed before the first trial. The run ends as soon as the test says "
        f"which agent is better, or after all {r.questions:,} questions: {how}, at the two-sided level {level}{share} "
        "over the whole run."
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _code(name: str) -> str:
    """A name as a code span, whatever is in it."""
    shown = printable(name)
    ticks = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def _block(r: Registration) -> str:
    lines = ["version = 1", *_settings(r, "claim", "hypothesis", "estimand", "agents", "questions", "samples")]
    lines += _settings(r, "alpha", "comparisons", "gap", "power", "basis")
    if r.suite or r.suite_hash:
        lines += ["", "[suite]", f"name = {_value(r.suite)}", f"hash = {_value(r.suite_hash)}"]
    lines += ["", "[policy]", *_settings(r.policy, "limit", "void", "missing")]
    stop = r.stopping
    lines += ["", "[stopping]", *_settings(stop, "method")]
    if stop.looks:
        lines += _settings(stop, "looks", "spending")
    if stop.method == "difference-sequence":
        lines += _settings(stop, "tuned_for", "least")
    for guard in r.guards:
        lines += ["", "[[must_not_get_worse]]", *_settings(guard, "metric", "at_most", "worse_by_at_most")]
    return "\n".join(lines) + "\n"


def _settings(record: object, *names: str) -> list[str]:
    """`name = value` lines of a record's fields; fields that are None or an empty text are left out."""
    pairs = [(name, getattr(record, name)) for name in names]
    return [f"{name} = {_value(value)}" for name, value in pairs if value is not None and value != ""]


def _value(value: object) -> str:
    if isinstance(value, str):
        return '"' + "".join(_escaped(character) for character in value) + '"'
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return repr(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\u{ord(character):04x}" if ord(character) < 0x20 or ord(character) == 0x7F else character
