import random
import sys
from pathlib import Path

rng, folder = random.Random(7), Path(sys.argv[1])
folder.mkdir(parents=True)
paths = ["/", "/a.html", "/b.html", "/img/c.png", "/api/d", "/api/e?x=1"]
for number in range(3):
    lines = []
    for _ in range(400):
        when = f"{rng.randrange(1, 29):02}/Mar/2026:{rng.randrange(24):02}:{rng.randrange(60):02}:00 +0000"
        status, size = rng.choice([200, 200, 204, 304, 404, 500]), rng.choice(["-", rng.randrange(9000)])
        path = rng.choice(paths)
        lines.append(f'10.0.0.{rng.randrange(9)} - - [{when}] "GET {path} HTTP/1.1" {status} {size}')
        if rng.random() < 0.02:
            lines.append(rng.choice(["", "garbage", 'x - - [y] "GET" 1']))
    name = "access.log" + (f".{number}" if number else "")
    (folder / name).write_text("\n".join(lines) + "\n")
