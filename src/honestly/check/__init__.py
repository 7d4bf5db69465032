"""A verdict on one change: does it do what it says, did it break anything, is the evidence honest, is it safe to merge?

`opened_change` reads a change of a checkout, `open_suite` says how its tests are run, `check_change` gives a
`CheckResult`.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.check._change import Change, opened_change
    from honestly.check._check import CheckTerms, check_change
    from honestly.check._kept import KeptParts
    from honestly.check._outputs import check_junit, check_markdown, check_page, check_sarif
    from honestly.check._review import check_reviewer, tests_reviewer
    from honestly.check._suite import ProjectSuite, open_suite
    from honestly.check._tool import CheckTool
    from honestly.check._verdict import CheckResult

__all__ = [
    "Change",
    "CheckResult",
    "CheckTerms",
    "CheckTool",
    "KeptParts",
    "ProjectSuite",
    "check_change",
    "check_junit",
    "check_markdown",
    "check_page",
    "check_reviewer",
    "check_sarif",
    "open_suite",
    "opened_change",
    "tests_reviewer",
]

__getattr__, __dir__ = lazy_exports(__name__)
