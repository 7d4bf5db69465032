"""Ready-made samples judged in one call: each once, some passes again, and what looks as if samples acted together."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from honestly._settings import verb
from honestly.errors import SettingsError
from honestly.formats import problem_format, read_problems
from honestly.records import Suite
from honestly.runner import (
    Collusion,
    JudgedSample,
    ResultsFile,
    SampleProgress,
    Survey,
    collusion_signs,
    default_jobs,
    failing_references,
    found_so_far,
    judge_again,
    judge_samples,
    rejudged_verdicts,
    results_in_order,
    survey_samples,
)
from honestly.sandbox import open_sandbox, package_versions, packages_layout
from honestly.studies._verify_settings import VerifySettings

if TYPE_CHECKING:
    from honestly.samples import PassRates


@dataclass(frozen=True, slots=True)
class VerifiedSamples:
    """The results of samples: pass@k with intervals, each sample's result, what looks like cheating."""

    settings: VerifySettings
    suite: str
    """The name of the problems."""
    format: str
    """What they were read as; `tasks` of a folder."""
    survey: Survey
    found: tuple[JudgedSample, ...]
    rates: PassRates
    collusion: tuple[Collusion, ...]
    packages: tuple[str, ...]
    kept: int
    """Results that are from an earlier run."""
    unsealed: int
    """Results in the file that carried no seal of yours, and were not used."""

    @property
    def whole(self) -> bool:
        """Whether every sample has a verdict."""
        return not any(each.judged.status == "void" or each.judged.again == "void" for each in self.found)

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, as `honestly bench samples --json` prints it."""
        facts = {
            "problems": str(self.settings.problems),
            "format": self.format,
            "out": str(self.settings.results),
            "sandbox": _sandbox(self.settings),
            "packages": self.packages,
            "incomplete": self.survey.incomplete,
            "repeated": self.survey.total - self.survey.distinct,
            "kept": self.kept,
            "unsealed": self.unsealed,
            "collusion": self.collusion,
        }
        return {**self.rates.summary(), "results": self.rates.results(), **facts}


@verb(VerifySettings)
def verify_samples(settings: VerifySettings) -> VerifiedSamples:
    """Tests samples of models: pass@k with intervals, and what looks like cheating (docs/verify.md).

    Every result is kept at once; the same call goes on where it was stopped.

    Raises:
        FormatError: problems or samples cannot be read.
        SettingsError: a setting makes no sense for these problems.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    counts = settings.counts
    suite, form = _problems(settings)
    survey = survey_samples(Path(settings.samples), suite, ignore_incomplete=settings.ignore_incomplete)
    versions = package_versions(settings.packages)
    with ResultsFile(settings.results, _sandbox(settings), versions) as results:
        state, together, broken = _awaited(partial(_judge, survey, results, settings))
        found = tuple(results_in_order(survey, results))
        unsealed = results.unsealed
        again = rejudged_verdicts(survey, results)
    # Only now: what reports need would double the memory while the samples are judged. Threads for the algebra of some
    # hundred numbers cost more than the numbers.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from honestly.samples import pass_rates

    rates = pass_rates(found, counts, rejudged=again, strict=settings.strict, broken=broken)
    return VerifiedSamples(
        settings, suite.name, form, survey, found, rates, tuple(together), versions, state.kept, unsealed
    )


def _sandbox(settings: VerifySettings) -> str:
    return "none" if settings.unsafe else "namespaces"


def _awaited(work: Any) -> Any:  # noqa: ANN401 - what the work returns
    """What work returns, in an event loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return anyio.run(work)
    from honestly.studies._study import from_sync  # late: it needs what reports need

    return from_sync(work)


def _problems(settings: VerifySettings) -> tuple[Suite, str]:
    """The problems, and what they come from: a file in one of the formats, or a folder of tasks."""
    problems = Path(settings.problems)
    if not problems.is_dir():
        form = settings.format or problem_format(problems)
        return read_problems(problems, form, seconds=settings.timeout), form
    if settings.format or settings.timeout is not None:
        raise SettingsError(
            f"{problems} is a folder of tasks, which sets its own format and time limits; leave --format and "
            "--timeout out"
        )
    from honestly.tasks import load_suite, prepare_suite

    prepared: Suite = _awaited(partial(prepare_suite, load_suite(problems), unsafe=settings.unsafe))
    return prepared, "tasks"


async def _judge(
    survey: Survey, results: ResultsFile, settings: VerifySettings
) -> tuple[SampleProgress, Sequence[Collusion], dict[str, str]]:
    """Judges all, some passes again, and the references of problems that no sample passes."""

    def show(now: SampleProgress) -> None:
        stage = "judging again" if now.again else "judging"
        settings.progress(stage, now.done, now.total, now.latest.status if now.latest else "")

    open_box = partial(open_sandbox, unsafe=settings.unsafe, layout=packages_layout(settings.packages))
    jobs = settings.jobs or default_jobs()
    first = await judge_samples(survey, results, open_box, jobs, show)
    found = found_so_far(survey, results)
    together = await collusion_signs(survey, results, found, open_box)
    named = {(each.problem, number) for each in together.signs for number in each.samples}
    keys = {survey.key(at) for at, each in enumerate(found) if (each.problem, each.number) in named}
    alike = [set(map(survey.key, group)) for group in together.alike]
    share = settings.rejudge
    await judge_again(survey, results, open_box, share=share, suspected=keys, alike=alike, progress=show)
    return first, together.signs, await failing_references(survey, found, open_box, jobs)
