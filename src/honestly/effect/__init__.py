"""The effect of a change of model, prompt or setting on users' ratings, if most sessions have none.

`sessions_of_table` and `sessions_of_study` read sessions, `effect_report` estimates the difference between two arms.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.effect._effect import EffectReport, FeatureGap, effect_report, effort_effect
    from honestly.effect._liking import Benchmark, Liking, RatedFor
    from honestly.effect._sessions import Session, sessions_of_study, sessions_of_table

__all__ = [
    "Benchmark",
    "EffectReport",
    "FeatureGap",
    "Liking",
    "RatedFor",
    "Session",
    "effect_report",
    "effort_effect",
    "sessions_of_study",
    "sessions_of_table",
]

__getattr__, __dir__ = lazy_exports(__name__)
