#!/bin/bash
set -e
cat > /tmp/load.py <<'EOF'
import csv
import gzip
import re
import sqlite3
from datetime import datetime
from pathlib import Path

LINE = re.compile(r'(\S+) \S+ \S+ \[([^]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+|-)')
db = sqlite3.connect("/app/access.db")
db.execute("create table requests(host, time, method, path, status integer, bytes integer)")
db.execute("create table rejected(file, line)")
for path in sorted(Path("/app/logs").iterdir()):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        for line in file.read().splitlines():
            found = LINE.fullmatch(line)
            if not found:
                db.execute("insert into rejected values (?, ?)", (path.name, line))
                continue
            host, when, method, what, status, size = found.groups()
            time = datetime.strptime(when, "%d/%b/%Y:%H:%M:%S %z").strftime("%Y-%m-%dT%H:%M:%SZ")
            row = (host, time, method, what, int(status), 0 if size == "-" else int(size))
            db.execute("insert into requests values (?, ?, ?, ?, ?, ?)", row)
db.commit()
EOF
python3 /tmp/load.py
sqlite3 -header -csv /app/access.db "select path, count(*) as requests, sum(bytes) as bytes from requests
  where status between 200 and 299 group by path order by sum(bytes) desc limit 3" | tr -d '\r' > /app/top.csv
