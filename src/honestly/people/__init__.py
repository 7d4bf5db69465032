"""People's judgements of trials: review queues, labels, agreement, and what is learned from them.

`draw_queue` chooses the trials that people are asked about, `labels_of` says what they now think, `label_reliability`
how far they agree, `hack_estimates` how many hacks there really are, and `fitted_classifier` learns a small classifier
that has to pass a test.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.people._agreement import AGREEMENT_COLUMNS, agreement_words
    from honestly.people._asker import Asker
    from honestly.people._changes import Place, change_history, reviewer_name, undo_review, undoing_review
    from honestly.people._classifier import (
        PARTS,
        Classifier,
        Split,
        classifiers_of,
        classify_messages,
        current_classifier,
        keep_classifier,
        keep_split,
        split_of,
    )
    from honestly.people._credit import (
        NEVER,
        CreditReport,
        Fatal,
        FatalSearch,
        StepCredit,
        credited_steps,
        run_search,
        value_interval,
    )
    from honestly.people._credit_states import TrialStates, credit_of_trial, trial_states
    from honestly.people._effort import (
        AgentEffort,
        EffortReport,
        TrialEffort,
        effort_of_trials,
        effort_report,
        forgotten_requirements,
        group_of,
        lines_beyond,
    )
    from honestly.people._exchange import escape_formula, export_labels, import_labels, labels_table
    from honestly.people._facts import Fact, FactTable, Requirement, facts_of_suite, without_facts
    from honestly.people._fit import Example, examples_of, fit_classifier, fitted_classifier
    from honestly.people._hacks import (
        ALL,
        Hacks,
        clean_review_bounds,
        corrected_prevalence,
        hack_estimates,
        known_rates,
        reviews_needed,
    )
    from honestly.people._labels import (
        CODEBOOK,
        RATINGS,
        UNDECIDED,
        Reliability,
        TrialLabels,
        label_reliability,
        labels_of,
        newest_reviews,
        ratings_of,
    )
    from honestly.people._messages import message_kind
    from honestly.people._preferences import PREFERENCES, UserPreference
    from honestly.people._prevalence import PrevalenceReport, prevalence_report
    from honestly.people._push_back import (
        PUSH_BACK,
        PUSH_BACK_SITES,
        PushBack,
        PushBackReport,
        PushBackTrial,
        push_back_report,
        push_back_trials,
    )
    from honestly.people._queue import (
        FLAGGED,
        STRATA,
        UNFLAGGED,
        Draw,
        Queue,
        QueueItem,
        QueueProgress,
        audit_standpoints,
        changed_since,
        draw_queue,
        keep_queue,
        queue_progress,
        queues_of,
        to_label,
        to_settle,
    )
    from honestly.people._session_effort import SessionEffort, is_session, session_effort
    from honestly.people._stars import (
        Stars,
        keep_stars,
        rate_trial,
        read_stars,
        session_ratings,
        stars_for,
        stars_path,
    )
    from honestly.people._user import (
        SENTENCES,
        Manner,
        ModelUser,
        RuleUser,
        Seen,
        SimulatedUser,
        UserEvent,
        UserFidelity,
        pairs_ranked_alike,
        user_fidelity,
    )
    from honestly.people._user_arms import (
        USER_ARMS,
        USER_RECORD,
        AgentWithUser,
        TakesPerson,
        UserRecord,
        model_plays,
        read_manner,
        with_users,
    )
    from honestly.people._vague import FactProof, facts_by_model, facts_by_rule, prove_facts, vague_suite
    from honestly.people._work_kept import WorkKept, WorkKeptReport, work_kept

__all__ = [
    "AGREEMENT_COLUMNS",
    "ALL",
    "CODEBOOK",
    "FLAGGED",
    "NEVER",
    "PARTS",
    "PREFERENCES",
    "PUSH_BACK",
    "PUSH_BACK_SITES",
    "RATINGS",
    "SENTENCES",
    "STRATA",
    "UNDECIDED",
    "UNFLAGGED",
    "USER_ARMS",
    "USER_RECORD",
    "AgentEffort",
    "AgentWithUser",
    "Asker",
    "Classifier",
    "CreditReport",
    "Draw",
    "EffortReport",
    "Example",
    "Fact",
    "FactProof",
    "FactTable",
    "Fatal",
    "FatalSearch",
    "Hacks",
    "Manner",
    "ModelUser",
    "Place",
    "PrevalenceReport",
    "PushBack",
    "PushBackReport",
    "PushBackTrial",
    "Queue",
    "QueueItem",
    "QueueProgress",
    "Reliability",
    "Requirement",
    "RuleUser",
    "Seen",
    "SessionEffort",
    "SimulatedUser",
    "Split",
    "Stars",
    "StepCredit",
    "TakesPerson",
    "TrialEffort",
    "TrialLabels",
    "TrialStates",
    "UserEvent",
    "UserFidelity",
    "UserPreference",
    "UserRecord",
    "WorkKept",
    "WorkKeptReport",
    "agreement_words",
    "audit_standpoints",
    "change_history",
    "changed_since",
    "classifiers_of",
    "classify_messages",
    "clean_review_bounds",
    "corrected_prevalence",
    "credit_of_trial",
    "credited_steps",
    "current_classifier",
    "draw_queue",
    "effort_of_trials",
    "effort_report",
    "escape_formula",
    "examples_of",
    "export_labels",
    "facts_by_model",
    "facts_by_rule",
    "facts_of_suite",
    "fit_classifier",
    "fitted_classifier",
    "forgotten_requirements",
    "group_of",
    "hack_estimates",
    "import_labels",
    "is_session",
    "keep_classifier",
    "keep_queue",
    "keep_split",
    "keep_stars",
    "known_rates",
    "label_reliability",
    "labels_of",
    "labels_table",
    "lines_beyond",
    "message_kind",
    "model_plays",
    "newest_reviews",
    "pairs_ranked_alike",
    "prevalence_report",
    "prove_facts",
    "push_back_report",
    "push_back_trials",
    "queue_progress",
    "queues_of",
    "rate_trial",
    "ratings_of",
    "read_manner",
    "read_stars",
    "reviewer_name",
    "reviews_needed",
    "run_search",
    "session_effort",
    "session_ratings",
    "split_of",
    "stars_for",
    "stars_path",
    "to_label",
    "to_settle",
    "trial_states",
    "undo_review",
    "undoing_review",
    "user_fidelity",
    "vague_suite",
    "value_interval",
    "with_users",
    "without_facts",
    "work_kept",
]

__getattr__, __dir__ = lazy_exports(__name__)
