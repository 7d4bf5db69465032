"""Summaries of the test frameworks of Python, JavaScript, shells, Perl, Ruby, PHP, Lua, R and their like."""

from honestly.audit.reading._grammars import ALL, FES, PFS, Grammar, block, line

SCRIPTED = (
    # Python
    Grammar(
        "sympy",
        block(
            r"=* ?tests finished: (?P<counts>(?:\d{1,9} [a-z ]{1,40},[ \n]){1,9})in [\d.]+ seconds[^\n]*$",
            "tests finished",
        ),
        ALL,
        names=line(r"_{3,80} (\S{1,300}\.py:\w{1,200}) _{3,80}", ".py:"),
    ),
    Grammar(
        "regrtest",
        line(r"Result: (?:(?P<good>SUCCESS)|(?P<bad>FAILURE|INTERRUPTED|ENV CHANGED)[\w ,]*|NO TESTS RAN)", "Result: "),
        FES,
        more=line(r"Total tests: (?P<fields>(?:[a-z_]{1,30}=[\d,]{1,12} ?){1,6}[^\n]*)", "Total tests: "),
        names=line(r"test (\S{1,200}) (?:failed|crashed)\b[^\n]*", "test "),
        whole="unittest",
    ),
    Grammar(
        "regrtest",
        line(
            r"== Tests result: (?:(?P<good>SUCCESS)|(?P<bad>FAILURE|INTERRUPTED)[\w ,]*|NO TESTS RAN) ==",
            "== Tests result",
        ),
        part=True,
    ),
    Grammar(
        "doctest",
        line(
            r"(?:\*\*\*Test Failed\*\*\* (?P<failed>\d{1,9}) failures?(?: and \d+ skipped tests?)?\.|"
            r"(?P<good>Test passed)\.)",
            "***Test Failed***",
            "Test passed.",
        ),
        more=line(r"(?P<passed>\d{1,9}) passed(?: and \d{1,9} failed)?\.", " passed"),
        names=line(r"[ ]{1,5}\d{1,9} of +\d{1,9} in (\S{1,300})", " of"),
    ),
    Grammar(
        "sphinx doctest",
        block(
            r"Doctest summary\n=+\n +(?P<ran>\d{1,9}) tests?\n +(?P<failed>\d{1,9}) failures? in tests\n"
            r" +(?P<errors>\d{1,9}) failures? in setup code",
            "Doctest summary",
        ),
    ),
    Grammar(
        "tox",
        line(
            r" {0,2}(?:(?P<good>congratulations :\))|(?P<bad>evaluation failed :\())[^\n]{0,60}",
            "congratulations :)",
            "evaluation failed :(",
        ),
        names=line(
            r"(?:ERROR:)? {1,4}([\w.-]{1,80}): (?:FAIL code \d+|commands failed)[^\n]{0,200}",
            "FAIL code",
            "commands failed",
        ),
    ),
    Grammar(
        "tox",
        block(r"(?P<bad>(?:ERROR: {1,4}[\w.-]{1,80}: commands failed[ \t]*(?:\n|\Z)){1,99})", ": commands failed"),
        part=True,
    ),
    Grammar(
        "nox",
        block(
            r"nox > (?:Ran multiple sessions|Ran \d{1,9} sessions[^\n]{0,60}):"
            r"(?=(?P<bad>(?:\nnox > \* \S{1,80}: (?:success|skipped)){0,200}\nnox > \* \S{1,80}: (?:failed"
            r"|aborted))?)(?P<good>)",
            "nox > Ran ",
        ),
        names=line(r"nox > Session (\S{1,80}) (?:failed|aborted)[^\n]{0,60}", "nox > Session"),
    ),
    Grammar(
        "nox",
        line(
            r"nox > Session \S{1,80} (?:(?P<good>was successful)|(?P<bad>failed|aborted))[^\n]{0,60}", "nox > Session"
        ),
        names=line(r"nox > Session (\S{1,80}) (?:failed|aborted)[^\n]{0,60}", "nox > Session"),
        part=True,
    ),
    Grammar(
        "behave",
        line(
            r"(?P<passed>\d{1,9}) scenarios? passed, (?P<failed>\d{1,9}) failed, (?:(?P<errors>\d{1,9}) er"
            r"ror, )?(?P<skipped>\d{1,9}) skipped[^\n]*",
            "scenario",
        ),
    ),
    Grammar(
        "robot",
        line(
            r"(?P<ran>\d{1,9}) tests?, (?P<passed>\d{1,9}) passed, (?P<failed>\d{1,9}) failed(?:, "
            r"(?P<skipped>\d{1,9}) skipped)?",
            " passed, ",
        ),
    ),
    # JavaScript
    Grammar(
        "jest",
        line(r"Tests: {1,20}(?P<counts>(?:\d{1,9} [a-z]{1,20}, ){0,9}\d{1,9} total)", "Tests:"),
        PFS,
        more=line(r"Test Suites: (?:(?P<suites>\d{1,9}) failed, )?[^\n]{0,200}\d total", "Test Suites: "),
        names=line(r"  ● ((?!Test suite failed|Console)[^\n]{1,300})", "●"),
    ),
    Grammar("jest", line(r"No tests found, exiting with code \d[^\n]{0,80}(?P<ran>)", "No tests found")),
    Grammar(
        "vitest",
        line(
            r" {1,12}Tests {1,4}(?:(?P<counts>\d{1,9} [a-z ]{1,30}(?: \| \d{1,9} [a-z ]{1,30}){0,6})(?: \("
            r"(?P<total>\d{1,9})\))?|no tests(?P<ran>))",
            "Tests",
        ),
        PFS,
        more=line(r" {1,12}Test Files {1,4}(?:(?P<suites>\d{1,9}) failed)?[^\n]{0,200}", "Test Files"),
        names=line(r" ?FAIL {1,3}([^\n]{1,300}? > [^\n]{1,300})", "FAIL"),
    ),
    Grammar("vitest", line(r"No test files found, exiting with code \d[^\n]{0,80}(?P<ran>)", "No test files found")),
    Grammar(
        "mocha",
        block(
            r"[ \t]{1,20}(?:(?P<passed>\d{1,9}) passing\b[^\n]{0,40}(?:\n{1,3}[ \t]{1,20}(?P<skipped>\d{1,9}"
            r") pending)?"
            r"(?:\n{1,3}[ \t]{1,20}(?P<failed>\d{1,9}) failing)?|(?P<only>\d{1,9}) failing)[ \t]*$",
            "passing",
            "failing",
        ),
        PFS,
        names=line(r"[ ]{4,40}\d{1,6}\) ([^\n]{1,300})", ") "),
    ),
    Grammar(
        "ava",
        block(
            r"(?P<counts>(?:  \d{1,9} (?:tests? (?:passed|failed|skipped|todo)|known failures?|unhandled r"
            r"ejections?|uncaught exceptions?)[ \t]*(?:\n|\Z)){1,9})",
            "test",
            "known",
            "unhandled",
            "uncaught",
        ),
        PFS,
        names=line(r"  ✘ \[fail\]: ([^\n]{1,300})", "✘"),
    ),
    Grammar(
        "jasmine",
        line(
            r"(?P<ran>\d{1,9}) specs?, (?P<counts>\d{1,9} failures?(?:, \d{1,9} pending specs?)?)[^\n]{0,60}", " spec"
        ),
        PFS,
        names=block(r"\d{1,6}\) ([^\n]{1,300})\n  Message:", ") "),
    ),
    Grammar(
        "karma",
        line(
            r"[^\n]{0,80}Executed (?P<ran>\d{1,9}) of \d{1,9}(?: \((?P<failed>\d{1,9}) FAILED\)| \(skipped"
            r" \d{1,9}\)| (?P<good>SUCCESS)| DISCONNECTED)[^\n]{0,80}",
            "Executed ",
        ),
        growing=True,
    ),
    Grammar(
        "playwright",
        block(
            r"(?P<counts>(?: {2}\d{1,9} (?:passed|failed|flaky|skipped|did not run|interrupted)(?: \("
            r"[\d.]+m?s\))?[ \t]*(?:\n {4}[^\n]*)*(?:\n|\Z)){1,9})",
            "passed",
            "failed",
            "flaky",
            "skipped",
            "did not run",
            "interrupted",
        ),
        PFS,
        names=line(r" {4}(\[[\w -]{1,40}\] › [^\n]{1,300}?)[ ─]*", "›"),
    ),
    Grammar(
        "deno",
        line(
            r"(?:(?P<good>ok)|(?P<bad>FAILED)) \| (?P<counts>\d{1,9} passed(?: \(\d+ steps?\))? \| \d{1,9}"
            r" failed(?: \(\d+ steps?\))?(?: \| \d{1,9} \w+)*)[^\n]{0,60}",
            " passed",
        ),
    ),
    Grammar(
        "bun",
        block(
            r" {1,3}(?P<passed>\d{1,9}) pass\n(?: {1,3}(?P<skipped>\d{1,9}) skip\n)?(?: {1,3}\d{1,9} (?:to"
            r"do|filtered out)\n){0,2} {1,3}(?P<failed>\d{1,9}) fail$",
            " pass\n",
        ),
        PFS,
        names=line(r"\(fail\) ([^\n]{1,300}?)(?: \[[\d.]+ms\])?", "(fail) "),
    ),
    Grammar(
        "tap",
        block(
            r"# tests +(?P<total>\d{1,9})\n(?P<fields>(?:# (?:suites|pass|fail|cancelled|skip|skipped|todo"
            r") +\d{1,9}(?:\n|\Z)){1,7})",
            "# tests",
        ),
        names=line(r"not ok (?:\d{1,9} )?(?:- )?((?![^\n]*# (?:TODO|todo|SKIP|skip))[^\n]{1,300})", "not ok"),
    ),
    Grammar(
        "tap",
        line(r"# \{ total: (?P<total>\d{1,9})(?P<fields>(?:, \w{1,10}: \d{1,9}){1,4}) \}", "# { total"),
        names=line(r"not ok (?:\d{1,9} )?(?:- )?([^\n]{1,300})", "not ok"),
    ),
    Grammar(
        "node",
        block(
            r"ℹ tests (?P<total>\d{1,9})\n(?P<fields>(?:ℹ (?:suites|pass|fail|cancelled|skipped|todo) \d{1,9}"
            r"(?:\n|\Z)){1,7})",
            "ℹ tests",
        ),
        names=line(r"✖ ((?!failing tests)[^\n]{1,300}?) \([\d.]{1,20}ms\)", "✖ "),
    ),
    # shells and Perl
    Grammar(
        "bats",
        line(
            r"(?P<ran>\d{1,9}) tests?, (?P<counts>\d{1,9} failures?(?:, \d{1,9} [a-z ]{1,20}){0,4})(?: in "
            r"\d+ seconds)?",
            " test",
        ),
        PFS,
        names=line(r"[^\n]{0,200} ✗ ([^\n]{1,300}?)(?: \[\d+\])?", "✗"),
    ),
    Grammar(
        "prove",
        line(r"Result: (?:(?P<good>PASS)|(?P<bad>FAIL)|NOTESTS)", "Result: "),
        more=line(r"Files=\d{1,9}, Tests=(?P<ran>\d{1,9}),[^\n]*", "Files="),
        names=line(
            r"# {1,4}Failed test '([^\n]{1,300})'|([^\s#(]{1,300}) {1,4}\(Wstat: [^\n]*", "Failed test", "(Wstat"
        ),
        whole="tap",
    ),
    Grammar(
        "automake",
        block(
            r"# TOTAL: +(?P<total>\d{1,9})\n(?P<fields>(?:# (?:PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +\d{1,9}"
            r"(?:\n|\Z)){1,6})",
            "# TOTAL:",
        ),
        names=line(r"(?:FAIL|ERROR|XPASS): (\S[^\n]{0,300})", "FAIL: ", "ERROR: ", "XPASS: "),
    ),
    Grammar(
        "automake",
        line(
            r"(?:(?P<good>All) (?P<passed>\d{1,9}) tests passed|(?P<failed>\d{1,9}) of (?P<ran>\d{1,9}) te"
            r"sts? failed)(?: \(\d+[^\n]{0,80}\))?\.?",
            " passed",
            " failed",
        ),
        part=True,
        names=line(r"FAIL: (\S[^\n]{0,300})", "FAIL: "),
    ),
    # Ruby, PHP, Elixir, Lua, Clojure, Haskell, Swift, R
    Grammar(
        "rspec",
        line(r"(?P<ran>\d{1,9}) examples?, (?P<counts>\d{1,9} failures?(?:, \d{1,9} [a-z ]{1,40}){0,3})", " example"),
        FES,
        names=line(r"rspec \S{1,300} # ([^\n]{1,300})", "rspec "),
        names_after=True,
    ),
    Grammar(
        "minitest",
        line(
            r"(?P<ran>\d{1,9}) (?:runs|tests), \d{1,9} assertions, (?P<counts>\d{1,9} failures, \d{1,9} er"
            r"rors(?:, \d{1,9} [a-z]{1,20}){0,4})",
            " assertions",
        ),
        FES,
        names=block(r" {1,4}\d{1,6}\) (?:Failure|Error):\n([\w:#.]{1,300}\w)", "Failure:", "Error:"),
    ),
    Grammar(
        "exunit",
        block(
            r"Finished in [\d.]{1,20} seconds[^\n]{0,100}\n(?:\d{1,9} doctests?, )?(?P<ran>\d{1,9}) tests?"
            r", (?P<counts>\d{1,9} failures?(?:, \d{1,9} [a-z]{1,20}){0,3})$",
            "Finished in ",
        ),
        PFS,
        names=line(r" {1,6}\d{1,6}\) (test [^\n]{1,300}) \([\w.]{1,200}\)", "test "),
        whole="bats",
    ),
    Grammar(
        "phpunit",
        line(
            r"(?:(?P<good>OK) \((?P<ran>\d{1,9}) tests?, \d{1,9} assertions?\)|(?P<fields>Tests: \d{1,9}, "
            r"Assertions: \d{1,9}(?:, [A-Z][A-Za-z ]{1,30}: \d{1,9}){0,9})\.)",
            "OK (",
            "Tests:",
        ),
        FES,
        names=block(r"\d{1,6}\) ([\w\\]{1,200}::[^\n]{1,200})$(?!\nThis test did not)", ") "),
    ),
    Grammar("phpunit", line(r"No tests executed!(?P<ran>)", "No tests executed")),
    Grammar(
        "busted",
        line(
            r"(?P<counts>\d{1,9} success(?:es)? / \d{1,9} failures? / \d{1,9} errors? / \d{1,9} pending) :"
            r" [^\n]{1,40}",
            " success",
        ),
        names=block(r"(?:Failure|Error) (?:→|->) [^\n]{1,300}\n([^\n]{1,300})", "Failure", "Error"),
        names_after=True,
    ),
    Grammar(
        "clojure",
        block(
            r"Ran (?P<ran>\d{1,9}) tests containing \d{1,9} assertions\.\n(?P<failed>\d{1,9}) failures, "
            r"(?P<errors>\d{1,9}) errors\.",
            " tests containing ",
        ),
        names=line(r"(?:FAIL|ERROR) in \(([^\s()]{1,200})\)[^\n]{0,200}", "FAIL in", "ERROR in"),
    ),
    Grammar(
        "tasty",
        line(
            r"(?:(?P<good>All) (?P<passed>\d{1,9}) tests passed|(?P<failed>\d{1,9}) out of (?P<ran>\d{1,9}"
            r") tests failed) \([\d.]+s\)",
            " tests passed",
            " tests failed",
        ),
    ),
    Grammar(
        "xctest",
        line(
            r"[\t ]{0,8}Executed (?P<ran>\d{1,9}) tests?, with (?:(?P<skipped>\d{1,9}) tests? skipped and "
            r")?(?P<failed>\d{1,9}) failures? \([^\n]{1,80}",
            "Executed ",
        ),
        growing=True,
    ),
    Grammar(
        "testthat",
        line(r"\[ (?P<fields>FAIL \d{1,9} \| WARN \d{1,9} \| SKIP \d{1,9} \| PASS \d{1,9}) \][^\n]{0,60}", "FAIL "),
        growing=True,
        names=line(
            r"(?:── )?(?:\d{1,6}\. )?(?:Failure|Error) \([^()\n]{1,200}\): ([^\n─]{1,200}?) ?─*", "Failure (", "Error ("
        ),
    ),
    Grammar("testthat", line(r"Error: Test failures(?P<bad>)", "Error: Test failures"), part=True),
    Grammar(
        "bazel",
        line(r"Executed \d{1,9} out of (?P<ran>\d{1,9}) tests?: (?P<counts>\d{1,9} [^\n]{1,200})", " out of "),
        PFS,
        names=line(r"(//\S{1,300}) {1,80}(?:\(cached\) )?(?:FAILED|TIMEOUT)[^\n]{0,80}", "FAILED", "TIMEOUT"),
    ),
)
