"""Modules that generated checks import inside the grader's sandbox; sent there as text, and never run here.

The two that know nothing of the grader, `oracle` and `printed`, hold how other harnesses compare answers, and can be
imported anywhere.
"""
