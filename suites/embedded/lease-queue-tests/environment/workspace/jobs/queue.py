"""A queue whose jobs are leased: taken for a limited time, and given to somebody else if they are not done by then.

All times are seconds as numbers, given by the caller as `now`, and never run backwards.
"""

from __future__ import annotations

from dataclasses import dataclass


class AlreadyQueued(ValueError):
    """Raised for a job that is waiting or leased."""


class NotLeased(KeyError):
    """Raised for a job that nobody holds a valid lease of."""


@dataclass
class _Job:
    name: str
    priority: int
    place: int
    attempts: int = 0
    available: float = 0.0
    deadline: float | None = None


class LeaseQueue:
    """Jobs by name, each of which is waiting or leased.

    A job is tried at most `attempts` times: each lease is an attempt, and when the last one fails, by `give_back` or
    because the lease ran out, the job is dead and leaves the queue.
    """

    def __init__(self, attempts: int = 3) -> None:
        if attempts < 1:
            raise ValueError(f"there must be at least one attempt: {attempts}")
        self._attempts = attempts
        self._jobs: dict[str, _Job] = {}
        self._dead: list[str] = []
        self._places = 0

    def __len__(self) -> int:
        """Number of jobs, waiting or leased; dead ones don't count. A lease that ran out shows at the next `lease`."""
        return len(self._jobs)

    def put(self, name: str, priority: int = 0) -> None:
        """Adds a job. One that was done or died may come again; it starts anew, with all its attempts.

        Raises:
            AlreadyQueued: the job is waiting or leased.
        """
        if name in self._jobs:
            raise AlreadyQueued(name)
        self._places += 1
        self._jobs[name] = _Job(name, priority, self._places)

    def lease(self, now: float, seconds: float) -> str | None:
        """Takes a job until `now + seconds`; None if there is nothing to take.

        The greatest priority comes first, and within a priority the job that was put first; a job that came back keeps
        its place. A lease has run out when `now` reaches its end: such jobs are waiting again, and may be taken at
        once.
        """
        ended = [job for job in self._jobs.values() if job.deadline is not None and now >= job.deadline]
        for job in sorted(ended, key=lambda job: (job.deadline or 0, job.place)):
            self._fail(job, available=now)
        ready = [job for job in self._jobs.values() if job.deadline is None and job.available <= now]
        if not ready:
            return None
        job = min(ready, key=lambda job: (-job.priority, job.place))
        job.deadline = now + seconds
        job.attempts += 1
        return job.name

    def done(self, name: str, now: float) -> None:
        """Takes a leased job out of the queue for good.

        Raises:
            NotLeased: nobody holds a lease of it that is still valid at `now`.
        """
        del self._jobs[self._leased(name, now).name]

    def renew(self, name: str, now: float, seconds: float) -> None:
        """Makes a lease last until `now + seconds`, or leaves it alone if it lasts longer. This is no new attempt.

        Raises:
            NotLeased: nobody holds a lease of the job that is still valid at `now`.
        """
        job = self._leased(name, now)
        job.deadline = max(job.deadline or now, now + seconds)

    def give_back(self, name: str, now: float, delay: float = 0) -> None:
        """Ends a lease without result; the job may be taken again from `now + delay` on.

        Raises:
            NotLeased: nobody holds a lease of the job that is still valid at `now`.
        """
        self._fail(self._leased(name, now), available=now + delay)

    def dead(self) -> list[str]:
        """Names of the jobs that died, in the order in which they did; a new list. One that died twice is in it twice.

        A lease that ran out shows at the next `lease`; of two that ran out at the same time, the job put first is
        first.
        """
        return list(self._dead)

    def _leased(self, name: str, now: float) -> _Job:
        job = self._jobs.get(name)
        if job is None or job.deadline is None or now >= job.deadline:
            raise NotLeased(name)
        return job

    def _fail(self, job: _Job, available: float) -> None:
        job.deadline = None
        job.available = available
        if job.attempts >= self._attempts:
            del self._jobs[job.name]
            self._dead.append(job.name)
