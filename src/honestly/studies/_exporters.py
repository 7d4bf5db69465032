"""The table of those who write a study as a whole: what `export --to` names beside the formats of trials."""

from collections.abc import Iterator
from typing import Protocol

from honestly.errors import FormatError
from honestly.seams import KnownName, Seam
from honestly.store import Store


class StudyExporter(Protocol):
    """Writes a study in another tool's format, or into another program."""

    def __call__(self, study: Store, place: str, /) -> Iterator[str]:
        """Gives what it has written, in a line each.

        Args:
            study: Open for reading.
            place: What the user named: a new directory (`honestly.work.new_folder`), or an address.
        """


_REPORT, _TIDY, _OTHERS = "honestly.leaderboards._exchange", "honestly.studies._tidy_files", "honestly.integrations"
STUDY_EXPORTERS = Seam(
    kind="exporter of studies",
    group="honestly.study_exporters",
    protocol="honestly.studies.StudyExporter",
    error=FormatError,
    known=(
        KnownName("markdown", f"{_REPORT}:export_markdown", "the leaderboard in Markdown and CSV"),
        KnownName("model-index", f"{_REPORT}:export_model_index", "model cards of Hugging Face, one an agent"),
        KnownName("parquet", f"{_TIDY}:export_parquet", "a tidy table for each type of record, in Parquet"),
        KnownName("duckdb", f"{_TIDY}:export_duckdb", "the same tables in a file of DuckDB"),
        KnownName("bundle", "honestly.check._rerun:export_study_bundle", "the study in one file, for honestly rerun"),
        KnownName("mlflow", f"{_OTHERS}._mlflow:export_mlflow", "a run of MLflow for each agent"),
        KnownName("wandb", f"{_OTHERS}._wandb:export_wandb", "a run of Weights & Biases for each agent, offline"),
    ),
)
"""What can be named with `export --to` beside `honestly.formats.EXPORTERS`."""
