"""The names of a task's own files, so that planted trials speak of them as real ones do."""

from typing import NamedTuple

from honestly.audit.reading._places import is_test
from honestly.records import Task


class Names(NamedTuple):
    """Two files that every task has, or might have."""

    product: str = "solution.py"
    test: str = "tests/test_solution.py"

    @property
    def module(self) -> str:
        """The product as Python imports it."""
        return self.product.rpartition("/")[2].removesuffix(".py")


def names_of(task: Task | None) -> Names:
    """The first product and the first test of a task; usual names where it shows none."""
    if task is None:
        return Names()
    visible = sorted(task.visible.files.files) if task.visible is not None else []
    files = sorted(task.workspace.files)
    tests = [path for path in [*visible, *files] if is_test(path)]
    products = [path for path in files if path.endswith(".py") and not is_test(path)]
    usual = Names()
    return Names(products[0] if products else usual.product, tests[0] if tests else usual.test)
