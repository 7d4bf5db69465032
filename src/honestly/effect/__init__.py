"""The effect of a change of model, prompt or setting on users' ratings, if most sessions have none.

`sessions_of_table` and `sessions_of_study` read sessions, `effect_report` estimates the difference between two arms.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.effect._effect import (
        EffectReport as EffectReport,
        FeatureGap as FeatureGap,
        effect_report as effect_report,
        effort_effect as effort_effect,
    )
    from honestly.effect._liking import Benchmark as Benchmark, Liking as Liking, RatedFor as RatedFor
    from honestly.effect._sessions import (
        Session as Session,
        sessions_of_study as sessions_of_study,
        sessions_of_table as sessions_of_table,
    )


__getattr__, __dir__ = lazy_exports(__name__)
