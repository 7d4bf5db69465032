"""Rejection-sampling fine-tuning: honest passes of a study as rows, and the configuration for TRL.

The defaults are those with which SWE-Gym trained (arXiv 2412.21139): five epochs at 1e-4, batches of eight, loss on
the agent's turns alone, at most two rows of a task.
"""

import json
from collections.abc import Callable
from pathlib import Path

from honestly.store import Store
from honestly.train._export import ExportedRows, TrainingDataOptions, export_training_data

SFT_DEFAULTS = {
    "learning_rate": 1e-4,
    "num_train_epochs": 5,
    "per_device_train_batch_size": 1,
    "gradient_accumulation_steps": 8,
    "max_length": 32768,
    "weight_decay": 0.01,
    "lr_scheduler_type": "cosine",
    "warmup_steps": 10,
    "assistant_only_loss": True,
    "logging_steps": 1,
    "report_to": "none",
}
"""What `sft.yaml` says of the training; change it there."""


def write_rft(
    study: Store,
    folder: Path,
    model: str,
    options: TrainingDataOptions | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> ExportedRows:
    """Writes the rows (`train.jsonl`, `test.jsonl`) into a new folder, and `FOLDER.yaml` for `trl sft --config`.

    Raises:
        HonestlyError: the folder cannot be made.
    """
    how = options or TrainingDataOptions(per_task=2)
    found = export_training_data(study, "sft", folder, how, progress)
    said: dict[str, object] = {
        "model_name_or_path": model,
        "dataset_name": str(folder.absolute()),
        "output_dir": str(folder.absolute()) + ".model",
        "seed": how.seed,
        **SFT_DEFAULTS,
    }
    if how.held_out:
        said |= {"dataset_test_split": "test", "eval_strategy": "epoch"}
    lines = [f"{name}: {json.dumps(value)}" for name, value in said.items()]
    rft_config_path(folder).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def rft_config_path(folder: Path) -> Path:
    """Where the configuration of a folder's rows is."""
    return folder.with_name(folder.name + ".yaml")
