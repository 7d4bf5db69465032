"""Where a study is: the path of a file, or the address of one in a PostgreSQL database.

    postgresql://USER@HOST:PORT/DATABASE#STUDY

An address goes wherever a study's path goes, as a path of its own kind: it is there if the database has such a study,
and is no other path's parent. What stands between `//` and `#` is libpq's own (`?sslmode=require` too); what is left
out comes from its variables, `PGHOST` and the like. A password has no place in it: it would be seen in the list of
processes, in the shell's history and in every message. libpq takes it from `PGPASSWORD` or `~/.pgpass`.
"""

import re
from hashlib import blake2b
from pathlib import Path, PosixPath
from urllib.parse import parse_qsl

from honestly.errors import StoreError
from honestly.work import user_folder

_ADDRESS = re.compile(
    r"postgres(?:ql)?:/+(?P<server>[^/?#]*/)?(?P<database>[^/?#]*)(?P<query>\?[^#]*)?(?:#(?P<study>.*))?"
)
_LONGEST = 35
"""Bytes of a study's name in a database, at most: a schema's may have 63, and `dropped/TIME/` takes 28 of them."""
_STUDY = re.compile(r"(?:archived/|dropped/[^/]+/)?(?P<name>[^/]*)", re.DOTALL)
_SECRETS = {"password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret"}


class StudyAddress(PosixPath):
    """A study in a database, or with no name of a study the database itself; made by `study_path`."""

    def __str__(self) -> str:
        if (found := _ADDRESS.fullmatch(super().__str__())) is None:  # a part of an address
            return super().__str__()
        server = (found["server"] or "/").removesuffix("/")
        study = f"#{found['study']}" if found["study"] else ""
        return f"postgresql://{server}/{found['database']}{found['query'] or ''}{study}"

    @property
    def study(self) -> str:
        """Name of the study, which is that of a schema; empty for the database itself."""
        found = _ADDRESS.fullmatch(super().__str__())
        assert found is not None
        return found["study"] or ""

    @property
    def connection_info(self) -> str:
        """The connection string for libpq."""
        return str(self).partition("#")[0]

    @property
    def stem(self) -> str:
        """The study's name on pages."""
        return self.study

    def with_study(self, study: str) -> "StudyAddress":
        """The address of another study in the same database."""
        return StudyAddress(f"{self.connection_info}#{study}")

    def exists(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - the signature of newer Pythons
        """Whether the database has such a study. StoreError where it cannot be asked."""
        from honestly.store._postgres_schema import has_study

        return has_study(self)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether there is such a study."""
        return self.exists(follow_symlinks=follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002
        """No."""
        return False

    def is_symlink(self) -> bool:
        """No."""
        return False

    def resolve(self, strict: bool = False) -> "StudyAddress":  # noqa: ARG002 - as in `Path`
        """The address itself."""
        return self

    def absolute(self) -> "StudyAddress":
        """The address itself."""
        return self


def is_address(place: Path | str) -> bool:
    """Whether this names a study in a database."""
    return str(place).startswith(("postgresql:/", "postgres:/"))


def study_path(place: Path | str) -> Path:
    """Where a study is.

    Args:
        place: the path of a file, or an address; also one that became a plain path on its way here.

    Raises:
        StoreError: it is an address with a password, or none that can be understood.
    """
    if isinstance(place, StudyAddress) or not is_address(place):
        return Path(place) if isinstance(place, str) else place
    found = _ADDRESS.fullmatch(str(place))
    server, query = (found["server"] or "", found["query"] or "") if found else ("", "")
    secret = ":" in server.rpartition("@")[0] or any(name in _SECRETS for name, _ in parse_qsl(query[1:]))
    # Nothing of the text is said again before it is known to hold no secret.
    if secret or found is None or "@" in (found["database"] or ""):
        raise StoreError(
            "the address of a study contains a password, or cannot be read; expected "
            "postgresql://USER@HOST:PORT/DATABASE#STUDY. Put the password into PGPASSWORD or ~/.pgpass: in an address "
            "everybody sees it who sees the command"
        )
    study = found["study"] or ""
    parts = _STUDY.fullmatch(study)
    name = parts["name"] if parts else "."
    taken = name in {".", ".."} or study.startswith("$")  # $user is PostgreSQL's
    if taken or len(name.encode("utf-8", "surrogatepass")) > _LONGEST or not name.isprintable():
        raise StoreError(
            f"{study!r} is not a name for a study in a database; expected at most {_LONGEST} printable bytes, "
            "without a "
            "slash, no $ first, not a dot alone"
        )
    return StudyAddress(str(place))


def state_folder(address: StudyAddress) -> Path:
    """Where this machine keeps what belongs to a study in a database, and is not in it."""
    text = str(address)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text.partition("@")[2] or text.partition("//")[2]).strip("-.")[-80:]
    return user_folder("state") / "postgresql" / f"{name}-{blake2b(text.encode(), digest_size=4).hexdigest()}"
