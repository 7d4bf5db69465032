"""Summaries of the test frameworks of Rust, C, C++, Java and .NET."""

from honestly.audit.reading._grammars import FES, PFS, Grammar

COMPILED = (
    # Rust, C and C++
    Grammar(
        "cargo",
        r"test result: (?:(?P<good>ok)|(?P<bad>FAILED))\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
        r"(?P<skipped>\d{1,9}) ignored; [^\n]*",
        names=r"test (\S[^\n]{0,300}) \.\.\. FAILED|    ([a-z_]\w{0,100}(?:::\w{1,100}){0,9})",
    ),
    Grammar("cargo", r"error: could not compile `[^`\n]{1,100}`(?P<bad>)[^\n]{0,200}"),
    Grammar(
        "nextest",
        r" {1,8}Summary \[[^\]\n]{1,30}\] (?:\d{1,9}/)?(?P<ran>\d{1,9}) tests? run: (?P<counts>\d{1,9}"
        r" passed[^\n]{0,200})",
        PFS,
        names=r" {1,12}(?:FAIL|SIGABRT|TIMEOUT) \[[^\]\n]{1,30}\] ([^\n]{1,300})",
    ),
    Grammar(
        "ctest",
        r"\d{1,3}% tests passed(?:, (?P<failed>\d{1,9}) tests? failed)? out of (?P<all>\d{1,9})",
        frozenset({"failed"}),
        names=r"[\t ]{1,8}\d{1,6} - (\S{1,300}) \((?!Skipped|Disabled)[A-Z][^\n()]{0,40}\)[^\n]{0,200}",
        names_after=True,
    ),
    Grammar("ctest", r"No tests were found!!!(?P<ran>)"),
    Grammar(
        "googletest",
        r"\[==========\] (?P<of>\d{1,9}) tests? from \d{1,9} test (?:suite|case)s? ran\.[^\n]*\n(?:\[  PASSED  \] "
        r"(?P<passed>\d{1,9}) tests?\.(?:\n|\Z))?(?:\[  SKIPPED \] (?P<skipped>\d{1,9}) tests?[^\n]*(?:\n\[  SKIPPED"
        r" \] [^\d\n][^\n]*)*(?:\n|\Z))?(?:\[  FAILED  \] (?P<failed>\d{1,9}) tests?)?",
        PFS,
        names=r"\[  FAILED  \] ([A-Za-z_][\w./]{0,300})[^\n]{0,200}",
    ),
    Grammar(
        "googletest",
        r"(?:(?P<good>\[  PASSED  \]) (?P<passed>\d{1,9}) tests?\.| ?(?P<failed>\d{1,9}) FAILED TESTS?)",
        part=True,
        names=r"\[  FAILED  \] ([A-Za-z_][\w./]{0,300})[^\n]{0,200}",
    ),
    Grammar(
        "catch2",
        r"(?:(?P<good>All) tests passed \(\d{1,9} assertions? in (?P<passed>\d{1,9}) test cases?\)|Passed (?:all |both"
        r" )?(?P<all>\d{1,9}) test cases? with[^\n]{1,80}|test cases: {1,9}\d{1,9} \| (?P<counts>\d{1,9} [a-z ]{1,30}"
        r"(?: \| {0,9}\d{1,9} [a-z ]{1,30}){0,4})|Failed (?P<failed>\d{1,9}) test cases?, failed[^\n]{1,80})",
        PFS,
    ),
    Grammar("catch2", r"No tests ran(?P<ran>)"),
    Grammar(
        "doctest (C++)",
        r"\[doctest\] test cases: {1,9}\d{1,9} \| {1,9}(?P<counts>\d{1,9} passed \| {1,9}\d{1,9} failed(?:"
        r" \| {1,9}\d{1,9} skipped)?)[^\n]{0,20}",
        names=r"TEST CASE: {1,4}([^\n]{1,300})",
    ),
    Grammar(
        "boost",
        r"\*\*\* (?:(?P<good>No errors) detected|(?P<failed>\d{1,9}) failures? (?:is|are) detected[^\n]{0,200})",
    ),
    # Java and .NET
    Grammar(
        "junit",
        r"\[ {1,12}(?P<total>\d{1,9}) tests found {1,12}\]\n(?:\[ {1,12}(?P<skipped>\d{1,9}) tests skipped {1,12}\]\n"
        r")?(?:\[ {1,12}\d{1,9} tests (?:started|aborted) {1,12}\]\n){0,2}\[ {1,12}(?P<passed>\d{1,9}) tests"
        r" successful {1,12}\]\n\[ {1,12}(?P<failed>\d{1,9}) tests failed {1,12}\]",
    ),
    Grammar(
        "junit",
        r"(?:(?P<good>OK) \((?P<ran>\d{1,9}) tests?\)|(?P<fields>Tests run: \d{1,9}, {1,2}Failures: \d{1,9}))",
        FES,
        names=r"\d{1,6}\) (\w{1,200}\([\w.$]{1,200}\))",
    ),
    Grammar(
        "surefire",
        r"(?:\[\w{1,8}\] )?(?P<fields>Tests run: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}, Skipped: \d{1,9})(?:,"
        r" Flakes: \d{1,9})?",
        FES,
        names=r"(?:\[\w{1,8}\] )?([\w.$]{1,300}(?:\([\w.$]{1,300}\))?) {1,2}(?:-- )?Time elapsed: [\d.,]+ ?s"
        r"(?:ec)? {1,2}<<< (?:FAILURE|ERROR)!",
    ),
    Grammar(
        "surefire",
        r"(?:\[\w{1,8}\] )?(?P<fields>Tests run: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}, Skipped: \d{1,9}), Time"
        r" elapsed: [^\n]{1,300}",
        FES,
        part=True,
    ),
    Grammar("surefire", r"\[\w{1,8}\] (?:BUILD (?P<bad>FAILURE)|No tests to run\.(?P<ran>))", part=True),
    Grammar(
        "gradle",
        r"BUILD (?:(?P<good>SUCCESSFUL)|(?P<bad>FAILED)) in [^\n]{1,40}",
        more=r"(?P<counts>\d{1,9} tests completed, \d{1,9} failed(?:, \d{1,9} skipped)?)",
        names=r"(?! )([\w.$]{1,300} > [^\n]{1,300}?) FAILED",
    ),
    Grammar(
        "dotnet",
        r"(?:(?P<good>Passed)|(?P<bad>Failed)|Skipped)! {1,3}- (?P<fields>Failed: {1,9}\d{1,9}, Passed: {1,9}\d{1,9},"
        r" Skipped: {1,9}\d{1,9}, Total: {1,9}\d{1,9})[^\n]{0,300}|Test summary: (?P<labels>total: \d{1,9}, failed:"
        r" \d{1,9}, succeeded: \d{1,9}, skipped: \d{1,9})[^\n]{0,100}",
        names=r" {2,8}Failed ([\w.+`]{1,300}(?:\([^\n]{0,200}\))?) \[[^\]\n]{1,30}\]",
    ),
    Grammar(
        "dotnet",
        r"Total tests: (?P<total>\d{1,9})(?P<fields>(?:\n {1,9}(?:Passed|Failed|Skipped): \d{1,9}){1,3})",
        PFS,
        names=r" {2,8}Failed ([\w.+`]{1,300}(?:\([^\n]{0,200}\))?) \[[^\]\n]{1,30}\]",
    ),
    Grammar(
        "sbt",
        r"\[\w{1,8}\] (?:Tests: (?P<fields>succeeded \d{1,9}, failed \d{1,9}, canceled \d{1,9}, ignored \d{1,9},"
        r" pending \d{1,9})|(?:Passed|Failed): (?P<labels>Total \d{1,9}, Failed \d{1,9}, Errors \d{1,9}, Passed"
        r" \d{1,9}[^\n]{0,100}))",
    ),
)
