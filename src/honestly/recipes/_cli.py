"""`honestly recipe`: a published training result in the small, and its page."""

import os
from pathlib import Path

import click

from honestly.command import Name, json_option, print_answer, progress_bar, say_on_stderr, show


@click.command()
@click.argument("name", required=False, type=Name("recipes:RECIPES"))
@click.option("--seeds", type=click.IntRange(1, 1000), help="How many seeds.  [default: 10; 2 with --quick]")
@click.option("--first-seed", default=0, show_default=True, type=click.IntRange(0), help="The lowest seed.")
@click.option("--quick", is_flag=True, help="Use a small configuration, for tests; it proves nothing.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write.  [default: runs/recipe-NAME]",
)
@json_option
def recipe(name: str | None, seeds: int | None, first_seed: int, quick: bool, out: Path | None, as_json: bool) -> None:
    """Reproduce a published training result in the small, with controls and seeds, and write its page.

    Without NAME, lists the recipes. Run the same command again to resume. The folder has the page (recipe.md,
    recipe.html), the results as a study (NAME.honestly) and the journal. See docs/recipes.md.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of matrices this small, threads wait for each other
    from honestly.errors import HonestlyError
    from honestly.recipes import RECIPES, recipe_report, run_recipe, write_pages
    from honestly.studies import import_all

    if name is None:
        show("\n".join(f"{each.name:<16} {each.title}" for each in RECIPES.values()), wrap=False)
        return
    if name not in RECIPES:
        raise HonestlyError(f"there is no recipe {name!r}; there are: {', '.join(RECIPES)}")
    chosen = RECIPES[name]
    folder = out or Path("runs") / f"recipe-{name}{'-quick' if quick else ''}"
    seeds = seeds or (2 if quick else 10)
    numbers = range(first_seed, first_seed + seeds)
    with progress_bar(name, quiet=as_json) as line:
        results = run_recipe(chosen, folder, numbers, quick=quick, progress=line)
    command = f"honestly recipe {name} --seeds {seeds}" + (f" --first-seed {first_seed}" if first_seed else "")
    report = recipe_report(chosen, results, command + (" --quick" if quick else ""))
    table = write_pages(report, results, folder, lower_is_better=chosen.lower_is_better)[-1]
    study = folder / f"{name}.honestly"
    study.unlink(missing_ok=True)  # it holds what the table does, and nothing else
    import_all([table], study, "table")
    if chosen.write_study is not None and not (flagged := folder / "flagged.honestly").exists():
        chosen.write_study(flagged, first_seed, quick)
        say_on_stderr(f"what its monitor flags: honestly audit {flagged}")
    if not as_json:
        say_on_stderr(f"its page is {folder / 'recipe.md'}; its study: honestly report {study}")
    print_answer(report, as_json=as_json)
