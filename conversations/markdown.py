"""Renders the Markdown of replies as safe HTML."""

from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "code": {"class"}, "ol": {"start"}, "td": {"align"}, "th": {"align"}}
SCHEMES = {"http", "https", "mailto"}
CODE_START = (
    '<div class="code"><button type="button" class="text-button" data-copy-code>Copy code</button><pre tabindex="0">'
)
CODE_END = "</pre></div>"
TABLE_START = '<div class="table-scroll"><table>'
TABLE_END = "</table></div>"
# A heading of a reply stands below the page's own two levels.
HEADINGS = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}


@cache
def reader() -> MarkdownIt:
    # No raw HTML and no pictures: a picture is a request to somebody else's server.
    return (
        MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"]).disable("image")
    )


def render(text: str) -> SafeString:
    """Return Markdown as HTML with a fixed set of tags; raw HTML in it is shown as text."""
    tokens = bare_markers_as_text(reader().parse(text))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = HEADINGS[token.tag]
        if token.type in {"th_open", "td_open"}:
            # markdown-it aligns by a style attribute, which the content security policy refuses.
            style = str(token.attrs.pop("style", ""))
            if style.startswith("text-align:"):
                token.attrs["align"] = style.removeprefix("text-align:")
    html = reader().renderer.render(tokens, reader().options, {})
    clean = nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="noopener noreferrer nofollow"
    )
    # After cleaning, a literal "<pre>" can only be the element: in text it is escaped.
    framed = clean.replace("<pre>", CODE_START).replace("</pre>", CODE_END).replace("<table>", TABLE_START)
    return mark_safe(framed.replace("</table>", TABLE_END))  # noqa: S308 (cleaned above)


def bare_markers_as_text(tokens: list[Token]) -> list[Token]:
    """Return the tokens with each list that has no words as its markers: "3." alone is a number, not an empty list."""
    done: list[Token] = []
    for token in tokens:
        done.append(token)
        if token.type not in {"ordered_list_close", "bullet_list_close"}:
            continue
        opening = max(
            place for place, one in enumerate(done) if one.type.endswith("list_open") and one.level == token.level
        )
        within = done[opening + 1 : -1]
        if all(one.type in {"list_item_open", "list_item_close"} for one in within):
            markers = " ".join(one.info + one.markup for one in within if one.type == "list_item_open")
            done[opening:] = [
                Token("paragraph_open", "p", 1, block=True),
                Token("inline", "", 0, children=[Token("text", "", 0, content=markers)]),
                Token("paragraph_close", "p", -1, block=True),
            ]
    return done
