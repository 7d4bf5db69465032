"""Says whether diagnosis.json has the right form."""

import json
import unittest
from pathlib import Path


def is_text(value):
    return isinstance(value, str)


def is_number(value):
    return type(value) is int


def is_numbers(value):
    return isinstance(value, list) and all(type(item) is int for item in value)


def is_texts(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_rows(value):
    return isinstance(value, list) and all(is_texts(row) for row in value)


FORMS = {
    "module": is_text,
    "function": is_text,
    "sizes_broken": is_numbers,
    "sizes_wrong": is_numbers,
    "missing": is_number,
    "cuts": is_number,
    "pieces": is_texts,
    "rows_given": is_rows,
    "rows_right": is_rows,
}


class DiagnosisTest(unittest.TestCase):
    def test_form(self):
        diagnosis = json.loads(Path("diagnosis.json").read_text())
        self.assertEqual(set(diagnosis), set(FORMS))
        for key, form in FORMS.items():
            self.assertTrue(form(diagnosis[key]), key)


if __name__ == "__main__":
    unittest.main()
