"""The same puzzles in many languages: toolchains, a judge, kinds of failures, and the table.

`find_toolchain` looks for a language's toolchain, `load_puzzles` gives the puzzles, `judge_programs` judges what was
written for them, `cells_of` makes the table. docs/languages.md says what it all means.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.languages._ask import missing_samples as missing_samples
    from honestly.languages._find import find_toolchain as find_toolchain
    from honestly.languages._judge import ProgramRun as ProgramRun, open_bench as open_bench
    from honestly.languages._puzzles import load_puzzles as load_puzzles
    from honestly.languages._results import JudgedProgram as JudgedProgram, ProgramResults as ProgramResults
    from honestly.languages._run import judge_programs as judge_programs
    from honestly.languages._samples import (
        Drawn as Drawn,
        ProgramSample as ProgramSample,
        read_programs as read_programs,
    )
    from honestly.languages._table import (
        cells_of as cells_of,
        correlations_of as correlations_of,
        read_corpus as read_corpus,
    )
    from honestly.languages._taxonomy import FAILURES as FAILURES, failure_of as failure_of
    from honestly.languages._toolchains import TOOLCHAINS as TOOLCHAINS


__getattr__, __dir__ = lazy_exports(__name__)
