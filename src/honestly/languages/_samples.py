"""Samples: what a model wrote for a puzzle in a language, as JSON lines; and the code in it.

A line has `language`, `puzzle`, `model` and `sample` (which one it is), and `text` (a whole answer) or `code`.
What models are asked here is written in the same form, so that it can be judged again, elsewhere or later.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honestly.errors import FormatError
from honestly.languages._puzzles import Puzzle
from honestly.languages._toolchains import TOOLCHAINS

_BLOCK = re.compile(
    r"^([ \t]*)(`{3,}|~{3,})[ \t]*([\w+#-]*)[^\n]*\n(.*?)(?:^\1?[ ]{0,3}\2|\Z)", re.MULTILINE | re.DOTALL
)
"""A block between fences, which are indented in lists."""
_THOUGHTS = r"think(?:ing)?|reasoning|thoughts?"
_THOUGHT = re.compile(rf"\s*(?:<(?:{_THOUGHTS})>|◁think▷|<\|channel\|>analysis)")
_THOUGHT_ENDS = re.compile(rf"</(?:{_THOUGHTS})>|◁/think▷|<\|channel\|>final<\|message\|>")
_UNMARKED = ("", "text", "plaintext", "code")
_MOST_CODE = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The settings with which samples of a model were drawn; None where it was left to the server."""

    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    """Of sample 0; each further one is asked with the next."""

    def __str__(self) -> str:
        known = {"temperature": self.temperature, "seeds from": self.seed, "tokens at most": self.max_tokens}
        return ", ".join(f"{name} {value:g}" for name, value in known.items() if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSample:
    """One program, or what a model wrote instead of one."""

    language: str
    puzzle: str
    model: str
    sample: int
    """Which of the model's samples for this puzzle in this language it is, from 0."""
    code: str | None
    """The program; None if the answer holds none."""
    tokens: int | None = None
    """Tokens that the answer took, where they are known."""
    drawn: Drawn = Drawn()


def code_of(text: str, language: str) -> str | None:
    """The program in an answer: its longest block of code in the language, or without any mark.

    Thoughts before the answer (`<think>` and its like) are none of it. Blocks in another language are no program in
    this one. An answer without a block holds none, either: what is prose in it would be guessed.
    """
    fences = TOOLCHAINS[language].fences
    # What follows the thoughts of an answer; servers may leave out what opens them.
    begins, ends = _THOUGHT.match(text), list(_THOUGHT_ENDS.finditer(text))
    if begins and not ends:
        without_thoughts = ""
    else:
        without_thoughts = text[ends[0 if begins else -1].end() :] if ends else text
    blocks = [
        (mark.lower(), re.sub(rf"^{indent}", "", code, flags=re.MULTILINE) if indent else code)
        for indent, _, mark, code in _BLOCK.findall(without_thoughts)
    ]
    for marks in (fences, _UNMARKED):
        found = [str(code) for mark, code in blocks if mark in marks and code.strip()]
        if found:
            return max(found, key=len)
    return None


def read_programs(
    path: Path, puzzles: Mapping[str, Puzzle], languages: Collection[str], *, torn: bool = False
) -> list[ProgramSample]:
    """The samples in a file that are of these languages; the same sample twice is an error.

    Args:
        path: The file.
        puzzles: By name.
        languages: Whose samples are wanted.
        torn: Whether a last line may be cut off, because a model was being asked when the program was killed.

    Raises:
        FormatError: A line is not a sample, or names a puzzle or a language that is not known.
        OSError: The file cannot be read.
    """
    found: dict[tuple[str, str, str, int], ProgramSample] = {}
    for where, row in _sample_rows(path, torn=torn):
        sample = _program_sample(where, row, puzzles)
        key = (sample.language, sample.puzzle, sample.model, sample.sample)
        if key in found:
            raise FormatError(f"{where}: sample {sample.sample} of {'/'.join(key[:3])} appears twice; number them")
        if sample.language in languages:
            found[key] = sample
    return list(found.values())


def _sample_rows(path: Path, *, torn: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                if torn and not line.endswith("\n"):
                    return
                raise FormatError(f"{path}, line {number}: not JSON ({error}); remove that line") from None
            if not isinstance(row, dict):
                raise FormatError(f"{path}, line {number}: expected an object, found {type(row).__name__}")
            yield f"{path}, line {number}", row


def _program_sample(where: str, row: Mapping[str, Any], puzzles: Mapping[str, Puzzle]) -> ProgramSample:
    language, puzzle = str(row.get("language")), str(row.get("puzzle"))
    if language not in TOOLCHAINS:
        raise FormatError(f"{where}: language is {language!r}; expected one of {', '.join(TOOLCHAINS)}")
    if puzzle not in puzzles:
        raise FormatError(f"{where}: puzzle is {puzzle!r}; expected one of {', '.join(puzzles)}")
    number, tokens = row.get("sample", 0), row.get("tokens")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise FormatError(f"{where}: sample is {number!r}; expected a whole number from 0")
    code, text = row.get("code"), row.get("text")
    if not isinstance(code, str) and not isinstance(text, str):
        raise FormatError(f"{where}: there is neither text nor code; expected what the model wrote")
    program = code if isinstance(code, str) else code_of(str(text), language)
    if program is not None and len(program) > _MOST_CODE:
        raise FormatError(f"{where}: the program has {len(program):,} characters; expected at most {_MOST_CODE:,}")
    temperature, most, seed = (row.get(name) for name in ("temperature", "max_tokens", "seed"))
    for name, value in (("temperature", temperature), ("max_tokens", most), ("seed", seed)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, float | int)):
            raise FormatError(f"{where}: {name} is {value!r}; expected a number, or nothing")
    return ProgramSample(
        language=language,
        puzzle=puzzle,
        model=str(row.get("model") or "samples"),
        sample=number,
        code=program if program and program.strip() else None,
        tokens=tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None,
        drawn=Drawn(
            temperature=temperature,
            max_tokens=None if most is None else int(most),
            seed=None if seed is None else int(seed) - number,
        ),
    )
