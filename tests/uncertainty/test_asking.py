"""A model on a real server is asked by every strategy; what it answered is kept, and never paid twice."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import honestly.uncertainty
from forked import honestly as honestly_command
from honestly.errors import ModelError, SettingsError
from honestly.uncertainty import Asked, Bm25Search, Passage, asked_notes, load_retriever, read_documents, read_questions
from honestly.uncertainty._ask import _from_tokens, said_option
from uncertainty.standin import Standin, serving

HERE = Path(honestly.uncertainty.__file__).parent
METHODS = ("none", "naive", "fusion", "hyde", "raptor", "rat", "replug", "self-rag")
pytest.importorskip("bm25s")


def shipped():
    questions = read_questions([HERE / "code.jsonl"]).questions
    rows = map(json.loads, (HERE / "code.jsonl").read_text().splitlines())
    return list(questions), {row["id"]: row["about"] for row in rows}, read_documents(HERE / "code_documents.jsonl")


def run(folder: Path, *words: object) -> dict[str, object]:
    done = honestly_command("uncertainty", *words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_name(said: dict[str, object], score: str = "lac") -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in said["methods"] if row["score"] == score}


def small(folder: Path, count: int = 24) -> Path:
    """Some questions of the shipped set, every other about the library that nobody knows."""
    rows = (HERE / "code.jsonl").read_text().splitlines()
    chosen = [*rows[: count // 2], *rows[-count // 2 :]]
    (folder / "small.jsonl").write_text("\n".join(chosen))
    return folder / "small.jsonl"


def test_an_option_without_effect_is_refused(tmp_path: Path) -> None:
    scored = {"id": "q", "question": "?", "options": ["a", "b"], "answer": "A", "logits": {"m": [1, 0]}}
    (tmp_path / "scored.jsonl").write_text("".join(json.dumps({**scored, "id": f"q{n}"}) + "\n" for n in range(20)))
    refusals = {
        ("scored.jsonl", "--letters", "5"): "the questions have recorded scores, and no model is asked (-m)",
        ("scored.jsonl", "--method", "none"): "the questions have recorded scores, and no model is asked (-m)",
        ("--letters", "5"): "no model is asked (-m)",
        ("--method", "none", "--embeddings", "http://x/v1#e"): "no method searches in documents",
    }
    for words, why in refusals.items():
        done = honestly_command("uncertainty", *words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert f"has no effect: {why}" in done.stderr, (words, done.stderr)


def test_the_shipped_set_is_fair_and_runs_without_a_model(tmp_path: Path) -> None:
    questions, about, passages = shipped()
    assert len({each.text for each in questions}) == len(questions) == 56
    assert set(Counter(each.answer for each in questions).values()) == {14}
    assert set(about.values()) == {each.id for each in passages}
    said = run(tmp_path)
    assert said["model"] == "words (no model)"
    rows = by_name(said)
    assert rows["naive"]["n"] + rows["naive"]["calibration"] == 56
    assert rows["naive"]["accuracy"] > rows["none"]["accuracy"] + 0.2
    assert not (tmp_path / "runs").exists()


def test_a_server_with_probabilities_is_asked_once_for_each(tmp_path: Path) -> None:
    model = Standin(*shipped())
    words = (
        small(tmp_path),
        "--documents",
        HERE / "code_documents.jsonl",
        "--method",
        "none,naive",
        "--disturb",
        "cue-wrong",
    )
    with serving(model) as server:
        first = run(tmp_path, *words, "-m", server.spec())
        assert model.answered == 24 * 4
        assert {json.loads(each.body)["top_logprobs"] for each in server.requests} == {20}
        again = run(tmp_path, *words, "-m", server.spec())
        assert model.answered == 24 * 4, "a question was paid twice"
    assert again["methods"] == first["methods"]
    assert not [each for each in first["warnings"] if "SAMPLED" in each]
    assert {row["base"] for row in first["differences"]} == {"none", "naive"}
    assert len(first["known"]) == 3 * 3 * 2


@pytest.mark.slow
def test_every_strategy_and_disturbance_over_the_wire(tmp_path: Path) -> None:
    model, questions = Standin(*shipped()), small(tmp_path)
    documents = ("--documents", HERE / "code_documents.jsonl")
    with serving(model) as server:
        words = ("-m", server.spec(), "--method", ",".join(METHODS), "--disturb", "irrelevant,cue-wrong,cue-right")
        said = run(tmp_path, questions, *documents, *words, "--depth", "2", "--save", "scores.jsonl")
        rows = by_name(said)
        assert set(rows) == {*METHODS, *(f"{m}+{d}" for m in METHODS for d in ("irrelevant", "cue-wrong", "cue-right"))}
        for name in ("naive", "replug", "self-rag", "rat"):
            assert rows[name]["accuracy"] > rows["none"]["accuracy"]
            assert rows[name]["set_size"] < rows["none"]["set_size"]
            assert (
                rows[f"{name}+cue-wrong"]["accuracy"] <= rows[name]["accuracy"] <= rows[f"{name}+cue-right"]["accuracy"]
            )
        assert rows["none+cue-wrong"]["accuracy"] < rows["none"]["accuracy"] == rows["none+irrelevant"]["accuracy"]
        assert {row["rank"] > 0 for row in rows.values() if "+" in row["name"]} == {False}
        asked = model.answered
        depths = run(tmp_path, questions, *documents, "-m", server.spec(), "--method", "naive", "--depth", "1,2")
        assert set(by_name(depths)) == {"naive@1", "naive@2"}
        assert model.answered == asked, "depth 2 was answered before, and one passage alone by replug"
    saved = run(tmp_path, tmp_path / "scores.jsonl")
    kept = {row["name"]: row for row in saved["methods"] if row["score"] == "aps"}
    for name, row in by_name(said, "aps").items():
        assert kept[name]["set_size"] == row["set_size"]


@pytest.mark.slow
def test_a_server_without_probabilities_is_sampled_and_marked(tmp_path: Path) -> None:
    model = Standin(*shipped(), logprobs=0)
    with serving(model) as server:
        said = run(
            tmp_path,
            small(tmp_path),
            "-m",
            server.spec(),
            "--method",
            "none",
            "--letters",
            "5",
            "--disturb",
            "cue-wrong",
            "--save",
            "kept.jsonl",
        )
    again = run(tmp_path, tmp_path / "kept.jsonl")
    assert again["methods"] == said["methods"]
    assert again["differences"] == said["differences"]
    assert any(each.startswith("SAMPLED LETTERS") for each in again["warnings"])
    assert model.answered <= 2 * 24 * 5 + 8  # the first few, before it was known, were asked for probabilities, too
    assert any(each.startswith("SAMPLED LETTERS") for each in said["warnings"])


@pytest.mark.slow
def test_a_server_that_names_few_tokens_is_asked_for_fewer(tmp_path: Path) -> None:
    model = Standin(*shipped(), most=5)
    with serving(model) as server:
        said = run(tmp_path, small(tmp_path), "-m", server.spec(), "--method", "none", "-j", "1")
        assert [json.loads(each.body)["top_logprobs"] for each in server.requests] == [20, *[5] * 24]
    assert not any("SAMPLED" in each for each in said["warnings"])


@pytest.mark.slow
def test_a_run_that_dies_goes_on_where_it_was(tmp_path: Path) -> None:
    questions = small(tmp_path)
    model = Standin(*shipped(), dies_after=17)
    with serving(model) as server:
        words = (questions, "-m", server.spec(), "--documents", HERE / "code_documents.jsonl", "--method", "self-rag")
        done = honestly_command("uncertainty", *words, cwd=tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert "out of order" in done.stderr
        model._left = None
        run(tmp_path, *words)
        bodies = [each.body for each in server.requests]
    refused = len(bodies) - model.answered
    assert 1 <= refused <= 40
    lines = (tmp_path / "runs/uncertainty.jsonl").read_text().splitlines()
    assert len(lines) == 1 + model.answered, "an answer was paid for and not kept, or twice"


class _Embeddings(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked += len(body["input"])
        words = [text.lower().split() for text in body["input"]]
        rows = [
            {
                "index": at,
                "embedding": [float(each.count(word)) for word in ("marlow", "git", "sql", "python", "retry")] + [0.1],
            }
            for at, each in enumerate(words)
        ]
        data = json.dumps({"data": rows[::-1]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
def test_an_embedding_endpoint_searches_and_is_kept(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings) as server:
        server.asked = 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        words = ("--embeddings", f"http://127.0.0.1:{server.server_port}/v1#e", "--method", "none,naive")
        said = run(tmp_path, *words)
        assert server.asked == 12 + 56
        assert run(tmp_path, *words)["methods"] == said["methods"]
        assert server.asked == 12 + 56
        server.shutdown()


@pytest.mark.slow
def test_a_strategy_of_ones_own_and_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from honestly.uncertainty import Context\n"
        "async def first(question, shelf):\n    return [Context(shelf.passages[0].text)]\n"
        "async def texts(question, shelf):\n    return ['x']\n"
        "async def broken(question, shelf):\n    raise RuntimeError('boom')\n"
        "def plain(question, shelf):\n    return [Context('x')]\n"
    )
    assert by_name(run(tmp_path, "--method", "none,mine:first")).keys() == {"none", "mine:first"}
    for words, expected in (
        (("--method", "naiv"), "naive"),
        (("--method", "mine:texts"), "mine:texts gave"),
        (("--method", "mine:broken"), "mine:broken failed: RuntimeError: boom"),
        (("--method", "mine:plain"), "async def name(question, shelf)"),
        (("--calibration", "nan"), "between 0 and 1"),
        (("--out", tmp_path / "o.jsonl", "--save", tmp_path / "o.jsonl"), "name another file"),
        (("--method", "fusion"), "-m"),
        (("--disturb", "cue"), "cue-wrong"),
        (("--depth", "0"), "1 to 100"),
        ((small(tmp_path), "--method", "naive"), "--documents"),
        ((small(tmp_path), "--documents", tmp_path / "mine.py"), "not JSON"),
    ):
        done = honestly_command("uncertainty", *words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert expected in done.stderr, words
        assert "Traceback" not in done.stderr
    with pytest.raises(SettingsError):
        load_retriever("json:dumps_not")


def test_a_search_by_words_stands_what_has_none() -> None:
    import anyio

    assert anyio.run(Bm25Search(["the cat", "a dog"]), "...", 5) == [(0, 0.0), (1, 0.0)]
    assert anyio.run(Bm25Search(["...", "?"]), "cat", 1) == [(0, 0.0)]
    found = anyio.run(Bm25Search(["a cat sat", "dogs bark", "cat and cat"]), "cat", 2)
    assert {at for at, _ in found} == {0, 2}


def test_documents_of_a_folder_become_passages(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("\n\n".join("word " * 100 for _ in range(5)))
    (tmp_path / "b.txt").write_text("short")
    passages = read_documents(tmp_path)
    assert [each.id for each in passages] == ["a.md", "a.md#1", "a.md#2", "b.txt"]
    assert isinstance(passages[0], Passage)
    assert np.mean([len(each.text) for each in passages]) < 1300


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("B", 1), ("b", 1), ("B.", 1), (" C) because", 2), ("(B)", 1), ("**B**", 1), ("Option D.", 3), ("answer is (d)", 3),
        ("The answer is A because it is", 0), ("**Answer: C**", 2), ("B\n\nBecause A is wrong", 1), ("I think D", 3),
        ("It is A, since B is wrong. Answer: A", 0), ("<think>A? No. B? No.</think>C", 2),
        ("A good question. I think it is D", 3), ("A or B", -1), ("the answer is a matter of taste", -1),
        ("I do not know", -1), ("答案是B。", 1), ("\uff22", 1), ("La réponse est B", 1), ("Aïe", -1), ("Don't know; A's fine", -1), ("Z", -1), ("", -1), ("<think>A", -1),
    ],
)  # fmt: skip
def test_the_option_that_a_reply_names(reply: str, option: int) -> None:
    assert said_option(reply, 4) == option


def test_tokens_name_options_in_either_case_and_options_without_one_are_counted() -> None:
    few = _from_tokens([[("b", -0.2), ("d", -2.0)]], 4)
    assert (int(few.probabilities.argmax()), few.unnamed) == (1, 2)
    article = _from_tokens([[("a", -0.1), ("B", -3.0)]], 2)
    assert int(article.probabilities.argmax()) == 1
    for marked in ("ĠC", "<0x43>", " C", "\u2581C"):
        assert int(_from_tokens([[(marked, -0.1), ("x", -3.0)]], 4).probabilities.argmax()) == 2
    with pytest.raises(ModelError, match="expected at most 0"):
        _from_tokens([[("A", 1.2)]], 4)
    warnings, _ = asked_notes(Asked(unnamed={"none": 3}))
    assert "of 3 questions the server gives some options no probability" in warnings[0]


def test_documents_that_are_missing_are_said_before_anything_is_asked(tmp_path: Path) -> None:
    for words in (("--method", "none", "--disturb", "irrelevant"), ("--method", "none,naive")):
        done = honestly_command("uncertainty", small(tmp_path), "-m", "http://127.0.0.1:9/v1#x", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert "name the documents to search with --documents" in done.stderr
        assert not (tmp_path / "runs").exists()
