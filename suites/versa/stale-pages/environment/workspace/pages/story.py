"""Plays stories: lists of steps, which are lists of words.

    ["write", "pages/team", "title: Our team\\n\\nWe are {{team}}."]
    ["delete", "parts/team"]
    ["build"]
"""

from pages.builder import Builder
from pages.sources import Sources


def play(steps: list[list[str]]) -> Builder:
    """The builder after all steps, which begin with no files and nothing built.

    Raises:
        ValueError: a step is not as above.
    """
    builder = Builder(Sources())
    for step in steps:
        match step:
            case ["write", path, text]:
                builder.sources.write(path, text)
            case ["delete", path]:
                builder.sources.delete(path)
            case ["build"]:
                builder.build()
            case _:
                raise ValueError(f"not a step: {step}")
    return builder


def is_stale(steps: list[list[str]]) -> bool:
    """Whether the output after a story and a further build is another than that of a new builder."""
    builder = play([*steps, ["build"]])
    fresh = Builder(builder.sources)
    fresh.build()
    return builder.output != fresh.output
