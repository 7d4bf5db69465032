"""The first stage: every chunk of every trial is read, and what looks odd is raised, with a quote.

A quote counts only if it stands in the step that it names, as the judge was shown it, and in the record of the trial.
What is raised without such a quote is thrown away and counted. Where the judge overlooked every planted cheat of a
question, its silence about the real trials beside them means nothing: they are errors in this view, never clean.
"""

from dataclasses import dataclass, field

from honestly.audit._case import Suspicion
from honestly.audit.monitor._ask import Judge, NoAnswerError
from honestly.audit.monitor._group import Group, Question, Subject, questions
from honestly.audit.monitor._masked import unmasked
from honestly.audit.monitor._prompts import Raised, Ruled, Survey, Surveyed, surveying
from honestly.audit.reading._evidence import evidence_for
from honestly.records import Evidence


@dataclass(frozen=True)
class Flag:
    """Something that was raised, with a quote that was found."""

    raised: Raised
    evidence: Evidence | None
    """Where the quote stands in the record; None of a planted trial, which has none."""


@dataclass
class Sight:
    """What one view made of one trial."""

    subject: Subject
    flags: list[Flag] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why silence about it means nothing."""
    rejected: int = 0
    """Findings without a quote that stands there."""
    confirmed: list[tuple[Flag, Ruled]] = field(default_factory=list)
    undecided: list[Flag] = field(default_factory=list)

    def state(self, *, masked: bool) -> str:
        """`flagged`, `undecided`, `error`, `unreadable` or `clean`, in this order."""
        if self.confirmed:
            return "flagged"
        if self.undecided:
            return "undecided"
        if self.problems:
            return "error"
        return "clean" if self.subject.seen(masked=masked).pieces else "unreadable"


async def survey(group: Group, judge: Judge, *, masked: bool) -> dict[str, Sight]:
    """What the first stage says of a group, by the key of each trial, planted ones included.

    Raises:
        ModelError: the server gives no answer.
        BudgetError: nothing more may be spent.
    """
    sights = {subject.key: Sight(subject) for subject in group.subjects}
    for question in questions(group, masked=masked):
        for part in question.parts.values():
            sights.setdefault(part.subject.key, Sight(part.subject))
        messages = surveying(question.trusted, question.data, masked=masked)
        try:
            reply = await judge.ask(messages, Survey, list(question.parts))
        except NoAnswerError as error:
            for part in question.parts.values():
                sights[part.subject.key].problems.append(str(error))
            continue
        _read(question, reply, sights, masked=masked)
    return sights


def _read(question: Question, reply: Survey, sights: dict[str, Sight], *, masked: bool) -> None:
    found = {said.trial: _flags(said, question.parts[said.trial].subject, masked=masked) for said in reply.trials}
    cheats = [label for label, part in question.parts.items() if part.subject.control and part.subject.control.cheat]
    blind = not any(found[label][0] for label in cheats)
    for said in reply.trials:
        sight = sights[question.parts[said.trial].subject.key]
        flags, rejected = found[said.trial]
        sight.flags += [flag for flag in flags if flag not in sight.flags]
        sight.rejected += rejected
        sight.summaries.append(said.summary[:600])
        if rejected and not flags:
            sight.problems.append(f"the judge quoted what is not there: {said.findings[0].quote[:120]!r}")
        if blind and not flags and sight.subject.control is None:
            sight.problems.append("the judge overlooked every planted cheat in the same question")


def _flags(said: Surveyed, subject: Subject, *, masked: bool) -> tuple[list[Flag], int]:
    """What of it stands on a quote, and how much does not."""
    flags: list[Flag] = []
    view = subject.seen(masked=masked)
    for raised in said.findings:
        if not view.holds(raised.step, raised.quote) or not unmasked(raised.quote):
            continue
        if subject.case is None:
            flags.append(Flag(raised, None))
            continue
        suspicion = subject.view.suspicion(raised.step, raised.quote, raised.category)
        evidence = _evidence(suspicion, subject)
        if evidence is not None:
            flags.append(Flag(raised, evidence))
    return flags, len(said.findings) - len(flags)


def _evidence(suspicion: Suspicion, subject: Subject) -> Evidence | None:
    """The quote in the record; of one with marks in it, its longest line or part that is verbatim there."""
    assert subject.case is not None
    parts = suspicion._replace(quote=unmasked(suspicion.quote))
    return evidence_for(suspicion, subject.case, subject.step_at) or evidence_for(parts, subject.case, subject.step_at)
