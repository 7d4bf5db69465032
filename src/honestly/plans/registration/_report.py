"""Storing a pre-registration in a study, and saying later what came of it.

The study keeps the document itself (fact `registration`) and when it was stored (`registered_at`). `store_registration`
refuses a study that has trials already. The report names the hash of the document: published before the study was run,
it proves to others that nothing was changed afterwards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from markupsafe import Markup
from msgspec.structs import replace
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.errors import FormatError, StoreError
from honestly.plans.registration._check import check_registration
from honestly.plans.registration._document import parse_registration
from honestly.plans.registration._guards import Checked
from honestly.plans.registration._proposal import proposal_answers
from honestly.plans.registration._registration import Registration
from honestly.records import digest
from honestly.scores import DEFAULT_POLICY, count_study
from honestly.show import AtWidth, Shown, all_of, filled, plural_text, short_names
from honestly.stats import Policy
from honestly.store import Store


def store_registration(study: Store, text: str) -> Registration:
    """Store a registration in a study without trials; storing the same one again changes nothing.

    Args:
        study: any store, open for writing.
        text: the document.

    Raises:
        FormatError: the document cannot be read.
        StoreError: the study has another registration, or has trials already.
    """
    registration = parse_registration(text)
    facts = study.facts()
    kept = facts.registration
    if kept == text:
        return registration
    if kept is not None:
        raise StoreError("the study has another registration; a plan is not changed afterwards, so start a new study")
    if trials := len(study.trial_ids()):
        raise StoreError(
            f"the study contains {plural_text(trials, 'trial')} already; a plan that is made after the first one "
            "promises "
            "nothing, so start a new study"
        )
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    study.set_facts(replace(facts, registration=text, registered_at=now))
    return registration


@dataclass(frozen=True, slots=True, repr=False)
class RegistrationReport(Shown):
    """The registration and its result."""

    main_table: ClassVar[str] = "checks"

    sentence: str
    """The outcome of the claim, and how many promises were broken."""
    registration: Registration | None
    """What was promised; None where the stored document cannot be read."""
    document: str
    """The registered text."""
    hash: str
    """Of the document, 32 hexadecimal characters."""
    checks: tuple[Checked, ...]
    """Each promise, the claim last; empty where the document cannot be read."""
    proposal: tuple[Checked, ...] = ()
    """Each question of the proposal that was answered, with what the study says to it."""

    @property
    def broken_promises(self) -> tuple[Checked, ...]:
        """The promises that were broken; a refuted claim is none of them."""
        return tuple(check for check in self.checks if check.status == "broken" and check.topic != "claim")

    def brief(self) -> RenderableType:
        """The sentence, and the promises that were broken."""
        rows = self.broken_promises
        table = [AtWidth(partial(_checks_table, "promise", rows))] if rows else []
        return Group(Text(self.sentence, style="bold"), *table)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.sentence, style="bold")
        for title, rows in (("promise", self.checks), ("proposal", self.proposal)):
            if rows:
                yield Text()
                yield _checks_table(title, rows, options.max_width)
        yield Text(f"Hash of the registered document: {self.hash}", style="dim")


def registration_report(
    study: Store, policy: Policy = DEFAULT_POLICY, alpha: float = 0.05
) -> RegistrationReport | None:
    """Check a study against its own registration; None where it keeps none.

    Args:
        study: any store of trials.
        policy: the policy of the report that is shown beside it.
        alpha: the level of that report.

    Raises:
        StoreError: the study cannot be read.
        StatisticsError: a trial names an unknown agent or task.
    """
    text = study.facts().registration
    if text is None:
        return None
    try:
        registration = parse_registration(text)
    except FormatError as error:
        return RegistrationReport(f"The study's registration cannot be read: {error}.", None, text, digest(text), ())
    checks = check_registration(study, registration, policy, alpha)
    answers = proposal_answers(registration, checks, count_study(study)) if registration.proposal else ()
    return RegistrationReport(_report_sentence(registration, checks), registration, text, digest(text), checks, answers)


_LONGEST_NAME = 60
_OUTCOMES = {
    "kept": "shown",
    "broken": "refuted: the other agent is better",
    "undecided": "not decided by the data",
    "not yet": "not tested yet",
    "not measurable": "not testable",
}


def _report_sentence(registration: Registration, checks: Sequence[Checked]) -> str:
    claim, promises = checks[-1], checks[:-1]
    broken = [check.topic.replace("_", " ") for check in promises if check.status == "broken"]
    waiting = sum(check.status in {"not yet", "not measurable"} for check in promises)
    names = short_names((registration.first, registration.other_agent), _LONGEST_NAME, len)
    first, second = names[registration.first], names[registration.other_agent]
    head = f"Registered before: {first} is better than {second}"
    if broken:
        tail = f"{len(broken)} of {plural_text(len(promises), 'promise')} broken ({all_of(broken)})"
    elif waiting:
        tail = f"of {plural_text(len(promises), 'promise')} none is broken, {waiting} cannot be judged yet"
    else:
        tail = f"all {plural_text(len(promises), 'promise')} kept"
    return f"{head}. The claim is {_OUTCOMES[claim.status]}; {tail}."


_STYLES = {
    "kept": "green",
    "broken": "bold red",
    "undecided": "yellow",
    "not yet": "yellow",
    "not measurable": "yellow",
}


def _checks_table(title: str, rows: Sequence[Checked], width: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(title, no_wrap=True)
    table.add_column("", no_wrap=True)
    narrow = width < 100
    table.add_column("promised, and found" if narrow else "promised", overflow="fold", ratio=1)
    if not narrow:
        table.add_column("found", overflow="fold", ratio=1)
    for check in rows:
        words = [Text(check.promised), Text(check.found)]
        if narrow:
            words = [Text.assemble((check.promised, "dim"), "\n", check.found)]
        table.add_row(Text(check.topic.replace("_", " ")), Text(check.outcome, style=_STYLES[check.status]), *words)
    return table


def registration_section(report: RegistrationReport | None) -> Markup:
    """The registration as a section of the page; empty where nothing was registered."""
    return filled("plans", "registration.html", found=report) if report is not None else Markup()
