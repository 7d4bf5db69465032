"""What an agent may do with its tools: the policies that hold for it, and what they decided, one record a decision.

The strictest policy decides. Where nobody can be asked, `ask` is a no.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from honestly.agents._autonomy import InControl, autonomy_ruling
from honestly.agents._person import NOBODY, Person
from honestly.agents._policy_judge import PolicyJudge
from honestly.permissions import SECRET, Ruling, ShellState, ToolPolicy
from honestly.records import encode

GUARD_RECORD = "guard.jsonl"
"""Name of the artifact with every decision of a trial's policies."""

_ORDER = ("deny", "ask", "allow")
_MOST = 20_000


@dataclass(frozen=True)
class Permissions:
    """The policies of an agent's conversation."""

    policies: tuple[ToolPolicy, ...] = ()
    judges: tuple[PolicyJudge, ...] = ()
    decided: list[bytes] = field(default_factory=list)
    """Every decision, as a line of JSON."""
    shell: ShellState = field(default_factory=ShellState)
    """Of the shell and the files that last as long as the trial."""

    @property
    def principles(self) -> tuple[str, ...]:
        """The principles of all policies."""
        return tuple(dict.fromkeys(text for policy in self.policies for text in policy.principles))

    def decision(self, name: str, arguments: Mapping[str, Any]) -> Ruling:
        """What the strictest policy says of a use of a tool."""
        found = [policy.decision(name, arguments, self.shell) for policy in self.policies if policy]
        return min(found, key=lambda each: _ORDER.index(each.word), default=Ruling("allow"))

    async def refusal_reason(self, name: str, arguments: Mapping[str, Any], person: Person) -> str:
        """Why a use of a tool is not permitted, in words for the model; empty where it is."""
        chief = person if person is not NOBODY and isinstance(person, InControl) else None
        if not any(self.policies) and (chief is None or chief.autonomy == "full"):
            return ""
        begun = perf_counter()
        decision = self.decision(name, arguments)
        if chief is not None:
            level = autonomy_ruling(chief.autonomy, name, arguments, self.shell)
            decision = min(decision, level, key=lambda each: _ORDER.index(each.word))
        for judge in self.judges if decision.word != "deny" else ():
            decision = min(decision, await judge.ruling(name, arguments), key=lambda each: _ORDER.index(each.word))
        seconds = perf_counter() - begun
        answer, refusal = "", ""
        said = decision.rule or decision.reason
        if decision.word == "deny":
            refusal = (
                f"the rules for you do not permit this ({said}: {decision.reason}). Do it another way, or leave it"
            )
        elif decision.word == "ask" and not person.there:
            refusal = (
                f"the rules for you want a person to be asked for this ({said}: {decision.reason}), and nobody is "
                "here. Write commands plainly, without names that are computed, or do it another way"
            )
        elif decision.word == "ask":
            answer = await person.answer(f"May I use {name} for this? {_short(arguments)}  ({said})  [y/N]")
            if answer.strip().lower() not in {"y", "yes"}:
                refusal = f"the person said no: {answer.strip() or 'no'}"
            if chief is not None:
                chief.noted(name, arguments, allowed=not refusal)
        if not refusal:
            self.shell.commit()
        if len(self.decided) < _MOST:
            self.decided.append(
                encode(
                    {
                        "tool": name,
                        "arguments": _short(arguments),
                        "decision": decision.word,
                        "rule": decision.rule,
                        "reason": decision.reason,
                        "answer": answer,
                        "done": not refusal,
                        "seconds": round(seconds, 6),
                    }
                )
            )
        return refusal


def _short(arguments: Mapping[str, Any]) -> str:
    told = ", ".join(f"{key}={SECRET.sub(_begin, str(value))[:200]!r}" for key, value in arguments.items())
    return told[:600]


def _begin(found: re.Match[str]) -> str:
    """A key without what makes it one, since records are shown to others."""
    return f"{found[0][:6]}…"
