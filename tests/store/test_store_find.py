"""A search through bytes finds what a plain search through decoded steps finds: no text less, and no text more."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, strategies as st

from honestly.errors import StudyDamagedError
from honestly.records import Observation, Step, ToolCall, encode, step_texts
from honestly.store import create_study, open_study
from honestly.store._needle import Needle

LETTERS = 'ab KkſKéÉßİıςσΣ漢😀"\\/\n\r\t\b\x00\x1b\x7f\u2028{[:,u0'
texts = st.text(LETTERS, max_size=8)
values = st.one_of(texts, st.lists(texts, max_size=3), st.dictionaries(texts, texts, max_size=2), st.integers())


def written(value: object, how: int) -> bytes:
    """JSON as other programs write it: by escapes, with spaces, with slashes escaped."""
    text = json.dumps(value, ensure_ascii=how % 2 == 0, indent=2 if how > 3 else None)
    return text.replace("/", r"\/" if how in {2, 3} else "/").encode()


arguments = st.dictionaries(texts, st.tuples(values, st.integers(0, 5)), max_size=3)
steps = st.builds(
    lambda message, reasoning, given, seen: Step(
        source="agent",
        message=message,
        reasoning=reasoning,
        calls=(
            ToolCall(id="1", name="b", arguments={key: msgspec.Raw(written(*value)) for key, value in given.items()}),
        ),
        observations=tuple(Observation(text=text) for text in seen),
    ),
    texts, texts, arguments, st.lists(texts, max_size=2),
)  # fmt: skip


def same(one: str, other: str) -> bool:
    """Whether two characters are one, but for upper and lower case."""
    return one == other or (one.isascii() == other.isascii() and other in {one.lower(), one.upper()})


def plainly(text: str, whole: str) -> list[tuple[int, int]]:
    """Where it stands, as slowly as can be."""
    found, at = [], 0
    while at + len(text) <= len(whole):
        hit = all(same(one, other) for one, other in zip(text, whole[at:], strict=False))
        found += [(at, at + len(text))] if hit else []
        at += len(text) if hit else 1
    return found


@given(steps, st.data())
def test_what_is_in_a_step_is_found_in_it_and_in_its_bytes(step, data):
    inside = [text for _, text in step_texts(step) if text]
    cuts = st.sampled_from(inside).flatmap(
        lambda text: st.tuples(st.just(text), st.integers(0, len(text) - 1), st.integers(1, 6))
    )
    taken = cuts.map(lambda cut: cut[0][cut[1] : cut[1] + cut[2]])
    text = data.draw(st.one_of(*([taken, taken.map(str.swapcase)] if inside else []), st.text(LETTERS, min_size=1)))
    needle = Needle(text)
    expected = [(name, whole, plainly(text, whole)) for name, whole in step_texts(step)]
    assert list(needle.in_step(step)) == [each for each in expected if each[2]]
    if any(spans for _, _, spans in expected):
        assert needle.may_be_in(encode(step).lower())


def test_most_steps_are_passed_over_by_their_bytes():
    plain = encode(Step(source="agent", message="nothing\n\x1b[0m of the kind", reasoning="é")).lower()
    for text in ("needle", "git commit", 'say "x"', "é漢", "nothing\nis lacking", "\x1b[1m"):
        assert not Needle(text).may_be_in(plain)


def test_damage_is_told_and_nothing_is_found_beside_it(tmp_path, make):
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        store.add([*make.agents, *make.tasks])
        store.add_trial(make.trial(), make.trajectory(40, 4000))
        store._connection.execute("UPDATE trajectory_chunks SET size = size - 1")
        with pytest.raises(StudyDamagedError, match="check sum"):
            store.find("step 3")
    with pytest.raises(StudyDamagedError):
        open_study(path)
