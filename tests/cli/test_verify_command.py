"""`honestly verify` as its users meet it: real sandboxes; real processes, where they are killed or compete."""

import contextlib
import gzip
import io
import json
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from honestly.cli import main

pytestmark = pytest.mark.usefixtures("own_key")
PROBLEM = {
    "prompt": "def f{n}(x):\n",
    "canonical_solution": "    return x + {n}\n",
    "test": "def check(candidate):\n    assert candidate(1) == 1 + {n}\n    assert candidate(-5) == {n} - 5\n",
    "entry_point": "f{n}",
    "task_id": "T/{n}",
}
GOOD, BAD = "    return x + {n}\n", "    return x + {n} + 1\n"


def write(path, rows):
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def filled(n):
    return {key: value.replace("{n}", str(n)) for key, value in PROBLEM.items()}


def sample(n, code, **more):
    return {"task_id": f"T/{n}", "completion": code.replace("{n}", str(n)), **more}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "problems.jsonl.gz", [filled(n) for n in range(3)])
    return tmp_path


def honestly(*words, code=0):
    """The command in this process: starting one for each would cost more than what is tested."""
    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["honestly", "bench", "samples", *map(str, words)]
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    finally:
        sys.argv = argv
        signal.signal(signal.SIGINT, interrupt)
    assert ended.value.code == code, out.getvalue() + err.getvalue()
    return SimpleNamespace(stdout=out.getvalue(), stderr=err.getvalue())


def results(folder, name="samples.jsonl_results.jsonl"):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def as_json(*words, code=0):
    return json.loads(honestly("problems.jsonl.gz", "samples.jsonl", "--json", *words, code=code).stdout)


