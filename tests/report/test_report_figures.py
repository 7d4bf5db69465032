"""Every figure: well-formed, deterministic, hostile names harmless, and no label over another or over the edge.

Widths of texts are the report's own estimates here; `test_report_browser.py` holds these against a real browser.
"""

import math
import re
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from report_fakes import HOSTILE, POLICIES, Arrays, figures, names

from honestly.errors import HonestlyError
from honestly.leaderboards import (
    difference_matrix,
    forest_figure,
    heatmap_figure,
    noise_stack,
    pass_curves,
    policy_ranks,
    visible_honest,
)
from honestly.show import printable_text_line, text_width, write_figures
from honestly.show.drawing import LIGHT, SMALL, Canvas, nice_ticks
from honestly.show.drawing._svg import DARK

SVG = "{http://www.w3.org/2000/svg}"
LONG = [f"organisation/program-with-a-long-name-{i}/model-with-a-date-2025-08-{i:02d}" for i in range(40)]
CASES = [
    {"count": 1},
    {"count": 2},
    {"count": 3},
    {"count": 9},
    {"count": 40},
    {"count": 16, "hostile": True},
    {"count": 9, "samples": 1},
    {"count": 4, "questions": 3},
    {"count": 3, "questions": 1000},
    {"count": 2, "questions": 2, "samples": 2},
    {"count": 5, "questions": 2, "samples": 12},
    {"count": 9, "shown": LONG[:9]},
    {"count": 40, "shown": LONG},
    {"count": 9, "shown": list("abcdefghi")},
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(str(v)[:9] for v in case.values()))


def texts(figure):
    """Everything that is written in a figure."""
    return ["".join(filter(None, (t.text, *(c.tail for c in t)))) for t in written(figure)]


def written(figure):
    return ElementTree.fromstring(figure.svg).iter(f"{SVG}text")


def labels(root):
    """Box (left, top, right, bottom) and text of every label."""
    for text in root.iter(f"{SVG}text"):
        shown = "".join(part for part in (text.text, *(child.tail for child in text)) if part)
        size = float(text.get("font-size"))
        wide = text_width(shown, size, bold="bold" in text.get("class"))
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
    svg = forest_figure(["x" * 120 + "end", "b"], [0.5, 0.4], [0.4, 0.3], [0.6, 0.5]).svg
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


def test_nothing_to_draw_is_said():
    none = np.empty((0, 0))
    empty = [
        forest_figure([], [], [], []),
        visible_honest(["a"], [math.nan], [0.5]),
        difference_matrix(["a"], [[math.nan]], [[math.nan]], [[math.nan]]),
        noise_stack([], [], [], []),
        heatmap_figure([], [], none),
        pass_curves(["a"], [[0.5]], [[0.5]]),
        policy_ranks(["a"], POLICIES, [[0.5]] * 4),
    ]
    for figure in empty:
        text = "".join(ElementTree.fromstring(figure.svg).itertext())
        assert re.search(r"There are no|No trial|need at least two", text), figure.name


def test_what_cannot_be_estimated_is_not_drawn_as_zero():
    nan = math.nan
    svg = forest_figure(["known", "unknown"], [0.5, nan], [0.4, nan], [0.6, nan]).svg
    assert svg.count("<circle") == 1
    assert "not estimable" in svg
    single = noise_stack(["a"], [nan], [nan], [0.2]).svg
    assert "needs 2+ samples" in single
    holes = heatmap_figure(["a", "b"], ["q", "r"], np.array([[1.0, nan], [0.0, 1.0]])).svg
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
    strong = [t.text for t in written(figure) if t.text in {"a", "b", "c"} and "f-ink" in t.get("class")]
    assert sorted(strong) == ["b", "b", "c", "c"]  # at the left, and again at the right
    assert texts(figure).count("a") == 1
    assert {"changes places", "keeps its place"} <= set(texts(figure))
    still = policy_ranks(["a", "b"], ["x", "y"], [[0.9, 0.5], [0.9, 0.6]])
    assert "changes places" not in texts(still)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("shown", [["a", "b"], ["20250923_droid_claude-4-1-opus", "20250829_goose_claude-4-sonnet"]])
def test_policies_and_names_that_have_room_are_shown_whole(count, shown):
    policies = ["declared", *POLICIES[1:], "failed"][:count]
    figure = policy_ranks(shown, policies, [[0.9, 0.5], *[[0.5, 0.9]] * (count - 1)])
    assert {"void and missing trials are", *shown, *policies} <= set(texts(figure))


def test_a_text_with_exactly_its_room_is_shown_whole():
    canvas = Canvas(500, 50, "title", "description")
    name = "20250902_orchestrator_qwen-3-coder-480B"
    for size in (SMALL, 13):
        for bold in (False, True):
            canvas.text((0, 20), name, room=text_width(name, size, bold=bold), size=size, bold=bold)
    assert "…" not in canvas.render()


def test_many_questions_are_averaged_in_groups_and_it_is_said():
    figure = heatmap_figure(["a", "b"], [f"q{i}" for i in range(1000)], np.tile([[1.0], [0.0]], (1, 1000)))
    assert "4 questions per column" in figure.svg
    assert len(figure.vega["data"]["values"]) == 2000


