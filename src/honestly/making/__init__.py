"""Tasks made, and tasks vouched for: what is known of each is a record that travels with it.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.making._certify import How, certify_task, unmeasured
    from honestly.making._export import harbor_task, swe_bench_task
    from honestly.making._health import TaskJudgement, Traces, judged_tasks
    from honestly.making._new import LANGUAGES, new_task
    from honestly.making._record import Records, ValidityRecord, validity_words

__all__ = [
    "LANGUAGES",
    "How",
    "Records",
    "TaskJudgement",
    "Traces",
    "ValidityRecord",
    "certify_task",
    "harbor_task",
    "judged_tasks",
    "new_task",
    "swe_bench_task",
    "unmeasured",
    "validity_words",
]

__getattr__, __dir__ = late(__name__)
