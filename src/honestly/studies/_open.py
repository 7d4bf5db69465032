"""Opening whatever holds results, as every command does: a study, results of others, a long table, several at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from honestly._settings import method, settings_of, verb
from honestly.comparisons import PairReport, comparison
from honestly.errors import FormatError, NoResultsError, StoreError
from honestly.formats import (
    MustImportError,
    TableRules,
    columns_said,
    importer_of_several,
    importers_for,
    outcomes_said,
    parquet_rows,
    scale_of,
)
from honestly.leaderboards import StudyReport, study_report
from honestly.scores import CountedTable, DataQuality, data_quality
from honestly.store import Store, is_address, open_study, study_path
from honestly.studies._ask_settings import CompareSettings, ReportSettings
from honestly.studies._cached import merged_study_of, study_of
from honestly.studies._import import unread_sentence
from honestly.studies._open_settings import OpenSettings
from honestly.studies._study import Study

_LONG_BYTES, _LONGEST_BYTES = 1 << 20, 20 << 20
"""A table of results that is larger as text is counted and not imported; from the second on, whatever it holds."""
_ROW_BYTES = 70
"""What a row of a Parquet file takes as text, about."""


@verb(OpenSettings)
def open(settings: OpenSettings) -> Study:  # noqa: A001 - typed as honestly.open
    """Opens a study from a file, a folder or an address; imports other tools' results first.

    Results of others are imported once into your cache, and again when they change; a long table is counted, and
    imported when a question needs its trials. Of several sources the merged study is opened.

    Raises:
        StoreError: there is nothing, or a study that cannot be read.
        FormatError: it is neither a study nor results, or a setting cannot be understood.
    """
    source = settings.source
    places = [source] if isinstance(source, str | Path) else list(source)
    for place in places:
        if re.match(r"https?:/", str(place)):
            address = re.sub(":/+", "://", str(place), count=1)
            raise StoreError(f"{address} is an address, which is not read; download it, and give the file")
        if not str(place):
            raise StoreError("the name of the study is empty")
        if not is_address(place) and Path(place).is_fifo():
            raise StoreError(f"{place} is a pipe, and results are read more than once; write them to a file")
    if (given := _options_given(settings)) and all(map(_is_study, places)):
        raise FormatError(f"{given[0]} is for other tools' results; {places[0]} is a study: leave {given[0]} out")
    if len(places) > 1 and not settings.kind and not any(map(is_address, places)):
        paths = [study_path(place) for place in places]
        if (together := importer_of_several(paths, table_rules(settings))) is not None:
            study = Study(merged_study_of(paths, settings.tell, together, table_rules(settings)))
            if said := _quality(study, table_rules(settings)):
                settings.tell(said)
            return study
    opened = _opened_studies(places, settings)
    if len(opened) == 1:
        return opened[0]
    return Study(merged_study_of([each.kept().path for each in opened], settings.tell))


def _options_given(settings: OpenSettings) -> list[str]:
    """The options about other tools' results that are not left at their defaults."""
    return [said.option_names(each.name)[0] for each, said in settings_of(OpenSettings) if getattr(settings, each.name)]


def _is_study(place: str | Path) -> bool:
    return is_address(place) or (Path(place).is_file() and _is_sqlite(Path(place)))


def _opened_studies(places: Sequence[str | Path], settings: OpenSettings) -> list[Study]:
    """The studies at these places; if asked for, without those where nothing can be read."""
    opened: list[Study] = []
    for place in places:
        try:
            opened.append(_opened_study(study_path(place), settings))
        except NoResultsError as error:
            if len(places) == 1:
                raise
            if not settings.allow_refused or (place == places[-1] and not opened):
                raise NoResultsError(f"{error}; to read the other results: --allow-refused") from error
            settings.tell(f"not read: {error}")
    return opened


