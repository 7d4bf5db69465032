"""Parameters of which `make test` tries some, and `make test-all` every one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["sampled"]


def sampled(values: Iterable[Any], quick: int | Callable[[Any], bool] = 1) -> list[Any]:
    """The values for `pytest.mark.parametrize`, all marked slow but the first `quick`, or those for which it is true."""
    made = []
    for at, value in enumerate(values):
        row = value if isinstance(value, tuple) else (value,)
        keep = at < quick if isinstance(quick, int) else quick(value)
        made.append(pytest.param(*row, marks=() if keep else pytest.mark.slow))
    return made
