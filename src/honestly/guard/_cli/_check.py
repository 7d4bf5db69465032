"""`honestly guard check`: what a policy sees of labelled commands."""

from pathlib import Path

import click

from honestly.command import json_option, print_answer, say_on_stderr


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("cases", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--judge", "judged", is_flag=True, help="Also ask the policy's judge (docs/guard.md). Costs money.")
@json_option
def check(file: Path, cases: Path | None, judged: bool, as_json: bool) -> int:
    """Measure what the policy in FILE catches: misses and false alarms on labelled commands. See docs/guard.md.

    CASES contains one JSON object per line: command, forbidden, and optionally kind and deny (rules for this command
    instead of the policy's). Without CASES, ways around FILE's own rules are tried. Exit code 1: a command was missed.
    """
    from honestly.agents import PolicyJudge
    from honestly.guard import check_policy, read_cases
    from honestly.permissions import read_policy

    policy = read_policy(file)
    judge = PolicyJudge.of(policy) if judged else None
    if judged and judge is None:
        raise click.UsageError(f"{file} has no judge; write [judge] with model = '...'")
    found = check_policy(policy, None if cases is None else read_cases(cases), judge)
    print_answer(found, as_json=as_json)
    if policy.default == "allow" and any(rule.word == "allow" for rule in policy.rules):
        say_on_stderr("What no rule denies is allowed, so rules that allow change nothing; set default to 'ask'.")
    return int(found.total.missed > 0)
