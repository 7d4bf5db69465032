"""The list of studies in a real browser: what each holds; archived, deleted, and brought back."""

import shutil

import pytest

from honestly.store import open_study


@pytest.fixture
def two(demo_study, tmp_path):
    """Two studies in one folder, and one beside them that nobody gave to the viewer."""
    return [shutil.copy(demo_study, tmp_path / f"{name}.honestly") for name in ("one", "two", "other")][:2]


@pytest.mark.slow
def test_studies_are_archived_and_deleted_with_an_undo(two, viewer, open_page):
    folder = two[0].parent
    with viewer(*two) as view:
        page = open_page(view, "/")
        with open_study(two[0]) as store:
            trials, agents = len(store.trial_ids()), len(store.agents())
        row = page.locator("tr", has=page.get_by_role("link", name="one", exact=True))
        assert row.locator("td").all_inner_texts()[:2] == [str(trials), str(agents)]
        row.get_by_role("button", name="Archive").click()
        page.get_by_text("one is archived.").wait_for()
        assert [each.name for each in (folder / "archived").iterdir()] == ["one.honestly"]
        page.goto(view.url)
        page.get_by_role("button", name="Delete").click()
        page.get_by_text("No study is left here.").wait_for()
        assert not two[1].exists()
        page.locator("li", has_text="two").get_by_role("button", name="Undo").click()
        page.get_by_text("two is back.").wait_for()
        page.locator("li", has_text="one").get_by_role("button", name="Undo").click()
        page.get_by_text("one is back.").wait_for()
        assert all(path.exists() for path in two)
        assert not (folder / "archived").exists()
        page.get_by_role("link", name="two", exact=True).click()
        page.get_by_role("heading", name="two").wait_for()


def test_the_terminal_bench_study_comes_back_whole(terminal_bench, viewer, open_page, tmp_path):
    path = shutil.copy(terminal_bench, tmp_path / "tb.honestly")
    with viewer(path) as view:
        page = open_page(view, "trials")
        page.get_by_role("link", name="Studies").click()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("tb is back.").wait_for()
        page.get_by_role("link", name="tb", exact=True).click()
        page.get_by_role("link", name="Trials").click()
        page.locator("tbody tr").first.wait_for()


@pytest.mark.slow
def test_nothing_else_can_be_touched(two, viewer):
    other = two[0].with_name("other.honestly")
    with viewer(*two) as view, view.client() as client, view.client() as stranger:
        (key, _) = (study.key for study in view.library)
        for name in ("other.honestly", "..%2Fother.honestly", "%2Fetc%2Fpasswd", "0" * 10):
            for act in ("archive", "drop", "restore"):
                assert client.post(f"/s/{name}/{act}").status_code == 404
        assert client.post(f"/s/{key}/restore").status_code == 404, "it was not put away"
        assert client.get(f"/s/{key}/drop").status_code == 405
        del stranger.headers["x-csrf-token"]
        assert stranger.post(f"/s/{key}/drop").status_code == 403
        with open_study(two[0], "write"):
            assert client.post(f"/s/{key}/drop").status_code == 503, "somebody writes it"
        assert client.get(f"/s/{key}/trials").status_code == 200, "it is shown on"
        assert client.post(f"/s/{key}/drop").status_code == 200
        assert client.post(f"/s/{key}/drop").status_code == 404, "it is gone"
        shutil.copy(other, two[0])
        assert client.post(f"/s/{key}/restore").status_code == 404, "its place is taken"
        assert two[0].read_bytes() == other.read_bytes()
        assert key not in [study.key for study in view.library]
    assert other.exists()
