"""Records of several lines are printed whole, as README.md says: each test gives files, arguments, and what has to come out."""

import contextlib
import io
import itertools
import tempfile
import unittest
from pathlib import Path

from logcut import main

T = "2026-01-05T{:02}:00:00Z".format

APP = f"""\
{T(8)} info started
{T(9)} error cannot read
Traceback (most recent call last):
  File "app.py", line 3, in <module>

OSError: no such file
{T(10)} debug tried again
  with patience
{T(11)} warning slow
because of the disk
{T(12)} error gave up
    at once
"""


def record(hour: int, level: str, *more: str) -> str:
    """The text of a record that has further lines."""
    return "".join(f"{line}\n" for line in (f"{T(hour)} {level} at {hour}", *more))


class LogcutTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def cut(self, options: str, *texts: str) -> tuple[int, str]:
        """The exit status and the output for files with these texts."""
        paths = [self.folder / f"{number}.log" for number in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text)
        out = io.StringIO()
        with contextlib.redirect_stderr(io.StringIO()):
            status = main([*options.split(), *map(str, paths)], out)
        return status, out.getvalue()

    def check(self, options: str, texts: str | tuple[str, ...], *expected: str) -> None:
        """What is printed is all of `expected`, and the count is their number; status is as they are."""
        texts = (texts,) if isinstance(texts, str) else texts
        status = 0 if expected else 1
        with self.subTest(options=options):
            self.assertEqual(self.cut(options, *texts), (status, "".join(expected)))
            self.assertEqual(self.cut(f"--count {options}", *texts), (status, f"{len(expected)}\n"))


class IssueTest(LogcutTest):
    def setUp(self) -> None:
        super().setUp()
        starts = [place for place in range(len(APP)) if APP.startswith("2026", place)]
        self.records = [APP[start:end] for start, end in zip(starts, [*starts[1:], len(APP)])]

    def test_parts(self) -> None:
        self.assertEqual("".join(self.records), APP)
        self.check("", APP, *self.records)

    def test_levels(self) -> None:
        start, read, again, slow, gave_up = self.records
        self.check("--level error", APP, read, gave_up)
        self.check("--level warning", APP, read, slow, gave_up)
        self.check("--level info", APP, start, read, slow, gave_up)
        self.check("--level debug", APP, *self.records)

    def test_times(self) -> None:
        for first, last in itertools.combinations(range(7, 15), 2):
            within = [text for hour, text in zip(range(8, 13), self.records) if first <= hour < last]
            self.check(f"--since {T(first)} --until {T(last)}", APP, *within)
        for hour in range(7, 14):
            self.check(f"--since {T(hour)}", APP, *self.records[max(hour - 8, 0) :])
            self.check(f"--until {T(hour)}", APP, *self.records[: max(hour - 8, 0)])

    def test_levels_and_times(self) -> None:
        _start, read, again, slow, gave_up = self.records
        self.check(f"--since {T(10)} --level warning", APP, slow, gave_up)
        self.check(f"--until {T(12)} --level error", APP, read)
        self.check(f"--level warning --since {T(9)} --until {T(12)}", APP, read, slow)
        self.check(f"--level error --since {T(10)} --until {T(12)}", APP)
        self.check(f"--level debug --since {T(10)} --until {T(11)}", APP, again)


class LinesTest(LogcutTest):
    """What belongs to a record, and what begins one."""

    LOOKS = (
        "",
        " ",
        "\tindented",
        "  indented",
        "not indented",
        "error",
        "error at the beginning",
        "}",
        f"{T(10)}",
        f"{T(10)} ",
        f"{T(10)} started",
        f"{T(10)} critical of all",
        f"{T(10)} errors everywhere",
        f"{T(10)} error",
        f"{T(10)} error: it failed",
        f"{T(10)}  error with two blanks",
        f"{T(10)} ERROR in capitals",
        f"{T(10)} Debug",
        f" {T(10)} error behind a blank",
        f"> {T(10)} error quoted",
        f"at {T(10)} info something",
        "2026-01-05 10:00:00 error without T",
        "2026-01-05T10:00:00 error without Z",
        "2026-01-05T10:00Z error without seconds",
        "2026-1-5T10:00:00Z error with short numbers",
        "[2026-01-05T10:00:00Z] error in brackets",
        f"error {T(10)} the other way round",
    )

    def test_each_look_belongs_to_the_record_before(self) -> None:
        for look in self.LOOKS:
            with self.subTest(look=look):
                low, high, last = record(8, "debug", look), record(9, "error", look, "more"), record(11, "info", look)
                text = low + high + last
                self.check("", text, low, high, last)
                self.check("--level error", text, high)
                self.check(f"--until {T(9)}", text, low)
                self.check(f"--since {T(11)}", text, last)
                self.check(f"--since {T(9)} --until {T(11)} --level info", text, high)

    def test_all_looks_in_one_record(self) -> None:
        low, high, last = record(8, "info", *self.LOOKS), record(9, "warning", *self.LOOKS, *self.LOOKS[::-1]), record(11, "debug", *self.LOOKS)
        text = low + high + last
        self.check("--level warning", text, high)
        self.check(f"--since {T(11)}", text, last)
        self.check(f"--until {T(9)}", text, low)
        self.check("", text, low, high, last)

    def test_records_of_one_line_side_by_side(self) -> None:
        records = [record(8, "error"), record(8, "debug"), record(8, "error", "a", "", "b"), record(8, "error"), record(8, "info", "c")]
        self.check("--level error", "".join(records), records[0], records[2], records[3])
        self.check("--level info", "".join(records), records[0], *records[2:])

    def test_empty_message_begins_a_record(self) -> None:
        low, high = f"{T(8)} debug \nmore\n", f"{T(9)} error \n\nmore\n"
        self.check("--level error", low + high, high)
        self.check(f"--until {T(9)}", low + high, low)

    def test_equal_records_are_all_printed(self) -> None:
        twice = record(9, "error", "same", "same")
        self.check("--level error", twice + record(9, "info", "same") + twice, twice, twice)

    def test_order_is_that_of_the_file(self) -> None:
        late, early, middle = record(12, "error", "x"), record(8, "error", "y"), record(10, "error", "z")
        text = late + early + middle
        self.check("--level error", text, late, early, middle)
        self.check(f"--since {T(10)}", text, late, middle)
        self.check(f"--until {T(12)}", text, early, middle)

    def test_last_line_without_end(self) -> None:
        low, high = record(8, "info", "a"), record(9, "error", "b", "c").removesuffix("\n")
        for options in ("--level error", f"--since {T(9)}"):
            status, output = self.cut(options, low + high)
            self.assertEqual((status, output.removesuffix("\n")), (0, high))
        self.check("--level error", record(9, "error", "b") + low.removesuffix("\n"), record(9, "error", "b"))

    def test_long_records(self) -> None:
        high = record(9, "error", *(f"line {number}" for number in range(3000)))
        low = record(10, "info", *(f"line {number}" for number in range(3000)))
        self.check("--level error", low + high + low, high)


class NoRecordTest(LogcutTest):
    """Lines before the first record of a file."""

    FIRST = f"banner\n\n  {T(9)} error no record\n{T(9)} started\n"

    def test_they_are_printed_without_options_only(self) -> None:
        one = record(9, "error", "more")
        self.assertEqual(self.cut("", self.FIRST + one), (0, self.FIRST + one))
        self.assertEqual(self.cut("--count", self.FIRST + one), (0, "1\n"))
        for options in ("--level error", "--level debug", f"--since {T(0)}", f"--until {T(23)}", f"--since {T(0)} --until {T(23)} --level debug"):
            self.check(options, self.FIRST + one, one)

    def test_files_without_records(self) -> None:
        for text in ("", self.FIRST):
            self.assertEqual(self.cut("", text), (1, text))
            self.assertEqual(self.cut("--count", text), (1, "0\n"))
            for options in ("--level debug", f"--since {T(0)}", f"--until {T(23)}"):
                self.check(options, text)

    def test_a_record_ends_with_its_file(self) -> None:
        high, low = record(9, "error", "more"), record(10, "debug", "more")
        files = (high, self.FIRST + low, self.FIRST, self.FIRST + high)
        self.assertEqual(self.cut("", *files), (0, "".join(files)))
        self.assertEqual(self.cut("--count", *files), (0, "3\n"))
        self.check("--level error", files, high, high)
        self.check(f"--since {T(10)}", files, low)
        self.check(f"--until {T(10)}", files, high, high)
        self.check("--level debug", files, high, low, high)
        self.check(f"--level info --since {T(10)}", files)

    def test_after_a_record_that_was_left_out(self) -> None:
        low, high = record(8, "info", "more"), record(9, "error", "more")
        files = (low, self.FIRST + high, "\n" + low)
        self.assertEqual(self.cut("", *files), (0, "".join(files)))
        self.check("--level error", files, high)
        self.check(f"--until {T(9)}", files, low, low)


class FilesTest(LogcutTest):
    def test_order_of_files(self) -> None:
        files = (record(12, "error", "a") + record(13, "debug", "b"), record(8, "error", "c") + record(9, "warning", "d", ""), record(10, "error"))
        self.check("--level error", files, record(12, "error", "a"), record(8, "error", "c"), record(10, "error"))
        self.check(f"--since {T(9)} --level warning", files, record(12, "error", "a"), record(9, "warning", "d", ""), record(10, "error"))

    def test_a_file_given_twice(self) -> None:
        path = self.folder / "app.log"
        path.write_text("banner\n" + record(8, "info", "a") + record(9, "error", "b"))
        out = io.StringIO()
        self.assertEqual(main(["--level", "error", str(path), str(path)], out), 0)
        self.assertEqual(out.getvalue(), record(9, "error", "b") * 2)

    def test_files_stay_as_they_are(self) -> None:
        self.cut("--level error", APP)
        self.assertEqual((self.folder / "0.log").read_text(), APP)


class StatusTest(LogcutTest):
    def test_nothing_found(self) -> None:
        text = record(8, "info", f"{T(9)} errors", "error") + record(9, "debug", "more")
        for options in ("--level warning", f"--since {T(10)}", f"--until {T(8)}", f"--since {T(9)} --level info"):
            self.check(options, text)

    def test_wrong_options(self) -> None:
        for options in ("--level fatal", "--level", "--nothing", "--since"):
            out = io.StringIO()
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(main(options.split(), out), 2)
            self.assertEqual(self.cut("--level fatal", APP)[0], 2)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(main([], io.StringIO()), 2)


if __name__ == "__main__":
    unittest.main()
