"""The list of trials in a real browser: filtered, sorted, kept as a view, taken out as a file, walked along."""

import csv
import io
import json
import shutil

import pytest

import honestly
from honestly.errors import StoreError
from honestly.people._labels import CODEBOOK_VERSION
from honestly.records import Review
from honestly.store import open_study
from honestly.trials import trial_table
from honestly.web import Library
from honestly.web._listing import is_one_of, where_condition
from honestly.web._lists import TrialList
from sampled import sampled

HOSTILE = "<script>document.title='owned'</script>\u202e"


@pytest.fixture
def demo(demo_study, tmp_path):
    """A copy of the demo study, which may be changed."""
    return shutil.copy(demo_study, tmp_path / "demo.honestly")


@pytest.mark.parametrize(
    "condition",
    [
        *("outcome=FAILED", "outcome!=passed", "seconds>0.01", "seconds<=0.01", "hidden=no", "hidden!=yes", "visible=pass"),
        *("reason~a", "reason!~a", "usd=none", "score=none", "checks>=0.5", "checks<1", "tokens=none", "sample=1"),
        *("agent~HON", "hidden~n", "task=split-bill", "attempts=1", "why=none", "reason=none"),
    ],
)  # fmt: skip
def test_a_condition_means_what_it_means_to_show(demo_study, condition):
    library = Library([demo_study])
    (study,) = library
    with open_study(demo_study) as store:
        expected = {row.id for row in trial_table(store, "x").where(condition)}
    assert study.listing().ids([where_condition(condition)]) == expected
    library.close()


def test_facets_count_what_choosing_them_gives(demo):
    library = Library([demo])
    (study,) = library
    trials = sorted(study.store.trial_ids())
    with study.writing() as store:
        for who, label in (("a", "hack"), ("b", "honest")):
            said = {"reviewer": who, "label": label, "at": "2026-01-01T00:00:00Z", "codebook": CODEBOOK_VERSION}
            store.add([Review(trial=trials[0], **said)])
    listing = study.listing()
    assert listing.ids([is_one_of("label", ["honest"])]) == {trials[0]}, "a trial may have several values"
    for column in ("agent", "label", "detector", "finding", "severity", "honest", "variant", "setting", "category"):
        found = listing.facets(column)
        assert found
        for value, count in found:
            assert listing.count([is_one_of(column, [value])]) == count, (column, value)
    with pytest.raises(StoreError, match="did you mean"):
        listing.facets("labels")
    library.close()


def test_a_list_is_in_its_address():
    asked = TrialList.read("agent=a&agent=&where=seconds%3E60&sort=-usd&col=agent&col=nothing&x=1&where=")
    assert asked == TrialList((("agent", "a"), ("agent", "")), ("seconds>60",), "-usd", ("agent",))
    assert TrialList.read(asked.text) == asked
    assert asked.toggled("agent", "a").chosen == (("agent", ""),)
    assert TrialList().text == ""


@pytest.mark.parametrize("which", sampled(["terminal_bench", "demo_study"]))
def test_people_filter_sort_choose_columns_and_download(which, request, viewer, open_page):
    path = request.getfixturevalue(which)
    rows = honestly.open(path).trials()
    with viewer(path) as view:
        page = open_page(view, "trials")
        page.get_by_text(f"{len(rows):,} trials").wait_for()
        page.locator("summary", has_text="outcome").click()
        page.locator(".values a", has_text="failed").click()
        failed = rows.only_of(outcomes=["failed"])
        page.get_by_text(f"{len(failed):,} of {len(rows):,} trials").wait_for()
        page.wait_for_load_state()  # keys act once the page's script runs
        page.keyboard.press("/")
        page.keyboard.type("sample=0")
        page.keyboard.press("Enter")
        first = failed.where("sample=0").sorted("-seconds")
        page.get_by_text(f"{len(first):,} of {len(rows):,} trials").wait_for()
        page.get_by_role("link", name="seconds", exact=True).click()
        page.get_by_role("link", name="seconds ▲").click()
        page.locator("th[aria-sort=descending]").wait_for()
        page.locator("summary", has_text="Columns").click()
        page.get_by_label("model", exact=True).check()
        page.get_by_role("button", name="Show these").click()
        page.locator("thead", has_text="model").wait_for()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="CSV").click()
        table = list(csv.DictReader(io.StringIO(waiting.value.path().read_text())))
        assert [row["id"] for row in table] == [row.id for row in first]
        assert "model" in table[0]
        with page.expect_download() as waiting:
            page.get_by_role("link", name="JSON").click()
        assert [row["id"] for row in json.loads(waiting.value.path().read_text())] == [row.id for row in first]
        page.get_by_label("Only where").fill("nonsense")
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("is not a condition").wait_for()


