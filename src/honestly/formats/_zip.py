"""Members of a zip archive, packed by deflate or by Zstandard, which Python's own module knows from 3.14 on only."""

import struct
import zipfile
import zlib
from typing import BinaryIO

from honestly._zstd import zstd
from honestly.errors import FormatError

# Numbers of the methods of packing.
_ZSTD, _DEFLATE, _STORED = 93, 8, 0


def zip_member(file: BinaryIO, info: zipfile.ZipInfo, limit: int) -> bytes:
    """A member of an archive, unpacked to at most `limit` bytes.

    Raises:
        FormatError: It is damaged, too large, or packed in another way.
    """
    file.seek(info.header_offset)
    local = file.read(30)
    if local[:4] != b"PK\x03\x04":
        raise FormatError("damaged: no local header; fetch it again")
    # The header beside the data may have other fields than the directory says: the data begin where it ends.
    names, extra = struct.unpack("<HH", local[26:30])
    file.seek(names + extra, 1)
    packed = file.read(info.compress_size)
    try:
        if info.compress_type == _ZSTD:
            data = zstd.ZstdDecompressor().decompress(packed, max_length=limit + 1)
        elif info.compress_type == _DEFLATE:
            data = zlib.decompressobj(-15).decompress(packed, limit + 1)
        elif info.compress_type == _STORED:
            data = packed
        else:
            raise FormatError(f"packed by method {info.compress_type}; known are zstd, deflate and none")
    except (zstd.ZstdError, zlib.error) as error:
        raise FormatError(f"damaged: {error}; fetch it again") from error
    if len(data) > limit:
        raise FormatError(f"larger than {limit >> 20} MiB when it is unpacked")
    if len(data) != info.file_size:
        raise FormatError(f"damaged: found {len(data)} bytes, expected {info.file_size}; fetch it again")
    return data
