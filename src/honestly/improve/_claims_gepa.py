"""The claims of a run of GEPA, of the directory that it was given as `run_dir`.

Scores of examples are in `gepa_state.bin` alone. It is a pickle, of which only the plain data is read: nothing in it is
run (`formats.read_plain_pickle`). `run_log.json` says how many changes were tried. GEPA calls the candidate with the
highest mean over its validation set the best, and does not measure it again.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from honestly._loose import items_of, objects_of
from honestly.errors import FormatError
from honestly.formats import parse_json, read_bytes, read_plain_pickle
from honestly.improve._claim import LARGEST, SEED, GainClaim, Scored, finite_number, gain_claim

_STATE, _LOG = "gepa_state.bin", "run_log.json"
_UNKNOWN = "whether the examples that chose the winner are others than those that the reflection read"


def gepa_claims(path: Path) -> Iterator[GainClaim]:
    """The claim of one run."""
    if not (path / _STATE).is_file():
        raise FormatError(f"{path} is not a run of GEPA: expected a directory with {_STATE} (its `run_dir`)")
    state = read_plain_pickle(read_bytes(path / _STATE, LARGEST))
    held = state.get("prog_candidate_val_subscores") if isinstance(state, dict) else None
    pool = [_scored(each, at) for at, each in enumerate(items_of(held))]
    if not pool:
        raise FormatError(f"{path / _STATE} contains no candidates: expected prog_candidate_val_subscores")
    trace = state.get("full_program_trace") if isinstance(state, dict) else None
    if (path / _LOG).is_file():
        trace = parse_json(read_bytes(path / _LOG, LARGEST))
    best = max(range(len(pool)), key=lambda at: (pool[at].score, -at))
    # Changes that were measured: one or several in each iteration.
    many = 0
    for step in objects_of(trace):
        several = [task for task in objects_of(step.get("tasks")) if "new_subsample_scores" in task]
        many += len(several) or "new_subsample_scores" in step
    name, tried = f"candidate {best}" if best else SEED, max(many, len(pool) - 1)
    yield gain_claim(path.name, name, (pool[0], pool[best]), (tried, len(pool) - 1), more=(_UNKNOWN,))


def _scored(said: object, at: int) -> Scored:
    """A candidate on the validation set; in older runs its scores are a list."""
    named: Mapping[object, object] = dict(enumerate(said)) if isinstance(said, Sequence) else {}
    named = said if isinstance(said, Mapping) else named
    if not named:
        raise FormatError(f"candidate {at} of the run has no scores")
    tasks = {
        str(key)[:200]: finite_number(score, f"candidate {at}, example {str(key)[:50]}") for key, score in named.items()
    }
    shares = all(0 <= score <= 1 for score in tasks.values())
    score = sum(tasks.values()) / len(tasks)
    return Scored(score, len(tasks), tasks) if shares else Scored(finite_number(score, f"candidate {at}"), 0)
