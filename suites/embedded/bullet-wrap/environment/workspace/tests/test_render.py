"""Examples of texts and how they are laid out."""

import unittest

from textfit.render import render


class RenderTest(unittest.TestCase):
    def test_paragraphs(self):
        self.assertEqual(render("one two\nthree\n\n\nfour", 9), "one two\nthree\n\nfour")

    def test_items_continue_under_their_text(self):
        text = "- wrap the text of an item like this\n- and one more"
        self.assertEqual(render(text, 19), "- wrap the text of\n  an item like this\n- and one more")

    def test_lines_of_one_item(self):
        text = "* milk and\nhoney\n* bread"
        self.assertEqual(render(text, 40), "* milk and honey\n* bread")

    def test_paragraph_before_items(self):
        text = "Buy these things:\n- milk\n- bread\n\nThen go home."
        self.assertEqual(render(text, 12), "Buy these\nthings:\n- milk\n- bread\n\nThen go\nhome.")

    def test_numbers(self):
        self.assertEqual(render("1. one\n2. two", 20), "1. one\n2. two")


if __name__ == "__main__":
    unittest.main()
