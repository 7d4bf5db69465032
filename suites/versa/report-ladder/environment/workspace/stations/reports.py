"""Reports on readings of weather stations.

Readings are tuples (time, station, value): a datetime, a text, a float; in any order. `units` has units by station. A report has groups in the order of time, and in each group a row
for each station that has readings in it, in the order of names. Values are written with one decimal. A week is one of ISO 8601, from Monday to Sunday.
"""

from datetime import datetime

Reading = tuple[datetime, str, float]


class DailyText:
    """A text: a line for each day, and below it the stations."""

    def __init__(self, readings, units=None):
        self.readings = list(readings)
        self.units = dict(units or {})

    def render(self):
        """The report."""
        lines = []
        groups = {}
        for time, station, value in self.readings:
            groups.setdefault(self.label(time), {}).setdefault(station, []).append((time, value))
        for label in sorted(groups):
            lines.append(self.heading(label))
            for station in sorted(groups[label]):
                values = [value for _time, value in groups[label][station]]
                mean = sum(values) / len(values)
                line = f"  {station}: {len(values)}x, {min(values):.1f} to {max(values):.1f}, mean {mean:.1f}"
                if station in self.units and self.units[station]:
                    line += " " + self.units[station]
                lines.append(line + self.extra(groups[label][station]))
        return "".join(line + "\n" for line in lines)

    def label(self, time):
        """The day."""
        return time.strftime("%Y-%m-%d")

    def heading(self, label):
        """The line above a group."""
        return label

    def extra(self, entries):
        """What else a line says."""
        return ""


class WeeklyText(DailyText):
    """The same by weeks; lines say on how many days there were readings."""

    def label(self, time):
        """The week."""
        year, week, _day = time.isocalendar()
        return f"{year}-W{week:02d}"

    def heading(self, label):
        """The line above a group."""
        return "week " + super().heading(label)

    def extra(self, entries):
        """On how many days."""
        return f" (days: {len({time.date() for time, _value in entries})})"


class DailyMarkdown(DailyText):
    """Markdown: a heading and a table for each day."""

    def render(self):
        """The report."""
        lines = []
        groups = {}
        for time, station, value in self.readings:
            groups.setdefault(self.label(time), {}).setdefault(station, []).append((time, value))
        for label in sorted(groups):
            lines += [*self.heading(label), self.columns(), "|" + "---|" * (self.columns().count("|") - 1)]
            for station in sorted(groups[label]):
                values = [value for _time, value in groups[label][station]]
                mean = sum(values) / len(values)
                unit = self.units.get(station, "")
                name = station.replace("|", "\\|") + (f" ({unit})" if unit else "")
                lines.append(f"| {name} | {len(values)} | {min(values):.1f} | {max(values):.1f} | {mean:.1f} |{self.extra(groups[label][station])}")
            lines.append("")
        return "\n".join(lines)

    def heading(self, label):
        """The lines above a table."""
        return [f"## {label}", ""]

    def columns(self):
        """The first line of a table."""
        return "| station | count | low | high | mean |"


class WeeklyMarkdown(DailyMarkdown, WeeklyText):
    """The same by weeks, with a column of days."""

    def label(self, time):
        """The week."""
        return WeeklyText.label(self, time)

    def columns(self):
        """The first line of a table."""
        return super().columns() + " days |"

    def extra(self, entries):
        """On how many days."""
        return f" {len({time.date() for time, _value in entries})} |"


class DailyCsv(DailyText):
    """CSV: one table with the days in its first column; commas and quotes are quoted."""

    first = "day"

    def render(self):
        """The report."""
        lines = [f"{self.first},station,unit,count,low,high,mean" + self.more()]
        groups = {}
        for time, station, value in self.readings:
            groups.setdefault(self.label(time), {}).setdefault(station, []).append((time, value))
        for label in sorted(groups):
            for station in sorted(groups[label]):
                values = [value for _time, value in groups[label][station]]
                mean = sum(values) / len(values)
                cells = [label, station, self.units.get(station, ""), str(len(values))]
                cells += [f"{min(values):.1f}", f"{max(values):.1f}", f"{mean:.1f}"]
                quoted = ['"' + cell.replace('"', '""') + '"' if "," in cell or '"' in cell else cell for cell in cells]
                lines.append(",".join(quoted) + self.extra(groups[label][station]))
        return "".join(line + "\n" for line in lines)

    def more(self):
        """Further columns."""
        return ""


class WeeklyCsv(DailyCsv):
    """The same by weeks, with a column of days."""

    first = "week"

    def label(self, time):
        """The week."""
        return WeeklyText([]).label(time)

    def more(self):
        """Further columns."""
        return ",days"

    def extra(self, entries):
        """On how many days."""
        return f",{len({time.date() for time, _value in entries})}"
