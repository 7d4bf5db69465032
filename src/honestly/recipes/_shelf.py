"""All recipes by name."""

from collections.abc import Mapping

from honestly.recipes._asking import ASKING
from honestly.recipes._hacklab import HACKLAB
from honestly.recipes._levers import LEVERS
from honestly.recipes._physics import PHYSICS
from honestly.recipes._recipe import Recipe
from honestly.recipes._selfplay import SELFPLAY
from honestly.recipes._selfplay_transformer import SELFPLAY_TRANSFORMER
from honestly.recipes._spikes import SPIKES
from honestly.recipes._ssd import SSD_RECIPE
from honestly.recipes._ssd_transformer import SSD_TRANSFORMER
from honestly.recipes._transformer_policies import ASKING_TRANSFORMER, HACKLAB_TRANSFORMER, PHYSICS_TRANSFORMER

RECIPES: Mapping[str, Recipe] = {
    each.name: each for each in (
        SSD_RECIPE, SSD_TRANSFORMER, SELFPLAY, SELFPLAY_TRANSFORMER, PHYSICS, PHYSICS_TRANSFORMER, ASKING,
        ASKING_TRANSFORMER, HACKLAB, HACKLAB_TRANSFORMER, LEVERS, SPIKES,
    )
}  # fmt: skip
