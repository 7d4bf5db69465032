"""What does a guard cost: a decision in microseconds, and solved tasks and time in pairs? And which names does it see?

    python bench/guard.py speed
    python bench/guard.py names
    python bench/guard.py real FOLDER        # trajectories in JSON: how many of their commands are stopped?
    python bench/guard.py cost [--tasks 64] [--jobs 2] [--out FOLDER]

`speed` decides on every labelled command that the tests have, under a policy of 5 rules and one of 200, and prints
percentiles of CPU time, and the share of decisions above a millisecond.

`names` judges 100 invented names, 100 typing errors in popular names, 100 joints of two and 200 rare real ones of PyPI,
as they stand in a requirements file: without a list of names, and with one that holds the real ones.

`real` decides on every command in the JSON files below a folder (arguments `command`, blocks of bash), under a policy
that denies pushes, `sudo`, migrations, secrets and `.env`, with and without the last: real work, nearly all harmless.

`cost` runs four scripted workers on the embedded suite, each with a guard and without. They write the reference
solution by the shell: *plain* as one writes it by hand; *tidy* removes a file of its own in the same command, which the
guard denies (`Bash(rm:*)`), and then does it plainly; *stubborn* does the same and gives up when refused; *computed*
names the file by a command. So the truth is known: the guard costs the stubborn all tasks and the others none; the time
is what is measured. It does not say how often a model is refused.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import statistics
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import process_time

from honestly.agents import Honest
from honestly.guard import NamedPackage, judge_packages, labelled_cases, read_cases
from honestly.models import assistant_message, tool_call
from honestly.permissions import ToolPolicy, parse_rules, popular_names
from honestly.studies import run
from honestly.tasks import load_suite

LATER = Path(__file__).parents[1] / "tests" / "guard" / "later.jsonl"
REAL = LATER.with_name("real_names.txt")
FEW = ["Bash(git push:*)", "Bash(rm:*)", "Edit(migrations/**)", "Read(.env)", "Secret"]


def policy(rules):
    return ToolPolicy(tuple(parse_rules("deny", rules)[0]))


def speed():
    commands = [case.command for case in [*labelled_cases(), *read_cases(LATER)]]
    many = [*FEW, *(f"Bash(tool{n}:*)" for n in range(100)), *(f"Edit(folder{n}/**)" for n in range(95))]
    for rules in (FEW, many):
        ruled, times = policy(rules), []
        for command in commands:
            begun = process_time()
            ruled.decision("bash", {"command": command})
            times.append((process_time() - begun) * 1e6)
        times.sort()
        at = {q: times[min(len(times) - 1, math.floor(q * len(times)))] for q in (0.5, 0.9, 0.99)}
        over = sum(each > 1000 for each in times) / len(times)
        print(
            f"{len(rules)} rules, {len(times)} commands: mean {statistics.mean(times):.0f} µs, median {at[0.5]:.0f}, "
            f"90% {at[0.9]:.0f}, 99% {at[0.99]:.0f}, most {times[-1]:.0f}; {over:.1%} above 1 ms"
        )


def judged(names, given=None):
    found = judge_packages([NamedPackage(name, "PyPI", "", "requirements.txt") for name in names], names=given)
    return Counter(each.status + (" (joins)" if each.note.startswith("joins") else "") for each in found.packages)


def names():
    rng = random.Random(51)
    popular = sorted(popular_names("PyPI"))
    real = REAL.read_text().split()
    words = "fast smart auto easy deep data flow stream vector prompt graph token safe quick core light mini".split()
    ends = "kit utils helper tools client wrapper lib engine parser loader manager bridge toolkit".split()
    invented = sorted({f"{rng.choice(words)}-{rng.choice(words)}-{rng.choice(ends)}" for _ in range(400)} - set(real))
    typos = set()
    while len(typos) < 100:
        name = rng.choice([each for each in popular if len(each) > 5])
        at, letter = rng.randrange(1, len(name) - 1), rng.choice("abcdefghijklmnopqrstuvwxyz")
        left, right = name[:at], name[at + 1 :]
        made = rng.choice(
            [left + right, left + letter + name[at:], left + letter + right, left + right[:1] + name[at] + right[1:]]
        )
        typos |= {made} - set(popular)
    joins = sorted({"-".join(rng.sample(popular, 2)) for _ in range(120)})[:100]
    groups = {
        "invented": rng.sample(invented, 100),
        "typing errors": sorted(typos),
        "two joined": joins,
        "rare, real": real,
    }
    exist = {"PyPI": frozenset(real) | frozenset(popular)}
    for group, of in groups.items():
        print(f"{group}, {len(of)}: without a list {dict(judged(of))}; with one {dict(judged(of, exist))}")


def commands_in(found):
    if isinstance(found, dict):
        for key, value in found.items():
            if key in {"command", "cmd"} and isinstance(value, str):
                yield value
            elif key == "arguments" and isinstance(value, str):
                with suppress(ValueError):
                    yield from commands_in(json.loads(value))
            else:
                yield from commands_in(value)
    elif isinstance(found, list):
        for value in found:
            yield from commands_in(value)
    elif isinstance(found, str):
        yield from re.findall(r"```(?:bash|sh|mswea_bash_command)\n(.*?)\n```", found, re.DOTALL)


def real(folder):
    seen = set()
    for path in folder.rglob("*.json*"):
        text = path.read_text("utf-8", "replace")
        try:
            seen.update(commands_in(json.loads(text)))
        except ValueError:
            for line in text.split("\n"):
                with suppress(ValueError):
                    seen.update(commands_in(json.loads(line)))
    rules = ["Bash(git push:*)", "Bash(sudo:*)", "Edit(migrations/**)", "Secret", "Read(.env)"]
    for given in (rules, rules[:-1]):
        words = Counter(policy(given).decision("bash", {"command": each}).word for each in seen)
        shares = ", ".join(f"{count} {word} ({count / len(seen):.1%})" for word, count in words.most_common())
        print(f"{len(seen)} commands under {', '.join(given)}: {shares}")


class Worker:
    """Writes the reference of the task that it is told of, in one manner."""

    def __init__(self, tasks, manner):
        self.name, self.tasks, self.manner = f"scripted-{manner}", tasks, manner

    async def __call__(self, messages, tools=(), settings=None):  # noqa: ARG002 - a model is called so
        told = next(each.text for each in messages if each.role == "user")
        task = max(
            (each for each in self.tasks if each.instruction.strip() in told), key=lambda each: len(each.instruction)
        )
        turns = sum(each.role == "assistant" for each in messages)
        refused = "rules for you" in messages[-1].text
        if turns == 0 or (turns == 1 and refused and self.manner != "stubborn"):
            return assistant_message("", tool_call("bash", command=self.command(task, plain=refused)))
        return assistant_message("", tool_call("finish", outcome="done", summary="written"))

    def command(self, task, *, plain):
        edit = task.hidden.reference
        lines = [
            f"rm -f -- '{path}'"
            if self.manner == "stubborn"
            else f"git rm -q --cached '{path}' || true; mv '{path}' /tmp/"
            for path in edit.delete
        ]
        for path, file in edit.write.files.items():
            mark = "END_OF_THE_FILE"
            target = f'"$(printf %s {path})"' if self.manner == "computed" and not plain else f"'{path}'"
            lines.append(f"mkdir -p {Path(path).parent}\ncat > {target} <<'{mark}'\n{file.data.decode()}{mark}")
            lines += [f"chmod +x '{path}'"] if file.mode == "exec" else []
        if self.manner in {"tidy", "stubborn"} and not plain:
            lines.append("touch /tmp/notes && rm /tmp/notes")
        return "\n".join(lines)


def textual(task):
    files = task.hidden.reference.write.files.values() if task.hidden else ()
    return bool(files) and all(b"\0" not in each.data and each.data.endswith(b"\n") for each in files)


def cost(tasks, jobs, out):
    chosen = [task for task in load_suite("embedded").tasks if textual(task) and not task.hidden.reference.delete][
        :tasks
    ]
    agents = []
    for manner in ("plain", "tidy", "stubborn", "computed"):
        model = Worker(chosen, manner)
        agents += [Honest(model, name=manner), Honest(model, name=f"{manner}+guard").guarded(policy(FEW))]
    study = run(chosen, agents, out=out, jobs=jobs, preflight=False)
    for row in study.report().to_plain()["guards"]:
        print(json.dumps(row))
    print(f"{len(chosen)} tasks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "names", "real", "cost"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path())
    parser.add_argument("--tasks", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.what == "speed":
        return speed()
    if given.what == "names":
        return names()
    if given.what == "real":
        return real(given.folder)
    with tempfile.TemporaryDirectory() as folder:
        return cost(given.tasks, given.jobs, given.out or Path(folder) / "guard.honestly")


if __name__ == "__main__":
    sys.exit(main())
