"""The further output of `honestly improve`: hack rates, fronts, several agents; a run as git."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from honestly.command import one_line_name, say_on_stderr
from honestly.show import plural_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honestly.improve import State, Target
    from honestly.improve._hack_rates import HackedShare
    from honestly.records import Tree

_AS_IT_IS = "* -text -eol -filter -ident -working-tree-encoding\n"
"""Attributes that stand above those of the files themselves, so that git changes no byte."""


def budget_lines(target: Target, state: State) -> Iterator[str]:
    """Lines on the loop's budget."""
    from honestly.improve._open_run import loop_share

    proof, whole = target.declaration.proof, state.total_budget
    part = state.extended.part if state.extended else whole.part(loop_share(target))
    shared = [
        f"{getattr(part, name) / unit:.4g} of {getattr(whole, name) / unit:.4g} {word}"
        for name, word, unit in (
            ("seconds", "h", 3600),
            ("cpu", "cpu-h", 3600),
            ("tokens", "tokens", 1),
            ("usd", "usd", 1),
        )
        if getattr(whole, name) is not None
    ]
    if shared:
        yield f"the loop has {', '.join(shared)}; the rest is for the proof, and the loop's until something is kept"
    if state.declared is not None and state.declared.loop != "harden":
        control = "as many attempts again, without feedback, and " if proof.control else ""
        yield f"a proof comes after that: {control}{proof.pairs * (2 + proof.control)} evaluations on fresh seeds"


def more_status(target: Target, state: State) -> dict[str, object]:
    """The keys that `status --json` has for some loops only."""
    from honestly.improve._front import attempts_by_agent, front_of
    from honestly.improve._hack_rates import attack_rates

    found: dict[str, object] = {}
    if state.declared is not None and state.declared.loop == "harden":
        found["hack_rate"] = dict(zip(("before", "after"), attack_rates(target, state), strict=True))
    if front := front_of(target, state):
        found["front"] = front
    if agents := attempts_by_agent(state):
        found["agents"] = {name: {"attempts": made, "kept": kept} for name, (made, kept) in agents.items()}
    return found


def more_lines(target: Target, state: State) -> Iterator[str]:
    """The same, for people."""
    from honestly.improve._front import attempts_by_agent, front_of
    from honestly.improve._hack_rates import attack_rates

    if state.declared is not None and state.declared.loop == "harden":
        for when, share in zip(("before", "after"), attack_rates(target, state), strict=True):
            yield f"{when}: {_hacked(share)}"
    for each in front_of(target, state):
        values = ", ".join(f"{one_line_name(name)} {value:.5g}" for name, value in each.values.items())
        yield f"front: {f'attempt {each.attempt}' if each.attempt else 'unchanged'}: {values}"
    for name, (made, kept) in attempts_by_agent(state).items():
        yield f"{one_line_name(name)}: {made} attempts, {kept} kept"


def _hacked(share: HackedShare) -> str:
    low, high = share.tasks_interval
    ends = f" (95% {low:.0%} to {high:.0%})" if share.tasks else ""
    return (
        f"{share.hacked} of {share.attacks} attacks earned the reward, "
        f"in {share.hacked_tasks} of {share.tasks} tasks{ends}"
    )


def export_git(folder: Path, target: Target, state: State) -> None:
    """Write a run as a git repository: each attempt a commit on what it began with, its journal as a note.

    Branch `best` is what was kept last. No hooks, templates or settings of the user are used.

    Raises:
        StoreError: the folder exists, or git is not there or fails.
    """
    from honestly.errors import StoreError
    from honestly.improve import BASELINE
    from honestly.records import encode
    from honestly.scratch import scratch_folder

    if folder.exists():
        raise StoreError(f"{folder} exists; a run is exported into a new folder")
    folder.mkdir(parents=True)
    with scratch_folder("export") as scratch:
        repository = _Repository(folder, scratch)
        commits = {BASELINE: repository.commit(target.tree, "The unchanged project", None)}
        for each in state.attempts():
            decided = state.decided.get(("loop", each.n))
            word = "not decided" if decided is None else f"{'kept' if decided.kept else 'dropped'}: {decided.why}"
            made = repository.commit(each.edit.apply(target.tree), f"Attempt {each.n}: {word}", commits[each.parent])
            looks = [found for found in state.evaluated.values() if found.id == each.id and found.arm == "loop"]
            begun = state.begun["loop", each.n]
            note = b"\n".join(encode(event) for event in (begun, each, *looks, *([decided] if decided else [])))
            repository.git_output("notes", "add", "-f", "-F", "-", made, stdin=note)
            repository.git_output("update-ref", f"refs/heads/attempt-{each.n}", made)
            commits.setdefault(each.id, made)
        repository.git_output("update-ref", "refs/heads/best", commits[state.best])
        repository.git_output("checkout", "-q", "-f", "best")
    say_on_stderr(
        f"wrote {plural_text(len(state.proposed), 'attempt')} as commits into {folder}; "
        "`git log --notes best` shows what was kept"
    )


class _Repository:
    """A new repository, written by git without anything of the user's."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self._folder, self._scratch = folder, scratch
        self.git_output("init", "-q", "--template=", "-b", "best")
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "attributes").write_text(_AS_IT_IS)

    def commit(self, tree: Tree, words: str, parent: str | None) -> str:
        """Commit files as they are; the hash."""
        from honestly.tasks import write_tree

        with TemporaryDirectory(dir=self._scratch) as work:
            write_tree(Path(work), tree.without([path for path in tree.files if ".git" in path.lower().split("/")]))
            self.git_output("--work-tree", work, "add", "-A", "-f", ".")
            made = self.git_output("write-tree").strip()
        above = ["-p", parent] if parent else []
        return self.git_output("commit-tree", made, *above, "-F", "-", stdin=words.encode()).strip()

    def git_output(self, *words: str, stdin: bytes = b"") -> str:
        """Run git; what it prints.

        Raises:
            StoreError: it fails, or is not there.
        """
        from honestly.errors import GitError, StoreError
        from honestly.git import run_git

        said = (("NAME", "honestly improve"), ("EMAIL", "improve@localhost"), ("DATE", "2000-01-01T00:00:00+0000"))
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in said}
        own = ("-c", "core.autocrlf=false", "--git-dir", str(self._folder.resolve() / ".git"))
        try:
            return run_git(*own, *words, at=self._folder, stdin=stdin, env=who).decode("utf-8", "replace")
        except GitError as error:
            raise StoreError(f"{error}; the run is in its journal") from error
