"""Questions in the layouts that public sets have, and what is refused: nothing leaves a denominator without a word."""

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from forked import honestly
from honestly.errors import FormatError, StatisticsError
from honestly.uncertainty import evaluate_methods, read_questions

ROW = {"question": "2 + 2?", "options": ["3", "four", "5"], "answer": "B"}
LAYOUTS = {
    "mmlu on the hub": {"question": "q", "subject": "s", "choices": ["a1", "b1", "c1", "d1"], "answer": 1},
    "mmlu-pro": {"question_id": 7, "question": "q", "options": ["a1", "b1", "c1"], "answer": "B", "answer_index": 1, "category": "s", "src": "x"},
    "arc": {"id": "M_1", "question": "q", "choices": {"text": ["a1", "b1", "c1"], "label": ["1", "2", "3"]}, "answerKey": "2"},
    "arc, original": {"id": "M_1", "question": {"stem": "q", "choices": [{"text": "a1", "label": "A"}, {"text": "b1", "label": "B"}]}, "answerKey": "B"},
    "hellaswag": {"ind": 4, "ctx": "q", "endings": ["a1", "b1", "c1", "d1"], "label": "1", "activity_label": "x"},
    "medqa": {"question": "q", "answer": "b1", "options": {"A": "a1", "B": "b1"}, "answer_idx": "B"},
    "medmcqa": {"id": "x", "question": "q", "opa": "a1", "opb": "b1", "opc": "c1", "opd": "d1", "cop": 1},
    "cosmosqa": {"id": "x", "context": "c", "question": "q", "answer0": "a1", "answer1": "b1", "answer2": "c1", "label": 1},
    "race": {"article": "c", "question": "q", "options": ["a1", "b1"], "answer": "B"},
    "piqa": {"goal": "q", "sol1": "a1", "sol2": "b1", "label": 1},
    "llm-uncertainty-bench": {"id": 3, "source": "X", "context": "c", "question": "q", "choices": {"A": "a1", "B": "b1"}, "answer": "B"},
    "one-hot": {"question": "q", "choices": ["a1", "b1", "c1"], "answer": [0, 1, 0]},
    "truthfulqa": {"question": "q", "mc1_targets": {"choices": ["b1", "a1", "c1"], "labels": [1, 0, 0]}},
    "sciq": {"question": "q", "correct_answer": "b1", "distractor1": "a1", "distractor2": "c1", "distractor3": "d1"},
    "trivia": {"question": "q", "correct_answer": "b1", "incorrect_answers": ["a1", "c1"]},
    "gpqa": {"Question": "q", "Correct Answer": "b1", "Incorrect Answer 1": "a1", "Incorrect Answer 2": "c1", "Incorrect Answer 3": "d1"},
    "truthfulqa, original": {"question": "q", "mc1_targets": {"b1": 1, "a1": 0, "c1": 0}},
    "big-bench": {"input": "q", "target_scores": {"a1": 0, "b1": 1}},
    "agieval": {"passage": None, "question": "q", "options": ["a1", "b1"], "label": "B", "answer": None},
    "logiqa": {"id": 3, "answer": 1, "text": "c", "question": "q", "options": ["a1", "b1"]},
    "written below": {"question": "q\n\nChoices:\n (A) a1\n (B) b1", "answer_matching_behavior": " (B)"},
    "harness": {"doc_id": 0, "doc": {"question": "q", "choices": ["a1", "b1"]}, "target": 1, "resps": [[["-3.0", "False"]], [["-1.0", "True"]]]},
}  # fmt: skip


