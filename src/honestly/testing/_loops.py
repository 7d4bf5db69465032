"""Contract of other people's loops."""

from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from honestly.improve import (
    Evaluation,
    LoopTerms,
    State,
    Target,
    begin_run,
    open_run,
    read_loop_budget,
    read_state,
    read_target,
    work_until_spent,
)
from honestly.improve.projects import write_example
from honestly.records import Edit, digest
from honestly.sandbox import open_sandbox


def check_loop(loop: str) -> None:
    """Runs a loop on an embedded project with several budgets, interrupts and resumes it.

    Args:
        loop: What `improve --loop` would name.

    Raises:
        AssertionError: It leaves an attempt undecided, or comes to another end when it goes on.
    """
    with TemporaryDirectory() as folder:
        write_example("curve", Path(folder) / "project")
        target = read_target(Path(folder) / "project")
        for budget in ("6 attempts", "25 evaluations", "2 evaluations"):
            run = Path(folder) / budget
            begin_run(
                run, target, LoopTerms(loop=loop, agent="searcher", budget=read_loop_budget(budget), seed=1), "project"
            )
            state = _ended_state(run)
            left = [each.n for each in state.attempts() if ("loop", each.n) not in state.decided]
            assert not left, f"attempts {left} were neither kept nor dropped: call run.keep, run.score or run.drop"
        journal = Path(folder) / "6 attempts" / "journal.jsonl"
        whole, lines = read_state(journal.parent), journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[: len(lines) * 2 // 3]))
        again = _ended_state(journal.parent)
        assert again.decided == whole.decided, "cut off, it decided something else: draw by run.seed, ask no clock"
        assert again.sealed == whole.sealed, "cut off, it came to another end: draw by run.seed, ask no clock"


def _ended_state(run: Path) -> State:
    with open_run(run, open_sandbox, _planted_evaluation) as opened:
        anyio.run(work_until_spent, opened)
        return opened.state


async def _planted_evaluation(target: Target, candidate: Edit, seed: int) -> Evaluation:  # noqa: ARG001 - as it is asked
    """A loss that is the better the more was changed, and noise."""
    changed = sum(len(file.data) for file in candidate.write.files.values()) % 7
    return Evaluation("ok", 20.0 - changed + int(digest("noise", candidate, seed)[:4], 16) / 65536, {}, "", 0.0)
