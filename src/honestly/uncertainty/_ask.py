"""Asking a model how likely each option is, with what a strategy puts before the question, and disturbed on purpose.

Where a server names the likeliest tokens (`top_logprobs`), the probabilities of the letters are read at the first place
where the model writes one; options that are not among the tokens share what is left, at most as much as the least
likely that is named. Elsewhere letters are sampled, which is coarser and is marked. A reply without any letter counts:
all its options are equally likely, and how many there were is said.

Every answer is in a journal as soon as it is there, by what was asked: the same command, or another one that asks the
same, goes on from it and never pays twice.
"""

import random
import re
import unicodedata
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import anyio
import msgspec
import numpy as np

from honestly._group import flat_group
from honestly._loose import items_of
from honestly.errors import HonestlyError, ModelError, SettingsError
from honestly.models import EmbeddingModel, Message, Model, Settings
from honestly.records import digest
from honestly.uncertainty._questions import LETTERS, Question
from honestly.uncertainty._retrieve import RETRIEVERS, Context, Retriever, Shelf, joined_passages
from honestly.uncertainty._sets import Floats
from honestly.work import Journal

DISTURBANCES = ("irrelevant", "cue-wrong", "cue-right")
"""The disturbances: irrelevant passages; a statement that is certain of a wrong or the right option."""
_LADDER = (20, 5, None)
_LETTER = re.compile(r"[^\w]*([A-Za-z])[^\w]*\Z")
_STRATEGY = "`async def name(question, shelf)` that returns a list of honestly.uncertainty.Context"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKED = re.compile(
    r"\b(?i:answer|option|choice)(?:\s+is)?\W{0,5}(?:([A-Zb-hj-z])\b|([ai])\b(?!\s+[a-z]))(?!['’])"
    r"|\(([A-Za-z])\)|\*\*([A-Za-z])\W*\*\*|^\s*([A-Za-z])[.):]",
    re.MULTILINE,
)
_ALONE = re.compile(r"(?<![A-Za-zÀ-ɏ\d_])([A-Z])(?![A-Za-zÀ-ɏ\d_'’]|\s+(?!or\b|and\b)[a-z])")
_REFUSED = (400, 404, 422)


@dataclass(frozen=True, slots=True)
class MethodVariant:
    """A strategy at a depth, disturbed or not."""

    method: str
    """`none`, or how passages are used."""
    depth: int
    """How many passages are given."""
    disturbance: str = ""
    """What is done to them; empty for nothing."""
    several_depths: bool = False
    """Whether its name has to say the depth."""

    @property
    def name(self) -> str:
        """What reports call it: `naive`, `naive@5+cue-wrong`."""
        depth = f"@{self.depth}" if self.several_depths and self.method != "none" else ""
        return self.method + depth + (f"+{self.disturbance}" if self.disturbance else "")


@dataclass(frozen=True, slots=True)
class OptionAnswer:
    """How likely each option is to a model."""

    probabilities: Floats
    source: str
    """`logprobs`, `letters` where they were sampled, `words` of a reader without a model."""
    on_letters: float
    """Share of the probability, or of the samples, that is on letters of options."""
    unnamed: int = 0
    """Options that the server gave no probability."""


class Reader(Protocol):
    """An interface that answers questions."""

    name: str

    async def __call__(self, question: Question, context: str, cue: str) -> OptionAnswer:
        """How likely each option is, with what stands before the question, and what is said after it."""
        ...


class KeptAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the journal: what a model said to one request."""

    key: str
    text: str = ""
    top: tuple[tuple[tuple[str, float], ...], ...] = ()
    vectors: tuple[tuple[float, ...], ...] = ()
    usd: float | None = None
    tokens: int | None = None
    refused: str = ""
    """What the server said of a request that it does not take."""


class KeptModel:
    """A model that records all its answers."""

    def __init__(self, model: Model | None, journal: Journal) -> None:
        """Reads what the journal holds."""
        self.name = model.name if model else ""
        self.asked = 0
        """Requests that were sent now."""
        self.used = 0
        """Answers that were there already."""
        self._model, self._journal = model, journal
        self._kept = {each.key: each for each in journal.rows(msgspec.json.Decoder(KeptAnswer).decode, "an answer")}
        self._locks: dict[str, anyio.Lock] = {}

    @property
    def usd(self) -> float | None:
        """What all answers cost that the journal holds; None where one has no price."""
        prices = [each.usd for each in self._kept.values()]
        return None if any(each is None for each in prices) else float(sum(filter(None, prices)))

    async def kept_answer(self, prompt: str, settings: Settings, sample: int = 0) -> KeptAnswer:
        """The answer to a request, asked if it is not kept.

        Raises:
            ModelError: no answer came; what came before is kept.
        """
        model = self._model
        assert model is not None
        key = digest("ask", model.name, prompt, msgspec.to_builtins(replace(settings, timeout_s=0.0)), sample)

        async def answer() -> KeptAnswer:
            try:
                said = await model([Message(role="user", text=prompt)], (), settings)
            except ModelError as error:
                if settings.top_logprobs is None or error.status not in _REFUSED:
                    raise
                return KeptAnswer(key, refused=str(error)[:300])
            usage = said.usage
            return KeptAnswer(key, said.text, said.top_logprobs[:16], (), usage.usd, usage.output_tokens)

        return await self._once(key, answer)

    async def write(self, prompt: str) -> str:
        """What the model writes for a strategy.

        Raises:
            ModelError: no answer came; what came before is kept.
        """
        return (await self.kept_answer(prompt, Settings(temperature=0.0, seed=0, max_tokens=400))).text

    async def embed(self, model: EmbeddingModel, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of texts."""
        key = digest("embed", model.name, list(texts))

        async def answer() -> KeptAnswer:
            return KeptAnswer(key, vectors=tuple(map(tuple, await model(texts))))

        return (await self._once(key, answer)).vectors

    async def _once(self, key: str, answer: Callable[[], Awaitable[KeptAnswer]]) -> KeptAnswer:
        async with self._locks.setdefault(key, anyio.Lock()):
            if key in self._kept:
                self.used += 1
                return self._kept[key]
            found = await answer()
            self._journal.append(msgspec.json.encode(found))
            self._kept[key] = found
            self.asked += 1
            return found


class ModelReader:
    """A model that answers with a letter."""

    def __init__(self, model: KeptModel, samples: int = 20) -> None:
        """A reader; nothing is asked yet.

        Args:
            model: who answers.
            samples: letters to draw for a question where the server gives no probabilities.
        """
        self.name = model.name
        self._model, self._samples, self._rung = model, samples, 0

    async def __call__(self, question: Question, context: str, cue: str) -> OptionAnswer:
        """How likely each option is to the model."""
        prompt = answer_prompt(question, context, cue)
        while (top := _LADDER[self._rung]) is not None:
            rung = self._rung
            said = await self._model.kept_answer(
                prompt, Settings(temperature=1.0, seed=0, max_tokens=8, top_logprobs=top)
            )
            if said.top:
                return _from_tokens(said.top, len(question.options))
            # A server that takes the request and gives no probabilities gives none for fewer either.
            self._rung = max(self._rung, rung + 1 if said.refused else len(_LADDER) - 1)
        counts = np.zeros(len(question.options))
        for sample in range(self._samples):
            said = await self._model.kept_answer(prompt, Settings(temperature=1.0, seed=sample, max_tokens=16), sample)
            if (option := said_option(said.text, counts.size)) >= 0:
                counts[option] += 1
        # One sample more, divided among all options: what was not drawn is not impossible.
        p = (counts + 1 / counts.size) / (counts.sum() + 1)
        return OptionAnswer(p, "letters", float(counts.sum() / self._samples))


def said_option(text: str, options: int) -> int:
    """The option whose letter a reply names; -1 where it names none, or several.

    A letter that is marked (`answer: B`, `(B)`, `**B**`, `B.`) goes before one in prose, and the last of them counts.
    """
    text = _THOUGHT.sub("", unicodedata.normalize("NFKC", text))
    bare = _LETTER.match(text)
    marked = [bare[1]] if bare else ["".join(match.groups("")) for match in _MARKED.finditer(text)][-1:]
    found = {each.upper() for each in marked or _ALONE.findall(text)}
    number = LETTERS.index(found.pop()) if len(found) == 1 else options
    return number if number < options else -1


class WordReader:
    """A reader without a model: prefers the option whose words are near the question's in a sentence.

    It costs nothing, and shows what documents alone give away.
    """

    name = "words (no model)"

    async def __call__(self, question: Question, context: str, cue: str) -> OptionAnswer:  # noqa: ARG002 - it has no trust
        """How likely each option is by its words."""
        sentences = [_text_words(each) for each in re.split(r"(?<=[.;:])\s+", context)]
        asked, scores = _text_words(question.text), []
        for option in question.options:
            own = _text_words(option) - asked
            best = max(
                (len(own & each) / max(len(own), 1) * (1 + len(asked & each)) for each in sentences), default=0.0
            )
            scores.append(best)
        p = np.exp(np.array(scores))
        return OptionAnswer(np.asarray(p / p.sum()), "words", 1.0)


