import csv
import gzip
import sqlite3
from collections import Counter
from pathlib import Path


def lines():
    for path in Path("/app/logs").iterdir():
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        yield from text.decode().splitlines()


def good():
    return [line for line in lines() if line.startswith("10.0.0.")]


def ask(query):
    return sqlite3.connect("/app/access.db").execute(query).fetchall()


def test_every_request_is_there():
    assert ask("select count(*) from requests") == [(len(good()),)]
    assert ask("select count(*) from rejected") == [(len(list(lines())) - len(good()),)]
    sizes = [line.split()[-1] for line in good()]
    assert ask("select sum(bytes) from requests") == [(sum(int(size) for size in sizes if size != "-"),)]


def test_times():
    days = Counter(line.split("[")[1][:2] for line in good())
    assert dict(ask("select substr(time, 9, 2), count(*) from requests group by 1")) == days
    assert all(len(time) == 20 and time[-1] == "Z" for (time,) in ask("select time from requests"))


def test_the_top():
    count, size = Counter(), Counter()
    for line in good():
        words = line.split()
        if words[-2].startswith("2"):
            count[words[6]] += 1
            size[words[6]] += int(words[-1].replace("-", "0"))
    rows = list(csv.reader(open("/app/top.csv")))
    assert rows[0] == ["path", "requests", "bytes"]
    assert rows[1:] == [[path, str(count[path]), str(total)] for path, total in size.most_common(3)]
