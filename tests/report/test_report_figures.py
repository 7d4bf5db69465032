"""Every figure: well-formed, deterministic, hostile names harmless, and no label over another or over the edge."""

import math
import re
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from report_fakes import HOSTILE, Arrays, names

from honestly.errors import HonestlyError
from honestly.report import (
    difference_matrix,
    forest,
    heatmap,
    noise_stack,
    pass_curves,
    policy_ranks,
    visible_honest,
    write_figures,
)
from honestly.report._svg import nice_ticks
from honestly.report._text import printable, text_width

SVG = "{http://www.w3.org/2000/svg}"
POLICIES = ["declared: failed", "left out", "passed"]


def figures(count, hostile=False, **options):
    a, shown = Arrays(count, **options), names(count, hostile)
    ranks = [f"{max(i - 2, 1)}–{min(i + 3, count)}" for i in range(count)]
    return [
        forest(shown, a.score, a.low, a.high, ranks),
        forest(shown, a.score, a.low, a.high),
        visible_honest(shown, a.visible, a.score),
        difference_matrix(shown, a.difference.tolist(), a.p.tolist(), a.holm.tolist()),
        noise_stack(shown, a.data, a.prediction, a.total),
        heatmap(shown, a.questions, a.means),
        pass_curves(shown, a.at.tolist(), a.hat.tolist()),
        policy_ranks(shown, POLICIES, a.policies.tolist()),
    ]


CASES = [
    {"count": 1},
    {"count": 2},
    {"count": 9},
    {"count": 40},
    {"count": 16, "hostile": True},
    {"count": 9, "samples": 1},
    {"count": 3, "questions": 1000},
    {"count": 2, "questions": 2, "samples": 2},
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))


def labels(root):
    """Box (left, top, right, bottom) and text of every label."""
    for text in root.iter(f"{SVG}text"):
        shown = "".join(part for part in (text.text, *(child.tail for child in text)) if part)
        size = float(text.get("font-size"))
        wide = text_width(shown, size) * (1.12 if "bold" in text.get("class") else 1)
        x, y = float(text.get("x")), float(text.get("y"))
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor")]
        yield (left, y - 0.78 * size, left + wide, y + 0.22 * size), shown


@each_case
def test_drawings_are_well_formed_and_labelled(case):
    for figure in figures(**case):
        root = ElementTree.fromstring(figure.svg)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]
        assert title.text
        assert description.text
        assert figure.caption
        assert not re.search(r"nan|inf\b|None", re.sub(r"<(text|title|desc|style)[^>]*>.*?</\1>", "", figure.svg))


@each_case
def test_no_label_lies_over_another_or_over_the_edge(case):
    for figure in figures(**case):
        root = ElementTree.fromstring(figure.svg)
        width, height = (float(root.get(side)) for side in ("width", "height"))
        boxes = list(labels(root))
        for box, text in boxes:
            assert box[0] >= -0.5, (figure.name, text)
            assert box[2] <= width + 0.5, (figure.name, text)
            assert box[1] >= 0, (figure.name, text)
            assert box[3] <= height, (figure.name, text)
        boxes.sort()
        for i, (one, text) in enumerate(boxes):
            for other, beside in boxes[i + 1 :]:
                if other[0] > one[2]:
                    break
                apart = one[3] <= other[1] + 0.6 or other[3] <= one[1] + 0.6 or one[2] <= other[0] + 0.6
                assert apart, (figure.name, text, beside)


def test_long_names_are_shortened_and_told_in_full():
    svg = forest(["x" * 120 + "end", "b"], [0.5, 0.4], [0.4, 0.3], [0.6, 0.5]).svg
    root = ElementTree.fromstring(svg)
    shown = next(text for text in root.iter(f"{SVG}text") if "…" in "".join(text.itertext()))
    assert shown.find(f"{SVG}title").text == "x" * 120 + "end"


def test_hostile_names_stay_text():
    for figure in figures(16, hostile=True):
        tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(figure.svg).iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "line", "circle", "path", "text"}
        assert "\x1b" not in figure.svg
        assert "\u202e" not in figure.svg
        figure.svg.encode()


def test_drawings_are_deterministic_and_ids_differ_between_figures():
    first, second = figures(9), figures(9)
    assert [figure.svg for figure in first] == [figure.svg for figure in second]
    ids = [re.findall(r' id="([^"]+)"', figure.svg) for figure in first]
    assert len({i for pair in ids for i in pair}) == 2 * len(first)


def test_both_themes_are_in_every_drawing():
    for figure in figures(2):
        assert "prefers-color-scheme:dark" in figure.svg
        assert '[data-theme="dark"] .hf' in ElementTree.fromstring(figure.svg).find(f"{SVG}style").text
        assert "http" not in figure.svg.replace("http://www.w3.org/2000/svg", "")


