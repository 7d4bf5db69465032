import csv, json, os, sys
from collections import defaultdict

where = sys.argv[1]
with open(os.path.join(where, "margins.json")) as handle:
    wanted = json.load(handle)
first = {}
total = 0
with open(os.path.join(where, "people.csv"), newline="") as handle:
    for line in csv.DictReader(handle):
        total += 1
        first.setdefault(line["id"], line)
kept = [p for p in first.values() if p["age"] in wanted["age"] and p["region"] in wanted["region"]]

# Work on cells: all of one age and region have the same weight.
size = defaultdict(int)
for p in kept:
    size[p["age"], p["region"]] += 1
row = {a: s for a, s in wanted["age"].items() if any(cell[0] == a for cell in size)}
col = {r: s for r, s in wanted["region"].items() if any(cell[1] == r for cell in size)}
row = {a: s / sum(row.values()) for a, s in row.items()}
col = {r: s / sum(col.values()) for r, s in col.items()}
left, right = dict.fromkeys(row, 1.0), dict.fromkeys(col, 1.0)
for _ in range(6000):
    worst = 0.0
    for a in left:
        left[a] = row[a] / sum(n * right[r] for (b, r), n in size.items() if b == a)
    for r in right:
        new = col[r] / sum(n * left[a] for (a, s), n in size.items() if s == r)
        worst = max(worst, abs(new / right[r] - 1))
        right[r] = new
    if worst < 1e-13:
        break


def heavy(p):
    return left[p["age"]] * right[p["region"]] * len(kept)


voters = [p for p in kept if p["answer"] == "yes" or p["answer"] == "no"]
by_region = defaultdict(lambda: [0.0, 0.0])
for p in voters:
    pair = by_region[p["region"]]
    pair[p["answer"] == "yes"] += heavy(p)
no = sum(pair[0] for pair in by_region.values())
yes = sum(pair[1] for pair in by_region.values())
answer = {"counted": len(kept), "left_out": total - len(kept), "share": None, "effective": 0, "margin_of_error": None}
if voters:
    answer["share"] = s = yes / (yes + no)
    answer["effective"] = e = (yes + no) ** 2 / sum(heavy(p) ** 2 for p in voters)
    answer["margin_of_error"] = 1.96 * (s * (1 - s) / e) ** 0.5
answer["heaviest"] = max(map(heavy, kept)) if kept else None
answer["regions"] = {
    r: by_region[r][1] / sum(by_region[r]) if r in by_region else None for r in wanted["region"]
}
print(json.dumps(answer))
