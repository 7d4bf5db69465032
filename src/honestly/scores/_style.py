# ruff: noqa: E501 - tables of phrases
"""How an agent's words sound, whatever they are worth: length, flattery, tone, layout, by plain rules (English).

Rated against verdicts they say whether people liked the work or the words. Not covered: irony, other languages.
"""

import math
import re
from collections.abc import Iterable

STYLE = ("length", "flattery", "tone", "layout")
"""What `style_of` measures."""

_FLATTERY = re.compile(
    r"\b(?:(?:great|good|excellent|fantastic|wonderful|brilliant|amazing|awesome|smart|clever|insightful|sharp|superb|"
    r"thoughtful|perceptive|astute|fascinating|perfect) (?:question|idea|point|catch|choice|thinking|eye|instincts?|"
    r"observation|insight|intuition|taste|suggestion|plan|approach|work|job|call)|you(?:'re| are|’re) (?:\w+ly )?"
    r"(?:right|correct|brilliant|amazing|an? (?:genius|expert|star|pro|natural)|so (?:smart|clever|good))|what an? (?:great|"
    r"good|excellent|brilliant|fantastic|lovely|wonderful|clever|smart)|i (?:really )?(?:love|admire|like) (?:this|that|"
    r"your|how you)|your (?:\w+ )?(?:expertise|insight|instinct|vision|taste|genius)|well (?:spotted|done|thought)|"
    r"(?:very|truly|really) impressive|impressive (?:work|code)|spot[- ]on|you clearly (?:know|understand|have))\b",
    re.IGNORECASE,
)
_TONE = re.compile(
    r"\b(?:please|thanks?|thank you|sorry|apologi[sz]e|my apologies|happy to|glad (?:to|you)|delighted|my pleasure|feel "
    r"free|let me know|hope (?:this|that|it)|of course|absolutely|certainly|sure thing|no worries|no problem|enjoy|cheers|"
    r"good luck|welcome|together|here to help)\b|!(?!=)|[\U0001F300-\U0001FAFF☀-➿]",
    re.IGNORECASE,
)
_LAYOUT = re.compile(r"^\s{0,3}(?:#{1,6} |[-*+] |\d+[.)] )|\*\*[^*\n]+\*\*|^```|^\|", re.MULTILINE)


def style_of(texts: Iterable[str]) -> dict[str, float]:
    """The style of one agent's texts, by the names in `STYLE`.

    Each is the logarithm of one more than a count: of words, of phrases that flatter, of friendly ones, and of headings,
    list items, bold words and the like.
    """
    whole = "\n".join(texts)
    counts = {
        "length": len(whole.split()),
        "flattery": len(_FLATTERY.findall(whole)),
        "tone": len(_TONE.findall(whole)),
        "layout": len(_LAYOUT.findall(whole)),
    }
    return {name: math.log1p(count) for name, count in counts.items()}
