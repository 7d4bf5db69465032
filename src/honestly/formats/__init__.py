"""Other tools' files: their content as records, and their defects.

`importers_for` says from the content which importers read a place, `importer_of` gives them; docs/import.md lists all.
`read_terminal_bench` and `read_kernelbench` know a directory as a whole; the others are `FileReader`s, and `read_files`
does the bookkeeping for them. An importer yields agents, tasks and trials in an order in which a store can take them,
and at the end one `Defect` for each kind of trouble at each place. `to_atif` and
`from_atif` are one trajectory there and back, `to_adp` is one for training. `read_problems` and `read_samples` read
function-level problems (HumanEval, EvalPlus, MBPP, LiveCodeBench), and what models wrote. `read_patch` reads a diff of
files; `read_bytes`, `read_json`, `problem_rows` and `table_rows` are what readers are made of. Readers trust nothing: a
directory, a name, a file may be anything, and nothing is downloaded.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.formats._adp import to_adp as to_adp
    from honestly.formats._columns import columns_file as columns_file, save_columns as save_columns
    from honestly.formats._counted import (
        MustImportError as MustImportError,
        TableCounts as TableCounts,
        count_table as count_table,
        parquet_rows as parquet_rows,
    )
    from honestly.formats._export import safe_name as safe_name
    from honestly.formats._files import parse_json as parse_json, read_bytes as read_bytes, read_json as read_json
    from honestly.formats._imported import DIFFERENCES as DIFFERENCES, Imported as Imported, alike_names as alike_names
    from honestly.formats._kernelbench import read_kernelbench as read_kernelbench
    from honestly.formats._otel import MadeSpan as MadeSpan, spans_of as spans_of
    from honestly.formats._patch import read_patch as read_patch
    from honestly.formats._patch_write import write_patch as write_patch
    from honestly.formats._plain_pickle import read_plain_pickle as read_plain_pickle
    from honestly.formats._rows import ProblemRow as ProblemRow, problem_rows as problem_rows
    from honestly.formats._seams import (
        EXPORTERS as EXPORTERS,
        IMPORTERS as IMPORTERS,
        PROBLEMS as PROBLEMS,
        Exported as Exported,
        Exporter as Exporter,
        Importer as Importer,
        Remark as Remark,
        importer_of as importer_of,
        importer_of_several as importer_of_several,
        importers_for as importers_for,
    )
    from honestly.formats._sources import file_of as file_of
    from honestly.formats._table import DOUBTS as DOUBTS, sample_rows as sample_rows, table_rows as table_rows
    from honestly.formats._table_cells import finite_number as finite_number
    from honestly.formats._table_columns import COLUMNS as COLUMNS, columns_said as columns_said
    from honestly.formats._table_roles import likely_table as likely_table, proposed_columns as proposed_columns
    from honestly.formats._table_rules import (
        AS_IT_STANDS as AS_IT_STANDS,
        TableRules as TableRules,
        outcomes_said as outcomes_said,
        scale_of as scale_of,
    )
    from honestly.formats.atif._codec import from_atif as from_atif, to_atif as to_atif
    from honestly.formats.problems._make_task import (
        ProblemFormat as ProblemFormat,
        problem_name as problem_name,
        problem_of as problem_of,
    )
    from honestly.formats.problems._samples import Sample as Sample, read_samples as read_samples
    from honestly.formats.problems._suites import problem_format as problem_format, read_problems as read_problems
    from honestly.formats.terminal_bench._study import read_terminal_bench as read_terminal_bench


__getattr__, __dir__ = lazy_exports(__name__)
