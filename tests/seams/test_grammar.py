"""The grammar of what is named: there and back, all that was accepted until now, and refusals that help."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from honestly.agents import AGENTS
from honestly.audit import DETECTOR_SEAM
from honestly.errors import AgentError, HonestlyError
from honestly.formats import EXPORTERS, IMPORTERS, PROBLEMS
from honestly.models import MODELS
from honestly.sandbox import SANDBOXES
from honestly.seams import Spec, did_you_mean, format_list, format_spec, parse_list, parse_spec, read_settings
from honestly.tasks import LAYOUTS
from honestly.tools import TOOLS

KNOWN, TEXTS = ("honest", "ralph", "cli"), ("cli",)
SEAMS = (AGENTS, DETECTOR_SEAM, IMPORTERS, EXPORTERS, PROBLEMS, MODELS, SANDBOXES, LAYOUTS, TOOLS)

words = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
objects = st.builds("{}:{}".format, words.filter(lambda word: word not in KNOWN), words)
settings = st.dictionaries(st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True), st.text(max_size=12), max_size=4)
specs = st.one_of(
    st.builds(Spec, st.sampled_from(["honest", "ralph"]) | objects, settings),
    st.builds(lambda text: Spec("cli", text=text), st.text(max_size=20)),
)


@given(specs)
def test_what_is_written_is_read_as_it_was(spec: Spec) -> None:
    text = format_spec(spec)
    assert parse_spec(text, KNOWN, TEXTS) == spec
    assert format_spec(parse_spec(text, KNOWN, TEXTS)) == text


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4))
def test_so_are_lists(items: list[str]) -> None:
    assert parse_list(format_list(items)) == tuple(items)


@given(specs, settings)
def test_a_spec_fits_into_a_setting_of_another(inner: Spec, others: dict[str, str]) -> None:
    outer = Spec("ralph", {**others, "agent": format_spec(inner)})
    read = parse_spec(format_spec(outer), KNOWN, TEXTS)
    assert parse_spec(read.settings["agent"], KNOWN, TEXTS) == inner


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(HonestlyError):
        found = parse_spec(text, KNOWN, TEXTS)
        assert found is None or parse_spec(format_spec(found), KNOWN, TEXTS) == found
    with suppress(HonestlyError):
        assert parse_list(format_list(parse_list(text))) == parse_list(text)


def test_a_nested_agent_is_quoted() -> None:
    spec = parse_spec("ralph:agent='claude-code:model=x',rounds=3", KNOWN)
    assert spec == Spec("ralph", {"agent": "claude-code:model=x", "rounds": "3"})
    assert format_spec(spec) == "ralph:agent='claude-code:model=x',rounds=3"


ACCEPTED = {
    "honest": ("honest", {}),
    "honest:": ("honest", {}),
    "honest:easy=0.8,name=junior": ("honest", {"easy": "0.8", "name": "junior"}),
    "honest:name=junior,easy=0.6,medium=0.4,hard=0.2": (
        "honest",
        {"name": "junior", "easy": "0.6", "medium": "0.4", "hard": "0.2"},
    ),
    "honest: easy = 0.8 , name=a b ,": ("honest", {"easy": "0.8", "name": "a b"}),
    "honest:temperature=0.2,tools=bash+edit,max-turns=40": (
        "honest",
        {"temperature": "0.2", "tools": "bash+edit", "max-turns": "40"},
    ),
    "honest:tools=bash+browser,apis=shop.toml,allow=shop.example.org": (
        "honest",
        {"tools": "bash+browser", "apis": "shop.toml", "allow": "shop.example.org"},
    ),
    "special-case:rate=0.5": ("special-case", {"rate": "0.5"}),
    "susceptible:none=0.4,anti-hack=0.1,pro-hack=0.9": (
        "susceptible",
        {"none": "0.4", "anti-hack": "0.1", "pro-hack": "0.9"},
    ),
    "claude-code": ("claude-code", {}),
    "codex:path=~/codex,max-turns=50": ("codex", {"path": "~/codex", "max-turns": "50"}),
    "codex:told=a=b:c": ("codex", {"told": "a=b:c"}),
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_agents_that_were_accepted_until_now_still_are(text: str) -> None:
    name, given = ACCEPTED[text]
    assert AGENTS.parse(text) == Spec(name, given)


@pytest.mark.parametrize(
    ("seam", "text"),
    [
        (AGENTS, "acp:gemini --acp -m {model}"),
        (AGENTS, "cli:my-agent --task {instruction_file}, --name=x 'a b'"),
        (AGENTS, "cli:"),
        (MODELS, "openai:gpt-5"),
        (MODELS, "openai-chat:gpt-4.1"),
        (MODELS, "anthropic:claude-opus-4-5"),
        (MODELS, "google:gemini-2.5-pro"),
        (MODELS, "script:/tmp/a,b=c.jsonl"),
        (MODELS, "http://localhost:8000/v1#qwen3-coder"),
        (MODELS, "https://example.org/v1#a/b:c"),
        (SANDBOXES, "docker:python:3.12"),
    ],
)
def test_texts_after_a_colon_come_through_as_they_are(seam, text: str) -> None:
    name, _, rest = text.partition(":")
    assert seam.parse(text) == Spec(name, text=rest)


@pytest.mark.parametrize("seam", SEAMS, ids=lambda seam: seam.kind)
def test_a_name_that_is_none_is_answered_with_the_close_one_and_what_to_do(seam) -> None:
    known = seam.known[0].name
    with pytest.raises(seam.error, match=rf"did you mean {known!r}\?.*there are: .*MODULE:OBJECT"):
        seam.parse(known[:-1] + "x")


@pytest.mark.parametrize("seam", SEAMS, ids=lambda seam: seam.kind)
def test_every_known_name_leads_somewhere(seam) -> None:
    for known in seam.known:
        assert seam.load(Spec(known.name)) is not None
        assert known.doc
    module, _, name = seam.protocol.rpartition(".")
    assert hasattr(__import__(module, fromlist=[name]), name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hones:easy", "no module 'hones'.*did you mean 'honest'"),
        ("honestly_nowhere:Agent", "no module 'honestly_nowhere'"),
        ("json:dums", r"json has no 'dums' \(did you mean 'dumps'\?\)"),
        ("honest:easy", "expected settings like key=value"),
        ("honest:easy='1", "expected settings like key=value"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        AGENTS.load(AGENTS.parse(text))


def test_a_misspelt_setting_is_answered_with_the_close_one() -> None:
    with pytest.raises(HonestlyError, match=r"x has no setting 'maxturns' \(did you mean 'max-turns'\?\)"):
        read_settings({"maxturns": "3"}, {"max-turns": int}, "x")
    assert read_settings({"a": ".5", "b": "+1", "c": "05"}, {"a": float, "b": int, "c": str}, "x") == {
        "a": 0.5,
        "b": 1,
        "c": "05",
    }
    assert did_you_mean("zzz", ["abc"]) == ""


def test_a_command_line_is_named_before_it() -> None:
    texts = ["cli", "acp"]
    spec = parse_spec("mine=cli:sh -c 'a=b:c'", texts, texts)
    assert spec == Spec("cli", {"name": "mine"}, "sh -c 'a=b:c'")
    assert format_spec(spec) == "mine=cli:sh -c 'a=b:c'"
    assert parse_spec("cli:a=cli:b", texts, texts) == Spec("cli", {}, "a=cli:b")
    assert parse_spec("a b=cli:c", texts, texts) is None
