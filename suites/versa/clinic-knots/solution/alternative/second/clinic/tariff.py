"""The price of a visit, whatever the class of the visit."""

from typing import Any

from clinic.codes import BASE_PRICES, CHECK


def price(visit: Any) -> int:
    """Cents for a visit, as `clinic.billing.fee` describes them."""
    base = BASE_PRICES[visit.code]
    quarters = -(-max(visit.minutes - 30, 0) // 15)
    if visit.code == CHECK and visit.patient.is_child(visit.day):
        return 0
    full = base + base // 10 * quarters
    return -(-full // 5) if visit.patient.insured else full
