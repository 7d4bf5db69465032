"""The quality of the data behind a result."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from honestly.formats import DOUBTS
from honestly.records import Defect
from honestly.show import all_of, plural_text, printable_text_line

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class DataQuality:
    """Rows, trials and files of what was imported; a study that was run here has trials alone."""

    found: int
    """What was kept and what was refused."""
    kept: int
    """Trials that the study holds."""
    refused: dict[str, int]
    """What was found and not taken, by the reason: duplicates, rows that make no sense, unknown files."""
    repaired: dict[str, int]
    """What was taken otherwise than it stood there: an outcome that is not understood is void."""
    contradicting: int
    """Duplicates with another outcome than the first one, which counts."""
    doubts: tuple[str, ...] = ()
    """What was taken as it stood, and may be meant otherwise: names that look alike, columns that contradict."""

    @property
    def sentence(self) -> str:
        """All of it, where there is more to say than that everything was kept; else empty."""
        if not self.refused and not self.repaired:
            return "; ".join(map(printable_text_line, self.doubts))
        parts = [f"found {self.found:,}: kept {self.kept:,}, refused {sum(self.refused.values()):,}"]
        for words, counts in (("refused", self.refused), ("read otherwise", self.repaired)):
            each = [f"{count:,} {printable_text_line(kind)}" for kind, count in counts.items()]
            parts += [f"{words}: {all_of(each)}"] if each else []
        if self.contradicting:
            parts.append(f"{self.contradicting:,} duplicates have another outcome than the first, which counts")
        return "; ".join([*parts, *map(printable_text_line, self.doubts)])


def data_quality(kept: int, defects: Iterable[Defect]) -> DataQuality:
    """The quality of the data of a study with `kept` trials."""
    counts = {effect: Counter[str]() for effect in ("refused", "repaired", "noted")}
    doubts: list[str] = []
    unread: dict[str, None] = {}
    for defect in defects:
        if defect.kind == "column left out":
            unread |= dict.fromkeys(defect.detail.split("; "))  # of several in one place, their names
        if defect.kind in DOUBTS:
            doubts.append(defect.detail)
        counts[defect.effect][defect.kind] += defect.count
    refused, repaired = (dict(counts[effect].most_common()) for effect in ("refused", "repaired"))
    other = counts["noted"]["duplicate differs"]
    if varying := counts["noted"]["tags vary"]:
        doubts.append(f"tags of {plural_text(varying, 'task')} vary from row to row; those of the first row count")
    if unread:
        shown = all_of([*map(repr, list(unread)[:_SHOWN]), *["others"][: len(unread) > _SHOWN]])
        doubts.append(f"{plural_text(len(unread), 'column')} not read: {shown}")
    return DataQuality(kept + sum(refused.values()), kept, refused, repaired, other, tuple(dict.fromkeys(doubts)))
