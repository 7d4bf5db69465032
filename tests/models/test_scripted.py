"""Scripts, misbehaviour, specs and prices."""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from honestly.errors import FormatError, ModelError
from honestly.models import (
    MISBEHAVIOURS,
    Message,
    PricedModel,
    ScriptedModel,
    Settings,
    assistant_message,
    default_prices,
    faulty_turn,
    make_model,
    read_prices,
    tool_call,
)
from honestly.records import Usage

USER = Message(role="user", text="Hi.")


def test_a_script_is_played_in_order_and_may_look_at_the_conversation():
    model = ScriptedModel(
        ["a", assistant_message("", tool_call("bash", command="ls")), lambda messages: messages[-1].text + "!"]
    )

    async def go():
        return [await model([USER], (), Settings(seed=1)) for _ in range(3)]

    first, second, third = anyio.run(go)
    assert (first.text, first.stop, first.sent.dropped) == ("a", "end", ("seed",))
    assert (second.stop, second.calls[0].id, second.calls[0].arguments) == ("calls", "call-1-0", '{"command":"ls"}')
    assert third.text == "Hi.!"
    with pytest.raises(ModelError, match="has 3 turns, and number 4"):
        anyio.run(model, [USER])
    assert len(model.asked) == 4


SCRIPT = """{"text": "Let me look.", "thinking": "hm", "calls": [{"name": "bash", "arguments": {"command": "ls"}}]}

{"calls": [{"name": "bash", "arguments": "not json"}], "usage": {"input_tokens": 5}}
{"error": "overloaded", "status": 529}
"""


def test_a_script_on_disk_is_played_anew_for_each_conversation(tmp_path):
    (tmp_path / "s.jsonl").write_text(SCRIPT)
    model = make_model(f"script:{tmp_path / 's.jsonl'}")

    async def go():
        for _ in range(2):
            first = await model([USER])
            second = await model([USER, first])
            assert (first.text, first.thinking, first.calls[0].arguments) == ("Let me look.", "hm", '{"command":"ls"}')
            assert (second.calls[0].arguments, second.usage.input_tokens) == ("not json", 5)
            with pytest.raises(ModelError, match="overloaded") as caught:
                await model([USER, first, second])
            assert (caught.value.status, caught.value.transient) == (529, True)

    anyio.run(go)


@pytest.mark.parametrize("line", ["[]", "{", '{"txt": "a"}', '{"calls": [{"arguments": {}}]}', "\udc80"])
def test_a_script_that_is_none_is_said_with_its_line(tmp_path, line):
    (tmp_path / "s").write_bytes(b'{"text": "a"}\n' + line.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match="line 2 of the script"):
        make_model(f"script:{tmp_path / 's'}")


@pytest.mark.parametrize(
    "spec", ["", "gpt-5", "openai:", "script:", "script:/nowhere", "http://x/v1", "mailto:a", "\x1b[31m:x"]
)
def test_what_is_no_model_is_said_without_signs_that_drive_a_terminal(spec):
    with pytest.raises(ModelError) as caught:
        make_model(spec, environ={})
    assert str(caught.value).isprintable()


def test_every_misbehaviour_is_an_answer_or_an_error():
    for way in MISBEHAVIOURS:
        turn = faulty_turn(way)
        if isinstance(turn, ModelError):
            continue
        answer = anyio.run(ScriptedModel([turn]), [USER])
        assert answer.role == "assistant"
    with pytest.raises(ModelError, match="is not a known misbehaviour"):
        faulty_turn("kindness")


def test_what_a_call_costs():
    prices = default_prices()
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)
    assert prices.usage_cost("gpt-4.1", usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)
    assert prices.usage_cost("gpt-4.1-2025-04-14", usage) == prices.usage_cost("gpt-4.1", usage)
    long, short = Usage(input_tokens=200_001, output_tokens=0), Usage(input_tokens=200_000, output_tokens=0)
    assert prices.usage_cost("models/gemini-2.5-pro", long) == pytest.approx(200_001 * 2.5 / 1e6)
    assert prices.usage_cost("models/gemini-2.5-pro", short) == pytest.approx(200_000 * 1.25 / 1e6)
    for model, unknown in (("my-model", usage), ("gpt-4.1-nano-x", usage), ("gpt-4.1", Usage())):
        assert prices.usage_cost(model, unknown) is None


def test_our_prices_are_those_of_an_independent_table():
    genai_prices = pytest.importorskip("genai_prices", reason="needs honestly[models]")
    from datetime import UTC, datetime

    checked = 0
    for name, rows in default_prices()._rows.items():
        provider = "anthropic" if name.startswith("claude") else "google" if name.startswith("gemini") else "openai"
        for row in rows:
            assert row.date.startswith("20")
            assert row.source
            read = row.above_tokens + 5
            usage = Usage(input_tokens=read, output_tokens=1000, cached_tokens=2 if row.cached_input else 0)
            theirs = genai_prices.calc_price(
                genai_prices.Usage(input_tokens=read, output_tokens=1000, cache_read_tokens=usage.cached_tokens),
                name,
                provider_id=provider,
                genai_request_timestamp=datetime.fromisoformat(row.date).replace(tzinfo=UTC),
            )
            assert default_prices().usage_cost(name, usage) == pytest.approx(float(theirs.total_price)), name
            checked += 1
    assert checked > 80


def test_users_prices_come_first_and_a_server_that_knows_better_is_believed(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("model,input,output\nmine,1,2\ngpt-4.1,0,0\n")
    prices = read_prices(path).over(default_prices())
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)

    def cost(model, usage):
        inner = ScriptedModel([assistant_message("x", usage=usage)], name=model)
        return anyio.run(PricedModel(inner, prices), [USER]).usage.usd

    assert cost("mine", usage) == 3.0
    assert cost("gpt-4.1", usage) == 0.0  # the user said so
    assert cost("gpt-4o", usage) == 12.5
    assert cost("unknown", usage) is None
    assert cost("mine", Usage(input_tokens=1, output_tokens=1, usd=7.0)) == 7.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model,input\na,1\n",
        "model,input,output\na,x,1\n",
        "model,input,output\na,-1,1\n",
        "model,input,output,tax\n",
    ],
)
def test_a_table_that_is_none(tmp_path, text):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(FormatError):
        read_prices(tmp_path / "p.csv")
    with pytest.raises(FormatError):
        read_prices(tmp_path / "nothing.csv")


def test_importing_the_room_loads_nothing_heavy():
    heavy = ("pydantic_ai", "openai", "anthropic", "google.genai", "httpx2", "ssl")
    code = f"import sys, honestly.models; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout


def test_a_missing_extra_is_said_clearly():
    code = """
import sys
from pathlib import Path
class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in ("pydantic_ai", "openai"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from honestly.errors import ModelError
from honestly.models import make_model
try:
    make_model("openai:gpt-5", environ={"OPENAI_API_KEY": "k"})
except ModelError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pydantic_ai, openai is not installed; pip install 'honestly[models]'"


def test_a_module_of_ones_own_may_have_nearly_the_name_of_a_vendor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="did you mean 'script'"):
        make_model("scripted:Own")
    source = "class Own:\n    name = 'own'\n\n    async def __call__(self, messages, tools=(), settings=None):\n        raise NotImplementedError\n"
    (tmp_path / "scripted.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert make_model("scripted:Own").name.endswith("own")
