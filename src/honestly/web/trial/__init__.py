"""A trial as a page shows it: windows of its steps, texts that nobody can do harm with, sums."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.web.trial._blocks import (
        PIECE as PIECE,
        STEP_KINDS as STEP_KINDS,
        Gap as Gap,
        cut_block as cut_block,
        step_sections as step_sections,
        text_piece as text_piece,
    )
    from honestly.web.trial._markup import (
        Mark as Mark,
        diff_markup as diff_markup,
        marked_html as marked_html,
        visible_text as visible_text,
    )
    from honestly.web.trial._panel import (
        Panel as Panel,
        place_of as place_of,
        quoted_in_files as quoted_in_files,
        trial_panel as trial_panel,
    )
    from honestly.web.trial._pictures import picture_size as picture_size
    from honestly.web.trial._steps import (
        PAGE_STEPS as PAGE_STEPS,
        Cited as Cited,
        Showing as Showing,
        ShownStep as ShownStep,
        Window as Window,
        one_step as one_step,
        step_window as step_window,
        steps_of_a_folder as steps_of_a_folder,
        window_at as window_at,
    )
    from honestly.web.trial._sums import SUMMED_AT_ONCE as SUMMED_AT_ONCE, KnownSums as KnownSums, Sums as Sums

__getattr__, __dir__ = lazy_exports(__name__)
