"""Rules for what an agent may do, and what a command would do, found without running it."""

from honestly._fields import document_fields
from honestly.permissions._effects import Effects, Ran, Touched
from honestly.permissions._file import policy_of, read_policy
from honestly.permissions._follow import ShellState, effects_of
from honestly.permissions._lookalikes import joined_of, looks_like, popular_names
from honestly.permissions._packages import installed_packages, package_name
from honestly.permissions._policy import (
    NO_POLICY,
    SECRET,
    PolicyJudgeTerms,
    Rule,
    Ruling,
    ToolPolicy,
    Word,
    parse_rules,
    settings_default,
    settings_rules,
)

__all__ = [
    "NO_POLICY",
    "SECRET",
    "Effects",
    "PolicyJudgeTerms",
    "Ran",
    "Rule",
    "Ruling",
    "ShellState",
    "ToolPolicy",
    "Touched",
    "Word",
    "effects_of",
    "installed_packages",
    "joined_of",
    "looks_like",
    "package_name",
    "parse_rules",
    "policy_of",
    "popular_names",
    "read_policy",
    "settings_default",
    "settings_rules",
]

document_fields(list(globals().values()), __name__)
