"""The tree of commands: where each lies, its line of help, and which stand on the first screen.

A command is one line of `COMMANDS`, by the words that call it; a group is one line of `GROUPS`. If you rename one, add
its old words to `honestly.cli._renamed`.
"""

FIRST_SCREEN = {
    "Run": ("demo", "run", "status", "show", "view"),
    "Read": ("report", "compare", "audit", "review"),
    "Ship": ("check", "gate", "export"),
}
"""At most twelve verbs."""

GROUPS = {
    "task": "Tasks: list, fetch, prove fair, make from a repository, harden, export.",
    "task from": "Make tasks of commits, a whole history, planted bugs, tests, or a web site.",
    "study": "Studies: list, import, merge, copy, check, rename, archive, serve to an agent.",
    "agent": "Agents: let one work for you, replay a trial, see what it learned.",
    "agent memory": "What agents learned from their trials: list, measure, export, remove.",
    "image": "Root file systems for sandboxes: add, build, list, remove; no engine, no root.",
    "improve": "Improvement loops: run one, look at its attempts, apply one, prove the gain.",
    "audit": "Look for cheating; below it, other ways to look at behaviour.",
    "audit stress": "Measure how readily agents cheat: stress sets, prompt arms, checkpoints.",
    "stats": "Statistics: plan a study, see which tasks flipped, fit several suites, rank by preferences.",
    "bench": "Benchmarks that are not agents' trials: samples, languages, memory errors.",
    "setup": "A project's set-up for agents: look at what its files say, try what they do.",
    "guard": "Rules on what agents may do: measure what they see, and whom agents obey.",
    "train": "Train on studies: fine-tuning data with its configuration, a verifier of tries.",
    "plugin": "Plug-ins: write an agent, a detector, a format or a tool of your own; list them.",
}
"""Groups, by the words that call them. `audit` is a command, too, which has others below it."""

