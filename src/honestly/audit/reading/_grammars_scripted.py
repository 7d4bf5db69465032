"""Summaries of the test frameworks of Python, JavaScript, shells, Perl, Ruby, PHP, Lua, R and their like."""

from honestly.audit.reading._grammars import ALL, FES, PFS, Grammar

SCRIPTED = (
    # Python
    Grammar(
        "sympy",
        r"=* ?tests finished: (?P<counts>(?:\d{1,9} [a-z ]{1,40},[ \n]){1,9})in [\d.]+ seconds[^\n]*$",
        ALL,
        names=r"_{3,80} (\S{1,300}\.py:\w{1,200}) _{3,80}",
    ),
    Grammar(
        "regrtest",
        r"Result: (?:(?P<good>SUCCESS)|(?P<bad>FAILURE|INTERRUPTED|ENV CHANGED)[\w ,]*|NO TESTS RAN)",
        FES,
        more=r"Total tests: (?P<fields>(?:[a-z_]{1,30}=[\d,]{1,12} ?){1,6}[^\n]*)",
        names=r"test (\S{1,200}) (?:failed|crashed)\b[^\n]*",
        whole="unittest",
    ),
    Grammar(
        "regrtest",
        r"== Tests result: (?:(?P<good>SUCCESS)|(?P<bad>FAILURE|INTERRUPTED)[\w ,]*|NO TESTS RAN) ==",
        part=True,
    ),
    Grammar(
        "doctest",
        r"(?:\*\*\*Test Failed\*\*\* (?P<failed>\d{1,9}) failures?(?: and \d+ skipped tests?)?\.|(?P<good>Test"
        r" passed)\.)",
        more=r"(?P<passed>\d{1,9}) passed(?: and \d{1,9} failed)?\.",
        names=r"[ ]{1,5}\d{1,9} of +\d{1,9} in (\S{1,300})",
    ),
    Grammar(
        "sphinx doctest",
        r"Doctest summary\n=+\n +(?P<ran>\d{1,9}) tests?\n +(?P<failed>\d{1,9}) failures? in tests\n +"
        r"(?P<errors>\d{1,9}) failures? in setup code",
    ),
    Grammar(
        "tox",
        r" {0,2}(?:(?P<good>congratulations :\))|(?P<bad>evaluation failed :\())[^\n]{0,60}",
        names=r"(?:ERROR:)? {1,4}([\w.-]{1,80}): (?:FAIL code \d+|commands failed)[^\n]{0,200}",
    ),
    Grammar("tox", r"(?P<bad>(?:ERROR: {1,4}[\w.-]{1,80}: commands failed[ \t]*(?:\n|\Z)){1,99})", part=True),
    Grammar(
        "nox",
        r"nox > (?:Ran multiple sessions|Ran \d{1,9} sessions[^\n]{0,60}):(?=(?P<bad>(?:\nnox > \* \S{1,80}: "
        r"(?:success|skipped)){0,200}\nnox > \* \S{1,80}: (?:failed|aborted))?)(?P<good>)",
        names=r"nox > Session (\S{1,80}) (?:failed|aborted)[^\n]{0,60}",
    ),
    Grammar(
        "nox",
        r"nox > Session \S{1,80} (?:(?P<good>was successful)|(?P<bad>failed|aborted))[^\n]{0,60}",
        names=r"nox > Session (\S{1,80}) (?:failed|aborted)[^\n]{0,60}",
        part=True,
    ),
    Grammar(
        "behave",
        r"(?P<passed>\d{1,9}) scenarios? passed, (?P<failed>\d{1,9}) failed, (?:(?P<errors>\d{1,9}) error, )?"
        r"(?P<skipped>\d{1,9}) skipped[^\n]*",
    ),
    Grammar(
        "robot",
        r"(?P<ran>\d{1,9}) tests?, (?P<passed>\d{1,9}) passed, (?P<failed>\d{1,9}) failed(?:, (?P<skipped>\d{1,9})"
        r" skipped)?",
    ),
    # JavaScript
    Grammar(
        "jest",
        r"Tests: {1,20}(?P<counts>(?:\d{1,9} [a-z]{1,20}, ){0,9}\d{1,9} total)",
        PFS,
        more=r"Test Suites: (?:(?P<suites>\d{1,9}) failed, )?[^\n]{0,200}\d total",
        names=r"  ● ((?!Test suite failed|Console)[^\n]{1,300})",
    ),
    Grammar("jest", r"No tests found, exiting with code \d[^\n]{0,80}(?P<ran>)"),
    Grammar(
        "vitest",
        r" {1,12}Tests {1,4}(?:(?P<counts>\d{1,9} [a-z ]{1,30}(?: \| \d{1,9} [a-z ]{1,30}){0,6})(?:"
        r" \((?P<total>\d{1,9})\))?|no tests(?P<ran>))",
        PFS,
        more=r" {1,12}Test Files {1,4}(?:(?P<suites>\d{1,9}) failed)?[^\n]{0,200}",
        names=r" ?FAIL {1,3}([^\n]{1,300}? > [^\n]{1,300})",
    ),
    Grammar("vitest", r"No test files found, exiting with code \d[^\n]{0,80}(?P<ran>)"),
    Grammar(
        "mocha",
        r"[ \t]{1,20}(?:(?P<passed>\d{1,9}) passing\b[^\n]{0,40}(?:\n{1,3}[ \t]{1,20}(?P<skipped>\d{1,9}) pending)?"
        r"(?:\n{1,3}[ \t]{1,20}(?P<failed>\d{1,9}) failing)?|(?P<only>\d{1,9}) failing)[ \t]*$",
        PFS,
        names=r"[ ]{4,40}\d{1,6}\) ([^\n]{1,300})",
    ),
    Grammar(
        "ava",
        r"(?P<counts>(?:  \d{1,9} (?:tests? (?:passed|failed|skipped|todo)|known failures?|unhandled rejections?"
        r"|uncaught exceptions?)[ \t]*(?:\n|\Z)){1,9})",
        PFS,
        names=r"  ✘ \[fail\]: ([^\n]{1,300})",
    ),
    Grammar(
        "jasmine",
        r"(?P<ran>\d{1,9}) specs?, (?P<counts>\d{1,9} failures?(?:, \d{1,9} pending specs?)?)[^\n]{0,60}",
        PFS,
        names=r"\d{1,6}\) ([^\n]{1,300})\n  Message:",
    ),
    Grammar(
        "karma",
        r"[^\n]{0,80}Executed (?P<ran>\d{1,9}) of \d{1,9}(?: \((?P<failed>\d{1,9}) FAILED\)| \(skipped \d{1,9}\)| "
        r"(?P<good>SUCCESS)| DISCONNECTED)[^\n]{0,80}",
        growing=True,
    ),
    Grammar(
        "playwright",
        r"(?P<counts>(?: {2}\d{1,9} (?:passed|failed|flaky|skipped|did not run|interrupted)(?: \([\d.]+m?s\))?[ \t]*"
        r"(?:\n {4}[^\n]*)*(?:\n|\Z)){1,9})",
        PFS,
        names=r" {4}(\[[\w -]{1,40}\] › [^\n]{1,300}?)[ ─]*",
    ),
    Grammar(
        "deno",
        r"(?:(?P<good>ok)|(?P<bad>FAILED)) \| (?P<counts>\d{1,9} passed(?: \(\d+ steps?\))? \| \d{1,9} failed(?: \(\d+"
        r" steps?\))?(?: \| \d{1,9} \w+)*)[^\n]{0,60}",
    ),
    Grammar(
        "bun",
        r" {1,3}(?P<passed>\d{1,9}) pass\n(?: {1,3}(?P<skipped>\d{1,9}) skip\n)?(?: {1,3}\d{1,9} (?:todo|filtered"
        r" out)\n){0,2} {1,3}(?P<failed>\d{1,9}) fail$",
        PFS,
        names=r"\(fail\) ([^\n]{1,300}?)(?: \[[\d.]+ms\])?",
    ),
    Grammar(
        "tap",
        r"# tests +(?P<total>\d{1,9})\n(?P<fields>(?:# (?:suites|pass|fail|cancelled|skip|skipped|todo) +\d{1,9}(?:\n"
        r"|\Z)){1,7})",
        names=r"not ok (?:\d{1,9} )?(?:- )?((?![^\n]*# (?:TODO|todo|SKIP|skip))[^\n]{1,300})",
    ),
    Grammar(
        "tap",
        r"# \{ total: (?P<total>\d{1,9})(?P<fields>(?:, \w{1,10}: \d{1,9}){1,4}) \}",
        names=r"not ok (?:\d{1,9} )?(?:- )?([^\n]{1,300})",
    ),
    Grammar(
        "node",
        r"ℹ tests (?P<total>\d{1,9})\n(?P<fields>(?:ℹ (?:suites|pass|fail|cancelled|skipped|todo) \d{1,9}(?:\n"
        r"|\Z)){1,7})",
        names=r"✖ ((?!failing tests)[^\n]{1,300}?) \([\d.]{1,20}ms\)",
    ),
    # shells and Perl
    Grammar(
        "bats",
        r"(?P<ran>\d{1,9}) tests?, (?P<counts>\d{1,9} failures?(?:, \d{1,9} [a-z ]{1,20}){0,4})(?: in \d+ seconds)?",
        PFS,
        names=r"[^\n]{0,200} ✗ ([^\n]{1,300}?)(?: \[\d+\])?",
    ),
    Grammar(
        "prove",
        r"Result: (?:(?P<good>PASS)|(?P<bad>FAIL)|NOTESTS)",
        more=r"Files=\d{1,9}, Tests=(?P<ran>\d{1,9}),[^\n]*",
        names=r"# {1,4}Failed test '([^\n]{1,300})'|([^\s#(]{1,300}) {1,4}\(Wstat: [^\n]*",
        whole="tap",
    ),
    Grammar(
        "automake",
        r"# TOTAL: +(?P<total>\d{1,9})\n(?P<fields>(?:# (?:PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +\d{1,9}(?:\n|\Z)){1,6})",
        names=r"(?:FAIL|ERROR|XPASS): (\S[^\n]{0,300})",
    ),
    Grammar(
        "automake",
        r"(?:(?P<good>All) (?P<passed>\d{1,9}) tests passed|(?P<failed>\d{1,9}) of (?P<ran>\d{1,9}) tests? failed)(?:"
        r" \(\d+[^\n]{0,80}\))?\.?",
        part=True,
        names=r"FAIL: (\S[^\n]{0,300})",
    ),
    # Ruby, PHP, Elixir, Lua, Clojure, Haskell, Swift, R
    Grammar(
        "rspec",
        r"(?P<ran>\d{1,9}) examples?, (?P<counts>\d{1,9} failures?(?:, \d{1,9} [a-z ]{1,40}){0,3})",
        FES,
        names=r"rspec \S{1,300} # ([^\n]{1,300})",
        names_after=True,
    ),
    Grammar(
        "minitest",
        r"(?P<ran>\d{1,9}) (?:runs|tests), \d{1,9} assertions, (?P<counts>\d{1,9} failures, \d{1,9} errors(?:, \d{1,9}"
        r" [a-z]{1,20}){0,4})",
        FES,
        names=r" {1,4}\d{1,6}\) (?:Failure|Error):\n([\w:#.]{1,300}\w)",
    ),
    Grammar(
        "exunit",
        r"Finished in [\d.]{1,20} seconds[^\n]{0,100}\n(?:\d{1,9} doctests?, )?(?P<ran>\d{1,9}) tests?, "
        r"(?P<counts>\d{1,9} failures?(?:, \d{1,9} [a-z]{1,20}){0,3})$",
        PFS,
        names=r" {1,6}\d{1,6}\) (test [^\n]{1,300}) \([\w.]{1,200}\)",
        whole="bats",
    ),
    Grammar(
        "phpunit",
        r"(?:(?P<good>OK) \((?P<ran>\d{1,9}) tests?, \d{1,9} assertions?\)|(?P<fields>Tests: \d{1,9}, Assertions:"
        r" \d{1,9}(?:, [A-Z][A-Za-z ]{1,30}: \d{1,9}){0,9})\.)",
        FES,
        names=r"\d{1,6}\) ([\w\\]{1,200}::[^\n]{1,200})$(?!\nThis test did not)",
    ),
    Grammar("phpunit", r"No tests executed!(?P<ran>)"),
    Grammar(
        "busted",
        r"(?P<counts>\d{1,9} success(?:es)? / \d{1,9} failures? / \d{1,9} errors? / \d{1,9} pending) : [^\n]{1,40}",
        names=r"(?:Failure|Error) (?:→|->) [^\n]{1,300}\n([^\n]{1,300})",
        names_after=True,
    ),
    Grammar(
        "clojure",
        r"Ran (?P<ran>\d{1,9}) tests containing \d{1,9} assertions\.\n(?P<failed>\d{1,9}) failures, "
        r"(?P<errors>\d{1,9}) errors\.",
        names=r"(?:FAIL|ERROR) in \(([^\s()]{1,200})\)[^\n]{0,200}",
    ),
    Grammar(
        "tasty",
        r"(?:(?P<good>All) (?P<passed>\d{1,9}) tests passed|(?P<failed>\d{1,9}) out of (?P<ran>\d{1,9}) tests failed)"
        r" \([\d.]+s\)",
    ),
    Grammar(
        "xctest",
        r"[\t ]{0,8}Executed (?P<ran>\d{1,9}) tests?, with (?:(?P<skipped>\d{1,9}) tests? skipped and )?"
        r"(?P<failed>\d{1,9}) failures? \([^\n]{1,80}",
        growing=True,
    ),
    Grammar(
        "testthat",
        r"\[ (?P<fields>FAIL \d{1,9} \| WARN \d{1,9} \| SKIP \d{1,9} \| PASS \d{1,9}) \][^\n]{0,60}",
        growing=True,
        names=r"(?:── )?(?:\d{1,6}\. )?(?:Failure|Error) \([^()\n]{1,200}\): ([^\n─]{1,200}?) ?─*",
    ),
    Grammar("testthat", r"Error: Test failures(?P<bad>)", part=True),
    Grammar(
        "bazel",
        r"Executed \d{1,9} out of (?P<ran>\d{1,9}) tests?: (?P<counts>\d{1,9} [^\n]{1,200})",
        PFS,
        names=r"(//\S{1,300}) {1,80}(?:\(cached\) )?(?:FAILED|TIMEOUT)[^\n]{0,80}",
    ),
)
