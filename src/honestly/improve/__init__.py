"""Improvement loops with proved gains, and what the files of other loops show.

A loop is a plain async function of a `LoopRun` (recipes/). `read_target` reads what is to be improved, `begin_run`
declares a run, `open_run` opens it, `work_until_spent` lets its loop go on, `prove_run` measures the proof that was
declared.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.improve._budget import read_loop_budget as read_loop_budget
    from honestly.improve._claims import read_claims as read_claims
    from honestly.improve._claims_report import proof_report as proof_report
    from honestly.improve._declare import (
        BASELINE as BASELINE,
        RUN_FOLDER as RUN_FOLDER,
        Keeping as Keeping,
        Target as Target,
        read_target as read_target,
    )
    from honestly.improve._evaluate import Evaluation as Evaluation, evaluate as evaluate
    from honestly.improve._journal import LoopJournal as LoopJournal, State as State, read_state as read_state
    from honestly.improve._loop_report import loop_proof as loop_proof
    from honestly.improve._open_run import (
        LoopTerms as LoopTerms,
        begin_run as begin_run,
        extend_run as extend_run,
        open_run as open_run,
        read_run as read_run,
        work_until_spent as work_until_spent,
    )
    from honestly.improve._prompt import next_prompt as next_prompt
    from honestly.improve._prove import (
        LoopEvidence as LoopEvidence,
        proof_evidence as proof_evidence,
        prove_run as prove_run,
    )
    from honestly.improve._run import LoopRun as LoopRun
    from honestly.improve._suite_target import suite_target as suite_target
    from honestly.improve.recipes import LOOPS as LOOPS, Loop as Loop


__getattr__, __dir__ = lazy_exports(__name__)
