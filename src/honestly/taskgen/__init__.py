"""Makes tasks, and certifies them with a validity record.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.taskgen._certify import certify_task
    from honestly.taskgen._export import harbor_task
    from honestly.taskgen._found import How
    from honestly.taskgen._from_commit import MakingTerms, from_commit
    from honestly.taskgen._from_mutants import from_mutants
    from honestly.taskgen._from_repo import from_repo
    from honestly.taskgen._from_tests import from_tests
    from honestly.taskgen._grow import GrowTerms, Round, grow_suite
    from honestly.taskgen._health import Traces, judged_tasks
    from honestly.taskgen._installed import install_packages
    from honestly.taskgen._journal import WantedTasks
    from honestly.taskgen._languages import Language, hidden_checks, language_named, missing_reason
    from honestly.taskgen._measured import lacking_modules, test_files, test_modules
    from honestly.taskgen._new import new_task
    from honestly.taskgen._project import python_project
    from honestly.taskgen._record import Records
    from honestly.taskgen._repository import Repository, open_repository
    from honestly.taskgen._settings import bare_settings
    from honestly.taskgen._sources import Clusters, Functions
    from honestly.taskgen._split import is_a_test, is_source, language_of, split_commit
    from honestly.taskgen._task_health import TaskHealth, task_health

__all__ = [
    "Clusters",
    "Functions",
    "GrowTerms",
    "How",
    "Language",
    "MakingTerms",
    "Records",
    "Repository",
    "Round",
    "TaskHealth",
    "Traces",
    "WantedTasks",
    "bare_settings",
    "certify_task",
    "from_commit",
    "from_mutants",
    "from_repo",
    "from_tests",
    "grow_suite",
    "harbor_task",
    "hidden_checks",
    "install_packages",
    "is_a_test",
    "is_source",
    "judged_tasks",
    "lacking_modules",
    "language_named",
    "language_of",
    "missing_reason",
    "new_task",
    "open_repository",
    "python_project",
    "split_commit",
    "task_health",
    "test_files",
    "test_modules",
]

__getattr__, __dir__ = lazy_exports(__name__)
