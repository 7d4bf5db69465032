"""Improvement loops with proved gains, and what the files of other loops show.

A loop is a plain async function of a `LoopRun` (recipes/). `read_target` reads what is to be improved, `begin_run`
declares a run, `open_run` opens it, `work_until_spent` lets its loop go on, `prove_run` measures the proof that was
declared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.improve._budget import read_loop_budget
    from honestly.improve._claims import read_claims
    from honestly.improve._claims_report import proof_report
    from honestly.improve._declare import BASELINE, RUN_FOLDER, Keeping, Target, read_target
    from honestly.improve._evaluate import Evaluation, evaluate
    from honestly.improve._journal import LoopJournal, State, read_state
    from honestly.improve._loop_report import loop_proof
    from honestly.improve._open_run import LoopTerms, begin_run, extend_run, open_run, read_run, work_until_spent
    from honestly.improve._prompt import next_prompt
    from honestly.improve._prove import LoopEvidence, proof_evidence, prove_run
    from honestly.improve._run import LoopRun
    from honestly.improve._suite_target import suite_target
    from honestly.improve.recipes import LOOPS, Loop

__all__ = [
    "BASELINE",
    "LOOPS",
    "RUN_FOLDER",
    "Evaluation",
    "Keeping",
    "Loop",
    "LoopEvidence",
    "LoopJournal",
    "LoopRun",
    "LoopTerms",
    "State",
    "Target",
    "begin_run",
    "evaluate",
    "extend_run",
    "loop_proof",
    "next_prompt",
    "open_run",
    "proof_evidence",
    "proof_report",
    "prove_run",
    "read_claims",
    "read_loop_budget",
    "read_run",
    "read_state",
    "read_target",
    "suite_target",
    "work_until_spent",
]

__getattr__, __dir__ = lazy_exports(__name__)
