"""Files that look like results and are none: they are recognised, and refused with the reason."""

import re
from collections.abc import Iterator

from honestly.formats._heads import Head
from honestly.formats._sources import FileReader, Item, Source, recorded_place, refused_defect

# Lines between two of dashes, with which a card in Markdown begins.
_FRONT_MATTER = re.compile(rb"\s*---[ \t]*\r?\n(?:[^\n]*\n){1,2000}?---[ \t]*\r?(?:\n|\Z)")


_MADE_OF_LOGS = "write a table of these with the columns agent, task and outcome"
# What is known by its first keys, and not read.
_UNREAD = {
    ("evalId", "results"): "results of promptfoo, which are not read",
    ("testRunData",): "a test run of DeepEval, which is not read",
    ("test_cases_lookup_map",): "DeepEval's memory of earlier answers, which is not read",
    ("model_name", "submitting_organization", "results"): "rates of domains from tau2-bench's leaderboard: no trial is "
    "named in it",
}


def _no_result_reason(head: Head) -> str:
    """The kind of a file that holds no result; empty where that is not known."""
    if head.has_keys("responses_create_params"):
        return "rows for training by reinforcement: tasks without an answer or a verdict"
    if head.has_keys("conversations") and b'"from"' in head.start:
        return "conversations for fine-tuning: what was done is written into texts, without a verdict"
    if head.has_keys("config", "env", "steps") and b'"loss"' in head.start:
        return "the curve of a training run: losses, not trials"
    if _FRONT_MATTER.match(head.start):
        return "a model or data card, or an agent's definition: text as its author has it, not trials"
    for keys, what in _UNREAD.items():
        if head.has_keys(*keys):
            return f"{what}; write a table of it with the columns agent, task and outcome"
    if head.has_keys("pass@1", "detail"):
        return "rates and grades without the ids of problems; LiveCodeBench writes them into `*_eval_all.json`"
    if not head.start and head.path.name in {"output.jsonl", "preds.json", "all_preds.jsonl", "samples.jsonl"}:
        return "it is empty: no trial is in it"
    if head.name.endswith("console_log.txt") and b"RUN.SH STARTING !#!#" in head.start:
        return f"the log of a trial of AutoGenBench; {_MADE_OF_LOGS}"
    if head.start.startswith(b"version https://git-lfs.github.com/spec/"):
        return "a pointer of Git LFS, whose file is not here; get it: git lfs pull"
    return ""


def recognises(head: Head) -> bool:
    """Whether it is one of these."""
    return bool(_no_result_reason(head))


def read(source: Source) -> Iterator[Item]:
    """Refuses each file."""
    for head in source.heads:
        yield refused_defect(recorded_place(head), "no results", _no_result_reason(head))


READER = FileReader("no-results", recognises, read)
