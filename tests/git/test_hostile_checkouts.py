"""A checkout in which git, used as people use it, runs a dozen commands: none runs when this program is given it."""

import ast
import os
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import anyio
import pytest

import honestly
from honestly.agents import copy_of, without_clutter
from honestly.errors import GitError, HonestlyError
from honestly.git import git_folders, ignored_files, settings_shut, working_files
from honestly.people._work_kept import History
from honestly.records import Edit, Tree
from honestly.symphony import Workspaces
from honestly.taskgen import open_repository
from honestly.taskgen._repository import one_commit

CLEAN_ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
WHO = ("-c", "user.name=a", "-c", "user.email=a@localhost")
SETTINGS = """
[core]
	fsmonitor = {fsmonitor}
	hooksPath = {hooks}
	sshCommand = {sshcommand}
	gitProxy = {gitproxy}
	pager = {pager}
	editor = {editor}
	askPass = {askpass}
	alternateRefsCommand = {alternates}
[filter "evil"]
	clean = {clean}
	smudge = {smudge}
	required = true
[filter "long=name"]
	process = {process}
[diff]
	external = {external}
[diff "evil"]
	textconv = {textconv}
	command = {differ}
[merge "evil"]
	driver = {merger}
[gpg]
	program = {gpg}
[commit]
	gpgSign = true
[extensions]
	partialClone = origin
[remote "origin"]
	url = {folder}
	promisor = true
	uploadpack = {uploadpack}
	partialCloneFilter = blob:none
[protocol "ext"]
	allow = always
[credential]
	helper = "!{credential}"
[gc]
	auto = 1
	recentObjectsHook = {recent}
[hook "x"]
	command = {hook}
	event = post-commit
[alias]
	ls-files = "!{alias}"
"""
FILTERS = ("clean", "smudge", "textconv")
HOOKS = ("pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction", "commit-msg")


class Planted:
    """A repository full of traps, and which of them went off."""

    def __init__(self, folder: Path) -> None:
        self.marks, self.traps, self.repo = folder / "marks", folder / "traps", folder / "repo"
        for each in (self.marks, self.traps, self.repo):
            each.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", ".")
        (self.repo / "a.py").write_text("x = 1\n")
        (self.repo / "sub").mkdir()
        (self.repo / "sub" / "b.py").write_text("y = 1\n")
        (self.repo / ".gitignore").write_text("built/\n")
        (self.repo / "gone").write_text("gone\n")
        (self.repo / ".gitattributes").write_text("*.py filter=evil diff=evil merge=evil\n*.txt filter=long=name\n")
        self.git("add", "-A")
        self.git(*WHO, "commit", "-q", "-m", "one")
        self.missing = self.git("rev-parse", "HEAD:gone").strip()
        (self.repo / "gone").unlink()
        (self.repo / "a.py").write_text("x = 2\n")
        self.git(*WHO, "commit", "-q", "-am", "two")

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.repo, check=True, capture_output=True, env=CLEAN_ENV, text=True
        ).stdout

    def trap(self, name: str) -> str:
        """A program that leaves a mark."""
        path = self.traps / name
        last = "cat" if name in FILTERS else "exit 0" if "hook-" in name else "exit 1"
        path.write_text(f'#!/bin/sh\ntouch "{self.marks / name}"\n{last}\n')
        path.chmod(0o755)
        return str(path)

    def arm(self) -> None:
        """Set all traps, a folder like a bare repository and an object that is missing among them."""
        names = [
            "fsmonitor",
            "sshcommand",
            "gitproxy",
            "pager",
            "editor",
            "askpass",
            "alternates",
            "clean",
            "smudge",
            "process",
            "external",
            "textconv",
            "differ",
            "merger",
            "gpg",
            "uploadpack",
            "credential",
            "recent",
            "hook",
            "alias",
        ]
        hooks = self.traps / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            Path(self.trap(f"hook-{name}")).rename(hooks / name)
            (self.repo / ".git" / "hooks").mkdir(exist_ok=True)
            (self.repo / ".git" / "hooks" / name).write_text((hooks / name).read_text())
            (self.repo / ".git" / "hooks" / name).chmod(0o755)
        text = SETTINGS.format(folder=self.repo, hooks=hooks, **{name: self.trap(name) for name in names})
        with (self.repo / ".git" / "config").open("a") as config:
            config.write(text)
        bare = self.repo / "bare"
        for name in ("objects", "refs"):
            (bare / name).mkdir(parents=True)
            (bare / name / "kept").write_text("")
        (bare / "HEAD").write_text("ref: refs/heads/main\n")
        trap = self.trap("bare")
        (bare / "config").write_text(
            f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {self.repo}\n\tfsmonitor = {trap}\n"
        )
        (self.repo / "note.txt").write_text("new\n")
        (self.repo / ".git" / "objects" / self.missing[:2] / self.missing[2:]).unlink()

    def went_off(self) -> set[str]:
        return {path.name for path in self.marks.iterdir()}


