"""Evidence that travels: files in one archive that shows each changed byte, signed with SSH keys.

The archive is a ZIP that is written in one way only, so that it can be written anew and compared byte by byte. Its
`statement.json` is a DSSE envelope around an in-toto statement, which names each other member by its SHA-256;
signatures are those of `ssh-keygen -Y sign`. Without a signature a bundle shows what happened to it by accident: who
writes it all anew can write anything.
"""

import gzip
import io
import re
import shutil
import subprocess
import zipfile
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from honestly.errors import FormatError
from honestly.records import encode
from honestly.work import write_file

_STATEMENT, _NAMESPACE, _LARGEST = "statement.json", "honestly-bundle", 1 << 30
_IN_TOTO, _TYPE = "application/vnd.in-toto+json", "https://in-toto.io/Statement/v1"
_FINGERPRINT = re.compile(r"key (SHA256:\S+)")


class Signature(msgspec.Struct, frozen=True):
    """Of a DSSE envelope."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True):
    """A DSSE envelope."""

    payload: str
    payloadType: str  # noqa: N815 - the standard's name
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True)
class Bundle:
    """An archive whose members are those that its statement names."""

    kind: str
    """`check`, `study` or `hunt`."""
    members: Mapping[str, bytes]
    predicate: Mapping[str, Any]
    envelope: Envelope

    def member(self, name: str) -> bytes:
        """A member, without its compression.

        Raises:
            FormatError: it is not there, or too large.
        """
        try:
            with gzip.open(io.BytesIO(self.members[f"{name}.gz"])) as file:
                data = file.read(_LARGEST + 1)
        except (KeyError, OSError, EOFError) as error:
            raise FormatError(f"the bundle has no readable {name} ({error})") from None
        if len(data) > _LARGEST:
            raise FormatError(f"{name} of the bundle is larger than {_LARGEST >> 20} MiB")
        return data


def write_bundle(place: Path, kind: str, members: Mapping[str, bytes], predicate: Mapping[str, object]) -> None:
    """Writes an archive of these files, unsigned."""
    packed = {f"{name}.gz": gzip.compress(data, 6, mtime=0) for name, data in members.items()}
    statement = {
        "_type": _TYPE,
        "subject": [{"name": name, "digest": {"sha256": sha256(data).hexdigest()}} for name, data in packed.items()],
        "predicateType": f"urn:honestly:bundle:{kind}:1",
        "predicate": predicate,
    }
    write_file(place, _archive(packed, Envelope(b64encode(encode(statement)).decode(), _IN_TOTO)))


def _archive(members: Mapping[str, bytes], envelope: Envelope) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for name, data in (*sorted(members.items()), (_STATEMENT, encode(envelope))):
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            file.writestr(info, data)
    return out.getvalue()


def read_bundle(place: Path) -> Bundle:
    """An archive, once each of its bytes was compared with its statement.

    Raises:
        FormatError: it is no bundle, or was changed after it was written.
    """
    if place.stat().st_size > _LARGEST:
        raise FormatError(f"{place} is larger than {_LARGEST >> 20} MiB")
    data = place.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = {name: file.read(name) for name in file.namelist()}
        envelope = msgspec.json.decode(members.pop(_STATEMENT), type=Envelope)
        statement = msgspec.json.decode(b64decode(envelope.payload, validate=True))
        named = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
        kind, predicate = statement["predicateType"].split(":")[3], statement["predicate"]
    except (zipfile.BadZipFile, KeyError, IndexError, ValueError, TypeError, NotImplementedError, RuntimeError,
            EOFError, Base64Error) as error:  # fmt: skip
        raise FormatError(
            f"{place} is not a bundle, or was changed after it was written ({error}); expected a file of honestly "
            "check --bundle or honestly export --to bundle"
        ) from None
    for name in sorted(named.keys() | members.keys()):
        if name not in members or sha256(members[name]).hexdigest() != named.get(name):
            what = "is gone" if name not in members else "was changed" if name in named else "was added"
            raise FormatError(f"{place} was changed after it was written: {name} {what}")
    if _archive(members, envelope) != data:
        raise FormatError(f"{place} was changed after it was written: it has bytes outside its members")
    return Bundle(kind, members, predicate, envelope)


def sign_bundle(place: Path, key: Path) -> str:
    """Signs an archive with an SSH key, beside what signed it before; the key's fingerprint.

    Raises:
        FormatError: it was changed, or cannot be signed.
    """
    bundle = read_bundle(place)
    with TemporaryDirectory() as folder:
        text = Path(folder, "statement")
        text.write_bytes(_signed_bytes(bundle.envelope))
        _ssh_keygen("-Y", "sign", "-q", "-n", _NAMESPACE, "-f", str(key), str(text))
        armoured = text.with_suffix(".sig").read_bytes()
    fingerprint = _fingerprint(bundle.envelope, armoured)
    signature = Signature(fingerprint, b64encode(armoured).decode())
    envelope = msgspec.structs.replace(bundle.envelope, signatures=(*bundle.envelope.signatures, signature))
    write_file(place, _archive(bundle.members, envelope))
    return fingerprint


def bundle_signers(bundle: Bundle, allowed: Path | None) -> tuple[str, ...]:
    """Who signed a bundle: fingerprints of keys, or who they belong to where a file of allowed signers says so.

    Raises:
        FormatError: a signature is not one of the statement, or not of an allowed signer.
    """
    found = []
    for each in bundle.envelope.signatures:
        armoured = b64decode(each.sig)
        fingerprint = _fingerprint(bundle.envelope, armoured)
        if allowed is None:
            found.append(fingerprint)
            continue
        with TemporaryDirectory() as folder:
            signature = Path(folder, "sig")
            signature.write_bytes(armoured)
            who = _ssh_keygen("-Y", "find-principals", "-s", str(signature), "-f", str(allowed)).split("\n")[0].strip()
            _ssh_keygen("-Y", "verify", "-f", str(allowed), "-I", who, "-n", _NAMESPACE, "-s", str(signature),
                        stdin=_signed_bytes(bundle.envelope))  # fmt: skip
        found.append(f"{who} ({fingerprint})")
    if allowed is not None and not found:
        raise FormatError("the bundle is not signed; expected a signature of one of the allowed signers")
    return tuple(found)


def _fingerprint(envelope: Envelope, armoured: bytes) -> str:
    with TemporaryDirectory() as folder:
        signature = Path(folder, "sig")
        signature.write_bytes(armoured)
        said = _ssh_keygen("-Y", "check-novalidate", "-n", _NAMESPACE, "-s", str(signature),
                           stdin=_signed_bytes(envelope))  # fmt: skip
    match = _FINGERPRINT.search(said)
    return match[1] if match else "an unknown key"


def _signed_bytes(envelope: Envelope) -> bytes:
    """DSSE's encoding of what is signed."""
    kind, payload = envelope.payloadType.encode(), b64decode(envelope.payload)
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _ssh_keygen(*words: str, stdin: bytes = b"") -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise FormatError("signatures need ssh-keygen, which is not on this machine (OpenSSH 8.1 or later)")
    done = subprocess.run([program, *words], input=stdin, capture_output=True, check=False, timeout=60)
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise FormatError(f"ssh-keygen refuses: {said.splitlines()[-1] if said else words[1]}")
    return done.stdout.decode("utf-8", "replace")
