"""Predictions as SWE-bench's harness reads them (`--predictions_path`): instance, model, patch; nothing else.

The harness holds one prediction for an instance, so that each sample of an agent is a file of its own. The patch is
the one that was kept (`patch.diff`), or the difference between the task's files and those that the trial left.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from honestly.errors import FormatError
from honestly.formats._export import safe_name
from honestly.formats._patch_write import write_patch
from honestly.formats._seams import Exported, Remark
from honestly.records import Edit, Outcome, decode

_NO_PATCH = Remark("it has no patch: written with an empty one, which the harness counts as failed")


def export_swe_bench(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `AGENT/sample-N/predictions.jsonl`, a line for each trial."""
    for each in trials:
        if each.trial.outcome is not Outcome.VOID and not {"patch.diff", "final.json"} & {*each.artifacts}:
            yield "its patch was not kept"
            continue
        kept = each.artifacts.get("patch.diff")
        try:
            if kept is None and (final := each.artifacts.get("final.json")) is not None:
                kept = write_patch(each.task.workspace, decode(final, Edit))
            patch = (kept or b"").decode()
        except (FormatError, UnicodeDecodeError) as error:
            yield f"its patch cannot be read, or is not UTF-8, as predictions are: {error}"
            continue
        place = folder / safe_name(each.trial.agent) / f"sample-{each.trial.sample}"
        place.mkdir(parents=True, exist_ok=True)
        row = {"instance_id": each.task.id, "model_name_or_path": each.agent.name, "model_patch": patch}
        with (place / "predictions.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")
        yield "" if patch else _NO_PATCH
