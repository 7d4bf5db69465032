"""Sessions: who worked with what, what is known of each, and what its user gave it, where it was rated."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from honestly.errors import FormatError
from honestly.formats import table_rows
from honestly.records import Outcome
from honestly.scores import style_of
from honestly.store import Store

_UNREAD = ("messages", "replies", "session", "id", "at", "folder", "on")
_ARM, _USER, _RATING = ("arm", "agent", "model"), ("user", "rater", "person"), ("rating", "stars", "score")
_PASSED = ("passed", "verdict", "resolved", "correct", "success")
_VERDICTS = {"passed": 1.0, "true": 1.0, "yes": 1.0, "failed": 0.0, "false": 0.0, "no": 0.0}
_NOT_RATED = ("", "na", "n/a", "nan", "none", "null", "-")
_COMPLAINT = re.compile(
    r"\b(?:no|not|wrong|again|still|broken|fail\w*|error|undo|revert|stop|instead|why did|didn'?t|doesn'?t|don'?t)\b",
    re.IGNORECASE,
)
_PRAISE = re.compile(r"\b(?:thanks?|great|perfect|nice|good|works|excellent|love)\b", re.IGNORECASE)
_GIT = {name: re.compile(rf"\bgit\s+(?:-\S+\s+)*{name}\b") for name in ("commit", "push", "reset", "revert")}


@dataclass(frozen=True, slots=True)
class Session:
    """One session with a user."""

    arm: str
    user: str
    """Whose it was; errors are clustered by users."""
    rating: float | None
    """Mean of what its user gave it; None where nobody rated it."""
    features: Mapping[str, float | str]
    """What is known of it: numbers, and words of few kinds. What is absent is not known."""


def sessions_of_table(path: Path) -> list[Session]:
    """The sessions of a table (CSV, JSON lines, Parquet): one per row, or per `session`, arm and user.

    The rating of a session of several rows is their mean; its features are those of its first row.

    Columns: `arm` (or `agent`, `model`), `rating` (empty where nobody rated), `user`, and features. The text of
    the user's messages in a column `messages` becomes features of its own, as does that of the agent's in `replies`
    (`honestly.scores.style_of`). A column `passed` holds a verdict (passed or failed, true or false, 1 or 0).

    Raises:
        FormatError: a column is absent, or a rating cannot be read.
    """
    if not (rows := list(table_rows(path))):
        raise FormatError(f"{path} has no rows; expected one for each session (docs/effect.md)")
    names = dict.fromkeys(name for _, row in rows for name in row)
    arm, rating = (_column(path, names, spelt) for spelt in (_ARM, _RATING))
    user = next((name for name in names if name.lower() in _USER), None)
    verdict = next((name for name in names if name.lower() in _PASSED), None)
    found: dict[tuple[str, ...], list[Session]] = {}
    for number, (at, row) in enumerate(rows, 1):
        said = str(row.get(rating) if row.get(rating) is not None else "").strip()
        try:
            value = None if said.lower() in _NOT_RATED else float(said)
        except ValueError:
            value = math.inf
        if value is not None and not 1 <= value <= 5:
            raise FormatError(f"{at}: the rating is {said!r}; expected a number from 1 to 5, or nothing")
        features = {
            name: given
            for name, each in row.items()
            if name not in (arm, rating, user, verdict, *_UNREAD) and (given := _feature(each)) is not None
        }
        if "messages" in row:
            features |= message_features([str(row["messages"] or "")])
        if row.get("replies"):
            features |= style_of([str(row["replies"])])
        if verdict and (judged := _verdict_number(row.get(verdict))) is not None:
            features["passed"] = judged
        who = str(row[user]).strip() if user and row.get(user) not in (None, "") else f"row {number}"
        each = Session(str(row.get(arm) or "").strip(), who, value, features)
        of = ("row", str(number)) if row.get("session") in (None, "") else (str(row["session"]), each.arm, each.user)
        found.setdefault(of, []).append(each)
    return [replace(first, rating=_mean_of_sessions([first, *more])) for first, *more in found.values()]


def _verdict_number(value: object) -> float | None:
    """1 for what passed, 0 for what failed, None for anything else."""
    said = str(value if value is not None else "").strip().lower()
    return _VERDICTS.get(said, {"1": 1.0, "1.0": 1.0, "0": 0.0, "0.0": 0.0}.get(said))


def _mean_of_sessions(sessions: Iterable[Session]) -> float | None:
    given = [each.rating for each in sessions if each.rating is not None]
    return sum(given) / len(given) if given else None


def sessions_of_study(store: Store, ratings: Mapping[str, float]) -> Iterator[Session]:
    """A session for each trial of a study that is not void.

    Args:
        store: the study.
        ratings: by the ids of trials.
    """
    for trial in store.trials():
        if trial.outcome is not Outcome.VOID:
            messages, replies, commands, count = [], [], [], 0
            for step in store.steps(trial.id):
                if step.thread or step.copied:
                    continue
                count += 1
                if step.source == "user":
                    messages.append(step.message)
                elif step.source == "agent":
                    replies.append(step.message)
                commands += [msgspec.json.encode(call.arguments).decode() for call in step.calls]
            found = message_features(messages[1:])  # the first is the task
            found |= style_of(replies)
            found["steps"] = math.log1p(count)
            found |= {f"git_{name}": float(any(map(word.search, commands))) for name, word in _GIT.items()}
            for name, value in (("seconds", trial.seconds), ("tokens", trial.usage.output_tokens)):
                if value is not None:
                    found[name] = math.log1p(value)
            if trial.outcome in (Outcome.PASSED, Outcome.FAILED):
                found["passed"] = float(trial.outcome is Outcome.PASSED)
            yield Session(trial.agent, trial.id, ratings.get(trial.id), found)


def message_features(messages: Iterable[str]) -> dict[str, float | str]:
    """Number, length and tone of a user's messages."""
    texts = [text for text in messages if text.strip()]
    whole = "\n".join(texts)
    return {
        "user_messages": float(len(texts)),
        "user_words": math.log1p(len(whole.split())),
        "complaints": math.log1p(len(_COMPLAINT.findall(whole))),
        "praise": math.log1p(len(_PRAISE.findall(whole))),
        "questions": math.log1p(whole.count("?")),
    }


def _column(path: Path, names: Iterable[str], spelt: tuple[str, ...]) -> str:
    for word in spelt:
        for name in names:
            if name.lower() == word:
                return name
    raise FormatError(
        f"{path} has no column {spelt[0]!r}; it has {', '.join(names) or 'none'}; rename one, or see docs/effect.md"
    )


def _feature(value: object) -> float | str | None:
    if isinstance(value, bool | int | float):
        return float(value) if math.isfinite(value) else None
    text = str(value if value is not None else "").strip()
    try:
        number = float(text)
    except ValueError:
        return text[:80] or None
    return number if math.isfinite(number) else None
