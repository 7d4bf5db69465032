"""What surrounds an agent, measured: the rules on its tools, the packages that it pulls in, the set-up of a project."""

from honestly._fields import document_fields
from honestly.guard._advisories import Advisories, known_names, read_advisories
from honestly.guard._check import GuardCheck, LabelledCommand, check_policy, labelled_cases, read_cases
from honestly.guard._deps import Dependencies, JudgedPackage, judge_packages
from honestly.guard._hierarchy import (
    PLACES,
    SYSTEM_ARM,
    ObeyedPair,
    ObeyedPlaces,
    hierarchy_suite,
    manyih_suite,
    obeyed_places,
)
from honestly.guard._manifests import NamedPackage, found_packages, installed_by
from honestly.guard._setup import SetupFinding, SetupLint, lint_setup
from honestly.guard._try import (
    SetupPart,
    SetupPlan,
    SetupTry,
    is_setup_file,
    placebo,
    setup_effects,
    setup_files,
    setup_overlays,
    setup_parts,
    setup_plan,
)

__all__ = [
    "PLACES",
    "SYSTEM_ARM",
    "Advisories",
    "Dependencies",
    "GuardCheck",
    "JudgedPackage",
    "LabelledCommand",
    "NamedPackage",
    "ObeyedPair",
    "ObeyedPlaces",
    "SetupFinding",
    "SetupLint",
    "SetupPart",
    "SetupPlan",
    "SetupTry",
    "check_policy",
    "found_packages",
    "hierarchy_suite",
    "installed_by",
    "is_setup_file",
    "judge_packages",
    "known_names",
    "labelled_cases",
    "lint_setup",
    "manyih_suite",
    "obeyed_places",
    "placebo",
    "read_advisories",
    "read_cases",
    "setup_effects",
    "setup_files",
    "setup_overlays",
    "setup_parts",
    "setup_plan",
]

document_fields(list(globals().values()), __name__)
