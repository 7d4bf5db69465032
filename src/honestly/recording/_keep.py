"""A recording put into a study: a trial of an agent called `person` that nobody has judged."""

from datetime import UTC, datetime
from pathlib import Path

from honestly.recording._journal import Recording
from honestly.records import Agent, Isolation, Outcome, Task, Trial, digest, encode
from honestly.store import create_study, open_study

CAST = "session.cast"
"""Name of the artifact that an asciicast player plays."""
FINAL = "final.json"


def keep_recording(recording: Recording, out: Path, *, person: str = "person") -> str:
    """Add a recording to a study (created if necessary), and return the trial's id.

    Raises:
        StoreError: the study cannot be written.
    """
    begun = datetime.fromtimestamp(recording.begun, UTC)
    trajectory = recording.trajectory()
    where = "browser" if recording.actions else "terminal"
    said = str(recording.head.get("task") or "") or f"What a person did in a {where}."
    stem = f"recording-{begun:%Y%m%d-%H%M%S}"
    agent = Agent(name=person, program="person")
    times = [event[0] for event in recording.events] + [action.at for action in recording.actions]
    seconds = max(times, default=0.0)
    store = open_study(out, "write") if out.exists() else create_study(out)
    with store:
        taken = {task.id for task in store.tasks()}
        name = next(each for n in range(len(taken) + 1) if (each := stem + (f"-{n}" if n else "")) not in taken)
        task = Task(id=name, instruction=said, workspace=recording.start)
        trial = Trial(
            id=digest("recording", name, person, trajectory),
            agent=person,
            task=name,
            sample=0,
            outcome=Outcome.VOID,
            reason="not judged",
            started_at=begun.isoformat(timespec="milliseconds"),
            seconds=round(seconds, 3),
            agent_seconds=round(seconds, 3),
            isolation=Isolation(),
        )
        artifacts = {FINAL: encode(recording.final), **({CAST: recording.cast()} if recording.events else {})}
        store.add([agent, task])
        store.add_trial(trial, trajectory, artifacts)
    return trial.id