@pytest.fixture
def planted(tmp_path):
    made = Planted(tmp_path / "planted")
    made.arm()
    return made


def test_the_traps_go_off_where_git_is_used_as_people_use_it(planted):
    """Or the other tests would show nothing."""
    (planted.repo / "a.py").write_text("x = 3\n")
    commit = ("commit", "--allow-empty", "-m", "x")
    words = (  # the bare folder first: a commit of it would take it out of the way of the checkout
        *(("-C", "bare", "status"), ("status",), ("diff", "HEAD"), ("add", "-A")),
        *((*WHO, *commit), (*WHO, "-c", "commit.gpgSign=false", *commit)),
        *(("log", "-p"), ("log", "-p", "--no-ext-diff"), ("checkout", "-f", "HEAD~1")),
        ("cat-file", "-p", planted.missing),
    )
    expected = {"fsmonitor", "clean", "differ", "smudge", "process", "uploadpack", "bare", "gpg", "textconv"}
    expected |= {f"hook-{name}" for name in HOOKS} - {"hook-post-commit"}
    for each in 4 * words:  # on a busy machine, a command now and then finds the lock of the one before
        subprocess.run(["git", *each], cwd=planted.repo, check=False, capture_output=True, env=CLEAN_ENV, timeout=60)
        if expected <= planted.went_off():
            break
    assert expected - planted.went_off() == set()


def test_reading_a_checkout_starts_nothing_of_it(planted):
    for root in (planted.repo, planted.repo / "sub", planted.repo / "bare"):
        tree = copy_of(root).tree
        assert tree.files
        without_clutter(root, tree, Edit(write=Tree.of({"new.py": "1", "built/x": "1"})))
    assert {"a.py", "sub/b.py", "note.txt", ".gitattributes"} <= set(copy_of(planted.repo).tree.files)
    assert planted.went_off() == set()


def test_making_tasks_of_a_repository_starts_nothing_of_it(planted):
    with open_repository(planted.repo) as repository:
        commits, found = repository.commits_from("HEAD", 10), []
        for commit in commits:
            try:
                repository.tree(commit.sha)
                repository.history_until(commit.sha, whole=True)
            except HonestlyError as error:  # of the missing object
                found.append(str(error))
    assert len(commits) == 2
    assert any("has no gone" in line for line in found)
    assert planted.went_off() == set()


def test_a_workspace_that_holds_a_repository_is_exported_without_it(planted):
    sha = one_commit(planted.repo)
    assert planted.went_off() == set()
    done = subprocess.run(
        ["git", "rev-list", "--count", sha], cwd=planted.repo, capture_output=True, env=CLEAN_ENV, text=True, check=True
    )
    assert done.stdout.strip() == "1"


def test_a_worktree_of_it_is_made_and_committed_and_nothing_is_started(planted, tmp_path):
    root, path = tmp_path / "root", tmp_path / "root" / "KEY"
    config = SimpleNamespace(root=root, repository=planted.repo, base="HEAD")

    async def work():
        spaces = Workspaces(lambda *_, **__: None)
        await spaces._populate_workspace(config, path)
        (path / "new.py").write_text("z = 1\n")
        await spaces._commit(path)
        await spaces._delete(config, path)

    anyio.run(work)
    assert planted.went_off() == set()
    assert planted.git("-c", "core.fsmonitor=", "show", "symphony/KEY:new.py") == "z = 1\n"


def read(where):
    """What an agent is given of a checkout."""
    without_clutter(where, copy_of(where).tree, Edit(write=Tree.of({"new.py": "1", "built/x": "1"})))


