"""What `bench/fates.py` says became of a commit, on a small history of our own."""

import runpy
from pathlib import Path

import pytest

from check.projects_to_check import git

BENCH = Path(__file__).resolve().parents[2] / "bench"
DAY = 86400
START = "".join(f"def old_{at}():\n    return {at}\n\n\n" for at in range(9))


def lines(name: str, wrong: str = "") -> str:
    return f"def {name}(value):\n    {name}_total = value{wrong}\n    return {name}_total\n\n\n"


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Commits by their subject; each writes the module anew, some days after the one before it."""
    git(tmp_path, "init", "-q")
    found, text, when = {}, START, 1_600_000_000

    def commit(subject: str, body: str, days: float, more: str = "") -> None:
        nonlocal when, text
        text, when = body, when + int(days * DAY)
        (tmp_path / "one.py").write_text(body)
        (tmp_path / "test_one.py").write_text(body * 3)
        git(tmp_path, "add", ".")
        for name in ("GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"):
            monkeypatch.setenv(name, f"{when} +0000")
        git(tmp_path, "commit", "-qm", f"{subject}\n\n{more}")
        found[subject] = git(tmp_path, "rev-parse", "HEAD").strip()

    commit("Start", START, 0)
    commit("Add alpha", text + lines("alpha", " + 1"), 40)
    commit("Tidy alpha", text.replace("value + 1", "(value + 1)"), 1)
    commit("Fix alpha", text.replace(lines("alpha", " + 1").replace("value + 1", "(value + 1)"), lines("beta")), 5)
    commit("Add gamma (#7)", text + lines("gamma"), 40)
    commit('Revert "Add gamma"', text.replace(lines("gamma"), ""), 3)
    commit("Add delta", text + lines("delta"), 40)
    commit("Undo", text.replace(lines("delta"), ""), 3, f"This reverts commit {found['Add delta']}.")
    commit("Add epsilon", text + lines("epsilon"), 40)
    commit("Fix the epsilon bug", text.replace(lines("epsilon"), lines("zeta")), 31)
    commit("Add eta", text + lines("eta"), 40)
    commit("Fix a bit of eta", text.replace("return eta_total", "return eta_total or 0"), 3)
    commit("Add theta", text + lines("theta"), 40)
    commit("Rewrite theta", text.replace(lines("theta"), lines("iota")), 3)
    commit("Add kappa", text + lines("kappa"), 40)
    commit("Copy kappa", text + lines("kappa"), 1)
    commit("Fix the copy", text[: -len(lines("kappa"))], 1)
    commit("End", text + "\n", 40)
    commit("Late", text + lines("late"), 40)
    return found


def test_what_became_of_commits(commits: dict[str, str], tmp_path: Path) -> None:
    bench = runpy.run_path(str(BENCH / "fates.py"))
    folder = tmp_path / ".git"
    pasts = bench["history"](folder, "2019-01-01")
    found = bench["fates"](pasts, bench["owner"](folder))
    names = {sha: subject for subject, sha in commits.items()}
    fates = {names[sha]: (fate.kind, names.get(fate.by, "")) for sha, fate in found.items()}
    assert fates["Add alpha"] == ("fixed", "Fix alpha")  # though another commit rewrote a line between
    assert fates["Add gamma (#7)"] == ("reverted", 'Revert "Add gamma"')
    assert fates["Add delta"] == ("reverted", "Undo")
    assert fates["Add epsilon"] == ("quiet", "")  # its fix came after more than thirty days
    assert fates["Add eta"] == ("touched", "Fix a bit of eta")
    assert fates["Add theta"] == ("quiet", "")  # rewritten, but no fix
    assert fates["Copy kappa"] == ("fixed", "Fix the copy")
    assert fates["Add kappa"][0] == "touched"  # lines that read alike, and are not its own
    assert "Late" not in fates, "nobody knows yet what becomes of the last one"
    drawn = list(bench["drawn_pairs"](pasts, found, 2, "1", lambda _past: True))
    assert drawn == list(bench["drawn_pairs"](pasts, found, 2, "1", lambda _past: True))
    assert len({past.sha for pair in drawn for past in pair}) == 4
    for bad, quiet in drawn:
        assert (found[bad.sha].kind in ("reverted", "fixed"), found[quiet.sha].kind) == (True, "quiet")
