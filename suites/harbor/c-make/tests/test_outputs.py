import subprocess

TEXTS = ["", "one", "one two\n", "  a\tb\n\nc d  e\n", "x\n" * 500, "no end\nof line"]


def test_it_builds():
    built = subprocess.run(["make", "-C", "/app", "clean", "all"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr


def test_it_counts(tmp_path):
    for text in TEXTS:
        path = tmp_path / "text"
        path.write_text(text)
        said = subprocess.run(["/app/wordcount", path], capture_output=True, text=True).stdout
        assert said.split() == [str(text.count("\n")), str(len(text.split())), str(len(text))], text