def table_rules(settings: OpenSettings) -> TableRules:
    """What is said of tables, and of figures that differ.

    Raises:
        FormatError: columns, a scale or an outcome are none.
    """
    return TableRules(
        columns_said(settings.columns) if settings.columns else {},
        scale_of(settings.scale) if settings.scale else None,
        outcomes_said(settings.outcome),
        settings.allow_refused,
        differences=settings.allow_difference,
    )


def _opened_study(path: Path, settings: OpenSettings) -> Study:
    rules = table_rules(settings)
    if is_address(path) or not (path.is_dir() or (path.is_file() and path.stat().st_size > 0 and not _is_sqlite(path))):
        open_study(path).close()
        return Study(path)
    kind = settings.kind or ("table" if rules.columns else "")
    table = None
    if kind in {"", "table"} and (size := _table_bytes(path, kind)) > _LONG_BYTES:
        try:
            table = TableStudy(path, settings=settings)
        except MustImportError:
            if size > _LONGEST_BYTES:
                raise
    if table is not None:
        settings.tell(f"{path} is a long table: its {table.row_count:,} rows are counted, not imported")
        said = table.data.sentence
    else:
        study = Study(study_of(path, settings.tell, settings.progress, rules, kind))
        said = _quality(study, rules)
    if said:
        settings.tell(said)
    return table or study


def _quality(study: Study, rules: TableRules) -> str:
    """What became of everything that was found.

    Raises:
        FormatError: too much of it could not be read.
    """
    with study.store() as store:
        kept, defects = len(store.cells()), list(store.defects())
    if not rules.go_on and (unread := unread_sentence(kept, defects)):
        raise FormatError(f"{unread}. To go on with the rest: --allow-refused, with this command")
    return data_quality(kept, defects).sentence


def _table_bytes(path: Path, kind: str) -> int:
    """How large a table of results is as text, about; 0 for anything else."""
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    size = parquet_rows(path) * _ROW_BYTES if is_parquet else path.stat().st_size
    return size if size > _LONG_BYTES and (kind or importers_for(path)) == "table" else 0


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return True  # opening it as a study says why it cannot be read


@dataclass(frozen=True, slots=True, repr=False)
class TableStudy(Study):
    """A long table of results: its leaderboard and pairs of agents are counted; for the rest it is imported."""

    settings: OpenSettings = OpenSettings("")  # noqa: RUF009 - frozen
    table: CountedTable = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", CountedTable(self.path, table_rules(self.settings)))

    def __repr__(self) -> str:
        return f"TableStudy({str(self.path)!r}): {self.row_count:,} rows"

    @property
    def row_count(self) -> int:
        """How many there are."""
        return self.table.counts.rows

    @property
    def data(self) -> DataQuality:
        """What was refused, and what was read otherwise."""
        return data_quality(self.row_count, self.table.defects())

    def kept(self) -> Study:
        """The study that the table makes, imported now if it was not."""
        said = self.settings
        rules, strict = table_rules(said), self.strict
        return Study(study_of(self.path, said.tell, said.progress, rules, "table" if rules.columns else ""), strict)

    def store(self, mode: Literal["read", "write"] = "read") -> Store:
        """The records themselves, of the study that the table makes."""
        return self.kept().store(mode)

    def strictly(self) -> Study:
        """This table: it has no undecided passes."""
        return self

    @method(ReportSettings)
    def report(self, settings: ReportSettings) -> StudyReport:
        """The leaderboard, as `Study.report` gives it, from counts alone."""
        policy, declared = settings.policy, settings.declared
        found = study_report(self.table, policy, settings.alpha, declared, settings.by, settings.cutoffs)
        return self.laddered(found, settings.ladder)

    @method(CompareSettings)
    def compare(self, settings: CompareSettings) -> PairReport:
        """Whether two agents can be told apart, as `Study.compare` says it, from counts alone."""
        margin = None if settings.margin is None else settings.margin / 100
        return comparison(
            self.table, settings.a, settings.b, settings.policy, settings.alpha, settings.declared, margin
        )
