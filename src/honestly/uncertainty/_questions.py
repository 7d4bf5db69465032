"""Sets of multiple-choice questions, from JSON lines, JSON, CSV or NumPy archives, with the scores recorded in them.

A row has a question, options and the right answer in any of the layouts that public sets have; what a row lacks or has
twice is an error that names its line, so that no question is lost without a word. Pickles are refused: they run code.

Scores of options may stand beside: `logits`, `logprobs` or `probabilities`, a list, an object by letter, or an object
by method of those; `resps` of lm-evaluation-harness; columns `logit_A`, `prob_A`; or arrays of shape (questions,
options) in an archive (`.npz`), whose right options are in an array `label` or `TASK__label`.
"""

import csv
import gzip
import io
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from honestly._loose import items_of, read_whole
from honestly.errors import FormatError
from honestly.records import digest
from honestly.uncertainty._sets import AnswerTable, Floats, majority_labels
from honestly.work import write_file

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RECORDED = "recorded"
_MOST_BYTES = 1 << 30
_SHOWN = 3
_QUESTION = ("question", "query", "question_stem", "stem", "prompt", "goal", "problem", "ctx", "sentence", "input")
_CONTEXT = ("context", "passage", "article", "paragraph", "support", "story", "background", "premise", "text")
_OPTIONS = ("options", "choices", "endings", "mc1_targets", "target_scores", "candidates", "answers")
_COLUMNS = (r"([A-J])", r"(?:option|choice|ans|answer|ending|sol|op)[ _-]?([a-j]|\d+)")
_ANSWER = (
    *("answer", "answerkey", "answer_key", "correct_answer", "correct answer", "correct_option", "correct", "label"),
    *("gold", "target", "cop", "answer_idx", "answer_index", "best_answer", "solution", "answer_matching_behavior"),
    *("correct_answers", "correct answers"),
)
_WRONG = r"(?:distractor|incorrect[ _]answer|wrong[ _]answer)s?[ _]?\d*"
_LISTS = ("incorrect answers", "incorrect_answers", "wrong answers", "wrong_answers")
_ID = ("id", "question_id", "qid", "idx", "ind", "index", "doc_id", "_id", "example_id", "uid", "uuid")
_TASK = ("task", "subject", "category", "dataset", "subset", "subject_name")
_GROUP = ("group", "document", "document_id", "passage_id", "article_id", "context_id", "story_id")
_METHOD = ("method",)
_SCORES = {
    "logits": "logits", "logprobs": "logits", "log_probs": "logits", "loglikelihoods": "logits",
    "probabilities": "probabilities", "probs": "probabilities",
}  # fmt: skip
_SCORE_COLUMN = re.compile(r"(logit|logprob|prob|probability|p)s?[ _-]([A-Ja-j]|\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with options."""

    id: str
    text: str
    options: tuple[str, ...]
    answer: int
    """Number of the right option; -1 where it is not known."""
    task: str = ""
    group: str = ""
    """Questions about one text are one group, and so are questions that are the same."""
    context: str = ""
    """What is given with the question."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionSet:
    """Questions with the scores of methods."""

    questions: tuple[Question, ...]
    recorded: Mapping[str, Floats]
    """Probabilities by method, shape (questions, most options); 0 where there is no option."""
    notes: tuple[str, ...] = ()
    sampled: tuple[str, ...] = ()
    """The methods whose probabilities are shares of drawn letters."""

    def answer_table(self, probabilities: Mapping[str, Floats], *, pool: bool = False) -> AnswerTable:
        """What methods said, as `evaluate_methods` takes it.

        Args:
            probabilities: by method.
            pool: take all questions for one task.

        Raises:
            FormatError: some right options are known, and some are not.
            StatisticsError: none is known, and a single method cannot stand in for them.
        """
        labels = np.array([each.answer for each in self.questions], dtype=np.int64)
        unknown = int((labels < 0).sum())
        if 0 < unknown < labels.size:
            first = next(each.id for each in self.questions if each.answer < 0)
            raise FormatError(
                f"{unknown} of {labels.size} questions do not say which option is right (the first: {first!r}); "
                "expected an answer for all or for none"
            )
        counts = np.array([len(each.options) for each in self.questions])
        present = np.arange(counts.max())[None, :] < counts[:, None]
        tasks = ["" if pool else each.task for each in self.questions]
        pseudo = majority_labels(probabilities) if unknown else {}
        return AnswerTable(tasks, [each.group for each in self.questions], labels, present, probabilities, pseudo)

    def write_scores(self, path: Path, probabilities: Mapping[str, Floats], sampled: Collection[str] = ()) -> None:
        """Write the questions as JSON lines with what methods said, which `read_questions` reads.

        Args:
            path: where to.
            probabilities: by method.
            sampled: the methods whose probabilities are shares of drawn letters.
        """
        lines = []
        for number, each in enumerate(self.questions):
            said = {name: p[number, : len(each.options)].tolist() for name, p in probabilities.items()}
            row: dict[str, Any] = {
                "id": each.id,
                "question": each.text,
                "options": each.options,
                "task": each.task,
                "group": each.group,
            }
            row |= {"context": each.context, "probabilities": said}
            row |= {"answer": LETTERS[each.answer]} if each.answer >= 0 else {}
            row |= {"sampled": sorted(sampled)} if sampled else {}
            lines.append(json.dumps(row, ensure_ascii=False))
        write_file(path, "\n".join([*lines, ""]).encode(), FormatError)


def read_questions(paths: Sequence[Path], *, answers_from: int | None = None) -> QuestionSet:
    """The questions of files, in their order, with the scores recorded there.

    Several files may hold several sets, or what several methods said of one set; a method that has no name has its
    file's.

    Args:
        paths: JSON lines, JSON, CSV, TSV or `.npz`; each may be compressed with gzip.
        answers_from: whether answers that are numbers count from 0 or 1; told from the file if None.

    Raises:
        FormatError: a row cannot be read, or rows contradict each other.
    """
    sets = [_read_file(path, answers_from, several=len(paths) > 1) for path in paths]
    if len(sets) == 1:
        return sets[0]
    names = [path.name.removesuffix(".gz").rpartition(".")[0] for path in paths]
    if all(one.recorded for one in sets):
        first, recorded = sets[0], {}
        for one, path in zip(sets, paths, strict=True):
            place = {each.id: number for number, each in enumerate(one.questions)}
            same = len(place) == len(first.questions) and all(
                each.id in place and one.questions[place[each.id]].answer == each.answer
                and len(one.questions[place[each.id]].options) == len(each.options)
                for each in first.questions
            )  # fmt: skip
            if not same:
                raise FormatError(
                    f"{path} does not hold the questions of {paths[0]} (ids, numbers of options and answers differ); "
                    "compare methods on the same questions"
                )
            order = [place[each.id] for each in first.questions]
            for name, p in one.recorded.items():
                if name in recorded:
                    raise FormatError(f"{path} has scores of {name!r}, and so does a file before it; rename one")
                recorded[name] = p[order]
        return QuestionSet(first.questions, recorded, first.notes, tuple(name for one in sets for name in one.sampled))
    if any(one.recorded for one in sets):
        raise FormatError("some of the files hold scores and some do not; expected scores in all or in none")
    found = [
        replace(each, id=f"{name}/{each.id}", task=each.task or name)
        for one, name in zip(sets, names, strict=True)
        for each in one.questions
    ]
    return QuestionSet(tuple(found), {}, tuple(note for one in sets for note in one.notes))


def _read_file(path: Path, answers_from: int | None, *, several: bool) -> QuestionSet:
    data = read_whole(path, _MOST_BYTES, "the questions", FormatError)
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(_MOST_BYTES + 1)
        except (OSError, EOFError) as error:
            raise FormatError(f"{path} is not a whole gzip file: {error}; fetch it again") from None
        if len(data) > _MOST_BYTES:
            raise FormatError(f"{path} is larger than {_MOST_BYTES} bytes; split it")
    stem = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    if data[:4] == b"PK\x03\x04":
        return _read_archive(path, data, stem)
    if data[:1] == b"\x80" or path.suffix in {".pkl", ".pickle"}:
        raise FormatError(
            f"{path} is a pickle, which may run anything when it is read; write JSON lines, or an .npz of arrays"
        )
    if data[:4] == b"PAR1":
        raise FormatError(
            f"{path} is Parquet; write JSON lines of it, as pandas' to_json(lines=True, orient='records')"
        )
    return _assembled(path, list(_rows(path, data)), answers_from, stem if several else RECORDED)


def _assembled(
    path: Path, rows: Sequence[tuple[str, Mapping[str, Any]]], answers_from: int | None, unnamed: str
) -> QuestionSet:
    """One set of the rows, each of which is one question, or what one method says of one."""
    if not rows:
        raise FormatError(f"{path} contains no questions; expected a row for each")
    read: list[tuple[str, Question, float | None, dict[str, Floats]]] = []
    broken: dict[str, list[str]] = {}
    for place, row in rows:
        try:
            read.append((place, *_parsed_row(row, unnamed, str(len(read) + 1))))
        except FormatError as error:
            broken.setdefault(str(error), []).append(place)
    if broken:
        found = sum(map(len, broken.values()))
        reasons = [
            f"{place}{f' and {len(more)} more' if more else ''}: {why}" for why, (place, *more) in broken.items()
        ]
        others = f"; and {len(reasons) - _SHOWN} other reasons" if len(reasons) > _SHOWN else ""
        raise FormatError(f"{path}: {found} of {len(rows)} rows cannot be read. {'; '.join(reasons[:_SHOWN])}{others}")
    base = _number_base(
        path, [answer for _, _, answer, _ in read], [len(q.options) for _, q, _, _ in read], answers_from
    )
    questions: dict[str, Question] = {}
    scores: dict[str, dict[str, Floats]] = {}
    for place, question, answer, said in read:
        if isinstance(answer, float):
            number = int(answer) - base
            if not 0 <= number < len(question.options):
                raise FormatError(f"{path}, {place}: answer {int(answer)} is none of {len(question.options)} options")
            question = replace(question, answer=number)
        known = questions.setdefault(question.id, question)
        twice = known is not question and (not said or any(question.id in scores.get(name, {}) for name in said))
        if twice or (known.options, known.answer) != (question.options, question.answer):
            raise FormatError(
                f"{path}, {place}: question {question.id!r} appears twice; expected one row for each question"
                + (" and method, with the same options and answer" if said else "")
            )
        for name, p in said.items():
            scores.setdefault(name, {})[question.id] = p
    recorded = _recorded(path, questions, scores)
    sampled = {str(name) for _, row in rows for name in items_of(row.get("sampled"))} & {*recorded}
    return QuestionSet(
        tuple(questions.values()), recorded, tuple(_oddity_notes(questions.values())), tuple(sorted(sampled))
    )


def _oddity_notes(questions: Collection[Question]) -> Iterator[str]:
    """What is odd about them, counted."""
    equal = sum(len(set(each.options)) < len(each.options) for each in questions)
    if equal:
        yield f"questions with two options of the same text, of which the answer's letter names one: {equal}"
    asked = [each for each in questions if each.text]
    if copies := len(asked) - len({(each.context, each.text, each.options) for each in asked}):
        yield f"questions that repeat others word for word, kept on one side of the split with these: {copies}"
    answers: dict[tuple[str, str, frozenset[str]], set[str]] = {}
    for each in asked:
        if each.answer >= 0:
            answers.setdefault((each.context, each.text, frozenset(each.options)), set()).add(each.options[each.answer])
    disputed = sum(len(each) > 1 for each in answers.values())
    if disputed:
        yield f"questions asked several times, with different right answers: {disputed}"


def _recorded(
    path: Path, questions: Mapping[str, Question], scores: Mapping[str, Mapping[str, Floats]]
) -> dict[str, Floats]:
    """Scores by method, one row for each question; a question that a method lacks would leave its denominator."""
    most = max(len(each.options) for each in questions.values())
    recorded = {}
    for name, by_id in scores.items():
        missing = [each for each in questions if each not in by_id]
        if missing:
            raise FormatError(
                f"{path}: {name!r} has no scores for {len(missing)} of {len(questions)} questions, first "
                f"{missing[0]!r}; expected scores for all, so that no question leaves a denominator"
            )
        recorded[name] = np.array([np.pad(by_id[each], (0, most - by_id[each].size)) for each in questions])
    return recorded


def _parsed_row(row: Mapping[str, Any], unnamed: str, number: str) -> tuple[Question, float | None, dict[str, Floats]]:
    """A row's question, its answer where that is a number from 0 or 1, and what methods say of it.

    Raises:
        FormatError: it is no question.
    """
    if isinstance(row.get("doc"), dict) and ("resps" in row or "filtered_resps" in row):  # lm-evaluation-harness
        row = {
            **row["doc"],
            "id": row.get("doc_id", number),
            "logprobs": _harness_scores(row),
            "answer": row.get("target"),
        }
    if isinstance(row.get("question"), dict):  # {"question": {"stem": ..., "choices": ...}}
        row = {**row, **row["question"], "question": row["question"].get("stem")}
    fields = {str(key).strip().lower(): value for key, value in row.items()}
    own_id = _first_given(fields, _ID)
    asked = _first_given(fields, _QUESTION)
    if isinstance(asked, list) and asked and isinstance(asked[-1], dict):  # a conversation
        asked = asked[-1].get("content")
    text, written = _written_options(str(asked or "").strip())
    if written and _first_given(fields, _OPTIONS) is None:
        fields["options"] = written
    context = str(_first_given(fields, _CONTEXT) or "").strip()
    options, labels, hot = _options(row, fields, text + context)
    if len(options) < 2:
        raise FormatError(f"{len(options)} options; expected at least two")
    if len(options) > len(LETTERS):
        raise FormatError(f"{len(options)} options; at most {len(LETTERS)} have letters")
    if any(not each.strip() for each in options):
        raise FormatError("an option is empty")
    answer = hot if hot is not None else _right_option(fields, options, labels)
    name = str(_first_given(fields, _METHOD) or unnamed)
    said = _row_scores(row, fields, options, labels, name)
    if not text and not said:
        raise FormatError(
            f"no question; expected a field {' or '.join(_QUESTION[:3])}, found {', '.join(fields)}"[:300]
        )
    group = _first_given(fields, _GROUP)
    if group in (None, ""):
        group = digest("group", context) if context else digest("question", text, *options) if text else f"row {number}"
    found = Question(
        id=number if own_id in (None, "") else str(own_id), text=text, options=options,
        answer=answer if isinstance(answer, int) else -1, task=str(_first_given(fields, _TASK) or ""), group=str(group),
        context=context,
    )  # fmt: skip
    return found, answer if isinstance(answer, float) else None, said


def _written_options(text: str) -> tuple[str, list[str]]:
    """The question without the options that are written below it, and these; none where there are fewer than two."""
    lines, first, start = text.split("\n"), "", 0
    found: list[str] = []
    for at in range(len(lines) - 1, 0, -1):
        match = re.fullmatch(r"\s*\(?([A-J])[).:]\s*(\S.*)", lines[at])
        if match and (not found or LETTERS.index(match[1]) == LETTERS.index(first) - 1):
            first = match[1]
            found.insert(0, match[2].strip())
            start = at
        elif found:
            break
    if len(found) < 2 or first != "A":
        return text, []
    above = "\n".join(lines[:start])
    return re.sub(r"\s*\n\s*(?:answer )?(?:choices|options)\s*:?\s*\Z", "", above, flags=re.IGNORECASE).strip(), found


def _options(
    row: Mapping[str, Any], fields: Mapping[str, Any], salt: str
) -> tuple[tuple[str, ...], tuple[str, ...], int | None]:
    """The options, what they are called, and the number of the right one where the layout itself says it."""
    given = _first_given(fields, _OPTIONS)
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except ValueError:
            raise FormatError(f"options are {given[:60]!r}; expected a JSON list") from None
    if isinstance(given, dict) and isinstance(texts := given.get("text", given.get("choices")), list):
        named = items_of(given.get("label", given.get("labels")))
        if named and sorted(map(str, named)) == ["0"] * (len(named) - 1) + ["1"]:
            return (*_shuffled([str(each) for each in texts], named.index(1), salt),)
        return tuple(map(str, texts)), tuple(map(str, named)), None
    if isinstance(given, dict) and sorted(map(str, given.values())) == ["0"] * (len(given) - 1) + ["1"]:
        return (*_shuffled(list(map(str, given)), list(map(str, given.values())).index("1"), salt),)
    if isinstance(given, dict):
        return tuple(str(value) for value in given.values()), tuple(map(str, given)), None
    if isinstance(given, list):
        if given and all(isinstance(each, dict) and "text" in each for each in given):
            return tuple(str(each["text"]) for each in given), tuple(str(each.get("label", "")) for each in given), None
        return tuple("" if each is None else str(each) for each in given), (), None
    for pattern in _COLUMNS:
        names = [
            name for name in row if re.fullmatch(pattern, str(name).strip(), 0 if "A-J" in pattern else re.IGNORECASE)
        ]
        names = [name for name in names if row[name] not in (None, "")]
        if len(names) >= 2:
            return tuple(str(row[name]).strip() for name in names), (), None
    wrong = [
        value.split(";") if isinstance(value, str) and key in _LISTS else value  # as in TruthfulQA's own table
        for key, value in fields.items()
        if re.fullmatch(_WRONG, key) and value not in (None, "", [])
    ]
    right = _first_given(fields, ("correct_answer", "correct answer", "best_answer", "best answer", "answer"))
    if wrong and right:
        flat = [str(each).strip() for value in wrong for each in (value if isinstance(value, list) else [value])]
        flat = [each for each in flat if each]
        return (*_shuffled([str(right), *flat], 0, salt),)
    expected = "a list `options`, columns A, B, C, D, or a right answer and wrong ones"
    raise FormatError(f"no options; expected {expected}, found {', '.join(fields)}"[:400])


def _shuffled(options: list[str], right: int, salt: str) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Options whose order gave the right one away, in an order that the question decides."""
    order = sorted(range(len(options)), key=lambda each: digest("order", salt, options[each]))
    return tuple(options[each] for each in order), (), order.index(right)


def _right_option(fields: Mapping[str, Any], options: Sequence[str], labels: Sequence[str]) -> int | float | None:
    """Number of the right option; as a float where it is still to be told whether numbers count from 0 or 1."""
    given = _first_given(fields, _ANSWER)
    if isinstance(given, list):
        hot = [number for number, each in enumerate(given) if each in (1, True)]
        if len(given) == len(options) and len(hot) == 1 and set(given) <= {0, 1}:
            return hot[0]
        if len(given) != 1:
            raise FormatError(f"{len(given)} answers; expected one right option")
        given = given[0]
    if given is None or given == "":
        return None
    if isinstance(given, bool):
        raise FormatError(f"the answer is {given}; expected a letter, an option's text, or a number")
    if isinstance(given, int | float):
        if not float(given).is_integer():
            raise FormatError(f"the answer is {given}; expected a letter, an option's text, or a whole number")
        return None if given == -1 else float(given)
    said = str(given).strip()
    letter = re.fullmatch(r"[(\[]?([A-Za-z])[)\].:]?", said)
    ways = {number for number, text in enumerate(options) if text.strip() == said}
    ways |= {number for number, name in enumerate(labels) if name.strip() == said}
    named = LETTERS.index(letter[1].upper()) if letter else -1
    if letter and not (labels and ways) and named < len(options):
        ways.add(named)
    if len(ways) > 1:
        raise FormatError(f"the answer {said!r} is the letter of one option and the text of another; write its number")
    if ways:
        return ways.pop()
    if re.fullmatch(r"\d{1,2}", said):
        return float(said)
    raise FormatError(f"the answer {said[:60]!r} is none of the {len(options)} options")


def _number_base(path: Path, answers: Iterable[float | None], counts: Iterable[int], given: int | None) -> int:
    """Whether answers that are numbers count from 0 or from 1."""
    numbers = [(answer, count) for answer, count in zip(answers, counts, strict=True) if answer is not None]
    if given is not None or not numbers:
        return given or 0
    if any(answer == 0 for answer, _ in numbers):
        return 0
    if any(answer == count for answer, count in numbers):
        return 1
    raise FormatError(f"{path}: whether answers count from 0 or 1 cannot be told; say --answers-from 0, or 1")


def _harness_scores(row: Mapping[str, Any]) -> list[Any]:
    """The log-likelihoods of options in a row of lm-evaluation-harness's samples."""
    found = []
    for each in row.get("resps") or row.get("filtered_resps") or []:
        while isinstance(each, list) and each:
            each = each[0]
        found.append(each)
    return found


def _row_scores(
    row: Mapping[str, Any], fields: Mapping[str, Any], options: Sequence[str], labels: Sequence[str], name: str
) -> dict[str, Floats]:
    """Probabilities of the options by method."""
    found: dict[str, Floats] = {}
    for key, kind in _SCORES.items():
        given = fields.get(key)
        if isinstance(given, str) and given.strip():
            try:
                given = json.loads(given)
            except ValueError:
                raise FormatError(f"{key} are {given[:60]!r}; expected a JSON list of numbers") from None
        if given in (None, "", [], {}):
            continue
        named = [*map(str.upper, labels)] if labels else [*LETTERS[: len(options)]]
        by_option = isinstance(given, list) or {str(each).upper() for each in given} <= {
            *named,
            *LETTERS[: len(options)],
        }
        for method, numbers in ({name: given} if by_option else given).items():
            if isinstance(numbers, dict):
                upper = {str(each).upper(): value for each, value in numbers.items()}
                numbers = [upper.get(each, upper.get(LETTERS[n])) for n, each in enumerate(named)]
            if method in found:
                raise FormatError(f"{method!r} has scores of two kinds")
            found[str(method)] = _probabilities(numbers, len(options), kind, key)
    columns = {str(key).strip(): value for key, value in row.items() if _SCORE_COLUMN.fullmatch(str(key).strip())}
    if columns and not found:
        kind = "logits" if next(iter(columns)).lower().startswith("log") else "probabilities"
        used = [value for value in columns.values() if value not in (None, "")]
        found[name] = _probabilities(used, len(options), kind, ", ".join(columns))
    return found


def _probabilities(numbers: object, options: int, kind: str, what: str) -> Floats:
    """Checked numbers as probabilities that sum to 1."""
    if not isinstance(numbers, list) or len(numbers) != options:
        count = len(numbers) if isinstance(numbers, list) else type(numbers).__name__
        raise FormatError(f"{what}: {count} for {options} options; expected a number for each")
    try:
        values = np.array([float("nan") if each is None else float(each) for each in numbers])
    except (TypeError, ValueError):
        raise FormatError(f"{what}: {str(numbers)[:80]}; expected a number for each option") from None
    if np.isnan(values).any() or (values == math.inf).any():
        raise FormatError(f"{what}: {str(numbers)[:80]}; NaN, null and infinity are not scores")
    if kind == "probabilities":
        if (values < 0).any():
            raise FormatError(f"{what}: {values.min():.3g}; expected no number below 0 (or give them as logits)")
        if not 0 < values.sum() <= 1.001:
            raise FormatError(f"{what} sum to {values.sum():.3g}; expected above 0, at most 1 (or give them as logits)")
        return np.asarray(values / values.sum())
    if not np.isfinite(values).any():
        raise FormatError(f"{what}: no option has a finite logarithm")
    if what != "logits" and "prob" in what and values.max() > 1e-3:
        raise FormatError(f"{what}: {values.max():.3g}; a log-probability is at most 0 (or give them as logits)")
    return np.asarray(_softmax(values[None, :])[0])


def _softmax(logits: Floats) -> Floats:
    found = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _read_archive(path: Path, data: bytes, stem: str) -> QuestionSet:
    """Arrays of logits with the right options, or without; an archive of Python objects is not read."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, OSError, KeyError, EOFError, BadZipFile) as error:
        raise FormatError(
            f"{path} is not an archive of arrays: {error}; expected numbers alone, saved by numpy.savez"
        ) from None
    by_method: dict[str, dict[str, Floats]] = {}
    shared = "label" in arrays
    for name, array in arrays.items():
        if array.ndim != 2 or array.dtype.kind != "f":
            continue
        if np.isnan(array).any() or (array == np.inf).any():
            raise FormatError(f"{path}: the array {name} contains NaN or infinity; expected logits")
        task = "" if shared else name.removesuffix("__logits")
        by_method.setdefault(name if shared else stem, {})[task] = _softmax(array.astype(np.float64))
    if not by_method:
        raise FormatError(f"{path} contains {', '.join(arrays)[:200]}; expected arrays of shape (questions, options)")
    first = next(iter(by_method.values()))
    if any(
        {t: p.shape for t, p in each.items()} != {t: p.shape for t, p in first.items()} for each in by_method.values()
    ):
        raise FormatError(f"{path}: arrays of scores differ in shape; expected the same questions and options in all")
    questions = []
    for task, p in first.items():
        prefix = f"{task}__" if task else ""
        labels = arrays.get(f"{prefix}label", np.full(len(p), -1))
        if labels.shape != (len(p),) or labels.dtype.kind not in "iu" or (labels >= p.shape[1]).any():
            raise FormatError(
                f"{path}: {prefix}label has to hold the number of an option for each of {len(p)} questions"
            )
        own = arrays.get(f"{prefix}id", np.arange(len(p)))
        if len(set(own.tolist())) != len(p):
            raise FormatError(f"{path}: {prefix}id does not name each of {len(p)} questions once")
        letters = tuple(LETTERS[: p.shape[1]])
        questions += [
            Question(f"{prefix}{each}", "", letters, int(label), task, f"{prefix}{each}")
            for each, label in zip(own, labels, strict=True)
        ]
    most = max(p.shape[1] for p in first.values())
    recorded = {
        name: np.concatenate([np.pad(p, ((0, 0), (0, most - p.shape[1]))) for p in tasks.values()])
        for name, tasks in by_method.items()
    }
    return QuestionSet(tuple(questions), recorded)


def _rows(path: Path, data: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows, each with its place."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text ({error}); expected JSON lines or CSV") from None
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix in {".csv", ".tsv"}:
        heading = text.partition("\n")[0]
        comma = next((each for each in ("\t", ";") if "," not in heading and each in heading), ",")
        yield from _table_rows(path, text, "\t" if suffix == ".tsv" else comma)
        return
    if suffix == ".json" or text.lstrip()[:1] == "[":
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, dict):
            found = (whole.get(key) for key in ("data", "questions", "rows", "examples"))
            whole = next(
                (each for each in found if each and isinstance(each, list) and isinstance(each[0], dict)), whole
            )
        if isinstance(whole, dict) and all(isinstance(each, dict) for each in whole.values()):  # questions by id
            whole = [{"id": key, **each} for key, each in whole.items()]
        whole = [whole] if isinstance(whole, dict) else whole
        if isinstance(whole, list):
            for number, row in enumerate(whole, 1):
                yield from _objects(path, f"item {number}", row)
            return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{path}, line {number}: not JSON ({error}); expected an object a line") from None
            yield from _objects(path, f"line {number}", row)


def _objects(path: Path, place: str, row: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The questions of one object, which are several where a text has several (RACE)."""
    if not isinstance(row, dict):
        raise FormatError(f"{path}, {place}: {type(row).__name__}; expected an object for each question")
    row = row["row"] if isinstance(row.get("row"), dict) else row
    lists = [row.get(key) for key in ("questions", "options", "answers")]
    if not all(isinstance(each, list) for each in lists) or len({len(items_of(each)) for each in lists}) != 1:
        yield place, row
        return
    for number, (question, options, answer) in enumerate(zip(*map(items_of, lists), strict=True), 1):
        own = {"id": f"{row.get('id', place)}/{number}", "question": question, "options": options, "answer": answer}
        rest = {key: value for key, value in row.items() if key not in {"questions", "answers"}}
        yield f"{place}, question {number}", rest | own


def _table_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    if not rows:
        return
    head = [name.strip().lower() for name in rows[0]]
    if not {*_QUESTION, *_ID} & {*head} and len(head) > 3 and re.fullmatch(r"[A-J]", rows[0][-1].strip()):
        # MMLU's own files: question, options, letter, and no heading.
        names, start = ["question", *LETTERS[: len(head) - 2], "answer"], 0
    else:
        names, start = rows[0], 1
    for number, row in enumerate(rows[start:], start + 1):
        if len(row) != len(names):
            raise FormatError(f"{path}, row {number}: {len(row)} fields; expected {len(names)} as in the heading")
        yield f"row {number}", dict(zip(names, row, strict=True))


def _first_given(fields: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - somebody else's JSON
    return next((fields[name] for name in names if fields.get(name) is not None), None)
