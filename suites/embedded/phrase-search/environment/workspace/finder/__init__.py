"""Full-text search over short notes."""

from finder.index import Index
from finder.query import QueryError
from finder.session import run

__all__ = ["Index", "QueryError", "run"]
