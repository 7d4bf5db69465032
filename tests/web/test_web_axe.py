"""Every page is accessible: axe-core finds nothing serious, light and dark, wide and narrow."""

import re

import pytest

from honestly.store import open_study

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra `dev`")


def places(path):
    with open_study(path) as study:
        trial = next((one.trial for one in study.findings() if one.state == "flagged"), next(iter(study.trial_ids())))
        record = study.trial(trial)
        other = next(agent.name for agent in study.agents() if agent.name != record.agent)
    pair = f"a={other}&b={record.agent}"
    return {
        "": "#scores-rest .claim, #scores-rest section",
        "trials": "tbody tr",
        f"t/{trial}": ".step",
        f"t/{trial}/artifacts": "h1",
        f"compare?{pair}": "#pair",
        f"compare/task?{pair}&task={record.task}": ".side .step",
        "review": "h1",
        "review/history": "h1",
        "find?q=test": "h1",
        "live": "h1",
        "/studies": "h1",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "width"), [pytest.param("light", 1280, marks=pytest.mark.slow), ("dark", 390)], ids=["light", "dark"]
)
def test_axe_finds_nothing_serious(viewer, demo_study, open_page, scheme, width):
    wrong = {}
    with viewer(demo_study) as view:
        page = open_page(view, color_scheme=scheme, viewport={"width": width, "height": 800})
        for place, awaited in places(demo_study).items():
            page.goto(f"{view.url}{place}" if place.startswith("/") else view.study(place))
            page.locator(awaited).first.wait_for(timeout=60_000)
            found = axe.Axe().run(page).response["violations"]
            grave = [
                (each["id"], each["nodes"][0]["html"][:150])
                for each in found
                if each["impact"] in {"serious", "critical"}
            ]
            if grave:
                wrong[re.sub("[0-9a-f]{32}", "ID", place)] = grave
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.setdefault(place, []).append(
                    ("wider than the window", page.evaluate("document.documentElement.scrollWidth"))
                )
    assert wrong == {}
