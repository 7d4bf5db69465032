"""One attempt in two files: a trajectory with the patch that it left, and the prediction of this patch.

A verdict is that of an instance and a patch, whoever wrote it. So a trajectory that nobody judged has the verdict of
the same patch. Predictions of one model, most of which are patches of one agent's trajectories, are that agent's: each
is one trial, and one without a trajectory is that agent's, too. The others are of somebody else. A report without a
patch, in the folder of a trajectory's run or below it, is that trajectory's if no other agent's lies there.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from honestly.records import Agent, Outcome, Trial, digest

_PATCH = "patch.diff"


class Attempts:
    """Predictions by instance and patch, and the trajectories that left the same patches."""

    def __init__(self, note: Callable[[str, str, str], None]) -> None:
        """`note` gets the kind of a defect, its place and its detail."""
        self._note = note
        self._predicted: dict[tuple[str, str], list[tuple[Agent, Trial]]] = defaultdict(list)
        self._below: dict[tuple[str, str], list[tuple[Agent, Trial]]] = defaultdict(list)
        """Verdicts without a patch by instance, and by each folder above their file."""
        self._patched: dict[str, set[str]] = defaultdict(set)
        """Tasks with a patch, by the hash of whoever predicted it."""
        self._matched: dict[str, Counter[str]] = defaultdict(Counter)
        self._agents: dict[str, Agent] = {}
        self._tasks: dict[str, set[str]] = defaultdict(set)
        self._owners: dict[str, Agent | None] = {}
        self._dropped: Counter[tuple[str, str]] = Counter()
        self._places: dict[tuple[str, str], str] = {}

    def add_prediction(self, agent: Agent, task: str, trial: Trial, artifacts: Mapping[str, object]) -> None:
        """Takes in a prediction, and what came of it."""
        patch = _digest_of(artifacts)
        self._predicted[task, patch].append((agent, trial))
        if patch:
            self._patched[agent.hash].add(task)
            return
        folder = trial.source.partition("#")[0]
        while folder:
            folder = folder.rpartition("/")[0]
            self._below[task, folder].append((agent, trial))

    def judged(self, agent: Agent, task: str, trial: Trial, artifacts: Mapping[str, object]) -> Trial:
        """A trajectory's trial, with the verdict of its patch where it has none."""
        patch = _digest_of(artifacts)
        self._tasks[agent.hash].add(task)
        self._agents[agent.hash] = agent
        # Without a patch the name alone says whose it is.
        same = [each for each in self._predicted[task, patch] if patch or each[0].model in {agent.name, agent.model}]
        is_same = bool(patch)
        own = trial.source.partition("#")[0].partition(":")[0].rpartition("/")[0]
        if not same and own:
            beside = self._below[task, own] or self._below[task, own.rpartition("/")[0]]
            same = beside if len({other.hash for other, _ in beside}) == 1 else []
            is_same = True
        for hashed in {other.hash for other, _ in same if is_same}:
            self._matched[hashed][agent.hash] += 1
        verdicts = {said.outcome: said for _, said in same if said.outcome is not Outcome.VOID}
        if trial.outcome is not Outcome.VOID or len(verdicts) != 1:
            return trial
        (said,) = verdicts.values()
        return replace(trial, outcome=said.outcome, reason=said.reason, score=said.score, verdict=said.verdict)

    def own_agent(self, agent: Agent, task: str, trial: Trial) -> Agent | None:
        """Whose a prediction is; None if its trajectory is a trial already. Asked once all trajectories are read."""
        if agent.hash not in self._owners:
            hashed, count = next(iter(self._matched[agent.hash].most_common(1)), ("", 0))
            shared = len(self._patched[agent.hash] & self._tasks[hashed]) if hashed else 0
            self._owners[agent.hash] = self._agents[hashed] if 2 * count > shared else None
        owner = self._owners[agent.hash]
        if owner is None or task not in self._tasks[owner.hash]:
            return owner or agent
        self._dropped[agent.name, owner.name] += 1
        self._places.setdefault((agent.name, owner.name), trial.source)
        return None

    def note_dropped(self) -> None:
        """Says which predictions are trials already."""
        for (name, owner), count in self._dropped.items():
            detail = f"{count} of {name} are what {owner} did: one trial each"
            self._note("prediction of a trajectory", self._places[name, owner], detail)


def _digest_of(artifacts: Mapping[str, object]) -> str:
    patch = artifacts.get(_PATCH)
    return digest(patch.strip().hex()) if isinstance(patch, bytes) and patch.strip() else ""
