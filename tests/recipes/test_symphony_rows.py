"""The table of rows is whole: each names a test that is there, or says why there is none."""

import re
from pathlib import Path

from symphony_rows import NONE, ROWS

HERE = Path(__file__).parent


def test_each_row_names_a_test_that_is_there():
    missing = []
    for section, row, test in ROWS:
        if test.startswith(NONE):
            assert len(test) > len(NONE)
            continue
        file, _, name = test.partition("::")
        found = re.search(rf"^def {re.escape(name.partition('[')[0])}\(", (HERE / file).read_text(), re.MULTILINE)
        if not found:
            missing.append((section, row, test))
    assert missing == []


def test_no_row_is_there_twice():
    assert len({(section, row) for section, row, _ in ROWS}) == len(ROWS)
