"""Other tools' files: their content as records, and their defects.

`importers_for` says from the content which importers read a place, `importer_of` gives them; docs/import.md lists all.
`read_terminal_bench` and `read_kernelbench` know a directory as a whole; the others are `FileReader`s, and `read_files`
does the bookkeeping for them. An importer yields agents, tasks and trials in an order in which a store can take them,
and at the end one `Defect` for each kind of trouble at each place. `to_atif` and
`from_atif` are one trajectory there and back, `to_adp` is one for training. `read_problems` and `read_samples` read
function-level problems (HumanEval, EvalPlus, MBPP, LiveCodeBench), and what models wrote. `read_patch` reads a diff of
files; `read_bytes`, `read_json`, `problem_rows` and `table_rows` are what readers are made of. Readers trust nothing: a
directory, a name, a file may be anything, and nothing is downloaded.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.formats._adp import to_adp
    from honestly.formats._columns import columns_file, save_columns
    from honestly.formats._counted import MustImportError, TableCounts, count_table, parquet_rows
    from honestly.formats._export import safe_name
    from honestly.formats._files import parse_json, read_bytes, read_json
    from honestly.formats._imported import DIFFERENCES, Imported, alike_names
    from honestly.formats._kernelbench import read_kernelbench
    from honestly.formats._otel import MadeSpan, spans_of
    from honestly.formats._patch import read_patch
    from honestly.formats._patch_write import write_patch
    from honestly.formats._plain_pickle import read_plain_pickle
    from honestly.formats._rows import ProblemRow, problem_rows
    from honestly.formats._seams import (
        EXPORTERS,
        IMPORTERS,
        PROBLEMS,
        Exported,
        Exporter,
        Importer,
        Remark,
        importer_of,
        importer_of_several,
        importers_for,
    )
    from honestly.formats._sources import file_of
    from honestly.formats._table import DOUBTS, sample_rows, table_rows
    from honestly.formats._table_cells import finite_number
    from honestly.formats._table_columns import COLUMNS, columns_said
    from honestly.formats._table_roles import proposed_columns
    from honestly.formats._table_rules import AS_IT_STANDS, TableRules, outcomes_said, scale_of
    from honestly.formats.atif._codec import from_atif, to_atif
    from honestly.formats.problems._make_task import ProblemFormat, problem_name, problem_of
    from honestly.formats.problems._samples import Sample, read_samples
    from honestly.formats.problems._suites import problem_format, read_problems
    from honestly.formats.terminal_bench._study import read_terminal_bench

__all__ = [
    "AS_IT_STANDS",
    "COLUMNS",
    "DIFFERENCES",
    "DOUBTS",
    "EXPORTERS",
    "IMPORTERS",
    "PROBLEMS",
    "Exported",
    "Exporter",
    "Imported",
    "Importer",
    "MadeSpan",
    "MustImportError",
    "ProblemFormat",
    "ProblemRow",
    "Remark",
    "Sample",
    "TableCounts",
    "TableRules",
    "alike_names",
    "columns_file",
    "columns_said",
    "count_table",
    "file_of",
    "finite_number",
    "from_atif",
    "importer_of",
    "importer_of_several",
    "importers_for",
    "outcomes_said",
    "parquet_rows",
    "parse_json",
    "problem_format",
    "problem_name",
    "problem_of",
    "problem_rows",
    "proposed_columns",
    "read_bytes",
    "read_json",
    "read_kernelbench",
    "read_patch",
    "read_plain_pickle",
    "read_problems",
    "read_samples",
    "read_terminal_bench",
    "safe_name",
    "sample_rows",
    "save_columns",
    "scale_of",
    "spans_of",
    "table_rows",
    "to_adp",
    "to_atif",
    "write_patch",
]

__getattr__, __dir__ = lazy_exports(__name__)
