"""`hunt`: hunters propose inputs, a proof decides; the state lies in a folder, so that the same command goes on.

Two hunters: the fuzzer (`_guest/fuzz.py`) in slices of some seconds, whose inputs are then also run under memcheck, and
any agent, which writes `claims.json`. All that a hunter says is an input.
"""

import base64
import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import anyio
import msgspec

from honestly.agents import Actor
from honestly.errors import FormatError, HonestlyError, TaskError
from honestly.hunt._agent import agent_claims
from honestly.hunt._fix import fix_objection, read_fix
from honestly.hunt._prove import HuntBuilds, prove_claim
from honestly.hunt._sanitizers import LIMITS, OWN, HuntedProject
from honestly.records import Record, Tree
from honestly.verify import OpenBox
from honestly.work import write_file

_SLICE_S = 10.0
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntOrder:
    """How a project is hunted."""

    seconds: float = 60.0
    """How long to fuzz. 0: not at all."""
    seed: int = 0
    minimise_s: float = 10.0
    fix: str = ""
    """A patch that is to be verified; the agent's, if it wrote one, where empty."""
    fuzz_s: float = 60.0
    """Seconds of fuzzing that a fix has to stand."""


class HuntFinding(Record, frozen=True, kw_only=True):
    """An error that is proved."""

    program: str
    kind: str
    stack: tuple[str, ...]
    input: str
    """Where the input lies, below the hunt's folder."""
    reproduced: int
    fixed: bool | None = None
    """Whether a fix holds; None where there was none."""

    @property
    def key(self) -> tuple[str, ...]:
        """The key of an error: its kind, and the functions on top of its stack."""
        return self.kind, *(frame.split(" ")[0] for frame in self.stack[:3])


class HuntState(Record, frozen=True, kw_only=True):
    """The state of a hunt so far."""

    project: str
    """Hash of the project's files and command."""
    fuzzed_s: float = 0.0
    runs: int = 0
    looked: tuple[str, ...] = ()
    """Hashes of inputs that memcheck has seen."""
    looked_s: float = 0.0
    asked: tuple[str, ...] = ()
    """Names of agents that have looked."""
    claims: dict[str, str] = {}
    """What came of each claim, by the hash of its input: `proved`, `known`, `nothing`."""
    findings: tuple[HuntFinding, ...] = ()
    notes: tuple[str, ...] = ()
    """What is worth knowing beside: why a fix does not hold, what an agent's claims lacked."""

    def to_plain(self) -> dict[str, object]:
        """The object that `--json` prints; its keys are fixed."""
        findings = [{name: getattr(each, name) for name in each.__struct_fields__} for each in self.findings]
        return {"findings": findings, "claims": len(self.claims), "proved": len(self.findings)}


class FuzzerOutput(msgspec.Struct, frozen=True):
    """The fuzzer's proposals; it comes out of a sandbox, and is no more than a proposal."""

    kept: list[str]
    crashed: list[str]
    runs: int
    hung: int


async def fuzz_for(
    bench: HuntBuilds, seconds: float, seed: int, seeds: list[bytes]
) -> tuple[list[bytes], list[bytes], int]:
    """Fuzz for a while; inputs that reached something new, inputs that crashed, and the number of runs.

    Raises:
        TaskError: The fuzzer could not run the program.
    """
    built = await bench.tree("fuzz")
    sources = [
        file.data.decode("utf-8", "replace")
        for path, file in bench.project.tree.files.items()
        if path.endswith((".c", ".h"))
    ]
    order = {
        "argv": bench.project.argv,
        "seconds": seconds,
        "seed": seed,
        "sources": sources,
        "seeds": [base64.b64encode(each).decode() for each in seeds],
    }
    ours = {
        "order.json": msgspec.json.encode(order),
        "fuzz.py": files("honestly.hunt").joinpath("_guest/fuzz.py").read_bytes(),
    }
    tree = Tree.of(ours).under(OWN).over(built)
    argv = ["python3", "-I", "-S", "-B", f"{OWN}/fuzz.py", f"{OWN}/order.json", f"{OWN}/out.json"]
    async with bench.open_box(tree, limits=replace(LIMITS, cpu_s=3600)) as box:
        result = await box.exec(argv, timeout=seconds + 60)
        if result.code != 0:
            said = result.stderr.decode("utf-8", "replace").strip()[-300:]
            raise TaskError(f"{bench.project.name} cannot be fuzzed as {' '.join(bench.project.argv)}: {said}")
        raw = await box.read(f"{OWN}/out.json")
    try:
        found = msgspec.json.decode(raw, type=FuzzerOutput)
        kept, crashed = ([base64.b64decode(each) for each in some] for some in (found.kept, found.crashed))
    except (msgspec.MsgspecError, ValueError) as error:
        raise TaskError(f"{bench.project.name} damaged the files of the fuzzer: {error}") from error
    return kept, crashed, found.runs