def test_figures_are_written_beside_their_specifications(tmp_path):
    written = write_figures(figures(2)[:1], tmp_path / "new" / "folder")
    assert sorted(path.name for path in written) == ["forest.svg", "forest.vl.json"]
    assert ElementTree.parse(written[0]).getroot().tag == f"{SVG}svg"
    assert msgspec.json.decode(written[1].read_bytes())["title"]
    (tmp_path / "file").write_text("")
    with pytest.raises(HonestlyError, match=r"cannot write .*file: File exists"):
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
    assert shown == {printable_text_line(name) for name in HOSTILE}


def test_a_difference_that_is_shown_as_none_takes_no_side():
    nan = math.nan
    figure = difference_matrix(["a", "b"], [[nan, 1e-16], [-1e-16, nan]], [[1.0, 1.0]] * 2, [[1.0, 1.0]] * 2)
    shaded = [path.get("class") for path in ElementTree.fromstring(figure.svg).iter(f"{SVG}path")]
    assert shaded == ["f-track"]
    unknown = difference_matrix(["a", "b"], [[nan] * 2] * 2, [[1.0, 1.0]] * 2, [[1.0, 1.0]] * 2)
    assert [path.get("class") for path in ElementTree.fromstring(unknown.svg).iter(f"{SVG}path")] == ["f-track"]


def test_the_largest_difference_is_in_the_legend():
    nan = math.nan
    figure = difference_matrix(["a", "b"], [[nan, 0.415], [-0.415, nan]], [[0.01] * 2] * 2, [[0.01] * 2] * 2)
    assert {"column is ahead, −41.5", "+41.5, row is ahead"} <= set(texts(figure))


def luminance(colour):
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """The contrast ratio of WCAG 2.2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(colour):
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_and_marks_stand_out_from_what_lies_behind_them(palette):
    surface = rgb(palette["surface"])
    for name, least in {"ink": 4.5, "muted": 4.5, "honest": 3, "visible": 3, "third": 3}.items():
        assert contrast(rgb(palette[name]), surface) >= least, name
    a = Arrays(9)
    matrix = difference_matrix(names(9), a.difference.tolist(), a.p.tolist(), a.holm.tolist())
    cells = {
        (p.get("class"), p.get("fill-opacity", "1")) for p in ElementTree.fromstring(matrix.svg).iter(f"{SVG}path")
    }
    assert len(cells) > 8
    for colour, opacity in cells:
        share = float(opacity)
        behind = [share * c + (1 - share) * s for c, s in zip(rgb(palette[colour[2:]]), surface, strict=True)]
        assert contrast(rgb(palette["ink"]), behind) >= 4.5, (colour, opacity)


def test_axes_of_variance_have_distinct_ticks_and_hold_every_bar():
    figure = noise_stack(["a", "b"], [0.004, -0.01], [0.002, 0.021], [0.006, 0.011])
    ticks = [t for t in texts(figure) if re.fullmatch(r"0(\.\d+)?", t)]
    assert len(set(ticks)) == len(ticks) >= 3
    root = ElementTree.fromstring(figure.svg)
    last = max(float(line.get("x1")) for line in root.iter(f"{SVG}line"))
    assert all(float(bar.get("x", 0)) + float(bar.get("width")) <= last for bar in list(root.iter(f"{SVG}rect"))[1:])


def test_legends_hold_only_what_is_drawn():
    nan = math.nan
    single, split = noise_stack(["a"], [nan], [nan], [0.2]), noise_stack(["a"], [0.1], [0.1], [0.2])
    assert "both, not separable" in texts(single)
    assert "data (questions differ)" not in texts(single)
    assert "both, not separable" not in texts(split)
    assert "no sample counted" not in texts(heatmap_figure(["a"], ["q", "r"], np.array([[1.0, 0.0]])))


def test_ends_of_few_questions_are_named_in_full():
    figure = heatmap_figure(
        ["a", "b"], ["first-question", "second", "third-question"], np.array([[1.0, 0.5, 0], [1, 0.5, 0]])
    )
    assert {"← easier: first-question", "harder: third-question →", "3 questions"} <= set(texts(figure))
    assert {"only-one", "1 question"} <= set(texts(heatmap_figure(["a"], ["only-one"], np.array([[0.5]]))))


@pytest.mark.parametrize("longest", [2, 5, 8, 10, 12, 38])
def test_axes_of_pass_curves_name_both_ends(longest):
    curve = [[0.5] * longest]
    assert {"k = 1", str(longest)} <= set(texts(pass_curves(["a"], curve, curve)))


def test_panels_without_a_curve_say_so():
    nan = math.nan
    assert "too few samples" in texts(pass_curves(["a", "b"], [[0.5, 0.6], [nan, nan]], [[0.5, 0.4], [nan, nan]]))


def test_tall_figures_have_their_axis_at_both_ends_and_lines_after_every_fifth_row():
    tall, short = figures(40), figures(9)
    assert texts(tall[0]).count("100%") == 2
    assert texts(short[0]).count("100%") == 1
    across = [x for x in ElementTree.fromstring(tall[0].svg).iter(f"{SVG}line") if x.get("x1") == "14"]
    assert len(across) == 7


def test_paper_is_light_whatever_the_theme():
    style = ElementTree.fromstring(figures(2)[0].svg).find(f"{SVG}style").text
    rule = re.search(r"@media print\{([^{]*)\{([^}]*)\}", style)
    assert "[data-theme] .hf" in rule[1]
    assert f"--hf-surface:{LIGHT['surface']}" in rule[2]
    assert style.index("@media print") > style.index('[data-theme="dark"]')
