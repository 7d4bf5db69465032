"""A queue of jobs for several workers."""

from jobs.queue import AlreadyQueued, LeaseQueue, NotLeased

__all__ = ["AlreadyQueued", "LeaseQueue", "NotLeased"]
