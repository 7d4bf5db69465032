"""A study as runs of Weights & Biases (extra `wandb`), written offline; `wandb sync` sends them, if anybody does."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from honestly.errors import FormatError
from honestly.integrations._runs import tracked_study
from honestly.store import Store
from honestly.work import new_folder


def export_wandb(study: Store, place: str, *, project: str = "honestly") -> Iterator[str]:
    """Writes one W&B run per agent below `place`, with the report as a file; sends nothing.

    Args:
        study: Open for reading.
        place: A new directory.
        project: The project that the runs are to belong to.

    Raises:
        FormatError: W&B is not installed, or cannot write there.
    """
    try:
        import wandb
    except ImportError as error:
        raise FormatError("runs of Weights & Biases are written with it: pip install 'honestly[wandb]'") from error
    settings = wandb.Settings(silent=True, console="off", disable_git=True, save_code=False, x_disable_meta=True)
    with new_folder(Path(place)) as folder, tracked_study(study) as told:
        folder.mkdir(parents=True)
        for run in told.runs:
            try:
                open_run = wandb.init(
                    project=project, group=told.name, name=run.name, dir=str(folder), mode="offline",
                    config=run.params, settings=settings, reinit="create_new",
                )  # fmt: skip
                open_run.summary.update(run.metrics)
                page = shutil.copy(told.report, open_run.dir)  # elsewhere it would only be linked to
                open_run.save(page, base_path=open_run.dir, policy="now")
                open_run.finish()
            except (wandb.errors.Error, OSError) as error:
                raise FormatError(f"W&B could not write a run into {place}: {str(error)[:500]}") from error
            yield f"wandb sync {place}/wandb/{Path(open_run.dir).parent.name}"
