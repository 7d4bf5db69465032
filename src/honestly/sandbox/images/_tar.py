"""Archives of root file systems, read as hostile bytes while they stream by, into a layer."""

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO, cast

from honestly._zstd import zstd
from honestly.errors import SandboxLimitError
from honestly.sandbox.images._layer import Attributes, LayerWriter, path_in_layer
from honestly.sandbox.images._model import ImageError

_CHUNK = 1 << 20
MOST_BYTES = 256 << 30
TOO_LONG = (
    f"the archive announces a file beyond {MOST_BYTES >> 30} GiB, which is more than the store takes: make it anew"
)
_HIDDEN, _ALL_HIDDEN = ".wh.", ".wh..wh..opq"


def unpack_archive(stream: IO[bytes], writer: LayerWriter, *, below: str = "", whiteouts: bool = False) -> str:
    """Write what an archive holds, packed by gzip, bzip2, xz, zstd or not at all, into a layer.

    Devices, pipes and sockets are left out; so is what lies in `/dev`, `/proc` and `/sys`.

    Args:
        stream: The archive; it need not be able to go back.
        writer: Of the layer.
        below: A directory of the layer to unpack it into.
        whiteouts: Names that begin with `.wh.` take away what the layers below have.

    Returns:
        SHA-256 of the archive, unpacked, in hexadecimal digits.

    Raises:
        ImageError: It is not a whole archive, or leads out of the layer.
        SandboxLimitError: It holds more than the store takes.
    """
    try:
        with unpacked_stream(stream) as source:
            forward = Forward(source)
            archive = tarfile.TarFile(fileobj=cast("IO[bytes]", forward), errors="surrogateescape")
            while (member := archive.next()) is not None:
                _write(archive, member, writer, below, whiteouts=whiteouts)
                vars(archive)["members"].clear()  # or it would remember them all
            if forward.last.strip(b"\0") or not forward.last:
                raise EOFError("it has no end mark")  # at which `tarfile` stops without a word
            return forward.rest_digest()
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise SandboxLimitError(f"the archive cannot be unpacked: {error}") from error
        raise damaged_archive(error) from error


def damaged_archive(error: Exception) -> ImageError:
    """What is said of an archive that cannot be read; Python's words for a header that makes no sense say nothing."""
    said = str(error) if isinstance(error, tarfile.TarError | EOFError | OSError) else "a header of it makes no sense"
    return ImageError(f"the archive is damaged, or no archive: {said}; expected one that `tar` can list: make it anew")


@contextmanager
def unpacked_stream(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """The content of a stream, unpacked if it is packed.

    Raises:
        ImageError: It is damaged.
    """
    source = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", stream))
    start = source.peek(6)
    packers = (
        (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream)),
        (b"BZh", bz2.BZ2File),
        (b"\xfd7zXZ", lzma.LZMAFile),
        (b"\x28\xb5\x2f\xfd", zstd.ZstdFile),
    )
    try:
        for magic, packer in packers:
            if start.startswith(magic):
                with packer(source) as file:
                    yield cast("IO[bytes]", file)
                return
        yield source
    except (EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError, gzip.BadGzipFile) as error:
        raise ImageError(f"the archive is damaged: {error}") from error


class Forward:
    """A stream that goes forward only, and of which nothing reads much at once: a header may announce any length."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._at = stream, 0
        self._hash = hashlib.sha256()
        self.last = b""
        """What was read last."""

    def rest_digest(self) -> str:
        """Read to the end, and return the hash of everything."""
        while self.read(_CHUNK):
            pass
        return self._hash.hexdigest()

    def tell(self) -> int:
        return self._at

    def seek(self, goal: int) -> None:
        if not self._at <= goal < MOST_BYTES:
            raise ImageError(TOO_LONG)
        while self._at < goal:
            if not self.read(min(goal - self._at, _CHUNK)):
                raise EOFError("it is cut off")

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _CHUNK:
            raise ImageError(f"the archive announces a header of {size} bytes; at most {_CHUNK} are accepted")
        data = self._stream.read(size)
        self._at += len(data)
        self._hash.update(data)
        self.last = data
        return data


def _write(
    archive: tarfile.TarFile, member: tarfile.TarInfo, writer: LayerWriter, below: str, *, whiteouts: bool
) -> None:
    path = path_in_layer(f"{below}/{path_in_layer(member.name)}")
    folder, _, name = path.rpartition("/")
    if path.startswith(("dev/", "proc/", "sys/")):
        return
    if whiteouts and name.startswith(_HIDDEN):
        hidden = folder if name == _ALL_HIDDEN else f"{folder}/{name.removeprefix(_HIDDEN)}".strip("/")
        if hidden not in {"", ".", ".."}:
            writer.remove(path_in_layer(hidden))
        return
    attributes = Attributes(member.mode, member.uid, member.gid, min(max(member.mtime, 0), 1 << 40))
    if member.isdir():
        writer.folder(path, attributes)
    elif not path:
        raise ImageError("the archive contains a file where its root directory should be")
    elif member.issym():
        writer.add_link(path, member.linkname, attributes)
    elif member.islnk():
        if not writer.add_hardlink(path, path_in_layer(f"{below}/{path_in_layer(member.linkname)}")):
            raise ImageError(
                f"the archive has a link {path[:200]!r} to {member.linkname[:200]!r}, which it does not hold"
            )
    elif member.isreg():
        writer.add_file(path, _content(archive, member), attributes)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    file = archive.extractfile(member)
    assert file is not None
    left = member.size
    with closing(file):
        while left > 0:
            if not (chunk := file.read(min(left, _CHUNK))):
                raise EOFError(f"{member.name[:200]!r} lacks {left} bytes")
            left -= len(chunk)
            yield chunk
