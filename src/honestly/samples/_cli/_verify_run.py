"""Judging samples and showing what came of it: kept from `_verify.py` so that help loads none of it."""

import importlib.util
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from honestly.command import print_json, say_on_stderr, stage_bars, without_controls
from honestly.runner import JudgedSample
from honestly.show import plural_text
from honestly.studies import VerifiedSamples, VerifySettings, verify_samples

_ABSENT = re.compile(r"No module named '([A-Za-z]\w{0,40})'", re.ASCII)


def run_verify(settings: VerifySettings, *, as_json: bool) -> int:
    """Judges with progress shown, prints; the exit code."""
    done, total = 0, 0

    def note(stage: str, at: int, of: int, words: str) -> None:
        nonlocal done, total
        done, total = (at, of) if stage == "judging" else (done, total)
        tell(stage, at, of, words)

    try:
        with stage_bars(quiet=as_json) as tell:
            found = verify_samples(**replace(settings, progress=note).given())
    except KeyboardInterrupt:
        say_on_stderr(f"stopped; kept {done} of {plural_text(total, 'result')}; run the same command again to finish")
        raise
    if as_json:
        print_json(found.to_plain())
    else:
        from rich.console import Console

        from honestly.samples._table import RatesView

        said = []
        for sign in dict.fromkeys(each.sign for each in found.collusion):
            groups = [each for each in found.collusion if each.sign == sign]
            shown = "; ".join(f"{each.problem}: {', '.join(map(str, each.samples[:5]))}" for each in groups[:3])
            count = sum(len(each.samples) for each in groups)
            more = ", ..." if len(groups) > 3 or any(len(each.samples) > 5 for each in groups) else ""
            said.append(
                f"Acting together? {sign}: {plural_text(count, 'sample')} of {plural_text(len(groups), 'problem')} "
                f"({without_controls(shown)}{more})."
            )
        notes = [note for note in _done_notes(found) if note] + said + _lacking(found.found)
        Console(emoji=False, markup=False).print(RatesView(found.rates, f"{found.suite} ({found.format})", notes))
    return 0 if found.whole else 1


def _lacking(found: Sequence[JudgedSample]) -> list[str]:
    """Advice for samples that failed for want of a package that is installed here."""
    absent = Counter(name[1] for sample in found if (name := _ABSENT.search(sample.judged.result)))
    return [
        f"{plural_text(count, 'sample')} did not find {name}, which is installed here: "
        f"`--with {name}` offers it to all."
        for name, count in sorted(absent.items())
        if importlib.util.find_spec(name) is not None
    ]


def _done_notes(done: VerifiedSamples) -> list[str]:
    survey, kept, unsealed = done.survey, done.kept, done.unsealed
    total, repeated = survey.total, survey.total - survey.distinct
    missing = len(survey.incomplete)
    return [
        f"{missing:,} of {len(survey.suite.tasks):,} problems have no sample, and are left out." if missing else "",
        f"{repeated:,} of {total:,} samples repeat an earlier one's text, and were judged with it." if repeated else "",
        f"{plural_text(kept, 'result')} from an earlier run." if kept else "",
        f"{unsealed:,} results in the file carried no seal of yours, and were not used." if unsealed else "",
        "Run without isolation (--unsafe-no-sandbox)." if done.settings.unsafe else "",
        f"Every sample's result: {done.settings.results}",
    ]
