"""Directories of other programs, opened in a browser as they are: their trials are listed, and a step is read."""

import shutil

import pytest
from web_studies import SHARED

from honestly.store import open_study
from honestly.studies import study_of

PLACES = {
    "data/formats/inspect_eval": ("*.eval", 18),
    "data/formats/harbor/jobs": ("GPT-5.5/**/*.json", 20),
    "data/formats/swe_agent_traj": ("*.traj", 16),
    "data/formats/agent_sessions": ("*.jsonl*", 19),
}
"""What is taken of each folder, and how many files or trials there are at least."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """What imports a folder once into a cache of its own."""
    made = {}

    def study(place):
        if not (SHARED / place).is_dir():
            pytest.skip(f"needs {place} in ../shared, beside the repository")
        if place not in made:
            folder = tmp_path_factory.mktemp("real") / place.rpartition("/")[2]
            folder.mkdir()
            for path in (SHARED / place).glob(PLACES[place][0]):
                target = folder / path.relative_to(SHARED / place)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
                made[place] = study_of(folder)
        return made[place]

    return study


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_results_of_other_programs_open_as_they_are(place, opened, viewer, open_page):
    path = opened(place)
    with open_study(path) as store:
        trials = [trial for trial in store.trials() if next(store.steps(trial.id), None) is not None]
        assert len(trials) >= min(PLACES[place][1], 16)
        words = next(step.message.split()[0] for step in store.steps(trials[0].id) if step.message.split())
    with viewer(path) as view:
        page = open_page(view, "trials")
        page.locator("tbody tr").first.wait_for()
        page = open_page(view, f"t/{trials[0].id}")
        page.locator(".step").first.wait_for()
        assert words.strip("#*_`<>\"'")[:12] in page.locator("main").inner_text()
        page.keyboard.press("j")
        page.locator(".step.now").wait_for()
