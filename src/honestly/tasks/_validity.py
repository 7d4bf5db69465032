"""How many tasks of a suite are vouched for, in words."""

import re
from collections import Counter
from collections.abc import Mapping

_VERDICTS = ("sound", "weak", "broken", "not measured")


def validity_words(said: Mapping[str, str], tasks: int) -> str:
    """A sentence on how many tasks `honestly task certify` calls sound."""
    counts = Counter(re.sub(r" \d{4}-\d\d-\d\d", "", text) for text in said.values())
    order = (*_VERDICTS, *(f"{verdict} (its original)" for verdict in _VERDICTS), "stale", "unreadable")
    known = ", ".join(f"{counts[word]} {word}" for word in order if counts[word])
    rest = tasks - len(said)
    without = f", {rest} without a record" if rest > 0 else ""
    return f"Validity records of {tasks} tasks: {known}{without} (honestly task certify)."
