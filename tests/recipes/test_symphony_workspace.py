"""Workspaces: where they lie, how they are made, what hooks do (rows 17.2)."""

import anyio
import pytest
from symphony_parts import Events, attempt, git, repository, write, write_workflow

from honestly.errors import AttemptError, TrackerError
from honestly.records import Tree
from honestly.symphony import Tracker, Workspaces, read_workflow
from honestly.symphony._workspace import key_of
from honestly.symphony._writing import Note

REPO = "  repository: repo\n"


def ticket(tmp_path, name="A"):
    write(tmp_path, name)
    return Tracker(read_workflow(tmp_path / "WORKFLOW.md")).by_ids([name])[name]


def set_up(tmp_path, hooks="", repo=False):
    head = "tracker:\n  kind: markdown\n  path: tickets\nagent:\n  use: x\n  max_turns: 1\nworkspace:\n  root: work\n"
    path = write_workflow(tmp_path, head=head + (REPO if repo else ""), more=f"hooks:\n{hooks}" if hooks else "")
    log = Events()
    return read_workflow(path), Workspaces(log), log


async def nothing(run, box):
    run.stop = "done"


def test_a_ticket_has_always_the_same_folder(tmp_path):
    config, spaces, _ = set_up(tmp_path)
    paths = {spaces.path(config, "A/B c") for _ in range(3)}
    assert len(paths) == 1
    assert key_of("ABC-123_x.y") == "ABC-123_x.y"


@pytest.mark.parametrize(
    "name", ["..", ".", "", ".symphony", "../x", "/etc", "a/../../b", "-rf", "a..b", "x.lock", "ü"]
)
def test_names_are_safe_different_and_stay_in_the_root(tmp_path, name):
    config, spaces, _ = set_up(tmp_path)
    path = spaces.path(config, name)
    assert path.parent == config.root
    assert not path.name.startswith((".", "-"))
    assert path.name.isascii()
    assert key_of(name) != key_of(name.replace("/", "_") + "_")


def test_different_identifiers_never_share_a_folder():
    names = ["a b", "a_b", "a/b", "a?b", "A_b"]
    assert len({key_of(name) for name in names}) == len(names)


def test_a_folder_is_made_once_and_used_again(tmp_path):
    config, spaces, _ = set_up(tmp_path)
    path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    (path / "kept").write_text("x")
    assert anyio.run(spaces.prepare, config, ticket(tmp_path)) == path
    assert (path / "kept").exists()


def test_a_file_or_a_link_in_its_place_is_refused(tmp_path):
    config, spaces, _ = set_up(tmp_path)
    config.root.mkdir()
    (config.root / "A").write_text("mine")
    (config.root / "B").symlink_to(tmp_path)
    for name in "AB":
        with pytest.raises(AttemptError, match="workspace"):
            anyio.run(spaces.prepare, config, ticket(tmp_path, name))
    assert (config.root / "A").read_text() == "mine"


def test_a_repository_that_is_none_fails_the_attempt(tmp_path):
    config, spaces, _ = set_up(tmp_path, repo=True)
    with pytest.raises(AttemptError, match="git worktree failed"):
        anyio.run(spaces.prepare, config, ticket(tmp_path))
    assert not (config.root / "A").exists()


def test_half_written_files_are_taken_away(tmp_path):
    config, spaces, _ = set_up(tmp_path)
    path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    (path / ".a.txt.honestly-123").write_text("half")
    (path / ".a.txt.honestly-mine").write_text("whole")
    anyio.run(spaces.prepare, config, ticket(tmp_path))
    assert sorted(each.name for each in path.iterdir()) == [".a.txt.honestly-mine", ".git"]


def test_after_create_runs_for_a_new_folder_only(tmp_path):
    config, spaces, _ = set_up(tmp_path, "  after_create: pwd >> made; test ! -e ../../bad\n")
    (tmp_path / "bad").touch()
    with pytest.raises(AttemptError, match="after_create exit 1"):
        anyio.run(spaces.prepare, config, ticket(tmp_path))
    assert not (config.root / "A").exists()
    (tmp_path / "bad").unlink()
    for _ in range(2):
        path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    assert (path / "made").read_text() == f"{path}\n"


def test_a_folder_that_was_not_made_to_its_end_is_made_anew(tmp_path):
    config, spaces, _ = set_up(tmp_path, "  after_create: touch made\n", repo=True)
    repository(tmp_path)
    path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    (path / "made").unlink()
    (config.root / ".symphony" / "making" / "A").touch()
    anyio.run(spaces.prepare, config, ticket(tmp_path))
    assert (path / "made").exists()
    assert (path / "a.txt").exists()


@pytest.mark.parametrize(("script", "why"), [("echo no; false", "exit 1: no"), ("sleep 9", "timed out")])
def test_before_run_aborts_the_attempt(tmp_path, script, why):
    _, _, log = set_up(tmp_path, f"  before_run: {script}\n  after_run: touch ../ended\n  timeout_ms: 300\n")
    acted = []

    async def acts(run, box):
        acted.append(1)

    with pytest.raises(AttemptError, match=why):
        attempt(tmp_path, acts, ticket(tmp_path), log=log)
    assert acted == []
    assert log.of("hook", "failed")[0]["issue_id"] == "A"


