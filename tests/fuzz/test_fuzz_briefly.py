"""The fuzz targets of `make fuzz`, briefly: over their seeds, over broken seeds, and with atheris where it is there."""

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

FUZZ = Path(__file__).parents[2] / "fuzz"
TARGETS = ("wire", "rows", "tasks", "patch", "images")


def target(name):
    sys.path.insert(0, str(FUZZ))
    try:
        return import_module(f"{name}_target")
    finally:
        sys.path.remove(str(FUZZ))


def broken(seeds, tokens):
    """Seeds with some places cut, repeated or replaced."""
    cuts = st.tuples(st.floats(0, 1), st.integers(0, 9), st.one_of(st.sampled_from(tokens), st.binary(max_size=3)))

    def made(seed, changes):
        for place, count, new in changes:
            at = int(place * len(seed))
            seed = seed[:at] + new + seed[at + count :]
        return seed

    return st.builds(made, st.sampled_from(seeds), st.lists(cuts, max_size=4))


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_what_is_made_of_them(name):
    module = target(name)
    for seed in module.SEEDS:
        module.one(seed)

    @settings(max_examples=60, deadline=None)
    @given(st.one_of(broken(module.SEEDS, module.TOKENS), st.binary()))
    def run(data):
        module.one(data)

    run()


@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: make fuzz installs it")
@pytest.mark.parametrize("name", TARGETS)
def test_a_thousand_inputs_of_atheris(name, tmp_path):
    words = [sys.executable, FUZZ / "run.py", name, "-runs=1000", "-seed=1"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert list(tmp_path.iterdir()) == []
