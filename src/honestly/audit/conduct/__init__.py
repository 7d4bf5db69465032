"""How it worked, not whether it cheated: six dimensions of conduct, measured on every trial that can be read."""

from honestly.audit.conduct._measures import DIMENSIONS, MEASURES, Measure, Share
from honestly.audit.conduct._study import Conduct, conduct_of, measured

__all__ = ["DIMENSIONS", "MEASURES", "Conduct", "Measure", "Share", "conduct_of", "measured"]
