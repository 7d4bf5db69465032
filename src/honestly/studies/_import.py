"""Somebody else's results as a new study, which is there whole or not at all."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from honestly.errors import FormatError, StoreError
from honestly.formats import (
    AS_IT_STANDS,
    DIFFERENCES,
    Importer,
    TableRules,
    alike_names,
    file_of,
    importer_of,
    importers_for,
)
from honestly.records import Defect, StudyFacts
from honestly.scratch import scratch_folder
from honestly.store import Store, copy_study, create_study, is_address

SOURCE_UNREAD = "source not read"
"""A source of several in which nothing could be read."""
_UNREAD = frozenset(
    {SOURCE_UNREAD, "unreadable file", "unreadable run", "unreadable sample", "unreadable trial", "row refused",
     "line refused"}
)  # fmt: skip
# The share of what is found that may be unreadable.
_MOST_UNREAD = 0.02
# Files named in a message.
_SHOWN = 3


class FileCount(NamedTuple):
    """The result of importing one file: `found` is `kept` and `refused`."""

    file: str
    found: int
    kept: int
    refused: int
    repaired: int


def count_files(study: Store) -> list[FileCount]:
    """The counts of what an imported study kept of each file, refused, and repaired; by name."""
    kept = Counter(file_of(trial.source) or "-" for trial in study.trials())
    refused, repaired = Counter[str](), Counter[str]()
    for defect in study.defects():
        if defect.effect != "noted":
            counts = refused if defect.effect == "refused" else repaired
            counts[file_of(defect.where)] += defect.count
    return [
        FileCount(name, kept[name] + refused[name], kept[name], refused[name], repaired[name])
        for name in sorted(kept | refused | repaired)
    ]


def import_results(
    source: Path,
    out: Path,
    kind: str | Importer | None = None,
    progress: Callable[[str, int], None] | None = None,
    rules: TableRules = AS_IT_STANDS,
) -> list[Defect]:
    """Imports results into a new study; leaves nothing if it is stopped.

    Args:
        source: where the results lie.
        out: the study's file.
        kind: what `import --from` takes, or a reader; None for the one that recognises what is there.
        progress: told where it reads, and how many trials it has read.
        rules: what the user says of tables: which column is what, the scale, words for outcomes.

    Returns:
        What was odd about the source.

    Raises:
        FormatError: nothing there can be read, or a figure that the tool printed is not what its trials give.
        StoreError: there is a study already, or it cannot be written.
    """
    found = importers_for(source) if kind is None else kind
    read = importer_of(found, rules) if isinstance(found, str) else found
    try:
        with new_study(out, StudyFacts(imported_from=source.name)) as study:
            study.add(read(source, progress))
            study.add(filter(None, [alike_names(agent.name for agent in study.agents())]))
            defects = list(study.defects())
            if not rules.differences:
                differing = [each for each in defects if each.kind in DIFFERENCES]
                if differing:
                    shown = "; ".join(f"{each.where}: {each.kind}: {each.detail}" for each in differing[:_SHOWN])
                    raise FormatError(
                        f"{shown}{'; …' if len(differing) > _SHOWN else ''}. Figures that the other tool printed are "
                        "not what its "
                        "trials give, so nothing was imported. Look for the trials or files that are missing or "
                        "changed; to go on "
                        "with what the trials give, add --allow-difference, with this command or honestly study import"
                    )
            return defects
    except FormatError as error:
        if isinstance(kind, str) and (other := _other_format(source, kind)):
            raise FormatError(f"{source} is no result of {kind}; it looks like {other}: leave --from out") from error
        raise


def _other_format(source: Path, kind: str) -> str:
    """The formats that are known by the source's content, if it is none that was named."""
    with suppress(FormatError):
        found = importers_for(source)
        return "" if kind in found.split(", ") else found
    return ""


def unread_sentence(kept: int, defects: Iterable[Defect]) -> str:
    """What could not be read of results with `kept` trials, if that is too much to leave it out; else empty."""
    lost = [each for each in defects if each.kind in _UNREAD and each.effect == "refused"]
    count = sum(each.count for each in lost)
    if not any(each.kind == SOURCE_UNREAD for each in lost) and count <= _MOST_UNREAD * (kept + count):
        return ""
    shown = "; ".join(f"{each.where}: {each.kind}: {each.detail}" for each in lost[:_SHOWN])
    return f"{count:,} of {kept + count:,} could not be read: {shown}{'; …' if len(lost) > _SHOWN else ''}"


@contextmanager
def new_study(out: Path, facts: StudyFacts) -> Iterator[Store]:
    """A study to be filled, which is at `out` when this ends, whole, or not at all.

    Raises:
        StoreError: there is something already, or it cannot be written.
    """
    if out.exists():
        raise StoreError(f"{out} exists already; this makes a new study, so give another name or remove it")
    if is_address(out):
        with scratch_folder("import") as folder:
            part = Path(folder, "new.honestly")
            with create_study(part, facts) as study:
                yield study
            copy_study(part, out)  # in bulk
        return
    part = out.with_name(out.name + ".part")
    _remove_part(part)
    try:
        with create_study(part, facts) as study:
            yield study
        part.rename(out)
    finally:
        _remove_part(part)


def _remove_part(part: Path) -> None:
    """Removes an unfinished study, and what its store keeps beside it."""
    for left in part.parent.glob(part.name + "*"):
        left.unlink()
