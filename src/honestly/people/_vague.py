"""Under-specified twins: proved to leave out what the hidden checks need, and where the facts for them come from.

The proof runs the rival of each fact, a wrong solution that does everything that the twin asks for. It passes the
visible checks and fails hidden ones, which the reference passes: so the twin does not determine the checks. The full
instruction says, word for word, what the rival does otherwise. A check that fails for one rival only is that fact's.

Facts are declared in `facts.toml`, or proposed by a rule or a model; proposals are run like the others, and what does
not hold is left in the instruction.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace as change

from honestly.errors import TaskError
from honestly.models import Message, Model
from honestly.people._facts import VAGUE, Fact, FactTable, Requirement, find_passage, places_that_tell, without_facts
from honestly.records import Suite, Task
from honestly.verify import Claim, OpenBox, verify

_SENTENCE = re.compile(r"(?:^|(?<=[.:;])\s+|\n\s*(?:[-*]|\d+\.) +|\n\s*\n)(?=\S)")
_COMMON = 3
"""Sentences that may have a word which is still said to name one of them."""
_SEEDS = 3
"""Of the random inputs of hidden checks: a check is a fact's own where its rival fails it with each of them."""
_PROMPT = (
    "Below are the instruction of a programming task, and the names of solutions that its hidden tests reject. For "
    "each name find the words of the instruction that this solution violates, so that somebody who never read these "
    "words could have written it. Answer with JSON only: a list of objects with `rival` (the name), `cut` (these "
    "words, verbatim, as few as will do, once in the text), `about` (three short phrases that a question would "
    "use), `name` (one word). Leave out names for which there are no such words.\n\n"
)


