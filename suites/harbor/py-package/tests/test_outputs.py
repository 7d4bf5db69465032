import subprocess


def said(*words):
    return subprocess.run(["/opt/fresh/bin/slug", *words], capture_output=True, text=True, check=True).stdout


def test_the_command():
    assert said("Hello, World!") == "hello-world\n"
    assert said("a", "B", "3") == "a-b-3\n"


def test_accents():
    assert said("Crème brûlée à la carte") == "creme-brulee-a-la-carte\n"
