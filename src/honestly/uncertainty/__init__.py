"""How sure a model's answers are: sets of options by conformal prediction, with and without documents.

`read_questions` reads multiple-choice questions and recorded scores, `evaluate_methods` measures the sets of each
method, `uncertainty_report` says what follows.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.uncertainty._ask import (
        DISTURBANCES as DISTURBANCES,
        Asked as Asked,
        KeptModel as KeptModel,
        MethodVariant as MethodVariant,
        ModelReader as ModelReader,
        OptionAnswer as OptionAnswer,
        Reader as Reader,
        WordReader as WordReader,
        ask_variants as ask_variants,
        asked_notes as asked_notes,
        disturbed_bases as disturbed_bases,
        load_retriever as load_retriever,
        read_variants as read_variants,
        sampled_note as sampled_note,
    )
    from honestly.uncertainty._claims import (
        RatedClaim as RatedClaim,
        claims_threshold as claims_threshold,
        factual_score as factual_score,
    )
    from honestly.uncertainty._questions import (
        Question as Question,
        QuestionSet as QuestionSet,
        read_questions as read_questions,
    )
    from honestly.uncertainty._report import (
        UncertaintyReport as UncertaintyReport,
        uncertainty_report as uncertainty_report,
    )
    from honestly.uncertainty._retrieve import (
        RETRIEVERS as RETRIEVERS,
        Bm25Search as Bm25Search,
        Context as Context,
        EmbeddingSearch as EmbeddingSearch,
        Passage as Passage,
        PassageSearch as PassageSearch,
        Retriever as Retriever,
        Shelf as Shelf,
        read_documents as read_documents,
    )
    from honestly.uncertainty._sets import (
        AnswerTable as AnswerTable,
        DisturbanceEffect as DisturbanceEffect,
        KnownPart as KnownPart,
        MethodEvaluation as MethodEvaluation,
        MethodResult as MethodResult,
        evaluate_methods as evaluate_methods,
        majority_labels as majority_labels,
    )


__getattr__, __dir__ = lazy_exports(__name__)
