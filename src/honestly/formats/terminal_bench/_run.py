"""A run file: the list of its trials, checked against its own sums."""

from pathlib import Path

from honestly.errors import FormatError
from honestly.formats._files import read_json
from honestly.formats._tally import Tally


def read_run(path: Path, where: str, tally: Tally) -> list[object] | None:
    """The trials in a run file, as plain data; None where the file is one trial's.

    Raises:
        FormatError: it cannot be read, or is neither.
    """
    data = read_json(path)
    if not isinstance(data, dict):
        raise FormatError("holds neither a run nor a trial")
    results = data.get("results")
    if not isinstance(results, list):
        if "is_resolved" in data:
            return None
        raise FormatError("holds neither a run nor a trial: it has no list `results`")
    resolved = sum(isinstance(trial, dict) and trial.get("is_resolved") is True for trial in results)
    said = {
        "n_resolved": resolved,
        "n_unresolved": len(results) - resolved,
        "accuracy": resolved / len(results) if results else None,
    }
    for key, expected in said.items():
        found = data.get(key)
        if found is not None and expected is not None and not _equal(found, expected):
            tally.add(
                "run file contradicts itself", where, f"{key} does not match its {len(results)} trials; they count"
            )
    return results


def _equal(found: object, expected: float) -> bool:
    return isinstance(found, int | float) and abs(found - expected) < 1e-9
