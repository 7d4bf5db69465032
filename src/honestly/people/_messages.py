# ruff: noqa: E501 - a table of patterns
"""What kind of message a user wrote to an agent after the first one: a correction, a nudge, a question, a request.

Rules in plain words, each with a weight; a message whose weights reach the threshold is a correction. They were written
while looking at half of thirty sessions with labelled intents (SWE-Together); how often they are right is measured
on the other half (docs/effect.md). What is quoted is not the user's own; what programs put into a session in the
user's name is no message. English only.
"""

import re
from typing import Literal

MessageKind = Literal["correction", "nudge", "question", "request", "interruption", "machine"]

_MACHINE = re.compile(
    r"\s*(?:<(?:local-command|command-(?:name|message)|task-notification|system-reminder|user_instructions|bash-(?:input|stdout|stderr)|"
    r"environment_context|turn_aborted)|Caveat: The messages below|This session is being continued from|"
    r"Base directory for this skill|# AGENTS\.md instructions)"
)
_INTERRUPTED = re.compile(r"\s*\[Request interrupted by user")
_NUDGE = re.compile(
    r"(?:(?:ok(?:ay|i)?|yes|yep|yeah|y|sure|alright|great|good|nice|cool|perfect|fine|please|pls|thanks|thank you|then|"
    r"and|now|so|just|go|go on|go ahead|continue|proceed|next|do it|do that|do things|do this|implement|implement it|"
    r"carry on|keep going|try again|retry|again|resume|run it|sounds good|looks good|lgtm|let'?s (?:go|do it|try this)|"
    r"with this|it|this|concisely|commit|merge|ship|push|approved?|\U0001f44d|\u2705)[\s,.!]*)+",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:(?:and|but|so|ok|hm+|oh|also|question)[\s,:]+)*"
    r"(?:what|why|how|which|who|where|when|is|are|does|do|did|was|were|will|would|should|have|has|any)\b",
    re.IGNORECASE,
)
_CUES: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(cue, re.IGNORECASE), weight)
    for cue, weight in (
        (
            r"^(?:no|nope|nah|stop|wrong)\b(?!,? (?:it'?s|that'?s|this is) (?:fine|ok|good|great)|,? (?:problem|worries|need))",
            2.0,
        ),
        (
            r"^(?:it'?s |that'?s |this is |the \w+ is )?not working\b|\b(?:the |got |get |with )?same (?:error|problem|issue|bug|failure)\b",
            2.0,
        ),
        (
            r"\bi never (?:asked|wanted|said|told)\b|^(?:now )?(?:this |an? |the |i get |getting |new )*(?:error|failure|exception|traceback)\b",
            2.0,
        ),
        (
            r"^(?:(?:the |it'?s |\w+ (?:is|are) |tests? )?)still (?:too|red|failing|fails?|getting|no|wrong|open|missing|there)\b",
            2.0,
        ),
        (r"\b(?:\w+ )?tests? (?:are |is )?(?:still )?(?:red|fail|failing)\b", 1.2),
        (r"^(?:wait|hold on|dude|wtf|ugh)\b", 1.2),
        (r"^(?:can|could|would|will) (?:you|we)\b|^(?:please|deploy|add|create|write|implement)\b", -1.0),
        (r"\bnow[.!]?$", 1.2),
        (r"\b(?:that|this|it)(?:'?s| is| was) (?:not|n't|wrong|incorrect|still|too|backwards|overkill)\b", 2.0),
        (
            r"\bnot what (?:i|we)\b|\bi (?:said|told you|asked (?:you )?(?:for|to)|meant|didn'?t (?:ask|mean|want))\b",
            2.5,
        ),
        (
            r"\b(?:still|again)\b.{0,40}\b(?:happen|fail|broken|not|wrong|error|see|crash|show|the same)|\bstill (?:does|is|has)",
            2.0,
        ),
        (r"^(?:it |that |this )?still (?:happen|fail|broken|not|doesn)", 1.0),
        (
            r"\b(?:should ?n[o']?t|should not|must not|mustn'?t|don'?t want|shouldn'?t have|was(?:n'?t| not) supposed)\b",
            1.5,
        ),
        (
            r"\bwe (?:only|don'?t|do not) need\b|\bonly need\b|\bnot necessary\b|\bunnecessary\b|\boverkill\b|\bno need\b",
            2.0,
        ),
        (
            r"\byou (?:forgot|missed|broke|removed|deleted|ignored|changed|skipped|misunderst|did(?:n'?t| not)|keep|are wrong)",
            2.0,
        ),
        (r"\b(?:revert|undo|roll ?back|put (?:it|that) back|take (?:it|that) (?:out|back))\b", 2.0),
        (r"\b(?:instead of|rather than|instead)\b", 0.8),
        (
            r"\b(?:incorrect|wrong|mistake|bug|buggy|broken|glitch\w*|choppy|weird\w*|ugly|janky|misleading|confusing)\b",
            1.2,
        ),
        (
            r"\b(?:does|do|did|is|are|was|were)(?:n'?t| not)\b.{0,30}\b(?:work|run|show|match|update|appear|make|right|correct)",
            1.5,
        ),
        (r"^(?:now|but now|and now|also)\b.{0,80}\b(?:too|feels?|looks?|adds?|is|are|it'?s)\b", 1.0),
        (r"\btoo (?:much|many|early|late|long|short|big|small|fast|slow|verbose|complex|complicated|wavy|\w+y)\b", 1.5),
        (r"\b(?:feels? like|looks? like|ideally|supposed to|actually)\b", 0.6),
        (
            r"\b(?:high|medium|low) severity\b|\bcan miss\b|\bmay (?:behave|fail|break|miss)\b|\bwithout (?:creating|checking|handling)\b",
            1.8,
        ),
        (
            r"\bconsider (?:allowing|using|adding|making)\b|\bthe (?:comment|code|function|check|test) (?:says|only|never|does not)\b",
            1.0,
        ),
        (r"\bthis is the (?:right|correct)\b|\bcan we keep\b|\bkeep (?:using|the)\b", 1.5),
        (r"\bnot (?:a|an|the|in|on|for|like)\b.{0,60}\bbut\b|\b(?:no|not),? (?:use|just|only)\b", 1.0),
    )
)
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|</?user_query>|<ide_(?P<ide>\w+)>.*?</ide_(?P=ide)>|^>[^\n]*$|\"[^\"\n]{2,300}\"|\u201c[^\u201d\n]{2,300}\u201d|(?<![\w'])'[^\n]{2,200}?'(?![\w'])"
    r"|\b(?:nothing|not anything) (?:is )?(?:wrong|broken)\b",
    re.DOTALL | re.MULTILINE,
)
"""What is not the user's own: fenced, behind `>`, between quotation marks; and praise in the words of a complaint."""
_LONG = 1500
_THRESHOLD = 1.2


def message_kind(text: str) -> MessageKind:
    """The kind of a user's later message; empty text is not from a person."""
    if _MACHINE.match(text) or not text.strip():
        return "machine"
    if _INTERRUPTED.match(text):
        return "interruption"
    if not (words := " ".join(_QUOTED.sub(" ", text).split())):
        return "request"
    if _NUDGE.fullmatch(words):
        return "nudge"
    if correction_weight(words) >= _THRESHOLD:
        return "correction"
    return "question" if words.endswith("?") or _QUESTION.match(words) else "request"


def correction_weight(words: str) -> float:
    """How much speaks for a correction; a question, and what is pasted at length, speaks less."""
    begin = words[:_LONG]
    found = sum(weight for cue, weight in _CUES if cue.search(begin))
    if words.endswith("?") and not re.search(r"[.!;] |, ", words):
        found -= 1.0
    return found - (1.0 if len(words) > _LONG else 0.0)
