"""What a cell of a table says, however it is written: a number of any country, per cent, a fraction, in bold.

`0,85` and `1.234,5` are read, and so are `1,234.5`, `1'234` and `8/20`. A number that two countries read differently
(`5,400`) is none, unless other cells of its column, or the sign between cells, say which sign is the decimal one.
What stands beside a value is left out: its error, its interval, its change, a footnote, and a mark (\u2705) that does
not contradict it.
What a column's name says of its direction is here, too: of `wer` and `latency` less is better.

Not covered: numbers as words, and Roman or other digits than those of ASCII.
"""

import math
import re
from collections.abc import Iterable

_GROUPS = r"[1-9]\d{0,2}(?:%s\d{3})+"
_COMMA_GROUPS, _POINT_GROUPS = (re.compile(r"[-+]?" + _GROUPS % sign) for sign in (",", r"\."))
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?P<sign>[,.'\u2019 \u00a0\u202f])\d{3}(?:(?P=sign)\d{3})*(?P<rest>[.,]\d+)?")
_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
_POINT = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?")
_FRACTION = re.compile(r"\(?(\d{1,9}(?:\.\d{1,9})?)\s*(?:/|of|out of)\s*(\d{1,9}(?:\.\d{1,9})?)\)?", re.IGNORECASE)
# What says the same again: 17/20 (85%), 85% (17/20); of a whole number how much of all it is: 17 (85%).
_TWICE = re.compile(r"(?P<one>.*\S)\s*\((?P<other>[\d.,]+ ?%|\d+ ?/ ?\d+)\)")
# What is said of a share: 17/20 (slow).
_SAID = re.compile(r"(?P<value>[\d.,]+ ?(?:%|/ ?[\d.,]+))\s*\([^()]*[^\W\d][^()]*\)")
# Beside a value: its error, its change, notes.
_BESIDE = re.compile(
    r"(?P<value>.*[\d%*_])\s*(?:\(?(?:\u00b1|\+/-|\+-|\\pm)\s*[\d.,]+\s*%?\)?|"
    r"\([-+\u2191\u2193\u25b2\u25bc]\s*[\d.,]+\s*(?:%|pp|pts?|points)?\)|\\?[*\u2020\u2021\u00a7])"
)
_PLAIN = re.compile(r"[-+]?\d*\.?\d+ ?%?")
_RANGE = re.compile(
    r"(?P<value>.*[\d%*_])\s*[\[(]\s*(?P<low>[-+]?\d*\.?\d+) ?%?\s*(?:,|;|-|\u2013|to)\s*"
    r"(?P<high>\d*\.?\d+) ?%?\s*[\])]"
)
MARKS = dict.fromkeys(("\u2713", "\u2714", "\u2705", "\u2611", "\U0001f7e2", "\U0001f7e9", ":white_check_mark:"), True)
MARKS |= dict.fromkeys(("\u2717", "\u2718", "\u274c", "\u2716", "\U0001f534", "\U0001f7e5", ":x:"), False)
"""Signs for passed and failed."""
_MARK = re.compile("|".join([*MARKS, "\u26a0", "\U0001f7e1", "\U0001f7e0", "\u23ed", "\u23f8"]))
# Signs that only say that a value is good: stars, cups, medals.
_PRAISE = " \u2b50\u2605\ufe0f\U0001f3c6\U0001f947\U0001f948\U0001f949\U0001f451\U0001f525"
# A sign that only says how the one before it looks.
_LOOK = "\ufe0f"
_MARKED = re.compile(r"(?P<sign>\*\*|__|`|\*|<(?P<tag>\w+)>)(?P<text>[^*_`<>]+)(?:(?P=sign)|</(?P=tag)>)")
# Characters of a cell that says a number; how far two shares that are one are apart.
_LONGEST, _ROUNDED = 80, 0.011
_MEAN = re.compile(r"[-+]?[\d.,]+ ?%? ?(?:\u00b1|\+/-|\+-|\(|\[).*")


def finite_number(text: str) -> float | None:
    """A finite number as tables have it; None for anything else, and for what Python alone reads: `0_1`, `１`."""
    text = text.replace("\u2212", "-")
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def bare_text(cell: str) -> str:
    """A cell without blanks around it and without Markdown's signs for bold."""
    text = cell.strip()
    marked = _MARKED.fullmatch(text)
    return marked["text"].strip() if marked else text


def marked_text(cell: str) -> tuple[str, bool | None]:
    """A cell without marks before and behind it, and what these say; None where they say nothing, or both."""
    text = bare_text(cell.replace(_LOOK, ""))
    found = {MARKS.get(each) for each in _MARK.findall(text)}
    return (bare_text(_MARK.sub(" ", text)), found.pop()) if len(found) == 1 else (text, None)


def _value_text(cell: str) -> str:
    """A cell without what stands beside its value."""
    text = bare_text(bare_text(cell).strip(_PRAISE)).replace("\u2212", "-").lstrip("~\u2248")
    if _PLAIN.fullmatch(text):
        return text
    while len(text) < _LONGEST and (beside := _with_range(text) or _BESIDE.fullmatch(text)):
        text = bare_text(beside["value"])
    return text


def _with_range(text: str) -> re.Match[str] | None:
    found = _RANGE.fullmatch(text)
    value = finite_number(bare_text(found["value"]).rstrip("% ")) if found else None
    return found if found and value is not None and float(found["low"]) <= value <= float(found["high"]) else None


def cell_number(cell: str, comma: bool | None = None) -> float | None:
    """A finite number, whatever separates its decimals and its thousands; None for anything else.

    Args:
        cell: The text.
        comma: Whether the comma separates decimals where the text alone does not say so.
    """
    text = _value_text(cell)
    if (comma and _POINT_GROUPS.fullmatch(text)) or (comma is False and _COMMA_GROUPS.fullmatch(text)):
        return finite_number(re.sub("[.,]", "", text))
    if (plain := finite_number(text)) is not None:
        return plain
    grouped = _GROUPED.fullmatch(text)
    if _COMMA.fullmatch(text) and (comma or not grouped):
        return finite_number(text.replace(",", "."))
    if grouped is None or grouped["rest"] == grouped["sign"]:
        return None
    rest = grouped["rest"] or ""
    if rest[:1] == grouped["sign"] or (not rest and grouped["sign"] == "," and text.count(",") == 1):
        return None
    whole = text.removesuffix(rest).replace(grouped["sign"], "")
    return finite_number(whole + rest.replace(",", "."))


def cell_share(cell: str, comma: bool | None = None) -> float | None:
    """The share of 1 behind `85%` or `17/20`; None for anything else, and where a mark or an aside says otherwise."""
    text, mark = marked_text(cell)
    text = _value_text(text)
    if said := _SAID.fullmatch(text):
        share = _plain_share(said["value"], comma)
    elif twice := _TWICE.fullmatch(text):
        one, other = (_plain_share(twice[part], comma) for part in ("one", "other"))
        share = other if twice["one"].isdecimal() else one
        is_same = one is None or other is None or abs(one - other) < _ROUNDED
        share = share if is_same else None
    else:
        share = _plain_share(text, comma)
    if mark is None:
        return share
    number = cell_number(text, comma) if share is None and "." in text else None
    share = number if number is not None and 0 <= number <= 1 else share
    return None if share is None or (share < 0.5 if mark else share == 1) else share


def _plain_share(text: str, comma: bool | None) -> float | None:
    if text.endswith("%"):
        # Thousands of per cent are no share, so that a comma separates decimals.
        percent = cell_number(text[:-1], comma)
        percent = cell_number(text[:-1], comma=True) if percent is None or percent > 100 else percent
        return percent / 100 if percent is not None and 0 <= percent <= 100 else None
    if fraction := _FRACTION.fullmatch(text):
        part, whole = map(float, fraction.groups())
        return part / whole if whole and part <= whole else None
    return None


def part_of_whole(cell: str) -> tuple[float, float] | None:
    """Both numbers of `17/20`; None of anything else."""
    found = _FRACTION.fullmatch(_value_text(cell))
    return (float(found[1]), float(found[2])) if found else None


def is_decimal_comma(cells: Iterable[str], separator: str = ",") -> bool | None:
    """Whether the comma separates decimals in a column; None where nothing says so.

    Args:
        cells: The texts of its cells.
        separator: What stands between the cells of the table; a semicolon stands where commas are in numbers.
    """
    has_comma = has_point = False
    for cell in cells:
        text = _value_text(cell).removesuffix("%").rstrip()
        grouped = _GROUPED.fullmatch(text)
        rest = (grouped["rest"] or "")[:1] if grouped else ""
        has_comma = has_comma or rest == "," or bool(_COMMA.fullmatch(text) and not grouped)
        has_point = has_point or rest == "." or bool(_POINT.fullmatch(text) and not grouped)
    if has_comma != has_point:
        return has_comma
    return True if separator == ";" and not has_point else None


def advice_on(cell: str) -> str:
    """What makes a number of a cell that is nearly one; empty where it is none."""
    text = bare_text(cell)
    if _COMMA_GROUPS.fullmatch(text):
        return f"{text!r} may be {text.replace(',', '.')} or {text.replace(',', '')}: write it without separators"
    if _MEAN.fullmatch(text):
        return f"{text!r} is two numbers; write the one that counts alone"
    if (fraction := _FRACTION.fullmatch(text)) and float(fraction[1]) > float(fraction[2]):
        return f"{text!r} is more than there is; say what it comes to: --outcome {text}=passed"
    return "Write a number as 0.5" if text[:1].isdigit() else ""


_WORD = re.compile(r"(?i:r2)(?![a-zA-Z\d])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LESS = """err error errors wer cer ter per loss losses nll ppl perplexity latency duration time seconds secs ms minutes
runtime cost costs usd price tokens mae mse rmse mape regret distance dist violation violations failure failures failed
fail fid brier ece crash crashes hallucination hallucinations toxicity toxic bugs bug misses collision collisions
timeout timeouts rank refused refusals mistakes incorrect wrong unsafe harmful"""
_MORE = """outcome pass passed passes resolved correct correctness score scores reward rewards accuracy acc success
successes successful solved win wins won f1 em exact match bleu rouge chrf comet auc auroc recall precision map ndcg mrr
quality rating grade points point percent pct ok mean utility valid accepted return returns iou dice r2 faithfulness
helpfulness relevance coverage pass1 similarity completion achieved"""
TASKS = """task question problem instance case item example scenario exercise query issue challenge id prompt test
puzzle key input repo benchmark dataset category skill topic subject game algo indicator bug class"""
MEASURE_WORDS = frozenset([*_LESS.split(), *_MORE.split()]) - {"pass", "points", "map", "mean", "ms", "minutes", "fail"}
"""Words in names of measures that are in few other names."""


def words_of(name: str) -> list[str]:
    """The words of a name in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def direction_of(name: str) -> int:
    """1 where more is better by the name of a measure, -1 where less is, 0 where the name does not say."""
    if "\u2193" in name or "\u2191" in name:
        return 1 if "\u2191" in name else -1
    words = words_of(name)
    less, more = set(_LESS.split()), set(_MORE.split())
    is_less, is_more = bool(less.intersection(words)), bool(more.intersection([*words, "".join(words)]))
    # A word error rate, but the accuracy after an error: what comes last is the measure.
    if is_less and is_more:
        return -1 if words[-1] in less else 1
    return is_more - is_less
