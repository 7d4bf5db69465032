"""Who processes are: in the box, one user and its keeper; on the machine outside, ids that nothing else there has.

Nothing here asks the kernel for more than Python has functions for, so that the outside can share it.
"""

from __future__ import annotations

import os

USER = 1000
"""The id, inside the box, of everything that the box runs."""

_NEEDED = (1 << 21) | (1 << 7) | (1 << 6)  # SYS_ADMIN, SETUID, SETGID
RANGE = 1 << 16
"""How many ids there are in a box whose commands may have any."""

_HIGH = 2_000_000_000
_BITS = 22
# Above all that `new_identity` draws, two ids at a time.
_RANGES = _HIGH + 100_000_000
_RANGE_BITS = 9


class Identity:
    """Who the box's processes are on the machine outside."""

    __slots__ = ("first", "gid", "ids", "privileged", "uid")

    def __init__(
        self, *, privileged: bool, uid: int, gid: int, ids: tuple[int, ...] = (USER, USER), first: int = 0
    ) -> None:
        """State an identity.

        Args:
            privileged: Built by a capable root: keeper and commands have ids that nothing else on the machine uses.
            uid: Outside: of the keeper if `privileged`, and that plus one of the box's user; else of both.
            gid: Likewise.
            ids: Inside: user, group and further groups of commands.
            first: Outside: the first of `RANGE` ids that the box has, the keeper's being 0 of them; 0 if it has not.
        """
        self.privileged = privileged
        self.uid = uid
        self.gid = gid
        self.ids = ids
        self.first = first

    @property
    def owner(self) -> tuple[int, int]:
        """User and group of an image's files, as the keeper numbers them before it enters its user namespace."""
        if self.first:
            return self.first, self.first
        return (self.uid + 1, self.gid + 1) if self.privileged else (self.ids[0], self.ids[1])

    @property
    def user(self) -> tuple[int, int]:
        """User and group of commands, likewise."""
        return (self.first + self.ids[0], self.first + self.ids[1]) if self.first else self.owner

    @property
    def shares_one_id(self) -> bool:
        """Whether commands believe to be somebody of an image's, and there is one id for all."""
        return not self.first and self.ids != (USER, USER)

    def acting_as(self, ids: tuple[int, ...]) -> Identity:
        """An identity for a box whose commands have given ids inside, with a range of ids where there is one."""
        first = 0
        if self.privileged and self.uid == self.gid == _HIGH:
            first = _RANGES + (int.from_bytes(os.urandom(4), "little") >> (32 - _RANGE_BITS)) * RANGE
        privileged = self.privileged and first > 0
        uid, gid = (self.uid, self.gid) if privileged else (os.geteuid(), os.getegid())
        return Identity(privileged=privileged, uid=uid, gid=gid, ids=ids, first=first)

    def new_identity(self) -> Identity:
        """The identity of one keeper, so that boxes share nothing that the kernel counts by user.

        It is drawn by lot. Any number of the keeper's own would say, in each fork's memory, how far the machine's
        counters are.
        """
        if not self.privileged or self.uid != _HIGH or self.gid != _HIGH:
            return self
        number = _HIGH + 2 * (int.from_bytes(os.urandom(4), "little") >> (32 - _BITS))
        return Identity(privileged=True, uid=number, gid=number, ids=self.ids, first=self.first)

    def put_on(self) -> None:
        """Act with the user's identity and rights from now on, keeping the way back."""
        if self.privileged:
            os.setegid(self.ids[1])
            os.seteuid(self.ids[0])

    def take_off(self) -> None:
        """Act as the keeper again."""
        if self.privileged:
            os.seteuid(0)
            os.setegid(0)


def choose_identity() -> Identity:
    """Decide how ids are mapped: to unused ones if this process may do that, else to its own."""
    status = _file_bytes("/proc/self/status").split()
    capabilities = int(status[status.index(b"CapEff:") + 1], 16)
    uid, gid = _unused_id("/proc/self/uid_map"), _unused_id("/proc/self/gid_map")
    if os.geteuid() == 0 and capabilities & _NEEDED == _NEEDED and uid and gid:
        return Identity(privileged=True, uid=uid, gid=gid)
    return Identity(privileged=False, uid=os.geteuid(), gid=os.getegid())


def _unused_id(path: str) -> int:
    """Return the first of two ids that exist in this user namespace but belong to nobody; 0 if all are taken."""
    numbers = [int(number) for number in _file_bytes(path).split()]
    first, count = max(zip(numbers[::3], numbers[2::3], strict=True), key=lambda extent: extent[1])
    if first <= _HIGH and first + count > _RANGES + (RANGE << _RANGE_BITS):
        return _HIGH
    return first + count - 4 if count > USER else 0


def _file_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
