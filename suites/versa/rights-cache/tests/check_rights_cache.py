"""Hidden checks of rights-cache: exact answers, a session that is tried out, and random sessions against the rules."""

import json

from grader import raises

def diagnosis(ws):
    """What the solution says."""
    return json.loads(ws.read("diagnosis.json"))


class World:
    """Groups and grants, without any cache, but for the one that is faulty as it was found, where that is wanted."""

    def __init__(self):
        self.edges, self.grants, self.kept, self.users = set(), {}, {}, {}

    def up(self, name):
        """All groups that a name is in."""
        found, todo = set(), {name}
        while todo:
            todo = {group for member, group in self.edges if member in todo} - found
            found |= todo
        return found

    def inside(self, name):
        """All users in a group; a user is in himself."""
        if name[0] != "@":
            return {name}
        return {user for user, _group in self.edges if user[0] != "@" and name in self.up(user)}

    def level(self, user, path):
        """The right answer."""
        names = {user} | self.up(user)
        while True:
            levels = [level for (name, folder), level in self.grants.items() if folder == path and name in names]
            if levels or path == "/":
                return max(levels, default=0)
            path = path[: path.rindex("/")] or "/"

    def remembered(self, name):
        """Users in a group, as the faulty program remembers them."""
        if name[0] != "@":
            return {name}
        if name not in self.users:
            members = [member for member, group in self.edges if group == name]
            self.users[name] = {user for member in members for user in self.remembered(member)}
        return self.users[name]

    def faulty(self, user, path):
        """What the faulty program answers."""
        return self.kept.setdefault((user, path), self.level(user, path))

    def possible(self, words):
        """Whether a command can be carried out."""
        match words:
            case ["ask", _, _]:
                return True
            case ["grant", _, _, level]:
                return level.isdecimal()
            case ["revoke", name, path]:
                return (name, path) in self.grants
            case ["leave", member, group]:
                return (member, group) in self.edges
            case ["join", member, group]:
                fine = group[0] == "@" and (member, group) not in self.edges
                return fine and member != group and member not in self.up(group)
        return False

    def do(self, words):
        """Carries out a command that is possible and asks nothing; gives the users whom it concerns, or the folder."""
        what, name, other = words[:3]
        if what in ("grant", "revoke"):
            self.grants.pop((name, other), None)
            if what == "grant":
                self.grants[name, other] = int(words[3])
            self.kept = {key: level for key, level in self.kept.items() if not below(key[1], other)}
            return other
        self.edges ^= {(name, other)}
        self.users.pop(other, None)
        gone = self.remembered(name)
        self.kept = {key: level for key, level in self.kept.items() if key[0] not in gone}
        return self.inside(name)


def below(path, folder):
    """Whether a folder is another, or below it."""
    return folder in ("/", path) or path.startswith(folder + "/")


def test_where_the_fault_is(ws):
    """The method."""
    found = diagnosis(ws)
    assert (found["module"], found["function"]) == ("rights/groups.py", "Groups._changed")


def test_what_was_answered(ws):
    """The wrong answers of the day, and what should have changed them."""
    found = diagnosis(ws)
    wanted = {"answers_wrong": [124, 130], "given": [5, 5], "right": [0, 0], "unnoticed": [115, 115]}
    for key, numbers in wanted.items():
        assert found[key] == numbers and all(type(number) is int for number in found[key]), key


def test_the_shortest_session(ws):
    """Seven commands, the last of which the program as it was found answers wrongly."""
    lines, world = diagnosis(ws)["shortest"], World()
    assert len(lines) == 7
    for line in lines[:-1]:
        words = line.split()
        assert world.possible(words), line
        world.faulty(*words[1:]) if words[0] == "ask" else world.do(words)
    what, user, path = lines[-1].split()
    assert what == "ask" and world.faulty(user, path) != world.level(user, path)


