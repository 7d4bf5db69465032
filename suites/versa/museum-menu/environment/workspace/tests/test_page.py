"""What can be said of the page without a browser."""

import re
import unittest
from html.parser import HTMLParser
from pathlib import Path


class Tags(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


class PageTest(unittest.TestCase):
    def setUp(self):
        self.text = Path("index.html").read_text(encoding="utf-8")
        self.tags = Tags(self.text).found

    def test_what_stays(self):
        names = [tag for tag, _ in self.tags]
        self.assertEqual((names.count("nav"), names.count("main"), names.count("h1")), (1, 1, 1))
        self.assertIn("Open from Tuesday to Sunday.", self.text)
        self.assertIn("Museum of Harbours</h1>", self.text)

    def test_first_link(self):
        links = [attrs for tag, attrs in self.tags if tag == "a"]
        self.assertRegex(links[0].get("href", ""), "^#.")
        self.assertIn("Skip to content", self.text)

    def test_style(self):
        style = Path("style.css").read_text(encoding="utf-8")
        self.assertIn("800px", style)
        self.assertIsNone(re.search(r":focus\s*\{\s*outline:\s*none", style))

    def test_titles_are_not_written_down(self):
        self.assertNotIn("way.html", self.text + Path("menu.js").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
