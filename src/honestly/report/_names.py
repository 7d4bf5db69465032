"""Finding the agent that a person means."""

import difflib
from collections.abc import Sequence

from honestly.errors import AgentError
from honestly.report._text import printable

_SHOWN = 20


def find_agent(names: Sequence[str], wanted: str) -> str:
    """The name among `names` that `wanted` is, or that alone contains it (upper and lower case being the same).

    Raises:
        AgentError: no name fits, or several do; the message lists the names, the close ones first.
    """
    if wanted in names:
        return wanted
    part = wanted.casefold()
    fitting = [name for name in names if part and part in name.casefold()]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise AgentError(f"{printable(wanted)!r} fits several agents: {_listed(fitting)}; give more of the name")
    if not names:
        raise AgentError(f"there is no agent {printable(wanted)!r}: the study has no agents")
    close = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(printable, close))}? " if close else ""
    raise AgentError(f"there is no agent {printable(wanted)!r}; {hint}The study has: {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(printable, names[:_SHOWN]))
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
