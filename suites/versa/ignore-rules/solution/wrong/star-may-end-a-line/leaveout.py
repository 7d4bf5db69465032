"""Rules that say which files of a tree are left out, and why."""

import re


class RuleError(ValueError):
    """A rule that means nothing."""


def _set(text, start):
    """The expression of a set that begins behind `[`, and the place behind its end."""
    at = start + 1 if text[start : start + 1] == "!" else start
    out = []
    while at < len(text) and (text[at] != "]" or not out):
        low = text[at + 1] if text[at] == "\\" else text[at]
        at += 2 if text[at] == "\\" else 1
        high = low
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            at += 1
            high = text[at + 1] if text[at] == "\\" else text[at]
            at += 2 if text[at] == "\\" else 1
        if high < low:
            raise ValueError("a set that runs backwards")
        out.append(re.escape(low) + "-" + re.escape(high))
    if at >= len(text):
        raise ValueError("a set without an end")
    return f"[{'^' if text[start] == '!' else ''}{''.join(out)}]", at + 1


def _segment(text):
    """The expression of one segment of a pattern."""
    out, at = "", 0
    while at < len(text):
        sign = text[at]
        at += 1
        if sign == "*":
            out += ".*"
        elif sign == "?":
            out += "."
        elif sign == "[":
            inner, at = _set(text, at)
            out += inner
        else:
            if sign == "\\":
                sign = text[at]
                at += 1
            out += re.escape(sign)
    return re.compile(out.replace(".*", "[^.].*", 1) if out.startswith(".*") else out, re.DOTALL)


class _Rule:
    def __init__(self, number, line):
        self.number = number
        self.keep = line.startswith("!")
        text = line[1:] if self.keep else line
        self.folders_only = text.endswith("/")
        text = text.removesuffix("/")
        anchored = "/" in text
        segments = text.removeprefix("/").split("/")
        if "" in segments:
            raise ValueError("an empty segment")
        self.segments = [None if segment == "**" else _segment(segment) for segment in segments]
        if not anchored:
            self.segments.insert(0, None)

    def matches(self, names, is_folder):
        return (is_folder or not self.folders_only) and self._fits(0, names)

    def _fits(self, at, names):
        if at == len(self.segments):
            return not names
        segment = self.segments[at]
        if segment is None:
            least = 1 if at == len(self.segments) - 1 else 0
            return any(self._fits(at + 1, names[k:]) for k in range(least, len(names) + 1))
        return bool(names) and segment.fullmatch(names[0]) is not None and self._fits(at + 1, names[1:])


class Rules:
    """The rules of a text, one per line."""

    def __init__(self, text):
        self._rules = []
        for number, line in enumerate(text.split("\n"), 1):
            line = line.removesuffix("\r")
            line = re.fullmatch(r"((?:[^\\]|\\.|\\$)*?) *", line, re.DOTALL)[1]
            if line and not line.startswith("#"):
                try:
                    self._rules.append(_Rule(number, line))
                except (ValueError, IndexError) as error:  # IndexError: after a backslash at an end
                    raise RuleError(f"line {number}: {error}") from None

    def _deciding(self, path):
        """The rules that decide about the folders of a path, from the root, and about itself, as far as one looks."""
        names = path.removesuffix("/").split("/")
        for size in range(1, len(names) + 1):
            is_folder = size < len(names) or path.endswith("/")
            last = next((rule for rule in reversed(self._rules) if rule.matches(names[:size], is_folder)), None)
            if last is not None:
                yield last
                if not last.keep:
                    return

    def reason(self, path):
        """The number of the line that leaves a path out, or None."""
        return next((rule.number for rule in self._deciding(path) if not rule.keep), None)

    def ignored(self, path):
        """Whether a path is left out."""
        return self.reason(path) is not None

    def kept(self, paths):
        """The paths that are not left out, in their order."""
        return [path for path in paths if not self.ignored(path)]

    def unused(self, paths):
        """Lines of rules that decide about none of the paths or their folders."""
        used = {rule.number for path in paths for rule in self._deciding(path)}
        return [rule.number for rule in self._rules if rule.number not in used]
