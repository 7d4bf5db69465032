"""The study's compression.

`pack` compresses with a content checksum, `unpack` refuses to produce more bytes than the study says there are: a
damaged or hostile study cannot make its reader run out of memory.
"""

from honestly._zstd import zstd
from honestly.errors import StudyDamagedError

_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
}


def pack(data: bytes) -> bytes:
    """`data` as one zstd frame."""
    return zstd.compress(data, options=_OPTIONS)


def unpack(data: bytes, size: int) -> bytes:
    """The `size` bytes that `pack` was given.

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
