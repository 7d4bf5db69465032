"""Improvement loops: what other people's loops claim. Loops of our own come here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.loops._claims import CLAIM_FORMATS, GainClaim, Scored, read_claims

__all__ = ["CLAIM_FORMATS", "GainClaim", "Scored", "read_claims"]

__getattr__, __dir__ = late(__name__)
