"""A simulated depot: lorries, cranes and a store, under a scheduler that is told what to do."""

from depot.kernel import Kernel, Report, Sleep, Wait
from depot.signals import Signal
from depot.store import Store

__all__ = ["Kernel", "Report", "Signal", "Sleep", "Store", "Wait"]
