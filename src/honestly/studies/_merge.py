"""Several studies as one, which is there whole or not at all.

An agent of one configuration is one agent, a task of one content one task, and a trial that is in several studies is
there once. Of our own trials the id says that it is the same one. An imported one is known by the place where it stood
in its source, which another source may have too: where such trials of two studies differ, the studies are of different
sources, and all trials of both are kept. Samples of a cell are numbered on.

Not covered: what other rooms keep in a study (queues, classifiers, views), which is about that study.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from honestly.errors import NoResultsError, StoreError
from honestly.formats import AS_IT_STANDS, Importer, TableRules, alike_names, importer_of_several, importers_for
from honestly.records import Agent, Conditions, Defect, Isolation, StudyFacts, Task, Trial, digest
from honestly.scratch import scratch_folder
from honestly.store import Item, Store, is_address, open_study
from honestly.studies._import import SOURCE_UNREAD, import_results, new_study
from honestly.work import folder_beside

Told = Callable[[str, int, int], None]
"""Told which study is read, how many trials are done, and of how many."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")
_MOST_NAMED = 10


class MergedStudies(NamedTuple):
    """The result of a merge."""

    trials: int
    same: int
    """Trials that were found again and are there once."""
    agents: dict[str, str]
    """New names of agents by `study: name`."""
    tasks: dict[str, str]
    """New ids of tasks by `study: id`."""


@dataclass(slots=True)
class _Part:
    """One of the studies, and what its records are called in the merged one."""

    name: str
    store: Store
    agents: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    trials: dict[str, str] = field(default_factory=dict)
    """Ids that had to change."""
    records: list[Agent | Task] = field(default_factory=list)


