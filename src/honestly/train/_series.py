"""The readings of a training log: a step, and values of the few series that a watch looks at.

What is read: JSON lines (Hugging Face, W&B's history), CSV and TSV (also as W&B, TensorBoard and MLflow
export it), one JSON document (`trainer_state.json`, Megatron's golden values), TensorBoard's event files, MLflow's
`metrics/` folders, and text of the kinds that Megatron, nanoGPT, llm.c, OLMo and torchtitan print; each may be
compressed with gzip. Series are recognised by their names; of several names for one series the most telling one is
read. A file that grows is read as it grows.

Not covered: W&B's own binary files, and logs whose lines have no step, other than dictionaries as Hugging Face prints.
"""

import codecs
import csv
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

from honestly.errors import FormatError
from honestly.train._tensorboard import is_record, read_events

_TRAIN = r"(?:avg_|mean_|running_)?(?:tr(?:ain(?:ing|er)?)?_)?"
_AFTER = "(?:_step|_total|_train(?:ing)?|_batch|_iter|_mean|_avg|_ema)?"
_NAMES: dict[str, tuple[str, ...]] = {
    # Of several, the first: the language model's own loss says more than one with other terms.
    "loss": (
        rf"{_TRAIN}lm_loss",
        rf"{_TRAIN}(?:cross_?entropy|ce|nll)(?:_?loss)?",
        rf"{_TRAIN}(?:batch_|total_|step_|iter_|(?:global_)?avg_|mean_|running_)?loss{_AFTER}|loss_metrics_global_avg_loss|trl",
        r"(?:.*_)?(?:pg|policy)_loss",
    ),
    "grad_norm": (r"(?:.*_)?(?:total_)?grad(?:ient)?s?_?norm(?:_total|_step)?|gnorm|norm",),
    "lr": (r"(?:.*_)?(?:lr|learning_rate)(?:_group_?0)?",),
    "entropy": (r"(?!.*cross)(?:.*_)?entropy(?:_mean)?",),
    "length": (r"(?:.*_)?(?:completions?|responses?|generations?|outputs?)_(?:mean_)?len(?:gth)?s?(?:_mean)?",),
    "hack_rate": (r"(?:.*_)?hack(?:s|ed|ing)?_(?:rate|share|fraction)",),
    "activation": (
        r"(?:.*_)?max_(?:abs_)?(?:act(?:ivation)?s?|att(?:ention|n)_logits?)",
        r"(?:.*_)?(?:act(?:ivation)?s?|att(?:ention|n)_logits?)_(?:abs_)?max",
    ),
    "router": (r"(?:.*_)?(?:router|experts?|moe)_(?:.*_)?(?:max_?load|load_max|imbalance|max_?vio(?:lation)?|z_loss)",),
    "skipped": (r"(?:number_of_)?skipped(?:_iterations|_steps)?",),
    "action": (r"action",),
}
SERIES = tuple(_NAMES)
_RANKED = [(series, rank, re.compile(each)) for series, all_ in _NAMES.items() for rank, each in enumerate(all_)]
_NOT_TRAINING = {"val", "valid", "validation", "eval", "test", "dev"}
_STEPS = (
    *("step", "_step", "global_step", "iteration", "iter", "num_updates", "trainer/global_step"),
    "train/global_step",
)
_NUMBER = re.compile(r"(?<![\w.])([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|(?i:nan|inf(?:inity)?)\b))")
_TEXT_STEPS = {*_STEPS, "s", "it", "steps"}
_EVALUATION = re.compile(r"\bval(?:id|idation)?[ _/]loss", re.IGNORECASE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LOG = re.compile(r"\.(?:jsonl|csv|log|txt)$|^trainer_state\.json$")
_ALONE = re.compile(r"^\s+[\w/. -]+=|^\s*\{'")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a log says of one step."""

    step: int
    values: Mapping[str, float]
    """By series; NaN and infinity as the log has them."""
    action: str = ""
    """What was done to the run here, if the log says so."""


@dataclass(slots=True)
class TrainingLog:
    """A log as it is read."""

    path: Path
    named: Mapping[str, str] = field(default_factory=dict)
    """Series by the names that the log gives them, where the user says which; `none` of one that is not looked at."""
    wait: Callable[[], bool] = lambda: False
    """Called at the end of a file: true once there may be more, false to end."""
    left_out: Counter[str] = field(default_factory=Counter)
    """What was not read, by the reason."""
    _chosen: dict[str, tuple[int, str]] = field(default_factory=dict)
    _named_seen: set[str] = field(default_factory=set)

    def readings(self) -> Iterator[Reading]:
        """What it says, in the order of the log.

        Raises:
            FormatError: Nothing is there, or nothing that a watch understands.
        """
        if unknown := sorted(set(self.named) - set(SERIES)):
            raise FormatError(f"there is no series {unknown[0]!r}; there are: {', '.join(SERIES[:-1])}")
        found = False
        for reading in self._readings():
            found |= bool(reading.values.keys() - {"lr", "skipped"})
            yield reading
        if not found:
            said = ", ".join(f"{series}={name}" for series, name in self.named.items())
            if without := _without_rows(self.path):
                raise FormatError(f"{self.path} {without}; expected a training log with steps and values")
            raise FormatError(
                f"{self.path} has no series that a watch looks at ({', '.join(SERIES[:-2])})"
                + (f", with {said}: expected numbers, each with its step" if said else "")
                + "; if they have other names there, say --series loss=NAME"
            )
        wanted = {series for series, theirs in self.named.items() if theirs != "none"}
        if absent := sorted(wanted - self._named_seen):
            name = self.named[absent[0]]
            raise FormatError(f"{self.path} has nothing of the name {name!r}, which was to be {absent[0]}")

    def _readings(self) -> Iterator[Reading]:
        if not self.path.is_dir():
            yield from self._file_readings(self.path)
            return
        events = sorted(self.path.rglob("*tfevents*"), key=lambda each: (each.name, str(each)))
        if len(runs := sorted({str(each.parent) for each in events})) > 1:
            raise FormatError(f"{self.path} contains {len(runs)} runs of TensorBoard ({', '.join(runs[:3])}); name one")
        for each in events:  # a resumed run writes a new file
            wait = self.wait if each == events[-1] else lambda: False
            yield from self._rows(read_events(each, _opened_log(each), wait))
        metrics = [each for each in (self.path, *sorted(self.path.rglob("metrics"))) if each.name == "metrics"]
        if len(metrics) == 1 and not events:
            folder = metrics[0]
            rows: list[tuple[int, int, str, str]] = []
            for file in sorted(each for each in folder.rglob("*") if each.is_file()):
                for line in file.read_text("utf-8", "replace").splitlines():
                    cells = line.split()
                    if len(cells) == 3 and cells[0].isdigit() and cells[2].lstrip("-").isdigit():
                        rows.append((int(cells[0]), int(cells[2]), file.relative_to(folder).as_posix(), cells[1]))
            rows.sort(key=lambda row: row[0])  # by time, so that a step that goes back is seen
            yield from self._rows([(step, [(name, value)]) for _, step, name, value in rows])
        elif not events:
            logs = [each for each in self.path.iterdir() if _LOG.search(each.name)]
            if len(logs) != 1:
                found = f"{len(logs)} logs and {len(metrics)} runs of MLflow" if logs or metrics else "no training log"
                raise FormatError(f"{self.path} contains {found}; name one log, or the folder of one run")
            yield from self._file_readings(logs[0])

    def _file_readings(self, path: Path) -> Iterator[Reading]:
        try:
            with _opened_log(path) as file:
                start = file.read(4096)
        except OSError as error:
            raise FormatError(f"{path} cannot be read ({error.strerror or error}); name a training log") from error
        if is_record(start):
            yield from self._rows(read_events(path, _opened_log(path), self.wait))
            return
        text = start.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
        first = re.split(r"[\r\n]", text, maxsplit=1)[0]
        whole = _document(path) if text[:1] in {"{", "["} and not _is_json(first) else None
        delimiter = max(",\t;", key=first.count)
        if whole is not None:
            yield from self._rows(whole)
        elif text[:1] == "{" and _is_json(first):
            yield from self._rows(self._json_lines(_followed_lines(path, self.wait)))
        elif any(map(_step_named, next(csv.reader([first], delimiter=delimiter), ()))):
            yield from self._rows(self._delimited_steps(_followed_lines(path, self.wait), delimiter))
        else:
            yield from self._rows(self._text(_followed_lines(path, self.wait)))

    def _rows(self, rows: Iterable[tuple[int, Iterable[tuple[str, Any]]]]) -> Iterator[Reading]:
        for step, pairs in rows:
            values: dict[str, float] = {}
            action = ""
            for name, value in pairs:
                series = self._series_of(name)
                if series == "action":
                    action = str(value)
                elif series and value is None:
                    self.left_out[f"{series} is null"] += 1
                elif series:
                    try:
                        values[series] = float(value)
                    except (TypeError, ValueError):
                        self.left_out[f"{series} is not a number"] += 1
            if values or action:
                yield Reading(step, values, action)

    def _series_of(self, name: str) -> str:
        if self.named:
            for series, theirs in self.named.items():
                if name == theirs:
                    self._named_seen.add(series)
                    return series
        series, rank = _recognised(name)
        if not series or series in self.named:
            return ""
        chosen = self._chosen.setdefault(series, (rank, name))
        if rank < chosen[0]:
            chosen = self._chosen[series] = (rank, name)
        return series if chosen[1] == name else ""

    def _json_lines(self, lines: Iterable[str]) -> Iterator[tuple[int, Iterable[tuple[str, Any]]]]:
        for count, line in enumerate(lines):
            if not line.strip():
                continue
            try:
                row = json.loads(line)  # it reads NaN and Infinity, which training logs have
            except ValueError:
                self.left_out["a line is not JSON"] += 1
                continue
            if isinstance(row, dict):
                yield _json_row(row, count)
            else:
                self.left_out["a line is not an object"] += 1

    def _delimited_steps(self, lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, Iterable[tuple[str, Any]]]]:
        rows = csv.reader(lines, delimiter=delimiter)
        head = [each.strip() for each in next(rows)]
        at = next(number for number, each in enumerate(head) if _step_named(each))
        lower = [each.lower() for each in head]
        key = next((lower.index(each) for each in ("key", "metric", "tag") if each in lower), None)
        value = lower.index("value") if "value" in lower else None
        for row in rows:
            if len(row) != len(head):
                self.left_out["a row has not as many cells as the head"] += bool(row)
                continue
            rest = [each.strip().lower() for number, each in enumerate(row) if number != at]
            if len(rest) > 1 and not set(rest) - {"", "nan"}:
                self.left_out["a row is empty"] += 1
                continue
            try:
                step = int(float(row[at]))
            except ValueError:
                self.left_out["a row has no step"] += 1
                continue
            if value is not None and head[value] not in self.named.values():
                # a row a value: MLflow's and TensorBoard's exports
                yield step, [(row[key] if key is not None else self.path.stem, row[value])]
            else:
                yield step, [pair for pair in zip(head, row, strict=True) if pair[1].strip()]

    def _text(self, lines: Iterable[str]) -> Iterator[tuple[int, Iterable[tuple[str, Any]]]]:
        step = -1
        for line in lines:
            if "\x1b" in line:
                line = _COLOUR.sub("", line)
            if "val" in line and _EVALUATION.search(line) and not any(each in line for each in self.named.values()):
                continue  # of another kind of loss
            parts = _NUMBER.split(line)
            at, pairs = None, []
            for gap, number in zip(parts[::2], parts[1::2], strict=False):
                name = _name_before(gap, tuple(self.named.values()))
                if name == "step":
                    at = int(number) if at is None and number.isdigit() else at
                elif name:
                    pairs.append((name, number))
            if at is not None:
                step = at
            elif not _ALONE.match(line):
                continue  # prose
            elif "{" in line:
                step += bool(pairs)
            if pairs:
                yield step, pairs


@lru_cache(4096)
def _name_before(gap: str, named: tuple[str, ...]) -> str:
    """The name of a series, or `step`, that ends what is before a number in a line; empty if there is none."""
    words = re.split(r"[|,;{}()\[\]]", gap)[-1].strip(" \t:='\"").split()
    for count in (len(words), 2, 1):
        name = " ".join(words[-count:])
        if name.lower() in _TEXT_STEPS:
            return "step"
        if name and (name in named or _recognised(name)[0]):
            return name
    return ""


@lru_cache(4096)
def _recognised(name: str) -> tuple[str, int]:
    """The series of this name, and how far down its list the name stands; an empty text if it is none."""
    if name.endswith(("__MIN", "__MAX")):  # what W&B's tables have beside each series
        return "", 0
    plain = re.sub(r"[^a-z0-9]+", "_", name.rpartition(" - ")[2].lower()).strip("_")
    if _NOT_TRAINING & set(plain.split("_")):
        return "", 0
    for series, rank, pattern in _RANKED:
        short = plain.partition("_")[2] if plain.partition("_")[0] in {"optim", "actor", "metrics", "s"} else plain
        if pattern.fullmatch(plain) or pattern.fullmatch(short):
            return series, rank
    return "", 0


def _step_named(name: str) -> bool:
    return name.strip().lower() in _STEPS


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _json_row(row: dict[str, Any], count: int) -> tuple[int, list[tuple[str, Any]]]:
    step = next((row[name] for name in _STEPS if isinstance(row.get(name), int | float | str)), count)
    try:
        at = int(float(step))
    except (ValueError, OverflowError):
        at = count
    pairs: list[tuple[str, Any]] = []
    for name, value in row.items():
        if isinstance(value, dict):  # one level: {"train": {"loss": 2.1}}
            pairs += [(f"{name}/{inner}", each) for inner, each in value.items() if not isinstance(each, dict | list)]
        elif not isinstance(value, list):
            pairs.append((name, value))
    return at, pairs


def _document(path: Path) -> list[tuple[int, list[tuple[str, Any]]]] | None:
    """The rows of one JSON document, or None where the file is none."""
    try:
        whole = json.loads(_opened_log(path).read())
    except ValueError:
        return None
    rows = whole.get("log_history", whole) if isinstance(whole, dict) else whole
    if isinstance(rows, list):
        return [_json_row(row, count) for count, row in enumerate(rows) if isinstance(row, dict)]
    by_step: dict[int, list[tuple[str, Any]]] = {}
    for name, series in rows.items():  # Megatron's golden values: each series by its steps
        values = series.get("values", {}) if isinstance(series, dict) else {}
        for step, value in values.items() if isinstance(values, dict) else ():
            if step.isdigit() and value != "nan":
                by_step.setdefault(int(step), []).append((name, value))
    return sorted(by_step.items())


def _opened_log(path: Path) -> IO[bytes]:
    file = path.open("rb")
    start = file.read(2)
    file.seek(0)
    return cast("IO[bytes]", gzip.open(file)) if start == b"\x1f\x8b" else file


def _followed_lines(path: Path, wait: Callable[[], bool]) -> Iterator[str]:
    """The lines of a file; at its end more, while `wait` says so, and at last what has no end of line."""
    rest, here = b"", path.stat()
    with ExitStack() as stack:
        file = stack.enter_context(_opened_log(path))
        while True:
            block = file.read(1 << 16)
            now = path.stat() if not block and path.exists() else here
            if now.st_ino != here.st_ino or (now.st_size < here.st_size and now.st_size < file.tell()):
                file, rest = stack.enter_context(_opened_log(path)), b""  # it was begun anew
            here = now
            if block:
                *whole, rest = (rest + block).removeprefix(codecs.BOM_UTF8).split(b"\n")
                for line in whole:
                    yield from _split_line(line)
            elif not wait():
                break
    if rest:
        yield from _split_line(rest)


def _split_line(line: bytes) -> Iterator[str]:
    """A line, or what a progress bar has written over it: each part up to a carriage return."""
    text = line.decode("utf-8", "replace").rstrip("\r")
    yield from filter(None, text.split("\r")) if "\r" in text else [text]


def _without_rows(path: Path) -> str:
    """Why a file can have no readings, whatever its series are called; empty where it may."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        start = file.read(4096).strip()
    if start.startswith(b"SQLite format 3"):
        return "is a study or another database"
    names_only = b"," in start and start[:1] != b"{" and not start.count(b"\n")
    return "is empty" if not start else "has names and no row below" if names_only else ""