@pytest.mark.slow
def test_the_output_is_human_evals_own_in_its_order(folder):
    rows = [sample(2, GOOD), sample(0, BAD, model="m"), sample(1, GOOD), sample(0, GOOD)]
    write(folder / "samples.jsonl", rows)
    made = as_json()
    kept = results(folder)
    assert [{k: row[k] for k in ("task_id", "completion")} for row in kept] == [
        {k: row[k] for k in ("task_id", "completion")} for row in rows
    ]
    assert [row["passed"] for row in kept] == [True, False, True, True]
    assert [row["result"] for row in kept] == [
        "passed",
        "failed: line 2: assert candidate(1) == 1 + 0",
        "passed",
        "passed",
    ]
    assert [row["completion_id"] for row in kept] == [0, 0, 0, 1]
    assert kept[1]["model"] == "m"
    assert kept[1]["status"] == "failed"
    assert {row["sandbox"] for row in kept} == {"namespaces"}
    assert made["pass@1"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert "pass@10" not in made
    assert (made["n"], made["samples"], made["tampered"], made["undecided"]) == (3, 4, 0, 0)
    assert [row["passed"] for row in made["results"]["T/0"]] == [False, True]
    assert made["outcomes"] == {"passed": 3, "failed": 1}
    assert made["rejudged"] == {"n": 3, "disagree": 0}
    assert made["collusion"] == []
    (estimate,) = made["estimates"]
    assert estimate["interval"][0] < made["pass@1"] < estimate["interval"][1]


def test_pass_at_k_is_the_unbiased_estimator_where_all_problems_have_k_samples(folder):
    write(
        folder / "samples.jsonl",
        [sample(n, c + f"# {i}\n") for n in range(3) for i, c in enumerate([GOOD, BAD, BAD, BAD])],
    )
    made = as_json("-k", "1,2,4,5")
    assert made["pass@1"] == pytest.approx(0.25)
    assert made["pass@2"] == pytest.approx(0.5)
    assert made["pass@4"] == pytest.approx(1.0)
    assert "pass@5" not in made
    assert made["left_out"] == {"pass@5": "T/0 has 4 samples"}


@pytest.mark.slow
def test_equal_samples_are_judged_once_and_it_says_so(folder):
    write(folder / "samples.jsonl", [sample(n, GOOD, try_=i) for i in range(4) for n in range(3)])
    shown = honestly("problems.jsonl.gz", "samples.jsonl")
    assert "judging: 3 of 3" in shown.stderr
    assert "9 of 12 samples repeat an earlier one's text" in shown.stdout
    assert [row["try_"] for row in results(folder)] == [i for i in range(4) for _ in range(3)]
    assert as_json()["repeated"] == 9


@pytest.mark.slow
def test_a_second_run_judges_only_what_is_new(folder):
    write(folder / "samples.jsonl", [sample(n, GOOD) for n in range(3)])
    assert as_json()["kept"] == 0
    before = results(folder)
    write(folder / "samples.jsonl", [sample(1, BAD), *(sample(n, GOOD) for n in range(3))])
    made = as_json()
    assert (made["kept"], made["samples"]) == (3, 4)
    assert [row["completion_id"] for row in results(folder)] == [0, 0, 1, 0]
    seconds = {row["task_id"]: row["seconds"] for row in before}
    assert {row["task_id"]: row["seconds"] for row in results(folder) if row["passed"]} == seconds
    # Another limit, or another test, makes another problem.
    assert as_json("--timeout", "9")["kept"] == 0
    changed = [{**filled(n), "test": filled(n)["test"].replace("-5", "-6")} for n in range(3)]
    write(folder / "problems.jsonl.gz", changed)
    assert as_json()["kept"] == 0


@pytest.mark.slow
def test_packages_are_offered_by_name_and_results_with_and_without_them_kept_apart(folder):
    array = "    import numpy as np\n    return np.add(x, {n})\n"
    write(folder / "samples.jsonl", [sample(n, array) for n in range(3)])
    shown = honestly("problems.jsonl.gz", "samples.jsonl").stdout
    assert "3 samples did not find numpy, which is installed here: `--with numpy` offers it" in " ".join(shown.split())
    assert [row["packages"] for row in results(folder)] == [[]] * 3
    made = as_json("--with", "numpy")
    assert (made["kept"], made["outcomes"]) == (0, {"passed": 3})
    assert made["packages"] == [f"numpy=={version('numpy')}"]
    assert [row["packages"] for row in results(folder)] == [made["packages"]] * 3
    assert as_json("--with", "numpy", "--with", "numpy")["kept"] == 3
    assert as_json()["kept"] == 0
    assert as_json("--with", "numpy", "--unsafe-no-sandbox")["outcomes"] == {"passed": 3}
    refused = honestly("problems.jsonl.gz", "samples.jsonl", "--with", "nothing-like-it", code=3)
    assert "there is no package 'nothing-like-it' installed next to honestly" in refused.stderr


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_from_where_it_was(folder):
    slow = "    import time; time.sleep(0.05); return x + {n}\n"
    write(folder / "samples.jsonl", [sample(n, slow + f"# {i}\n") for i in range(20) for n in range(3)])
    out = folder / "samples.jsonl_results.jsonl"
    command = [sys.executable, "-m", "honestly", "bench", "samples", "problems.jsonl.gz", "samples.jsonl", "--json"]
    for wanted in (5, 20):
        running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not out.exists() or out.read_bytes().count(b"\n") < wanted:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert all(line.endswith(b"\n") and json.loads(line) for line in out.read_bytes().splitlines(keepends=True))
    with out.open("ab") as file:
        file.write(b'{"task_id": "T/0", "comp')  # a line torn by a power cut
    whole = out.read_bytes().count(b"\n")
    made = as_json()
    assert made["kept"] == whole >= 20
    assert made["outcomes"] == {"passed": 60}
    assert [(row["task_id"], row["completion_id"]) for row in results(folder)] == [
        (f"T/{n}", i) for i in range(20) for n in range(3)
    ]


@pytest.mark.slow
def test_interrupted_it_says_what_is_kept(folder):
    slow = "    import time; time.sleep(0.05); return x + {n}\n"
    write(folder / "samples.jsonl", [sample(n, slow + f"# {i}\n") for i in range(40) for n in range(3)])
    command = [sys.executable, "-m", "honestly", "bench", "samples", "problems.jsonl.gz", "samples.jsonl"]
    running = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    out = folder / "samples.jsonl_results.jsonl"
    while not out.exists() or out.read_bytes().count(b"\n") < 5:
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    said = running.communicate()[1]
    assert running.returncode == 130
    assert f"stopped; kept {len(results(folder))} of 120 results; run the same command again to finish" in said


def test_two_runs_do_not_write_the_same_file(folder):
    slow = "    import time; time.sleep(5); return x + {n}\n"
    write(folder / "samples.jsonl", [sample(n, slow) for n in range(3)])
    command = [sys.executable, "-m", "honestly", "bench", "samples", "problems.jsonl.gz", "samples.jsonl"]
    running = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while not (folder / "samples.jsonl_results.jsonl-lock").exists():
            assert running.poll() is None
            time.sleep(0.01)
        refused = honestly("problems.jsonl.gz", "samples.jsonl", code=2)
        assert "is writing" in refused.stderr
    finally:
        running.kill()
        running.wait()


def test_cheats_do_not_pass_and_are_pointed_out(folder):
    cheats = [
        "    class Yes:\n        def __eq__(self, other): return True\n    return Yes()\n",
        "    import os; os._exit(0)\n",
        "    import sys; return sys._getframe(1).f_locals.get('expected')\n",
        "    import gc; return gc.get_objects()\n",
    ]
    rows = [sample(0, code) for code in cheats] + [sample(n, GOOD + "# reads f_back\n" * (n == 1)) for n in (1, 2)]
    write(folder / "samples.jsonl", rows)
    shown = honestly("problems.jsonl.gz", "samples.jsonl").stdout
    assert "Looks like reaching for the judge; no verdict depends on it:" in shown
    flat = " ".join(shown.split())
    assert "equals everything: 1 sample, 0 of them passed (T/0 sample 0)" in flat
    assert "ends the process: 1 sample, 0 of them passed (T/0 sample 1)" in flat
    assert "its process ended before it answered: 1 sample, 0 of them passed (T/0 sample 1)" in flat
    assert "reads stack frames: 2 samples, 1 of them passed (T/0 sample 2, T/1 sample 0)" in flat
    assert "searches the garbage collector: 1 sample" in flat
    made = as_json()
    assert made["results"]["T/1"][0]["passed"] is True
    assert made["results"]["T/1"][0]["looks_like"] == ["reads stack frames"]
    assert {found["sign"] for found in made["looks_like"]} >= {"equals everything", "ends the process"}
    assert made["pass@1"] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_no_count_hangs_on_what_a_result_says(folder):
    lie = "    raise ValueError('the grader did not survive')\n"
    codes = [GOOD, BAD, "    import os; os._exit(0)\n", lie, "    import time; time.sleep(60)\n"]
    write(folder / "samples.jsonl", [sample(n, code) for n in range(3) for code in codes[: 5 - n]])

    def counts():
        made = as_json()
        for one in [one for samples in made["results"].values() for one in samples]:
            del one["result"]
        return {key: value for key, value in made.items() if key not in ("kept", "unsealed", "broken")}

    before = counts()
    assert {found["sign"] for found in before["looks_like"]} == {
        "ends the process",
        "its process ended before it answered",
    }
    noise = [
        "passed",
        "timed out",
        "failed: the solution sent what is not a reply",
        "failed: the grader did not survive",
    ]
    rows = [row | {"result": noise[at % 4], "looks_like": noise} for at, row in enumerate(results(folder))]
    write(folder / "samples.jsonl_results.jsonl", rows)
    assert counts() == before


def test_what_is_wrong_is_said_before_anything_runs(folder):
    write(folder / "samples.jsonl", [sample(n, GOOD) for n in range(3)] + [sample(7, GOOD)])
    refused = honestly("problems.jsonl.gz", "samples.jsonl", code=2)
    assert "samples.jsonl:4: there is no problem 'T/7' in problems; its problems are: T/0, T/1, T/2" in refused.stderr
    write(folder / "samples.jsonl", [sample(1, GOOD)])
    refused = honestly("problems.jsonl.gz", "samples.jsonl", code=2)
    assert "no sample for 2 of 3 problems: T/0, T/2. Add them, or say --ignore-incomplete" in refused.stderr
    (folder / "samples.jsonl").write_text("\n")
    assert "contains no samples" in honestly("problems.jsonl.gz", "samples.jsonl", code=2).stderr
    assert "there is no file or folder 'nothing.jsonl'" in honestly("problems.jsonl.gz", "nothing.jsonl", code=2).stderr
    assert not (folder / "samples.jsonl_results.jsonl").exists()


def test_incomplete_samples_are_judged_if_that_is_meant(folder):
    write(folder / "samples.jsonl", [sample(1, GOOD)])
    made = as_json("--ignore-incomplete")
    assert made["incomplete"] == ["T/0", "T/2"]
    assert (made["n"], made["pass@1"]) == (1, 1.0)
    assert made["estimates"][0]["interval"] == [None, None]
    assert "needs two" in made["estimates"][0]["reason"]
    shown = honestly("problems.jsonl.gz", "samples.jsonl", "--ignore-incomplete").stdout
    assert "2 of 3 problems have no sample, and are left out." in shown


@pytest.mark.parametrize("content", ['{"task_id": "T/0", "passed": true}\n', "precious\n", "[]\n{}\n"])
def test_a_file_that_is_not_ours_is_left_alone(folder, content):
    write(folder / "samples.jsonl", [sample(n, GOOD) for n in range(3)])
    (folder / "old.jsonl").write_text(content)
    refused = honestly("problems.jsonl.gz", "samples.jsonl", "--out", "old.jsonl", code=2)
    assert "old.jsonl, line 1 is damaged or not a result of honestly bench samples" in refused.stderr
    assert (folder / "old.jsonl").read_text() == content


@pytest.mark.slow
def test_the_results_go_where_they_are_wanted(folder):
    write(folder / "samples.jsonl", [sample(n, GOOD) for n in range(3)])
    assert as_json("--out", "r.jsonl", "--jobs", "1", "--format", "humaneval")["out"] == "r.jsonl"
    assert len(results(folder, "r.jsonl")) == 3
    assert sorted(path.name for path in folder.iterdir()) == ["problems.jsonl.gz", "r.jsonl", "samples.jsonl"]
    (folder / "link.jsonl").symlink_to("r.jsonl")
    assert as_json("--out", "link.jsonl")["kept"] == 3
    assert (folder / "link.jsonl").is_symlink()
    refused = honestly("problems.jsonl.gz", "samples.jsonl", "--out", "/dev/null", code=2)
    assert "error:" in refused.stderr


@pytest.mark.slow
def test_without_isolation_it_says_so_and_reuses_nothing(folder):
    write(folder / "samples.jsonl", [sample(n, GOOD) for n in range(3)])
    as_json()
    made = as_json("--unsafe-no-sandbox")
    assert (made["kept"], made["sandbox"], made["outcomes"]) == (0, "none", {"passed": 3})
    assert {row["sandbox"] for row in results(folder)} == {"none"}
    assert "Run without isolation" in honestly("problems.jsonl.gz", "samples.jsonl", "--unsafe-no-sandbox").stdout


@pytest.mark.slow
def test_a_broken_problem_is_named_and_not_held_against_anyone_in_silence(folder):
    rows = [filled(n) for n in range(3)]
    rows[1]["test"] = "def check(candidate:\n"
    write(folder / "problems.jsonl.gz", rows)
    write(folder / "samples.jsonl", [sample(n, GOOD) for n in range(3)])
    shown = honestly("problems.jsonl.gz", "samples.jsonl").stdout
    assert "The problem T/1 is broken: it cannot be compiled" in shown
    assert as_json()["outcomes"] == {"passed": 2, "error": 1}


@pytest.mark.slow
def test_a_problem_that_no_sample_passes_is_broken_if_its_own_reference_does_not(folder):
    rows = [filled(n) for n in range(3)]
    sorts = "    list.sort(x)\n"
    rows[1] |= {
        "canonical_solution": sorts,
        "test": "def check(f):\n    x = [2, 1]\n    f(x)\n    assert x == [1, 2]\n",
    }
    write(folder / "problems.jsonl.gz", rows)
    write(folder / "samples.jsonl", [sample(0, BAD), sample(1, sorts), sample(2, GOOD)])
    shown = honestly("problems.jsonl.gz", "samples.jsonl").stdout
    assert "The problem T/1 is broken: its own reference does not pass here: failed" in shown
    found = as_json()
    assert list(found["broken"]) == ["T/1"]
    assert found["outcomes"] == {"passed": 1, "failed": 2}


def test_names_of_problems_cannot_write_to_the_terminal(folder):
    row = {**filled(0), "task_id": "T/\x1b[2J[red]"}
    write(folder / "problems.jsonl.gz", [row, filled(1)])
    write(
        folder / "samples.jsonl",
        [{"task_id": row["task_id"], "completion": "    import gc; gc.get_objects()\n"}, sample(1, GOOD)],
    )
    shown = honestly("problems.jsonl.gz", "samples.jsonl")
    assert "\x1b" not in shown.stdout + shown.stderr
    assert "[red]" in shown.stdout


@pytest.mark.parametrize("ks", ["0", "1,x", "", "1e3", "-1", "999999999999"])
def test_bad_ks_are_refused(folder, ks):
    write(folder / "samples.jsonl", [sample(0, GOOD)])
    refused = honestly("problems.jsonl.gz", "samples.jsonl", "-k", ks, code=2)
    assert ("is not a list of whole numbers" if ks else "-k is empty") in refused.stderr


KEYS = """broken checks collusion estimates format incomplete kept left_out looks_like n out outcomes packages pass@1 problems
rejudged repeated results samples sandbox tampered undecided unsealed"""


@pytest.mark.slow
def test_what_json_has_is_fixed_and_who_acts_together_is_named(folder):
    guesses = [
        "    import os\n    return [True, False, 1][1]\n",
        "    import os\n    v = 2\n    return [True, False, 1][2]\n",
    ]
    write(
        folder / "problems.jsonl.gz", [{**filled(0), "test": "def check(candidate):\n    assert candidate(1) == 1\n"}]
    )
    write(folder / "samples.jsonl", [sample(0, code) for code in [*guesses, "    import os\n    return 5\n"]])
    made = as_json("-k", "1")
    assert sorted(made) == KEYS.split()
    sign = "draws on chance, clocks or the machine: some pass and some fail"
    assert made["collusion"] == [{"problem": "T/0", "samples": [0, 1, 2], "sign": sign}]
    shown = " ".join(honestly("problems.jsonl.gz", "samples.jsonl").stdout.split())
    assert f"Acting together? {sign}: 3 samples of 1 problem (T/0: 0, 1, 2)." in shown
