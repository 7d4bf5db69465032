"""GEPA keeps a change on evidence: our rule as its `AcceptanceCriterion` (extra `gepa`).

    criterion = KeepAcceptance(adapter, fresh, KeepRule(attempts=50, bound=1.0))
    gepa.optimize(seed_candidate, trainset, valset, adapter, acceptance_criterion=criterion, ...)

GEPA's own criteria compare two sums over a minibatch of about three examples that the reflection has just seen. Here
that comparison only says what is worth testing. What decides are pairs on examples that nothing has seen: parent and
child on the same example, until `stats.KeepRule` has decided; the chance that any of the declared number of tests
accepts a change without a gain is `alpha` at most. Each acceptance is over the parent, so that all of the pool is then
better than the seed, whichever GEPA calls its best.

Not covered: `use_merge=True`, since GEPA accepts merges by itself; examples that come again (`itertools.cycle`), since
what was accepted on them is fitted to them. GEPA's validation scores stay what they are: chosen, and so too high.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from honestly.errors import StatisticsError
from honestly.stats import KeepRule

if TYPE_CHECKING:
    from gepa.core.state import GEPAState
    from gepa.proposer.base import CandidateProposal

__all__ = ["KeepAcceptance"]

_WHY = "honestly"


class _Batch(Protocol):
    @property
    def scores(self) -> list[float]: ...


class _Adapter(Protocol):
    def evaluate(self, batch: list[object], candidate: dict[str, str], capture_traces: bool = False) -> _Batch: ...


class KeepAcceptance:
    """Accepts what is better than its parent on examples that nothing has seen."""

    def __init__(
        self,
        adapter: _Adapter,
        fresh: Iterable[object],
        rule: KeepRule | None = None,
        *,
        at_once: int = 4,
        screen: bool = True,
    ) -> None:
        """Declares what decides, before GEPA begins.

        Args:
            adapter: GEPA's, which measures.
            fresh: examples that are neither in the training nor in the validation set; each is used once, for one pair.
            rule: by default for scores between 0 and 1 and 100 tests.
            at_once: examples that the adapter gets in one call.
            screen: whether only that is tested which is better on GEPA's minibatch; it saves examples, and can only
                prevent an acceptance.
        """
        self._adapter, self._fresh, self._at_once, self._screen = adapter, iter(fresh), at_once, screen
        self.rule = rule or KeepRule(bound=1.0)
        self.tests = 0
        """Tests that have begun, of the declared number."""
        self.pairs = 0
        """Pairs that were measured for them."""

    def should_accept(self, proposal: CandidateProposal, state: GEPAState) -> bool:
        """Whether a proposal is better than its parent; as GEPA asks it."""
        before, after = sum(proposal.subsample_scores_before or ()), sum(proposal.subsample_scores_after or ())
        if self._screen and not after > before:
            kept, why = False, f"no better than its parent on the minibatch ({before:.4g}, {after:.4g}): not tested"
        elif self.tests >= self.rule.attempts:
            kept, why = False, f"the declared {self.rule.attempts} tests are used up"
        else:
            self.tests += 1
            parent = state.program_candidates[proposal.parent_program_ids[0]]
            kept, why = self._test_child(proposal.candidate, parent, state)
        proposal.metadata[_WHY] = why
        return kept

    def reject_reason(self, proposal: CandidateProposal, state: GEPAState) -> str:  # noqa: ARG002 - as GEPA asks it
        """Why a proposal was not accepted."""
        return str(proposal.metadata.get(_WHY, ""))

    def _test_child(self, child: Mapping[str, str], parent: Mapping[str, str], state: GEPAState) -> tuple[bool, str]:
        test = self.rule.test()
        while test.choice == "continue":
            if not (batch := list(islice(self._fresh, self._at_once))):
                return False, f"no fresh example is left after {test.n} pairs of this test"
            old, new = (self._adapter.evaluate(batch, dict(each)).scores for each in (parent, child))
            state.increment_evals(2 * len(batch))
            for gain in (a - b for a, b in zip(new, old, strict=True)):
                try:
                    choice = test.feed(gain)
                except StatisticsError as error:
                    return False, str(error)
                self.pairs += 1
                if choice != "continue":
                    break
        odds = math.exp(min(test.log_evidence, 700.0))
        needed = 1 / self.rule.level
        return test.choice == "keep", (
            f"mean gain {test.mean:+.3g} over {test.n} pairs (evidence {odds:.3g}, threshold {needed:.0f})"
        )
