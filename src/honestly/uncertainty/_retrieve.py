"""What is put before a question: passages of documents, found by one of several strategies behind one seam.

`naive` puts the first few of a search (BM25, or an embedding endpoint) before the question. The others are small
versions of published ones, of which each keeps the idea and not the training: `fusion` searches by several questions
(RAG-Fusion), `hyde` by an invented answer (HyDE), `raptor` in summaries as well (one layer of RAPTOR), `rat` revises a
draft (RAT), `replug` asks once for each passage and weighs the answers (REPLUG), `self-rag` lets the model say whether
passages are needed and fit (Self-RAG, prompted). FiD needs a model of its own and is not here.
"""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import anyio
import numpy as np

from honestly._loose import read_whole
from honestly.errors import FormatError, SettingsError
from honestly.seams import KnownName, Seam
from honestly.uncertainty._questions import Question

_MOST_BYTES = 1 << 28
_PASSAGE = 1200
_FUSED = 60.0
_CLUSTER = 4


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """A text before a question, and the weight of its answer."""

    text: str = ""
    weight: float = 1.0


class PassageSearch(Protocol):
    """Finds texts for a query: numbers of the best, with what they scored."""

    async def __call__(self, query: str, count: int) -> Sequence[tuple[int, float]]:
        """The best `count`, the best first."""
        ...


class Retriever(Protocol):
    """A strategy: chooses the texts before a question."""

    def __call__(self, question: Question, shelf: "Shelf") -> Awaitable[Sequence[Context]]:
        """One context or several; several are asked one by one, and their answers weighed."""
        ...


@dataclass(slots=True)
class Shelf:
    """What a strategy may use: passages, a search in them, and the model."""

    passages: Sequence[Passage]
    searcher: Callable[[Sequence[str]], PassageSearch] | None
    """Makes a search in texts; None where there are no documents."""
    writer: Callable[[str], Awaitable[str]] | None
    """Asks the model to write something; None where there is no model."""
    depth: int = 3
    """How many passages are put before a question."""
    _search: PassageSearch | None = None
    _tree: tuple[Sequence[Passage], PassageSearch] | None = None
    _growing: anyio.Lock = field(default_factory=anyio.Lock)

    async def best_passages(self, query: str, count: int = 0) -> list[tuple[Passage, float]]:
        """The best passages for a query, `depth` if nobody says, the best first."""
        if self._search is None:
            self._search = self._searching([each.text for each in self.passages])
        return [(self.passages[at], score) for at, score in await self._search(query, count or self.depth)]

    async def write(self, prompt: str) -> str:
        """What the model writes.

        Raises:
            SettingsError: there is no model.
        """
        if self.writer is None:
            raise SettingsError("this strategy lets a model write; name one with -m (docs/models.md)")
        return await self.writer(prompt)

    async def search_tree(self, query: str) -> list[tuple[Passage, float]]:
        """The best of the passages and of summaries of neighbours among them; these are written once."""
        async with self._growing:
            if self._tree is None:
                summaries = [await self._summary(each) for each in await self._clusters()]
                every = [*self.passages, *summaries]
                self._tree = every, self._searching([each.text for each in every])
        tree, search = self._tree
        return [(tree[at], score) for at, score in await search(query, self.depth)]

    async def _clusters(self) -> list[list[Passage]]:
        left, found = {each.id: each for each in self.passages}, []
        for each in self.passages:
            if each.id in left:
                near = [
                    one
                    for one, _ in await self.best_passages(each.text, 2 * _CLUSTER)
                    if one.id in left and one.id != each.id
                ]
                found.append([each, *near[: _CLUSTER - 1]])
                for one in found[-1]:
                    del left[one.id]
        return found

    async def _summary(self, cluster: Sequence[Passage]) -> Passage:
        text = await self.write(f"Summarise in at most five sentences, with all facts:\n\n{joined_passages(cluster)}")
        return Passage("+".join(each.id for each in cluster), text)

    def _searching(self, texts: Sequence[str]) -> PassageSearch:
        if self.searcher is None or not texts:
            raise SettingsError("this strategy searches documents; name them with --documents")
        return self.searcher(texts)


