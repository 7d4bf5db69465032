"""Memory errors in C programs, found by a fuzzer and by agents, each proved by an input that crashes the program.

`Hunt` works through a `HuntOrder` on a `HuntedProject`; what it knows is a `HuntState`.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.hunt._fix import read_fix as read_fix
    from honestly.hunt._hunt import Hunt as Hunt, HuntOrder as HuntOrder, HuntState as HuntState
    from honestly.hunt._prove import HuntBuilds as HuntBuilds, prove_claim as prove_claim
    from honestly.hunt._sanitizers import HuntedProject as HuntedProject


__getattr__, __dir__ = lazy_exports(__name__)
