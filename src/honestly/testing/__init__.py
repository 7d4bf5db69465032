"""Contract tests for what you add to honestly: each takes your object, or its name, and raises an AssertionError.

    from honestly.testing import check_detector

    def test_my_detector():
        check_detector("my_module:DETECTOR")

They are plain functions: pytest is not needed. `honestly plugin new KIND NAME` writes a file and its test, and
docs/extending.md says what each seam expects. What is built in passes the same checks.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.testing._acting import (
        check_agent as check_agent,
        check_model as check_model,
        check_sandbox as check_sandbox,
        check_scaffold as check_scaffold,
        check_tool as check_tool,
    )
    from honestly.testing._detectors import case_of_commands as case_of_commands, check_detector as check_detector
    from honestly.testing._files import (
        check_exporter as check_exporter,
        check_importer as check_importer,
        check_layout as check_layout,
        check_problems as check_problems,
    )
    from honestly.testing._loops import check_loop as check_loop


__getattr__, __dir__ = lazy_exports(__name__)
