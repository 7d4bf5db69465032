"""Hidden checks of ticket-codes: an independent coder, damaged codes, and texts as people type them."""

from grader import raises

SYMBOLS = "23456789ABCDEFGHJKLMNPQRSTVWXYZ"


def coded(number):
    values = []
    for _ in range(6):
        number, value = divmod(number, 31)
        values.insert(0, value)
    values.append(sum(weight * value for weight, value in zip((2, 3, 4, 5, 6, 7), values)) % 31)
    text = "".join(SYMBOLS[value] for value in values)
    return f"{text[:3]}-{text[3:6]}-{text[6]}"


def numbers(rng, size):
    return [0, 1, 30, 31, 31**5, 31**6 - 1] + [rng.randrange(31**6) for _ in range(size)]


def typed(rng, code):
    """A code as somebody might type it."""
    text = "".join(rng.choice([symbol, symbol.lower()]) for symbol in code if symbol != "-")
    return "".join(rng.choice(["", "", "-", " ", " - ", "--"]) + symbol for symbol in text) + rng.choice(["", " ", "-"])


def test_codes_of_numbers(ws):
    """Codes of many numbers, the ends of the range included."""
    encode = ws.load("tickets.codes").encode
    for number in numbers(ws.rng, 60):
        assert encode(number) == coded(number), number


def test_numbers_without_a_code(ws):
    """Numbers outside of the range raise ValueError; what is no int raises TypeError, True and False too."""
    encode = ws.load("tickets.codes").encode
    for number in [-1, -31, 31**6, 31**6 + 5, 10**40]:
        with raises(ValueError):
            encode(number)
    for number in [True, False, 1.0, "7", None, 7.5]:
        with raises(TypeError):
            encode(number)


def test_codes_are_read_back(ws):
    """decode undoes encode."""
    codes = ws.load("tickets.codes")
    for number in numbers(ws.rng, 40):
        assert codes.decode(coded(number)) == number
        assert codes.is_valid(coded(number)) is True


def test_typed_as_people_like(ws):
    """Lower case, and spaces and hyphens anywhere or nowhere."""
    decode = ws.load("tickets.codes").decode
    for number in numbers(ws.rng, 40):
        text = typed(ws.rng, coded(number))
        assert decode(text) == number, text


def test_one_wrong_symbol_is_noticed(ws):
    """A single symbol taken for another, anywhere, makes a code wrong."""
    codes = ws.load("tickets.codes")
    for number in numbers(ws.rng, 4):
        code = coded(number)
        for place in (0, 1, 2, 4, 5, 6, 8):
            symbol = ws.rng.choice([other for other in SYMBOLS if other != code[place]])
            damaged = code[:place] + symbol + code[place + 1 :]
            assert codes.is_valid(damaged) is False, damaged
            with raises("tickets.errors.BadCode"):
                codes.decode(damaged)


def test_swapped_neighbours_are_noticed(ws):
    """Two neighbouring symbols of the number in the wrong order make a code wrong."""
    is_valid = ws.load("tickets.codes").is_valid
    for number in numbers(ws.rng, 20):
        text = coded(number).replace("-", "")
        for place in range(5):
            swapped = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
            assert is_valid(swapped) is (swapped == text)


def test_other_characters_are_refused(ws):
    """Letters and digits that are no symbols, other separators, other alphabets, and wrong lengths."""
    codes = ws.load("tickets.codes")
    good = coded(ws.rng.randrange(31**6)).replace("-", "")
    texts = ["", "-", " ", good[:6], good + "2", "2" + good, "0000000", "1111111", "IIIIIII", "UUUUUUU", "ooooooo"]
    # The long s becomes an S in upper case, the Kelvin sign a k in lower case, ß two letters.
    texts += [
        "222-22S-9".replace("S", "ſ"),
        "ßAAAAA",
        "\u212a222222",
        "２２２２２２２",
        good + "\n",
        good[:3] + "\t" + good[3:],
    ]
    texts += [good[:3] + "_" + good[3:], good[:3] + "." + good[3:], good[:6] + "?", "???????"]
    for text in texts:
        assert codes.is_valid(text) is False, text
        with raises("tickets.errors.BadCode"):
            codes.decode(text)
    for place in range(7):
        number = sum(31**power * SYMBOLS.index("S") for power in range(6))
        text = coded(number).replace("-", "")
        if text[place] == "S":
            assert codes.is_valid(text[:place] + "ſ" + text[place + 1 :]) is False


def test_repair(ws):
    """One unreadable symbol is found again, wherever it is and however the rest is typed."""
    repair = ws.load("tickets.codes").repair
    for number in numbers(ws.rng, 8):
        code = coded(number)
        for place in (0, 1, 2, 4, 5, 6, 8):
            assert repair(code[:place] + "?" + code[place + 1 :]) == code
        plain = code.replace("-", "").lower()
        assert repair(f" {plain[:2]}?-{plain[3:]} ") == code


def test_what_cannot_be_repaired(ws):
    """No question mark, several, a wrong length or foreign characters raise BadCode."""
    codes = ws.load("tickets.codes")
    good = coded(ws.rng.randrange(31**6))
    bad = [good, "", "?", "??" + good[2:], good[:-1] + "??", "?" + good, "?" + good[2:], "???-???-?", good[:4] + "?-0"]
    for text in [*bad, "?" + good[1:] + "\n", "?U" + good[2:], "?ſ" + good[2:]]:
        with raises("tickets.errors.BadCode"):
            codes.repair(text)