@dataclass(slots=True)
class Asked:
    """The answers of all variants."""

    probabilities: dict[str, Floats] = field(default_factory=dict)
    sources: dict[str, dict[str, int]] = field(default_factory=dict)
    """By variant, how many questions were answered from which source."""
    silent: dict[str, int] = field(default_factory=dict)
    """By variant, questions to which no letter came at all."""
    unnamed: dict[str, int] = field(default_factory=dict)
    """By variant, questions of which the server gave some options no probability."""
    faint: dict[str, int] = field(default_factory=dict)
    """By variant, questions with less than half of the probability on letters."""


def load_retriever(name: str) -> Retriever:
    """The strategy that a name stands for, or `module:function` of one's own.

    Raises:
        SettingsError: there is none.
    """
    found = RETRIEVERS.load(RETRIEVERS.parse(name))
    if not callable(found):
        raise SettingsError(
            f"{name} is of type {type(found).__name__}; expected an async function (docs/uncertainty.md)"
        )
    return found


async def ask_variants(
    questions: Sequence[Question],
    variants: Sequence[MethodVariant],
    reader: Reader,
    shelf: Shelf,
    *,
    seed: int,
    jobs: int = 8,
) -> Asked:
    """Ask each question in each variant.

    Args:
        questions: what is asked.
        variants: how.
        reader: who answers.
        shelf: the documents, and who writes for a strategy.
        seed: of the disturbances.
        jobs: questions at a time.

    Raises:
        ModelError: no answer came; what came before is kept.
        SettingsError: a strategy lacks documents or a model.
    """
    retrievers = {each.method: load_retriever(each.method) for each in variants}
    shelves = {each.depth: replace(shelf, depth=each.depth) for each in variants}
    most = max(len(each.options) for each in questions)
    found = Asked({each.name: np.zeros((len(questions), most)) for each in variants})
    waiting = iter([(number, each) for each in variants for number in range(len(questions))])

    async def one_after_the_other() -> None:
        for number, variant in waiting:
            question, name = questions[number], variant.name
            contexts = await _contexts(variant.method, retrievers[variant.method], question, shelves[variant.depth])
            text, cue = await _disturbance(question, variant, shelves[variant.depth], contexts, seed)
            answers = [await reader(question, text + each.text, cue) for each in contexts]
            weights = np.array([each.weight for each in contexts])
            p = np.average([each.probabilities for each in answers], axis=0, weights=weights)
            found.probabilities[name][number, : p.size] = p / p.sum()
            for answer in answers[:1]:
                by_source = found.sources.setdefault(name, {})
                by_source[answer.source] = by_source.get(answer.source, 0) + 1
            letters = max(each.on_letters for each in answers)
            found.silent[name] = found.silent.get(name, 0) + (letters == 0)
            found.unnamed[name] = found.unnamed.get(name, 0) + any(each.unnamed for each in answers)
            found.faint[name] = found.faint.get(name, 0) + (0 < letters < 0.5)

    async with flat_group() as group:
        for _ in range(jobs):
            group.start_soon(one_after_the_other)
    return found


async def _contexts(name: str, retriever: Retriever, question: Question, shelf: Shelf) -> Sequence[Context]:
    """What a strategy gives, which may be somebody else's.

    Raises:
        SettingsError: it fails, or gives something else.
    """
    try:
        found: object = await retriever(question, shelf)
    except HonestlyError:
        raise
    except Exception as error:
        raise SettingsError(f"{name} failed: {type(error).__name__}: {error}; expected {_STRATEGY}") from error
    contexts = [each for each in items_of(found) if isinstance(each, Context)]
    if not contexts or contexts != found:
        raise SettingsError(f"{name} gave {str(found)[:80]!r}; expected {_STRATEGY}")
    return contexts


def answer_prompt(question: Question, context: str, cue: str) -> str:
    """What a model is asked."""
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, question.options, strict=False))
    parts = [context, question.context, f"Question: {question.text}\n{options}", cue]
    asked = "\n\n".join(part for part in parts if part)
    return f"{asked}\n\nAnswer with the letter of the right option alone.\nAnswer:"


def asked_notes(asked: Asked) -> tuple[list[str], list[str]]:
    """Warnings and notes on how the answers were obtained."""
    warnings, notes = [], []
    sampled = [name for name, by_source in asked.sources.items() if by_source.get("letters")]
    if sampled:
        warnings.append(sampled_note(sampled, [name for name in sampled if len(asked.sources[name]) > 1]))
    for name, count in asked.silent.items():
        if count:
            warnings.append(
                f"{name}: neither replies nor tokens for {count} questions name an option; all count as equally likely"
            )
    for name, count in asked.unnamed.items():
        if count:
            warnings.append(
                f"{name}: of {count} questions the server gives some options no probability; they share what is left, "
                "at most as much as the least likely that it gives"
            )
    for name, count in asked.faint.items():
        if count:
            notes.append(f"{name}: of {count} questions less than half of the probability is on letters of options")
    return warnings, notes


