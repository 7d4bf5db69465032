"""Operations of an OpenAPI document as tools, and a document of tools: the one reader of such documents.

An operation's arguments are its parameters and the fields of its body, by name; a field that is called like a parameter
is `body_NAME`, and a body that is no object is `body`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

METHODS: Final = ("get", "head", "post", "put", "patch", "delete", "options")
_FORM = "application/x-www-form-urlencoded"
_DEPTH = 12
_MOST_OPERATIONS = 5000
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation of an HTTP interface."""

    name: str
    """At most 64 letters, digits, `_` and `-`; unique in its document."""
    doc: str
    schema: Mapping[str, Any]
    """JSON schema of its arguments, an object."""
    method: str
    path: str
    """Below the address of the interface: `/orders/{order}`."""
    places: Mapping[str, tuple[str, str]]
    """Where each argument goes (`path`, `query`, `field`, or `body` for the whole of it), and its name there."""
    content_type: str = ""
    """Of the body: JSON or a form; empty where it has none."""

    def request(self, arguments: Mapping[str, Any]) -> tuple[str, bytes]:
        """The target (path and query) and the body of a request with these arguments.

        Raises:
            ValueError: One is missing, or is not known.
        """
        if unknown := sorted(arguments.keys() - self.places.keys()):
            raise ValueError(f"{self.name} has no argument {unknown[0]!r}; it takes {', '.join(self.places) or 'none'}")
        if missing := [each for each in self.schema["required"] if each not in arguments]:
            raise ValueError(f"{self.name} needs the argument {missing[0]!r}")
        path, query, fields, body = self.path, [], {}, None
        for argument, value in arguments.items():
            place, name = self.places[argument]
            if place == "path":
                path = path.replace(f"{{{name}}}", quote(_plain_text(value), safe=""))
            elif place == "query":
                query += [(name, _plain_text(each)) for each in (value if isinstance(value, list) else [value])]
            elif place == "body":
                body = value
            else:
                fields[name] = value
        if self.content_type == _FORM:
            content = urlencode({name: _plain_text(value) for name, value in fields.items()}).encode()
        else:
            content = json.dumps(fields if body is None else body).encode() if self.content_type else b""
        return path + (f"?{urlencode(query)}" if query else ""), content


def openapi_operations(document: object) -> list[ApiOperation]:
    """The operations of an OpenAPI 3 document; parameters in headers and cookies are left out.

    Raises:
        ValueError: It is none.
    """
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(paths, dict):
        raise ValueError("this is not an OpenAPI document: it has no `paths`")  # noqa: TRY004 - of somebody's file
    found: dict[str, ApiOperation] = {}
    for path, operations in paths.items():
        for method in METHODS if isinstance(operations, dict) else ():
            if isinstance(operations.get(method), dict) and len(found) < _MOST_OPERATIONS:
                shared, own_part = operations.get("parameters"), operations[method]
                given = {key: resolved_part(part, document, end={}) for key, part in own_part.items()}
                own = f"{given.get('operationId') or f'{method}{path}'}"
                name = short = _ODD.sub("_", own).strip("_")[:60] or method
                while name in found:
                    name = f"{short}_{len(found)}"[-64:]
                found[name] = _operation(
                    name, method.upper(), str(path), given, resolved_part(shared, document, end={})
                )
    return list(found.values())


def _operation(name: str, method: str, path: str, given: Mapping[str, Any], shared: object) -> ApiOperation:
    properties: dict[str, Any] = {}
    places: dict[str, tuple[str, str]] = {}
    required = []
    for each in [part for some in (shared, given.get("parameters")) if isinstance(some, list) for part in some]:
        if not (isinstance(each, dict) and each.get("in") in ("path", "query") and isinstance(each.get("name"), str)):
            continue
        schema = each.get("schema")
        about = {"description": each["description"]} if each.get("description") else {}
        properties[each["name"]] = {**(schema if isinstance(schema, dict) else {}), **about}
        places[each["name"]] = each["in"], each["name"]
        required += [each["name"]] if each.get("required") or each["in"] == "path" else []
    body = given.get("requestBody")
    content = body.get("content") if isinstance(body, dict) else None
    kinds = (
        {kind: media for kind, media in content.items() if isinstance(media, dict)} if isinstance(content, dict) else {}
    )
    content_type = next((kind for kind in (*kinds, _FORM) if "json" in kind or (kind == _FORM and kind in kinds)), "")
    if isinstance(body, dict) and content_type:
        schema = kinds[content_type].get("schema")
        schema = schema if isinstance(schema, dict) else {}
        needed = schema["required"] if isinstance(schema.get("required"), list) else []
        if isinstance(schema.get("properties"), dict):
            for field, of_field in schema["properties"].items():
                argument = f"body_{field}" if field in places else field
                properties[argument], places[argument] = of_field, ("field", field)
                required += [argument] if field in needed else []
        else:
            properties["body"], places["body"] = schema, ("body", "")
            required += ["body"] if body.get("required") else []
    doc = "\n\n".join(str(given[key]) for key in ("summary", "description") if given.get(key))
    if kinds and not content_type:
        doc += f"\n\nIts body ({', '.join(kinds)}) cannot be sent by this tool."
    arguments = {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
    return ApiOperation(name, doc.strip() or f"{method} {path}", arguments, method, path, places, content_type)


def resolved_part(part: object, document: Mapping[str, Any], depth: int = 0, *, end: object = "...") -> object:
    """A part of a document with its references replaced by their targets, to a limited depth."""
    if not isinstance(part, dict | list):
        return part
    if depth >= _DEPTH:
        return end
    if isinstance(part, list):
        return [resolved_part(each, document, depth + 1, end=end) for each in part]
    place = part.get("$ref")
    if isinstance(place, str) and place.startswith("#/"):
        target: object = document
        for key in place[2:].split("/"):
            target = target.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        return resolved_part(target, document, depth + 2, end=end)
    return {key: resolved_part(value, document, depth + 1, end=end) for key, value in part.items()}


def _plain_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
