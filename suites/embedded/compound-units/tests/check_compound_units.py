"""Hidden checks of compound-units: order of operations, exponents, degrees and malformed texts, all exact."""

from fractions import Fraction

from grader import raises

# name: factor, exponents of metre, kilogram, second, kelvin
TABLE = {
    "m": (Fraction(1), (1, 0, 0, 0)),
    "mm": (Fraction(1, 1000), (1, 0, 0, 0)),
    "mi": (Fraction("1609.344"), (1, 0, 0, 0)),
    "L": (Fraction(1, 1000), (3, 0, 0, 0)),
    "g": (Fraction(1, 1000), (0, 1, 0, 0)),
    "lb": (Fraction("0.45359237"), (0, 1, 0, 0)),
    "h": (Fraction(3600), (0, 0, 1, 0)),
    "min": (Fraction(60), (0, 0, 1, 0)),
    "Hz": (Fraction(1), (0, 0, -1, 0)),
    "J": (Fraction(1), (2, 1, -2, 0)),
    "Pa": (Fraction(1), (-1, 1, -2, 0)),
    "K": (Fraction(1), (0, 0, 0, 1)),
}
BASE = ["m", "kg", "s", "K"]


def random_unit(rng):
    """A compound unit as a text, with its factor and its dimension."""
    text, factor, dimension = "", Fraction(1), [0, 0, 0, 0]
    for position in range(rng.randrange(1, 6)):
        operator = rng.choice("*/") if position else ""
        text += f"{rng.choice(['', ' '])}{operator}{rng.choice(['', '  '])}" if position else ""
        if rng.random() < 0.1:
            text += "1"
            continue
        name, exponent = rng.choice(sorted(TABLE)), rng.choice([None, None, 0, 1, 2, 3, -1, -2])
        text += name if exponent is None else f"{name}{rng.choice(['^', ' ^ '])}{exponent}"
        power = (1 if exponent is None else exponent) * (-1 if operator == "/" else 1)
        factor *= TABLE[name][0] ** power
        dimension = [have + power * more for have, more in zip(dimension, TABLE[name][1])]
    return text, factor, dimension


def basic(dimension):
    """The unit of this dimension in metre, kilogram, second and kelvin."""
    return "*".join(["1", *(f"{name}^{power}" for name, power in zip(BASE, dimension) if power)])


def test_everyday_compounds(ws):
    """Units that engineers use, in both directions."""
    convert = ws.load("units.convert").convert
    assert convert(60, "mi/h", "m/s") == Fraction("26.8224")
    assert convert(1, "W*h", "J") == 3600
    assert convert(3, "Pa", "N/m^2") == 3
    assert convert(7, "N", "g*cm/s^2") == 700000
    assert convert(1, "J/kg/K", "J/g/K") == Fraction(1, 1000)
    assert convert(2, "m^3", "L") == 2000
    assert convert(1, "L/min", "m^3/h") == Fraction(3, 50)


def test_left_to_right(ws):
    """A slash divides by the one factor after it."""
    convert = ws.load("units.convert").convert
    assert convert(1, "J/kg*K", "J*K/kg") == 1
    assert convert(1, "km/h*h", "m") == 1000
    assert convert(5, "m/s/s", "m*s^-2") == 5
    assert convert(1, "1/min/min*h*h", "1") == 3600
    with raises("units.errors.IncompatibleUnits"):
        convert(1, "J/kg*K", "J/kg/K")


def test_exponents(ws):
    """Negative, zero and larger exponents."""
    convert = ws.load("units.convert").convert
    assert convert(1, "h^-1", "Hz") == Fraction(1, 3600)
    assert convert(1, "km^12", "m^12") == 10**36
    assert convert(9, "mi^0", "1") == 9
    assert convert(1, "s/m^-2", "m^2*s") == 1
    assert convert(1, "cm^-3", "1/L") == 1000


def test_spaces(ws):
    """Spaces at the ends and around the operators mean nothing; inside a name they are malformed."""
    convert = ws.load("units.convert").convert
    assert convert(36, "  km / h ", " m * s ^ -1") == 10
    for text in ["k m", "m s", "m^- 1", "m^1 2"]:
        with raises("units.errors.MalformedUnit"):
            convert(1, text, "m")


def test_random_compounds(ws):
    """Random compounds convert exactly into basic units and back."""
    convert = ws.load("units.convert").convert
    for _ in range(80):
        text, factor, dimension = random_unit(ws.rng)
        value = Fraction(ws.rng.randrange(-(10**6), 10**6), ws.rng.randrange(1, 1000))
        result = convert(value, text, basic(dimension))
        assert type(result) is Fraction
        assert result == value * factor, text
        assert convert(result, basic(dimension), text) == value


def test_dimensions_must_agree(ws):
    """Units that measure something else cannot be converted; compatible says so beforehand."""
    module = ws.load("units.convert")
    assert module.compatible("N*s", "kg*m/s") is True
    assert module.compatible("m/km", "1") is True
    assert module.compatible("degF", "K") is True
    assert module.compatible("m^2", "m") is False
    for _ in range(40):
        (one, _f, first), (two, _g, second) = random_unit(ws.rng), random_unit(ws.rng)
        assert module.compatible(one, two) is (first == second)
        if first != second:
            with raises("units.errors.IncompatibleUnits"):
                module.convert(1, one, two)


def test_degrees_stand_alone(ws):
    """degC and degF convert alone, exactly, and nowhere else."""
    module = ws.load("units.convert")
    assert module.convert(-40, "degF", " degC ") == -40
    assert module.convert(0, "K", "degF") == Fraction("-459.67")
    assert module.convert(25, "degC", "K^1") == Fraction("298.15")
    for text in ["degC^1", "degF^2", "1*degC", "degC*1", "degC/1", "J/degC", "degC/degC", "degF^0", "degC^-1"]:
        for call in (lambda: module.convert(1, text, "K"), lambda: module.convert(1, "K", text)):
            with raises("units.errors.OffsetUnit"):
                call()
        with raises("units.errors.OffsetUnit"):
            module.compatible("K", text)


def test_unknown_names(ws):
    """Names that are not in the table, on either side; names are case-sensitive."""
    module = ws.load("units.convert")
    for text in ["furlong", "m/fortnight", "KM", "kg*pa", "ft^2"]:
        for pair in [(text, "m"), ("m", text)]:
            with raises("units.errors.UnknownUnit"):
                module.convert(1, *pair)
            with raises("units.errors.UnknownUnit"):
                module.compatible(*pair)


def test_malformed_texts(ws):
    """Whatever is not a unit at all raises MalformedUnit, which is a UnitError and so a ValueError."""
    module = ws.load("units.convert")
    texts = ["", " ", "*", "m*", "/s", "m//s", "m**s", "m^", "m^x", "m^1.5", "m^+2", "2*m", "11/s", "1^2", "m2", "m^^2"]
    for text in [*texts, "(m/s)", "m·s", "m^2^3", "m-s", "^2", "µm", "m^--1", "m^²", "m,s"]:
        with raises("units.errors.MalformedUnit"):
            module.convert(1, text, "m")
    for kind in (ValueError, "units.errors.UnitError"):
        with raises(kind):
            module.compatible("m", "m/")
    with raises("units.errors.UnitError"):
        module.convert(1, "degC/s", "K")