class Hunt:
    """A hunt over one project, and its folder."""

    def __init__(self, project: HuntedProject, order: HuntOrder, folder: Path, open_box: OpenBox, told: Told) -> None:
        self.project, self.order, self.folder, self.open_box, self.told = project, order, folder, open_box, told
        key = hashlib.sha256(repr((project.tree.hash, project.argv)).encode()).hexdigest()[:16]
        self.state = self._read_state(key)

    def _read_state(self, key: str) -> HuntState:
        path = self.folder / "state.json"
        if not path.is_file():
            return HuntState(project=key)
        try:
            found = msgspec.json.decode(path.read_bytes(), type=HuntState)
        except msgspec.MsgspecError as error:
            raise FormatError(f"{path} is not the state of a hunt ({error}); name another folder with --out") from error
        if found.project != key:
            raise FormatError(
                f"{path} belongs to other sources or another command; start another hunt with --out FOLDER"
            )
        return found

    def _keep_state(self, **changes: object) -> None:
        """Writes the state anew, as a whole."""
        self.state = msgspec.structs.replace(self.state, **changes)
        data = msgspec.json.format(msgspec.json.encode(self.state), indent=2)
        write_file(self.folder / "state.json", data, folders=True)

    def _kept_corpus(self) -> list[bytes]:
        folder = self.folder / "corpus"
        return [path.read_bytes() for path in sorted(folder.iterdir())] if folder.is_dir() else []

    async def hunt(self, agent: Actor | None = None) -> HuntState:
        """Hunt to the end, or on from where it was stopped.

        Raises:
            TaskError: The project does not build or run.
            SandboxUnavailableError: This machine does not let us build a sandbox.
        """
        async with HuntBuilds(self.project, self.open_box) as bench:
            corpus = self._kept_corpus() or [
                file.data for path, file in sorted(self.project.tree.files.items()) if path.startswith("seeds/")
            ]
            while self.state.fuzzed_s < self.order.seconds:
                seconds = min(_SLICE_S, self.order.seconds - self.state.fuzzed_s)
                seed = self.order.seed * 1000 + int(self.state.fuzzed_s)
                corpus, crashed, runs = await fuzz_for(bench, seconds, seed, corpus)
                for data in crashed:
                    await self._decide_claim(bench, data)
                (self.folder / "corpus").mkdir(parents=True, exist_ok=True)
                for data in corpus:
                    (self.folder / "corpus" / _input_name(data)).write_bytes(data)
                self._keep_state(fuzzed_s=self.state.fuzzed_s + seconds, runs=self.state.runs + runs)
                self.told(f"{self.state.fuzzed_s:.0f} of {self.order.seconds:.0f} s: {self.state.runs} runs, "
                          f"{len(corpus)} inputs kept, {len(self.state.findings)} errors proved")  # fmt: skip
            await self._under_memcheck(bench, corpus)
            fix = self.order.fix
            if agent is not None:
                patch = await self._ask_agent(bench, agent)
                fix = fix or patch
            if fix:
                await self._verify_fix(bench, fix)
        return self.state

    async def _ask_agent(self, bench: HuntBuilds, agent: Actor) -> str:
        """Lets an agent look, once in a hunt; its patch."""
        name = agent.record.name
        patched = self.folder / "agents" / f"{_input_name(name.encode())}.patch"
        if name not in self.state.asked:
            claimed, patch, note = await agent_claims(self.project, agent, self.order.seed, self.open_box)
            for data in claimed:
                await self._decide_claim(bench, data)
            patched.parent.mkdir(parents=True, exist_ok=True)
            patched.write_text(patch, "utf-8")
            notes = (*self.state.notes, note) if note else self.state.notes
            self._keep_state(asked=(*self.state.asked, name), notes=notes)
        return patched.read_text("utf-8")

    async def _under_memcheck(self, bench: HuntBuilds, corpus: Sequence[bytes]) -> None:
        """Runs what the fuzzer kept under memcheck, as long as it was fuzzed; first what looks suspicious."""
        left = [each for each in sorted(corpus) if _input_name(each) not in self.state.looked]
        random.Random(self.order.seed).shuffle(left)  # noqa: S311 - no secret
        if not left or self.state.looked_s >= self.order.seconds:
            return
        suspicious = {each for each in left if await bench.depends_on_chance(each)}
        for data in sorted(left, key=lambda each: each not in suspicious):
            begun = anyio.current_time()
            if await bench.look("memcheck", data) is not None:
                await self._decide_claim(bench, data)
            spent = self.state.looked_s + anyio.current_time() - begun
            self._keep_state(looked=(*self.state.looked, _input_name(data)), looked_s=spent)
            if spent >= self.order.seconds:
                break

    async def _decide_claim(self, bench: HuntBuilds, data: bytes) -> None:
        """Decides on a claim; what was decided is not decided again."""
        name = _input_name(data)
        if name in self.state.claims:
            return
        known = {each.key for each in self.state.findings}
        proof = await prove_claim(bench, data, known, minimise_s=self.order.minimise_s)
        findings = self.state.findings
        if proof.verdict == "proved":
            assert proof.report is not None
            place = Path("findings", _input_name(proof.data))
            (self.folder / "findings").mkdir(parents=True, exist_ok=True)
            (self.folder / place).write_bytes(proof.data)
            report = proof.report
            findings += (
                HuntFinding(
                    program=self.project.name,
                    kind=report.kind,
                    stack=report.stack,
                    input=str(place),
                    reproduced=proof.reproduced,
                ),
            )
            self.told(f"proved: {report.kind} in {', '.join(report.stack[:2])}, by {len(proof.data)} bytes")
        self._keep_state(claims={**self.state.claims, name: proof.verdict}, findings=findings)

    async def _verify_fix(self, bench: HuntBuilds, patch: str) -> None:
        """Says of each finding whether the fix holds."""
        try:
            mended = replace(self.project, tree=read_fix(self.project, patch))
        except HonestlyError as error:
            if self.order.fix:
                raise
            self._keep_state(notes=(*self.state.notes, f"the agent's fix is refused: {error}"))
            return
        inputs = {each.input: (self.folder / each.input).read_bytes() for each in self.state.findings}
        async with HuntBuilds(mended, self.open_box) as other:
            why = await fix_objection(bench, other, self._kept_corpus())
            broken: set[tuple[str, ...]] = set()
            if not why:
                _, crashed, runs = await fuzz_for(
                    other, self.order.fuzz_s, self.order.seed + 1, [*self._kept_corpus(), *inputs.values()]
                )
                self.told(f"the fix was fuzzed for {self.order.fuzz_s:.0f} s: {runs} runs, {len(crashed)} crashes")
                known = {each.key for each in self.state.findings}
                for data in crashed:
                    report = await other.look("asan", data)
                    if report is not None:
                        broken.add(report.key)
                        why = why if report.key in known else f"with it, {report.kind} at {report.stack[0]}"
            findings = []
            for each in self.state.findings:
                gone = not why and each.key not in broken
                for tool in ("asan", "memcheck"):
                    gone = gone and await other.look(tool, inputs[each.input]) is None
                findings.append(msgspec.structs.replace(each, fixed=gone))
        notes = (*self.state.notes, f"the fix does not hold: {why}") if why else self.state.notes
        self._keep_state(findings=tuple(findings), notes=notes)


def _input_name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
