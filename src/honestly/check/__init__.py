"""A verdict on one change: does it do what it says, did it break anything, is the evidence honest, is it safe to merge?

`opened_change` reads a change of a checkout, `open_suite` says how its tests are run, `check_change` gives a
`CheckResult`.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.check._change import Change as Change, opened_change as opened_change
    from honestly.check._check import CheckTerms as CheckTerms, check_change as check_change
    from honestly.check._kept import KeptParts as KeptParts
    from honestly.check._outputs import (
        check_junit as check_junit,
        check_markdown as check_markdown,
        check_page as check_page,
        check_sarif as check_sarif,
    )
    from honestly.check._review import check_reviewer as check_reviewer, tests_reviewer as tests_reviewer
    from honestly.check._suite import ProjectSuite as ProjectSuite, open_suite as open_suite
    from honestly.check._tool import CheckTool as CheckTool
    from honestly.check._verdict import CheckResult as CheckResult


__getattr__, __dir__ = lazy_exports(__name__)
