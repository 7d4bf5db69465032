"""The work of running a study, apart from its command: kept from `_run.py` so that help loads none of it."""

from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import anyio

from honestly import studies
from honestly.agents import changed_agent_warnings
from honestly.command._options import one_line_name, say_on_stderr
from honestly.command._progress import Teller, run_screen
from honestly.command._signals import INTERRUPTED, heeding_signals
from honestly.errors import StudyAwayError
from honestly.records import Outcome, Suite
from honestly.runner import LOST, USUAL_REDO, Oversight, Plan, Progress, Redo, RunCount, same_reason
from honestly.show import plural_text
from honestly.stats import StoppingRule
from honestly.store import Store, remove_pace
from honestly.studies import Execution, carry_out
from honestly.tasks import LeftOut

_MOST_REASONS, _LONGEST_REASON = 5, 200


def on_this_machine(suite: Suite, *, unsafe: bool = False) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite that `honestly.studies.on_this_machine` leaves; which tasks are left out is said on standard error."""
    return anyio.run(partial(studies.on_this_machine, suite, say_on_stderr, unsafe=unsafe))


def build_suite(suite: Suite, *, quiet: bool) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite that `honestly.studies.built` leaves; unless it is to be quiet, a line is said for each step."""
    return anyio.run(studies.buildable_suite, suite, (lambda _: None) if quiet else say_on_stderr)


def run_study(
    plan: Plan,
    study: Store,
    how: Execution,
    rule: StoppingRule | None = None,
    redo: Redo = USUAL_REDO,
    oversight: Oversight | None = None,
    *,
    quiet: bool,
) -> Progress:
    """Runs a plan and shows its progress; names agents that changed, and what is left after an interruption."""
    for change in changed_agent_warnings((actor.record for actor in plan.actors), study.agents()):
        say_on_stderr(change)
    count, over = RunCount(plan, study.cells()), oversight or Oversight()
    over.lookers = (count, *over.lookers)
    teller = Teller(count, over, how.unfinished, Progress(0, len(plan.trials)))
    try:
        with ExitStack() as stack:
            teller.show = stack.enter_context(run_screen(quiet=quiet))
            if how.unfinished is not None:
                stack.callback(remove_pace, how.unfinished)
            begin = partial(carry_out, plan, study, how, teller.told, rule, redo, over)
            return anyio.run(heeding_signals, begin, over, teller.renew_note)
    except (KeyboardInterrupt, SystemExit):
        state = teller.state
        say_on_stderr(f"stopped; kept {state.done} of {state.total} trials; run the same command with -o to finish")
        if how.unfinished is not None and how.unfinished.is_dir():
            say_on_stderr(f"what the trials in flight had done is in {how.unfinished}")
        try:
            study.flush()
        except StudyAwayError as error:
            say_on_stderr(str(error))
        raise


def say_what_came(plan: Plan, study: Store, out: Path, state: Progress, redo: Redo) -> None:
    """Says how many trials of a plan have a verdict, why others have none, and which command goes on."""
    decided = state.decision is not None and state.decision.stop
    whole = decided or not (state.void or state.missing)
    say_on_stderr(
        f"{out} has {state.done} of {plural_text(state.total, 'trial')}."
        f"{f' Next: honestly report {out}' if whole else ''}"
    )
    if state.redone:
        say_on_stderr(f"Retried {plural_text(state.redone, 'trial')}; earlier attempts are kept.")
    planned = {each.id for each in plan.trials}
    cells = [cell for cell in study.cells() if cell.id in planned]
    if lost := sum(attempt.reason.startswith(LOST) for cell in cells for attempt in cell.earlier):
        say_on_stderr(f"{lost} attempts were lost with their worker, and made again.")
    for outcome in (Outcome.VOID, Outcome.LIMIT):
        reasons = [cell.reason for cell in cells if cell.outcome is outcome]
        examples = {same_reason(reason): reason for reason in reversed(reasons)}
        for kind, times in Counter(map(same_reason, reasons)).most_common(_MOST_REASONS):
            say_on_stderr(f"  {times} {outcome}: {one_line_name(examples[kind])[:_LONGEST_REASON]}")
        if reasons:
            say_on_stderr(f"  See: honestly show {out} --outcome {outcome} --why")
    for agent, reason in state.given_up.items():
        say_on_stderr(
            f"Stopped {one_line_name(agent)} after {redo.breaker} consecutive failures with the same cause: "
            f"{one_line_name(reason)}"
        )
    if state.stopped and state.stopped != INTERRUPTED:
        say_on_stderr(f"Stopped: {state.stopped}; run it again with a larger --budget and -o {out} to continue.")
        return
    if whole:
        return
    if state.elsewhere:
        are = "trial is" if state.elsewhere == 1 else "trials are"
        say_on_stderr(
            f"{state.elsewhere} {are} with another runner of this study: honestly status {out} shows its progress."
        )
    spent = sum(cell.outcome is Outcome.VOID and cell.attempts >= redo.attempts for cell in cells)
    if spent:
        say_on_stderr(f"{spent} void trials used up their {redo.attempts} attempts; a larger --attempts retries them.")
    if rest := state.missing + state.void - spent - state.elsewhere:
        say_on_stderr(f"Run the same command with -o {out} to finish the other {rest}.")


def exit_code(state: Progress) -> int:
    """The exit code of a run.

    130: Ctrl-C ended it; 5: an agent was given up, or the budget is used up; 1: trials are void; 6: another runner of
    the study has some.
    """
    if state.stopped == INTERRUPTED and state.missing + state.void:
        return 130
    if state.given_up or state.stopped not in ("", INTERRUPTED):
        return 5
    return 1 if state.void else 6 if state.elsewhere else 0
