"""Reports on weather stations."""

from stations.reports import DailyCsv, DailyMarkdown, DailyText, WeeklyCsv, WeeklyMarkdown, WeeklyText

__all__ = ["DailyCsv", "DailyMarkdown", "DailyText", "WeeklyCsv", "WeeklyMarkdown", "WeeklyText"]