@each_case
def test_vega_specifications_hold_their_data_as_json(case):
    for figure in figures(**case):
        plain = msgspec.json.decode(msgspec.json.encode(figure.vega))
        assert plain["$schema"].endswith("vega-lite/v5.json")
        assert plain["data"]["values"] or (case["count"], figure.name) == (1, "differences")
        assert "NaN" not in str(plain)
        assert {"mark", "layer", "spec"} & set(plain)


def test_nothing_to_draw_is_said():
    none = np.empty((0, 0))
    empty = [
        forest([], [], [], []),
        visible_honest(["a"], [math.nan], [0.5]),
        difference_matrix(["a"], [[math.nan]], [[math.nan]], [[math.nan]]),
        noise_stack([], [], [], []),
        heatmap([], [], none),
        pass_curves(["a"], [[0.5]], [[0.5]]),
        policy_ranks(["a"], POLICIES, [[0.5]] * 3),
    ]
    for figure in empty:
        text = "".join(ElementTree.fromstring(figure.svg).itertext())
        assert re.search(r"There are no|No trial|need at least two", text), figure.name


def test_what_cannot_be_estimated_is_not_drawn_as_zero():
    nan = math.nan
    svg = forest(["known", "unknown"], [0.5, nan], [0.4, nan], [0.6, nan]).svg
    assert svg.count("<circle") == 1
    assert "not estimable" in svg
    single = noise_stack(["a"], [nan], [nan], [0.2]).svg
    assert "needs 2+ samples" in single
    holes = heatmap(["a", "b"], ["q", "r"], np.array([[1.0, nan], [0.0, 1.0]])).svg
    assert 'class="f-visible" fill-opacity="0.35"' in holes


def test_the_cheat_stands_first_by_visible_score_and_its_fall_is_shown():
    figure = visible_honest(["honest", "cheat"], [0.6, 0.97], [0.6, 0.1])
    rows = figure.vega["data"]["values"]
    assert [row["agent"] for row in rows] == ["cheat", "honest"]
    assert (rows[0]["visible_rank"], rows[0]["honest_rank"]) == (1, 2)
    assert "1 → 2" in figure.svg
    assert "−87.0" in figure.svg


def test_marks_of_the_matrix_follow_the_p_values():
    nan = math.nan
    p = [[nan, 0.001, 0.03], [0.001, nan, 0.5], [0.03, 0.5, nan]]
    holm = [[nan, 0.003, 0.06], [0.003, nan, 0.5], [0.06, 0.5, nan]]
    difference = [[nan, 0.3, 0.2], [-0.3, nan, -0.1], [-0.2, 0.1, nan]]
    values = difference_matrix(["a", "b", "c"], difference, p, holm).vega["data"]["values"]
    assert {(v["a"], v["b"]): v["significant"] for v in values if v["a"] < v["b"]} == {
        ("a", "b"): "holm",
        ("a", "c"): "uncorrected",
        ("b", "c"): "no",
    }


def test_only_agents_that_change_places_are_marked_as_moving():
    figure = policy_ranks(["a", "b", "c"], ["x", "y"], [[0.9, 0.5, 0.4], [0.9, 0.5, 0.6]])
    moving = {
        "".join(text.itertext()).strip()
        for text in ElementTree.fromstring(figure.svg).iter(f"{SVG}text")
        if "bold" in text.get("class") and text.get("font-size") == "13"
    }
    assert moving == {"b", "c"}


def test_many_questions_are_averaged_in_groups_and_it_is_said():
    figure = heatmap(["a", "b"], [f"q{i}" for i in range(1000)], np.tile([[1.0], [0.0]], (1, 1000)))
    assert "4 questions per column" in figure.svg
    assert len(figure.vega["data"]["values"]) == 2000


def test_figures_are_written_beside_their_specifications(tmp_path):
    written = write_figures(figures(2)[:1], tmp_path / "new" / "folder")
    assert sorted(path.name for path in written) == ["forest.svg", "forest.vl.json"]
    assert ElementTree.parse(written[0]).getroot().tag == f"{SVG}svg"
    assert msgspec.json.decode(written[1].read_bytes())["title"]
    (tmp_path / "file").write_text("")
    with pytest.raises(HonestlyError, match="cannot make the directory"):
        write_figures([], tmp_path / "file")


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.31, 0.47), (0, 0.0021), (0.5, 0.5), (0, 37)])
def test_ticks_are_round_and_cover_the_data(low, high):
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 9
    steps = np.diff(ticks)
    assert np.allclose(steps, steps[0])


def test_hostile_names_are_told_apart_in_specifications():
    shown = {row["agent"] for row in figures(16, hostile=True)[0].vega["data"]["values"]}
    assert shown == {printable(name) for name in HOSTILE}