def merge_studies(
    paths: Sequence[Path], out: Path, *, rename: bool = False, progress: Told = lambda _name, _done, _total: None
) -> MergedStudies:
    """Merges several studies into a new one; leaves nothing if it is stopped.

    Args:
        paths: the studies; of what can be there once only, the first one's is taken.
        out: the new study's file.
        rename: whether a task with the id of another one gets its study's name in front of it.
        progress: told how far it is.

    Raises:
        StoreError: a task's id stands for different tasks and `rename` is false; a study is named twice or cannot be
            read; or there is something at `out`.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise StoreError("a study is named twice; name each study once")
    with ExitStack() as opened:
        # The names, those that come again with a number.
        names: list[str] = []
        for name in [path.stem for path in paths]:
            names.append(next(free for free in _numbered_names(name) if free not in names))
        parts = [_Part(name, opened.enter_context(open_study(path))) for name, path in zip(names, paths, strict=True)]
        _name_agents(parts)
        _name_tasks(parts, rename=rename)
        trials = _Trials(parts)
        with new_study(out, _common_facts(parts)) as study:
            study.add(_merged_items(parts, trials, progress))
            study.add(trials.odd)
            study.add(filter(None, [alike_names(agent.name for agent in study.agents())]))
    return MergedStudies(
        trials=len(trials.owner),
        same=trials.found - len(trials.owner),
        agents={f"{part.name}: {old}": new for part in parts for old, new in part.agents.items() if old != new},
        tasks={f"{part.name}: {old}": new for part in parts for old, new in part.tasks.items() if old != new},
    )


def import_all(
    sources: Sequence[Path],
    out: Path,
    kind: str | Importer | None = None,
    progress: Callable[[str, int], None] | None = None,
    rules: TableRules = AS_IT_STANDS,
) -> list[Defect]:
    """Imports results from several places into one new study; one where nothing can be read is a defect of it.

    Raises:
        FormatError: there is nothing at one of them, or it cannot be understood.
        NoResultsError: nothing can be read at any of them.
        StoreError: a task's id stands for different tasks; or there is a study already, or it cannot be written.
    """
    if len(sources) == 1:
        return import_results(sources[0], out, kind, progress, rules)
    if out.exists():
        raise StoreError(f"{out} exists already; an import makes a new study, so give another name or remove it")
    beside = None if is_address(out) else out.parent
    if beside is not None and not beside.is_dir():
        raise StoreError(f"there is no folder {beside} for {out.name}; make it first")
    unread: list[Defect] = []
    known = [source for source in sources if kind is not None or _is_known(source, unread)]
    together = importer_of_several(known, rules) if kind is None else None
    made = folder_beside(out, "import") if beside else scratch_folder("import")
    with made as folder:
        parts: list[Path] = []
        for at, source in enumerate(known if together is None else []):
            part = Path(folder, str(at), f"{source.resolve().name}.honestly")
            part.parent.mkdir()
            try:
                import_results(source, part, kind, progress, rules)
                parts.append(part)
            except NoResultsError as error:
                unread.append(_unread_source(source, error))
        if together is not None:
            import_results(together[0], out, together[1], progress, rules)
        elif parts:
            merge_studies(parts, out)
        else:
            raise NoResultsError("; ".join(each.detail for each in unread))
    with open_study(out, "write") as study:
        study.add(unread)
        return list(study.defects())


def _is_known(source: Path, unread: list[Defect]) -> bool:
    """Whether anything there is in a known format; if not, it is among the unread sources."""
    try:
        return bool(importers_for(source))
    except NoResultsError as error:
        unread.append(_unread_source(source, error))
        return False


def _unread_source(source: Path, error: NoResultsError) -> Defect:
    where, said = (text.encode("utf-8", "backslashreplace").decode() for text in (source.resolve().name, str(error)))
    return Defect(kind=SOURCE_UNREAD, where=where, detail=said[:500], effect="refused")


def _numbered_names(*names: str) -> Iterator[str]:
    yield from names
    yield from (f"{names[-1]}-{number}" for number in count(2))


def _name_agents(parts: Sequence[_Part]) -> None:
    """Names agents: a name that stands for another configuration gets version and model, or its study, behind it."""
    taken: dict[str, Agent] = {}
    for part in parts:
        for agent in part.store.agents():
            longer = " ".join(filter(None, (agent.name, agent.version, agent.model)))
            for name in _numbered_names(agent.name, longer, f"{longer} ({part.name})"):
                named = replace(agent, name=name)
                if taken.setdefault(name, named) == named:
                    part.agents[agent.name] = name
                    part.records.append(named)
                    break


def _name_tasks(parts: Sequence[_Part], *, rename: bool) -> None:
    """Names tasks: an id that stands for another task gets its study's name in front of it, or stops the merge."""
    taken: dict[str, Task] = {}
    conflicts: list[str] = []
    for part in parts:
        prefix = _NOT_IN_IDS.sub("-", part.name)
        waiting = list(part.store.tasks())
        # An impossible task names its twin, so that it is another one where the twin has another id.
        for task in sorted(waiting, key=lambda task: bool(task.tags.twin)):
            twin = part.tasks.get(task.tags.twin, task.tags.twin)
            for name in _numbered_names(task.id, f"{prefix}.{task.id}"):
                named = replace(task, id=name, tags=replace(task.tags, twin=twin))
                if taken.setdefault(name, named) == named:
                    part.tasks[task.id] = name
                    part.records.append(named)
                    break
            if part.tasks[task.id] != task.id:
                conflicts.append(f"{task.id} ({part.name})")
    if conflicts and not rename:
        shown = ", ".join(conflicts[:_MOST_NAMED]) + (" …" if len(conflicts) > _MOST_NAMED else "")
        raise StoreError(
            f"{len(conflicts)} task ids stand for another task than in the studies before: {shown}; nothing was made. "
            "Merge studies of the same tasks, or keep both with `honestly study merge --rename`, the later as STUDY.ID"
        )