def written(folder: Path, *rows: object, name: str = "q.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows))
    return path


def many(count: int, **more: object) -> list[dict[str, object]]:
    return [
        {**ROW, "question": f"{n}?", "id": n, "logits": [0.0, 1.0 + n % 3, 0.5 * (n % 5)], **more} for n in range(count)
    ]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read(tmp_path: Path, name: str) -> None:
    row = LAYOUTS[name]
    first = {**row, "label": 0} if name == "piqa" else {**row, "label": "0"} if name == "hellaswag" else row
    others = [first | {"id": "other", "ind": 5, "goal": "x", "ctx": "x"}] if name in {"hellaswag", "piqa"} else []
    if name in {"mmlu on the hub", "medmcqa", "cosmosqa"}:
        others = [row | {"id": "other", "question": "x", "answer": 0, "cop": 0, "label": 0}]
        others[0] = {key: value for key, value in others[0].items() if key in row or key in {"id", "question"}}
    found = read_questions([written(tmp_path, row, *others)], answers_from=0 if name in {"harness", "logiqa"} else None)
    question = found.questions[0]
    assert question.options[question.answer] == "b1"
    assert question.text == "q"
    if name == "harness":
        assert found.recorded["recorded"][0] == pytest.approx([0.1192, 0.8808], abs=1e-4)


def test_mmlus_own_csv_and_one_with_a_heading(tmp_path: Path) -> None:
    bare = written(tmp_path, '"What, then?",a1,b1,c1,d1,B\nWhy?,a,b,c,d,D\n', name="law_test.csv")
    headed = written(tmp_path, "question,option_a,option_b,answer,prob_A,prob_B\nq,a1,b1,B,0.2,0.7\n", name="x.csv")
    assert [each.answer for each in read_questions([bare]).questions] == [1, 3]
    found = read_questions([headed])
    assert found.recorded["recorded"][0] == pytest.approx([2 / 9, 7 / 9])
    both = read_questions([bare, written(tmp_path, ROW)])
    assert [each.task for each in both.questions] == ["law_test", "law_test", "q"]


def test_several_questions_about_one_text_and_a_conversation(tmp_path: Path) -> None:
    race = {
        "answers": ["C", "B"],
        "options": [["a", "b", "c"], ["d", "e", "f"]],
        "questions": ["q1", "q2"],
        "article": "t",
        "id": "h1",
    }
    found = read_questions([written(tmp_path, race, name="r.json")]).questions
    assert [(each.id, each.answer) for each in found] == [("h1/1", 2), ("h1/2", 1)]
    assert found[0].group == found[1].group
    asked = {"input": [{"role": "user", "content": "q"}], "choices": ["a", "b"], "target": "B"}
    assert read_questions([written(tmp_path, asked)]).questions[0].text == "q"


BROKEN = {
    "no JSON": (["{"], "line 1: not JSON"),
    "a list in a line": (["[1]\n[2]\n"], "expected an object"),
    "an answer that is no option": ([{**ROW, "answer": "F"}], "line 1: the answer 'F' is none of the 3 options"),
    "a number beyond": ([{**ROW, "answer": 0}, {**ROW, "id": 5, "answer": 7}], "answer 7 is none of 3 options"),
    "numbers from nowhere": ([{**ROW, "answer": 1}], "--answers-from"),
    "an ambiguous answer": ([{**ROW, "options": ["B", "A", "C"], "answer": "A"}], "letter of one option and the text"),
    "true": ([{**ROW, "answer": True}], "the answer is True"),
    "two answers": ([{**ROW, "answer": ["A", "B"]}], "2 answers"),
    "one option": ([{**ROW, "options": ["3"]}], "1 options; expected at least two"),
    "no options": ([{"question": "q", "answer": "A"}], "no options; expected"),
    "an empty option": ([{**ROW, "options": ["3", "", "5"]}], "an option is empty"),
    "no question": ([{"options": ["3", "4"], "answer": "A"}], "no question"),
    "an id twice": ([{**ROW, "id": 1}, {**ROW, "id": 1, "question": "other"}], "'1' appears twice"),
    "NaN": ([{**ROW, "logits": [1, math.nan, 2]}], "NaN, null and infinity"),
    "null": ([{**ROW, "logits": [1, None, 2]}], "NaN, null and infinity"),
    "infinity": ([{**ROW, "logprobs": [1, math.inf, 2]}], "NaN, null and infinity"),
    "all minus infinity": ([{**ROW, "logprobs": [-math.inf] * 3}], "no option has a finite"),
    "too few scores": ([{**ROW, "logits": [1, 2]}], "2 for 3 options"),
    "negative": ([{**ROW, "probabilities": [0.5, -0.1, 0.6]}], "-0.1; expected no number below 0"),
    "all zero": ([{**ROW, "probabilities": [0, 0, 0]}], "sum to 0; expected above 0"),
    "a log-probability above 0": ([{**ROW, "logprobs": [0.5, -1, -2]}], "at most 0"),
    "above one": ([{**ROW, "probabilities": [0.5, 0.9, 0.6]}], "sum to 2"),
    "words": ([{**ROW, "probabilities": ["a", "b", "c"]}], "expected a number for each"),
    "a method that lacks one": ([{**ROW, "logits": {"x": [1, 2, 3]}}, {**ROW, "id": 9, "question": "q"}], "'x' has no scores for 1 of 2"),
    "nothing": ([""], "contains no questions"),
}  # fmt: skip


def test_published_tables_with_semicolons_and_lists_of_wrong_answers(tmp_path: Path) -> None:
    own = "Type,Question,Best Answer,Correct Answers,Incorrect Answers\nx,q,right,right; also right,one; two; three;\n"
    (tmp_path / "truthful.csv").write_text(own)
    (found,) = read_questions([tmp_path / "truthful.csv"]).questions
    assert sorted(found.options) == ["one", "right", "three", "two"]
    assert found.options[found.answer] == "right"
    (tmp_path / "semicolons.csv").write_text("question;A;B;answer\nq, really?;x;y;B\n")
    (found,) = read_questions([tmp_path / "semicolons.csv"]).questions
    assert (found.text, found.options, found.answer) == ("q, really?", ("x", "y"), 1)
    medical = {"question": "q", "answers": {"a": "x", "b": "y"}, "correct_answers": ["b"]}
    assert read_questions([written(tmp_path, medical)]).questions[0].answer == 1


def test_copies_with_another_right_answer_are_said(tmp_path: Path) -> None:
    rows = [{"id": n, "question": "q", "options": ["x", "y"], "answer": "AB"[n]} for n in range(2)]
    assert any("different right answers: 1" in note for note in read_questions([written(tmp_path, *rows)]).notes)


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_said_with_its_line(tmp_path: Path, name: str) -> None:
    rows, expected = BROKEN[name]
    with pytest.raises(FormatError) as caught:
        read_questions([written(tmp_path, *rows)])
    assert expected in str(caught.value)


def test_pickles_and_archives_of_objects_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([{"id": 0, "logits_options": np.zeros(6)}]))
    with pytest.raises(FormatError, match="may run anything"):
        read_questions([tmp_path / "a.pkl"])
    np.savez(tmp_path / "b.npz", label=np.array([0]), m=np.array([[object(), object()]]))
    with pytest.raises(FormatError, match="numbers alone"):
        read_questions([tmp_path / "b.npz"])
    np.savez(tmp_path / "c.npz", label=np.array([0, 1]), m=np.array([[0.0, np.nan], [1.0, 2.0]]))
    with pytest.raises(FormatError, match="NaN or infinity"):
        read_questions([tmp_path / "c.npz"])


