"""Trajectories and artifacts as chunks of compressed bytes.

A trajectory is the concatenation of its steps as JSON, each ended by the separator that no JSON contains (RS, as in RFC
7464: arguments of tool calls are kept as they were sent, line breaks included); an artifact is its bytes. Both are cut
into chunks of at most `CHUNK_BYTES`. A chunk of a trajectory ends with a step where it can; a step longer than a chunk
continues in the next ones, which have the `first_step` of the one after it. Writing holds one step and one chunk in
memory, reading likewise, whatever the size of the whole. What a trajectory says beside its steps and its end is one
row of its own, where there is any.
"""

from collections.abc import Iterable, Iterator

import msgspec

from honestly._zstd import zstd
from honestly.errors import FormatError, StoreError, StudyDamagedError
from honestly.records import Step, Trajectory, decode, encode
from honestly.store._database import Database
from honestly.store._schema import CHUNK_BYTES, intact_columns, row_sum, write_row
from honestly.store._types import Blob, Steps, TrajectoryInfo

END = b"\x1e"
"""What ends each step."""


def write_steps(connection: Database, trial: int, trajectory: Steps) -> None:
    """Store the steps of the trial with this number."""
    if trajectory is None:
        return
    steps: Iterable[Step] = trajectory.steps if isinstance(trajectory, Trajectory) else trajectory
    stop = trajectory.stop if isinstance(trajectory, Trajectory) else ""
    chunk = size = n = 0
    for first, data in _step_chunks(steps):
        write_row(connection, "trajectory_chunks", trial, chunk, first, len(data), zstd_frame(data))
        chunk, size, n = chunk + 1, size + len(data), n + data.count(END)
    write_row(connection, "trajectories", trial, n, size, stop)
    if isinstance(trajectory, Trajectory) and trajectory.head != Trajectory():
        write_row(connection, "trajectory_heads", trial, encode(trajectory.head).decode())


def read_head(connection: Database, trial: int) -> Trajectory:
    """The head of the trajectory of the trial with this number, beside its steps and its end."""
    row = connection.execute("SELECT * FROM trajectory_heads WHERE trial = ?", (trial,)).fetchone()
    return Trajectory() if row is None else decode(intact_columns("the head of a trajectory", row)[1], Trajectory)


def read_info(connection: Database, trial: int) -> TrajectoryInfo | None:
    """Length, size and end of the trajectory of the trial with this number, if it has one."""
    row = connection.execute("SELECT * FROM trajectories WHERE trial = ?", (trial,)).fetchone()
    return None if row is None else TrajectoryInfo(*intact_columns("a trajectory", row)[1:])


def read_steps(connection: Database, trial: int, start: int, stop: int | None) -> Iterator[Step]:
    """Steps `start` up to `stop` of the trial with this number, reading only the chunks that hold them."""
    total = read_info(connection, trial)
    if total is None or start >= total.steps:
        return
    # Of several chunks with this number the last one begins with the step; the others end the one before.
    chunk, index = connection.execute(
        "SELECT chunk, first_step FROM trajectory_chunks"
        " WHERE trial = ? AND first_step <= ? ORDER BY chunk DESC LIMIT 1",
        (trial, start),
    ).fetchone() or (0, 0)
    rest: list[bytes] = []
    while stop is None or index < stop:
        row = connection.execute(
            "SELECT trial, chunk, first_step, size, data, sum FROM trajectory_chunks WHERE trial = ? AND chunk = ?",
            (trial, chunk),
        ).fetchone()
        if row is None:
            if index < total.steps and read_info(connection, trial) == total:  # nor is it being done again
                raise StudyDamagedError(f"chunk {chunk} of a trajectory is lost; restore the study from a copy")
            break
        texts = checked_chunk(row, f"chunk {chunk} of a trajectory").split(END)
        for text in texts[:-1]:
            rest.append(text)
            if index >= start and (stop is None or index < stop):
                yield as_step(b"".join(rest))
            rest = []
            index += 1
        rest.append(texts[-1])
        chunk += 1


