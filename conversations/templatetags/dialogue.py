"""How the words of a dialogue are written on a page."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from conversations import markdown
from conversations.selectors import MARK_END, MARK_START

register = template.Library()


@register.filter
def markdown_html(text: str) -> SafeString:
    """Return a reply's Markdown as safe HTML."""
    return markdown.render(text)


@register.filter
def marked(snippet: str) -> SafeString:
    """Return the snippet of a search result with the matching words marked."""
    return mark_safe(escape(snippet).replace(MARK_START, "<mark>").replace(MARK_END, "</mark>"))  # noqa: S308 (escaped)


@register.filter
def duration(milliseconds: int) -> str:
    """Return a duration for people: 84 ms, 1.2 s, 2 min 5 s."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds // 60_000} min {milliseconds % 60_000 // 1000} s"
