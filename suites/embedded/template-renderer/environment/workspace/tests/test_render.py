"""Tests of the template engine."""

import unittest

from stencil import TemplateError, fill, render

LIST = """\
Dear {{ name }},
{% for item in items %}
  {{ loop }}. {{ item.title | upper }}{% if item.note %} ({{ item.note }}){% end %}
{% end %}
{% if not items %}
  nothing today
{% end %}
"""


class RenderTest(unittest.TestCase):
    def test_values_and_filters(self):
        values = {"user": {"name": "Ana"}, "tags": ["a", "b"]}
        self.assertEqual(render("{{ user.name }}: {{ tags | join:' | ' }}".replace("'", '"'), values), "Ana: a | b")

    def test_blocks_on_their_own_lines(self):
        values = {"name": "Bo", "items": [{"title": "tea", "note": "green"}, {"title": "milk"}]}
        self.assertEqual(render(LIST, values), "Dear Bo,\n  1. TEA (green)\n  2. MILK\n")
        self.assertEqual(render(LIST, {"name": "Bo"}), "Dear Bo,\n  nothing today\n")

    def test_errors_name_the_line(self):
        with self.assertRaisesRegex(TemplateError, "^line 2: unknown filter 'shout'"):
            render("a\n{{ b | shout }}", {})
        with self.assertRaisesRegex(TemplateError, "^line 1: "):
            render("{% if a %}\nb", {})

    def test_mail(self):
        self.assertEqual(
            fill({"subject": "A\n{{ b }}", "body": "{{ b }}\n"}, {"b": 1}), {"subject": "A 1", "body": "1\n"}
        )


class CompileTest(unittest.TestCase):
    def test_compiled_templates_can_be_used_again(self):
        from stencil import compile_template

        greeting = compile_template("Hello {{ name }}!")
        self.assertEqual([greeting.render({"name": name}) for name in ("Ana", "Bo")], ["Hello Ana!", "Hello Bo!"])
        with self.assertRaises(TemplateError):
            compile_template("Hello {{ name")


if __name__ == "__main__":
    unittest.main()
