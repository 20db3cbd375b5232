"""Makes links of the places that sentences name."""

from __future__ import annotations

import re

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

ENGINES = re.compile("Settings &gt; Engines?")


@register.filter
def with_places(sentence: str) -> SafeString:
    """Return a sentence of ours as HTML in which "Settings > Engines" leads there."""
    link = rf'<a href="{reverse("settings")}#engines">\g<0></a>'
    return mark_safe(ENGINES.sub(link, conditional_escape(sentence)))  # noqa: S308 (escaped)
