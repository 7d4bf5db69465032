"""A language model reads the trials: two stages, two views, quotes that are checked, planted trials of known truth."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit.monitor._cost import (
        Estimate as Estimate,
        MonitorBudget as MonitorBudget,
        price_known as price_known,
    )
    from honestly.audit.monitor._run import (
        Monitor as Monitor,
        MonitorRun as MonitorRun,
        estimated_cost as estimated_cost,
        monitor_study as monitor_study,
    )
    from honestly.audit.monitor._verdict import (
        MONITOR as MONITOR,
        VIEWS as VIEWS,
        Quality as Quality,
        Tally as Tally,
        prevalence_of as prevalence_of,
        quality_of as quality_of,
    )


__getattr__, __dir__ = lazy_exports(__name__)
