"""`honestly languages`: a scripted model is asked, its programs are judged, and the same command goes on."""

import json

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from languages.programs import TREE, solution


def languages(*words):
    done = CliRunner().invoke(cli, ["bench", "languages", *map(str, words)], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done


@pytest.fixture
def two(tmp_path):
    """Two of the puzzles, in a folder of their own."""
    for name in ("griffins", "roman-load"):
        (tmp_path / "puzzles" / name).mkdir(parents=True)
        for file in ("puzzle.md", "cases.json"):
            (tmp_path / "puzzles" / name / file).write_text((TREE / name / file).read_text())
    return tmp_path / "puzzles"


def test_a_model_is_asked_once_and_judged(tmp_path, two):
    text = f"Here it is:\n```python\n{solution('python', 'griffins')}```"
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"text": text, "usage": {"output_tokens": 50}}))
    words = ["--model", f"script:{script}", "-k", 2, "-l", "python", "--puzzles", two, "--cpu", 1, "--json"]
    path = tmp_path / "asked.jsonl"
    first = json.loads(languages(path, *words).stdout)
    (cell,) = first["cells"]
    assert (cell["n"], cell["samples"], cell["tokens"]) == (2, 4, 50)
    assert cell["solved"] == {"griffins": 1, "roman-load": 0}
    assert cell["pass_at"]["1"]["value"] == cell["pass_at"]["2"]["value"] == 0.5
    assert sum(cell["failures"].values()) == 2
    written = path.read_bytes()
    script.write_text(json.dumps({"error": "nobody asks again"}))
    assert json.loads(languages(path, *words).stdout) == first
    assert path.read_bytes() == written


def test_samples_of_a_language_that_is_not_here_are_named(tmp_path, two, monkeypatch):
    rows = [
        {"language": "python", "puzzle": "griffins", "model": "m", "sample": 0, "code": solution("python", "griffins")},
        {"language": "zig", "puzzle": "griffins", "model": "m", "sample": 0, "text": "no code"},
    ]
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    import honestly.languages._cli._run as command

    real = command.find_toolchain
    monkeypatch.setattr(command, "find_toolchain", lambda name: None if name == "zig" else real(name))
    found = json.loads(languages(path, "--puzzles", two, "--json").stdout)
    assert [cell["language"] for cell in found["cells"]] == ["python"]
    assert list(found["left_out"]) == ["zig"]
    assert "ziglang" in found["left_out"]["zig"]
    told = languages(path, "--puzzles", two, "--figures", tmp_path / "figures")
    assert "zig is left out" in told.stdout
    assert (tmp_path / "figures" / "pass-by-language.svg").exists()


def test_doctor_names_every_toolchain_and_how_to_install_it():
    done = languages("doctor", "--json")
    rows = json.loads(done.stdout)["toolchains"]
    assert len(rows) == 15
    assert all(row["install"] for row in rows)
    assert next(row for row in rows if row["language"] == "python")["version"].startswith("Python 3")
    assert done.return_value == int(any(row["version"] is None for row in rows))
    assert "stands in for Hack" in languages("doctor").stdout


def test_prompts_are_lines_of_json(two):
    rows = [json.loads(line) for line in languages("prompts", "-l", "go", "--puzzles", two).stdout.splitlines()]
    assert [row["puzzle"] for row in rows] == ["griffins", "roman-load"]
    assert "Write a Go program" in rows[0]["prompt"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a file of SAMPLES"),
        (("nothing.jsonl",), "there is no file"),
        (("doctor", "-l", "cobol"), "no language 'cobol'"),
    ],
)
def test_what_is_asked_wrongly(words, message):
    with pytest.raises(Exception, match=message):
        languages(*words)
