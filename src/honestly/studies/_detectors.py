"""Which detectors an audit is made with, and which of their findings are new."""

from collections.abc import Iterable, Sequence

from honestly.audit import Detector, choose_detectors
from honestly.records import Finding
from honestly.store import Store


def detectors_named(given: Sequence[str | Detector]) -> tuple[list[Detector], list[Detector]]:
    """The detectors that read trials and those that rerun work; all of both by default.

    Args:
        given: names, or detectors of your own.

    Raises:
        TaskError: there is no detector of a name.
    """
    from honestly.audit.rejudge import REJUDGED
    from honestly.seams import parse_list

    names = [name for each in given if isinstance(each, str) for name in parse_list(each)]
    own = [each for each in given if not isinstance(each, str)]
    again = [each for each in REJUDGED if not given or each.name in names]
    others = [name for name in names if name not in {each.name for each in again}]
    reading = choose_detectors(others) if others or not given else ()
    return [*reading, *own], again


def known_detectors(store: Store, reading: Sequence[Detector], again: Sequence[Detector]) -> list[Detector]:
    """The detectors that count: those that run work again only where they have."""
    ran = {(finding.detector, finding.version) for finding in store.findings()}
    return [*reading, *(each for each in again if (each.name, each.version) in ran)]


def new_findings(findings: Iterable[Finding], held: Iterable[Finding]) -> list[Finding]:
    """Findings that the study does not hold as they are."""
    known = {(found.trial, found.detector, found.version): found for found in held}
    return [found for found in findings if known.get((found.trial, found.detector, found.version)) != found]
