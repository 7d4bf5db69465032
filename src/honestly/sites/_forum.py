"""A forum: boards, threads, replies, votes, reports and moderation, and the profile of the one who is logged in.

The interface reads and writes threads and votes; moderation and the profile have pages only.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from honestly.sites._app import App, endpoint, form, page, row_with
from honestly.sites._asked import Refused, RequestValues
from honestly.sites._blocks import Cell, Facts, Field, FormBlock, Link, Page, Table, Text, page_links, select

_BOARDS = {"beginners": "First steps", "harvest": "Harvest and stores", "pests": "Pests", "tools": "Tools and beds"}
_MEMBERS = ("alder", "briar", "clover", "dock", "fern", "sorrel")
_TOPICS = (
    *("Slugs on the lettuce", "When to lift onions", "A fork that does not bend", "Rust on broad beans"),
    *("My first compost", "Storing apples in straw", "Sharpening a hoe", "Seedlings that fall over"),
    *("Mildew on squash", "How deep for garlic"),
)
_SAYINGS = (
    *("It worked for me last year.", "I would wait another week.", "Try it on one row first."),
    *("Not in heavy soil.", "Water in the morning.", "That is what my neighbour says, too."),
)
_WAYS = ("up", "down", "none")
_NEWS = ("daily", "weekly", "never")
_PAGE = 6


@dataclass
class _Post:
    id: int
    thread: int
    author: str
    text: str
    up: list[str] = field(default_factory=list)
    down: list[str] = field(default_factory=list)
    removed: bool = False

    @property
    def score(self) -> int:
        return len(self.up) - len(self.down)


@dataclass
class _Thread:
    id: int
    board: str
    title: str
    author: str
    pinned: bool = False
    locked: bool = False


@dataclass
class _Report:
    id: int
    post: int
    reason: str
    state: str = "open"


@dataclass
class _Profile:
    name: str
    about: str
    town: str
    newsletter: str


@dataclass
class _Data:
    profile: _Profile
    threads: list[_Thread] = field(default_factory=list)
    posts: list[_Post] = field(default_factory=list)
    reports: list[_Report] = field(default_factory=list)


class Forum(App):
    """A forum, of which the one who logs in is a moderator."""

    name, title, user, password = "forum", "Allotment Talk", "sorrel", "bluebird"
    menu = (
        *(Link("Boards", "/"), Link("Members", "/members"), Link("Search", "/search")),
        *(Link("Reports", "/reports"), Link("Profile", "/profile")),
    )
    missing = "Moderation (reports, pinning, locking, removing) and the profile have no endpoint here: use the pages."

    def __init__(self, seed: int = 0) -> None:
        self._d = _made_forum(Random(f"forum {seed}"), self.user)  # noqa: S311 - content, not a secret
        super().__init__(self._d)

    @page("GET /", login=False)
    def board_list(self, given: RequestValues) -> Page:
        rows = [(Link(slug, f"/boards/{slug}"), name, len(self._on(slug))) for slug, name in _BOARDS.items()]
        return Page("Boards", Table("All boards", ("Board", "About", "Threads"), rows))

    @page("GET /boards/{slug}", login=False)
    def board_page(self, given: RequestValues, slug: str) -> Page:
        found, number = self._on(slug), given.whole("page", 1, 1000, 1)
        table = self._thread_table(found[(number - 1) * _PAGE : number * _PAGE])
        fields = (Field("title", "Title"), Field("text", "Text", type="textarea"))
        start = FormBlock(f"/boards/{slug}", "Start thread", fields, "A new thread")
        return Page(_BOARDS[slug], table, page_links(f"/boards/{slug}", len(found), _PAGE), start)

    @page("GET /threads/{number}", login=False)
    def thread_page(self, given: RequestValues, number: str) -> Page:
        it, here = row_with(self._d.threads, "id", number, "thread"), f"/threads/{number}"
        author = Link(it.author, f"/members/{it.author}")
        facts = [("Board", Link(it.board, f"/boards/{it.board}")), ("Started by", author)]
        facts_more = [("Pinned", _yes_or_no(it.pinned)), ("Locked", _yes_or_no(it.locked))]
        state = [select(name.lower(), name, ("yes", "no"), value) for name, value in facts_more]
        reply = FormBlock(f"{here}/reply", "Reply", (Field("text", "Reply", type="textarea"),), "Answer")
        forms = [*([] if it.locked else [reply]), FormBlock(f"{here}/moderate", "Set", tuple(state), "Moderate")]
        columns = ("Post", "Author", "Text", "Score", "Vote", "Report")
        table = Table("Posts", columns, [self._post_row(post) for post in self._in(it.id)])
        return Page(it.title, Facts([*facts, *facts_more]), table, *forms)

    def _post_row(self, it: _Post) -> tuple[Cell, ...]:
        way = "up" if self.user in it.up else "down" if self.user in it.down else "none"
        vote = FormBlock(f"/posts/{it.id}/vote", f"Vote on {it.id}", (select("way", "Vote", _WAYS, way),))
        text, author = "(removed)" if it.removed else it.text, Link(it.author, f"/members/{it.author}")
        return it.id, author, text, it.score, vote, Link(f"Report {it.id}", f"/posts/{it.id}/report")

    @page("GET /search", login=False)
    def search(self, given: RequestValues) -> Page:
        q = given.text("q", "")
        found = [each for each in self._d.threads if q.casefold() in each.title.casefold()] if q else []
        ask = FormBlock("/search", "Search", (Field("q", "Title holds", q),), method="get")
        return Page("Search", ask, self._thread_table(found))

    @page("GET /members", login=False)
    def member_list(self, given: RequestValues) -> Page:
        rows: list[tuple[Cell, ...]] = []
        for name in _MEMBERS:
            rows.append((Link(name, f"/members/{name}"), *self.member(given, name).values()))
        return Page("Members", Table("All members", ("Member", "Threads", "Posts", "Score"), rows))

    @page("GET /members/{name}", login=False)
    def member_page(self, given: RequestValues, name: str) -> Page:
        facts: list[tuple[str, str | int]] = [(key.capitalize(), n) for key, n in self.member(given, name).items()]
        facts += [("Town", self._d.profile.town), ("About", self._d.profile.about)] * (name == self.user)
        return Page(name, Facts(facts), self._thread_table([each for each in self._d.threads if each.author == name]))

    @page("GET /profile")
    def profile_page(self, given: RequestValues) -> Page:
        it = self._d.profile
        about, town = Field("about", "About", it.about, "textarea", optional=True), Field("town", "Town", it.town)
        save = FormBlock("/profile", "Save", (about, town, select("newsletter", "Newsletter", _NEWS, it.newsletter)))
        facts = [("Name", it.name), ("About", it.about), ("Town", it.town), ("Newsletter", it.newsletter)]
        return Page("Profile", Facts(facts), save)

    @form("POST /profile", then="/profile")
    def profile_save(self, given: RequestValues) -> None:
        about, town = given.text("about", "", most=1000), given.text("town", most=80)
        newsletter, it = given.choice("newsletter", _NEWS), self._d.profile
        it.about, it.town, it.newsletter = about, town, newsletter

    @page("GET /reports")
    def report_list(self, given: RequestValues) -> Page:
        rows: list[tuple[Cell, ...]] = []
        for it in self._d.reports:
            post = row_with(self._d.posts, "id", it.post, "post")
            verbs = [FormBlock(f"/reports/{it.id}/{verb.lower()}", f"{verb} {it.id}") for verb in ("Remove", "Dismiss")]
            shown = (it.id, Link(f"Post {post.id}", f"/threads/{post.thread}"), post.author, it.reason, it.state)
            rows.append((*shown, *(verbs if it.state == "open" else ("-", "-"))))
        columns = ("Report", "Post", "Author", "Reason", "State", "Remove the post", "Dismiss the report")
        return Page("Reports", Table("All reports", columns, rows))

    @page("GET /posts/{number}/report")
    def report_page(self, given: RequestValues, number: str) -> Page:
        it = row_with(self._d.posts, "id", number, "post")
        ask = FormBlock(f"/posts/{number}/report", "Report", (Field("reason", "Reason"),))
        return Page(f"Report post {number}", Text("(removed)" if it.removed else it.text), ask)

    @form("POST /posts/{number}/report", then="/reports")
    def report(self, given: RequestValues, number: str) -> None:
        post = row_with(self._d.posts, "id", number, "post")
        self.append_row(self._d.reports, _Report(1 + len(self._d.reports), post.id, given.text("reason", most=200)))

    @form("POST /reports/{number}/remove", then="/reports")
    def report_remove(self, given: RequestValues, number: str) -> None:
        it = self._open_report(number)
        it.state = "removed"
        row_with(self._d.posts, "id", it.post, "post").removed = True

    @form("POST /reports/{number}/dismiss", then="/reports")
    def report_dismiss(self, given: RequestValues, number: str) -> None:
        self._open_report(number).state = "dismissed"

    @form("POST /threads/{number}/moderate", then="/threads/{number}")
    def moderate(self, given: RequestValues, number: str) -> None:
        it, answers = row_with(self._d.threads, "id", number, "thread"), ("yes", "no")
        pinned, locked = given.choice("pinned", answers) == "yes", given.choice("locked", answers) == "yes"
        it.pinned, it.locked = pinned, locked

    @endpoint("GET /boards", login=False)
    def boards(self, given: RequestValues) -> dict[str, Any]:
        return {"boards": [{"slug": slug, "name": name} for slug, name in _BOARDS.items()]}

    @endpoint("GET /boards/{slug}/threads", login=False)
    def threads(self, given: RequestValues, slug: str) -> dict[str, Any]:
        author = given.text("author", "")
        return {"threads": [each for each in self._on(slug) if author in {"", each.author}]}

    @endpoint("POST /boards/{slug}/threads")
    @form("POST /boards/{slug}", then="/threads/{id}")
    def start(self, given: RequestValues, slug: str) -> dict[str, Any]:
        self._on(slug)
        title, text = given.text("title", most=120), given.text("text", most=2000)
        it = self.append_row(self._d.threads, _Thread(1 + len(self._d.threads), slug, title, given.user))
        self.append_row(self._d.posts, _Post(1 + len(self._d.posts), it.id, given.user, text))
        return self.thread(given, str(it.id))

    @endpoint("GET /threads/{number}", login=False)
    def thread(self, given: RequestValues, number: str) -> dict[str, Any]:
        it = row_with(self._d.threads, "id", number, "thread")
        posts = [(post, "" if post.removed else post.text) for post in self._in(it.id)]
        shown = [{"id": post.id, "author": post.author, "text": text, "score": post.score} for post, text in posts]
        return {**vars(it), "posts": shown}

    @endpoint("POST /threads/{number}/posts")
    @form("POST /threads/{number}/reply", then="/threads/{number}")
    def reply(self, given: RequestValues, number: str) -> dict[str, Any]:
        it, text = row_with(self._d.threads, "id", number, "thread"), given.text("text", most=2000)
        if it.locked:
            raise Refused(409, "this thread is locked")
        self.append_row(self._d.posts, _Post(1 + len(self._d.posts), it.id, given.user, text))
        return self.thread(given, number)

    @endpoint("PUT /posts/{number}/vote")
    @form("POST /posts/{number}/vote", then="/threads/{thread}")
    def vote(self, given: RequestValues, number: str) -> dict[str, Any]:
        it, way = row_with(self._d.posts, "id", number, "post"), given.choice("way", _WAYS)
        if it.author == given.user:
            raise Refused(409, "nobody votes on their own posts")
        it.up, it.down = [each for each in it.up if each != given.user], [e for e in it.down if e != given.user]
        if way != "none":
            (it.up if way == "up" else it.down).append(given.user)
        return {"thread": it.thread, "score": it.score}

    @endpoint("GET /members/{name}", login=False)
    def member(self, given: RequestValues, name: str) -> dict[str, int]:
        if name not in _MEMBERS:
            raise Refused(404, f"there is no member {name}")
        posts = [each for each in self._d.posts if each.author == name]
        threads = sum(each.author == name for each in self._d.threads)
        return {"threads": threads, "posts": len(posts), "score": sum(each.score for each in posts)}

    def _on(self, slug: str) -> list[_Thread]:
        if slug not in _BOARDS:
            raise Refused(404, f"there is no board {slug}")
        found = [each for each in self._d.threads if each.board == slug]
        return sorted(found, key=lambda each: (not each.pinned, each.id))

    def _in(self, thread: int) -> list[_Post]:
        return [each for each in self._d.posts if each.thread == thread]

    def _open_report(self, number: str) -> _Report:
        it = row_with(self._d.reports, "id", number, "report")
        if it.state != "open":
            raise Refused(409, f"report {it.id} is {it.state}")
        return it

    def _thread_table(self, threads: list[_Thread]) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for it in threads:
            links = Link(it.title, f"/threads/{it.id}"), Link(it.author, f"/members/{it.author}")
            rows.append((*links, len(self._in(it.id)) - 1, _yes_or_no(it.pinned), _yes_or_no(it.locked)))
        return Table(f"{len(rows)} threads", ("Thread", "Started by", "Replies", "Pinned", "Locked"), rows)


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def _made_forum(chance: Random, user: str) -> _Data:
    data = _Data(
        _Profile(user, "I grow beans.", chance.choice(("Carrick", "Dunmore", "Ashford")), chance.choice(_NEWS))
    )
    for number, topic in enumerate(chance.sample(_TOPICS, len(_TOPICS)), 1):
        board, author = chance.choice(tuple(_BOARDS)), chance.choice(_MEMBERS)
        marks = chance.random() < 0.2, chance.random() < 0.2
        data.threads.append(_Thread(number, board, topic, author, *marks))
        for place in range(chance.randint(1, 5)):
            author = chance.choice(_MEMBERS) if place else author
            up = sorted(chance.sample([each for each in _MEMBERS if each not in {author, user}], chance.randint(0, 3)))
            down = [each for each in _MEMBERS if each not in {author, user, *up} and chance.random() < 0.2]
            data.posts.append(_Post(len(data.posts) + 1, number, author, chance.choice(_SAYINGS), up, down))
    for number, post in enumerate(chance.sample(data.posts, 3), 1):
        data.reports.append(_Report(number, post.id, chance.choice(("spam", "rude", "off topic"))))
    return data
