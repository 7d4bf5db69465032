"""The command lines whose answers are kept, in groups; each group has a folder of its own, with kept inputs in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from golden_place import SHARED

from honestly.cli import _tree

BOARD, LATER, RAN, LOOP = "board.honestly", "later.honestly", "ran.honestly", "loop"


class Group(NamedTuple):
    """Commands that are run one after the other in one folder."""

    lines: tuple[str, ...]
    kept: tuple[str, ...] = ()
    moving: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    slow: bool = False
    needs: Path | None = None


TABLES = {
    "long.csv": "agent,task,sample,outcome,visible,usd,category\n"
    + "".join(
        f"{agent},t{i},{k},{'passed' if (7 * i + 3 * k + len(agent)) % 10 < rate else 'failed'},yes,0.0{k + 1},c{i % 2}\n"
        for agent, rate in (("new", 7), ("older", 4))
        for i in range(12)
        for k in range(2)
    ),
    "wide.csv": "question,a,b\n" + "".join(f"q{i},{i % 2},{int(i % 3 == 0)}\n" for i in range(10)) + "q10,,1\n",
    "words.csv": "llm,qid,acc\nx,q1,resolved\nx,q2,needs review\ny,q1,nan\ny,q2,0.5\n",
    "rows.jsonl": '{"agent": "x", "task": "t", "score": 0.5}\n{"agent": "x", "task": "u"}\nnot JSON\n',
    "differs.xml": '<testsuite name="s" tests="3" failures="1" errors="0"><testcase name="one"/></testsuite>',
    "junit.xml": '<testsuite name="s"><testcase classname="c" name="one"/><testcase classname="c" name="two">'
    '<failure message="no"/></testcase><testcase classname="c" name="three"><skipped/></testcase></testsuite>',
    "prose.txt": "Nothing to import.\n",
    "pairs.csv": "a,b,outcome,question,rater\n"
    + "".join(
        f"{a},{b},{('a', 'b', 'tie', 'a')[(i + len(a)) % 4]},q{i % 5},{('ann', 'bob')[i % 2]}\n"
        for i in range(30)
        for a, b in (("x", "yy"), ("yy", "zzz"), ("x", "zzz"))
    ),
    "wins.csv": "winner,loser\nx,y\nx,y\ny,x\n",
}
TRIALS = ("4692ed9de8db908f2d7415906c2db6e2", "515336e78ddbda67a1c93b07c7134ba5", "7923d1d7d22cbe3519994d7877d2c9b7")
LABELS = "".join(
    f'{{"trial": "{trial}", "label": "{label}", "reviewer": "{who}", "at": "2026-02-03T04:05:06+00:00"}}\n'
    for trial, by_ann, by_bob in zip(TRIALS, ("hack", "honest", "hack"), ("hack", "honest", "suspicious"), strict=True)
    for who, label in (("ann", by_ann), ("bob", by_bob))
)
HUMANEVAL = """{"task_id": "Own/0", "prompt": "def two(x):\\n    ", "entry_point": "two", "canonical_solution": "return 2 * x\\n", "test": "def check(candidate):\\n    assert candidate(3) == 6\\n    assert candidate(-1) == -2\\n"}
{"task_id": "Own/1", "prompt": "def last(x):\\n    ", "entry_point": "last", "canonical_solution": "return x[-1]\\n", "test": "def check(candidate):\\n    assert candidate([1, 2]) == 2\\n"}
"""
SAMPLES = """{"task_id": "Own/0", "completion": "return x + x\\n"}
{"task_id": "Own/0", "completion": "return 6\\n"}
{"task_id": "Own/1", "completion": "return x[len(x) - 1]\\n"}
{"task_id": "Own/1", "completion": "import os; os._exit(0)\\n"}
"""
WAYS = ("atif", "otel", "adp", "inspect", "scout", "harbor", "table", "junit", "swe-bench", "samples", "evalplus")
FORMATS = """aider docent evalplus hal harbor/jobs harbor_trial_dir humaneval_mbpp_samples inspect_eval_metr inspect_scout
    junit lm_eval_harness openhands otel_genai rl_rows strangers swe_agent_traj tau_bench_few_shot tinker_rollouts
    agent_sessions hf_model_index""".split()  # noqa: SIM905
CUT = {"seconds": "S", "cpu": "S", "cpu_seconds": "S", "agent_seconds": "S", "wall": "S"}


def shared(name: str) -> Group:
    """An import of what other people's tools wrote, and what is then said about it."""
    asked = lines(f"""
        study import @formats/{name} -o s.honestly --json --allow-refused
        report s.honestly
        show s.honestly --limit 3 --json
        audit s.honestly
        audit conduct s.honestly
        status s.honestly --json
    """)
    return Group(asked, slow=True, needs=SHARED / "formats" / name)


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


