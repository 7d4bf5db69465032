import json
import subprocess


def run(*files):
    return subprocess.run(["bash", "/app/report.sh", *files], capture_output=True, text=True, cwd="/app")


def test_the_files_that_are_there():
    assert run("data/a.jsonl", "data/b.jsonl").stdout == "Bad Ischl\t1\t0\t0\nGraz\t2\t-2.25\t3.5\nWien\t1\t-1\t-1\n"


def test_other_files(tmp_path):
    path = tmp_path / "more readings.jsonl"
    path.write_text("".join(json.dumps({"city": "B", "celsius": n}) + "\n" for n in (5, 40, -7, 12)))
    assert run(path).stdout == "B\t4\t-7\t40\n"


def test_what_is_not_there():
    for files in ((), ("data/c.jsonl",)):
        done = run(*files)
        assert done.returncode == 2
        assert done.stderr.strip()