def random_command(rng, world, users, groups, folders):
    """A command that is possible."""
    while True:
        what = rng.choice(("ask", "ask", "ask", "join", "join", "leave", "grant", "revoke"))
        names = users + groups * 2
        words = {
            "ask": ["ask", rng.choice(users), rng.choice(folders)],
            "join": ["join", rng.choice(names), rng.choice(groups)],
            "leave": ["leave", *rng.choice(sorted(world.edges) or [("x", "@x")])],
            "grant": ["grant", rng.choice(names), rng.choice(folders), str(rng.randrange(10))],
            "revoke": ["revoke", *rng.choice(sorted(world.grants) or [("x", "/x")])],
        }[what]
        if world.possible(words):
            return words


def sessions(ws, count, size, users, groups, folders):
    """Random sessions: every answer is right, and none is computed without need."""
    for _ in range(count):
        service, world, known, computed = ws.load("rights").Service(), World(), set(), 0
        lines, wanted = [], []
        for number in range(size):
            words = random_command(ws.rng, world, users, groups, folders)
            lines.append(" ".join(words))
            if words[0] == "ask":
                wanted.append(world.level(*words[1:]))
                computed += tuple(words[1:]) not in known
                known.add(tuple(words[1:]))
            else:
                before = world.inside(words[1]) if words[0] == "leave" else set()
                changed = world.do(words)
                if isinstance(changed, str):
                    known = {(user, path) for user, path in known if not below(path, changed)}
                else:
                    known = {(user, path) for user, path in known if user not in changed | before}
            if len(lines) == 5 or number == size - 1:
                assert service.run(lines) == wanted, lines
                assert service.computed <= computed, lines
                lines, wanted = [], []


def test_random_sessions(ws):
    """Some users and many groups."""
    sessions(ws, 14, 120, ["ann", "bob", "cid"], ["@a", "@b", "@c", "@d", "@e"], ["/", "/x", "/x/y", "/xy", "/z/y"])


def test_deep_groups(ws):
    """One or two users, and groups in groups."""
    sessions(ws, 25, 90, ["ann", "bob"], ["@a", "@b", "@c", "@d", "@e", "@f"], ["/x", "/x/y"])


def test_chains(ws):
    """A chain of groups of every length: users who come and go at its end are known at its top."""
    for size in range(1, 7):
        service, chain = ws.load("rights").Service(), [f"@{n}" for n in range(size)]
        links = [f"join {one} {other}" for one, other in zip(chain, chain[1:], strict=False)]
        lines = [*links, f"join {chain[-1]} @top", "grant @top / 7", "ask ann /", f"join ann {chain[0]}", "ask ann /"]
        lines += [f"leave {chain[-1]} @top", "ask ann /", f"join {chain[-1]} @top", "ask ann /", f"leave ann {chain[0]}"]
        lines += ["ask ann /", f"leave {chain[-1]} @top", f"join ann {chain[-1]}", "ask ann /", f"join {chain[-1]} @top", "ask ann /"]
        assert service.run(lines) == [0, 7, 0, 7, 0, 0, 7], size
        assert service.computed <= 7


def test_refused(ws):
    """What cannot be carried out is refused, and changes nothing."""
    service = ws.load("rights").Service()
    service.run(["join @a @b", "join @b @c", "join ann @a", "grant @c /x 3", "ask ann /x", "ask ann /"])
    for line in ("join @c @a", "join @b @a", "join @a @a", "join @a @b", "leave ann @b", "leave ann @d", "revoke ann /x",
                 "revoke @c /", "join ann bob", "ask ann", "", "grant ann / x", "grant ann /", "say hello"):  # fmt: skip
        with raises("rights.service.Refused"):
            service.run([line])
    assert service.run(["ask ann /x", "ask ann /"]) == [3, 0]
    assert service.computed == 2
    with raises("rights.service.Refused"):
        service.run(["leave ann @a", "leave ann @a", "ask ann /x"])
    assert service.run(["ask ann /x"]) == [0]


def test_the_session_of_the_day(ws):
    """The log was left alone, and is answered by the rules."""
    lines = ws.read("data/session.log").splitlines()
    world, wanted = World(), []
    for line in lines:
        words = line.split()
        wanted.append(world.level(*words[1:])) if words[0] == "ask" else world.do(words)
    assert len(lines) == 153
    assert ws.load("rights").Service().run(lines) == wanted
