"""Hidden checks of env-proof: random logs, in environments of many kinds, beside an oracle, to the byte."""

from datetime import datetime, timezone
from zlib import crc32

NAMES = ["Ana", "Jürgen", "Bo", "Åse", "Zoë", "li", "O. Ørn", "Ana B."]
WORDS = ["pump", "wärmer", "all quiet", "valve 2;3", "…", "seal", "checked again", ";", "x:y"]
SITES = {"NP": "Nørre Pier", "LT": "Light", "LH": "Light", "YD": "Yard", "Q": "A, b and c", "ZZ": "yard", "ÅX": "never"}
ENVIRONMENTS = [
    {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "5", "COLUMNS": "30", "USER": "someone"},
    {"TZ": "America/New_York", "PYTHONOPTIMIZE": "1", "PYTHONHASHSEED": "2"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "0"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii", "PYTHONOPTIMIZE": "2"},
    {"PYTHONWARNINGS": "error", "PYTHONHASHSEED": "11", "COLUMNS": "200"},
    {"TZ": "Asia/Kolkata", "COLUMNS": "7"},
]


def entries_of(files):
    """Entries in the order of the input: seconds, site, name, note."""
    found = []
    for path in sorted(path for path in files if path.endswith(".log") and "/" not in path):
        for line in files[path].split("\n"):
            if line.strip():
                seconds, site, name, note = (part.strip() for part in line.split(";", 3))
                found.append((int(seconds), site, name, note))
    return found


def oracle(files, author):
    """The report."""
    entries = entries_of(files)
    sites = {}
    for entry in entries:
        sites.setdefault(SITES.get(entry[1], entry[1]), []).append(entry)
    latest = datetime.fromtimestamp(max(entry[0] for entry in entries), timezone.utc)
    lines = [f"Shift log, {latest.date()}", f"by {author or 'unknown'}"]
    for site in sorted(sites):
        lines += ["", f"{site} ({crc32(site.encode()) % 8})"]
        for seconds, _, name, note in sorted(sites[site], key=lambda entry: entry[0]):
            time = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%MZ")
            line = f"  {time}  {name}:" + (f" {note}" if note else "")
            lines.append(line if len(line) < 73 else f"{line[:71]}…")
        lines.append("  crew: " + ", ".join(sorted({name for _, _, name, _ in sites[site]})))
    return "".join(f"{line}\n" for line in lines)


def random_files(rng):
    """Files of a folder; some of them are no logs."""
    files = {}
    start = rng.randrange(1_600_000_000, 1_800_000_000)
    for name in rng.sample(["a.log", "B.log", "b.log", "10.log", "9.log", "ø.log"], rng.randrange(1, 5)):
        lines = []
        for _ in range(rng.randrange(1, 9)):
            blank = rng.choice(["", "", " ", "\t "])
            note = " ".join(rng.choice(WORDS) for _ in range(rng.randrange(9)))
            site = rng.choice(["NP", "LT", "LH", "YD", "Q", "ZZ", "XY"])
            parts = [str(start + rng.randrange(40) * 3601), site, rng.choice(NAMES), note]
            lines.append(";".join(f"{blank}{part}{blank}" for part in parts))
            lines += [""] * (rng.random() < 0.2)
        files[name] = "\n".join(lines) + rng.choice(["", "\n"])
    return {**files, "notes.txt": "none", "c.log.bak": "none", "deep/d.log": "none"}


def run(ws, files, env, *, author=None, absolute=False, bare=False):
    """What the program does with files, which are written in an order of no meaning, when it is started elsewhere."""
    ws.run(["rm", "-rf", "in"])
    for path in ws.rng.sample(sorted(files), len(files)):
        ws.write(f"in/{path}", files[path])
    sites = [f"{code},{name}\n" for code, name in SITES.items()]
    ws.write("shiftlog/sites.csv", "".join(ws.rng.sample(sites, len(sites))))
    settings = dict(env) if author is None else {**env, "SHIFTLOG_AUTHOR": author}
    words = " ".join(f"'{key}={value}'" for key, value in settings.items())
    where = "$P/in" if absolute else "../in"
    start = "env -i PATH=$PATH" if bare else "env"
    command = f"P=$PWD; mkdir -p other; cd other; {start} PYTHONPATH=$P {words} python3 -m shiftlog {where}"
    return ws.run(["sh", "-c", command])


def agrees(ws, env, **more):
    """Whether a random folder gives the report that it should."""
    files = random_files(ws.rng)
    done = run(ws, files, env, **more)
    assert (done.stdout, done.code) == (oracle(files, more.get("author")), 0), (env, more, done)


def test_environments(ws):
    """Each of them, with and without an author."""
    for number, env in enumerate(ENVIRONMENTS):
        agrees(ws, env, author=ws.rng.choice(["Ana Möller", "Bo"]), absolute=bool(number % 2))


def test_without_an_environment(ws):
    """Nothing is set; or everything that can be."""
    agrees(ws, {}, bare=True)
    agrees(ws, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, bare=True, author="Åse")
    agrees(ws, {"USER": "me", "LOGNAME": "you"}, author="")
    every = {key: value for env in ENVIRONMENTS for key, value in env.items()}
    agrees(ws, every, author="Zoë")


def test_many_names_in_one_report(ws):
    """Crew and sites in order, whatever the seed of hashes."""
    text = "".join(f"170000000{n};{code};{name};\n" for n, code in enumerate(SITES) for name in NAMES if code != "ÅX")
    for seed in ("0", "3", "random"):
        done = run(ws, {"x.log": text}, {"PYTHONHASHSEED": seed})
        assert done.stdout == oracle({"x.log": text}, None), (seed, done)


def test_widths(ws):
    """Lines of 71, 72 and 73 characters, not bytes; entries of one time keep their order."""
    text = "".join(f"1700000000;NP;Åse;{'é' * (48 - len('Åse') + more)}\n" for more in (-1, 0, 1, 2, 30, -9))
    for env in ({}, ENVIRONMENTS[2]):
        done = run(ws, {"x.log": text}, env)
        assert done.stdout == oracle({"x.log": text}, None), done
    lengths = sorted(len(line) for line in done.stdout.split("\n") if "Z  " in line)
    assert lengths == [62, 70, 71, 72, 72, 72], lengths


def test_bad_lines(ws):
    """The first in the order of the input is named, in every environment."""
    good = "1700000000;NP;Ana;x\n"
    bad = ["x;NP;Ana;y", "1;np;Ana;y", "1;ABCDE;Ana;y", "1;NP; ;y", "1;NP;Ana", "1;;Ana;y", "1.5;NP;A;y"]
    bad += ["1;N1;Ana;y", ";NP;Ana;y", "1;ÅX;Ana;y", "what"]
    for number, line in enumerate(bad):
        env = ENVIRONMENTS[number % len(ENVIRONMENTS)]
        files = {"b.log": good + "\n" + line + "\n" + line, "a.log": good, "c.log": "bad\n"}
        done = run(ws, files, env)
        assert (done.code, done.stdout) == (2, ""), (line, env, done)
        assert "b.log:3" in done.stderr and "c.log" not in done.stderr, (line, env, done)


def test_nothing_to_report(ws):
    """No line at all."""
    for files in ({"a.txt": "x"}, {"a.log": "\n  \n"}, {"deep/a.log": "1;NP;Ana;x\n"}):
        done = run(ws, files, {"PYTHONOPTIMIZE": "1"})
        assert (done.code, done.stdout) == (2, ""), (files, done)


def test_the_folder_decides(ws):
    """A folder in which the program is started is not its own, even if it looks so."""
    ws.write("other/shiftlog/sites.csv", "NP,Wrong\n")
    ws.write("other/sites.csv", "NP,Wrong\n")
    agrees(ws, {})
