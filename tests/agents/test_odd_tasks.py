"""Known-truth agents on tasks whose files are not text, executable, links, badly named, or only to be deleted."""

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import make_agent
from honestly.records import Edit, File, Suite, Tree
from honestly.runner import Plan, run_attempt
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite

TASK = load_suite("embedded", only=["split-bill"]).tasks[0]
ODD = Tree(
    files={
        "data.bin": File(data=b"\xff\x00\xfe"),
        "bin/run": File(data=b"#!/bin/sh\n", mode="exec"),
        "links/here": File(data=b"../data.bin", mode="link"),
    }
)
STRAY = "it's stray.txt"


def changed(spec, reference, sample=0):
    """What an agent changed in a task with this reference, and why it stopped."""
    task = replace(
        TASK,
        workspace=Tree.of({STRAY: b"\xff"}).over(TASK.workspace),
        hidden=replace(TASK.hidden, reference=reference, wrong=()),
    )
    suite = Suite(name="odd", version="1", tasks=(task,))
    planned = Plan(suite, [make_agent(spec, suite)], sample + 1).trials[sample]
    result = anyio.run(run_attempt, planned, open_sandbox)
    return result.final, result.trajectory.stop


def test_the_reference_is_applied_whatever_its_files_are():
    reference = Edit(write=ODD, delete=(STRAY,))
    assert changed("oracle", reference) == (reference, "done")


@pytest.mark.slow
@pytest.mark.parametrize("reference", [Edit(delete=(STRAY,)), Edit(write=ODD)])
def test_what_was_begun_is_taken_back_whatever_it_is(reference):
    assert changed("honest:easy=0,medium=0,hard=0", reference) == (Edit(), "done")