class Bm25Search:
    """A search by words (BM25), by the library bm25s."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Indexes the texts.

        Raises:
            SettingsError: the library is not installed.
        """
        try:
            bm25s: Any = import_module("bm25s")
        except ImportError:
            raise SettingsError("BM25 needs a library; install honestly[retrieval]") from None
        self._library = bm25s
        self._index = bm25s.BM25()
        tokens = self._tokens(list(texts))
        self._empty = not any(tokens)
        if not self._empty:
            self._index.index(tokens, show_progress=False)
        self._count = len(texts)

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        found: list[list[str]] = self._library.tokenize(texts, stopwords="en", show_progress=False, return_ids=False)
        return found

    async def __call__(self, query: str, count: int) -> Sequence[tuple[int, float]]:
        """The best `count`, of equal ones the earlier first."""
        words = self._tokens([query])[0]
        scores = self._index.get_scores(words) if words and not self._empty else np.zeros(self._count)
        order = np.argsort(-scores, kind="stable")[:count]
        return [(int(at), float(scores[at])) for at in order]


class EmbeddingSearch:
    """A search by meaning: cosine of the vectors that an endpoint gives."""

    def __init__(
        self, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
    ) -> None:
        """Nothing is asked yet."""
        self._texts, self._embed = list(texts), embed
        self._vectors: np.ndarray | None = None
        self._once = anyio.Lock()

    async def __call__(self, query: str, count: int) -> Sequence[tuple[int, float]]:
        """The best `count`, the best first."""
        async with self._once:
            if self._vectors is None:
                self._vectors = _unit(await self._embed(self._texts))
        scores = self._vectors @ _unit(await self._embed([query]))[0]
        return [(int(at), float(scores[at])) for at in np.argsort(-scores, kind="stable")[:count]]


def _unit(vectors: Sequence[Sequence[float]]) -> np.ndarray:
    found = np.asarray(vectors, dtype=np.float64)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))


def joined_passages(passages: Sequence[Passage]) -> str:
    """Passages one below the other."""
    return "\n\n".join(each.text for each in passages)


async def none(question: Question, shelf: Shelf) -> Sequence[Context]:  # noqa: ARG001 - as all strategies
    """Nothing stands before the question."""
    return [Context()]


async def naive(question: Question, shelf: Shelf) -> Sequence[Context]:
    """The passages that the question finds."""
    return [Context(joined_passages([each for each, _ in await shelf.best_passages(question.text)]))]


async def fusion(question: Question, shelf: Shelf) -> Sequence[Context]:
    """The passages that the question and three of the model's find, by the sum of reciprocal ranks."""
    written = await shelf.write(f"Write three search queries that help to answer this, one a line:\n\n{question.text}")
    queries = [question.text, *[line.strip(" -*0123456789.") for line in written.splitlines() if line.strip()][:3]]
    worth: dict[Passage, float] = {}
    for query in queries:
        for rank, (passage, _) in enumerate(await shelf.best_passages(query, 4 * shelf.depth), 1):
            worth[passage] = worth.get(passage, 0.0) + 1 / (_FUSED + rank)
    return [Context(joined_passages(sorted(worth, key=lambda each: -worth[each])[: shelf.depth]))]


async def hyde(question: Question, shelf: Shelf) -> Sequence[Context]:
    """The passages that an answer finds which the model invents."""
    invented = await shelf.write(f"Write a short passage of a manual that answers this question:\n\n{question.text}")
    return [Context(joined_passages([each for each, _ in await shelf.best_passages(f"{question.text}\n{invented}")]))]


async def raptor(question: Question, shelf: Shelf) -> Sequence[Context]:
    """The passages and summaries of passages that the question finds."""
    return [Context(joined_passages([each for each, _ in await shelf.search_tree(question.text)]))]


