"""The grammar of `--memory`: which kind of memory, who judges what a success is, who writes, and within
which bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from honestly.errors import AgentError, HonestlyError
from honestly.memory._folder import read_library
from honestly.memory._library import MemoryLibrary
from honestly.seams import did_you_mean, format_spec, parse_spec, read_settings

MEMORY_KINDS = ("workflows", "skills", "placebo")
_TYPES = {
    "judge": Literal["visible", "hidden", "model"],
    "by": Literal["rules", "model"],
    "most": Annotated[int, Meta(ge=1, le=50)],
    "size": Annotated[int, Meta(ge=200, le=20_000)],
    "from": Path,
    "of": Literal["workflows", "skills"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySpec:
    """One kind of memory, as somebody asked for it."""

    kind: Literal["workflows", "skills"]
    name: str
    """What stands in the agent's name."""
    placebo: bool = False
    """Whether the agent is shown a text of the same length that says nothing."""
    judge: Literal["visible", "hidden", "model"] = "visible"
    """What a success is: the agent's claim and the visible checks, the hidden checks, or what a model says."""
    by: Literal["", "rules", "model"] = ""
    """Who writes workflows; the agent's model where it has one, if nobody says."""
    most: int = 8
    size: int = 4000
    begun: MemoryLibrary | None = None
    """What it knows from the beginning."""

    @classmethod
    def parse_spec(cls, typed: str) -> "MemorySpec":
        """The spec behind `workflows:judge=hidden`, `skills`, `placebo`.

        Raises:
            AgentError: there is no such memory, or a setting makes no sense.
            StoreError: the library that it is to begin with cannot be read.
        """
        try:
            spec = parse_spec(typed, MEMORY_KINDS)
            if spec is None or spec.is_own:
                name = typed.partition(":")[0]
                raise AgentError(
                    f"no memory {name!r}{did_you_mean(name, MEMORY_KINDS)}; there are: {', '.join(MEMORY_KINDS)}"
                )
            given = read_settings(spec.settings, _TYPES, f"memory {spec.name!r}")
        except AgentError:
            raise
        except HonestlyError as error:
            raise AgentError(f"--memory: {error}") from error
        placebo, of = spec.name == "placebo", given.pop("of", "")
        if of and not placebo:
            raise AgentError(f"--memory {typed}: of=... is for a placebo; say {of!r} itself")
        kind: Literal["workflows", "skills"] = "skills" if "skills" in {of, spec.name} else "workflows"
        begun = read_library(folder) if (folder := given.pop("from", None)) else None
        if begun is not None and begun.kind != kind:
            raise AgentError(f"--memory {typed}: that library contains {begun.kind}, not {kind}; name another folder")
        return cls(kind=kind, name=format_spec(spec), placebo=placebo, begun=begun, **given)


def specs_of(typed: Sequence[str]) -> tuple[MemorySpec, ...]:
    """The specs behind several `--memory`.

    Raises:
        AgentError: one makes no sense, or is there twice.
    """
    specs = tuple(map(MemorySpec.parse_spec, typed))
    names = [each.name for each in specs]
    if len(set(names)) < len(names):
        raise AgentError(f"a memory is given twice: {', '.join(names)}; give each once")
    return specs
