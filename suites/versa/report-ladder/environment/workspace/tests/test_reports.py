"""Some of what reports say."""

import unittest
from datetime import datetime

from stations import DailyCsv, DailyMarkdown, DailyText, WeeklyCsv, WeeklyMarkdown, WeeklyText

READINGS = [
    (datetime(2026, 1, 5, 8), "Rain", 2.0),
    (datetime(2026, 1, 4, 8), "Harbour", 7.25),
    (datetime(2026, 1, 6, 8), "Rain", 1.0),
    (datetime(2026, 1, 5, 9), "Harbour", 6.0),
]


class ReportsTest(unittest.TestCase):
    def test_text(self):
        text = "2026-01-04\n  Harbour: 1x, 7.2 to 7.2, mean 7.2 C\n2026-01-05\n  Harbour: 1x, 6.0 to 6.0, mean 6.0 C\n"
        self.assertTrue(DailyText(READINGS, {"Harbour": "C"}).render().startswith(text))
        self.assertIn("week 2026-W02\n", WeeklyText(READINGS).render())
        self.assertIn("  Rain: 2x, 1.0 to 2.0, mean 1.5 (days: 2)\n", WeeklyText(READINGS).render())

    def test_markdown(self):
        text = "## 2026-W01\n\n| station | count | low | high | mean | days |\n|---|---|---|---|---|---|\n"
        self.assertTrue(WeeklyMarkdown(READINGS).render().startswith(text))
        self.assertIn("| Rain (mm) | 1 | 2.0 | 2.0 | 2.0 |\n", DailyMarkdown(READINGS, units={"Rain": "mm"}).render())

    def test_csv(self):
        self.assertEqual(DailyCsv([]).render(), "day,station,unit,count,low,high,mean\n")
        self.assertIn("2026-W02,Rain,,2,1.0,2.0,1.5,2\n", WeeklyCsv(READINGS).render())


if __name__ == "__main__":
    unittest.main()