def made_of(where):
    """What tasks are made of."""
    with open_repository(where) as repository:
        for commit in repository.commits_from("HEAD", 10):
            repository.tree(commit.sha)
            repository.history_until(commit.sha, whole=True)


def test_pipes_that_nobody_writes_to_are_not_read(planted):
    for name in ("refs/heads/pipe", "packed-refs", "shallow", "sharedindex.pipe", "commondir"):
        os.mkfifo(planted.repo / ".git" / name)
    for act in (read, made_of):
        with suppress(HonestlyError):
            act(planted.repo)
    assert planted.went_off() == set()


def in_a_folder_that_git_does_not_take_for_a_repository(made):
    """So that git goes on to the one around it, whose settings nobody has looked at."""
    (made.repo / "sub" / ".git").mkdir()
    (made.repo / "sub" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return made.repo / "sub"


def in_a_pointer_to_a_folder_of_its_own(made):
    (made.repo / ".git").rename(made.repo / "kept")
    (made.repo / ".git").write_text("gitdir: kept\n")
    return made.repo


def in_the_settings_of_the_part_that_worktrees_share(made):
    own = made.repo / ".git"
    own.rename(made.repo / "shared")
    own.mkdir()
    for name in ("HEAD", "index"):
        (own / name).write_bytes((made.repo / "shared" / name).read_bytes())
    (own / "commondir").write_text("../shared\n")
    return made.repo


def in_the_settings_of_one_worktree(made):
    with (made.repo / ".git" / "config").open("a") as config:
        config.write("[extensions]\n\tworktreeConfig = true\n")
    (made.repo / ".git" / "config.worktree").write_text(
        f'[filter "evil"]\n\tsmudge = {made.trap("smudge")}\n[filter "evil"]\n\tclean = {made.trap("clean")}\n'
    )
    return made.repo


def in_a_submodule_that_is_looked_into_whatever_we_say(made):
    """It has filters of its own, is to be updated by a command, and its state counts."""
    inner = made.repo / "inner"
    inner.mkdir()
    for words in (("init", "-q", "."), ("add", "-A"), (*WHO, "commit", "-q", "-m", "in")):
        (inner / "c.py").write_text("c\n")
        (inner / ".gitattributes").write_text("*.py filter=inner\n")
        subprocess.run(["git", *words], cwd=inner, check=True, capture_output=True, env=CLEAN_ENV)
    update = made.trap("update")
    text = f'[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n\tupdate = !{update}\n'
    (made.repo / ".gitmodules").write_text(text)
    quiet = ("core.fsmonitor=", "core.hooksPath=/dev/null", "filter.evil.clean=cat", "filter.long=name.process=")
    made.git(*(word for each in quiet for word in ("-c", each)), "add", "inner")
    assert made.went_off() == set()
    with (made.repo / ".git" / "config").open("a") as config:
        config.write(f"{text}\tactive = true\n[submodule]\n\trecurse = true\n[diff]\n\tignoreSubmodules = none\n")
    (inner / "c.py").write_text("d\n")
    with (inner / ".git" / "config").open("a") as config:
        config.write(f'[filter "inner"]\n\tclean = {made.trap("clean")}\n\tsmudge = {made.trap("smudge")}\n')
    return made.repo


def in_addresses_that_are_commands(made):
    command = made.trap("ext")
    with (made.repo / ".git" / "config").open("a") as config:
        config.write(
            f'[url "ext::sh -c {command}%20"]\n\tinsteadOf = {made.repo}\n[remote "origin"]\n\tvcs = ext\n'
            f'[gpg "ssh"]\n\tdefaultKeyCommand = {command}\n[gpg]\n\tformat = ssh\n[log]\n\tshowSignature = true\n'
            f"[uploadpack]\n\tpackObjectsHook = {command}\n[core]\n\tsshCommand = {command}\n"
            f"[transfer]\n\tbundleURI = true\n[fetch]\n\tbundleURI = ext::{command}\n"
        )
    (made.repo / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (made.repo / ".git" / "objects" / "info" / "alternates").write_text(f"ext::{command}\n/dev/zero\n../../bare\n")
    return made.repo


def history_of(where):
    """What became of lines, as `report --kept-in` asks."""
    History(where).fates("a.py", {"x = 22222", "y = 1"}, 0.0)


@pytest.mark.parametrize(
    "plant",
    [
        in_a_folder_that_git_does_not_take_for_a_repository,
        in_a_pointer_to_a_folder_of_its_own,
        in_the_settings_of_the_part_that_worktrees_share,
        in_the_settings_of_one_worktree,
        in_a_submodule_that_is_looked_into_whatever_we_say,
        in_addresses_that_are_commands,
    ],
)
def test_nothing_is_started_wherever_it_is_planted(planted, plant, tmp_path):
    """By none of the ways in which a command is given a checkout: what cannot be done says so."""
    where = plant(planted)
    config = SimpleNamespace(root=tmp_path / "root", repository=where, base="HEAD")

    async def symphony():
        spaces = Workspaces(lambda *_, **__: None)
        try:
            await spaces._populate_workspace(config, config.root / "KEY")
            (config.root / "KEY" / "new.py").write_text("z = 1\n")
            await spaces._commit(config.root / "KEY")
        finally:
            await spaces._delete(config, config.root / "KEY")

    for act in (
        partial(read, where),
        partial(made_of, where),
        partial(anyio.run, symphony),
        partial(one_commit, where),
        partial(history_of, where),
    ):
        with suppress(HonestlyError):
            act()
        assert planted.went_off() == set()


def test_settings_that_lead_elsewhere_are_refused(tmp_path):
    made = Planted(tmp_path)
    for text in ("[include]\n\tpath = ../more\n", '[includeIf "gitdir:/**"]\n\tpath = x\n', "[core]\n\tworktree = /\n"):
        kept = (made.repo / ".git" / "config").read_text()
        (made.repo / ".git" / "config").write_text(kept + text)
        with pytest.raises(GitError, match="leads out of the repository"):
            settings_shut(made.repo)
        assert "a.py" in working_files(made.repo)  # who only reads never opens them
        (made.repo / ".git" / "config").write_text(kept)
    assert settings_shut(made.repo)


def test_what_is_ignored_is_what_git_says(tmp_path, monkeypatch):
    made = Planted(tmp_path / "p")
    (made.repo / "built").mkdir()
    (made.repo / "built" / "x.o").write_text("x")
    (made.repo / ".git" / "info").mkdir(exist_ok=True)
    (made.repo / ".git" / "info" / "exclude").write_text("local\n")
    (made.repo / "local").write_text("x")
    (made.repo / "theirs").write_text("x")
    home = tmp_path / "home" / ".config" / "git"
    home.mkdir(parents=True)
    (home / "ignore").write_text("theirs\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert working_files(made.repo) == {"a.py", "sub/b.py", ".gitignore", ".gitattributes"}
    assert working_files(made.repo / "sub") == {"b.py"}
    assert ignored_files(made.repo, ["built/y", "a.py", "local", "theirs"]) == {"built/y", "local", "theirs"}
    (tmp_path / "home" / ".gitconfig").write_text(f"[core]\n\texcludesFile = {tmp_path}/mine\n")
    (tmp_path / "mine").write_text("note*\n")
    assert ignored_files(made.repo, ["note.txt", "theirs"]) == {"note.txt"}
    made.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    assert working_files(tmp_path / "tree") == {"a.py", "sub/b.py", ".gitignore", ".gitattributes"}
    assert git_folders(tmp_path / "tree").common == made.repo.resolve() / ".git"
    assert working_files(tmp_path / "home") is None


def test_git_is_started_in_one_place():
    source = Path(honestly.__file__).parent
    for path in source.rglob("*.py"):
        if path.parent.name in {"git", "_guest"} or "git" not in path.read_text():
            continue
        if path.parent.name == "permissions":  # it reads commands, and starts none
            imports = [line for line in path.read_text().splitlines() if "import " in line]
            assert not {"subprocess", "anyio", "run_git"} & set(" ".join(imports).replace(".", " ").split())
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.List | ast.Tuple) and node.elts and ast.unparse(node.elts[0]) == "'git'":
                in_a_sandbox = path.name == "_git.py" and path.parent.name == "fairness"
                names = all(isinstance(each, ast.Constant) for each in node.elts)  # a list of programs' names
                assert in_a_sandbox or names, f"{path}:{node.lineno} starts git; honestly.git.run_git does"
