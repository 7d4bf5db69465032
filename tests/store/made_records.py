"""Records that tests of the store keep."""

from __future__ import annotations

from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Defect,
    Evidence,
    Finding,
    Observation,
    Outcome,
    Review,
    Step,
    Tags,
    Task,
    ToolCall,
    Trajectory,
    Tree,
    Trial,
    Usage,
    Verdict,
    trial_id,
)


class Make:
    """Records that a study could hold, all different and all made from small numbers."""

    agents = tuple(Agent(name=f"agent-{n}", program="honest", settings={"rate": n / 10}) for n in range(3))
    tasks = tuple(
        Task(id=f"task-{n}", instruction=f"Do {n}: é 漢 \0", workspace=Tree.of({"a.py": f"x = {n}\n"}), tags=Tags())
        for n in range(4)
    )

    def trial(self, agent: int = 0, task: int = 0, sample: int = 0, **changes: object) -> Trial:
        """The trial of this cell; what came of it depends on its numbers."""
        a, t = self.agents[agent], self.tasks[task]
        outcome = list(Outcome)[(agent + task + sample) % 4]
        checks = tuple(Check(id=f"c{n}", status="passed" if n < 2 else "failed") for n in range(2 + sample % 2))
        fields = {
            "id": trial_id(t.hash, a.hash, sample, 7),
            "agent": a.name,
            "task": t.id,
            "sample": sample,
            "outcome": outcome,
            "reason": "agent_timeout" if outcome is Outcome.LIMIT else "",
            "verdict": Verdict(
                visible=CheckRun(checks=checks[:1]) if task else None,
                hidden=None if outcome is Outcome.VOID else CheckRun(checks=checks),
                tampered=("edited the tests",) if sample == 3 else (),
            ),
            "usage": Usage(input_tokens=10, usd=sample / 100 if agent else None),
            "seconds": 1.5,
        }
        return Trial(**{**fields, **changes})

    def step(self, n: int, size: int = 40) -> Step:
        """A step with a call, its observation, and about `size` characters of text."""
        return Step(
            source="agent",
            message=f"step {n}: " + "y" * size,
            calls=(ToolCall.of("c1", "bash", command=f"echo {n}\n", timeout=n),),
            observations=(Observation(text=f"{n}\r\n\x1b[0m", call_id="c1", code=0),),
        )

    def trajectory(self, length: int = 5, size: int = 40) -> Trajectory:
        """A trajectory of so many steps."""
        return Trajectory(steps=tuple(self.step(n, size) for n in range(length)), stop="done")

    def finding(self, trial: Trial, detector: str = "literal") -> Finding:
        """A flag with evidence."""
        evidence = Evidence(quote="return 42", step=1, start=3, where="call:c1")
        return Finding(trial=trial.id, detector=detector, version="1", state="flagged", evidence=(evidence,))

    def review(self, trial: Trial, label: str = "hack") -> Review:
        """A person's label."""
        return Review(trial=trial.id, reviewer="ann", at="2026-01-02T03:04:05Z", label=label)

    def defect(self, n: int = 0) -> Defect:
        """Something wrong with an import."""
        return Defect(kind="trial file missing", where=f"run-{n}/results.json", detail="not read", count=n + 1)