def test_known_and_unknown_answers_do_not_mix_and_one_method_cannot_label_itself(tmp_path: Path) -> None:
    rows = many(12)
    found = read_questions([written(tmp_path, *rows[:11], {**rows[11], "answer": None})])
    with pytest.raises(FormatError, match="1 of 12 questions do not say"):
        found.answer_table(found.recorded)
    found = read_questions([written(tmp_path, *({**row, "answer": None} for row in rows))])
    with pytest.raises(StatisticsError, match="cannot stand in"):
        found.answer_table(found.recorded)


def test_too_few_questions_to_calibrate(tmp_path: Path) -> None:
    found = read_questions([written(tmp_path, many(1)[0])])
    with pytest.raises(StatisticsError, match="at least one to calibrate"):
        evaluate_methods(found.answer_table(found.recorded))
    found = read_questions([written(tmp_path, *many(40, context="one text"))])
    with pytest.raises(StatisticsError, match="40 questions in 1 groups"):
        evaluate_methods(found.answer_table(found.recorded))


def test_copies_of_a_question_stay_together(tmp_path: Path) -> None:
    rows = [{**row, "id": f"{row['id']}{copy}"} for row in many(30) for copy in "ab"]
    found = read_questions([written(tmp_path, *rows)])
    assert found.notes[0].endswith("kept on one side of the split with these: 30")
    assert len({each.group for each in found.questions}) == 30


def test_the_command_says_what_is_wrong_in_a_line_and_answers_in_the_fixed_shape(tmp_path: Path) -> None:
    done = honestly("uncertainty", written(tmp_path, {**ROW, "answer": "Z"}))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    good = written(tmp_path, *many(60), name="good.jsonl")
    done = honestly("uncertainty", good, "--json", "--alpha", "0.2")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for row in said["methods"]:
        assert {"name", "n", "accuracy", "set_size", "coverage", "interval", "uacc", "score"} <= row.keys()
        assert (row["n"], row["calibration"]) == (30, 30)
    assert said["questions"] == 60
