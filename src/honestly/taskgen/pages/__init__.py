"""Tasks of web pages: a site is walked, tasks are proposed for its pages, tried, and written where they work."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.taskgen.pages._by_agents import tried_by_agents as tried_by_agents
    from honestly.taskgen.pages._by_model import model_proposer as model_proposer
    from honestly.taskgen.pages._explore import (
        Coverage as Coverage,
        ExploredSite as ExploredSite,
        PageRow as PageRow,
        PageTerms as PageTerms,
        from_pages as from_pages,
        impossible_folder as impossible_folder,
        site_of as site_of,
    )

__getattr__, __dir__ = lazy_exports(__name__)
