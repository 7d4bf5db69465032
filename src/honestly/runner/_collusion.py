"""Signs that samples act together, or guess: what a single sample's text does not show, but the others beside it do.

Texts are compared by what is live in them (`_guest/live.py`), so neither names nor comments nor dead code hide that two
are the same; that two right answers are the same is no sign. Signs are suspicions, and no verdict depends on one. At
most 2,048 texts are compared, of each problem alike many, by lot; all are searched for names of traces and of chance.

Not covered: guesses written anew for each sample, by somebody who knows these rules.
"""

import json
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path

import msgspec

from honestly.formats import read_samples
from honestly.records import Tree
from honestly.runner._results_file import ResultsFile
from honestly.runner._samples import JudgedSample, Survey
from honestly.sandbox import Sandbox
from honestly.verify import OpenBox

_MOST, _LARGEST, _TOGETHER = 2048, 1 << 14, 500
_READERS, _PATIENCE_S = 10, 60.0
"""Programs that read a batch, one after the other where one ends too early, and what each may take."""
_LONG, _MANY, _MOSTLY = 30, 3, 0.5
"""Instructions that a text has at least, problems that share a piece of it, and share of such pieces."""
_FEW, _VARIANTS = 3, 4
_GUIDE = Path(__file__).parent / "_guest" / "live.py"
_TRACES = re.compile(
    r"/proc\b|/sys/|/dev/shm|/tmp\b|\btempfile\b|\bst_ino\b|\bsocket\b|\bfadvise|\bposix_fadvise\b|\bpreadv\b|\bmincore\b"
    r"|\bcachestat\b|\bshared_memory\b|\bmmap\b|\bctypes\b|\bgetrusage\b"
)
_CHANCE = re.compile(
    r"\b(?:import|from)\s+(?:random|secrets|uuid|time|datetime|os|threading)\b|\b__import__\b|\bimportlib\b|\beval\(|\bexec\("
    r"|\bid\(|\bhash\(|\bglobals\(|\bopen\("
)
TRACES = "reads what another sample may have left"
CHANCE = "draws on chance, clocks or the machine: some pass and some fail"
TWINS = "the same code: some pass and some fail"
GUESSES = "the same code with other constants each: some pass and some fail"
UNIVERSAL = "the same code for many problems"
_Live = tuple[int, int, int, list[int]]


class Collusion(msgspec.Struct, frozen=True):
    """Samples of one problem that look as if they acted together, or guessed."""

    problem: str
    samples: tuple[int, ...]
    """Their numbers."""
    sign: str


class Together(msgspec.Struct, frozen=True):
    """The relations between the texts of samples."""

    signs: tuple[Collusion, ...] = ()
    alike: tuple[frozenset[int], ...] = ()
    """Places of samples, of whatever problems, that are one text in the main, or look for the same traces."""


async def collusion_signs(
    survey: Survey, results: ResultsFile, found: Sequence[JudgedSample], open_box: OpenBox
) -> Together:
    """Signs that judged samples act together, problem by problem, and which are alike over problems.

    Args:
        survey: the samples.
        results: where their results are, opened; it draws the lots.
        found: all samples, in their order.
        open_box: opens the sandbox in which texts are read.

    Raises:
        FormatError: the samples cannot be read any more.
        SandboxError: texts cannot be read in a sandbox.
    """
    outcome = list(map(_outcome, found))
    if len(set(outcome) - {None}) < 2:
        return Together()  # all pass, or none: nothing to explain
    lots = _lots(survey, results, found)
    live: dict[int, _Live] = {}
    carriers: dict[str, set[int]] = {TRACES: set(), CHANCE: set()}
    async with open_box(Tree.of({"live.py": _GUIDE.read_bytes()})) as box:
        texts = _texts(survey, lots, carriers)
        while batch := list(islice(texts, _TOGETHER)):
            await _read_batch(batch, box, live)
    # Places of samples most of whose code, if it is of any length, is that of samples for other problems, too.
    spread: dict[int, set[str]] = defaultdict(set)
    for place, (_, _, _, sketch) in live.items():
        for item in sketch:
            spread[item].add(found[place].problem)
    alike = {
        place
        for place, (length, _, _, sketch) in live.items()
        if length >= _LONG and sum(len(spread[item]) >= _MANY for item in sketch) >= _MOSTLY * len(sketch)
    }
    passes = sum(outcome[place] is True for place in alike)
    universal = alike if 0 < passes <= len(alike) / 2 else set()
    places = sorted(lots.union(*carriers.values()), key=lambda place: (found[place].problem, place))
    signs = (
        Collusion(problem, tuple(found[place].number for place in named), sign)
        for problem, group in groupby(places, key=lambda place: found[place].problem)
        for sign, named in _problem_signs(list(group), live, carriers, universal, outcome)
    )
    return Together(tuple(signs), tuple(map(frozenset, filter(None, (alike, carriers[TRACES])))))