GROUPS: dict[str, Group] = {
    "report": Group(
        lines("""
            report board.honestly --json
            report board.honestly
            report board.honestly --by category --by difficulty --limit drop --void drop --alpha 0.1
            report board.honestly --ladder good --missing fail
            report board.honestly --cutoff 2026-01-01
            report board.honestly --strict --cluster category
            report board.honestly --html board.html --figures figures > figures
            report ran.honestly --json
            report absent.honestly
            report board.honestly --by absent
        """),
        (BOARD, RAN),
    ),
    "compare": Group(
        lines("""
            compare board.honestly good fair --json
            compare board.honestly good fair
            compare board.honestly fair good --margin 5 --void drop
            compare board.honestly good cheat-a --cluster category --limit drop --json
            compare board.honestly good absent
            stats diff board.honestly good fair --json
            stats diff board.honestly good fair
            stats diff board.honestly cheat-a good --void drop --limit drop
            stats diff board.honestly later.honestly -a good
            gate later.honestly --baseline board.honestly -a new --baseline-agent good --min-gap 5 --json
            gate later.honestly --baseline board.honestly -a new --baseline-agent good --about these
            gate later.honestly --baseline board.honestly -a new --baseline-agent good --markdown gate.md --junit gate.xml > gate.md gate.xml
            gate later.honestly --baseline board.honestly -a good --baseline-agent fair --cannot-tell pass
            gate board.honestly -a good --baseline-agent good
            gate board.honestly -a cheat-a --baseline-agent good --json
        """),
        (BOARD, LATER),
        slow=True,
    ),
    "plan": Group(
        lines("""
            stats plan --pilot board.honestly --json
            stats plan --pilot board.honestly --agents good fair --gap 5 --gap 10 -k 1 -k 3 -n 40
            stats plan --pilot board.honestly --from-health --budget 20 --price-run-a 0.1 --price-run-b 0.2 --json
            stats plan --score 0.4 --gap 4 --stop-early --theory t -m 6 --json
            stats plan --score 0.4 --register plan.json --claim 'a>b' --gap 10 -k 2 -n 60 > plan.json
            stats plan
            task health board.honestly --json
            task health board.honestly
            audit disclose board.honestly -o page.html --json
            audit disclose ran.honestly
        """),
        (BOARD, LATER, RAN),
        slow=True,
    ),
    "audit": Group(
        lines("""
            audit ran.honestly --list
            audit ran.honestly --json
            audit ran.honestly
            audit ran.honestly -d edited_tests --json
            audit board.honestly
            audit ran.honestly --prevalence
            audit ran.honestly --gold
            audit conduct ran.honestly --json
            audit conduct ran.honestly
            audit conduct ran.honestly --measures --json
            report ran.honestly
        """),
        (BOARD, RAN),
        slow=True,
    ),
    "show": Group(
        lines("""
            show ran.honestly
            show ran.honestly --json
            show ran.honestly --agent honest --task range-labels --why
            show ran.honestly --outcome failed --sort seconds --limit 3 --json
            show ran.honestly --where visible=yes --where hidden=no
            show ran.honestly --find discount
            show board.honestly --limit 5
            status ran.honestly --json
            status ran.honestly
            status board.honestly
            study list --json
            study check ran.honestly --json
            study check board.honestly
        """),
        (BOARD, RAN),
    ),
    "model": Group(
        lines("""
            stats fit board.honestly later.honestly --draws 100 --json
            stats fit board.honestly later.honestly --draws 100
            stats fit board.honestly --draws 100 --two-parameter
        """),
        (BOARD, LATER),
        slow=True,
    ),
    "import": Group(
        lines("""
            study import long.csv -o long.honestly --json
            report long.csv --json
            compare long.csv new older
            gate long.csv -a new --baseline-agent older
            stats plan --pilot long.csv
            study import wide.csv -o wide.honestly --columns task=question,agent=* --json
            report wide.honestly
            study import words.csv -o words.honestly --columns agent=llm,task=qid,outcome=acc --outcome "needs review=void" --json
            report words.honestly
            study import words.csv -o refused.honestly
            study import rows.jsonl -o rows.honestly --json
            study import rows.jsonl -o rows.honestly --allow-refused --json
            study import junit.xml -o junit.honestly --json
            study import differs.xml -o differs.honestly
            report differs.xml --allow-difference
            show junit.honestly --json
            study import prose.txt -o prose.honestly
            study import long.csv wide.csv -o both.honestly --json
            study merge long.honestly wide.honestly -o merged.honestly --json
            study merge long.honestly long.honestly -o twice.honestly
            report merged.honestly
            stats prefer pairs.csv --json
            stats prefer wins.csv
            stats prefer long.csv
        """),
        files=TABLES,
        slow=True,
    ),
    "export": Group(
        tuple(
            line
            for way in WAYS
            for line in (
                f"export ran.honestly --to {way} --out {way} --agent special-case --task discount-table --json > {way}",
                f"study import {way} -o {way}.honestly --json",
            )
        )
        + lines("""
            export ran.honestly --to markdown --out whole.md > whole.md
            export board.honestly --to markdown --out board.md > board.md
            export ran.honestly --to model-index --out index > index
            export ran.honestly --to nothing --out other
            show atif.honestly --json
        """),
        (BOARD, RAN),
        slow=True,
    ),
    "files": Group(
        lines("""
            study list --json
            study rename board.honestly first --json
            study archive later.honestly --json
            study list --all
            study rm first --json
            study restore first --json
            study empty . --yes --json
            study copy ran.honestly copied.honestly --json
            study compact copied.honestly --json
            study check copied.honestly --json
            report copied.honestly
            review copied.honestly --json
            audit copied.honestly
            review copied.honestly --draw --random 4 --seed 1 --json
            review copied.honestly --import labels.jsonl --json
            review copied.honestly --agreement --json
            review copied.honestly --agreement
            review copied.honestly --fit
            review copied.honestly --export labels.csv > labels.csv
            audit copied.honestly --gold
            audit copied.honestly --prevalence
            agent memory gain copied.honestly --json
            agent replay copied.honestly 515336e78ddbda67a1c93b07c7134ba5 --json
            agent replay copied.honestly absent
        """),
        (BOARD, LATER, RAN),
        files={"labels.jsonl": LABELS},
        slow=True,
    ),
    "tasks": Group(
        lines("""
            task list embedded --json
            task list absent
            task new mine > mine
            task list mine --json
            task export embedded --to harbor --out harbor --task discount-table --json > harbor
            task harden mine --no-run -o harder --json
            audit stress init stress.toml -s embedded --own 3 --json > stress.toml
            audit stress pairs embedded --not-in stress.toml --task discount-table -o pairs.jsonl > pairs.jsonl
            audit stress report ran.honestly --json
            audit stress report ran.honestly
            audit stress levers ran.honestly --json
            audit stress refill stress.toml ran.honestly --no-prove
            agent memory list absent
            image list --json
            plugin new detector mine_too > mine_too.py
            plugin list detector
            plugin list exporter
            run embedded -a honest -a nop --task discount-table -k 2 -o dry.honestly --dry-run --json
            run embedded -a nobody -o dry.honestly
            bench languages prompts -l python
            nothing
            --version
        """),
        (RAN,),
        moving={"jobs": "JOBS", "re:2[0-9]{3}-[0-9]{2}-[0-9]{2}(?![T ]?[0-9])": "DAY"},
        slow=True,
    ),
    "live": Group(
        lines("""
            bench samples problems.jsonl samples.jsonl -k 1 --json
            task check mine --json
            task new mine
            task check mine --json
            improve run loop --json
            improve run loop --budget "4 attempts"
            improve prove loop --json
            bench languages answers.jsonl -l python --json
            bench languages doctor --json : keys
            run mine -a oracle -a nop -k 1 -o new.honestly --json
            report new.honestly
            run mine -a oracle -a nop -k 1 -o new.honestly --json
            task impossible mine -o twins --json
        """),
        (LOOP,),
        moving=CUT,
        files={
            "problems.jsonl": HUMANEVAL,
            "samples.jsonl": SAMPLES,
            "answers.jsonl": '{"language": "python", "puzzle": "absent", "model": "m", "sample": 0, "code": "print(1)"}\n',
        },
        slow=True,
    ),
    "help": Group(
        ("--help : keys", *(f"{each} --help-all : keys" for each in (*_tree.COMMANDS, *_tree.GROUPS))), slow=True
    ),
    "terminal-bench": Group(
        lines("""
            study import @terminal-bench -o tb.honestly --json
            report tb.honestly --json
            report tb.honestly --by difficulty
            compare tb.honestly 20250923_droid 20250910_iris --json
            stats diff tb.honestly 20250923_droid 20250910_iris
            stats plan --pilot tb.honestly --json
            task health tb.honestly
            show tb.honestly --limit 3 --json
            status tb.honestly --json
        """),
        slow=True,
        needs=SHARED / "terminal-bench",
    ),
    **{f"of-{name.split('/')[0]}": shared(name) for name in FORMATS},
}
