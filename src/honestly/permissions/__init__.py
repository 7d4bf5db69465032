"""Rules for what an agent may do, and what a command would do, found without running it."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.permissions._effects import Effects as Effects, Ran as Ran, Touched as Touched
    from honestly.permissions._file import policy_of as policy_of, read_policy as read_policy
    from honestly.permissions._follow import ShellState as ShellState, effects_of as effects_of
    from honestly.permissions._lookalikes import (
        joined_of as joined_of,
        looks_like as looks_like,
        popular_names as popular_names,
    )
    from honestly.permissions._packages import installed_packages as installed_packages, package_name as package_name
    from honestly.permissions._policy import (
        NO_POLICY as NO_POLICY,
        SECRET as SECRET,
        PolicyJudgeTerms as PolicyJudgeTerms,
        Rule as Rule,
        Ruling as Ruling,
        ToolPolicy as ToolPolicy,
        Word as Word,
        parse_rules as parse_rules,
        settings_default as settings_default,
        settings_rules as settings_rules,
    )

__getattr__, __dir__ = lazy_exports(__name__)