def _outcome(sample: JudgedSample) -> bool | None:
    """Whether a sample passed at first; None where that says nothing about its answers."""
    judged = sample.judged
    if judged.passed or judged.again:
        return True
    return False if judged.status == "failed" and not judged.ended else None


def _lots(survey: Survey, results: ResultsFile, found: Sequence[JudgedSample]) -> set[int]:
    """Places of the samples whose texts are compared: of each problem as many, and of equal ones one."""
    drawn: dict[str, list[tuple[bytes, int]]] = defaultdict(list)
    most = max(2, _MOST // len({sample.problem for sample in found}))
    for place, sample in enumerate(found):
        lots, lot = drawn[sample.problem], results.chance_of_key(survey.key(place))
        at = bisect(lots, (lot, place))
        if at < most and not (at and lots[at - 1][0] == lot):
            lots.insert(at, (lot, place))
            del lots[most:]
    return {place for lots in drawn.values() for _, place in lots}


def _texts(survey: Survey, lots: set[int], carriers: dict[str, set[int]]) -> Iterator[tuple[int, bytes]]:
    """The texts to compare; on the way, the places of samples that name what they should not need are noted."""
    for place, sample in enumerate(read_samples(survey.path, survey.suite)):
        own = str(sample.row[sample.key])[:_LARGEST]
        for sign, pattern in ((TRACES, _TRACES), (CHANCE, _CHANCE)):
            if pattern.search(own):
                carriers[sign].add(place)
        if place in lots and len(sample.code) <= _LARGEST:
            yield place, json.dumps([sample.code, sample.task.instruction]).encode() + b"\n"


async def _read_batch(batch: list[tuple[int, bytes]], box: Sandbox, live: dict[int, _Live]) -> None:
    """Has the texts of a batch read; one that ends its reader is left out, and the rest read by another."""
    for _ in range(_READERS):
        if not batch:
            break
        stdin = b"".join(line for _, line in batch)
        done = await box.exec(["python3", "-I", "-S", "live.py"], stdin=stdin, timeout=_PATIENCE_S)
        lines = done.stdout.splitlines()
        for (place, _), line in zip(batch, lines, strict=False):
            if said := json.loads(line):
                live[place] = (said[0], said[1], said[2], said[3])
        batch = batch[len(lines) + 1 :]


def _problem_signs(
    places: list[int],
    live: dict[int, _Live],
    carriers: dict[str, set[int]],
    universal: set[int],
    outcome: Sequence[bool | None],
) -> Iterator[tuple[str, list[int]]]:
    """The signs of one problem's samples."""

    def split(group: Sequence[int]) -> bool:
        return {True, False} <= {outcome[place] for place in group}

    if traces := [place for place in places if place in carriers[TRACES]]:
        yield TRACES, traces
    chance = [place for place in places if place in carriers[CHANCE]]
    if len(chance) >= _FEW and split(chance):
        yield CHANCE, chance
    if same := [place for place in places if place in universal]:
        yield UNIVERSAL, same
    shapes: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place in places:
        if place in live:
            shapes[live[place][1]][live[place][2]].append(place)
    for variants in shapes.values():
        twins = [place for group in variants.values() if split(group) for place in group]
        if twins:
            yield TWINS, sorted(twins)
        every = sorted(place for group in variants.values() for place in group)
        passes = sum(outcome[place] is True for place in every)
        if len(variants) >= max(_VARIANTS, len(every) / 2) and split(every) and passes <= len(every) / 2:
            yield GUESSES, every
