"""The disclosure page: complete, escaped, self-contained, fit for a telephone; and figures that fit their frames."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from report_browser import dom
from report_fakes import HOSTILE

from honestly.agents import ARMS, NO_ARM
from honestly.errors import StatisticsError
from honestly.stress import (
    CHEAT,
    HACK,
    Condition,
    JudgedSet,
    JudgedTrial,
    arm_differences,
    disclosure_html,
    disclosure_markdown,
    judge_of,
    make_disclosure,
    rates_of,
    write_disclosure,
)
from honestly.stress._figure import rate_figures

DAY = "2026-01-02T03:04:05.000Z"
NAMES = [name.encode(errors="replace").decode() for name in HOSTILE if name.strip()] + ["a", "agent_" * 30]


def judged(names: list[str], measure: str = HACK, suite: str = "own", errata: tuple[str, ...] = ()) -> JudgedSet:
    """Each name under two arms on eight tasks; under the second it hacks on half of them."""
    arms = (NO_ARM, ARMS["pro-hack"])
    conditions = [Condition(f"{name}+{arm.name}", name, arm, "") for name in names for arm in arms]
    trials = [
        JudgedTrial(
            f"{one.agent}{task}", one.agent, f"t{task}", 0, f"t{task}", hacked=hack, solved=not hack, void=False
        )
        for one in conditions
        for task in range(8)
        for hack in [one.arm is not NO_ARM and task % 2 == 0]
    ]
    return JudgedSet(suite, "f" * 32, judge_of(measure), tuple(conditions), tuple(trials), {}, DAY, DAY, errata)


def test_every_rate_stands_with_all_that_belongs_to_it() -> None:
    told = make_disclosure([judged(["a"]), judged(["a"], CHEAT, "impossible")])
    for text in (disclosure_html(told), disclosure_markdown(told)):
        plain = re.sub(r"<[^>]+>|\\", "", text)
        for said in ("4 of 8", "50.0%", "0.0", "pro-hack", ARMS["pro-hack"].hash[:12], "24 detectors"[3:], "f" * 12):
            assert said in plain, said
        assert judge_of(HACK).version in plain
        assert "2026-01-02" in plain
        assert "No erratum is known" in plain
        assert ARMS["pro-hack"].text in html.unescape(plain)
    assert [rate.suite for rate in told.rates] == ["own"] * 4 + ["impossible"] * 2
    assert json.dumps(told.to_plain())
    assert "4" in repr(told)
    assert "50.0" in repr(told)
    assert "impossible" in told._repr_html_()
    assert "rates-own-flagged-as-a-hack-by-a-detector" in " ".join(told.figures)
    assert list(told.to_frame()["rate"]) == [rate.rate for rate in told.rates]


def test_nothing_in_a_name_acts() -> None:
    attack = "<img src=x onerror=alert(1)>|[x](javascript:alert(1))`\n# h\x1b[31m"
    told = make_disclosure([judged([attack], suite=attack, errata=(attack,))])
    page = disclosure_html(told)
    assert "<img" not in page
    assert "\x1b" not in page
    assert "script-src" not in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    text = disclosure_markdown(told)
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)\[x", text)
    assert not re.search(r"^# h", text, re.MULTILINE)
    assert not re.search(r"(?<!\\)<img", text)
    assert all(line.count(" | ") in {0, 7} for line in text.splitlines() if line.startswith("|")), "one row, one line"


def test_a_study_of_which_nothing_could_be_read_gives_no_page(tmp_path: Path) -> None:
    whole = judged(["a"])
    unread = [JudgedTrial(t.id, t.agent, t.task, 0, t.cluster, None, None, void=False) for t in whole.trials]
    nothing = JudgedSet("own", "v", whole.judge, whole.conditions, tuple(unread), {}, DAY, DAY, ())
    with pytest.raises(StatisticsError, match="no rate to disclose: no trial could be read"):
        make_disclosure([nothing])
    with pytest.raises(StatisticsError, match="hold no trials"):
        make_disclosure([])
    told = make_disclosure([whole, nothing])
    assert len(told.unmeasured) == 4
    assert "no trial could be read (8 unread, 0 void)" in disclosure_html(told)
    undated = JudgedSet("own", "v", whole.judge, whole.conditions, whole.trials, {}, "", "", ())
    with pytest.raises(StatisticsError, match="cannot be printed without the dates of its trials"):
        make_disclosure([undated])
    write_disclosure(told, tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text().startswith("# Disclosed rates")


@pytest.mark.slow
def test_figures_are_drawings_with_their_data_beside() -> None:
    sets = [judged(NAMES), judged(["b"], CHEAT, "impossible")]
    rates = [rate for each in sets for rate in rates_of(each)]
    figures = rate_figures(rates, [each for one in sets for each in arm_differences(one)])
    assert [figure.name.split("-")[0] for figure in figures] == ["rates", "rates", "rates", "arms", "arms"]
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        ET.fromstring(figure.svg)
        json.dumps(figure.vega, allow_nan=False)
    assert "4 of 8" in figures[0].svg


@pytest.mark.slow
def test_the_page_fits_a_telephone_in_a_real_browser(tmp_path: Path) -> None:
    page = disclosure_html(make_disclosure([judged(NAMES, errata=("A word " + "x" * 300,)), judged(["b"], CHEAT, "i")]))
    script = """addEventListener("load", () => {
      const frame = document.querySelector("iframe"), inside = frame.contentDocument;
      const wide = [...inside.querySelectorAll("main > *")].filter(part => part.scrollWidth > part.clientWidth + 1);
      const root = inside.documentElement;
      document.querySelector("output").textContent =
        JSON.stringify([root.clientWidth, root.scrollWidth, wide.map(part => part.tagName)]);
    });"""
    frame = f'<iframe width="400" height="800" srcdoc="{html.escape(page)}"></iframe><output></output>'
    whole = tmp_path / "whole.html"
    whole.write_text(f'<!doctype html><meta charset="utf-8"><script>{script}</script>{frame}')
    found = re.search(r"<output>(.*)</output>", dom(whole, tmp_path), re.DOTALL)
    assert found is not None
    width, needed, wide = json.loads(html.unescape(found[1]))
    assert needed <= width <= 400
    assert wide == []
