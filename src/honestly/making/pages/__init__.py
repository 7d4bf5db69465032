"""Tasks of web pages: a site is walked, tasks are proposed for its pages, tried, and written where they work."""

from honestly.making.pages._explore import Coverage, Explored, PageRow, PageTerms, from_pages, site_of

__all__ = ["Coverage", "Explored", "PageRow", "PageTerms", "from_pages", "site_of"]
