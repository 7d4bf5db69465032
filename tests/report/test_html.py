"""The page: self-contained, escaped, well-formed, written whole."""

import re
from html.parser import HTMLParser

import pytest
from report_browser import dom
from report_fakes import HOSTILE, names
from report_studies import demo, study

from honestly.errors import HonestlyError
from honestly.leaderboards import html_report, leaderboard, render_html

pytestmark = pytest.mark.slow

VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}
STORABLE = tuple(name for name in HOSTILE if "\ud800" not in name)


class Page(HTMLParser):
    """Checks that tags are balanced, and collects what is in the page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def boards(tmp_path_factory, made, bench):
    folder = tmp_path_factory.mktemp("studies")
    return {
        "made": leaderboard(made),
        "hostile": leaderboard(demo(folder / "hostile", names=STORABLE, tasks=6, samples=2)),
        "forty": leaderboard(demo(folder / "forty", names=names(40), tasks=9, samples=2)),
        "empty": leaderboard(study(folder / "empty", [], [], [])),
        "bench": leaderboard(bench),
    }


CASES = ("made", "hostile", "forty", "empty", "bench")


@pytest.mark.parametrize("case", CASES)
def test_pages_are_balanced_and_load_nothing(boards, case):
    text = render_html(boards[case])
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "form", "a", "base"} & set(page.tags)
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in {"src", "href", "xlink:href", "srcset", "action", "style"}, (tag, name, value)
        assert name in {"title", "xmlns"} or "http" not in (value or ""), (tag, name, value)
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert styles
    assert not re.search(r"url\(|@import|http", "".join(styles))
    policy = next(v for t, n, v in page.attributes if t == "meta" and n == "content" and "default-src" in v)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_names_are_text(boards):
    text = render_html(boards["hostile"])
    assert "<script>alert" not in text
    assert "49{% raw %}" not in text
    assert not set(text) & {"\x1b", "\x00", "\x07", "\u202e", "\u200d"}
    seen = "".join(Page(text).text)
    for part in (
        "<script>alert(1)</script>",
        "{{ 7 * 7 }}{% raw %}",
        "]]>--><!--",
        "\\x1b[31m",
        "(no name)",
        "a&b\"c'd",
    ):
        assert part in seen


@pytest.mark.parametrize("case", CASES)
def test_pages_hold_claim_policy_and_every_agent(boards, case):
    board = boards[case]
    text = render_html(board)
    seen = " ".join("".join(Page(text).text).split())
    assert " ".join(board.sentence.split()) in seen
    assert board.policy.text in seen
    assert "What the words mean" in seen
    for warning in board.warnings:
        assert " ".join(warning.split()) in seen
    figures = {"made": 7, "hostile": 7, "forty": 7, "empty": 0, "bench": 6}
    assert text.count("<figure>") == text.count("<svg ") == figures[case]
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_many_pairs_are_cut_to_the_leader_and_neighbours(boards):
    text = render_html(boards["forty"])
    section = text.split("<h2>Paired differences</h2>")[1].split("</section>")[0]
    assert section.count("<tr>") == 1 + 39 + 38
    assert "--json has all of them" in section
    few = render_html(boards["made"]).split("<h2>Paired differences</h2>")[1].split("</section>")[0]
    assert few.count("<tr>") == 1 + 6


def test_pages_are_deterministic(boards):
    assert render_html(boards["made"]) == render_html(boards["made"])


def test_what_was_run_is_listed(boards):
    seen = " ".join("".join(Page(render_html(boards["made"])).text).split())
    assert "suite_hash" in seen
    assert "0" * 32 in seen
    assert re.search(r"reported by ?honestly", seen)


def test_a_page_is_written_whole_or_not_at_all(boards, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    assert html_report(boards["made"], path) == path
    assert path.read_text() == render_html(boards["made"])
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "folder").mkdir()
    with pytest.raises(HonestlyError, match="cannot write"):
        html_report(boards["made"], tmp_path / "folder")
    with pytest.raises(HonestlyError, match="expected a folder that exists"):
        html_report(boards["made"], tmp_path / "nowhere" / "report.html")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "report.html"]


def test_a_browser_reads_the_page_as_it_was_meant(boards, tmp_path):
    page = Page(dom(html_report(boards["hostile"], tmp_path / "report.html"), tmp_path))
    assert "script" not in page.tags
    assert page.tags.count("svg") == page.tags.count("figure") == 7
    assert page.tags.count("bdi") == render_html(boards["hostile"]).count("<bdi ")
