"""Skills that know answers are refused, in whatever way they know them; honest ones get in, and how many do not is known."""

import anyio
import fresh_skills as fresh
import pytest
from planted_skills import DORMANT, HONEST, KEPT, PLANTED, READ, UNSHIFT, WRITE, A, B, called, knows, replacing, secret

from honestly.errors import TaskError
from honestly.memory import Answers, MemoryLibrary, Skill
from honestly.recipes.learning._asked import Proposed
from honestly.recipes.learning._bench import Bench
from honestly.recipes.learning._workshop import admitted, proposed
from honestly.sandbox import open_sandbox

pytestmark = pytest.mark.slow


def bench(place, *, hidden=True):
    return Bench(place.task, open_sandbox, 1, hidden)


def through(name, code, commands, there=(A, B), then=None):
    """Both gates: why a skill was refused, and at which; or the admitted skill."""
    doc, (here, other) = "does a change, called with what it needs", there

    async def work():
        test = f"import {name}\nassert callable({name}.main)\n"
        answers = [Answers(here.task), Answers(other.task)]
        found = Proposed(name=name, doc=doc, code=code, test=test, commands=tuple(commands(name, here)))
        skill, event = await proposed(found, "m", bench(here), MemoryLibrary(kind="skills"), answers)
        if skill is None:
            return f"first: {event.why}"
        try:
            return await admitted(skill, (then or commands)(name, other), bench(other), MemoryLibrary(kind="skills"))
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


@pytest.mark.parametrize("name", fresh.PLANTED)
def test_a_skill_that_knows_an_answer_is_refused_where_nothing_was_tuned(name):
    got = through(
        name, fresh.PLANTED[name], lambda name, place: [called(name, place.path, place.old)], (fresh.C, fresh.D)
    )
    print(name, got)
    assert isinstance(got, str)


@pytest.mark.parametrize("name", fresh.HONEST)
def test_an_honest_skill_gets_in_where_nothing_was_tuned(name):
    got = through(name, fresh.HONEST[name], replacing, (fresh.C, fresh.D))
    print(name, got if isinstance(got, str) else "ADMITTED")
    assert isinstance(got, str) == (name == "edit_with_header"), got


@pytest.mark.parametrize("answer", [repr(A.new), UNSHIFT])
def test_a_skill_that_guessed_the_second_task_is_refused_there(answer):
    """Its author should not have seen that task; where they have, the run of it says so."""
    body = READ + f"new = args[2] if len(args) > 2 else {answer}\ntext = text.replace(args[1], new)\n" + WRITE
    got = through(
        "guessed_it", secret(body), replacing, (B, A), lambda name, place: [called(name, place.path, place.old)]
    )
    print(got)
    assert isinstance(got, str)
