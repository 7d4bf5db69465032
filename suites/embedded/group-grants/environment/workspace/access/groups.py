"""Groups and their members."""


class Directory:
    """Who is in which group."""

    def __init__(self) -> None:
        self._holders: dict[str, set[str]] = {}
        self._known: dict[str, frozenset[str]] = {}

    def add(self, group: str, member: str) -> None:
        """Make a user or a group a member of `group`; nothing happens if it is one already."""
        if not group.startswith("@"):
            raise ValueError(f"the name of a group starts with @, this one does not: {group!r}")
        self._holders.setdefault(member, set()).add(group)
        self._known.pop(member, None)

    def remove(self, group: str, member: str) -> None:
        """End a direct membership; KeyError if there is none."""
        holders = self._holders.get(member, set())
        if group not in holders:
            raise KeyError(f"{member} is not a direct member of {group}")
        holders.remove(group)
        self._known.pop(member, None)

    def groups_of(self, name: str) -> frozenset[str]:
        """Every group that holds this user or group, directly or through other groups."""
        if name not in self._known:
            found: set[str] = set()
            waiting = [name]
            while waiting:
                new = self._holders.get(waiting.pop(), set()) - found
                found |= new
                waiting.extend(new)
            self._known[name] = frozenset(found)
        return self._known[name]
