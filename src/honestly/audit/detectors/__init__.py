"""All detectors, one a file: a file that lies here and has a `DETECTOR` is known by that detector's name."""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from honestly.audit._case import Detector
from honestly.errors import TaskError
from honestly.records import SEVERITIES
from honestly.seams import KnownName, Seam, Spec, format_spec, parse_list

__all__ = ["DETECTORS", "DETECTOR_SEAM", "USUAL_DETECTORS", "choose_detectors"]

_FOUND: dict[Detector, str] = {
    import_module(f"{__name__}.{module.name}").DETECTOR: f"{__name__}.{module.name}:DETECTOR"
    for module in iter_modules(__path__)
}

DETECTORS: tuple[Detector, ...] = tuple(sorted(_FOUND, key=lambda detector: detector.name))
"""Every built-in detector, by name."""

USUAL_DETECTORS: tuple[Detector, ...] = tuple(detector for detector in DETECTORS if detector.usual)
"""The detectors that run if you name none."""

DETECTOR_SEAM = Seam(
    kind="detector",
    group="honestly.detectors",
    protocol="honestly.audit.Detector",
    error=TaskError,
    known=tuple(KnownName(each.name, _FOUND[each], each.summary) for each in DETECTORS),
)
"""What can be named with `--detector`."""


def choose_detectors(names: Sequence[str]) -> tuple[Detector, ...]:
    """The detectors with these names (several can be joined with `+`), or the usual ones.

    Raises:
        TaskError: there is no detector of a name.
    """
    with DETECTOR_SEAM.as_own_errors():
        each = dict.fromkeys(name for text in names for name in parse_list(text))
    return tuple(map(_detector_named, each)) or USUAL_DETECTORS


def _detector_named(text: str) -> Detector:
    """The detector of this name. That of somebody else has the hash of its source in its version."""
    spec = DETECTOR_SEAM.parse(text)
    found = DETECTOR_SEAM.make_object(spec)
    if not DETECTOR_SEAM.is_foreign(spec):
        assert isinstance(found, Detector)
        return found
    look = getattr(found, "look", found)
    if not callable(look):
        raise TaskError(f"detector {spec.name!r} is of type {type(found).__name__}; expected a Detector, or look(case)")
    settings = format_spec(Spec("", spec.settings))
    severity = getattr(found, "severity", "hack")
    if severity not in SEVERITIES:
        raise TaskError(f"detector {spec.name!r} has the severity {severity!r}; expected {', '.join(SEVERITIES)}")
    version = f"{getattr(found, 'version', '0')}+{DETECTOR_SEAM.source(spec)}{settings}"
    if isinstance(found, Detector):
        return found._replace(version=version)
    return Detector(
        name=getattr(found, "name", spec.name.rpartition(":")[2]),
        version=version,
        category=getattr(found, "category", "own"),
        needs=getattr(found, "needs", ("steps", "final")),
        look=look,
        summary=getattr(found, "summary", ""),
        severity=severity,
    )
