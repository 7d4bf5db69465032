"""Shutting a repository's own settings, where git has to write into the repository itself."""

import re
from pathlib import Path

from honestly.errors import GitError
from honestly.git._checkout import git_folders, users_excludes
from honestly.git._endless import refuse_endless_files
from honestly.git._run import run_git

_PROGRAMS = re.compile(
    r"filter\..*\.(clean|smudge|process)|core\.(sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)"
    r"|gpg(\..*)?\.program|gc\.recentobjectshook|hook\..*\.command|diff\..*\.(command|textconv)|diff\.external"
    r"|merge\..*\.driver|credential(\..*)?\.helper|remote\..*\.(uploadpack|receivepack|vcs)|trailer\..*\.(command|cmd)"
    r"|pager\..*|sequence\.editor|interactive\.difffilter|(difftool|mergetool)\..*\.cmd",
    re.IGNORECASE | re.DOTALL,
)
"""Names of settings whose values git runs."""
_ELSEWHERE = re.compile(r"include\.path|includeif\..*\.path|core\.worktree", re.IGNORECASE | re.DOTALL)
"""Names of settings that lead to other files or folders, which may hold anything."""


def settings_shut(path: Path) -> dict[str, str]:
    """Variables for `run_git` that switch off settings of a repository that run programs: filters, helpers, hooks.

    Args:
        path: a folder in the repository.

    Raises:
        GitError: there is no repository, or its settings lead elsewhere; the message names the setting.
    """
    if (folders := git_folders(path)) is None:
        raise GitError(f"{path} is not a git repository: expected a folder with `.git`, or one below it")
    refuse_endless_files(folders.own, folders.common, checkout=folders.top)
    excludes = users_excludes()
    shut = [("core.excludesFile", excludes)] if excludes else []
    for file in dict.fromkeys(
        (folders.common / "config", folders.own / "config.worktree", folders.common / "config.worktree")
    ):
        if not file.exists():
            continue
        said = run_git("config", "--file", str(file), "--no-includes", "--null", "--list")
        for row in said.decode("utf-8", "surrogateescape").split("\0"):
            name, _, value = row.partition("\n")
            own_tree = name == "core.worktree" and (folders.common / value).resolve() == folders.top
            if _ELSEWHERE.fullmatch(name) and not own_tree:
                raise GitError(
                    f"{file} sets {name} to {value[:100]!r}, which leads out of the repository; remove the "
                    "setting to continue"
                )
            if _PROGRAMS.fullmatch(name):
                shut.append((name, ""))
            elif re.fullmatch(r"filter\..*\.required", name, re.IGNORECASE | re.DOTALL):
                shut.append((name, "false"))
    variables = {"GIT_CONFIG_COUNT": str(len(shut))}
    for number, (name, value) in enumerate(shut):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables
