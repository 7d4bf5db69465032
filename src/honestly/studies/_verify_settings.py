"""Settings of `honestly.verify_samples`, which are the options of `honestly bench samples`."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from honestly._settings import Settings, setting, tell_nobody
from honestly.errors import SettingsError


@dataclass(frozen=True, slots=True)
class VerifySettings(Settings):
    """The settings of `verify_samples`."""

    problems: str | Path
    """A file of HumanEval, EvalPlus, MBPP or LiveCodeBench; or a folder of repository tasks."""
    samples: str | Path
    """Lines of JSON with `task_id` and `completion` or `solution`, and others (docs/verify.md)."""
    _: KW_ONLY
    ks: "str | Sequence[int]" = setting("1,10,100", "Values of k for pass@k.", "-k", metavar="K[,K...]")
    out: str | Path | None = setting(None, "Keep results here.  [default: SAMPLES_results.jsonl]", "-o")
    format: str = setting(
        "",
        "Of PROBLEMS (honestly plugin list problems), or your own MODULE:OBJECT.  [default: seen from its keys]",
        metavar="FORMAT",
    )
    timeout: float | None = setting(
        None,
        "The most seconds per sample (docs/verify.md).  [default: by format]",
        metavar="S",
        least=0.01,
        most=86_400,
    )
    packages: str | Sequence[str] = setting(
        (),
        "An installed package that samples and tests may use, such as numpy, with its dependencies. Repeatable.",
        "--with",
        metavar="PACKAGE",
    )
    ignore_incomplete: bool = setting(False, "Judge the problems that have samples, even if others have none.")
    rejudge: float = setting(
        0.01,
        "The share of passes to judge again, each alone in a new sandbox (at least 8). 0: none.",
        metavar="SHARE",
        least=0,
        most=1,
    )
    strict: bool = setting(False, "Count undecided passes as failed (docs/verdicts.md).")
    jobs: int | None = setting(None, "How many trials run at once.  [default: by cores and memory]", "-j", least=1)
    unsafe: bool = setting(
        False,
        "Run untrusted code without isolation. Recorded in the study, and shown in its reports.",
        "--unsafe-no-sandbox",
    )
    progress: Callable[[str, int, int, str], object] = tell_nobody
    """Told what is being done, how many are done, of how many, and how the last one ended."""

    @property
    def counts(self) -> tuple[int, ...]:
        """The k of each pass@k.

        Raises:
            SettingsError: it is not a list of whole numbers.
        """
        words = self.ks.split(",") if isinstance(self.ks, str) else list(map(str, self.ks))
        if not all(len(word) <= 6 and word.strip().isdecimal() and int(word) for word in words):
            raise SettingsError(f"-k {self.ks!r} is not a list of whole numbers from 1 to 999999, like 1,10,100")
        return tuple(sorted({int(word) for word in words}))

    @property
    def results(self) -> Path:
        """Where results are kept."""
        samples = Path(self.samples)
        return Path(self.out) if self.out else samples.with_name(samples.name + "_results.jsonl")
