"""Says which packages a change affects, as a matrix of GitHub's."""

import json
import sys
from pathlib import Path


class PlanError(Exception):
    """No plan can be made."""


def ordered(packages: dict) -> list[str]:
    """All packages, each after those that it needs."""
    needs = {name: set(package.get("needs", [])) for name, package in packages.items()}
    for name, needed in needs.items():
        for missing in sorted(needed - needs.keys()):
            raise PlanError(f"{name} needs {missing}, which is no package")
    order = []
    while len(order) < len(needs):
        ready = [name for name in needs if name not in order and needs[name] <= set(order)]
        if not ready:
            raise PlanError(f"these need each other: {', '.join(circle(needs, set(order)))}")
        order.append(min(ready))
    return order


def circle(needs: dict[str, set[str]], done: set[str]) -> list[str]:
    """A circle among the packages that are not done."""
    way = [min(needs.keys() - done)]
    while True:
        following = min(needs[way[-1]] - done)
        if following in way:
            return way[way.index(following) :]
        way.append(following)


def owner(file: str, packages: dict) -> str | None:
    """The package that a file belongs to."""
    found = [name for name, package in packages.items() if file.startswith(package["path"] + "/")]
    return max(found, key=lambda name: len(packages[name]["path"]), default=None)


def affected(files: list[str], packages: dict) -> set[str]:
    """Packages that a change affects."""
    hit = set()
    for file in files:
        if file.endswith(".md"):
            continue
        name = owner(file, packages)
        if name is not None:
            hit.add(name)
        elif not file.startswith("docs/"):
            return set(packages)
    return hit


def build_order(hit: set[str], packages: dict) -> list[str]:
    """Affected packages, with all that need them, in the order of a build."""
    needs = {name: set(package.get("needs", [])) for name, package in packages.items()}
    if not hit:
        return []
    hit = set(hit)
    for name in ordered(packages):
        if hit & needs[name]:
            hit.add(name)
    made = []
    while len(made) < len(hit):
        made.append(min(name for name in hit if name not in made and needs[name] & hit <= set(made)))
    return made


def main() -> int:
    packages = json.loads(Path("ci/packages.json").read_text("utf-8"))
    files = [line.strip() for line in Path("changed.txt").read_text("utf-8").splitlines() if line.strip()]
    try:
        names = build_order(affected(files, packages), packages)
    except PlanError as error:
        print(error, file=sys.stderr)
        return 2
    cells = [
        {"package": name, "python": python, "path": packages[name]["path"]}
        for name in names
        for python in packages[name]["pythons"]
    ]
    print(json.dumps({"include": cells}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
