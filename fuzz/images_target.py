"""Images: any bytes are a Dockerfile or the archive of a layer, or are refused, and nothing is written elsewhere."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

from honestly.errors import SandboxError
from honestly.sandbox.images import ImageError
from honestly.sandbox.images._dockerfile import expand_words, read_dockerfile, replace_variables
from honestly.sandbox.images._layer import LayerWriter
from honestly.sandbox.images._tar import unpack_archive


def _archive(name: str, kind: bytes, link: str = "") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname, member.size = kind, link, 3 if kind == tarfile.REGTYPE else 0
        archive.addfile(member, io.BytesIO(b"abc"))
    return stream.getvalue()[:2048]


_FILE, _LINK = _archive("a/b", tarfile.REGTYPE), _archive("a", tarfile.SYMTYPE, "..")
SEEDS = (
    b"ARG A=1\nFROM x:${A:-2} AS y\nENV K='v w' L=$K\nRUN <<E cat\n$A\nE\nCOPY --from=y --chmod=1 a b\n",
    b'# escape=`\nFROM x\nRUN a `\n# c\n b\nCMD ["a", "b"]\nWORKDIR "${A:+$B}"\n',
    _FILE,
    _LINK[:512] + _FILE,
    _archive("a/.wh.b", tarfile.REGTYPE),
    _archive("h", tarfile.LNKTYPE, "a/b"),
    _archive("\u00e9" * 120, tarfile.REGTYPE),
    gzip.compress(_FILE),
)
TOKENS = (
    b"FROM ",
    b"RUN ",
    b"<<E",
    b"\\\n",
    b"${A",
    b":-",
    b"}",
    b"'",
    b'"',
    b"../",
    b"/",
    b".wh.",
    b"ustar",
    b"\0" * 512,
)


def one(data: bytes) -> None:
    """Takes the data for a Dockerfile, and for a layer's archive."""
    with suppress(ImageError):
        for stage in read_dockerfile(data.decode(errors="replace")).stages:
            for step in stage.steps:
                with suppress(ValueError):
                    replace_variables(step.text, {"A": "1 '2"})
                with suppress(ValueError):
                    expand_words(step.text, {"A": "1 '2"})
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "layer")
        with suppress(SandboxError), LayerWriter(home) as writer:
            unpack_archive(io.BytesIO(data), writer, whiteouts=True)
        assert [path.name for path in Path(folder).iterdir()] in ([], ["layer"])
        assert {path.name for path in home.iterdir()} <= {"files", "layer.json"}
