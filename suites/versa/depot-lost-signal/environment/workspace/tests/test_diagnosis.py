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


FORMS = {
    "module": is_text,
    "function": is_text,
    "schedule": is_numbers,
    "schedules": is_number,
    "stuck": is_texts,
    "left": is_texts,
    "now": is_number,
}


class DiagnosisTest(unittest.TestCase):
    def test_form(self):
        diagnosis = json.loads(Path("diagnosis.json").read_text())
        self.assertEqual(set(diagnosis), set(FORMS))
        for key, form in FORMS.items():
            self.assertTrue(form(diagnosis[key]), key)


if __name__ == "__main__":
    unittest.main()