@pytest.mark.parametrize("script", ["exit 3", "sleep 9"])
def test_after_run_is_ignored_when_it_fails(tmp_path, script):
    set_up(tmp_path, f"  before_run: touch begun\n  after_run: touch ended; {script}\n  timeout_ms: 300\n")
    log = attempt(tmp_path, nothing, ticket(tmp_path))
    assert (tmp_path / "work" / "A" / "begun").exists()
    assert (tmp_path / "work" / "A" / "ended").exists()
    assert len(log.of("hook", "failed")) == 1

    async def breaks(run, box):
        raise ValueError

    (tmp_path / "work" / "A" / "ended").unlink()
    with pytest.raises(AttemptError, match="turn_failed"):
        attempt(tmp_path, breaks, ticket(tmp_path))
    assert (tmp_path / "work" / "A" / "ended").exists()


@pytest.mark.parametrize("script", ["exit 3", "sleep 9"])
def test_before_remove_is_ignored_when_it_fails(tmp_path, script):
    config, spaces, log = set_up(tmp_path, f"  before_remove: touch ../gone; {script}\n  timeout_ms: 300\n")
    path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    anyio.run(spaces.remove, config, ticket(tmp_path))
    assert (tmp_path / "work" / "gone").exists()
    assert not path.exists()
    assert log.of("workspace", "removed")


@pytest.mark.slow
def test_a_hook_leaves_no_process_behind(tmp_path):
    config, spaces, _ = set_up(tmp_path, "  after_create: (sleep 1; touch late) & sleep 9\n  timeout_ms: 200\n")
    with pytest.raises(AttemptError, match="timed out"):
        anyio.run(spaces.prepare, config, ticket(tmp_path))
    anyio.run(anyio.sleep, 1.2)
    assert not (config.root / "A").exists()


@pytest.mark.slow
def test_work_is_committed_on_a_branch_that_outlives_its_folder(tmp_path):
    repo = repository(tmp_path)
    config, spaces, _ = set_up(tmp_path, repo=True)

    async def acts(run, box):
        await box.exec("echo new > b.txt; rm a.txt; mkdir -p sub/.git; echo x > sub/.git/config; ln -s /etc out")

    log = attempt(tmp_path, acts, ticket(tmp_path))
    (config.root / "A" / "own.txt").write_text("a person's")
    anyio.run(spaces.remove, config, ticket(tmp_path))
    assert not (config.root / "A").exists()
    assert git(repo, "ls-tree", "-r", "--name-only", "symphony/A").split() == ["b.txt", "own.txt"]
    assert git(repo, "log", "--oneline", "main").count("\n") == 1
    assert len(log.of("write_back", "refused")) == 2
    anyio.run(spaces.prepare, config, ticket(tmp_path))
    assert (config.root / "A" / "b.txt").read_text() == "new\n"


@pytest.mark.slow
def test_a_note_waits_until_the_work_is_committed_and_is_written_after_a_kill(tmp_path):
    repo = repository(tmp_path)
    config, spaces, _ = set_up(tmp_path, repo=True)
    path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    note = Note(id="n1", ticket="A", at="now", comments=("done",), state="Done", seen="Todo")
    after = Tree.of({"a.txt": "changed\n"})
    (tmp_path / "repo" / ".git" / "worktrees" / "A" / "index.lock").mkdir()  # git cannot commit
    with pytest.raises((AttemptError, OSError)):
        anyio.run(spaces.save, config, path, Tree.of({"a.txt": "a\n"}), after, note)
    assert "state: Todo" in (tmp_path / "tickets" / "A.md").read_text()
    (tmp_path / "repo" / ".git" / "worktrees" / "A" / "index.lock").rmdir()
    (tmp_path / "repo" / ".git" / "worktrees" / "A" / "index.lock").touch()  # left by a git that was killed
    for _ in range(2):
        anyio.run(Workspaces(Events()).recover, config)
    text = (tmp_path / "tickets" / "A.md").read_text()
    assert "state: Done" in text
    assert text.count("<!-- symphony n1 -->") == 1
    assert git(repo, "show", "symphony/A:a.txt") == "changed\n"


@pytest.mark.slow
def test_without_a_repository_the_folder_is_one_whatever_lies_around_it(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("*\n")
    config, _, _ = set_up(tmp_path, "  after_create: echo given > a.txt\n")
    seen = []

    async def acts(run, box):
        seen.append((await box.exec("cat a.txt; echo new > b.txt")).stdout)

    attempt(tmp_path, acts, ticket(tmp_path))
    assert seen == [b"given\n"]
    assert git(config.root / "A", "show", "HEAD:b.txt") == "new\n"


@pytest.mark.slow
@pytest.mark.parametrize("torn", ["---\ntitle: hal", None])
def test_a_note_waits_while_its_ticket_is_torn_and_is_dropped_when_it_is_gone(tmp_path, torn):
    config, spaces, log = set_up(tmp_path)
    path = anyio.run(spaces.prepare, config, ticket(tmp_path))
    file = tmp_path / "tickets" / "A.md"
    file.unlink() if torn is None else file.write_text(torn)
    note = Note(id="n1", ticket="A", at="now", comments=("done",), state="Done", seen="Todo")
    if torn is None:
        anyio.run(spaces.save, config, path, Tree(), Tree(), note)
        assert log.of("ticket", "failed")
        assert not file.exists()
        return
    with pytest.raises(TrackerError):
        anyio.run(spaces.save, config, path, Tree(), Tree(), note)
    write(tmp_path, "A")
    anyio.run(spaces.recover, config)
    assert "state: Done" in file.read_text()
