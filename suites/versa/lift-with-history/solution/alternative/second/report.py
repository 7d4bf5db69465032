import csv, json, os, sys
from fractions import Fraction as F


def read(name):
    with open(os.path.join(sys.argv[1], name), newline="") as f:
        return list(csv.DictReader(f))


class Person:
    def __init__(self, arm, before):
        self.arm, self.before, self.crossed, self.total = arm, before, False, F(0)


people = {}
for line in read("users.csv"):
    person = people.setdefault(line["user"], Person(line["arm"], line["before"]))
    if person.arm != line["arm"]:
        person.crossed = True
everyone = len(people)
people = {name: p for name, p in people.items() if not p.crossed}
for line in read("visits.csv"):
    if line["user"] in people:
        people[line["user"]].total += F(line["minutes"])
group = list(people.values())
n = len(group)
given = [F(p.before) for p in group if p.before != ""]
typical = sum(given) / len(given) if given else F(0)
for p in group:
    p.before = typical if p.before == "" else F(p.before)
cut = None
for candidate in sorted({p.total for p in group}):
    if 100 * sum(p.total <= candidate for p in group) >= 95 * n:
        cut = candidate
        break
theta = mx = F(0)
if n:
    for p in group:
        p.y = min(p.total, cut)
    mx = sum(p.before for p in group) / n
    my = sum(p.y for p in group) / n
    sxx = sum(p.before * p.before for p in group) - n * mx * mx
    sxy = sum(p.before * p.y for p in group) - n * mx * my
    theta = sxy / sxx if sxx != 0 else F(0)


def summary(values):
    m = sum(values) / len(values)
    return m, sum((v - m) * (v - m) for v in values) / (len(values) - 1) / len(values)


out = {"users": {arm: sum(p.arm == arm for p in group) for arm in ("a", "b")}, "left_out": everyone - n}
out["cut"] = None if cut is None else float(cut)
out["theta"] = float(theta)
out["lift"] = out["error"] = out["spared"] = None
if out["users"]["a"] >= 2 and out["users"]["b"] >= 2:
    (ma, va), (mb, vb) = (summary([p.y - theta * (p.before - mx) for p in group if p.arm == arm]) for arm in ("a", "b"))
    raw = sum(summary([p.y for p in group if p.arm == arm])[1] for arm in ("a", "b"))
    out["lift"] = float(mb - ma)
    out["error"] = float(va + vb) ** 0.5
    out["spared"] = float(1 - (va + vb) / raw) if raw else None
print(json.dumps(out))
