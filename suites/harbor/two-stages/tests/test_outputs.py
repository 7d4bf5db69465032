import subprocess


def said(text, *before):
    done = subprocess.run([*before, "sh", "-c", "cd / && rot13"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_turns_letters():
    assert said("Hello, World 13\n") == "Uryyb, Jbeyq 13\n"


def test_it_does_so_for_everybody():
    assert said("abc", "setpriv", "--reuid=visitor", "--regid=visitor", "--clear-groups") == "nop"


def test_nothing_was_copied():
    found = subprocess.run(["find", "/", "-xdev", "-name", "librot*"], capture_output=True, text=True)
    assert found.stdout.split() == ["/opt/tool/private/lib/librot.so"]
