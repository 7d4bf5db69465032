"""Measures an agent's surroundings: rules for its tools, packages that it installs, a project's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.guard._advisories import Advisories, known_names, named_files, read_advisories, read_yanked
    from honestly.guard._check import GuardCheck, LabelledCommand, check_policy, labelled_cases, read_cases
    from honestly.guard._deps import STATUSES, Dependencies, JudgedPackage, installed_in, judge_packages
    from honestly.guard._downloads import RegistryCost, registry_cost
    from honestly.guard._hierarchy import (
        PLACES,
        SYSTEM_ARM,
        ObeyedPair,
        ObeyedPlaces,
        hierarchy_suite,
        manyih_suite,
        obeyed_places,
    )
    from honestly.guard._index import IndexedVersion, pulled_in, read_index
    from honestly.guard._knowing import JudgedAndDone, judged_and_done
    from honestly.guard._manifests import found_packages, installed_by, tree_packages, undeclared_imports
    from honestly.guard._readers import NamedPackage
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
    "STATUSES",
    "SYSTEM_ARM",
    "Advisories",
    "Dependencies",
    "GuardCheck",
    "IndexedVersion",
    "JudgedAndDone",
    "JudgedPackage",
    "LabelledCommand",
    "NamedPackage",
    "ObeyedPair",
    "ObeyedPlaces",
    "RegistryCost",
    "SetupFinding",
    "SetupLint",
    "SetupPart",
    "SetupPlan",
    "SetupTry",
    "check_policy",
    "found_packages",
    "hierarchy_suite",
    "installed_by",
    "installed_in",
    "is_setup_file",
    "judge_packages",
    "judged_and_done",
    "known_names",
    "labelled_cases",
    "lint_setup",
    "manyih_suite",
    "named_files",
    "obeyed_places",
    "placebo",
    "pulled_in",
    "read_advisories",
    "read_cases",
    "read_index",
    "read_yanked",
    "registry_cost",
    "setup_effects",
    "setup_files",
    "setup_overlays",
    "setup_parts",
    "setup_plan",
    "tree_packages",
    "undeclared_imports",
]

__getattr__, __dir__ = lazy_exports(__name__)
