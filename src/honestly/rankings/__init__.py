"""Ranks agents over several suites, or by people's preferences."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.rankings._model import model_report as model_report
    from honestly.rankings._preferences import preference_report as preference_report


__getattr__, __dir__ = lazy_exports(__name__)
