"""All recipes by name."""

from collections.abc import Mapping

from honestly.recipes._asking import ASKING
from honestly.recipes._hacklab import HACKLAB
from honestly.recipes._levers import LEVERS
from honestly.recipes._physics import PHYSICS
from honestly.recipes._recipe import Recipe
from honestly.recipes._selfplay import SELFPLAY
from honestly.recipes._spikes import SPIKES
from honestly.recipes._ssd import SSD_RECIPE

RECIPES: Mapping[str, Recipe] = {
    each.name: each for each in (SSD_RECIPE, SELFPLAY, PHYSICS, ASKING, HACKLAB, LEVERS, SPIKES)
}