def sampled_note(sampled: Sequence[str], mixed: Sequence[str] = ()) -> str:
    """The warning about methods whose probabilities are shares of drawn letters."""
    return (
        f"SAMPLED LETTERS: the server gives no probabilities, so that those of {', '.join(sampled)} are shares of "
        "drawn letters, which are coarser: set sizes are not comparable with those from log-probabilities"
        + (f" (mixed in {', '.join(mixed)})" if mixed else "")
    )


def disturbed_bases(names: Collection[str]) -> dict[str, str]:
    """For each disturbed method, its undisturbed version."""
    parts = {name: name.rpartition("+") for name in names}
    return {name: base for name, (base, _, what) in parts.items() if what in DISTURBANCES and base in parts}


def _from_tokens(top: Sequence[Sequence[tuple[str, float]]], options: int) -> OptionAnswer:
    """Probabilities of letters at the first place whose likeliest token is one, else at the first of all."""

    def option_of(token: str) -> int:
        match = _LETTER.match(_plain_token(token))
        small = match is not None and match[1].islower() and len(token.strip()) == 1
        number = LETTERS.index(match[1].upper()) if match and not (small and capitals) else options
        return number if number < options else -1

    # A small letter alone may begin a word; it is an option's where no capital is.
    capitals = any(
        (match := _LETTER.match(_plain_token(token))) and match[1].isupper() for each in top for token, _ in each
    )
    place = next((each for each in top if each and option_of(max(each, key=lambda pair: pair[1])[0]) >= 0), top[0])
    if (most := max(logarithm for _, logarithm in place)) > 1e-3:
        raise ModelError(f"the server names a log-probability of {most:.3g}; expected at most 0")
    p = np.zeros(options)
    for token, logarithm in place:
        if (number := option_of(token)) >= 0:
            p[number] += np.exp(logarithm)
    if not (on_letters := float(min(p.sum(), 1.0))):
        return OptionAnswer(np.full(options, 1 / options), "logprobs", 0.0)
    absent = p == 0
    if absent.any():
        least = float(np.exp(min(logarithm for _, logarithm in place)))
        left = max(1.0 - float(sum(np.exp(logarithm) for _, logarithm in place)), 0.0)
        p[absent] = max(min(least, left / absent.sum()), 1e-9)
    return OptionAnswer(np.asarray(p / p.sum()), "logprobs", on_letters, int(absent.sum()))


def _plain_token(token: str) -> str:
    """A token as text, where a server gives it as its vocabulary writes it."""
    byte = re.fullmatch(r"<0x([0-9A-Fa-f]{2})>", token)
    return chr(int(byte[1], 16)) if byte else token.replace("Ġ", " ").replace("Ċ", "\n")


async def _disturbance(
    question: Question, variant: MethodVariant, shelf: Shelf, contexts: Sequence[Context], seed: int
) -> tuple[str, str]:
    """What stands before the context, and what is said after the question."""
    rng = random.Random(f"{seed} {question.id}")  # noqa: S311 - which passage, and which option
    if variant.disturbance == "irrelevant":
        shown = "\n".join(each.text for each in contexts)
        near = {each.id for each, _ in await shelf.best_passages(question.text, 2 * variant.depth)}
        others = [each for each in shelf.passages if each.text not in shown and each.id not in near]
        if not others:
            raise SettingsError("there are no documents next to those that were found; +irrelevant needs --documents")
        return joined_passages(rng.sample(others, min(variant.depth, len(others)))) + "\n\n", ""
    if variant.disturbance:
        if question.answer < 0:
            raise SettingsError("a cue needs to know which option is right; the questions do not say it")
        wrong = [number for number in range(len(question.options)) if number != question.answer]
        named = question.answer if variant.disturbance == "cue-right" else rng.choice(wrong)
        return "", f"I am certain that the right answer is {LETTERS[named]}."
    return "", ""


def _text_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def read_variants(
    methods: Sequence[str], depths: Sequence[int], disturbances: Sequence[str]
) -> tuple[list[MethodVariant], Mapping[str, str]]:
    """All variants, and for each that is disturbed the one that is not."""
    variants, bases = [], {}
    for method in dict.fromkeys(methods):
        for depth in depths if method != "none" else depths[:1]:
            plain = MethodVariant(method, depth, "", len(depths) > 1)
            variants.append(plain)
            for each in disturbances:
                variants.append(replace(plain, disturbance=each))
                bases[variants[-1].name] = plain.name
    return variants, bases