@pytest.mark.slow
def test_a_list_is_kept_by_name_with_a_link_and_a_way_back(demo, viewer, open_page):
    with viewer(demo) as view:
        page = open_page(view, "trials?outcome=failed&sort=-seconds")
        page.get_by_label("Name of the view").fill(f"slow {HOSTILE}")
        page.get_by_role("button", name="Save view").click()
        page.get_by_role("status").get_by_text("Saved as slow").wait_for()
        page.get_by_label("Name of the view").fill("slow")
        page.get_by_role("button", name="Rename").click()
        page.get_by_role("link", name="slow", exact=True).wait_for()
        link = page.get_by_role("link", name="slow", exact=True).get_attribute("href")
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("link", name="slow <script>").wait_for()
        page.get_by_role("button", name="Delete").click()
        page.get_by_text("Deleted slow").wait_for()
        assert page.locator(f"a[href='{link}']").count() == 0
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("is back").wait_for()
        page.goto(view.url + link)
        page.locator("th[aria-sort=descending]").wait_for()
        page.get_by_role("link", name="outcome: failed").wait_for()
        assert "owned" not in page.title()


def test_the_walk_follows_the_list(demo_study, viewer):
    with viewer(demo_study) as view, view.client() as client:
        asked = TrialList.read("outcome=failed&sort=-seconds")
        (study,) = view.library
        study.listing()
        ids = [row["id"] for row in study.listing().rows(asked.conditions(), asked.order)]
        for at, trial in enumerate(ids, 1):
            page = client.get(view.study(f"t/{trial}/walk"), params={"list": asked.text, "raw": "1", "step": "3"}).text
            assert f">{at} of {len(ids)}<" in page
            for near in ids[max(at - 2, 0) : at - 1] + ids[at : at + 1]:
                assert f"t/{near}?list=outcome%3Dfailed%26sort%3D-seconds&amp;raw=1&#34;" in page.replace('"', "&#34;")
        passed = study.listing().rows([is_one_of("outcome", ["passed"])])[0]["id"]
        assert "not in the list" in client.get(view.study(f"t/{passed}/walk"), params={"list": asked.text}).text


@pytest.mark.slow
@pytest.mark.parametrize("which", ["demo_study", "terminal_bench"])
def test_arrow_keys_walk_along_the_list_and_what_is_open_stays_open(which, request, viewer, open_page):
    with viewer(request.getfixturevalue(which)) as view:
        (study,) = view.library
        asked = TrialList.read("outcome=failed&sort=-seconds")
        listing = study.listing()
        ids = [row["id"] for row in listing.rows(asked.conditions(), asked.order)]
        total = listing.count(asked.conditions())
        page = open_page(view, f"trials?{asked.text}")
        page.get_by_role("link", name="2", exact=True).click()
        page.get_by_text(f"2 of {total:,}", exact=True).wait_for()
        asked_for = page.locator("details.asked")
        asked_for.locator("summary").click()
        page.wait_for_load_state()
        page.keyboard.press("ArrowRight")
        page.get_by_text(f"3 of {total:,}", exact=True).wait_for()
        assert f"/t/{ids[2]}?" in page.url
        page.locator("details.asked[open]").wait_for()
        for at in (2, 1):
            page.wait_for_load_state()
            page.keyboard.press("ArrowLeft")
            page.get_by_text(f"{at} of {total:,}", exact=True).wait_for()
        page.keyboard.press("ArrowLeft")
        page.get_by_text(f"1 of {total:,}", exact=True).click()
        page.get_by_role("link", name="outcome: failed").wait_for()
