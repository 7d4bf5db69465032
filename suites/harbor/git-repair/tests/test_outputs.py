import subprocess


def git(*words):
    done = subprocess.run(["git", "-C", "/app/repo", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_no_commit_has_the_password():
    for commit in git("rev-list", "--all"):
        assert "secrets.env" not in git("ls-tree", "-r", "--name-only", commit)


def test_the_other_commits_are_there():
    assert git("log", "--reverse", "--format=%s", "main") == [
        "Add one",
        "Add two",
        "Remove the password",
        "Add three",
    ]
    assert git("log", "-1", "--format=%s", "v1") == ["Add two"]
    assert sorted(git("ls-files")) == ["one.py", "three.py", "two.py"]
    assert git("status", "--porcelain") == []


def test_the_lost_branch_is_back():
    assert git("log", "-1", "--format=%s", "topic") == ["Begin the topic"]
    assert "topic.py" in git("ls-tree", "--name-only", "topic")
