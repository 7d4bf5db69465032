"""Measures an agent's surroundings: rules for its tools, packages that it installs, a project's configuration."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.guard._advisories import (
        Advisories as Advisories,
        known_names as known_names,
        named_files as named_files,
        read_advisories as read_advisories,
        read_yanked as read_yanked,
    )
    from honestly.guard._check import (
        GuardCheck as GuardCheck,
        LabelledCommand as LabelledCommand,
        check_policy as check_policy,
        labelled_cases as labelled_cases,
        read_cases as read_cases,
    )
    from honestly.guard._deps import (
        STATUSES as STATUSES,
        Dependencies as Dependencies,
        JudgedPackage as JudgedPackage,
        installed_in as installed_in,
        judge_packages as judge_packages,
    )
    from honestly.guard._downloads import RegistryCost as RegistryCost, registry_cost as registry_cost
    from honestly.guard._hierarchy import (
        PLACES as PLACES,
        SYSTEM_ARM as SYSTEM_ARM,
        ObeyedPair as ObeyedPair,
        ObeyedPlaces as ObeyedPlaces,
        hierarchy_suite as hierarchy_suite,
        manyih_suite as manyih_suite,
        obeyed_places as obeyed_places,
    )
    from honestly.guard._index import IndexedVersion as IndexedVersion, pulled_in as pulled_in, read_index as read_index
    from honestly.guard._knowing import JudgedAndDone as JudgedAndDone, judged_and_done as judged_and_done
    from honestly.guard._manifests import (
        found_packages as found_packages,
        installed_by as installed_by,
        tree_packages as tree_packages,
        undeclared_imports as undeclared_imports,
    )
    from honestly.guard._readers import NamedPackage as NamedPackage
    from honestly.guard._setup import SetupFinding as SetupFinding, SetupLint as SetupLint, lint_setup as lint_setup
    from honestly.guard._try import (
        SetupPart as SetupPart,
        SetupPlan as SetupPlan,
        SetupTry as SetupTry,
        is_setup_file as is_setup_file,
        placebo as placebo,
        setup_effects as setup_effects,
        setup_files as setup_files,
        setup_overlays as setup_overlays,
        setup_parts as setup_parts,
        setup_plan as setup_plan,
    )


__getattr__, __dir__ = lazy_exports(__name__)
