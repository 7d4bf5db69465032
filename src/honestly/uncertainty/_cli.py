"""`honestly uncertainty`: how sure may one be of answers?"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly.command import details_option, headed_option, json_option, print_answer, refuse_idle, say_on_stderr

if TYPE_CHECKING:
    from honestly.uncertainty import Asked, QuestionSet

_MODEL, _SPLIT = "Asking a model", "Calibration"
_SHIPPED = Path(__file__).parent
_OUT = Path("runs/uncertainty.jsonl")


@click.command()
@click.argument("questions", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--model",
    "-m",
    metavar="MODEL",
    help="Ask this model (docs/models.md). Without it, a baseline that counts shared words answers.",
)
@click.option(
    "--method",
    default="",
    metavar="NAME,...",
    help="How to use documents: none, naive, fusion, hyde, raptor, rat, replug, self-rag.",
)
@click.option(
    "--documents",
    type=click.Path(path_type=Path, exists=True),
    help="The documents: JSON lines with a text each, or a folder.",
)
@click.option(
    "--disturb",
    default="",
    metavar="NAME,...",
    help="Also run each method with a disturbance: irrelevant, cue-wrong, cue-right.",
)
@click.option(
    "--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.1, show_default=True,
    help="The share of answer sets that may miss the truth.",
)  # fmt: skip
@headed_option(
    _MODEL,
    "--depth",
    default="3",
    show_default=True,
    metavar="N,...",
    help="How many passages to put before a question.",
)
@headed_option(
    _MODEL, "--embeddings", metavar="URL#NAME", help="Search with these embeddings instead of by words (BM25)."
)
@headed_option(
    _MODEL, "--letters", type=click.IntRange(1, 10_000), default=20, show_default=True,
    help="How many answers to sample if the server gives no probabilities.",
)  # fmt: skip
@headed_option(_MODEL, "--rate", default="", metavar='"60 requests, 8 at-once"', help="How fast to ask the model.")
@headed_option(
    _MODEL,
    "--jobs",
    "-j",
    type=click.IntRange(1, 256),
    default=8,
    show_default=True,
    help="How many questions are asked at once.",
)
@headed_option(
    _MODEL, "--out", type=click.Path(path_type=Path, dir_okay=False), default=_OUT, show_default=True,
    help="Keep answers here. Run the same command again to resume.",
)  # fmt: skip
@headed_option(
    _MODEL,
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the questions with their scores into this file.",
)
@headed_option(
    _SPLIT, "--calibration", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.5, show_default=True,
    help="The share of each task's questions used to calibrate.",
)  # fmt: skip
@headed_option(
    _SPLIT,
    "--seed",
    type=click.IntRange(0, 2**31),
    default=42,
    show_default=True,
    help="Seed of the split and the cues.",
)
@headed_option(_SPLIT, "--pool", is_flag=True, help="Calibrate all tasks together.")
@headed_option(_SPLIT, "--as-published", is_flag=True, help="Use thresholds one rank higher, as published programs do.")
@headed_option(
    _SPLIT, "--answers-from", type=click.Choice(["0", "1"]), help="Whether numbered answers start at 0 or 1."
)
@details_option
@json_option
def uncertainty(questions: tuple[Path, ...], details: bool, as_json: bool, **how: Any) -> None:  # noqa: ANN401 - options
    """Measure how sure a model is of its answers: accuracy, set size, coverage, UAcc.

    QUESTIONS are multiple-choice questions (JSON lines, JSON, CSV, or an .npz of logits), with or without recorded
    scores. Without a file, honestly uses its own 56 questions about code and their documents. Each method puts other
    passages before a question. See docs/uncertainty.md.
    """
    from honestly.uncertainty import (
        RETRIEVERS,
        asked_notes,
        disturbed_bases,
        evaluate_methods,
        read_questions,
        read_variants,
        sampled_note,
        uncertainty_report,
    )

    taken = [*questions, *(each for each in (how["out"], how["documents"]) if each)]
    if how["save"] and any(how["save"].resolve() == each.resolve() for each in taken):
        raise click.UsageError(f"--save {how['save']} is what is read, or where answers are kept; name another file")
    base = None if how["answers_from"] is None else int(how["answers_from"])
    found = read_questions(questions or (_SHIPPED / "code.jsonl",), answers_from=base)
    probabilities, notes, name = dict(found.recorded), list(found.notes), ""
    bases: Mapping[str, str] = disturbed_bases([*probabilities])
    warnings: list[str] = [sampled_note(found.sampled)] if found.sampled else []
    sampled = list(found.sampled)
    asking = how["model"] is not None or not found.recorded
    if not asking:
        asks = ("method", "documents", "disturb", "depth", "embeddings", "letters", "rate", "jobs", "out")
        refuse_idle(asks, "the questions have recorded scores, and no model is asked (-m)")
    if asking:
        documents = how["documents"] or (None if questions else _SHIPPED / "code_documents.jsonl")
        searched = documents is not None and (how["embeddings"] or find_spec("bm25s"))
        methods = _comma_separated(how["method"]) or (["none", "naive"] if searched else ["none"])
        if how["model"] is None and methods == ["none"]:
            warnings.append("no model and no documents: every option counts as equally likely; name a model with -m")
        if documents is not None and not searched and not how["method"]:
            notes.append("without a search in documents: install honestly[retrieval], or name --embeddings")
        if how["model"] is None:
            refuse_idle(("letters", "rate"), "no model is asked (-m)")
        unknown = {*_comma_separated(how["disturb"])} - {"irrelevant", "cue-wrong", "cue-right"}
        if unknown:
            raise click.UsageError(f"--disturb {', '.join(unknown)}; expected irrelevant, cue-wrong or cue-right")
        needing = [each for each in methods if each in RETRIEVERS.known_names() and each != "none"]
        needing += [f"--disturb {each}" for each in _comma_separated(how["disturb"]) if each == "irrelevant"]
        if needing and documents is None:
            raise click.UsageError(f"{', '.join(needing)}: name the documents to search with --documents")
        if not needing:
            refuse_idle(("embeddings", "depth"), "no method searches in documents (--documents, --method)")
        variants, own = read_variants(methods, _depths(how["depth"]), _comma_separated(how["disturb"]))
        asked, name, said = _asked(found, variants, documents, how)
        if twice := sorted({*asked.probabilities} & {*probabilities}):
            raise click.UsageError(
                f"scores of {', '.join(twice)} are recorded with the questions already; "
                "leave -m out, or name another method"
            )
        probabilities |= asked.probabilities
        bases = {**bases, **own}
        sampled += [name for name, by_source in asked.sources.items() if by_source.get("letters")]
        more = asked_notes(asked)
        warnings, notes = [*warnings, *more[0]], [*notes, *more[1], *said]
    table = found.answer_table(probabilities, pool=how["pool"])
    evaluation = evaluate_methods(
        table, alpha=how["alpha"], calibration=how["calibration"], seed=how["seed"], as_published=how["as_published"],
        bases=bases,
    )  # fmt: skip
    if how["save"]:
        found.write_scores(how["save"], probabilities, sampled)
    report = uncertainty_report(
        evaluation, model=name, questions=len(found.questions), alpha=how["alpha"], seed=how["seed"],
        pseudo_labelled=bool(table.pseudo_labels), warnings=warnings, notes=notes,
    )  # fmt: skip
    print_answer(report, as_json=as_json, details=details)


def _asked(
    found: QuestionSet, variants: list[Any], documents: Path | None, how: dict[str, Any]
) -> tuple[Asked, str, list[str]]:
    """What the model said, its name, and what is to be known of it."""
    from contextlib import ExitStack
    from functools import partial

    import anyio

    from honestly.models import EmbeddingModel, ModelSource, read_rate
    from honestly.uncertainty import (
        Bm25Search,
        EmbeddingSearch,
        KeptModel,
        ModelReader,
        Reader,
        Shelf,
        WordReader,
        ask_variants,
        read_documents,
    )
    from honestly.work import Journal

    if any(not each.text for each in found.questions):
        raise click.UsageError(
            "the questions have no text (scores alone), so no model can be asked; "
            "leave -m out, or give questions with their text"
        )
    passages = read_documents(documents) if documents else []
    with ExitStack() as stack:
        kept, writer, searcher = None, None, Bm25Search if passages else None
        reader: Reader = WordReader()
        if how["model"] or how["embeddings"]:
            model = (
                ModelSource(rate=read_rate(how["rate"]) if how["rate"] else None)(how["model"])
                if how["model"]
                else None
            )
            kept = KeptModel(model, stack.enter_context(Journal(how["out"], kind="uncertainty")))
        if kept and how["model"]:
            reader = ModelReader(kept, how["letters"])
            writer = kept.write
        if kept and how["embeddings"] and passages:
            searcher = partial(EmbeddingSearch, embed=partial(kept.embed, EmbeddingModel(how["embeddings"])))  # type: ignore[assignment]
        shelf = Shelf(passages, searcher, writer)
        asked = anyio.run(
            partial(ask_variants, found.questions, variants, reader, shelf, seed=how["seed"], jobs=how["jobs"])
        )
        said = []
        if kept:
            say_on_stderr(f"{kept.asked} answers came, {kept.used} were used again from {how['out']}")
            if kept.usd:
                said.append(f"all answers in {how['out']} cost {kept.usd:.4f} USD")
    return asked, reader.name, said


def _comma_separated(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _depths(text: str) -> list[int]:
    parts = _comma_separated(text)
    if not parts or not all(part.isdigit() and 1 <= int(part) <= 100 for part in parts):
        raise click.UsageError(f"--depth {text!r}; expected numbers from 1 to 100, such as 1,3,5")
    return list(dict.fromkeys(map(int, parts)))
