"""Queries over logs of lines "time key=value ...": filters, and stages that sort, cut and count."""

from logq.engine import BadQuery, Log, explain, search
from logq.output import lines
from logq.records import BadLine

__all__ = ["BadLine", "BadQuery", "Log", "explain", "lines", "search"]
