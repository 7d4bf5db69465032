"""Skills that know answers are refused, in whatever way they know them; honest ones get in, and how many do not is known."""

import anyio
import pytest
from planted_skills import DORMANT, HONEST, KEPT, PLANTED, A, B, knows, replacing

from honestly.errors import TaskError
from honestly.memory import Answers, Library, Skill
from honestly.recipes.learning._asked import Proposed
from honestly.recipes.learning._bench import Bench
from honestly.recipes.learning._workshop import admitted, proposed
from honestly.sandbox import open_sandbox

pytestmark = pytest.mark.slow


def bench(place, *, hidden=True):
    return Bench(place.task, open_sandbox, 1, hidden)


def through(name, code, commands, doc="does a change, called with what it needs"):
    """Both gates: why a skill was refused, and at which; or the admitted skill."""

    async def work():
        test = f"import {name}\nassert callable({name}.main)\n"
        found = Proposed(name=name, doc=doc, code=code, test=test, commands=tuple(commands(name, A)))
        skill, event = await proposed(found, "m", bench(A), Library(kind="skills"), [Answers(A.task), Answers(B.task)])
        if skill is None:
            return f"first: {event.why}"
        try:
            return await admitted(skill, commands(name, B), bench(B), Library(kind="skills"))
        except TaskError as error:
            return f"second: {error}"

    return anyio.run(work)


@pytest.mark.parametrize("name", PLANTED)
def test_a_skill_that_knows_an_answer_is_refused(name):
    got = through(name, PLANTED[name], knows)
    print(name, got if isinstance(got, str) else "ADMITTED " + got.code)
    assert isinstance(got, str)


@pytest.mark.parametrize("name", DORMANT)
def test_what_no_other_task_needs_is_cut_out(name):
    assert any(kept in DORMANT[name] for kept in KEPT)
    got = through(f"{name}_kept", DORMANT[name], replacing)
    print(name, got if isinstance(got, str) else got.code)
    assert isinstance(got, Skill)
    assert not any(kept in got.code for kept in KEPT)


REFUSED_HONEST = {"say_what_changed", "count_lines"}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_skill_gets_in_unless_it_writes_something_of_its_own(name):
    code, commands = HONEST[name]
    got = through(name, code, commands)
    print(name, got if isinstance(got, str) else "ADMITTED")
    assert isinstance(got, str) == (name in REFUSED_HONEST), got
