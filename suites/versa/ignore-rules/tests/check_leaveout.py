"""Hidden checks of ignore-rules: random patterns and paths against a matcher that goes sign by sign, without expressions."""

from grader import raises

# A pattern is made as segments; a segment is "**" or a list of parts: a sign, ("any",), ("one",), ("set", turned, [(low, high)]).


def fits_name(parts, name):
    """Whether the parts of a segment stand for a name."""
    if not parts:
        return name == ""
    first, rest = parts[0], parts[1:]
    if first == ("any",):
        return any(fits_name(rest, name[k:]) for k in range(len(name) + 1))
    if not name:
        return False
    if isinstance(first, str):
        good = name[0] == first
    elif first[0] == "one":
        good = True
    else:
        good = any(low <= name[0] <= high for low, high in first[2]) != first[1]
    return good and fits_name(rest, name[1:])


def fits(segments, names):
    """Whether segments stand for names."""
    if not segments:
        return not names
    if segments[0] == "**":
        return any(fits(segments[1:], names[k:]) for k in range(1 if len(segments) == 1 else 0, len(names) + 1))
    return bool(names) and fits_name(segments[0], names[0]) and fits(segments[1:], names[1:])


def decisions(rules, path):
    """Oracle: (line, keeps) of each rule that decides on the way to a path."""
    names, out = path.rstrip("/").split("/"), []
    for size in range(1, len(names) + 1):
        folder = size < len(names) or path.endswith("/")
        for line, keeps, folders_only, anywhere, segments in reversed(rules):
            if (folder or not folders_only) and fits(segments, names[size - 1 : size] if anywhere else names[:size]):
                out.append((line, keeps))
                if not keeps:
                    return out
                break
    return out


def reason(rules, path):
    """Oracle: the line that leaves a path out."""
    return next((line for line, keeps in decisions(rules, path) if not keeps), None)


SIGNS = "aab.x1AB-]!^#[* é\\"


def part(rng):
    """A part, and how it is written."""
    kind = rng.choice(("sign",) * 6 + ("any", "any", "one", "set", "set"))
    if kind == "sign":
        sign = rng.choice(SIGNS)
        must = sign in "\\*?[ "
        return sign, "\\" + sign if must or rng.random() < 0.1 else sign
    if kind == "any":
        return ("any",), "*"
    if kind == "one":
        return ("one",), "?"
    turned, ranges, text = rng.random() < 0.3, [], ""
    for number in range(rng.randrange(1, 4)):
        low, high = sorted((rng.choice("aabcxyz0159AZ.]-!^[\\*?é"), rng.choice("aabcxyz0159AZ.]-!^[\\*?é")))
        if rng.random() < 0.6:
            high = low

        def said(sign, first):
            must = sign in "\\-" or (sign == "!" and first and not turned) or (sign == "]" and not first)
            return "\\" + sign if must or rng.random() < 0.1 else sign

        ranges.append((low, high))
        text += said(low, number == 0) + ("-" + said(high, False) if high != low else "")
    if rng.random() < 0.15:
        ranges.append(("-", "-"))
        text += "-"
    return ("set", turned, ranges), f"[{'!' if turned else ''}{text}]"


def segment(rng):
    """A segment, and how it is written."""
    if rng.random() < 0.2:
        return "**", "**"
    parts = [part(rng) for _ in range(rng.randrange(1, 4))]
    if all(one == ("any",) for one, _ in parts) and len(parts) == 2:
        parts.append(part(rng))
    if len(parts) == 3 and all(one == ("any",) for one, _ in parts):
        parts.pop()
        parts[0] = ("a", "a")
    return [one for one, _ in parts], "".join(text for _, text in parts)


