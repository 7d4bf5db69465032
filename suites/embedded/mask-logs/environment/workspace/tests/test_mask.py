"""Tests of mask.sed."""

import subprocess
import unittest


def mask(text):
    """What the script makes of a text."""
    done = subprocess.run(["sed", "-E", "-f", "mask.sed"], input=text, capture_output=True, text=True, check=True)
    return done.stdout


class MaskTest(unittest.TestCase):
    def test_secrets(self):
        self.assertEqual(mask('GET /?token=abc&x=1 password="a b"\n'), 'GET /?token=***&x=1 password="***"\n')

    def test_mail(self):
        self.assertEqual(mask("mail from ada.l@example.org\n"), "mail from a***@example.org\n")

    def test_ip(self):
        self.assertEqual(mask("from 10.0.3.17 to 10.0.3.18\n1.2.3.4.5\n"), "from 10.0.3.x to 10.0.3.x\n1.2.3.4.5\n")


if __name__ == "__main__":
    unittest.main()
