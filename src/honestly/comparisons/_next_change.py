"""What the next change costs on what two agents left: follow-up tasks, done by one agent on the work of each."""

from dataclasses import dataclass

from honestly.show import plural_text, points_text

Averages = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class NextChange:
    """Follow-up tasks on the passing work of both agents, in pairs."""

    follower: str
    """Who did them, on the work of either."""
    n: int
    """Follow-up tasks on a task that both had passed."""
    passed: Averages
    """Share of them that the follower passes: on the work of a, and of b."""
    interval: tuple[float, float] | None = None
    """Of the difference of the shares, at the level of the comparison."""
    tokens: Averages = (None, None)
    """Read and written in one trial, on average."""
    lines: Averages = (None, None)
    """Added and removed in one trial, on average."""
    reason: str = ""
    """Why there is nothing to say."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What it costs, with its label."""
        a, b = self.passed
        if a is None or b is None:
            return (("next change", self.reason),)
        span = ""
        if self.interval is not None:
            span = f", difference {points_text(a - b)} [{', '.join(map(points_text, self.interval))}] points"
        more = [
            f"{one:,.0f} and {other:,.0f} {name}"
            for name, (one, other) in (("tokens", self.tokens), ("lines", self.lines))
            if one is not None and other is not None
        ]
        said = f"{self.follower} passes {100 * a:.0f}% of {plural_text(self.n, 'follow-up')} on the work of A and "
        return (("next change", "; ".join([f"{said}{100 * b:.0f}% on that of B{span}", *more])),)
