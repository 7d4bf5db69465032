"""A small HTTP/1.1 server for untrusted clients, with limits on bytes, time and connections; and OpenAPI documents."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.http._connection import (
        HOP_BY_HOP as HOP_BY_HOP,
        Connection as Connection,
        Head as Head,
        HttpLimits as HttpLimits,
        Peer as Peer,
        Refusal as Refusal,
    )
    from honestly.http._openapi import (
        ApiOperation as ApiOperation,
        openapi_operations as openapi_operations,
        resolved_part as resolved_part,
    )
    from honestly.http._serve import Reply as Reply, connection_requests as connection_requests, serve as serve

__getattr__, __dir__ = lazy_exports(__name__)
