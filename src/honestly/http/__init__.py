"""A small HTTP/1.1 server for untrusted clients, with limits on bytes, time and connections; and OpenAPI documents."""

from honestly._fields import document_fields
from honestly.http._connection import HOP_BY_HOP, Connection, Head, HttpLimits, Peer, Refusal
from honestly.http._openapi import ApiOperation, openapi_of_tools, openapi_operations, resolved_part
from honestly.http._serve import Reply, connection_requests, serve

__all__ = [
    "HOP_BY_HOP",
    "ApiOperation",
    "Connection",
    "Head",
    "HttpLimits",
    "Peer",
    "Refusal",
    "Reply",
    "connection_requests",
    "openapi_of_tools",
    "openapi_operations",
    "resolved_part",
    "serve",
]

document_fields(list(globals().values()), __name__)
