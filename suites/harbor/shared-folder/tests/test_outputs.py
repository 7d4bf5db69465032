import os
import stat
import subprocess


def as_user(name, command):
    who = ["setpriv", f"--reuid={name}", f"--regid={name}", "--init-groups"]
    return subprocess.run([*who, "sh", "-c", f"umask 002; {command}"], capture_output=True, text=True)


def test_both_edit_what_is_there():
    for name in ("ada", "bob"):
        assert as_user(name, "echo more >> /srv/shared/plan.txt").returncode == 0, name


def test_both_edit_what_comes():
    assert as_user("ada", "echo one > /srv/shared/new.txt").returncode == 0
    assert as_user("bob", "echo two >> /srv/shared/new.txt").returncode == 0
    assert open("/srv/shared/new.txt").read() == "one\ntwo\n"


def test_nobody_else_sees_it():
    assert as_user("eve", "ls /srv/shared").returncode != 0
    assert as_user("eve", "cat /srv/shared/plan.txt").returncode != 0


def test_the_key_is_adas():
    assert as_user("ada", "cat /home/ada/.ssh/id").stdout == "key\n"
    info = os.stat("/home/ada/.ssh/id")
    assert stat.S_IMODE(info.st_mode) in {0o400, 0o600}
    assert as_user("bob", "cat /home/ada/.ssh/id").returncode != 0


def test_the_program_is_roots():
    assert as_user("ada", "audit").stdout == "ada\n"
    info = os.stat("/usr/local/bin/audit")
    assert info.st_uid == 0
    assert not info.st_mode & 0o022
