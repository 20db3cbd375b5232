"""Markdown of replies: what people write is shown, what could run is not."""

from __future__ import annotations

import pytest

from conversations.markdown import render


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "[click](data:text/html;base64,PHNjcmlwdD4=)",
        "![pixel](https://example.org/seen.png)",
        "<svg/onload=alert(1)>",
        "[a](https://example.org 'x\" onclick=\"alert(1)')",
        "```<b onmouseover=alert(1)>\ncode\n```",
        "</pre><style>body{display:none}</style>",
    ],
)
def test_markdown_that_could_run_or_call_out_is_only_text(text):
    html = render(text)
    for forbidden in ("<script", "<img", "<svg", "<style", 'href="javascript', 'href="data', "<b "):
        assert forbidden not in html
    assert " onclick=" not in html.replace("&quot;", "") or 'title="' in html


def test_markdown_shows_lists_tables_code_and_links():
    html = render(
        "# Plan\n\n1. one\n2. two\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n[x](https://example.org)\n\n```python\nprint(1)\n```"
    )
    assert "<h3>Plan</h3>" in html
    assert "<ol>" in html
    assert '<td align="right">2</td>' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert "data-copy-code" in html and "print(1)" in html


def test_markdown_has_no_style_attribute_for_the_policy_refuses_it():
    assert "style=" not in render("| a |\n|:-:|\n| 1 |")


def test_code_that_looks_like_the_frame_of_code_stays_text():
    html = render("`<pre>` and `</pre>`")
    assert html.count('class="code"') == 0
    assert "&lt;pre&gt;" in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("3.", "<p>3.</p>\n"),
        ("9)", "<p>9)</p>\n"),
        ("-", "<p>-</p>\n"),
        ("You have how many cats?\n\n3.", "<p>You have how many cats?</p>\n<p>3.</p>\n"),
        ("1.\n2.", "<p>1. 2.</p>\n"),
        ("- 3.", "<ul>\n<li>\n<p>3.</p>\n</li>\n</ul>\n"),
        ("1. one\n2.", "<ol>\n<li>one</li>\n<li></li>\n</ol>\n"),
        ("3. three", '<ol start="3">\n<li>three</li>\n</ol>\n'),
    ],
)
def test_markdown_takes_a_marker_without_words_for_text(text, html):
    assert render(text) == html
