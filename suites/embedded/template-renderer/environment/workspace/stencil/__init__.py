"""A small template engine for mails and reports."""

from stencil.engine import TemplateError, render
from stencil.mail import fill

__all__ = ["TemplateError", "fill", "render"]
