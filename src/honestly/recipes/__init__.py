"""Published training results, reproduced at small scale: each a short program with controls and seeds.

`RECIPES` has them by name, `run_recipe` runs one and keeps each (arm, seed) in a journal, `recipe_report` says which of
its claims hold over the seeds, and `write_pages` writes that down, with the results as a table that is a study.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.recipes._pages import write_pages as write_pages
    from honestly.recipes._recipe import (
        ArmResult as ArmResult,
        Recipe as Recipe,
        RecipeClaim as RecipeClaim,
        run_recipe as run_recipe,
    )
    from honestly.recipes._report import (
        ArmValue as ArmValue,
        CheckedClaim as CheckedClaim,
        RecipeReport as RecipeReport,
        recipe_report as recipe_report,
    )
    from honestly.recipes._shelf import RECIPES as RECIPES


__getattr__, __dir__ = lazy_exports(__name__)
