"""What the report estimates, measured in a real browser: widths of texts, and pages that fit a telephone.

The fonts are those of the machine. On one whose fonts are narrower than DejaVu Sans these tests say less, never more.
"""

import html
import json
import re

import pytest
from report_browser import dom
from report_fakes import HOSTILE, figures, names
from report_studies import demo

from honestly.leaderboards import leaderboard, render_html
from honestly.show import text_width

MEASURE = """
const found = [...document.querySelectorAll("svg text")].map(text => {
  const shown = [...text.childNodes].filter(part => part.nodeType == 3).map(part => part.data).join("");
  const bold = text.classList.contains("bold");
  return [shown, Number(text.getAttribute("font-size")), bold, text.getComputedTextLength()];
});
"""
FRAME = """
const frame = document.querySelector("iframe"), page = frame.contentDocument.documentElement;
frame.contentDocument.querySelectorAll("details").forEach(part => { part.open = true; });
const wide = [...frame.contentDocument.querySelectorAll("main > *, main > details > *")].filter(part => part.scrollWidth > part.clientWidth);
const found = [page.clientWidth, page.scrollWidth, wide.map(part => part.tagName)];
"""


def measured(folder, body, script):
    """What `script` finds in a page with `body`."""
    show = 'document.querySelector("output").textContent = JSON.stringify(found);'
    page = folder / "page.html"
    run = f"addEventListener('load', () => {{{script}{show}}});"
    page.write_text(f'<!doctype html><meta charset="utf-8"><script>{run}</script>{body}<output></output>')
    return json.loads(html.unescape(re.search(r"<output>(.*)</output>", dom(page, folder), re.DOTALL)[1]))


@pytest.mark.slow
@pytest.mark.parametrize("hostile", [False, True])
def test_no_text_is_wider_than_estimated(hostile, tmp_path):
    drawn = [figure.svg for figure in figures(16, hostile=hostile) + figures(40)]
    texts = measured(tmp_path, "".join(drawn).encode(errors="replace").decode(), MEASURE)
    assert len(texts) > 1000
    for shown, size, bold, width in texts:
        assert width <= text_width(shown, size, bold=bold) + 0.5, (shown, size, bold)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shown", [names(40), [name for name in HOSTILE if "\ud800" not in name]], ids=["40", "hostile"]
)
def test_pages_fit_a_telephone(shown, tmp_path):
    page = render_html(leaderboard(demo(tmp_path / "study", names=shown, tasks=6, samples=2)))
    frame = f'<iframe width="400" height="800" srcdoc="{html.escape(page)}"></iframe>'
    clients, needed, wide = measured(tmp_path, frame, FRAME)
    assert clients <= 400
    assert needed <= clients
    assert wide == []


EDGES = """
const page = document.querySelector("iframe").contentDocument;
const box = selector => page.querySelector(selector).getBoundingClientRect();
const hacks = [...page.querySelectorAll("td.hack")].filter(cell => cell.innerText.includes("%"));
const found = [box(".claim").bottom, Math.max(...hacks.map(cell => cell.getBoundingClientRect().right)), hacks.length];
"""


@pytest.mark.slow
def test_on_a_telephone_the_headline_and_the_cheaters_hacks_are_on_screen(tmp_path):
    page = render_html(leaderboard(demo(tmp_path / "study", tasks=6, samples=2)))
    frame = f'<iframe width="390" height="844" srcdoc="{html.escape(page)}"></iframe>'
    claim, hacks, count = measured(tmp_path, frame, EDGES)
    assert claim < 844 / 2
    assert count >= 2
    assert hacks <= 390
