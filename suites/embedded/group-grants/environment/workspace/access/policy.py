"""Rules, and the answers that follow from them."""

from dataclasses import dataclass

from access.groups import Directory
from access.paths import covers, normal


@dataclass(frozen=True)
class Rule:
    """One rule; two rules that say the same are the same rule."""

    allows: bool
    subject: str
    action: str
    path: str


class Policy:
    """The rules that hold for the people of one directory."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._rules: list[Rule] = []
        self._answers: dict[tuple[str, str, str], bool] = {}

    def allow(self, subject: str, action: str, path: str) -> None:
        """Allow `action` (or every action, with `*`) on a path and all below it; once is enough."""
        self._make(Rule(True, subject, action, normal(path)))

    def deny(self, subject: str, action: str, path: str) -> None:
        """Deny `action` (or every action, with `*`) on a path and all below it; once is enough."""
        self._make(Rule(False, subject, action, normal(path)))

    def withdraw(self, subject: str, action: str, path: str) -> None:
        """Take back what was allowed or denied to this subject for this action on this path.

        Raises KeyError if there is no such rule.
        """
        normal_path = normal(path)
        kept = [r for r in self._rules if (r.subject, r.action, r.path) != (subject, action, normal_path)]
        if len(kept) == len(self._rules):
            raise KeyError(f"no rule for {subject}, {action}, {path}")
        self._rules = kept
        self._answers.clear()

    def is_allowed(self, user: str, action: str, path: str) -> bool:
        """Whether the user may do this now."""
        request = (user, action, normal(path))
        if request not in self._answers:
            self._answers[request] = self._decide(*request)
        return self._answers[request]

    def _make(self, rule: Rule) -> None:
        if rule not in self._rules:
            self._rules.append(rule)
        self._answers.clear()

    def _decide(self, user: str, action: str, path: str) -> bool:
        subjects = {user, *self._directory.groups_of(user)}
        applying = [
            rule
            for rule in self._rules
            if rule.subject in subjects and rule.action in (action, "*") and covers(rule.path, path)
        ]
        if not applying:
            return False
        return max(applying, key=lambda rule: len(rule.path)).allows