@dataclass(frozen=True, slots=True)
class FactProof:
    """The result of proving a task's facts."""

    task: str
    table: FactTable
    """The facts that hold, each with the checks of its own."""
    claims: tuple[Claim, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim held."""
        return all(claim.holds for claim in self.claims)


async def prove_facts(task: Task, table: FactTable, open_box: OpenBox) -> FactProof:
    """Run the rival of each fact: does the full instruction determine the hidden checks, and the twin not?

    Args:
        task: the task, or its twin.
        table: its facts.
        open_box: opens fresh sandboxes.
    """
    hidden = {fact.name for fact in table.facts}
    expected = table.instruction(hidden) if task.id.endswith(VAGUE) else table.full
    claims = [Claim("the instruction is the full one, less the facts of a twin", task.instruction == expected)]
    failing: dict[str, list[frozenset[str]]] = {}
    doubts: dict[str, list[Claim]] = {}
    for each in table.requirements:
        doubts[each.fact.name], failing[each.fact.name] = await _rival_claims(task, table, each, open_box)
    kept: list[Requirement] = []
    for each in table.requirements:
        name = each.fact.name
        others = [checks for other in table.requirements if other is not each for checks in failing[other.fact.name]]
        own = failing[name][0].intersection(*failing[name]).difference(*others)
        found = [*doubts[name], Claim(f"{name}: a hidden check fails for its rival only", bool(own), about="wrong")]
        claims += found
        if all(claim.holds for claim in found):
            kept.append(
                Requirement(each.fact, each.spans, each.rival, tuple(c for c in _expected(task) if c in own), each.look)
            )
    return FactProof(task.id, FactTable(table.task, table.full, tuple(kept)), tuple(claims))


async def _rival_claims(
    task: Task, table: FactTable, requirement: Requirement, open_box: OpenBox
) -> tuple[list[Claim], list[frozenset[str]]]:
    """What speaks for a fact, and the hidden checks that its rival fails, for each seed of random inputs."""
    name, rival = requirement.fact.name, requirement.rival
    wrong = next((each for each in task.hidden.wrong if each.name == rival), None) if task.hidden else None
    if wrong is None:
        absent = Claim(f"{name}: its rival {rival!r} is among the wrong solutions", holds=False, about="wrong")
        return [absent], [frozenset()]
    told = places_that_tell(task, table, requirement)
    files = wrong.edit.apply(task.workspace)
    verdicts = [
        await verify(change(task, visible=None) if seed else task, files, seed=seed, open_box=open_box, trusted=True)
        for seed in range(_SEEDS)
    ]
    runs = [verdict.hidden.checks if verdict.hidden else () for verdict in verdicts]
    failed = [frozenset(each.id for each in checks if each.status != "passed") for checks in runs]
    seen = verdicts[0].visible
    visible = [each.id for each in seen.checks if each.status != "passed"] if seen else []
    return [
        Claim(f"{name}: nothing that an agent gets says it", not told, ", ".join(told)),
        Claim(f"{name}: {rival} passes the visible checks", not visible, ", ".join(visible), "wrong"),
        Claim(f"{name}: the hidden checks reject {rival} with each of {_SEEDS} seeds", all(failed), about="wrong"),
    ], failed


def _expected(task: Task) -> Sequence[str]:
    return task.hidden.checks.expected if task.hidden else ()


def vague_suite(suite: Suite, proofs: Iterable[FactProof]) -> Suite:
    """The vague twins of the tasks whose facts are proved."""
    proofs = list(proofs)
    twins = [without_facts(suite.task(each.task), each.table) for each in proofs if each.table.requirements]
    if not twins:
        against = [f"{each.task}: {claim.text}" for each in proofs for claim in each.claims if not claim.holds]
        nothing = " (nothing was proposed; the rule wants a wrong solution whose name has words of one sentence alone)"
        said = f" (does not hold: {'; '.join(against[:3])})" if against else nothing
        raise TaskError(f"no task of {suite.name} has a fact that can be left out{said}; see docs/vague.md")
    return change(suite, name=f"{suite.name}-vague", tasks=tuple(twins))


def facts_by_rule(task: Task) -> FactTable:
    """Propose facts: each wrong solution's is the one sentence that has most of the words of its name.

    Of a name, only words count that few sentences have. It finds what a name says, and nothing else.
    """
    sentences = [part for part in _SENTENCE.split(task.instruction) if len(part.split()) > 2]
    stems = [{word[:5] for word in _content_words(sentence)} for sentence in sentences]
    common = Counter(stem for group in stems for stem in group)
    found = []
    for wrong in task.hidden.wrong if task.hidden else ():
        named = {word[:5] for word in _content_words(wrong.name)}
        scores = [sum(1 / common[stem] for stem in named & group if common[stem] <= _COMMON) for group in stems]
        best = max(scores, default=0.0)
        if wrong.name != "special-case" and best and scores.count(best) == 1:
            sentence = sentences[scores.index(best)].rstrip()
            rare = sorted(set(_content_words(sentence)), key=lambda word: (common[word[:5]], word))
            found.append({"name": wrong.name, "cut": sentence, "about": rare[:4], "rival": wrong.name})
    return _proposed_table(task, found)


async def facts_by_model(task: Task, model: Model) -> FactTable:
    """Ask a model which words of an instruction the wrong solutions violate; drops quotes that are not in it.

    Raises:
        ModelError: it did not answer.
        TaskError: its answer is not what was asked for.
    """
    names = ", ".join(wrong.name for wrong in task.hidden.wrong if wrong.name != "special-case") if task.hidden else ""
    reply = await model([Message(role="user", text=f"{_PROMPT}Names: {names}\n\n{task.instruction}")])
    text = reply.text[reply.text.find("[") : reply.text.rfind("]") + 1]
    try:
        rows = msgspec.json.decode(text, type=list[dict[str, str | list[str]]])
    except msgspec.DecodeError as error:
        raise TaskError(
            f"{model.name} was asked for the facts of {task.id} as JSON, and did not answer with it: {error}"
        ) from error
    return _proposed_table(task, rows)


def _proposed_table(task: Task, rows: Iterable[Mapping[str, str | Sequence[str]]]) -> FactTable:
    """The facts whose words stand in the instruction, once, and apart from those before."""
    kept: list[Requirement] = []
    for row in rows:
        cut, about = str(row.get("cut", "")), row.get("about", ())
        try:
            start, stop = find_passage(task.instruction, cut)
        except TaskError:
            continue
        if cut and not any(start < end and begin < stop for each in kept for begin, end in each.spans):
            phrases = (about,) if isinstance(about, str) else tuple(map(str, about))
            fact = Fact(str(row.get("name", "")) or f"fact-{start}", task.instruction[start:stop].strip(), phrases)
            kept.append(Requirement(fact, ((start, stop),), str(row.get("rival", "")), ()))
    return FactTable(task.id, task.instruction, tuple(sorted(kept, key=lambda each: each.spans)))


def _content_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 3]
