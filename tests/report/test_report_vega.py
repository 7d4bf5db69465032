"""The Vega-Lite beside every figure: plain JSON whose encodings point at its data, in the order and words of the drawing."""

import math

import msgspec
import numpy as np
import pytest
from report_fakes import HOSTILE, POLICIES, figures, names

from honestly.leaderboards import heatmap_figure, noise_stack, policy_ranks
from honestly.show import printable_text_line
from honestly.show.drawing import LIGHT

MARKS = {"bar", "line", "point", "rect", "rule", "text"}
TYPES = {"nominal", "ordinal", "quantitative"}
CHANNELS = {"x", "y", "x2", "y2", "color", "fill", "text", "detail", "facet"}
NO_DATA = {("differences", 1)}


def views(specification):
    """Every part of a specification that has a mark, with the encodings and transforms that it inherits."""

    def walk(part, encoding, transform):
        encoding = {**encoding, **part.get("encoding", {})}
        transform = [*transform, *part.get("transform", [])]
        if "mark" in part:
            yield part["mark"], encoding, transform
        for inner in (*part.get("layer", []), *([part["spec"]] if "spec" in part else [])):
            yield from walk(inner, encoding, transform)

    return list(walk(specification, {}, []))


@pytest.mark.parametrize("count", [1, 2, 9, 40])
@pytest.mark.parametrize("samples", [1, 5])
def test_specifications_are_json_whose_encodings_point_at_their_data(count, samples):
    for figure in figures(count, samples=samples):
        plain = msgspec.json.decode(msgspec.json.encode(figure.vega))
        assert plain["$schema"].endswith("vega-lite/v5.json")
        assert plain["title"]["text"] == figure.title
        assert plain["description"] == figure.caption
        assert "NaN" not in str(plain)
        rows = plain["data"]["values"]
        assert rows or (figure.name, count) in NO_DATA
        known = {field for row in rows for field in row}
        drawn = views(plain)
        assert drawn
        if "facet" in plain:
            assert plain["facet"]["field"] in known
        for mark, encoding, transform in drawn:
            assert (mark if isinstance(mark, str) else mark["type"]) in MARKS
            assert set(encoding) <= CHANNELS
            fields = known | {step["as"] for step in transform if "as" in step}
            for name, channel in encoding.items():
                assert rows == [] or channel.get("field", next(iter(fields))) in fields, (figure.name, name)
                assert name in {"x2", "y2"} or "datum" in channel or channel["type"] in TYPES


def test_agents_stand_in_the_order_of_the_drawing():
    for figure in figures(9):
        for _, encoding, _ in views(figure.vega):
            if encoding["y"]["type"] == "nominal":  # which Vega-Lite sorts by name unless it is told an order
                axis = encoding["y"]
                assert "domain" in axis.get("scale", {}) or axis.get("sort", "by name") != "by name", figure.name


def test_hostile_names_are_told_apart():
    for figure in figures(16, hostile=True):
        if figure.name != "differences":
            assert {row["agent"] for row in figure.vega["data"]["values"]} == {
                printable_text_line(name) for name in HOSTILE
            }


def test_cells_without_a_sample_show_a_layer_of_their_own():
    figure = heatmap_figure(["a", "b"], ["q", "r"], np.array([[1.0, math.nan], [0.0, 1.0]]))
    assert figure.vega["layer"][0] == {"mark": {"type": "rect", "color": "#efd2b7"}}


def test_variances_are_given_as_estimated_and_drawn_from_nought():
    figure = noise_stack(["a"], [-0.01], [0.05], [0.04])
    assert [row["variance"] for row in figure.vega["data"]["values"]] == [-0.01, 0.05]
    assert figure.vega["transform"] == [{"calculate": "max(0, datum.variance)", "as": "drawn"}]
    assert figure.vega["encoding"]["color"]["scale"]["range"] == [LIGHT["honest"], LIGHT["visible"]]


def test_ranks_have_the_names_of_the_agents_at_both_ends():
    shown = names(3)
    figure = policy_ranks(shown, POLICIES, [[0.9, 0.5, 0.4], [0.9, 0.5, 0.6], [0.9, 0.5, 0.6], [0.9, 0.4, 0.5]])
    layers = [layer for layer in figure.vega["layer"] if layer["mark"]["type"] == "text"]
    ends = [layer["transform"][0]["filter"]["equal"] for layer in layers]
    assert ends == [POLICIES[0], POLICIES[-1]]
    assert {row["agent"]: row["moves"] for row in figure.vega["data"]["values"]} == dict(
        zip(shown, (False, True, True), strict=True)
    )