def rule(rng, line):
    """A rule as the oracle has it, and its line."""
    made = [segment(rng) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    segments, text = [one for one, _ in made], "/".join(words for _, words in made)
    lead, keeps, folders_only = rng.random() < 0.2, rng.random() < 0.3, rng.random() < 0.25
    if not lead and not keeps and text[0] in "#!":
        text = "\\" + text
    anywhere = not lead and len(segments) == 1
    written = "!" * keeps + "/" * lead + text + "/" * folders_only + rng.choice(("", "", " ", "   "))
    return (line, keeps, folders_only, anywhere, segments), written


def rule_set(rng):
    """Rules, and their text."""
    rules, lines = [], []
    for _ in range(rng.randrange(7)):
        if rng.random() < 0.2:
            lines.append(rng.choice(("", "   ", "# a", "#", "#[")))
        else:
            one, written = rule(rng, len(lines) + 1)
            rules.append(one)
            lines.append(written)
    return rules, rng.choice(("\n", "\n", "\r\n")).join(lines) + rng.choice(("", "\n"))


def path(rng, rules):
    """A random path, often made after a pattern."""

    def name(parts=None):
        out = ""
        for one in parts or [None] * rng.randrange(1, 4):
            if isinstance(one, str):
                out += one
            elif one and one[0] == "set":
                out += rng.choice(rng.choice(one[2]))
            else:
                out += "".join(rng.choice(SIGNS) for _ in range(rng.randrange(1, 3)))
        return out

    names = []
    if rules and rng.random() < 0.8:
        for one in rng.choice(rules)[4]:
            if one == "**":
                names += [name() for _ in range(rng.randrange(3))]
            else:
                names.append(name(one))
        if rng.random() < 0.3:
            names.insert(0, name())
        if rng.random() < 0.3:
            names.append(name())
    return "/".join(names or [name()]) + rng.choice(("", "", "/"))


def test_random_rules(ws):
    """Reasons for paths, of rules of all kinds."""
    leaveout = ws.load("leaveout")
    for _ in range(350):
        rules, text = rule_set(ws.rng)
        given = leaveout.Rules(text)
        paths = [path(ws.rng, rules) for _ in range(6)]
        for one in paths:
            assert given.reason(one) == reason(rules, one), (text, one, reason(rules, one))
            assert given.ignored(one) is (reason(rules, one) is not None)
        assert given.kept(paths) == [one for one in paths if reason(rules, one) is None], (text, paths)
        used = {line for one in paths for line, _ in decisions(rules, one)}
        assert given.unused(paths) == [one[0] for one in rules if one[0] not in used], (text, paths)


def test_by_hand(ws):
    """What can be worked out by hand: text, paths that are left out, paths that are not."""
    leaveout = ws.load("leaveout")
    cases = [
        ("a", "a a/ b/a a/b b/a/c", "b ab A"), ("/a", "a a/b", "b/a"), ("a/b", "a/b a/b/c", "c/a/b a b"), ("a/", "a/ a/b b/a/ b/a/c", "a b/a"),
        ("/a/", "a/ a/b", "a b/a/"), ("**", "a a/b a/", ""), ("a/**", "a/b a/b/c", "a a/ b/a/c"), ("**/a", "a b/a b/c/a", "ab"), ("a/**/b", "a/b a/c/b a/c/d/b", "a b"),
        ("a/*", "a/b a/b/c", "a/ b/a/c"), ("*/", "a/ a/b", "a"), ("a**b", "ab axb", "a/b"), ("**a", "a xa b/xa", "ax"), ("*", "a .a a/b", ""), ("?", "a b/c .", "ab"),
        ("**/", "a/ a/b", "a"), ("/**", "a a/b", ""), ("**/**", "a a/b", ""), ("a/**/", "a/b/ a/b/c", "a/ a/b"), ("/*", "a a/b", ""), ("**/*/", "a/ b/c/", "a"),
        ("[]]", "]", "a []"), ("[!]]", "a", "]"), ("[a-]", "a -", "b"), ("[-a]", "a -", "b"), ("[!-a]", "b", "- a"), ("[a\\-c]", "a - c", "b"), ("[\\]]", "]", "\\ a"),
        ("[!!]", "a", "!"), ("[^a]", "^ a", "b"), ("[[]", "[", "a"), ("[]-a]", "] ^ a", "b -"), ("[a-a]", "a", "b -"), ("[a-c-e]", "a b c - e", "d"), ("[a!]", "a !", "b"),
        ("\\a", "a", "\\a"), ("\\*", "*", "a"), ("\\\\", "\\", "a"), ("a]", "a]", "a"), ("[.]", ".", "a"), ("[0-?]", "5 ? :", "a -"), ("[ab]", "a b", "? c"), ("[\\\\]", "\\", "a"), ("{a,b}", "{a,b}", "a"),
        ("a\n!a", "", "a b/a"), ("a/\n!a/b", "a/b", "b"), ("a/*\n!a/b", "a/c", "a/b a/b/c"), ("*\n!*/\n!*.c", "a a.d b/a", "b/ a.c b/a.c"), ("!a\na", "a", "b"),
        ("/a/*\n!/a/b\n/a/b/*\n!/a/b/c", "a/x a/b/x", "a/b/c a/b"), ("a.b", "a.b", "axb"), ("$", "$", "a"), ("a|b", "a|b", "a"), ("(a)", "(a)", "a"), ("a+", "a+", "aa"),
    ]  # fmt: skip
    for text, out, kept in cases:
        rules = leaveout.Rules(text)
        for one in out.split():
            assert rules.ignored(one) is True, (text, one)
        for one in kept.split():
            assert rules.ignored(one) is False, (text, one)
    for text, one in ((" a", " a"), ("a b", "a b"), ("a\\ ", "a "), ("a\\   ", "a "), ("\\#a", "#a"), ("\\!a", "!a"), ("a\\\\  ", "a\\"), ("\ta", "\ta"), ("a\t", "a\t"), ("!a\n \\ \n", "  "), ("a\rb", "a\rb")):  # fmt: skip
        assert leaveout.Rules(text).ignored(one) is True, text
    assert leaveout.Rules("").unused([]) == [] and leaveout.Rules("a\n#b\n\nc").unused([]) == [1, 4]
    assert leaveout.Rules("a\r\n\r\n!b\r\nb/c\r\n").reason("b/c") == 4


def test_wrong_rules(ws):
    """The first wrong line is named."""
    leaveout = ws.load("leaveout")
    for text in (
        "/", "//", "!", "!/", "a//b", "//a", "a//", "///", "a\\", "a\\/b", "!a\\", "\\", "[", "[]", "[!]", "[a", "a[b/c]d", "[b-a]", "[a\\]", "[a-\\", "[a-", "[]-!]",
        "x[z-a]", "a/[", "a/b[c", "[!b-a]", "a\\/", "[\\", "a/\\", "[\\b-a]", "[a/b]", "/ ", "! ", "a\\\\\\", "[a-\\B]",
    ):  # fmt: skip
        with raises("RuleError") as caught:
            leaveout.Rules(f"*.c\n# x\n\n{text}\n[\nb")
            raise AssertionError(text)
        assert str(caught.value).startswith("line 4:"), (text, str(caught.value))
    with raises(ValueError):
        leaveout.Rules("[")
