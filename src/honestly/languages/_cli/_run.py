"""Asking, judging and telling about languages: kept from `_languages.py` so that help loads none of it."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import click

from honestly.command import print_answer, print_json, say_on_stderr, stage_bars
from honestly.errors import FormatError, TaskError
from honestly.languages import (
    TOOLCHAINS,
    Drawn,
    JudgedProgram,
    ProgramResults,
    ProgramSample,
    cells_of,
    correlations_of,
    find_toolchain,
    judge_programs,
    load_puzzles,
    missing_samples,
    read_corpus,
    read_programs,
)
from honestly.languages._ask import ask_for_samples
from honestly.languages._cli._request import Request
from honestly.languages._find import FoundToolchain, languages_named
from honestly.languages._puzzles import Puzzle
from honestly.runner import default_jobs
from honestly.show import plural_text
from honestly.work import Journal

Tell = Callable[[str, int, int, str], None]


def doctor(request: Request, *, as_json: bool) -> int:
    """Lists toolchains; 1 if one is missing."""
    rows = []
    for name in languages_named(request.languages):
        own, found = TOOLCHAINS[name], find_toolchain(name)
        version = found.version if found else None
        rows.append(
            {"language": name, "title": own.title, "version": version, "install": own.install, "note": own.note}
        )
    if as_json:
        print_json({"toolchains": rows})
    else:
        for row in rows:
            state = row["version"] or f"missing: {row['install']}"
            click.echo(f"{row['title']:<12} {state}{' (' + str(row['note']) + ')' if row['note'] else ''}")
    return int(any(row["version"] is None for row in rows))


def write_prompts(request: Request) -> int:
    """Writes what a model is asked, a line for each puzzle in each language."""
    for name in languages_named(request.languages):
        for puzzle in load_puzzles(request.puzzles).values():
            row = {"language": name, "puzzle": puzzle.name, "prompt": puzzle.puzzle_prompt(TOOLCHAINS[name])}
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    return 0


def run_languages(path: Path, request: Request, figures: Path | None, *, as_json: bool) -> int:
    """Asks if a model is named, judges, and prints the table; the exit code."""
    puzzles = load_puzzles(request.puzzles)
    named = languages_named(request.languages)
    toolchains = {name: found for name in named if (found := find_toolchain(name))}
    corpus = read_corpus(request.corpus) if request.corpus else {}
    with stage_bars(quiet=as_json) as tell:
        samples = _samples_of_file(path, request, puzzles, named, toolchains, tell)
        there = [each for each in samples if each.language in toolchains]
        if not there:
            raise TaskError(
                f"{path} contains {len(samples)} samples of languages asked for, none of a language that can run here; "
                "`honestly bench languages doctor` says how to install one"
            )
        judged = _judge_samples(path, request, puzzles, toolchains, there, tell)
    from honestly.languages._report import LanguagesReport

    cells = cells_of(judged, request.level)
    asked = {each.language for each in samples} if request.model is None else set(named)
    shown = dict.fromkeys(cell.language for cell in cells)
    report = LanguagesReport(
        tuple(cells),
        tuple(correlations_of(cells, corpus)),
        {name: toolchains[name].version for name in shown},
        {name: TOOLCHAINS[name].install for name in named if name in asked and name not in toolchains},
        request.level,
        (
            *(f"{TOOLCHAINS[name].title} {TOOLCHAINS[name].note}." for name in shown if TOOLCHAINS[name].note),
            *(
                f"{count} samples of {model} were drawn with {how}."
                for (model, how), count in Counter((each.model, str(each.drawn)) for each in there).items()
                if how
            ),
        ),
    )
    print_answer(report, as_json=as_json, figures=figures)
    return 0


def _samples_of_file(
    path: Path,
    request: Request,
    puzzles: Mapping[str, Puzzle],
    named: tuple[str, ...],
    toolchains: Mapping[str, FoundToolchain],
    tell: Tell,
) -> list[ProgramSample]:
    """The samples of a file, after a model was asked for those that were missing."""
    if request.model is None:
        return read_programs(path, puzzles, named)
    from honestly.models import ModelSource, read_rate

    model = ModelSource(rate=read_rate(request.rate) if request.rate else None)(request.model)
    with Journal(path) as out:  # before it is read: another command may be asking for the same
        there = read_programs(path, puzzles, named, torn=True)
        able = [name for name in named if name in toolchains]
        drawn = Drawn(temperature=request.temperature, max_tokens=request.max_tokens, seed=request.seed)
        if other := next((each.drawn for each in there if each.model == model.name and each.drawn != drawn), None):
            raise FormatError(
                f"{path} contains samples of {model.name} with other settings ({str(other) or 'by default'}); "
                "pass@k is of samples with the same settings: use those, or name another file"
            )
        left = missing_samples(there, model.name, able, puzzles, request.count)
        jobs = request.jobs or default_jobs()

        async def ask_for_missing() -> None:
            await ask_for_samples(
                model,
                puzzles,
                left,
                out,
                drawn=drawn,
                jobs=jobs,
                progress=lambda done, total: tell("asking", done, total, ""),
            )

        anyio.run(ask_for_missing)
        return read_programs(path, puzzles, named, torn=True)


def _judge_samples(
    path: Path,
    request: Request,
    puzzles: Mapping[str, Puzzle],
    toolchains: Mapping[str, FoundToolchain],
    samples: list[ProgramSample],
    tell: Tell,
) -> list[JudgedProgram]:
    out = request.out or path.with_name(f"{path.stem}_results.jsonl")
    jobs = request.jobs or default_jobs()

    async def judge() -> list[JudgedProgram]:
        return await judge_programs(
            samples,
            puzzles,
            toolchains,
            results,
            jobs=jobs,
            cpu_s=request.cpu_s,
            progress=lambda done, total, words: tell("judging", done, total, words),
        )

    with ProgramResults(out) as results:
        try:
            return anyio.run(judge)
        except KeyboardInterrupt:
            say_on_stderr(
                f"stopped; kept {plural_text(len(results.known), 'verdict')}; run the same command again to finish"
            )
            raise
