"""A trial as a page shows it: windows of its steps, texts that nobody can do harm with, sums."""

from honestly.web.trial._blocks import PIECE, STEP_KINDS, Gap, cut_block, step_sections, text_piece
from honestly.web.trial._markup import Mark, diff_markup, marked_html, visible_text
from honestly.web.trial._panel import Panel, place_of, quoted_in_files, trial_panel
from honestly.web.trial._pictures import picture_size
from honestly.web.trial._steps import (
    PAGE_STEPS,
    Cited,
    Showing,
    ShownStep,
    Window,
    one_step,
    step_window,
    steps_of_a_folder,
    window_at,
)
from honestly.web.trial._sums import SUMMED_AT_ONCE, KnownSums, Sums

__all__ = [
    "PAGE_STEPS",
    "PIECE",
    "STEP_KINDS",
    "SUMMED_AT_ONCE",
    "Cited",
    "Gap",
    "KnownSums",
    "Mark",
    "Panel",
    "Showing",
    "ShownStep",
    "Sums",
    "Window",
    "cut_block",
    "diff_markup",
    "marked_html",
    "one_step",
    "picture_size",
    "place_of",
    "quoted_in_files",
    "step_sections",
    "step_window",
    "steps_of_a_folder",
    "text_piece",
    "trial_panel",
    "visible_text",
    "window_at",
]