class _Trials:
    """Which trials there will be, and from which study each comes."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self.owner: dict[str, str] = {}
        """Name of the study by the trial's new id."""
        self.found = 0
        self.odd: list[Defect] = []
        self._content: dict[str, str] = {}
        self._attempts: dict[str, int] = {}
        for part in parts:
            self._take_part(part)
            if part.store.facts().stopping_rule:
                self._note_odd("stopping rule left out", part.name, "could stop early; merged, it is one of fixed size")
            if part.store.all_kept(object):
                self._note_odd("kept records left out", part.name, "queues, classifiers, views are about one study")

    def _take_part(self, part: _Part) -> None:
        trials = {
            trial.id: (_trial_content(trial), bool(trial.source), len(trial.earlier)) for trial in part.store.trials()
        }
        if any(foreign and self._content.get(name, said) != said for name, (said, foreign, _) in trials.items()):
            again = (name for name, (_, foreign, _) in trials.items() if foreign and name in self._content)
            part.trials = {name: digest("merge", part.name, name) for name in again}
        self.found += len(trials)
        for old, (said, _, attempts) in trials.items():
            name = part.trials.get(old, old)
            if name in self.owner and self._content[name] != said:
                self._note_odd(
                    "trial differs", part.name, f"{name}: the one with the most attempts is kept, or the first"
                )
                if attempts <= self._attempts[name]:
                    continue
            elif name in self.owner:
                continue
            self.owner[name], self._content[name], self._attempts[name] = part.name, said, attempts

    def same_trial(self, part: _Part, old: str) -> bool:
        """Whether what is said of a study's trial is said of the one that is kept."""
        name = part.trials.get(old, old)
        return self.owner[name] == part.name or self._content[name] == _trial_content(part.store.trial(old))

    def _note_odd(self, kind: str, where: str, detail: str) -> None:
        self.odd.append(Defect(kind=kind, where=where, detail=detail))


def _trial_content(trial: Trial) -> str:
    """The content of a trial, under whatever names."""
    return digest("content", replace(trial, id="", agent="", task="", sample=0, source=""))


def _merged_items(parts: Sequence[_Part], trials: _Trials, progress: Told) -> Iterator[Item]:
    following: dict[tuple[str, str], int] = defaultdict(int)
    done = 0
    for part in parts:
        yield from part.records
        for trial in part.store.trials():
            name = part.trials.get(trial.id, trial.id)
            if trials.owner[name] != part.name:
                continue
            agent, task = part.agents[trial.agent], part.tasks[trial.task]
            sample = max(trial.sample, following[agent, task])
            following[agent, task] = sample + 1
            made = replace(trial, id=name, agent=agent, task=task, sample=sample)
            if trial.source:
                made = replace(made, source=f"{part.name}/{trial.source}")
            artifacts = {each: part.store.artifact_pieces(trial.id, each) for each in part.store.artifacts(trial.id)}
            yield made, part.store.trajectory(trial.id), artifacts
            done += 1
            progress(part.name, done, len(trials.owner))
    for part in parts:
        for finding in part.store.findings():
            if trials.same_trial(part, finding.trial):
                yield replace(finding, trial=part.trials.get(finding.trial, finding.trial))
        for review in part.store.reviews():
            if trials.same_trial(part, review.trial):
                yield replace(review, trial=part.trials.get(review.trial, review.trial))
        yield from (replace(defect, where=f"{part.name}/{defect.where}") for defect in part.store.defects())


def _common_facts(parts: Sequence[_Part]) -> StudyFacts:
    """The facts that hold for all studies; the rest is not known of the whole."""
    each = [part.store.facts() for part in parts]
    merged = each[0]
    for facts in each[1:]:
        differing = [name for name in StudyFacts.__struct_fields__ if getattr(merged, name) != getattr(facts, name)]
        unknown = StudyFacts()
        # What is weakest anywhere holds for the whole, as it does from trial to trial of one study.
        weaker = StudyFacts(sandbox=merged.sandbox, sandbox_layers=merged.sandbox_layers)
        if facts.sandbox is not None:
            weaker = weaker.after(Isolation(kind=facts.sandbox, layers=facts.sandbox_layers), Conditions())
        errata = (*merged.errata, *(said for said in facts.errata if said not in merged.errata))
        ran = (*merged.ran, *(each for each in facts.ran if each not in merged.ran))
        sources = dict.fromkeys(filter(None, (merged.imported_from, facts.imported_from)))
        merged = replace(merged, **{name: getattr(unknown, name) for name in differing})
        merged = replace(
            merged,
            errata=errata,
            ran=ran,
            sandbox=weaker.sandbox,
            sandbox_layers=weaker.sandbox_layers,
            strict=any(known.strict for known in each),
            imported_from=" + ".join(sources) or None,
        )
    return replace(merged, stopping_rule=UNSET, attempts=None, question_order=None)
