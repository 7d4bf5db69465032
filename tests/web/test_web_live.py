"""A running trial in a real browser: its steps appear, and when its process is gone nothing pretends to run."""

import pytest

from honestly.records import Observation, Step, ToolCall
from honestly.runner._written_steps import written_steps
from honestly.store import Running, create_study, live_trials, open_study, unfinished_folder

HOSTILE = "<script>document.title='owned'</script>\u202e\x1b[2J"
RUNNING = Running(id="a" * 32, agent="slow", task=f"task {HOSTILE}", sample=0, started_at="2026-01-01T00:00:00Z")


@pytest.mark.slow
def test_steps_appear_as_they_happen_and_no_ghost_stays(tmp_path, viewer, open_page):
    path = tmp_path / "s.honestly"
    create_study(path).close()
    with viewer(path) as view:
        trial = written_steps(unfinished_folder(path), RUNNING)
        steps = trial.__enter__()
        steps.append(Step(source="agent", message=f"first {HOSTILE}", calls=(ToolCall.of("1", "bash", command="ls"),)))
        page = open_page(view, "live")
        page.get_by_role("link", name="slow").click()
        page.get_by_text("first <script>").wait_for()
        steps.append(Step(source="agent", message="second"))
        page.get_by_text("second").wait_for()
        steps[0] = Step(source="agent", message="first", observations=(Observation(text="a result", call_id="1"),))
        page.get_by_text("a result").wait_for()
        assert page.locator("article").count() == 2
        assert "owned" not in page.title().replace("<script>", "") or "<script>" in page.title()
        trial.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
        page.get_by_text("ending").wait_for()
        assert live_trials(path) == []
        page.goto(view.study("live"))
        page.get_by_text("No trial of this study runs now").wait_for()


def test_what_a_trial_left_is_shown_without_rights(demo_study, viewer):
    with viewer(demo_study) as view, view.client() as client, open_study(demo_study) as study:
        trial = min(study.trial_ids())
        at = view.study(f"t/{trial}/")
        assert "final.json" in client.get(f"{at}artifacts").text
        assert client.get(f"{at}artifact?name=final.json").status_code == 200
        sealed = client.get(f"{at}sealed?name=final.json").headers["content-security-policy"]
        assert sealed.startswith("sandbox; default-src 'none'")
        assert "attachment" in client.get(f"{at}download?name=final.json").headers["content-disposition"]
        for place in ("artifact", "download", "picture", "sealed"):
            assert client.get(f"{at}{place}?name=../../etc/passwd").status_code == 404
        assert client.get(f"{at}picture?name=final.json").status_code == 404
