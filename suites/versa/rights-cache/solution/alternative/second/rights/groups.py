"""Groups, whose names begin with @. Members are users and other groups."""

from __future__ import annotations


class Groups:
    """Who is in which group."""

    def __init__(self) -> None:
        self._members: dict[str, set[str]] = {}
        self._users: dict[str, frozenset[str]] = {}

    def join(self, member: str, group: str) -> None:
        """Puts a member into a group. ValueError if it is there, or if a group would be in itself."""
        members = self._members.setdefault(group, set())
        if member in members:
            raise ValueError(f"{member} is in {group} already")
        if member == group or member in self.groups_of(group):
            raise ValueError(f"{group} would be in itself")
        members.add(member)
        self._changed(group)

    def leave(self, member: str, group: str) -> None:
        """Takes a member out of a group. ValueError if it is not there."""
        if member not in self._members.get(group, set()):
            raise ValueError(f"{member} is not in {group}")
        self._members[group].remove(member)
        self._changed(group)

    def groups_of(self, name: str) -> set[str]:
        """All groups that a user or a group is in, directly or through others."""
        found: set[str] = set()
        todo = [name]
        while todo:
            member = todo.pop()
            fresh = {group for group, members in self._members.items() if member in members} - found
            found |= fresh
            todo.extend(fresh)
        return found

    def users_of(self, name: str) -> frozenset[str]:
        """All users in a group, directly or through others; a user's own name gives that user."""
        if not name.startswith("@"):
            return frozenset({name})
        if name not in self._users:
            members = self._members.get(name, set())
            self._users[name] = frozenset(user for member in members for user in self.users_of(member))
        return self._users[name]

    def _changed(self, group: str) -> None:
        """Forgets which users are in a group, and in all others for which that matters."""
        stale = self.groups_of(group) | {group}
        self._users = {name: users for name, users in self._users.items() if name not in stale}
