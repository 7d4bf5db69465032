"""A verdict for other people's programs: Markdown for a pull request, SARIF for code scanning, JUnit's XML, a page."""

from html import escape
from xml.sax.saxutils import escape as xml_escape, quoteattr

import msgspec

from honestly._version import program_version
from honestly.check._verdict import CheckResult, Row
from honestly.show import markdown_text, page_style, plural_text, printable_text_line

_EMOJI = {"against": "❌", "unknown": "❔", "look": "⚠️", "good": "✅", "note": "▫️"}
_LEVELS = {"against": "error", "unknown": "warning", "look": "note"}
_RULES = {
    "tests": "A test that passed fails, is silenced, or cannot be run",
    "claims": "Something that is said of the change is not true",
    "uncovered": "No test runs changed lines",
    "mutants": "No test notices a small fault at changed lines",
    "differences": "A function answers otherwise than before",
    "honesty": "The evidence for the change is weakened",
    "safety": "The change may not be safe to merge",
}


def check_markdown(found: CheckResult) -> str:
    """The page as Markdown: a table of the findings, with details folded."""
    rows, _ = found.shown_rows()
    lines = [f"### {_EMOJI[_worst(found)]} {found.sentence}", "", markdown_text(found.title), "", "| | | |", "|-|-|-|"]
    lines += [f"| {_EMOJI[row.weight]} | {markdown_text(row.text)} | {_code(row.command)} |" for row in rows]
    rest = [row for row in found.rows if row not in rows]
    if rest:
        lines += ["", f"<details><summary>{plural_text(len(rest), 'more line')}</summary>", ""]
        lines += [f"- {_EMOJI[row.weight]} {markdown_text(row.text)}" for row in rest[:100]]
        lines += ["", "</details>"]
    return "\n".join([*lines, "", f"<sub>honestly check {program_version()}, {found.seconds:.0f} s</sub>", ""])


def _worst(found: CheckResult) -> str:
    return {"against": "against", "cannot tell": "unknown", "clear": "good"}[found.verdict]


def _code(text: str) -> str:
    flat = printable_text_line(text).replace("`", "'").replace("|", "\\|")
    return f"`{flat}`"


def check_sarif(found: CheckResult) -> str:
    """The findings that speak against the change, as SARIF 2.1.0."""
    results = [_sarif_result(row, found) for row in found.rows if row.weight in _LEVELS]
    rules = [{"id": f"honestly/{area}", "shortDescription": {"text": text}} for area, text in _RULES.items()]
    driver = {"name": "honestly check", "version": program_version(), "rules": rules}
    run = {"tool": {"driver": driver}, "results": results, "properties": {"verdict": found.verdict}}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=1).decode() + "\n"


def _sarif_result(row: Row, found: CheckResult) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": f"honestly/{row.area}",
        "level": _LEVELS[row.weight],
        "message": {"text": f"{printable_text_line(row.text)}\n{row.command}"},
    }
    path = row.path or next(iter(found.change.sources or found.change.paths), "")
    region = {"region": {"startLine": max(1, row.line)}}
    result["locations"] = [
        {"physicalLocation": {"artifactLocation": {"uri": path, "uriBaseId": "%SRCROOT%"}, **region}}
    ]
    return result


def check_junit(found: CheckResult) -> str:
    """JUnit XML with one case per kind of evidence: failed if it speaks against the change, skipped if unclear."""
    cases = []
    for area, text in _RULES.items():
        rows = [row for row in found.rows if row.area == area]
        bad = [row for row in rows if row.weight == "against"]
        unknown = [row for row in rows if row.weight == "unknown"]
        body = ""
        if bad:
            said = "\n".join(f"{row.text}\n  {row.command}" for row in bad)
            body = f"<failure message={_attribute(bad[0].text)}>{xml_escape(_clean(said))}</failure>"
        elif unknown:
            body = f"<skipped message={_attribute(unknown[0].text)}/>"
        cases.append(f'  <testcase classname="honestly.check" name={_attribute(f"{area}: {text}")}>{body}</testcase>')
    failures, skipped = (sum(tag in case for case in cases) for tag in ("<failure", "<skipped"))
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{skipped}" errors="0"'
    head = f'<testsuite name="honestly check" {counts} time="{found.seconds}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _clean(text: str) -> str:
    return "\n".join(printable_text_line(line) if line.strip() else "" for line in text.splitlines())


def _attribute(text: str) -> str:
    return quoteattr(printable_text_line(text))


def check_page(found: CheckResult) -> str:
    """The page as HTML: a file of its own, without scripts."""
    shown = "<details><summary>evidence</summary><pre>{}</pre></details>"
    rows = "\n".join(
        f'<tr><td>{_EMOJI[row.weight]}</td><td class="wrap">{escape(printable_text_line(row.text))}'
        + (shown.format(escape(_clean(row.evidence))) if row.evidence else "")
        + f'</td><td class="wrap"><code>{escape(printable_text_line(row.command))}</code></td></tr>'
        for row in found.rows
    )
    title = escape(printable_text_line(found.title))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(found.sentence)}</title><style>{page_style()}</style></head>\n<body><main><h1>"
        f"{_EMOJI[_worst(found)]} {escape(found.sentence)}</h1>\n"
        f"<p>{title}; {found.seconds:.0f} s</p>\n<table>\n{rows}\n</table></main></body></html>\n"
    )
