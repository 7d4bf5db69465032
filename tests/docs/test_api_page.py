"""The page of the library names all that is public, and says of each name what it is."""

import re
import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "api.py"


def test_the_page_of_the_library_is_written_anew_and_leaves_no_name_without_a_word():
    text = runpy.run_path(str(SCRIPT))["page"]()
    assert text == SCRIPT.with_suffix(".md").read_text("utf-8"), "run: python docs/api.py"
    rows = re.findall(r"^\| `(.+?)` \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) > 1500
    assert [use for use, says in rows if not says] == []
