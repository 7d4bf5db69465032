"""Applies the limits of users and routes together."""

from __future__ import annotations

from throttle.routes import RouteLimiter
from throttle.users import UserLimiter


class Gate:
    """Lets a call through if both its user and its route have tokens left."""

    def __init__(self, users: UserLimiter, routes: RouteLimiter) -> None:
        self.users = users
        self.routes = routes

    def check(self, user: str, route: str, now: float) -> str:
        """Says who is over the limit: "user", else "route", else "ok".

        Tokens are taken, one from the user and the weight from the route, only if the answer is "ok".
        """
        if self.users.wait(user, now) > 0:
            return "user"
        if self.routes.wait(route, now) > 0:
            return "route"
        self.users.allow(user, now)
        self.routes.allow(route, now)
        return "ok"
