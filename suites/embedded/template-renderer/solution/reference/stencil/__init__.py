"""A small template engine for mails and reports."""

from stencil.engine import TemplateError, compile_template, render
from stencil.mail import fill

__all__ = ["TemplateError", "compile_template", "fill", "render"]
