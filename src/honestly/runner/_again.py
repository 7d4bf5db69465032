"""Passes judged again, each alone in new sandboxes, in another order: a pass that does not survive is none.

What a sample owes to those judged beside it, or to chance, it does not get a second time: nothing else is judged then,
and no agent is at work. First a share is judged
again, which follows from the user's key, so that a sample cannot know it, and passes that look as if they were guessed
or agreed on (`_collusion.py`). Where one is refuted, all its like are judged again: those of its problem, and those of
one text for many problems; and where many are, all passes. Whose like were refuted may pass again by luck, and is
judged so often that luck would not last. What has no second verdict is undecided, and the next run tries again.

A run that was stopped goes on with the same ones: the second verdict stands in the result's line (`again`), with how
often it was `passed`; the share of passes that it contradicts is a number on the judge itself.
"""

import math
import os
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from heapq import nsmallest
from itertools import chain

import anyio
import anyio.to_thread
import msgspec

from honestly.errors import HonestlyError, SandboxUnavailableError, VerifierError
from honestly.formats import Sample
from honestly.runner._mixing import Mixture
from honestly.runner._results_file import JudgedResult, Key, ResultsFile
from honestly.runner._samples import GIVE_UP, SampleProgress, Survey, each_once, extent_of, judged_of, signs_of
from honestly.verify import OpenBox, Slots, verify

_LEAST = 8
"""Passes that are judged again however small their share is; all, where there are no more."""
_MOST_SUSPECTED, _SAID = 256, 500
_FEW, _DOUBT = 0.02, 0.025
"""Share of refuted passes that honest samples may have; how improbable more of them must be for all to be judged."""
_LUCK = 0.01
"""Of a group of which some were refuted: how many may pass by luck to the end, on average, where half do each time."""
_NUMBERS = 1 << 20
"""About as many pipes as a sample can make within its limit."""
_SLOT_S = 0.1
"""From one beginning to the next, at first; see `_Turns`."""


class RejudgedPasses(msgspec.Struct, frozen=True):
    """How often a second verdict contradicted the first."""

    n: int = 0
    """Different samples that passed and were judged again."""
    disagree: int = 0
    """Those that did not pass again."""


async def judge_again(
    survey: Survey,
    results: ResultsFile,
    open_box: OpenBox,
    *,
    share: float,
    suspected: Collection[Key] = (),
    alike: Sequence[Collection[Key]] = (),
    progress: Callable[[SampleProgress], None] = lambda _: None,
) -> None:
    """Tests a share of the passes again, more if some are refuted, and stores each second verdict.

    They are judged one after the other.

    Args:
        survey: samples that all have a result.
        results: where their results are.
        open_box: opens new sandboxes.
        share: of the passes, from 0 to 1; eight at least, unless it is 0.
        suspected: samples whose passes are judged again whatever the lot says, until they cannot be luck; 256 at most,
            none if the share is 0.
        alike: groups of samples, of whatever problems, that are all judged again where one of them is refuted. Those of
            one problem are such a group anyway.
        progress: told of each second verdict.

    Raises:
        SandboxUnavailableError: nothing can be run on this machine.
        StoreError: the results cannot be written.
        VerifierError: twenty samples in a row could not be judged.
    """
    groups: dict[object, set[Key]] = defaultdict(set)
    for at, problem in enumerate(survey.problems):
        groups[problem].add(survey.key(at))
    groups |= dict(enumerate(map(set, alike)))
    tried: set[Key] = set()
    done, in_vain, turns = 0, 0, _Turns()
    doubted = {
        problem
        for at, problem in enumerate(survey.problems)
        if (one := results.known[survey.key(at)]).again and not one.passed
    }
    async with Slots(open_box, extent_of(survey.suite)) as slots:
        while chosen := _chosen_passes(results, groups, share, suspected, tried):
            total = done + len(chosen)
            problems = [problem for at, problem in enumerate(survey.problems) if survey.key(at) in chosen]
            if len(set(problems)) < len(problems):
                await anyio.to_thread.run_sync(_move_counters)
            with Mixture(each_once(survey, chosen.__contains__), survey.suite, results.path.parent) as mixture:
                for key, sample in chain.from_iterable(mixture):
                    # Else one of a round could learn again what the next ones then know.
                    if sample.problem in doubted:
                        await anyio.to_thread.run_sync(_move_counters)
                    async with turns.turn_for(sample.problem):
                        second = await _judged_alone(key, sample, results.known[key].repeats, slots)
                    judged = _joined_verdict(results.known[key], second)
                    results.add(key, sample, judged, signs_of(sample, judged))
                    tried.add(key)
                    if not judged.passed:
                        doubted.add(sample.problem)
                    done += 1
                    progress(SampleProgress(done, total, judged, again=True))
                    in_vain = in_vain + 1 if second.status == "void" else 0
                    if in_vain == GIVE_UP:
                        said = f"{GIVE_UP} passes in a row could not be judged again; the last: {second.result}"
                        raise VerifierError(said)


def rejudged_verdicts(survey: Survey, results: ResultsFile) -> RejudgedPasses:
    """How often second verdicts contradict the first."""
    again = [results.known[key].again for key in set(map(survey.key, range(survey.total)))]
    return RejudgedPasses(sum(map(bool, again)), sum(each not in ("", "passed") for each in again))


