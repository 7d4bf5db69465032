"""Whether there is an answer; whether it is right is checked elsewhere."""

import json
import unittest


class AnswerTest(unittest.TestCase):
    def test_there_is_an_answer(self):
        with open("answer.json", encoding="utf-8") as file:
            self.assertIsInstance(json.load(file)["answer"], str)


if __name__ == "__main__":
    unittest.main()
