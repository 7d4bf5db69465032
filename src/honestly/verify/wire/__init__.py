"""Checks outside of the code under test: graders, candidates, and the wire between their sandboxes.

The way of a check, each file knowing only those after it: `_broker` runs one at a time (`_series` many in a row) in a
slot that `_slots` lends; a `_slot` is a grader's sandbox and a candidate's; in each, a `_nursery` makes fresh
processes; the host talks to them over a `_channel`. `_compiler` has solutions compiled ahead, `_told` reads what the
grader says of a check.
"""
