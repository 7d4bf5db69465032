"""How sure a model's answers are: sets of options by conformal prediction, with and without documents.

`read_questions` reads multiple-choice questions and recorded scores, `evaluate_methods` measures the sets of each
method, `uncertainty_report` says what follows.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.uncertainty._ask import (
        DISTURBANCES,
        Asked,
        KeptModel,
        MethodVariant,
        ModelReader,
        OptionAnswer,
        Reader,
        WordReader,
        ask_variants,
        asked_notes,
        disturbed_bases,
        load_retriever,
        read_variants,
        sampled_note,
    )
    from honestly.uncertainty._claims import RatedClaim, claims_threshold, factual_score
    from honestly.uncertainty._questions import Question, QuestionSet, read_questions
    from honestly.uncertainty._report import UncertaintyReport, uncertainty_report
    from honestly.uncertainty._retrieve import (
        RETRIEVERS,
        Bm25Search,
        Context,
        EmbeddingSearch,
        Passage,
        PassageSearch,
        Retriever,
        Shelf,
        read_documents,
    )
    from honestly.uncertainty._sets import (
        AnswerTable,
        DisturbanceEffect,
        KnownPart,
        MethodEvaluation,
        MethodResult,
        evaluate_methods,
        majority_labels,
    )

__all__ = [
    "DISTURBANCES",
    "RETRIEVERS",
    "AnswerTable",
    "Asked",
    "Bm25Search",
    "Context",
    "DisturbanceEffect",
    "EmbeddingSearch",
    "KeptModel",
    "KnownPart",
    "MethodEvaluation",
    "MethodResult",
    "MethodVariant",
    "ModelReader",
    "OptionAnswer",
    "Passage",
    "PassageSearch",
    "Question",
    "QuestionSet",
    "RatedClaim",
    "Reader",
    "Retriever",
    "Shelf",
    "UncertaintyReport",
    "WordReader",
    "ask_variants",
    "asked_notes",
    "claims_threshold",
    "disturbed_bases",
    "evaluate_methods",
    "factual_score",
    "load_retriever",
    "majority_labels",
    "read_documents",
    "read_questions",
    "read_variants",
    "sampled_note",
    "uncertainty_report",
]

__getattr__, __dir__ = lazy_exports(__name__)
