"""Starts git safely, because a foreign repository can run programs.

Hooks, filters, monitors, helpers, aliases, other people's servers: git runs commands that a repository names, in its
settings, its attributes and its folders. So git is started here alone, with an environment of ours and no settings of
anybody's, and one of two ways is taken:

- To *read* a checkout, git sees its files through a folder of ours (`working_files`, `ignored_files`): index, excludes
  and objects are taken as data, and the repository's own settings are never opened.
- To *write* into a repository (`settings_shut`), each of its settings that names a program is overridden, and one that
  leads elsewhere is refused.

Not covered: faults of git itself in reading hostile objects and indexes.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.git._checkout import (
        git_folders as git_folders,
        ignored_files as ignored_files,
        working_files as working_files,
    )
    from honestly.git._endless import refuse_endless_files as refuse_endless_files
    from honestly.git._run import GIT_OPTIONS as GIT_OPTIONS, GIT_VARIABLES as GIT_VARIABLES, run_git as run_git
    from honestly.git._settings import settings_shut as settings_shut

__getattr__, __dir__ = lazy_exports(__name__)
