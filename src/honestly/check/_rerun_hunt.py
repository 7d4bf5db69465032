"""The findings of a hunt as a bundle, and what comes out the same when each is proved again.

The bundle holds the sources, the command, each finding with its input, the fix where there is one, and whom to tell by
when. Run again, each input is run in fresh builds; with the fix, it must be quiet. Not repeated: the fuzzing.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from honestly.check._bundle import Bundle, write_bundle
from honestly.check._rerun import Part, RerunResult, bundle_predicate, other_packages
from honestly.hunt import HuntBuilds, HuntedProject, HuntState, prove_claim, read_fix
from honestly.records import Record, Tree, decode, encode
from honestly.sandbox import open_sandbox


class HuntSaid(Record, frozen=True, kw_only=True):
    """What a bundle says of a hunt, beside its sources and inputs."""

    name: str
    argv: tuple[str, ...]
    tests: str
    state: HuntState
    fix: str = ""
    tell: str = ""
    """Who is to be told of the findings."""
    by: str = ""
    """By when, as 2026-01-31."""


def write_hunt_bundle(place: Path, project: HuntedProject, said: HuntSaid, inputs: Mapping[str, bytes]) -> None:
    """Writes the findings of a hunt as a bundle; `inputs` by their names in the findings."""
    members = {
        "project.json": encode(project.tree), "hunt.json": encode(said),
        "inputs.json": encode(Tree.of(dict(inputs))), "answer.json": encode(said.state.to_plain()),
    }  # fmt: skip
    findings = [f"{each.kind}: {each.stack[0] if each.stack else ''}" for each in said.state.findings]
    more = {"findings": findings, "tell": said.tell, "by": said.by}
    write_bundle(place, "hunt", members, bundle_predicate(f"honestly bench hunt {said.name}", more))


async def rerun_hunt(bundle: Bundle, signed_by: tuple[str, ...], *, unsafe: bool) -> RerunResult:
    """Each finding of a hunt proved again in fresh builds, and tried with the fix."""
    said = decode(bundle.member("hunt.json"), HuntSaid)
    inputs = decode(bundle.member("inputs.json"), Tree).files
    project = HuntedProject(said.name, decode(bundle.member("project.json"), Tree), said.argv, said.tests)
    box = partial(open_sandbox, unsafe=unsafe)
    parts = []
    mended = replace(project, tree=read_fix(project, said.fix)) if said.fix else project
    async with HuntBuilds(project, box) as bench, HuntBuilds(mended, box) as other:
        for each in said.state.findings:
            data = inputs[each.input].data
            proof = await prove_claim(bench, data, (), minimise_s=0)
            now = proof.report.key if proof.verdict == "proved" and proof.report is not None else (proof.verdict,)
            name = f"{each.kind} by {each.input}"
            parts.append(Part(name, list(each.key), list(now)))
            if said.fix and each.fixed is not None:
                quiet = all([await other.look(tool, data) is None for tool in ("asan", "memcheck")])
                parts.append(Part(f"{name}, with the fix", "gone" if each.fixed else "not fixed",
                                  "gone" if quiet else "not fixed"))  # fmt: skip
    told = f"tell {said.tell}{f' by {said.by}' if said.by else ''}" if said.tell else ""
    notes = [*([told] if told else []), "the fuzzing was not repeated", *other_packages(bundle)]
    return RerunResult("hunt", signed_by, tuple(parts), tuple(notes))
