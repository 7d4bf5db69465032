"""Hidden checks of ledger-digest: random ledgers against a digest in Python."""

import re

AMOUNT = re.compile(r"([-+]?)(\d+|\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?", re.ASCII)


def euros(cents):
    """A sum as the digest writes it."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100:,}".replace(",", ".") + f",{abs(cents) % 100:02d}"


def digest(files, year=None):
    """Oracle: status, output and complaints for the lines of files by name."""
    sums, counts, months, bad = {}, {}, {}, []
    for name, lines in files:
        for number, line in enumerate(lines, 1):
            if line.startswith("#") or not line.strip(" "):
                continue
            fields = [field.strip(" ") for field in line.split(";")]
            found = AMOUNT.fullmatch(fields[2]) if len(fields) > 2 else None
            if not found or not re.fullmatch(r"\d{4}-\d\d-\d\d", fields[0], re.ASCII):
                bad.append(f"{name}:{number}: not a booking")
                continue
            sign, whole, part = found.groups()
            cents = int(whole.replace(".", "")) * 100 + int(((part or "") + "00")[:2])
            cents = -cents if sign == "-" else cents
            if year in (None, fields[0][:4]):
                sums[fields[1]] = sums.get(fields[1], 0) + cents
                counts[fields[1]] = counts.get(fields[1], 0) + 1
                months[fields[0][:7]] = months.get(fields[0][:7], 0) + cents
    accounts = sorted(sums, key=lambda account: (-sums[account], account.encode()))
    pad = {account: account + " " * (20 - len(account.encode())) for account in accounts}
    lines = [f"{pad[account]} {counts[account]:5d} {euros(sums[account]):>12}" for account in accounts]
    lines += ["", *(f"{month} {euros(months[month])}" for month in sorted(months))]
    return (1 if bad else 0), "".join(line + "\n" for line in lines), bad


def agrees(ws, files, options=(), year=None, end="\n"):
    """Demands the oracle's digest; a file called "-" is standard input."""
    stdin = ""
    for name, lines in files:
        text = "".join(line + end for line in lines)
        if name == "-":
            stdin = text
        else:
            ws.write(name, text)
    names = [name for name, _lines in files if len(files) > 1 or name != "-"]
    done = ws.run(["perl", "digest.pl", *options, *names], stdin=stdin)
    assert (done.code, done.stdout, done.stderr.splitlines()) == digest(files, year), (files, done, digest(files, year))


def amount(rng):
    """An amount in one of its forms."""
    whole = str(rng.choice((0, 5, 12, 123, 1000, 98765, 1234567, rng.randrange(10**12))))
    if rng.random() < 0.4:
        whole = f"{int(whole):,}".replace(",", ".")
    return rng.choice(("", "-", "-", "+")) + whole + rng.choice(("", ",5", ",05", ",50", ",99", ",0"))


def ledger(rng, size):
    """Random bookings, with lines that are skipped and lines that are none."""
    lines = []
    for _ in range(size):
        date = f"202{rng.randrange(2, 5)}-{rng.choice((1, 2, 12)):02d}-{rng.randrange(1, 29):02d}"
        account = rng.choice(("Rent", "rent", "Office: paper", "a  b", "Café", "x" * 25, "", "50%d"))
        lines.append(
            rng.choice(("", " ")).join(("", date, ";", account, ";", amount(rng), rng.choice(("", ";", ";a;b", ";#"))))
        )
        if rng.random() < 0.2:
            lines.append(
                rng.choice(
                    (
                        "",
                        "   ",
                        "# x;y",
                        "#",
                        " # no",
                        "2024-01-01;x",
                        "2024-1-1;x;5",
                        "2024-01-01;x;5,",
                        "2024-01-01;x;1.23",
                        "2024-01-01;x;1234.567",
                        "x;2024-01-01;5",
                        "2024-01-01;x;,5",
                        "2024-01-01;x;5,123",
                        "2024-01-01;x;--5",
                        "2024-01-01;;",
                        "2024-01-01;x;5 0",
                    )
                )
            )
    return lines


def test_random_ledgers(ws):
    """All forms of amounts and accounts, skipped and wrong lines, from standard input."""
    for size in (40, 15, 5):
        agrees(ws, [("-", ledger(ws.rng, size))])


def test_years(ws):
    """Only one year is kept, but wrong lines of any year are named; the year 0000 is a year."""
    lines = [*ledger(ws.rng, 30), "0000-01-01;x;5", "20240-01-01;x;5"]
    for year in ("2023", "0000", "1999"):
        agrees(ws, [("-", lines)], ["--year", year], year)


def test_files(ws):
    """Lines count from 1 in each file; standard input may be one of several."""
    files = [(name, ["nonsense", *ledger(ws.rng, 10), "more"]) for name in ("a.txt", "b c.txt", "-")]
    agrees(ws, files)
    agrees(ws, files[1:2], ["--year", "2023"], "2023")


def test_equal_sums(ws):
    """Accounts with equal sums by name; sums of zero; sums that cancel out."""
    names = ["b", "a", "C", "é", "z", "aa", "0"]
    agrees(
        ws,
        [
            (
                "-",
                [f"2024-01-01;{name};5" for name in names]
                + ["2024-01-02;zero;0", "2024-01-03;gone;-7,5", "2024-02-03;gone;7,50", "2024-03-01;gone;-0,01"],
            )
        ],
    )
    agrees(ws, [("-", ["2024-01-01;n;-0"])])


def test_line_ends_and_nothing(ws):
    """CR LF; no line feed at the end; no bookings at all."""
    agrees(ws, [("-", ["2024-01-01;x;5;note", "", "2024-01-01;y;6", "x"])], end="\r\n")
    agrees(ws, [("-", [])])
    ws.write("last.txt", "2024-01-01;x;1.000")
    assert (
        ws.run(["perl", "digest.pl", "last.txt"]).stdout
        == "x                        1     1.000,00\n\n2024-01 1.000,00\n"
    )


def test_wrong_use(ws):
    """Status 2, a message, no output."""
    ws.write("fine.txt", "2024-01-01;x;5\n")
    for words in (
        ["--year"],
        ["--year", "24"],
        ["--year", "20245"],
        ["--year", "year"],
        ["--years", "2024"],
        ["-x", "fine.txt"],
        ["fine.txt", "absent.txt"],
        ["tests"],
    ):
        done = ws.run(["perl", "digest.pl", *words])
        assert (done.code, done.stdout) == (2, "") and done.stderr.strip(), (words, done)
        assert not words[0].startswith("-") or done.stderr.startswith("usage: "), (words, done)


def test_warnings_stay_errors(ws):
    """The script is strict, and its warnings are errors."""
    text = ws.read("digest.pl")
    assert "\nuse strict;" in "\n" + text and "\nuse warnings FATAL => 'all';" in "\n" + text
    assert "no warnings" not in text and "no strict" not in text