async def rat(question: Question, shelf: Shelf) -> Sequence[Context]:
    """The passages that a draft of the model's finds, and the draft, revised by them."""
    draft = await shelf.write(f"Think step by step, in at most five lines:\n\n{_asked(question)}")
    found = joined_passages([each for each, _ in await shelf.best_passages(f"{question.text}\n{draft}")])
    better = await shelf.write(f"{found}\n\nRevise these notes where the text above says otherwise:\n\n{draft}")
    return [Context(f"{found}\n\nNotes:\n{better}")]


async def replug(question: Question, shelf: Shelf) -> Sequence[Context]:
    """Each passage alone, weighed by what it scored in the search."""
    found = await shelf.best_passages(question.text)
    scores = np.array([score for _, score in found])
    weights = np.exp(scores - scores.max())
    return [Context(each.text, float(w / weights.sum())) for (each, _), w in zip(found, weights, strict=True)]


async def self_rag(question: Question, shelf: Shelf) -> Sequence[Context]:
    """The passages that the model calls relevant, if it wants any."""
    need = await shelf.write(f"Would a passage of a manual help to answer this? Say yes or no.\n\n{_asked(question)}")
    if _says_no(need):
        return [Context()]
    kept = []
    for passage, _ in await shelf.best_passages(question.text):
        said = await shelf.write(f"{passage.text}\n\nDoes this text help to answer? Say yes or no.\n\n{question.text}")
        if not _says_no(said):
            kept.append(passage)
    return [Context(joined_passages(kept))]


_HERE = "honestly.uncertainty._retrieve:"
RETRIEVERS = Seam(
    kind="retriever",
    group="honestly.retrievers",
    protocol="honestly.uncertainty.Retriever",
    error=SettingsError,
    known=(
        KnownName("none", f"{_HERE}none", "the question alone"),
        KnownName("naive", f"{_HERE}naive", "the passages that it finds"),
        KnownName("fusion", f"{_HERE}fusion", "those that several queries find"),
        KnownName("hyde", f"{_HERE}hyde", "those that an invented answer finds"),
        KnownName("raptor", f"{_HERE}raptor", "passages and summaries"),
        KnownName("rat", f"{_HERE}rat", "passages and a revised draft"),
        KnownName("replug", f"{_HERE}replug", "each passage alone, answers weighed"),
        KnownName("self-rag", f"{_HERE}self_rag", "passages that the model wants and calls relevant"),
    ),
)
"""The names that `--method` takes."""


def read_documents(path: Path) -> list[Passage]:
    """The passages of JSON lines with a `text` each, or of the text files of a folder.

    Raises:
        FormatError: there is none, or a line cannot be read.
    """
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.suffix in {".md", ".txt", ".rst"} and each.is_file())
        texts = [
            (
                str(each.relative_to(path)),
                read_whole(each, _MOST_BYTES, "a document", FormatError).decode("utf-8", "replace"),
            )
            for each in files
        ]
    else:
        texts = []
        lines = read_whole(path, _MOST_BYTES, "the documents", FormatError).decode("utf-8", "replace").split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{path}, line {number}: not JSON ({error})") from None
            text = row.get("text") if isinstance(row, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise FormatError(f'{path}, line {number}: no text; expected {{"id": ..., "text": ...}}')
            texts.append((str(row.get("id", number)), text))
    passages = [
        Passage(f"{name}#{at}" if at else name, piece) for name, text in texts for at, piece in enumerate(_pieces(text))
    ]
    if not passages:
        raise FormatError(
            f"{path} contains no text; expected JSON lines with a text each, or a folder of .md, .txt or .rst"
        )
    if len({each.id for each in passages}) < len(passages):
        raise FormatError(f"{path}: two documents have the same id; rename one")
    return passages


def _pieces(text: str) -> list[str]:
    """Paragraphs, put together as long as they are short."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        piece = paragraph.strip()
        if found and len(found[-1]) + len(piece) < _PASSAGE:
            found[-1] = f"{found[-1]}\n\n{piece}"
        elif piece:
            found.append(piece)
    return found


def _asked(question: Question) -> str:
    return "\n".join([question.text, *question.options])


def _says_no(text: str) -> bool:
    return bool(re.match(r"\W*no\b", text, re.IGNORECASE))