def _chosen_passes(
    results: ResultsFile,
    groups: Mapping[object, Collection[Key]],
    share: float,
    suspected: Collection[Key],
    tried: Collection[Key],
) -> set[Key]:
    """Which passes are judged once more: always the same ones, with a larger share more; more where some are refuted.

    Args:
        results: what is known.
        groups: samples that are alike; each is in one.
        share: of the passes.
        suspected: who has to pass until it cannot be luck.
        tried: who was judged again in this run.
    """
    if not share:
        return set()
    known = results.known
    passes = {key for group in groups.values() for key in group if known[key].passed or known[key].again}
    refuted = {key for key in passes if known[key].again and not known[key].passed}
    places = _pass_places(results, groups, passes)
    drawn = nsmallest(max(_LEAST, math.ceil(share * len(passes))), passes, key=places.__getitem__)
    lost, of = len(refuted.intersection(drawn)), sum(bool(known[key].again) for key in drawn)
    often = dict.fromkeys(passes if _tail_probability(lost, of) < _DOUBT else drawn, 1)
    doubted = frozenset(nsmallest(_MOST_SUSPECTED, passes.intersection(suspected), key=results.chance_of_key))
    for group in groups.values():
        lost, enough = len(refuted.intersection(group)), math.ceil(math.log2(len(group) / _LUCK))
        times = enough if lost > _FEW * sum(bool(known[key].again) for key in group) else min(lost, 1)
        for key in passes.intersection(group if lost else doubted.intersection(group)):
            often[key] = max(often.get(key, 0), enough if key in doubted else times)
    return {
        key
        for key, times in often.items()
        if (known[key].passed and known[key].repeats < times) or (known[key].status == "undecided" and key not in tried)
    }


def _pass_places(
    results: ResultsFile, groups: Mapping[object, Collection[Key]], passes: Collection[Key]
) -> dict[Key, float]:
    """Where passes stand in a lot in which each is as likely to be among the first as any, and those of a group apart.

    So no more of one problem are drawn than its part, and often none is that would need the counters moved.
    """
    places: dict[Key, float] = {}
    for name, group in groups.items():
        own = sorted((key for key in group if key in passes and key not in places), key=results.chance_of_key)
        offset = int.from_bytes(results.chance_of_key(str(name).encode())[:8], "big") / (1 << 64)
        places |= {key: (number + offset) / len(own) for number, key in enumerate(own)}
    return places


def _tail_probability(lost: int, of: int) -> float:
    """How probable it is that so many are refuted, or more, where few are on average."""
    rest = (math.lgamma(of + 1) - math.lgamma(n + 1) - math.lgamma(of - n + 1) for n in range(lost))
    logs = (each + n * math.log(_FEW) + (of - n) * math.log1p(-_FEW) for n, each in enumerate(rest))
    return 1 - math.fsum(map(math.exp, logs))


def _move_counters() -> None:
    """Let the kernel's numbers of pipes and sockets go on from a random place.

    They are counted for the whole machine, so a sample could set such a counter, and a later one read it. It is done
    before each round, in which those that come first fail then, and before each sample of a problem of which one did.
    """
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    for processor in processors:  # each counts by itself, in batches
        os.sched_setaffinity(0, {processor})  # of this thread alone
        for _ in range(secrets.randbelow(_NUMBERS // len(processors))):
            for end in os.pipe():
                os.close(end)
    if processors:
        os.sched_setaffinity(0, processors)


class _Turns:
    """When samples of a problem are judged again: at moments that say nothing of those before.

    A sample could end at a chosen moment, and so tell the next one, which begins then, what it has learnt. So they
    begin at whole slots after the first one, and slots get longer as soon as one was not enough (predictive mitigation:
    Askarov, Zhang and Myers 2010): what is left to be told is which samples were too slow, once for each doubling.
    """

    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._slot_s: defaultdict[str, float] = defaultdict(lambda: _SLOT_S)

    @asynccontextmanager
    async def turn_for(self, problem: str) -> AsyncIterator[None]:
        """Context of one turn."""
        now = anyio.current_time()
        begin, slot_s = self._next.get(problem, now), self._slot_s[problem]
        begin += max(0, math.ceil((now - begin) / slot_s)) * slot_s
        await anyio.sleep_until(begin)
        yield
        took = anyio.current_time() - begin
        while self._slot_s[problem] < took:
            self._slot_s[problem] *= 2
        self._next[problem] = begin + self._slot_s[problem]


async def _judged_alone(key: Key, sample: Sample, repeats: int, slots: Slots) -> JudgedResult:
    """One more verdict, on other random inputs; another where the machine may be why there was none in time."""
    judged = None
    for seed in (1, 2):
        try:
            seed += int.from_bytes(key, "big") + 2 * repeats
            judged = judged_of(await verify(sample.task, sample.tree, seed=seed, open_box=slots))
        except SandboxUnavailableError:
            raise
        except HonestlyError as error:
            judged = judged_of(error)
        if judged.status not in ("timeout", "void"):
            break
    assert judged is not None
    return judged


def _joined_verdict(first: JudgedResult, second: JudgedResult) -> JudgedResult:
    """The joint result of two verdicts on a pass."""
    if second.passed:
        return msgspec.structs.replace(first if first.passed else second, again="passed", repeats=first.repeats + 1)
    is_refuted = second.status not in ("timeout", "void")
    said = f"it passed, but not when it was judged again, alone: {second.result}"
    return msgspec.structs.replace(
        second,
        status="failed" if is_refuted else "undecided",
        result=f"{'failed' if is_refuted else 'undecided'}: {said}"[:_SAID],
        checks=second.checks if is_refuted else dict.fromkeys(first.checks, "undecided"),
        again=second.status,
    )
