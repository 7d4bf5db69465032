"""Verdicts that the code under test cannot forge.

Hidden checks run in one sandbox, the work in another, and only plain data crosses between them. Tests that must run in
the same process as the work are believed only as far as they fail when they should.
"""

import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Any

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.verify._environment import (
        build_environments as build_environments,
        buildable_tasks as buildable_tasks,
        images_to_build as images_to_build,
        in_environment as in_environment,
        network_of as network_of,
        public_network as public_network,
    )
    from honestly.verify._many import (
        Submission as Submission,
        compile_ahead as compile_ahead,
        fits_series as fits_series,
        verify_each as verify_each,
    )
    from honestly.verify._open import OpenBox as OpenBox, furnished_opener as furnished_opener
    from honestly.verify._phases import at_work as at_work, open_phases as open_phases, phases_of as phases_of
    from honestly.verify._site import (
        SITE as SITE,
        played_workspace as played_workspace,
        reachable_address as reachable_address,
        reachable_apis as reachable_apis,
        with_state as with_state,
    )
    from honestly.verify._solve import reference_workspace as reference_workspace
    from honestly.verify._verify import verdict_outcome as verdict_outcome, verify as verify
    from honestly.verify.fairness._git import History as History, look_at_git as look_at_git
    from honestly.verify.fairness._guessing import (
        CONSTANTS as CONSTANTS,
        EQUAL as EQUAL,
        GuessPrices as GuessPrices,
        judged_hidden as judged_hidden,
        price_guesses as price_guesses,
    )
    from honestly.verify.fairness._harden import (
        HardenedTask as HardenedTask,
        all_weaknesses as all_weaknesses,
        harden_task as harden_task,
    )
    from honestly.verify.fairness._impossible import (
        KINDS as KINDS,
        MUTATIONS_VERSION as MUTATIONS_VERSION,
        Kind as Kind,
        make_impossible as make_impossible,
    )
    from honestly.verify.fairness._mutants import Mutation as Mutation, prove_mutants as prove_mutants
    from honestly.verify.fairness._prove import (
        Claim as Claim,
        Proof as Proof,
        check_task as check_task,
        check_tasks as check_tasks,
        each_task as each_task,
        prove as prove,
    )
    from honestly.verify.inside._canaries import (
        canaries_of as canaries_of,
        expected_checks as expected_checks,
        make_canaries as make_canaries,
    )
    from honestly.verify.inside._seen import SeenTests as SeenTests, see_tests as see_tests
    from honestly.verify.wire._slots import Slots as Slots


__getattr__, __dir__ = lazy_exports(__name__)


class _Room(ModuleType):
    def __call__(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as `verify` has them
        """Calls `honestly.verify.verify`: `honestly.verify` was that function before it was always this room."""
        warnings.warn("honestly.verify(...) is now honestly.verify.verify(...)", DeprecationWarning, stacklevel=2)
        return self.verify(*given, **named)


sys.modules[__name__].__class__ = _Room
