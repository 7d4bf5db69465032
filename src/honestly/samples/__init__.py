"""Samples that models wrote for problems: pass@k and results."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.samples._pass_rates import PassRates as PassRates, pass_rates as pass_rates
    from honestly.samples._table import RatesView as RatesView


__getattr__, __dir__ = lazy_exports(__name__)
