"""The viewer: a local web page to look at what agents did, compare, review and share.

It computes nothing: figures, tables and words are those of `report`, queues and labels those of `people`, findings
those of `audit`. Needs the extra `view`.
"""

from honestly.web._app import make_app
from honestly.web._guard import Access
from honestly.web._library import Library, OpenStudy
from honestly.web._serve import Listening, serve_viewer

__all__ = ["Access", "Library", "Listening", "OpenStudy", "make_app", "serve_viewer"]
