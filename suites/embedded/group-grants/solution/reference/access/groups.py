"""Groups and their members."""


class Directory:
    """Who is in which group."""

    def __init__(self) -> None:
        self._holders: dict[str, set[str]] = {}

    def add(self, group: str, member: str) -> None:
        """Make a user or a group a member of `group`; nothing happens if it is one already."""
        if not group.startswith("@"):
            raise ValueError(f"the name of a group starts with @, this one does not: {group!r}")
        self._holders.setdefault(member, set()).add(group)

    def remove(self, group: str, member: str) -> None:
        """End a direct membership; KeyError if there is none."""
        holders = self._holders.get(member, set())
        if group not in holders:
            raise KeyError(f"{member} is not a direct member of {group}")
        holders.remove(group)

    def groups_of(self, name: str) -> frozenset[str]:
        """Every group that holds this user or group, directly or through other groups."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = self._holders.get(waiting.pop(), set()) - found
            found |= new
            waiting.extend(new)
        return frozenset(found)
