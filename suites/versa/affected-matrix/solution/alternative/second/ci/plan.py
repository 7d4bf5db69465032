"""Says which packages a change affects: reads `ci/packages.json` and `changed.txt`, prints the matrix of the tests as a line of JSON."""

import json
import sys
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from pathlib import Path, PurePosixPath
from typing import Any

DOCS = PurePosixPath("docs")


class PlanError(Exception):
    """Raised for packages of which no plan can be made; says which they are."""


class Packages:
    """Packages by their names, what they need, and which need them.

    Raises:
        PlanError: a package needs one that is not there, or packages need each other in a circle.
    """

    def __init__(self, table: dict[str, dict[str, Any]]) -> None:
        self.table = table
        self.needs = {name: set(entry.get("needs", ())) for name, entry in table.items()}
        self.users: dict[str, set[str]] = {name: set() for name in table}
        for name, needs in self.needs.items():
            for need in sorted(needs):
                if need not in table:
                    raise PlanError(f"{name} needs {need}, which is no package")
                self.users[need].add(name)
        self.homes: dict[PurePosixPath, list[str]] = {}
        for name, entry in table.items():
            self.homes.setdefault(PurePosixPath(entry["path"]), []).append(name)
        rest = self.needs.keys() - set(self.in_order(table))
        if rest:
            raise PlanError(f"packages need each other: {' -> '.join(self._circle(rest))}")

    def in_order(self, names: Iterable[str]) -> list[str]:
        """These packages in the order of a build; those that wait for a circle are missing."""
        wanted = set(names)
        open_needs = {name: len(self.needs[name] & wanted) for name in wanted}
        ready = [name for name, number in open_needs.items() if not number]
        heapify(ready)
        order = []
        while ready:
            order.append(name := heappop(ready))
            for user in self.users[name] & open_needs.keys():
                open_needs[user] -= 1
                if not open_needs[user]:
                    heappush(ready, user)
        return order

    def _circle(self, rest: set[str]) -> list[str]:
        """A circle among packages each of which needs another of them."""
        way = [min(rest)]
        while (following := min(self.needs[way[-1]] & rest)) not in way:
            way.append(following)
        return [*way[way.index(following) :], following]

    def touched(self, file: str) -> Iterable[str]:
        """Packages that a changed file affects by itself."""
        folders = PurePosixPath(file).parents
        if file.endswith(".md"):
            return ()
        for folder in folders:
            if folder in self.homes:
                return self.homes[folder]
        return () if DOCS in folders else self.table

    def affected(self, files: Iterable[str]) -> set[str]:
        """Packages that a change of files affects, also by others."""
        todo = [name for file in files for name in self.touched(file)]
        found: set[str] = set()
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.users[name]
        return found


def plan(table: dict[str, dict[str, Any]], files: Iterable[str]) -> dict[str, list[dict[str, str]]]:
    """The matrix for a change of files."""
    packages = Packages(table)
    order = packages.in_order(packages.affected(files))
    cells = [(name, python) for name in order for python in table[name]["pythons"]]
    return {"include": [{"package": name, "python": python, "path": table[name]["path"]} for name, python in cells]}


def main() -> int:
    """Does what the script does; gives the exit status."""
    table = json.loads(Path("ci/packages.json").read_text("utf-8"))
    lines = Path("changed.txt").read_text("utf-8").split("\n")
    try:
        matrix = plan(table, [line for line in lines if line.strip()])
    except PlanError as error:
        print(f"no plan: {error}", file=sys.stderr)
        return 2
    print(json.dumps(matrix))
    return 0


if __name__ == "__main__":
    sys.exit(main())
