"""Which trial somebody means: an id, the beginning of one, or agent, task and sample with slashes between them."""

from honestly.errors import StoreError
from honestly.seams import did_you_mean
from honestly.show import printable_text_line
from honestly.store import Cell, Store

_APART, _SOME = 12, 4


def find_trial(study: Store, wanted: str) -> str:
    """The id of a trial, from its id, a unique prefix, or `AGENT/TASK/SAMPLE`.

    The sample may be left out where there is one, and enough of each name will do. Names may hold slashes themselves.

    Raises:
        StoreError: there is no such trial, or there are several; the message names some.
    """
    names = {cell.id: f"{cell.agent}/{cell.task}/{cell.sample}" for cell in study.cells()}
    found = [trial for trial, name in names.items() if wanted in {trial, name}]
    found = found or [trial for trial in names if wanted and trial.startswith(wanted.lower())]
    found = found or [trial for trial, name in names.items() if wanted == name.rpartition("/")[0]]
    found = found or [cell.id for cell in study.cells() if _fits(wanted, cell)]
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(f"{trial[:_APART]} ({printable_text_line(names[trial])})" for trial in found[:_SOME])
        more = f" and {len(found) - _SOME} more" if len(found) > _SOME else ""
        raise StoreError(
            f"{len(found)} trials of the study are {printable_text_line(wanted)!r}: {some}{more}; give more of the id"
        )
    hint = did_you_mean(wanted, names.values()) if "/" in wanted else ""
    raise StoreError(
        f"no trial of the study is {printable_text_line(wanted)!r}{hint}; expected an id, the beginning of one, or "
        "AGENT/TASK/SAMPLE, as honestly show STUDY lists them"
    )


def _fits(wanted: str, cell: Cell) -> bool:
    """Whether `wanted` is parts of the agent's and the task's name, and the sample if it is there."""
    words = wanted.casefold().split("/")
    splits = [(words[:at], words[at:], "") for at in range(1, len(words))]
    if words[-1].isdecimal():
        splits += [(words[:at], words[at:-1], words[-1]) for at in range(1, len(words) - 1)]
    return any(
        (agent_part := "/".join(agent)) and agent_part in cell.agent.casefold()
        and (task_part := "/".join(task)) and task_part in cell.task.casefold()
        and sample in ("", str(cell.sample))
        for agent, task, sample in splits
    )  # fmt: skip
