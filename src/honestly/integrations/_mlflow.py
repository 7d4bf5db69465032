"""A study as runs of MLflow (extra `mlflow`), in a server, a database or a directory that the user names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from honestly.errors import FormatError
from honestly.integrations._runs import tracked_study
from honestly.store import Store

_LONGEST = 6000
"""Characters of a parameter that MLflow takes."""
_ALLOW = "MLFLOW_ALLOW_FILE_STORE"


def export_mlflow(study: Store, place: str) -> Iterator[str]:
    """Logs one MLflow run per agent, in an experiment with the study's name and the report as an artifact.

    Args:
        study: Open for reading.
        place: A tracking URI (`http://...`, `sqlite:///...`), or a directory.

    Raises:
        FormatError: MLflow is not installed, or cannot be reached there.
    """
    try:
        import mlflow
    except ImportError as error:
        raise FormatError("runs of MLflow are logged with it: pip install 'honestly[mlflow]'") from error
    uri = place if "://" in place else Path(place).absolute().as_uri()
    with _file_store(uri), tracked_study(study) as told:
        try:
            client = mlflow.MlflowClient(tracking_uri=uri)
            known = client.get_experiment_by_name(told.name)
            experiment = known.experiment_id if known else client.create_experiment(told.name)
            for run in told.runs:
                at = client.create_run(experiment, run_name=run.name).info.run_id
                for key, text in run.params.items():
                    client.log_param(at, key, text[:_LONGEST])
                for key, value in run.metrics.items():
                    client.log_metric(at, key, value)
                client.log_artifact(at, str(told.report))
                client.set_terminated(at)
                yield f"run {at}: {run.name}"
        except (mlflow.exceptions.MlflowException, ImportError, OSError) as error:
            raise FormatError(f"MLflow at {uri} did not take everything: {str(error)[:500]}") from error


@contextmanager
def _file_store(uri: str) -> Iterator[None]:
    """While this lasts MLflow writes into a directory, where the user named one: newer versions want to be told so."""
    before = os.environ.get(_ALLOW)
    if uri.startswith("file:"):
        os.environ[_ALLOW] = before or "true"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_ALLOW, None)
