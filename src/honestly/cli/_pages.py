"""`honestly help`: the pages of the documentation, which the wheel carries and a checkout has beside it.

Words that name no page are searched for: in the questions of `index.md` and the short answers of `questions.md`, in the
lines of commands, and in every section of every page. Parts are ranked by BM25 (Robertson and Zaragoza 2009), with
endings of words cut off. A word that is in no part counts as two that are, or as one that is spelt alike.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from difflib import get_close_matches
from functools import cache
from math import log
from pathlib import Path

import click

from honestly.cli._tree import COMMANDS
from honestly.command import Name

_PLACES = (Path(__file__).parents[1] / "pages", Path(__file__).parents[3] / "docs")
"""In a wheel, and in a checkout."""
_MOST = 5
_QUESTIONS = ("index", "questions")
"""Pages each line of whose lists answers a question."""
_STOPS = frozenset(
    "a an and are as at be by can do does for find from get give has have how i if in is it its know many me much my "  # noqa: SIM905
    "need of on one or run see set should so tell that the their them there this to use used using want was what when "
    "where whether which who why will with you your honestly".split()
)
_ALSO = {
    "expensive": "cost", "money": "cost", "dataset": "suite", "benchmark": "suite", "eval": "run", "evaluate": "run",
    "scorer": "grader", "assertion": "check", "epoch": "sample", "network": "internet", "safe": "sandbox",
    "safely": "sandbox", "isolation": "sandbox", "container": "docker", "alert": "gate", "regression": "worse",
    "chart": "figures", "plot": "figures", "dashboard": "view", "ui": "browser", "logs": "trials", "variance": "noise",
    "determinism": "seed", "interrupted": "resume", "abort": "stop", "cancel": "stop", "concurrency": "parallel",
    "workers": "jobs", "containers": "services", "saturation": "saturated", "transcripts": "trials", "pr": "pull",
    "mr": "pull", "dependency": "packages", "cheated": "cheating", "secret": "keys", "token": "tokens",
    "hf": "hugging", "finetune": "sft", "llm": "model", "provider": "model", "ranking": "rank",
}  # fmt: skip
"""Words of other programs and of people, and ours for the same thing."""
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|er|s|e|y)$")
_LINK = re.compile(r"\[[^]]*\]\(([^)#]+?)(?:\.md)?(?:#[^)]*)?\)")
_K1, _B, _TITLE = 1.2, 0.75, 3
"""Of BM25; and how often a word of a heading counts."""
_ASKED, _ASIDE = 1.5, 0.5
"""How much more a line counts that answers a question, and how much less a section that only experts look for."""
_EXPERTS = re.compile(r": (?:Formula|In Python|Picture|Not covered|What it does not \w+|Data)$")
_FROM_A_PAGE = 2
"""The most sections of one page among the answers."""


def pages_folder() -> Path:
    """The folder that holds the pages.

    Raises:
        click.ClickException: this installation has none.
    """
    for place in _PLACES:
        if (place / "run.md").is_file():
            return place
    raise click.ClickException("this installation has no pages; install honestly from its wheel, or from a checkout")


def page_names() -> list[str]:
    """All pages, as `help` takes them."""
    folder = pages_folder()
    return sorted(str(each.relative_to(folder).with_suffix("")) for each in folder.rglob("*.md"))


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("page", nargs=-1, type=Name("cli._pages:page_names"))
def help_(page: tuple[str, ...]) -> None:
    """Show PAGE of the documentation, or what answers a question in a few words. Without PAGE, list all pages."""
    folder, names = pages_folder(), page_names()
    if not page:
        for name in names:
            click.echo(f"{name:28} {_title((folder / f'{name}.md').read_text('utf-8'))}")
        return
    wanted = "-".join(page).removeprefix("docs/").partition("#")[0].removesuffix(".md")
    found = [name for name in names if name == wanted or name.rpartition("/")[2] == wanted]
    if not found:
        from honestly.seams import did_you_mean

        near = did_you_mean(wanted, names)
        answers = best_answers(" ".join(page), folder, [name for name in names if name != "api"])
        if not answers:
            raise click.UsageError(f"No page is {wanted!r}{near}, and none speaks of it; honestly help lists all.")
        click.echo(f"There is no page {wanted!r}{near}. These parts speak of it:\n", err=True)
        click.echo("\n".join(answers))
        return
    text = (folder / f"{found[0]}.md").read_text("utf-8")
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(emoji=False, markup=False)
    with console.pager(styles=True):
        console.print(Markdown(text))


def best_answers(words: str, folder: Path, names: Sequence[str]) -> list[str]:
    """The parts of the documentation that fit some words best, at most five, each with the page that holds it."""
    parts = list(_parts(folder, names))
    counts = [Counter(_stems(text)) + Counter(dict.fromkeys(_stems(title), _TITLE)) for title, text, _ in parts]
    lengths = [count.total() for count in counts]
    usual = sum(lengths) / len(parts)
    scores, asked = [0.0] * len(parts), set(_known_stems(words, frozenset().union(*counts)))
    for stem in asked:
        holding = [at for at, count in enumerate(counts) if stem in count]
        for at in holding:
            often, rare = counts[at][stem], log(1 + (len(parts) - len(holding) + 0.5) / (len(holding) + 0.5))
            scores[at] += rare * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * lengths[at] / usual))
    spoken = set(_words(words))
    for at, (title, _, line) in enumerate(parts):
        scores[at] *= len(asked & counts[at].keys()) * (1 + len(spoken & set(_words(title))) / len(spoken))
        scores[at] *= _ASKED if ": " in line and "`" in line else _ASIDE if _EXPERTS.search(title) else 1
    best = sorted((at for at in range(len(parts)) if scores[at] > 0), key=lambda at: -scores[at])
    found, seen = list[str](), Counter[str]()
    for at in best:
        page = parts[at][0].partition(" ")[0]
        seen[page] += 1
        if seen[page] <= _FROM_A_PAGE or page in _QUESTIONS:
            found.append(parts[at][2])
    return found[:_MOST]


def _parts(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """What can answer a question: its heading, its text, and the line that says it and where it is."""
    for words, (_, line) in COMMANDS.items():
        yield words, line, f"- {line} (honestly {words} --help)"
    for name in names:
        if name == "commands":
            continue
        text = (folder / f"{name}.md").read_text("utf-8")
        if name in _QUESTIONS:
            for item in re.findall(r"^- ((?:.+\n)+?)(?=- |\n|\Z)", text, re.MULTILINE):
                said = " ".join(_LINK.sub(r"honestly help \1", item).split())
                yield f"questions {said.partition(':')[0]}", said, f"- {said}"
        below = r"^## " if name in _QUESTIONS else r"^#{2,} "
        title, (head, *sections) = _title(text), re.split(below, text, flags=re.MULTILINE)
        if name == "index":
            continue
        for part in sections if name in _QUESTIONS else (head, *sections):
            heading = part.partition("\n")[0].lstrip("# ")
            where = title if heading == title else f"{title}: {heading}"
            yield f"{name} {where}", part, f"- {where} (honestly help {name})"


def _known_stems(words: str, known: Set[str]) -> Iterator[str]:
    """The stems of a question; of an unknown word, those of its two parts (`allowlist`) or of the nearest word."""
    for stem in (*_stems(words), *(_stem(_ALSO[word]) for word in _words(words) if word in _ALSO)):
        halves = ((_stem(stem[:at]), _stem(stem[at:])) for at in range(3, len(stem) - 2))
        both = next((pair for pair in halves if known >= set(pair)), ())
        yield from (stem,) if stem in known else both or get_close_matches(stem, known, 1, 0.8)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))


def _stems(text: str) -> list[str]:
    """The words of a text in lower case, without their endings and without those that every text has."""
    return [_stem(word) for word in _words(text) if word not in _STOPS]


@cache
def _stem(word: str) -> str:
    return re.sub(r"(.)\1$", r"\1", _ENDING.sub("", word))


def _title(text: str) -> str:
    return next((line.removeprefix("# ").strip() for line in text.splitlines() if line.startswith("# ")), "")
