"""Tests of zone.pl."""

import subprocess
import unittest

ZONE = """\
$TTL 1h
@       IN SOA ns1 admin.example.net. ( 2024010101 ; the serial number
                1d 2h 4w
                300 )
        NS     ns1
ns1     A      192.0.2.1
www  60 IN CNAME web.example.net.
$ORIGIN sub
mail    MX 10 mx
        TXT "v=spf1; mx" (plain
            "a \\"word\\"")
"""


class ZoneTest(unittest.TestCase):
    def written(self, text, origin="example.org."):
        done = subprocess.run(["perl", "zone.pl", origin], check=False, input=text, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_a_zone(self):
        self.assertEqual(
            self.written(ZONE),
            (
                0,
                [
                    "example.org. 3600 IN SOA ns1.example.org. admin.example.net. 2024010101 86400 7200 2419200 300",
                    "example.org. 3600 IN NS ns1.example.org.",
                    "ns1.example.org. 3600 IN A 192.0.2.1",
                    "www.example.org. 60 IN CNAME web.example.net.",
                    "mail.sub.example.org. 3600 IN MX 10 mx.sub.example.org.",
                    'mail.sub.example.org. 3600 IN TXT "v=spf1; mx" "plain" "a \\"word\\""',
                ],
            ),
        )

    def test_an_error(self):
        self.assertEqual(
            self.written("a 5 IN A 1.2.3.4\n\nb 5 IN NS ( c\n"), (1, ["a.example.org. 5 IN A 1.2.3.4", "error 3"])
        )
        self.assertEqual(self.written("a IN A 1.2.3.4\n"), (1, ["error 1"]))


if __name__ == "__main__":
    unittest.main()
