"""Hidden checks of group-grants: paths, ties and changes of groups, against the rules of the README."""

from grader import raises


class Model:
    """The rules of the README, without any cleverness."""

    def __init__(self):
        self.members = set()
        self.rules = set()

    def groups(self, name):
        found, grown = {name}, True
        while grown:
            more = found | {group for group, member in self.members if member in found}
            found, grown = more, more != found
        return found

    def is_allowed(self, user, action, path):
        parts = [part for part in path.split("/") if part]
        subjects = self.groups(user)
        applying = [
            (len(where), allows)
            for allows, subject, wanted, where in self.rules
            if subject in subjects and wanted in (action, "*") and list(where) == parts[: len(where)]
        ]
        longest = max((length for length, _ in applying), default=0)
        return bool(applying) and all(allows for length, allows in applying if length == longest)


USERS = ["ann", "bob", "cy"]
GROUPS = ["@a", "@b", "@c", "@d"]
PATHS = ["/", "/docs", "/docs/a", "/docs-internal", "/docs/a/b", "/doc", "/docs/ab"]


def new(ws):
    directory = ws.load("access.groups").Directory()
    return directory, ws.load("access.policy").Policy(directory)


def test_paths_are_compared_by_parts(ws):
    """A rule covers its path and what lies below, nothing that only begins alike."""
    _directory, policy = new(ws)
    policy.allow("u", "read", "/a/b")
    for path in ["/a/b", "/a/b/", "/a/b/c", "/a/b/c/d", "/a/b//"]:
        assert policy.is_allowed("u", "read", path) is True, path
    for path in ["/", "/a", "/a/", "/a/bc", "/a/b.c", "/a/b-internal/x", "/x/a/b", "/a/B"]:
        assert policy.is_allowed("u", "read", path) is False, path


def test_root_and_trailing_slashes(ws):
    """The root covers everything; a slash at the end of a rule's path means nothing."""
    _directory, policy = new(ws)
    policy.allow("u", "read", "/")
    policy.deny("u", "read", "/a/")
    assert policy.is_allowed("u", "read", "/") is True
    assert policy.is_allowed("u", "read", "/ab") is True
    assert policy.is_allowed("u", "read", "/a") is False
    assert policy.is_allowed("u", "read", "/a/x") is False
    policy.withdraw("u", "read", "/a")
    assert policy.is_allowed("u", "read", "/a/x") is True


def test_denial_wins_in_every_order(ws):
    """On equally long paths a denial decides, whichever rule came first and whoever is its subject."""
    for first, second in [("allow", "deny"), ("deny", "allow")]:
        for allowed, denied in [("u", "@g"), ("@g", "u"), ("@g", "@h"), ("u", "u")]:
            directory, policy = new(ws)
            directory.add("@g", "u")
            directory.add("@h", "u")
            for kind in (first, second):
                getattr(policy, kind)(allowed if kind == "allow" else denied, "*" if kind == "allow" else "read", "/p")
            assert policy.is_allowed("u", "read", "/p/q") is False
            assert policy.is_allowed("u", "write", "/p/q") is True


def test_longest_path_decides(ws):
    """A longer path beats a shorter one, in favour and against, for users and groups alike."""
    directory, policy = new(ws)
    directory.add("@g", "u")
    policy.deny("u", "*", "/a")
    policy.allow("@g", "read", "/a/b")
    policy.deny("@g", "*", "/a/b/c")
    policy.allow("u", "read", "/a/b/c/d")
    answers = [policy.is_allowed("u", "read", path) for path in ["/a", "/a/x", "/a/b", "/a/b/x", "/a/b/c", "/a/b/c/d"]]
    assert answers == [False, False, True, True, False, True]
    assert policy.is_allowed("u", "write", "/a/b") is False


