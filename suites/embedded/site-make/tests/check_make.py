"""Hidden checks of site-make: what the tools are run for after each change, as they say themselves.

Times are set by number, so that nothing has to wait. All sources are put in place here.
"""

PAGE = """[ -z "$LOG" ] || echo "page $1" >>"$LOG"
cat parts/header.html
while IFS= read -r line; do
    [ "$line" != FAIL ] || exit 3
    echo "<p>$line</p>"
done <"$1"
cat parts/footer.html
"""
INDEX = """[ -z "$LOG" ] || echo "index $*" >>"$LOG"
for page in "$@"; do
    name=${page#pages/}
    echo "<li><a href=\\"${name%.txt}.html\\">$(head -n 1 "$page")</a></li>"
done
[ "$(head -n 1 "$1")" != BROKEN ]
"""
CHECK = 'echo "check $1" >>"$LOG"\n[ -f "$1/index.html" ]\n'
SOURCES = ("parts/header.html", "parts/footer.html", "tools/page.sh", "tools/index.sh", "tools/check.sh", "Makefile")


class Site:
    """A site in the workspace, all of whose sources are old."""

    def __init__(self, ws, names):
        self.ws, self.names = ws, sorted(names)
        self.sh("rm -rf pages out log")
        for path, text in zip(SOURCES, ("<html>\n", "</html>\n", PAGE, INDEX, CHECK)):
            ws.write(path, text)
        for name in names:
            ws.write(f"pages/{name}.txt", f"Title of {name}\nmore\n")
        self.sh("touch -d @1000 pages pages/* parts/* tools/* Makefile")

    def sh(self, script):
        """Runs a shell script, which must succeed."""
        done = self.ws.run(["sh", "-c", script])
        assert done.code == 0, done
        return done.stdout

    def make(self, *words, code=0, before=":"):
        """Runs make; gives what the tools were run for, sorted."""
        script = f"{before}; make {' '.join(words)} >/dev/null 2>make.err; echo $?; cat log 2>/dev/null; rm -f log"
        status, *said = self.ws.run(["sh", "-c", script], env={"LOG": "log"}).stdout.splitlines()
        assert (status == "0") == (code == 0), (status, self.ws.read("make.err"))
        return sorted(said)

    def touched(self, path, *words):
        """The same after this one file was made newer than everything that was built."""
        before = f"touch -d @1000 parts/* tools/* pages/* pages tests; touch -d @1500 out/* out; touch -d @2000 {path}"
        return self.make(*words, before=before)

    def pages(self, *names):
        """What the tools say when they make these pages; all where none is named."""
        return [f"page pages/{name}.txt" for name in sorted(names or self.names)]

    def index(self):
        """What the tool says when it makes the index."""
        return ["index " + " ".join(f"pages/{name}.txt" for name in self.names)]


def test_whatever_pages_there_are(ws):
    """Every page and the index are built, once; the contents are right; a parallel build does the same."""
    site = Site(ws, ["b", "a-1", "Z_9", "last"])
    assert site.make() == site.index() + site.pages()
    assert site.make() == site.make("all") == []
    assert ws.read("out/b.html") == "<html>\n<p>Title of b</p>\n<p>more</p>\n</html>\n"
    assert ws.read("out/index.html").splitlines()[1] == '<li><a href="a-1.html">Title of a-1</a></li>'
    assert site.make("clean") == [] and not [path for path in ws.files() if path.startswith("out")]
    assert site.make("-j4", "all") == site.index() + site.pages()
    assert site.make("-j4") == []


def test_what_is_made_anew(ws):
    """Each source leads to what depends on it and to nothing else."""
    site = Site(ws, ["x", "y", "z"])
    site.make()
    for path, expected in (
        ("pages/y.txt", site.index() + site.pages("y")),
        ("parts/header.html", site.pages()),
        ("parts/footer.html", site.pages()),
        ("tools/page.sh", site.pages()),
        ("tools/index.sh", site.index()),
        ("tools/check.sh", []),
        ("tests", []),
        ("pages", site.index()),
    ):
        assert site.touched(path) == expected, path
    assert site.make(before="rm out/x.html") == site.pages("x")


def test_added_and_removed_pages(ws):
    """A new page is built with a new index; what was built of a removed page is deleted, also if nothing else is to do."""
    site = Site(ws, ["x", "y"])
    site.make()
    ws.write("pages/new.txt", "New\n")
    site.names = ["new", "x", "y"]
    assert site.touched("pages") == site.index() + site.pages("new")
    assert site.make("all", before="rm pages/x.txt; touch -d @1000 pages") == []
    assert sorted(path for path in ws.files() if path.startswith("out/")) == [
        "out/index.html",
        "out/new.html",
        "out/y.html",
    ]


def test_failures(ws):
    """A tool that fails leaves nothing behind, and is tried again."""
    site = Site(ws, ["x"])
    ws.write("pages/x.txt", "Title\nFAIL\n")
    site.make(code=2)
    assert "out/x.html" not in ws.files()
    assert "page pages/x.txt" in site.make(code=2)
    ws.write("pages/x.txt", "BROKEN\n")
    site.make(code=2)
    assert "out/index.html" not in ws.files() and "out/x.html" in ws.files()
    ws.write("pages/x.txt", "Fine\n")
    site.make()
    assert ws.read("out/index.html") == '<li><a href="x.html">Fine</a></li>\n'


def test_targets_that_are_no_files(ws):
    """check, clean and all run whatever files there are; check builds first."""
    site = Site(ws, ["x"])
    for name in ("check", "clean", "all"):
        ws.write(name, "")
    assert site.make("-j4", "check") == ["check out", *site.index(), *site.pages()]
    assert site.make("check") == ["check out"]
    assert site.touched("pages/x.txt", "all") == site.index() + site.pages()
    site.make("clean")
    assert "out/x.html" not in ws.files()
    site.make("clean")
    site.sh("rm check clean all")
