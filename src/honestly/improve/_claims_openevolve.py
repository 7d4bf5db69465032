"""The claims of a run of OpenEvolve, of its output directory, or of one of its checkpoints.

The last checkpoint holds the population (`programs/*.json`) and `metadata.json`, `best/best_program_info.json` the
winner. A program has one score, in units of its own: `combined_score`, or the mean of its numbers that are no features
(`get_fitness_score` of OpenEvolve 0.4.1, which no longer takes `"timeout": true` for a 1). It is what one evaluation
printed, and nothing in the files says how noisy that is.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from honestly._loose import count_of, nested_dict, word_of
from honestly.errors import FormatError
from honestly.improve._claim import SEED, GainClaim, Scored, finite_number, gain_claim, json_object

_MOST = 20_000
_READ = ("id", "parent_id", "generation", "iteration_found", "timestamp", "metrics")
_NOISE = "the start measured several times, which says how much of a score is noise"

Program = Mapping[str, object]


def openevolve_claims(path: Path) -> Iterator[GainClaim]:
    """The claim of one run."""
    # The directory with the newest population.
    if (path / "programs").is_dir():
        last = path
    else:
        found = [each for each in path.glob("checkpoints/checkpoint_*") if (each / "programs").is_dir()]
        numbered = [(int(each.name.rpartition("_")[2]), each) for each in found if each.name[11:].isdecimal()]
        if not numbered:
            raise FormatError(f"{path} is not a run of OpenEvolve: expected checkpoints/checkpoint_N/programs in it")
        last = max(numbered)[1]
    head, population = json_object(last / "metadata.json"), _population(last)
    features = nested_dict(head, "feature_stats").keys()
    won = json_object(path / "best" / "best_program_info.json") or json_object(last / "best_program_info.json")
    best = word_of(won.get("id")) or word_of(head.get("best_program_id"))
    won = won or population.get(best, {})
    if not won:
        raise FormatError(f"{path} names no best program: expected best/best_program_info.json")
    if (start := _unchanged_program(population)) is None:
        raise FormatError(f"{path} does not hold the start's score: its program is no longer in the population")
    scores = [Scored(_fitness(nested_dict(each, "metrics"), features), 0) for each in (start, won)]
    generation, tried = count_of(won.get("generation")) or 0, count_of(head.get("last_iteration")) or 0
    name = SEED if best == word_of(start.get("id")) else best[:8]
    failed = [word for word in ("timeout", "error") if nested_dict(won, "metrics").get(word)]
    more = (_NOISE, *(f"an evaluation of the winner that did not end with {word}" for word in failed))
    counted = max(tried, len(population) - 1, name != SEED), generation
    yield gain_claim(path.name, name, (scores[0], scores[1]), counted, more=more)


def _population(checkpoint: Path) -> dict[str, Program]:
    found: dict[str, Program] = {}
    for at, file in enumerate(sorted((checkpoint / "programs").glob("*.json"))):
        if at >= _MOST:
            raise FormatError(f"{checkpoint} contains more than {_MOST:,} programs")
        program = json_object(file)
        parent = {"parent_metrics": nested_dict(program, "metadata", "parent_metrics")}
        found[word_of(program.get("id"))] = {**{key: program.get(key) for key in _READ}, "metadata": parent}
    return found


def _unchanged_program(population: Mapping[str, Program]) -> Program | None:
    """The unchanged program; where it was dropped, what its children say of it."""
    first = [each for each in population.values() if not each.get("parent_id") and each.get("generation") == 0]
    if first:
        return min(first, key=lambda each: (count_of(each.get("iteration_found")) or 0, str(each.get("timestamp"))))
    for each in population.values():
        if each.get("generation") == 1 and nested_dict(each, "metadata", "parent_metrics"):
            return {"id": each.get("parent_id"), "metrics": nested_dict(each, "metadata", "parent_metrics")}
    return None


def _fitness(metrics: Mapping[str, object], features: Collection[str]) -> float:
    if "combined_score" in metrics:
        return finite_number(metrics["combined_score"], "combined_score")
    numbers = {key: value for key, value in metrics.items() if type(value) in {int, float}}
    counted = [value for key, value in numbers.items() if key not in features] or list(numbers.values())
    if not counted:
        raise FormatError(f"a program has no score: its metrics are {', '.join(metrics)[:200] or 'empty'}")
    values = [finite_number(value, "a metric") for value in counted]
    return sum(values) / len(values)