def test_membership_changes_above_hold_at_once(ws):
    """Adding and removing memberships several groups up changes the next answer."""
    directory, policy = new(ws)
    policy.allow("@top", "read", "/wiki")
    policy.deny("@out", "read", "/wiki")
    directory.add("@low", "u")
    assert policy.is_allowed("u", "read", "/wiki") is False
    directory.add("@mid", "@low")
    directory.add("@top", "@mid")
    assert policy.is_allowed("u", "read", "/wiki") is True
    assert directory.groups_of("u") == frozenset({"@low", "@mid", "@top"})
    directory.add("@out", "@mid")
    assert policy.is_allowed("u", "read", "/wiki") is False
    directory.remove("@out", "@mid")
    assert policy.is_allowed("u", "read", "/wiki") is True
    directory.remove("@top", "@mid")
    assert policy.is_allowed("u", "read", "/wiki") is False
    assert directory.groups_of("u") == frozenset({"@low", "@mid"})


def test_rule_changes_hold_at_once(ws):
    """Rules made and withdrawn change the next answer."""
    _directory, policy = new(ws)
    assert policy.is_allowed("u", "read", "/x") is False
    policy.allow("u", "read", "/x")
    assert policy.is_allowed("u", "read", "/x") is True
    policy.deny("u", "*", "/x")
    assert policy.is_allowed("u", "read", "/x") is False
    policy.withdraw("u", "*", "/x")
    assert policy.is_allowed("u", "read", "/x") is True


def test_two_policies_of_one_directory(ws):
    """Policies that share a directory both see its changes, and keep their rules apart."""
    directory, one = new(ws)
    two = ws.load("access.policy").Policy(directory)
    one.allow("@g", "read", "/")
    assert (one.is_allowed("u", "read", "/a"), two.is_allowed("u", "read", "/a")) == (False, False)
    directory.add("@g", "u")
    assert (one.is_allowed("u", "read", "/a"), two.is_allowed("u", "read", "/a")) == (True, False)


def test_groups_in_a_circle(ws):
    """Groups that hold each other share their members, until the circle is cut."""
    directory, policy = new(ws)
    for group, member in [("@a", "@b"), ("@b", "@c"), ("@c", "@a"), ("@b", "u")]:
        directory.add(group, member)
    policy.allow("@c", "read", "/x")
    assert policy.is_allowed("u", "read", "/x") is True
    directory.remove("@a", "@b")
    assert policy.is_allowed("u", "read", "/x") is False


def test_random_histories(ws):
    """After every step of a random history all answers are those of the rules."""
    for _ in range(6):
        directory, policy = new(ws)
        model = Model()
        for _ in range(25):
            group, member = ws.rng.choice(GROUPS), ws.rng.choice(USERS + GROUPS)
            kind = ws.rng.randrange(5)
            if kind < 2:
                directory.add(group, member)
                model.members.add((group, member))
            elif kind == 2 and model.members:
                group, member = ws.rng.choice(sorted(model.members))
                directory.remove(group, member)
                model.members.remove((group, member))
            else:
                rule = (ws.rng.random() < 0.6, member, ws.rng.choice(["read", "*"]), ws.rng.choice(PATHS))
                (policy.allow if rule[0] else policy.deny)(*rule[1:])
                model.rules.add((*rule[:3], tuple(part for part in rule[3].split("/") if part)))
            for user in USERS:
                path = ws.rng.choice(PATHS)
                assert policy.is_allowed(user, "read", path) == model.is_allowed(user, "read", path)


def test_errors_stay(ws):
    """Wrong names, paths and removals are refused as before."""
    directory, policy = new(ws)
    with raises(ValueError):
        directory.add("staff", "u")
    with raises(KeyError):
        directory.remove("@g", "u")
    for path in ["", "docs"]:
        with raises(ValueError):
            policy.allow("u", "read", path)
        with raises(ValueError):
            policy.is_allowed("u", "read", path)
    with raises(KeyError):
        policy.withdraw("u", "read", "/x")
