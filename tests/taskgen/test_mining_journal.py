"""What is kept of commits: a refusal that is the machine's is none for good."""

from pathlib import Path

from honestly.taskgen._from_commit import NOT_HERE
from honestly.taskgen._journal import MinedTask, MiningJournal


def test_what_this_machine_lacked_is_tried_again(tmp_path: Path) -> None:
    with MiningJournal(tmp_path, "repo", "from-commit") as journal:
        for number, why in enumerate((f"{NOT_HERE}: pytest is not installed", "it only changes documentation")):
            journal.keep(MinedTask(revision=f"{number}", day="2026-01-01", subject="x", refused=why))
        journal.keep(MinedTask(revision="2", day="2026-01-01", subject="x", task="gone"))
    assert [row.revision for row in MiningJournal(tmp_path, "repo", "from-commit").rows()] == ["1"]
