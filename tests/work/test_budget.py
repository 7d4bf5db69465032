"""Budgets as people write them."""

import pytest

from honestly.errors import BudgetError
from honestly.work import Budget, read_budget

ALL = Budget.__struct_fields__


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("2h", Budget(seconds=7200.0)),
        ("$5", Budget(usd=5.0)),
        ("$ 2k, 1 usd", Budget(usd=2001.0)),
        ("40 evaluations, 1 Trial", Budget(evaluations=40, trials=1)),
        ("5M tokens, 0.2 attempts, 3 calls", Budget(tokens=5_000_000, attempts=1, calls=3)),
        ("2 cpu-h, 30 cpu-min, 15 s", Budget(cpu=9000.0, seconds=15.0)),
    ],
)
def test_a_budget_is_read(text, budget):
    assert read_budget(text, ALL, "2h") == budget


@pytest.mark.parametrize("text", ["", ",", "5", "$", "$-1", "5 apples", "-1 usd", "1.2.3 h", "nan usd"])
def test_what_is_no_budget_is_said_with_an_example(text):
    with pytest.raises(BudgetError, match='"2h"'):
        read_budget(text, ALL, "2h")


@pytest.mark.parametrize("text", ["0 usd", "-5 usd", "2h, 0 trials"])
def test_an_amount_that_is_not_above_0_is_said_to_be_that(text):
    with pytest.raises(BudgetError, match="is not above 0"):
        read_budget(text, ALL, "2h")


def test_an_amount_that_cannot_be_kept_is_refused():
    with pytest.raises(BudgetError, match="'3 attempts' is not understood; expected numbers of s, m, h, "):
        read_budget("3 attempts", ("seconds", "trials"), "2h")
