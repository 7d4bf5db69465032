"""The answer is what the page shows, word for word{unchanged}."""

import json

ANSWER = {answer}


def test_the_answer_is_what_the_page_shows(ws):
    found = json.loads(ws.read("answer.json"))
    assert isinstance(found, dict)
    assert " ".join(str(found.get("answer")).split()) == ANSWER
