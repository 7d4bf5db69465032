"""Verdicts that the code under test cannot forge.

Hidden checks run in one sandbox, the work in another, and only plain data crosses between them. Tests that must run in
the same process as the work are believed only as far as they fail when they should.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Any

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.verify._environment import (
        build_environments,
        buildable_tasks,
        images_to_build,
        in_environment,
        network_of,
        public_network,
    )
    from honestly.verify._many import Submission, compile_ahead, fits_series, verify_each
    from honestly.verify._open import OpenBox, furnished_opener
    from honestly.verify._phases import at_work, open_phases, phases_of
    from honestly.verify._site import SITE, played_workspace, reachable_address, reachable_apis, with_state
    from honestly.verify._solve import reference_workspace
    from honestly.verify._verify import verdict_outcome, verify
    from honestly.verify.fairness._git import History, look_at_git
    from honestly.verify.fairness._guessing import CONSTANTS, EQUAL, GuessPrices, judged_hidden, price_guesses
    from honestly.verify.fairness._harden import HardenedTask, all_weaknesses, harden_task
    from honestly.verify.fairness._impossible import KINDS, MUTATIONS_VERSION, Kind, make_impossible
    from honestly.verify.fairness._mutants import Mutation, prove_mutants
    from honestly.verify.fairness._prove import Claim, Proof, check_task, check_tasks, each_task, prove
    from honestly.verify.inside._canaries import canaries_of, expected_checks, make_canaries
    from honestly.verify.inside._seen import SeenTests, see_tests
    from honestly.verify.wire._slots import Slots

__all__ = [
    "CONSTANTS",
    "EQUAL",
    "KINDS",
    "MUTATIONS_VERSION",
    "SITE",
    "Claim",
    "GuessPrices",
    "HardenedTask",
    "History",
    "Kind",
    "Mutation",
    "OpenBox",
    "Proof",
    "SeenTests",
    "Slots",
    "Submission",
    "all_weaknesses",
    "at_work",
    "build_environments",
    "buildable_tasks",
    "canaries_of",
    "check_task",
    "check_tasks",
    "compile_ahead",
    "each_task",
    "expected_checks",
    "fits_series",
    "furnished_opener",
    "harden_task",
    "images_to_build",
    "in_environment",
    "judged_hidden",
    "look_at_git",
    "make_canaries",
    "make_impossible",
    "network_of",
    "open_phases",
    "phases_of",
    "played_workspace",
    "price_guesses",
    "prove",
    "prove_mutants",
    "public_network",
    "reachable_address",
    "reachable_apis",
    "reference_workspace",
    "see_tests",
    "verdict_outcome",
    "verify",
    "verify_each",
    "with_state",
]

__getattr__, __dir__ = lazy_exports(__name__)


class _Room(ModuleType):
    def __call__(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as `verify` has them
        """Calls `honestly.verify.verify`: `honestly.verify` was that function before it was always this room."""
        warnings.warn("honestly.verify(...) is now honestly.verify.verify(...)", DeprecationWarning, stacklevel=2)
        return self.verify(*given, **named)


sys.modules[__name__].__class__ = _Room
