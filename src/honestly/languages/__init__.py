"""The same puzzles in many languages: toolchains, a judge, kinds of failures, and the table.

`find_toolchain` looks for a language's toolchain, `load_puzzles` gives the puzzles, `judge_programs` judges what was
written for them, `cells_of` makes the table. docs/languages.md says what it all means.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.languages._ask import missing_samples
    from honestly.languages._find import find_toolchain
    from honestly.languages._judge import ProgramRun, open_bench
    from honestly.languages._puzzles import load_puzzles
    from honestly.languages._results import JudgedProgram, ProgramResults
    from honestly.languages._run import judge_programs
    from honestly.languages._samples import Drawn, ProgramSample, read_programs
    from honestly.languages._table import cells_of, correlations_of, read_corpus
    from honestly.languages._taxonomy import FAILURES, failure_of
    from honestly.languages._toolchains import TOOLCHAINS

__all__ = [
    "FAILURES",
    "TOOLCHAINS",
    "Drawn",
    "JudgedProgram",
    "ProgramResults",
    "ProgramRun",
    "ProgramSample",
    "cells_of",
    "correlations_of",
    "failure_of",
    "find_toolchain",
    "judge_programs",
    "load_puzzles",
    "missing_samples",
    "open_bench",
    "read_corpus",
    "read_programs",
]

__getattr__, __dir__ = lazy_exports(__name__)
