"""People's judgements of trials: review queues, labels, agreement, and what is learned from them.

`draw_queue` chooses the trials that people are asked about, `labels_of` says what they now think, `label_reliability`
how far they agree, `hack_estimates` how many hacks there really are, and `fitted_classifier` learns a small classifier
that has to pass a test.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.people._agreement import AGREEMENT_COLUMNS as AGREEMENT_COLUMNS, agreement_words as agreement_words
    from honestly.people._asker import Asker as Asker
    from honestly.people._changes import (
        Place as Place,
        change_history as change_history,
        reviewer_name as reviewer_name,
        undo_review as undo_review,
        undoing_review as undoing_review,
    )
    from honestly.people._classifier import (
        PARTS as PARTS,
        Classifier as Classifier,
        Split as Split,
        classifiers_of as classifiers_of,
        classify_messages as classify_messages,
        current_classifier as current_classifier,
        keep_classifier as keep_classifier,
        keep_split as keep_split,
        split_of as split_of,
    )
    from honestly.people._credit import (
        NEVER as NEVER,
        CreditReport as CreditReport,
        Fatal as Fatal,
        FatalSearch as FatalSearch,
        StepCredit as StepCredit,
        credited_steps as credited_steps,
        value_interval as value_interval,
    )
    from honestly.people._credit_states import (
        TrialStates as TrialStates,
        credit_of_trial as credit_of_trial,
        trial_states as trial_states,
    )
    from honestly.people._effort import (
        AgentEffort as AgentEffort,
        EffortReport as EffortReport,
        TrialEffort as TrialEffort,
        effort_of_trials as effort_of_trials,
        effort_report as effort_report,
        forgotten_requirements as forgotten_requirements,
        group_of as group_of,
        lines_beyond as lines_beyond,
    )
    from honestly.people._exchange import (
        escape_formula as escape_formula,
        export_labels as export_labels,
        import_labels as import_labels,
        labels_table as labels_table,
    )
    from honestly.people._facts import (
        Fact as Fact,
        FactTable as FactTable,
        Requirement as Requirement,
        facts_of_suite as facts_of_suite,
        without_facts as without_facts,
    )
    from honestly.people._fit import (
        Example as Example,
        examples_of as examples_of,
        fit_classifier as fit_classifier,
        fitted_classifier as fitted_classifier,
    )
    from honestly.people._hacks import (
        ALL as ALL,
        Hacks as Hacks,
        clean_review_bounds as clean_review_bounds,
        corrected_prevalence as corrected_prevalence,
        hack_estimates as hack_estimates,
        known_rates as known_rates,
        reviews_needed as reviews_needed,
    )
    from honestly.people._labels import (
        CODEBOOK as CODEBOOK,
        RATINGS as RATINGS,
        UNDECIDED as UNDECIDED,
        Reliability as Reliability,
        TrialLabels as TrialLabels,
        label_reliability as label_reliability,
        labels_of as labels_of,
        newest_reviews as newest_reviews,
        ratings_of as ratings_of,
    )
    from honestly.people._messages import message_kind as message_kind
    from honestly.people._preferences import PREFERENCES as PREFERENCES, UserPreference as UserPreference
    from honestly.people._prevalence import PrevalenceReport as PrevalenceReport, prevalence_report as prevalence_report
    from honestly.people._push_back import (
        PUSH_BACK as PUSH_BACK,
        PUSH_BACK_SITES as PUSH_BACK_SITES,
        PushBack as PushBack,
        PushBackReport as PushBackReport,
        PushBackTrial as PushBackTrial,
        push_back_report as push_back_report,
        push_back_trials as push_back_trials,
    )
    from honestly.people._queue import (
        FLAGGED as FLAGGED,
        STRATA as STRATA,
        UNFLAGGED as UNFLAGGED,
        Draw as Draw,
        Queue as Queue,
        QueueItem as QueueItem,
        QueueProgress as QueueProgress,
        audit_standpoints as audit_standpoints,
        changed_since as changed_since,
        draw_queue as draw_queue,
        keep_queue as keep_queue,
        queue_progress as queue_progress,
        queues_of as queues_of,
        to_label as to_label,
        to_settle as to_settle,
    )
    from honestly.people._session_effort import (
        SessionEffort as SessionEffort,
        is_session as is_session,
        session_effort as session_effort,
    )
    from honestly.people._stars import (
        Stars as Stars,
        keep_stars as keep_stars,
        stars_for as stars_for,
        stars_path as stars_path,
    )
    from honestly.people._user import (
        SENTENCES as SENTENCES,
        Manner as Manner,
        ModelUser as ModelUser,
        RuleUser as RuleUser,
        Seen as Seen,
        SimulatedUser as SimulatedUser,
        UserEvent as UserEvent,
        UserFidelity as UserFidelity,
        user_fidelity as user_fidelity,
    )
    from honestly.people._user_arms import (
        USER_ARMS as USER_ARMS,
        USER_RECORD as USER_RECORD,
        AgentWithUser as AgentWithUser,
        TakesPerson as TakesPerson,
        UserRecord as UserRecord,
        model_plays as model_plays,
        read_manner as read_manner,
        with_users as with_users,
    )
    from honestly.people._vague import (
        FactProof as FactProof,
        facts_by_model as facts_by_model,
        facts_by_rule as facts_by_rule,
        prove_facts as prove_facts,
        vague_suite as vague_suite,
    )
    from honestly.people._work_kept import (
        WorkKept as WorkKept,
        WorkKeptReport as WorkKeptReport,
        work_kept as work_kept,
    )


__getattr__, __dir__ = lazy_exports(__name__)
