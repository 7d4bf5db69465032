"""The documentation of a site's interface, in two qualities, from a TOML file with a table for each endpoint.

`good` says of each endpoint what it does, each parameter, an example and the errors. `poor` is what one often finds: a
list of endpoints, names of parameters without a meaning, and none of those that are optional.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from honestly._toml import toml_table

Quality = Literal["good", "poor"]


class Endpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The documentation of an endpoint."""

    does: str
    gives: str
    takes: dict[str, str] = {}
    """What its parameters mean; the name of an optional one ends in `?`."""
    example: dict[str, Any] = {}
    errors: dict[str, str] = {}
    """Why it refuses, by status."""

    def openapi_operation(self, name: str) -> dict[str, Any]:
        """The operation of an OpenAPI document for the endpoint that is called `name`: `POST /cart`."""
        method, _, path = name.partition(" ")
        parameters, fields = [], {}
        for each, meaning in self.takes.items():
            param, required = each.rstrip("?"), not each.endswith("?")
            if f"{{{param}}}" in path or method == "GET":
                place = "path" if f"{{{param}}}" in path else "query"
                parameters.append({"name": param, "in": place, "required": required, "description": meaning})
            else:
                fields[param] = {"description": meaning}
        body = {
            "type": "object",
            "properties": fields,
            "required": [each for each in fields if each in self.takes],
            **({"example": self.example} if self.example else {}),
        }
        return {
            "summary": self.does,
            "description": f"Replies with {self.gives}.",
            "parameters": parameters,
            **({"requestBody": {"content": {"application/json": {"schema": body}}}} if fields else {}),
            "responses": {"200": {"description": self.gives}}
            | {status: {"description": why} for status, why in self.errors.items()},
        }

    def endpoint_page(self, name: str, quality: Quality) -> str:
        """The page of the endpoint that is called `name`: `POST /cart`."""
        method, _, path = name.partition(" ")
        if quality == "poor":
            params = ", ".join(each for each in self.takes if not each.endswith("?"))
            return f"{path.strip('/').partition('/')[0]}\n" + f"\nparams: {params}\n" * bool(params)
        lines = [self.does, *([""] * bool(self.takes))]
        for each, meaning in self.takes.items():
            place = "path" if f"{{{each}}}" in path else "query" if method == "GET" else "JSON body"
            lines.append(f"- `{each.rstrip('?')}` ({place}, {'optional' if '?' in each else 'required'}): {meaning}")
        lines += ["", f"Replies with {self.gives}."]
        lines += [f"Example: {name} with {json.dumps(self.example)}"] * bool(self.example)
        lines += [f"Error {status}: {why}." for status, why in self.errors.items()]
        return "\n".join(lines) + "\n"


def read_endpoints(text: str) -> Mapping[str, Endpoint]:
    """The endpoints of a TOML file, by name.

    Raises:
        ValueError: Of TOML, or of msgspec: it is not such a file.
    """
    return msgspec.convert(toml_table(text), dict[str, Endpoint])
