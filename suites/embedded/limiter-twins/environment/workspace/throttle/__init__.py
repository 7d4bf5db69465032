"""Rate limits for a web service: per user, per route, and both at once."""

from throttle.gate import Gate
from throttle.routes import RouteLimiter
from throttle.users import UserLimiter

__all__ = ["Gate", "RouteLimiter", "UserLimiter"]
