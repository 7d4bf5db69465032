"""A text in all trajectories of a study, without an index: the chunks are read, and few steps are decoded.

Two threads unpack chunks and look through their bytes (zstd lets go of the interpreter while it works); steps that may
hold the text are decoded, in order. In memory are a few megabytes of chunks, or the longest step.
"""

from collections import deque
from collections.abc import Container, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from honestly.store._database import Database
from honestly.store._needle import Needle
from honestly.store._payloads import END, as_step, checked_chunk
from honestly.store._schema import CHUNK_BYTES
from honestly.store._types import Hit, Hits, StepPlace

_AROUND = 80
"""Characters that are shown on each side."""
_BATCH = 256 << 10
"""Compressed bytes of chunks that a thread looks through at once."""
_THREADS, _AHEAD = 2, 4
_PAGE = 1024
_CHUNK = "SELECT * FROM trajectory_chunks"


class _Run(NamedTuple):
    """Chunks of one trial that begin and end with a step."""

    trial: str
    number: int
    """Of the trial."""
    first: int
    """The step with which they begin."""
    rows: list[tuple[object, ...]]


class _Sifted(NamedTuple):
    """The rest of a run when the steps that cannot hold the text are gone."""

    run: _Run
    steps: int
    size: int
    left: list[tuple[int, bytes]]


def read_runs(db: Database, among: Container[str] | None, after: StepPlace) -> Iterator[list[_Run]]:
    """The chunks of these trials behind a place, in batches."""
    number, chunk = after.number, _chunk_of(db, after)
    wanted: set[int] | None = None
    if among is not None:
        wanted = {each for each, name in db.execute("SELECT number, id FROM trials") if name in among}
    batch: list[_Run] = []
    size, joins = 0, False
    while page := db.execute(
        "SELECT trial, chunk FROM trajectory_chunks WHERE (trial, chunk) > (?, ?) ORDER BY trial, chunk LIMIT ?",
        (number, chunk, _PAGE),
    ).fetchall():
        for number, chunk in page:
            if wanted is not None and number not in wanted:
                continue
            row = db.execute(f"{_CHUNK} WHERE trial = ? AND chunk = ?", (number, chunk)).fetchone()
            if row is None:
                continue  # the trial is being done again
            if joins and batch[-1].number == number:
                batch[-1].rows.append(row)
            else:
                if size >= _BATCH:
                    yield batch
                    batch, size = [], 0
                (name,) = db.execute("SELECT id FROM trials WHERE number = ?", (number,)).fetchone()
                batch.append(_Run(name, number, row[2], [row]))
            size, joins = size + len(row[4]), row[3] == CHUNK_BYTES  # a step that is longer goes on in the next chunk
    if batch:
        yield batch


def search_chunks(batches: Iterator[list[_Run]], needle: Needle, after: StepPlace, most: int, size: int) -> Hits:
    """The hits in these chunks, until there are enough of them or of bytes."""
    hits: list[Hit] = []
    searched, trials = 0, set[int]()
    for run, steps, length, left in _sifted_ahead(batches, needle):
        trials.add(run.number)
        for step, text in left:
            if (run.number, step) > after:
                hits += _hits(run.trial, step, text, needle)
            if len(hits) >= most:
                return Hits(hits, searched + length, len(trials), StepPlace(run.number, step))
        searched += length
        if size and searched >= size:
            return Hits(hits, searched, len(trials), StepPlace(run.number, run.first + steps - 1))
    return Hits(hits, searched, len(trials), None)


def _sifted_ahead(batches: Iterator[list[_Run]], needle: Needle) -> Iterator[_Sifted]:
    """The rest of each run, in order, while the threads are some batches ahead."""
    ahead: deque[Future[list[_Sifted]]] = deque()
    with ThreadPoolExecutor(_THREADS, "find") as pool:
        for batch in batches:
            ahead.append(pool.submit(_sifted, batch, needle))
            if len(ahead) == _AHEAD:
                yield from ahead.popleft().result()
        while ahead:
            yield from ahead.popleft().result()


def _chunk_of(db: Database, place: StepPlace) -> int:
    """The chunk before the one in which the step after this place begins."""
    found = db.execute("SELECT steps FROM trajectories WHERE trial = ?", (place.number,)).fetchone()
    if found is None or place.step + 1 >= found[0]:
        return 1 << 60
    (chunk,) = db.execute(
        "SELECT max(chunk) FROM trajectory_chunks WHERE trial = ? AND first_step <= ?", (place.number, place.step + 1)
    ).fetchone()
    return int(chunk) - 1


def _sifted(batch: list[_Run], needle: Needle) -> list[_Sifted]:
    found = []
    for run in batch:
        data = b"".join(checked_chunk(row, f"chunk {row[1]} of a trajectory") for row in run.rows)
        left: list[tuple[int, bytes]] = []
        if needle.may_be_in(data.lower()):
            texts = data.split(END)[:-1]
            left = [(run.first + index, text) for index, text in enumerate(texts) if needle.may_be_in(text.lower())]
        found.append(_Sifted(run, data.count(END), len(data), left))
    return found


def _hits(trial: str, index: int, text: bytes, needle: Needle) -> Iterator[Hit]:
    for name, whole, spans in needle.in_step(as_step(text)):
        start, end = spans[0]
        before, after = whole[max(0, start - _AROUND) : start], whole[end : end + _AROUND]
        yield Hit(trial, index, name, start, end, len(spans), before, whole[start:end], after)
