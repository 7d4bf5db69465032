"""An extension of Inspect: our statistics as metrics, our sandbox, our verifier as a scorer, our suites as a task.

Inspect finds it by the entry point `inspect_ai` once honestly and Inspect are installed together; docs/inspect.md shows
how it is used. Needs honestly[inspect].
"""

from honestly.integrations.inspect_ai._metrics import (
    honest_interval,
    honest_mean,
    honest_pass_all,
    honest_pass_at,
    honest_stderr,
)
from honestly.integrations.inspect_ai._sandbox import HonestlySandbox, HonestlySandboxConfig
from honestly.integrations.inspect_ai._tasks import honest_verdict, suite

__all__ = [
    "HonestlySandbox",
    "HonestlySandboxConfig",
    "honest_interval",
    "honest_mean",
    "honest_pass_all",
    "honest_pass_at",
    "honest_stderr",
    "honest_verdict",
    "suite",
]
