"""A pre-registration as a section of the report's page."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from honestly.report._text import printable
from honestly.report.registration._report import RegistrationReport


def registration_section(report: RegistrationReport | None) -> Markup:
    """The section, escaped and ready to stand in the page; empty where nothing was registered."""
    if report is None:
        return Markup()
    environment = Environment(
        loader=PackageLoader("honestly.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["printable"] = printable
    return Markup(environment.get_template("registration.html").render(found=report))  # noqa: S704 – escaped by Jinja2
