"""An HTTP interface from a file that people write: address, methods, keys by the name of a variable, documentation.

    base = "https://shop.example.org/rest/V1"
    methods = ["GET", "POST"]
    openapi = "shop.json"                      # pages of an OpenAPI 3 document beside this file

    [headers]
    Authorization = "Bearer ${SHOP_TOKEN}"     # of the environment: keys stay out of the file

    [pages]
    "GET /products/{sku}" = "One product"

An OpenAPI document is read as JSON, from this machine only; of an operation, its summary, description, parameters, body
and replies become a page, with references into the document followed. Security schemes are not read: say in `[headers]`
what is to be sent.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from honestly._loose import read_whole
from honestly._toml import toml_table
from honestly.errors import ToolError
from honestly.http import resolved_part
from honestly.tools._http import Api

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
_MOST_BYTES = 32 << 20
_MOST_PAGES = 5000


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    base: str
    methods: tuple[str, ...] = ("GET",)
    openapi: str = ""
    headers: dict[str, str] = {}
    pages: dict[str, str] = {}


def read_api(path: Path) -> Api:
    """Read the description of an HTTP interface from a TOML file.

    Raises:
        ToolError: It cannot be read, or names a variable that is not set.
    """
    try:
        given = msgspec.convert(toml_table(_file_text(path)), _File)
        pages = _document_pages(path.parent / given.openapi) if given.openapi else {}
        return Api(
            base=given.base,
            methods=given.methods,
            headers={name: _filled(value, path) for name, value in given.headers.items()},
            pages={**pages, **given.pages},
        )
    except (ValueError, RecursionError) as error:  # of TOML, of JSON, of msgspec, of an address
        raise ToolError(
            f"{path} does not describe an HTTP interface: {error}; docs/tools.md shows one that does"
        ) from error


def _file_text(path: Path) -> str:
    return read_whole(path, _MOST_BYTES, "the description of an HTTP interface", ToolError).decode()


def _filled(value: str, path: Path) -> str:
    def variable(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise ToolError(f"{path} needs the environment variable {found[1]}, which is not set")
        return os.environ[found[1]]

    return _VARIABLE.sub(variable, value)


def _document_pages(path: Path) -> dict[str, str]:
    document = json.loads(_file_text(path))
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(paths, dict):
        raise ToolError(f"{path} is not an OpenAPI document: it has no `paths`")
    found: dict[str, str] = {}
    for place, operations in paths.items():
        for method in _METHODS:
            operation = operations.get(method) if isinstance(operations, dict) else None
            if isinstance(operation, dict) and len(found) < _MOST_PAGES:
                shared = operations.get("parameters", [])
                found[f"{method.upper()} {place}"] = _page(operation, shared, document)
    return found


def _page(operation: Mapping[str, Any], shared: object, document: Mapping[str, Any]) -> str:
    own = operation.get("parameters", [])
    parameters = [*(shared if isinstance(shared, list) else []), *(own if isinstance(own, list) else [])]
    told = {"parameters": parameters, "body": operation.get("requestBody"), "replies": operation.get("responses")}
    parts = [str(operation.get(key) or "") for key in ("summary", "description")]
    parts += [f"{name}: {json.dumps(resolved_part(part, document), indent=1)}" for name, part in told.items() if part]
    return "\n\n".join(part for part in parts if part)
