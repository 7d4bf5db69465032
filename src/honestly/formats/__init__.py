"""Other people's files: what they hold as our records, and what is wrong with them.

`read_terminal_bench` reads the results of Terminal-Bench. A reader yields agents, tasks and trials in an order in which
a store can take them, and at the end one `Defect` for each kind of trouble at each place. `read_problems` and
`read_samples` read function-level problems (HumanEval, EvalPlus, MBPP, LiveCodeBench) and what models wrote for them.
`read_patch` reads a diff of files; `read_bytes`, `read_json` and `rows` are what readers are made of. Readers trust
nothing: a directory, a name, a file may be anything, and nothing is downloaded.
"""

from honestly.formats._files import read_bytes, read_json
from honestly.formats._make_task import problem_of
from honestly.formats._names import problem_name
from honestly.formats._patch import Patch, read_patch
from honestly.formats._problems import PROBLEM_FORMATS, problem_format, read_problems
from honestly.formats._rows import Row, rows
from honestly.formats._samples import Sample, read_samples
from honestly.formats._terminal_bench import Imported, Progress, read_terminal_bench

__all__ = [
    "PROBLEM_FORMATS",
    "Imported",
    "Patch",
    "Progress",
    "Row",
    "Sample",
    "problem_format",
    "problem_name",
    "problem_of",
    "read_bytes",
    "read_json",
    "read_patch",
    "read_problems",
    "read_samples",
    "read_terminal_bench",
    "rows",
]
