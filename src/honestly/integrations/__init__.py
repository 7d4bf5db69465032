"""Bridges to other programs, each an extra.

Each name is loaded when it is first used, and the program that it leads to when it is called.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.integrations._mlflow import export_mlflow as export_mlflow
    from honestly.integrations._wandb import export_wandb as export_wandb


__getattr__, __dir__ = lazy_exports(__name__)
