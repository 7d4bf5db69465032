"""Examples of conversions."""

import unittest
from fractions import Fraction

from units import errors
from units.convert import convert


class ConvertTest(unittest.TestCase):
    def test_single_units(self):
        self.assertEqual(convert(5, "km", "m"), 5000)
        self.assertEqual(convert(20, "degC", "K"), Fraction("293.15"))
        self.assertEqual(convert(212, "degF", "degC"), 100)

    def test_quotients(self):
        self.assertEqual(convert(36, "km/h", "m/s"), 10)
        self.assertEqual(convert(1, "m/s", "km/h"), Fraction(18, 5))

    def test_products_and_powers(self):
        self.assertEqual(convert(1, "kg*m/s^2", "N"), 1)
        self.assertEqual(convert(2, "L", "cm^3"), 2000)

    def test_frequency(self):
        self.assertEqual(convert(120, "1/min", "Hz"), 2)

    def test_errors(self):
        with self.assertRaises(errors.IncompatibleUnits):
            convert(1, "m/s", "m")
        with self.assertRaises(errors.UnknownUnit):
            convert(1, "parsec/s", "m/s")
        with self.assertRaises(errors.MalformedUnit):
            convert(1, "m//s", "m/s")
        with self.assertRaises(errors.OffsetUnit):
            convert(1, "degC/s", "K/s")


if __name__ == "__main__":
    unittest.main()
