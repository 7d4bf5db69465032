"""Makes tasks, and certifies them with a validity record."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.taskgen._certify import certify_task as certify_task
    from honestly.taskgen._export import harbor_task as harbor_task
    from honestly.taskgen._found import How as How
    from honestly.taskgen._from_commit import MakingTerms as MakingTerms, from_commit as from_commit
    from honestly.taskgen._from_mutants import from_mutants as from_mutants
    from honestly.taskgen._from_repo import from_repo as from_repo
    from honestly.taskgen._from_tests import from_tests as from_tests
    from honestly.taskgen._grow import GrowTerms as GrowTerms, Round as Round, grow_suite as grow_suite
    from honestly.taskgen._health import Traces as Traces, judged_tasks as judged_tasks
    from honestly.taskgen._installed import install_packages as install_packages
    from honestly.taskgen._journal import WantedTasks as WantedTasks
    from honestly.taskgen._languages import (
        Language as Language,
        hidden_checks as hidden_checks,
        language_named as language_named,
        missing_reason as missing_reason,
    )
    from honestly.taskgen._measured import (
        lacking_modules as lacking_modules,
        test_files as test_files,
        test_modules as test_modules,
    )
    from honestly.taskgen._new import new_task as new_task
    from honestly.taskgen._project import python_project as python_project
    from honestly.taskgen._record import Records as Records
    from honestly.taskgen._repository import Repository as Repository, open_repository as open_repository
    from honestly.taskgen._settings import bare_settings as bare_settings
    from honestly.taskgen._sources import Clusters as Clusters, Functions as Functions
    from honestly.taskgen._split import (
        is_a_test as is_a_test,
        is_source as is_source,
        language_of as language_of,
        split_commit as split_commit,
    )
    from honestly.taskgen._task_health import TaskHealth as TaskHealth, task_health as task_health


__getattr__, __dir__ = lazy_exports(__name__)
