"""Did it work? Verdicts that the code under test cannot forge.

Hidden checks run in one sandbox, the work in another, and only plain data crosses between them. Tests that must run in
the same process as the work are believed only as far as they fail when they should.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.verify._many import Case, verify_each
    from honestly.verify._open import OpenBox
    from honestly.verify._solve import solved
    from honestly.verify._verify import judge, verify
    from honestly.verify.fairness._harden import Hardened, harden, weaknesses
    from honestly.verify.fairness._impossible import KINDS, MUTATIONS_VERSION, Kind, Made, make_impossible
    from honestly.verify.fairness._mutants import Mutation, Survivor, prove_mutants
    from honestly.verify.fairness._prove import Claim, Proof, prove
    from honestly.verify.inside._canaries import expect, make_canaries
from honestly.verify.wire._slots import Slots

__all__ = [
    "KINDS",
    "MUTATIONS_VERSION",
    "Case",
    "Claim",
    "Hardened",
    "Kind",
    "Made",
    "Mutation",
    "OpenBox",
    "Proof",
    "Slots",
    "Survivor",
    "expect",
    "harden",
    "judge",
    "make_canaries",
    "make_impossible",
    "prove",
    "prove_mutants",
    "solved",
    "verify",
    "verify_each",
    "weaknesses",
]

_HOMES = {
    "inside._canaries": ("expect", "make_canaries"),
    "fairness._harden": ("Hardened", "harden", "weaknesses"),
    "fairness._impossible": ("KINDS", "MUTATIONS_VERSION", "Kind", "Made", "make_impossible"),
    "_many": ("Case", "verify_each"),
    "fairness._prove": ("Claim", "Proof", "prove"),
    "fairness._mutants": ("Mutation", "Survivor", "prove_mutants"),
    "_open": ("OpenBox",),
    "wire._slots": ("Slots",),
    "_solve": ("solved",),
    "_verify": ("judge", "verify"),
}

__getattr__, __dir__ = late(__name__, _HOMES)
