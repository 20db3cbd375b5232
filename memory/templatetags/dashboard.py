"""URLs within a dashboard: the open page's with some parameters changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory.models import EntityRecord
from memory.selectors import GraphGroup, GraphNode, Group

register = template.Library()

# An address from the page itself: what differs is swapped, the rest of the page stays. Of two that are asked for at a
# time the later holds, as with plain links: the first answer would take away what the second is to be put into.
SWAP = (
    'href="{0}" hx-get="{0}" hx-target="#dashboard" hx-select="#dashboard" '
    'hx-select-oob="#as-of-state,#tabs" hx-swap="outerHTML" hx-push-url="true" hx-sync="#main:replace"'
)


@register.simple_tag(takes_context=True)
def goes(context: dict[str, Any], **changes: object) -> SafeString:
    """Return the attributes of a link to the open page with parameters changed."""
    return format_html(SWAP, address_with(context, changes))


@register.simple_tag(takes_context=True)
def opens(context: dict[str, Any], entity_id: int) -> SafeString:
    """Return the attributes of a link that opens an entity in the picture of the graph, or shows more of an opened one."""
    changes = {"page": "", "about": entity_id, "fact": "", "q": ""}
    return format_html(SWAP, address_with(context, changes, opened=entity_id))


@register.simple_tag(takes_context=True)
def unfolds(context: dict[str, Any], group: Group) -> SafeString:
    """Return the attributes of a link that shows more of a group of facts in the picture of the graph."""
    if not group.predicate:
        return opens(context, group.entity_id)
    return format_html(SWAP, address_with(context, {"page": "", "fact": "", "q": ""}, group=group_key(group)))


def group_key(group: Group) -> str:
    """Return how a URL names a group of facts: "12:out:likes"."""
    return f"{group.entity_id}:{'out' if group.is_outward else 'in'}:{group.predicate}"


def address_with(
    context: dict[str, Any], changes: Mapping[str, object], *, opened: int | None = None, group: str = ""
) -> str:
    """Return the open page's URL with some parameters changed; an empty value removes one."""
    query = context["request"].GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value not in (None, ""):
            query[name] = str(value)
    if opened is not None:
        query.appendlist("open", str(opened))
    if group:
        query.appendlist("group", group)
    path = context.get("board_path") or context["request"].path
    return f"{path}?{query.urlencode()}" if query else path


@register.simple_tag(takes_context=True)
def node_of(context: dict[str, Any], entity: EntityRecord) -> GraphNode | None:
    """Return the node of an entity in the page's graph, or None."""
    shown: GraphNode | None = context["nodes"].get(entity.pk)
    return shown


@register.simple_tag
def more_of(part: GraphNode | GraphGroup) -> str:
    """Return how many facts of an entity or a group are not shown: "4 more", "at least 20 more", or ""."""
    count = part.more if isinstance(part, GraphNode) else part.count
    if not count:
        return ""
    return f"{count} more" if part.is_counted else f"at least {count} more"


@register.simple_tag
def vendored(*names: str) -> list[str]:
    """Return the URLs of the front-end packages' files; empty where set-up could not fetch all of them."""
    if not all(finders.find(f"vendor/{name}") for name in names):
        return []
    try:
        return [static(f"vendor/{name}") for name in names]
    except ValueError:
        # Fetched since the static files were collected: they are served after the next start.
        return []
