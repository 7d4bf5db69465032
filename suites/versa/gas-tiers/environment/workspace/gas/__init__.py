"""What gas costs."""

from gas.budget import budget
from gas.explain import explain
from gas.price import marginal, price
from gas.summary import summary

__all__ = ["budget", "explain", "marginal", "price", "summary"]
