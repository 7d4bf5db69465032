"""Runs of SWE-bench: which predictions, reports, logs and summary are of one model's attempts.

Files belong together that lie in one directory, or below that of predictions or of a summary. Whose a report is says
the directory of its model (`RUN/MODEL/INSTANCE/report.json`), whose a summary is its name (`MODEL.RUN.json`). Where
several models predicted, or several runs judged, what names none of them is a run of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from honestly.formats._agent_names import names_apart
from honestly.formats._heads import Head
from honestly.formats._sources import noted_defect, recorded_place, refused_defect, stem_of
from honestly.records import Defect, Outcome, Usage

SUMMARY_KEYS = {"generated", "submitted_ids", "completed_ids", "unresolved_ids", "ids_unresolved",
                "per_instance_details"}  # fmt: skip
"""One of these says of how many instances a summary is."""
# The share of a set that a run of the whole set may lack.
_FEW = 0.1
# Instances that passed, and that failed, by which a summary without a run in its name is a copy of another one.
_TELLING = 3
# Patches of a run by which its predictions are found.
_COMPARED = 20
_SAMPLE = re.compile(r"sample-\d+")
_SERVICE = re.compile(r"(?i)[^/]*swe.?bench[^/]*?__(dev|test)__")
# Names of summaries that each tool gives to those of all models.
_UNTOLD = {"", "results", "report", "final_report"}


class Prediction(NamedTuple):
    """What a model predicted for an instance."""

    patch: str
    where: str
    odd: str = ""
    """Why nobody knows whether there is a patch."""


@dataclass
class Run:
    """The facts known of a run, by instance."""

    home: str = ""
    model: str = ""
    """As its predictions name it; empty of a run without predictions."""
    is_named: bool = False
    """Whether a prediction names its model, and not its file alone."""
    patches: dict[str, Prediction] = field(default_factory=dict)
    reports: dict[str, tuple[Head, Mapping[str, object]]] = field(default_factory=dict)
    disputed: set[str] = field(default_factory=set)
    """Instances of which two reports say otherwise."""
    logs: dict[str, Head] = field(default_factory=dict)
    said: dict[str, tuple[Outcome, str, str]] = field(default_factory=dict)
    """Outcome, reason and place of what a summary says."""
    costs: dict[str, Usage] = field(default_factory=dict)
    contradicted: list[str] = field(default_factory=list)
    """Instances whose report says otherwise than the summary."""
    outdated: list[str] = field(default_factory=list)
    """Instances with a report, of which a later summary says that there was no patch."""
    may_lack: str = ""
    """The place of a summary that does not name each instance of its run."""
    name: str = ""
    folders: set[str] = field(default_factory=set)
    """Directories of the model in which its reports lie."""
    is_of_others: bool = False
    """Whether its reports are of patches that no predictions have."""

    @property
    def instances(self) -> set[str]:
        """Those that something is said of."""
        return {*self.patches, *self.said, *self.reports, *self.logs}

    def may_judge(self, predicted: Collection[str]) -> bool:
        """Whether it may be the judgement of these instances: all that it names were predicted, and a summary names all
        that were.
        """
        return self.instances <= set(predicted) and (not self.said or self.said.keys() >= set(predicted))

    def may_be_of(self, model: str) -> bool:
        """Whether it was judged in the name of a model, whose predictions are not known."""
        return self.was_judged and not self.model and not self.is_of_others and _is_named(self, model)

    @property
    def was_judged(self) -> bool:
        """Whether anything says what came of its predictions."""
        return bool(self.said or self.reports or self.logs)


def is_summary(head: Head) -> bool:
    """Whether it lists instances of a run, with what came of them."""
    return bool(head.keys & SUMMARY_KEYS) and not head.has_keys("leaderboards") and not head.has_keys("resolvedIds")


def is_instance(head: Head) -> bool:
    """Whether it is the report or the log of an instance."""
    return head.name.rpartition("/")[2] in {"report.json", "run_instance.log"} and not is_summary(head)


def lacking_instances(run: Run, others: Iterable[Run]) -> set[str]:
    """The instances that a summary leaves out: other runs of the same set have them, and they are a few of all."""
    mine = run.said.keys()
    alike = [each.said.keys() for each in others if mine <= each.said.keys() and are_few(each.said.keys() - mine, mine)]
    lacking = set[str]().union(*alike) - mine
    return lacking if are_few(lacking, mine) else set()


def are_few(absent: Collection[str], named: Collection[str]) -> bool:
    """Whether a run that lacks these instances was meant to have them: more make it a run of a part."""
    return len(absent) <= _FEW * (len(absent) + len(named))


class Runs:
    """The runs of a place. Predictions are asked for first, then reports and logs, then summaries."""

    def __init__(self, heads: Iterable[Head], places: Iterable[Head]) -> None:
        """`places`: those files that lie where their run does."""
        self._runs: dict[tuple[str, str], Run] = {}
        self._costs: dict[str, dict[str, Usage]] = defaultdict(dict)
        self._anchors = sorted({_run_folder(head) for head in places}, key=len, reverse=True)
        self._summaries = Counter(_run_folder(head) for head in heads if is_summary(head))
        # Instances by home, and by the folders RUN and MODEL in which they were judged.
        self._judged: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
        for head in heads:
            if is_instance(head):
                self._judged[self.home_of(head)][_judged_by(head)].add(head.name.rpartition("/")[0].rpartition("/")[2])

    def home_of(self, head: Head) -> str:
        """The folder of the predictions or of the summary above a file, or that of its model."""
        folder = _run_folder(head)
        home = next(
            (each for each in self._anchors if not each or folder == each or folder.startswith(f"{each}/")), None
        )
        # Logs of a run alone: .../RUN/MODEL/INSTANCE/report.json
        return folder.rpartition("/")[0] if home is None else home

    def of_model(self, head: Head, model: str) -> Run:
        """The run of a model's predictions."""
        return self._run_of(self.home_of(head), model)

    def of_instance(self, head: Head) -> Run:
        """The run of a report or a log."""
        home, (run, model) = self.home_of(head), _judged_by(head)
        models, judged = self._models(home), self._judged[home]
        twice = max(Counter(each for found in judged.values() for each in found).values(), default=0) > 1
        own = next((each for each in models if _as_folder(each) == model), "")
        if own and (not twice or sum(name == model for _, name in judged) == 1):
            return self._run_of(home, own)
        named = {name for _, name in judged} & set(map(_as_folder, models))
        if not twice and not named and len(models) < 2:
            return self._run_of(home, "".join(models))
        return self._run_of("/".join(filter(None, (run, model))), "")

    def of_summary(self, head: Head) -> tuple[Run, str]:
        """The run of a summary, and what is odd about that."""
        folder, home, stem = _run_folder(head), self.home_of(head), stem_of(head)
        models = self._models(home)
        judged = [key for key in self._runs if not key[1] and key[0].count("/") and _summary_of(key[0]) == stem]
        if len(judged) == 1 and not self._runs[judged[0]].said:
            return self._runs[judged[0]], ""
        named = max((each for each in models if stem.startswith(f"{_as_folder(each)}.")), key=len, default="")
        if named and not self._run_of(home, named).said:
            return self._run_of(home, named), ""
        alone = self._summaries[folder] == 1
        beside = next(iter(models), "") if alone and len(models) < 2 else None
        if beside is not None and not self._run_of(home, beside).said:
            return self._run_of(home, beside), ""
        run = self._run_of(f"{recorded_place(head)}#", "")
        run.name = summary_name(head)
        odd = f"whose of {len(models)} models it is, its name does not say: a run of its own"
        return run, odd if len(models) > 1 and not named else ""

    def _largest(self, runs: Iterable[Run]) -> Run | None:
        """The run with more predictions than the others that nobody judged; None of none, or of several such."""
        found = sorted((run for run in runs if not run.was_judged), key=lambda run: -len(run.patches))
        same = len(found) > 1 and len(found[0].patches) == len(found[1].patches)
        return found[0] if found and not same else None

    def costs_of(self, head: Head) -> dict[str, Usage]:
        """The costs of all runs in the folder of a file."""
        return self._costs[self.home_of(head)]

    def _models(self, home: str) -> list[str]:
        return [model for at, model in self._runs if at == home and model]

    def _run_of(self, home: str, model: str) -> Run:
        return self._runs.setdefault((home, model), Run(home, model, costs=self._costs[home]))

    def known(self) -> Iterator[Run]:
        """All runs, those first of which anything is known but predictions."""
        return iter(sorted(self._runs.values(), key=lambda run: not run.was_judged))

    def join_reports(self, patch_of: Callable[[Head], str]) -> Iterator[Defect]:
        """Gives reports to the predictions of the patches that lie beside them, wherever those are."""
        for run in [each for each in self._runs.values() if each.reports]:
            patches = ((each, patch_of(head)) for each, (head, _) in run.reports.items())
            judged = dict(islice((each for each in patches if each[1]), _COMPARED))
            if not judged or _predicted(run, judged) or (run.model and not run.patches.keys() & judged.keys()):
                continue
            others = [
                each
                for each in self._runs.values()
                if not each.reports.keys() & judged.keys() and _predicted(each, judged)
            ]
            head = run.reports[next(iter(judged))][0]
            home = "/".join(_judged_by(head))
            owner = next(iter(others), run if not run.model else self._run_of(home, ""))
            owner.is_of_others = not others
            if owner is run:
                continue
            said = f"{len(run.reports)} reports are of patches that {owner.model or 'others'} predicted elsewhere"
            yield noted_defect(recorded_place(head), "reports of other patches", said, len(run.reports))
            owner.reports, owner.logs = owner.reports | run.reports, owner.logs | run.logs
            owner.folders |= run.folders
            run.reports, run.logs, run.folders = {}, {}, set()
            if not run.model or ("/" in home and run.name == _summary_of(home)):
                owner.said, run.said = run.said | owner.said, {}

    def join_predictions(self) -> Iterator[Defect]:
        """Gives predictions that nobody judged to the one run that was judged in their model's name, elsewhere."""
        for model in dict.fromkeys(run.model for run in self._runs.values() if run.model):
            mine = self._largest(run for run in self._runs.values() if run.model == model)
            named = [run for run in self._runs.values() if run.may_be_of(model)]
            if mine is None or len(named) != 1 or not named[0].may_judge(mine.patches.keys()):
                continue
            where = next(iter(mine.patches.values())).where
            detail = (
                f"{len(mine.patches)} predictions of {model} are taken for those that were judged in its name elsewhere"
            )
            yield noted_defect(where, "predictions elsewhere", detail)
            named[0].model = model
            named[0].patches |= mine.patches
            mine.patches.clear()

    def drop_copies(self) -> Iterator[Defect]:
        """Takes predictions out of runs that nobody judged, where the same patch lies in a folder above or below.

        In folders side by side it may be another sample.
        """
        seen: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        named: dict[tuple[str, str], list[str]] = defaultdict(list)
        for run in self._runs.values():
            for instance, (patch, *_) in run.patches.items() if run.is_named else ():
                named[instance, patch].append(run.home)
        judged = {instance for run in self._runs.values() if run.was_judged for instance in run.instances}
        for run in self.known():
            several = [each for each in self._runs.values() if not each.model and _as_folder(run.model) in each.folders]
            if not run.was_judged and len(several) > 1 and run.patches.keys() <= judged:
                detail = f"{run.model} was judged by {len(several)} runs, each of which is an agent"
                yield noted_defect(next(iter(run.patches.values())).where, "judged several times", detail)
                run.patches.clear()
            for instance, (patch, where, _) in list(run.patches.items()):
                places = seen[run.model, instance, patch]
                whose = places if run.is_named else [*places, *named[instance, patch]]
                if not run.was_judged and any(_is_in(run.home, other) or _is_in(other, run.home) for other in whose):
                    del run.patches[instance]
                    yield refused_defect(
                        where, "duplicate prediction", f"{instance}: the same patch lies elsewhere, too"
                    )
                places.append(run.home)

        for run in self._runs.values():
            if run.said and run.instances == run.said.keys() and not run.model and (other := self._original(run)):
                where = next(iter(run.said.values()))[2].partition("#")[0]
                detail = f"another one says the same of all {len(run.said)} instances of {other.model or other.name}"
                yield refused_defect(where, "duplicate summary", detail)
                run.said.clear()

    def _original(self, copy: Run) -> Run | None:
        """The run of which a summary is that says the same as another one: by its name, or by so many outcomes."""
        said = {instance: outcome for instance, (outcome, *_) in copy.said.items()}
        ended = Counter(said.values())
        is_plain = "." not in copy.name and min(ended[Outcome.PASSED], ended[Outcome.FAILED]) >= _TELLING
        for run in self._runs.values():
            named = bool(run.model) and f"{copy.name}.".startswith(f"{_as_folder(run.model)}.")
            alike = named or (is_plain and run is not copy and bool(run.model or run.reports))
            if alike and said == {instance: outcome for instance, (outcome, *_) in run.said.items()}:
                return run
        return None

    def names(self, source_name: str) -> tuple[dict[int, str], list[Defect]]:
        """The name of each run's agent, by the run's `id`: its predictions', else its summary's or its folder's, and
        what is odd about it.
        """
        names: dict[int, str] = {}
        places: dict[str, tuple[str, ...]] = {}
        by_home: dict[str, Run] = {}
        seen = set[tuple[str, frozenset[tuple[str, Outcome]]]]()
        for run in self._runs.values():
            folders = run.home.split("/")[: -1 if run.home.endswith("#") else None]
            folders = [each for each in folders if not _SAMPLE.fullmatch(each)]  # as our own export has them
            name = run.model or next(
                (each for each in run.folders if len(run.folders) == 1 and run.name.startswith(f"{each}.")), run.name
            )
            if name in _UNTOLD:
                name = (folders.pop() if folders else "") or source_name
            names[id(run)] = name
            ended = name, frozenset((instance, outcome) for instance, (outcome, *_) in run.said.items())
            is_own = bool(run.model or run.reports or run.logs or not run.said)
            if run.instances and (is_own or ended not in seen):  # a copy of a summary is no other agent
                home = f"{run.home}#{run.model}"
                places[home], by_home[home] = (*folders, name), run
            if not is_own:
                seen.add(ended)
        apart, odd = names_apart(places, lambda home: by_home[home].instances)
        for home, each in apart.items():
            name = names[id(by_home[home])]
            names[id(by_home[home])] = each if each.endswith(name) else f"{each}/{name}"
        return names, odd