def write_artifact(connection: Database, trial: int, name: str, content: Blob, number: int = 0) -> None:
    """Store one artifact of the trial with this number, under a number of its own; 0 for the next one."""
    if not number:
        (number,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM artifacts").fetchone()
    size = 0
    for chunk, data in enumerate(_byte_chunks(content)):
        write_row(connection, "artifact_chunks", number, chunk, len(data), zstd_frame(data))
        size += len(data)
    write_row(connection, "artifacts", number, trial, name, size)


def read_artifact(connection: Database, number: int) -> Iterator[bytes]:
    """Content of the artifact with this number, chunk by chunk."""
    chunk = 0
    while row := connection.execute(
        "SELECT artifact, chunk, size, data, sum FROM artifact_chunks WHERE artifact = ? AND chunk = ?", (number, chunk)
    ).fetchone():
        yield checked_chunk(row, f"chunk {chunk} of an artifact")
        chunk += 1


def _step_chunks(steps: Iterable[Step]) -> Iterator[tuple[int, bytes]]:
    """Index of the first step that begins in a chunk, and the chunk's bytes."""
    first, buffer, index = 0, bytearray(), -1
    for index, step in enumerate(steps):
        text = _encode(step, index)
        if buffer and len(buffer) + len(text) > CHUNK_BYTES:
            yield first, bytes(buffer)
            first, buffer = index, bytearray()
        if len(text) <= CHUNK_BYTES:
            buffer += text
            continue
        yield first, text[:CHUNK_BYTES]
        first = index + 1
        for at in range(CHUNK_BYTES, len(text), CHUNK_BYTES):
            yield first, text[at : at + CHUNK_BYTES]
    if buffer:
        yield first, bytes(buffer)


def _encode(step: Step, index: int) -> bytes:
    try:
        for call in step.calls:
            for raw in call.arguments.values():
                msgspec.json.decode(raw, type=msgspec.Raw)
        return encode(step) + END
    except UnicodeEncodeError as error:
        raise StoreError(f"step {index} cannot be stored: {error}; decode its text with errors='replace'") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise StoreError(f"step {index} cannot be stored: an argument of a tool call is not JSON: {error}") from error


def _byte_chunks(content: Blob) -> Iterator[bytes]:
    pieces = (content,) if isinstance(content, bytes) else content
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        while len(buffer) >= CHUNK_BYTES:
            yield bytes(buffer[:CHUNK_BYTES])
            del buffer[:CHUNK_BYTES]
    if buffer:
        yield bytes(buffer)


def checked_chunk(row: tuple[object, ...], what: str) -> bytes:
    """The content of a row of a table of chunks, which ends with size, data and check sum."""
    *columns, expected = row
    size, data = columns[-2], columns[-1]
    if row_sum(*columns) != expected or not isinstance(size, int) or size > CHUNK_BYTES or not isinstance(data, bytes):
        raise StudyDamagedError(f"{what} does not match its check sum; restore the study from a copy")
    return unpacked_frame(data, size)


def as_step(text: bytes) -> Step:
    """A step from its JSON as a study holds it."""
    try:
        return decode(text, Step)
    except FormatError as error:
        raise StudyDamagedError(
            f"a trajectory of the study contains what is {error}; restore it from a copy"
        ) from error


# The study's compression: it writes a content checksum, and never gives more bytes than the study says there are, so
# that a damaged or hostile study cannot make its reader run out of memory.

_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}


def zstd_frame(data: bytes) -> bytes:
    """`data` as one zstd frame."""
    return zstd.compress(data, options=_OPTIONS)


def unpacked_frame(data: bytes, size: int) -> bytes:
    """The `size` bytes that `zstd_frame` was given.

    Raises:
        StudyDamagedError: the frame is damaged, or holds another number of bytes.
    """
    engine = zstd.ZstdDecompressor()
    try:
        # One byte more than expected is enough to tell that a frame is too long.
        out = engine.decompress(data, max_length=size + 1)
    except zstd.ZstdError as error:
        raise StudyDamagedError(
            f"a compressed part of the study is damaged ({error}); restore it from a copy"
        ) from error
    if len(out) != size or not engine.eof:
        raise StudyDamagedError(f"a compressed part of the study should hold {size} bytes, but does not")
    return out
