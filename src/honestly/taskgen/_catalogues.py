"""Translations as gettext loads them (`.mo`), of the texts that a project keeps (`.po`): builds make them by msgfmt."""

import ast
import re
import struct
from contextlib import suppress

from honestly.records import File, Tree

_TEXT = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr)(?:\[\d+\])?\s+)?(".*")\s*$')


def missing_catalogues(tree: Tree) -> Tree:
    """What is loaded of each text of translations that has nothing of the kind beside it; of fuzzy ones nothing is."""
    found: dict[str, File] = {}
    for path, file in tree.files.items():
        place = f"{path.removesuffix('.po')}.mo"
        if re.search(r"/LC_MESSAGES/[^/]+\.po$", path) and place not in tree.files and not path.startswith("doc"):
            with suppress(SyntaxError, ValueError, TypeError):  # it is no such text
                found[place] = File(data=_catalogue(file.data.decode("utf-8", "replace")))
    return Tree(files=found)


def _catalogue(text: str) -> bytes:
    rows: dict[bytes, bytes] = {}
    for entry in re.split(r"\n\s*\n", text):
        said, key = dict[str, list[str]](), ""
        for found in filter(None, map(_TEXT.match, entry.splitlines())):
            word = ast.literal_eval(found[2])
            if found[1]:
                key = found[1]
                said.setdefault(key, []).append(word)
            elif key:
                said[key][-1] += word
        if "msgid" in said and any(said.get("msgstr", ())) and not re.search(r"^#,.*\bfuzzy\b", entry, re.MULTILINE):
            source = "\4".join((*said.get("msgctxt", ()), "\0".join((*said["msgid"], *said.get("msgid_plural", ())))))
            rows[source.encode()] = "\0".join(said["msgstr"]).encode()
    keys, at = sorted(rows), 28 + 16 * len(rows)
    parts = [*keys, *(rows[key] for key in keys)]
    table = b""
    for part in parts:
        table += struct.pack("<II", len(part), at)
        at += len(part) + 1
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0)
    return head + table + b"".join(part + b"\0" for part in parts)