def summary_name(head: Head) -> str:
    """The name of a run by its summary's: MODEL.RUN, or of SWE-bench's service, SUBSET__SPLIT__RUN."""
    return _SERVICE.sub("", stem_of(head))


def _run_folder(head: Head) -> str:
    """The folder of the run that a file is of: submissions have their summary in a folder `results`."""
    folder = head.name.rpartition("/")[0]
    return folder.rpartition("/")[0] if folder.rpartition("/")[2] == "results" else folder


def _judged_by(head: Head) -> tuple[str, str]:
    """The folders RUN and MODEL above an instance's."""
    folders = head.name.split("/")[:-2]
    return "/".join(folders[:-1]), folders[-1] if folders else ""


def _summary_of(home: str) -> str:
    """The name that the summary of a run has whose reports lie in .../RUN/MODEL."""
    run, model = home.split("/")[-2:]
    return f"{model}.{run}"


def _is_named(run: Run, model: str) -> bool:
    """Whether the folder of a run's reports, or its summary's name, is that of a model: `MODEL.RUN`, `MODEL_RUN`."""
    folder = _as_folder(model)
    return run.folders == {folder} or run.name == folder or run.name.startswith((f"{folder}.", f"{folder}_"))


def _predicted(run: Run, judged: Mapping[str, str]) -> bool:
    """Whether most of these patches, or parts of them, are what a run predicted."""
    pairs = [
        (set(run.patches[each].patch.split("\n")), set(patch.split("\n")))
        for each, patch in judged.items()
        if each in run.patches
    ]
    return 2 * sum(mine <= other or other <= mine for mine, other in pairs) > len(judged)


def _as_folder(model: str) -> str:
    return model.replace("/", "__")


def _is_in(folder: str, other: str) -> bool:
    return not other or folder == other or folder.startswith(f"{other}/")
