"""Plan, schedule, resume: what happens when these agents try these tasks, many times."""

from honestly.runner._attempt import Attempted, attempt
from honestly.runner._execute import Executor, LocalExecutor, default_jobs
from honestly.runner._plan import Plan, Planned
from honestly.runner._run import Progress, run_plan
from honestly.runner._until import Until, Watched, rule_for

__all__ = [
    "Attempted",
    "Executor",
    "LocalExecutor",
    "Plan",
    "Planned",
    "Progress",
    "Until",
    "Watched",
    "attempt",
    "default_jobs",
    "rule_for",
    "run_plan",
]
