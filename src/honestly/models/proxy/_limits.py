"""What a proxy takes from those who connect to it: how much at once, of whom, and decompressed to how much."""

import gzip
import io
import zlib
from dataclasses import dataclass

from honestly._zstd import zstd
from honestly.http import Connection, HttpLimits, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyLimits(HttpLimits):
    """What one proxy takes from those who connect to it."""

    bodies_bytes: int = 256 << 20
    """Of all requests that are being answered, together."""
    reply_bytes: int = 64 << 20
    """Of one reply; one that is longer is broken off."""
    record_bytes: int = 8 << 30
    """Of the record, before it is compressed; when it is full, nothing more is answered."""
    server_tools: bool = False
    """Whether a provider may do for a request what reaches the network: search, fetch, run code, call others."""
    patience_s: float = 10.0
    """Seconds after which a stream is begun though the model has not answered, and kept alive. Until then a failure can
    be reported with its status."""
    answer_s: float = 1200.0
    """Seconds until an answer is given up."""


@dataclass(slots=True)
class Held:
    """How much of all requests' bodies is in memory."""

    most: int
    taken: int = 0

    async def read(self, connection: Connection) -> bytes:
        """The body of the request whose head has come, as it was sent; the caller gives back its room.

        Raises:
            Refusal: It is too long, does not come, or there is no room for it.
        """
        body = bytearray()
        try:
            async for piece in connection.body(ask=True):
                if self.taken + len(piece) > self.most:
                    raise Refusal(503, "too many large requests at once; ask again")
                self.taken += len(piece)
                body += piece
        except BaseException:
            self.taken -= len(body)
            raise
        return bytes(body)


def plain(body: bytes, encoding: str, limit: int) -> bytes:
    """A request's body without its compression.

    Raises:
        Refusal: It is compressed in another way, or wrongly, or to more than `limit` bytes.
    """
    try:
        if encoding in {"", "identity"}:
            return body
        if encoding == "gzip":
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
                found = file.read(limit + 1)
        elif encoding == "zstd":
            with zstd.ZstdFile(io.BytesIO(body)) as packed:
                found = packed.read(limit + 1)
        else:
            raise Refusal(415, f"the body's encoding is {encoding[:40]!r}; expected gzip, zstd or none")
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise Refusal(400, f"the body is not the {encoding} that it claims to be: {error}") from error
    if len(found) > limit:
        raise Refusal(413, f"the request's body is longer than {limit} bytes; send less")
    return found
