"""What each tenant owes for a list of bills."""

from collections.abc import Mapping, Sequence

from ledger.money import format_cents, to_cents
from ledger.shares import split


def statement(lines: Sequence[tuple[str, str]], tenants: Mapping[str, int]) -> dict[str, str]:
    """The amount that every tenant owes, as text.

    `lines` are pairs of a label and an amount; every line is split by itself. `tenants` gives the weight of each
    tenant (the size of the flat).
    """
    owed = dict.fromkeys(tenants, 0)
    for _label, amount in lines:
        shares = split(to_cents(amount), list(tenants.values()))
        for tenant, share in zip(tenants, shares, strict=True):
            owed[tenant] += share
    return {tenant: format_cents(cents) for tenant, cents in owed.items()}
