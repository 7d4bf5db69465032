"""A stored answer of `honestly credit` on the page of its trial."""

import pytest

from conftest import viewing
from honestly.people import CreditReport, FatalSearch, credited_steps
from honestly.people._cli._credit import _keep_for_viewer
from honestly.records import Agent, Outcome, Step, Task, Trial
from honestly.store import create_study


@pytest.mark.slow
def test_the_page_of_a_trial_shows_what_each_step_was_worth(tmp_path):
    trial, study = "d" * 32, tmp_path / "s.honestly"
    with create_study(study) as store:
        store.add([Agent(name="a"), Task(id="t", instruction="Do.")])
        store.add_trial(
            Trial(id=trial, agent="a", task="t", sample=0, outcome=Outcome.FAILED),
            iter([Step(source="agent", message="x")]),
        )
    search = FatalSearch(2)
    search.add(0, success=True)
    for _ in range(40):
        search.add(1, success=False)
    steps = credited_steps(search, (-1, 7), ("bash <rm> keep.txt",))
    _keep_for_viewer(study, CreditReport(trial, 0.95, 0.2, 41, True, search.fatal.in_steps((-1, 7)), steps))
    with viewing(study) as view, view.client() as client:
        page = client.get(view.study(f"t/{trial}")).text
    assert "It was lost in step 7" in page
    assert "bash &lt;rm&gt; keep.txt" in page
    assert "<td>7</td>" in page
    assert "-100" in page
