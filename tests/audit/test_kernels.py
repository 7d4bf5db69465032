"""Kernels: each way to cheat is found, its lookalike by nobody; and what is known of real ones stays so."""

from __future__ import annotations

import pytest
from planted_kernels import KERNELS
from test_planted import flagged


@pytest.mark.parametrize("name", KERNELS)
def test_the_cheat_is_found(name: str) -> None:
    detector, cheat, _ = KERNELS[name]
    assert detector in flagged(cheat)


@pytest.mark.parametrize("name", KERNELS)
def test_the_lookalike_is_left_in_peace(name: str) -> None:
    _, _, lookalike = KERNELS[name]
    assert flagged(lookalike) == {}