COMMANDS = {
    "demo": ("cli._demo:demo", "See a cheater fall from 100% to 0%: a few tasks, four agents, one minute."),
    "run": ("cli._run:run_command", "Run agents on tasks, many times, in sandboxes."),
    "status": ("studies._cli._status:status", "Show the progress of a running study."),
    "show": ("trials._cli:show_command", "List trials and why they failed, or read one step by step."),
    "view": ("web._cli:view", "Read studies in the browser: compare, review, share."),
    "report": ("leaderboards._cli:report", "Rank agents: scores with intervals, cost, time, cheating."),
    "compare": ("comparisons._cli:compare", "Test whether one agent is better than another, in one study or two."),
    "audit": ("audit._cli:audit", "Look for cheating in the trials of a study, with verbatim evidence."),
    "review": ("people._cli._command:review", "Label trials one by one, and measure agreement."),
    "check": ("check._cli:check", "Give a verdict on one change: a commit, a branch, a patch, an agent's session."),
    "gate": ("comparisons._cli:gate", "Fail a build where an agent became worse than a baseline, or is too weak."),
    "rerun": ("check._cli:rerun", "Run a check or a study from a bundle again: what came out the same."),
    "export": ("cli._exchange:export", "Write trials or a study in other formats: ATIF, JUnit, Inspect, tables."),
    "task list": ("tasks._cli._command:list_", "List the tasks of a suite."),
    "task get": ("tasks._cli._get:get", "Fetch a benchmark by its name: Exercism, QuixBugs, Terminal-Bench, ..."),
    "task new": ("taskgen._cli._health:new", "Write an example task to change."),
    "task check": ("tasks._cli._command:check", "Prove that the tasks of a suite are fair."),
    "task certify": ("taskgen._cli._certify:certify", "Record how far each task's verdict can be trusted."),
    "task health": ("taskgen._cli._health:health", "Show which tasks of a study are worth running."),
    "task from commit": ("taskgen._cli._from:from_commit", "Make a task of one commit."),
    "task from repo": ("taskgen._cli._from:from_repo", "Make tasks of the commits of a repository."),
    "task from mutants": ("taskgen._cli._from:from_mutants", "Plant bugs in a repository; finding each is a task."),
    "task from tests": ("taskgen._cli._from:from_tests", "Take functions out of a repository; each step is a task."),
    "task from pages": ("taskgen._cli._from_pages:from_pages", "Make tasks of the pages of a web site."),
    "task grow": ("taskgen._cli._grow:grow", "Grow a suite by what agents can just solve."),
    "task harden": ("tasks._cli._command:harden", "Find what invites cheating in a suite; write a copy without it."),
    "task impossible": (
        "tasks._cli._command:make_impossible",
        "Write a copy of a suite that cannot be solved honestly.",
    ),
    "task vague": ("people._cli._vague:vague", "Write under-specified twins of a suite's tasks, each proved."),
    "task review": ("check._cli:review_suite", "Write a suite of code reviews, half of the changes with a defect."),
    "task export": ("taskgen._cli._export:export", "Write tasks for other harnesses: Harbor, SWE-bench."),
    "study list": ("store._cli._study:ls", "List the studies of a folder."),
    "study import": ("cli._exchange:import_", "Read other tools' results into a study."),
    "study merge": ("cli._exchange:merge", "Merge several studies into one."),
    "study copy": ("store._cli._store:copy", "Copy a study between files and databases."),
    "study check": ("store._cli._store:check", "Check every row of a study."),
    "study compact": ("store._cli._store:compact", "Make a study smaller on disk."),
    "study regrade": ("runner._cli._regrade:regrade", "Judge kept work again by corrected hidden checks."),
    "study rename": ("store._cli._study:rename", "Rename a study."),
    "study archive": ("store._cli._study:archive", "Move studies into the folder `archived`."),
    "study rm": ("store._cli._study:drop", "Move studies into the folder `dropped`."),
    "study restore": ("store._cli._study:restore", "Bring back archived or removed studies."),
    "study empty": ("store._cli._study:empty", "Delete removed studies for good."),
    "study deliver": ("store._cli._store:deliver", "Send trials that wait on this machine to their database."),
    "study serve-mcp": ("integrations._cli:mcp", "Serve studies to an agent of yours, read-only (MCP)."),
    "agent do": ("agents._cli._agent:agent", "Let an agent work on a copy of your checkout; you approve the changes."),
    "agent replay": ("runner._cli._replay:replay", "Replay a recorded trial offline, and see where it diverges."),
    "agent tickets": ("symphony._cli:symphony", "Let agents work on the tickets of a tracker, each in a git worktree."),
    "agent memory list": ("memory._cli._command:list_", "List what is in a memory."),
    "agent memory show": ("memory._cli._command:show", "Show one entry of a memory."),
    "agent memory gain": ("memory._cli._command:gain", "Measure what a memory is worth."),
    "agent memory export": ("memory._cli._command:export", "Write a memory as files."),
    "agent memory rm": ("memory._cli._command:revoke", "Remove an entry of a memory."),
    "image list": ("sandbox.images._cli:ls", "List images."),
    "image add": ("sandbox.images._cli:add", "Add an image from an archive or a directory."),
    "image build": ("sandbox.images._cli:build", "Build an image from a Dockerfile."),
    "image rm": ("sandbox.images._cli:rm", "Remove images."),
    "improve run": ("improve._cli._command:improve", "Run or resume a loop on a project."),
    "improve status": ("improve._cli._command:status", "Show how far a loop is, and what it found."),
    "improve attempts": ("improve._cli._attempts:attempts", "List the attempts of a loop, with their curve."),
    "improve show": ("improve._cli._command:show", "Show one attempt of a loop."),
    "improve diff": ("improve._cli._command:diff", "Show the change between two attempts as a patch."),
    "improve apply": ("improve._cli._command:apply", "Make the change of an attempt in the project."),
    "improve export": ("improve._cli._command:export", "Write the attempts as git commits."),
    "improve prove": ("improve._cli._prove:prove", "Test whether what a loop found is really better."),
    "audit conduct": ("audit.conduct._cli:conduct", "Measure how agents worked: safely, thoroughly, honestly."),
    "audit disclose": ("stress._cli:disclose", "Write a page with every rate, its denominator, interval and judge."),
    "audit stress init": ("stress._cli:init", "Write a registry of stress sets."),
    "audit stress run": ("stress._cli:run_", "Run agents on the stress sets."),
    "audit stress report": ("stress._cli:report", "Show the rates, the arms, and whether a rate rose."),
    "audit stress levers": ("stress._cli:levers", "Show what each lever changes."),
    "audit stress refill": ("stress._cli:refill", "Add what agents hacked to the registry."),
    "audit stress pairs": ("stress._cli:pairs_", "Write training pairs, plain and under an arm."),
    "train rft": ("train._cli._train:rft", "Write honest passes and a trainer's configuration for fine-tuning."),
    "train verifier": ("train._cli._train:verifier", "Measure what choosing among tries by a verifier is worth."),
    "watch": ("train._cli._watch:watch", "Watch a training log for spikes, divergence, collapse and hacking."),
    "stats plan": ("plans._cli._plan:plan", "Find how many tasks and samples show a gap; pre-register."),
    "stats diff": ("comparisons._cli:diff", "Show which tasks flipped between two agents, how certainly, and why."),
    "stats length": ("length._cli:length", "Show success by length of the work, and what compounding errors predict."),
    "stats fit": ("rankings._cli:model", "Fit several suites in one model: pooled scores, joint ranks, difficulty."),
    "stats prefer": ("rankings._cli:prefer", "Rank agents by people's preferences."),
    "effect": ("effect._cli:effect", "Estimate what a change did to users' ratings, most sessions being unrated."),
    "calibrate": ("calibrate._cli:calibrate", "Test whether agents know when they succeeded: claims and confidence."),
    "uncertainty": (
        "uncertainty._cli:uncertainty",
        "Measure how sure a model is of its answers, with and without documents.",
    ),
    "record": ("recording._cli:record", "Record your own work in a terminal as a trajectory, and as an asciicast."),
    "recipe": (
        "recipes._cli:recipe",
        "Reproduce a published training result at small scale, with several seeds, on one page.",
    ),
    "credit": ("people._cli._credit:credit", "Find the step in which a trial was lost, and what each was worth."),
    "bench samples": ("samples._cli._verify:verify", "Judge samples of HumanEval and the like: pass@k."),
    "bench languages": ("languages._cli._command:languages", "Solve the same puzzles in fifteen languages."),
    "bench hunt": ("hunt._cli:hunt", "Find memory errors in a C program, each proved by an input."),
    "guard check": (
        "guard._cli._check:check",
        "Measure what a policy sees: misses and false alarms on labelled commands.",
    ),
    "guard hierarchy": (
        "guard._cli._hierarchy:hierarchy",
        "Write a suite in which two places disagree, such as the user and a web page.",
    ),
    "guard places": ("guard._cli._hierarchy:places", "Show whom agents obeyed where two places disagreed."),
    "setup try": (
        "guard._cli._try:try_",
        "Try a set-up on tasks: with it, without it, without each part, with a placebo.",
    ),
    "setup lint": (
        "guard._cli._setup:lint",
        "Look at a project's set-up for agents: dead paths, contradictions, secrets, size.",
    ),
    "deps": ("guard._cli._deps:deps", "Show which packages a project or agents pull in, and what is wrong with them."),
    "plugin new": ("testing._cli:new", "Write a plug-in of your own to change, with its test."),
    "plugin skill": ("testing._cli:skill", "Print a skill that teaches your own agent to use honestly."),
    "plugin list": ("testing._cli:list_", "List the plug-ins of a kind."),
    "doctor": ("sandbox._cli:doctor", "Check what sandbox this machine allows; clear up what was left behind."),
    "help": ("cli._pages:help_", "Show a page of the documentation, or search it for words."),
}
"""Every command: the words that call it, where it lies (`room.module:attribute`), and its line of help."""


def words_below(group: str) -> list[str]:
    """The words that may follow those of a group, in the order of the table; of the whole tree for an empty text."""
    depth = len(group.split())
    parts = [each.split() for each in COMMANDS]
    return list(dict.fromkeys(each[depth] for each in parts if each[:depth] == group.split() and len(each) > depth))


def line_of_help(words: str) -> str:
    """The line of help of a command, or of a group."""
    words = words.strip()
    return COMMANDS[words][1] if words in COMMANDS else GROUPS[words]
