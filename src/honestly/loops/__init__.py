"""Improvement loops: ours, whose gains are proved, and what other people's claim.

A loop is a plain async function of a `LoopRun` (recipes/). `read_target` reads what is to be improved, `begin_run`
declares a run, `open_run` opens it, `work` lets its loop go on, `prove_run` measures the proof that was declared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.loops._audit import DiffFlag, flags_of
    from honestly.loops._budget import LoopBudget, Spent, read_budget
    from honestly.loops._claim import GainClaim, Scored
    from honestly.loops._claims import CLAIM_FORMATS, read_claims
    from honestly.loops._declare import (
        BASELINE,
        RUN_FOLDER,
        Declaration,
        Frozen,
        Keeping,
        Proving,
        Target,
        candidate_id,
        read_target,
    )
    from honestly.loops._evaluate import Evaluation, evaluate, read_metrics
    from honestly.loops._journal import LoopJournal, State, read_state
    from honestly.loops._keep import KEEPS
    from honestly.loops._open_run import LoopTerms, begin_run, loop_share, open_run, read_run, work
    from honestly.loops._prove import LoopEvidence, evidence, prove_run
    from honestly.loops._run import LoopRun

__all__ = [
    "BASELINE",
    "CLAIM_FORMATS",
    "KEEPS",
    "RUN_FOLDER",
    "Declaration",
    "DiffFlag",
    "Evaluation",
    "Frozen",
    "GainClaim",
    "Keeping",
    "LoopBudget",
    "LoopEvidence",
    "LoopJournal",
    "LoopRun",
    "LoopTerms",
    "Proving",
    "Scored",
    "Spent",
    "State",
    "Target",
    "begin_run",
    "candidate_id",
    "evaluate",
    "evidence",
    "flags_of",
    "loop_share",
    "open_run",
    "prove_run",
    "read_budget",
    "read_claims",
    "read_metrics",
    "read_run",
    "read_state",
    "read_target",
    "work",
]

__getattr__, __dir__ = late(__name__)
