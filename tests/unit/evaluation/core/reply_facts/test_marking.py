"""Sentences are marked where they stand in the rendered reply; its text and its elements stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import markdown
from evaluation.core.reply_facts.checking import Marking, marked, text_of
from tests.hypothesis_profiles import examples


def marking(source: str, sentence: str, *, start: int | None = None, name: str = "1") -> Marking:
    at = source.index(sentence) if start is None else start
    return Marking(
        words=text_of(markdown.render(sentence)),
        before=source[:at],
        opening=f'<u class="{name}">',
        closing="</u>",
        sign=f"<i{name}>",
        below=f"<b{name}>",
    )


def drawn(source: str, *sentences: str) -> str:
    html, lost = marked(
        markdown.render(source), [marking(source, one, name=str(n)) for n, one in enumerate(sentences, 1)]
    )
    assert lost == []
    return html.strip()


@pytest.mark.parametrize(
    ("source", "sentence", "html"),
    [
        (
            "You live in Rome. You sail.",
            "You live in Rome.",
            '<p><u class="1">You live in Rome.</u><i1> You sail.</p><b1>',
        ),
        (
            "You **live in Rome**. You sail.",
            "You **live in Rome**.",
            '<p><u class="1">You </u><strong><u class="1">live in Rome</u><i1></strong>. You sail.</p><b1>',
        ),
        (
            'It is [in *Rome*](https://a.example/x?a=1&b=2 "a > b"). Go.',
            'It is [in *Rome*](https://a.example/x?a=1&b=2 "a > b").',
            '<p><u class="1">It is </u><a href="https://a.example/x?a=1&amp;b=2" title="a &gt; b" rel="noopener '
            'noreferrer nofollow"><u class="1">in </u><em><u class="1">Rome</u></em></a><i1>. Go.</p><b1>',
        ),
        (
            "- You sail.\n- You live in `Rome` & Oslo.\n  - Deeper.",
            "You live in `Rome` & Oslo.",
            '<ul>\n<li>You sail.</li>\n<li><u class="1">You live in </u><code><u class="1">Rome</u></code><u class="1"> '
            "&amp; Oslo.</u><i1>\n<b1><ul>\n<li>Deeper.</li>\n</ul>\n</li>\n</ul>",
        ),
        (
            "# You live\nin Rome. Now.",
            "in Rome.",
            '<h3>You live</h3>\n<p><u class="1">in Rome.</u><i1> Now.</p><b1>',
        ),
        (
            "| a | b |\n|---|---|\n| You live in Rome. | You sail. |",
            "You live in Rome.",
            '<div class="table-scroll"><table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>'
            '<u class="1">You live in Rome.</u><i1><b1></td>\n<td>You sail.</td>\n</tr>\n</tbody>\n</table></div>',
        ),
        (
            "He said:\n“You live\nin Rome.” Fine.",
            "“You live\nin Rome.”",
            '<p>He said:\n<u class="1">“You live\nin Rome.”</u><i1> Fine.</p><b1>',
        ),
    ],
)
def test_sentence_is_marked_where_it_stands(source, sentence, html):
    assert drawn(source, sentence) == html


def test_equal_sentences_are_told_apart_by_what_stands_before_them():
    source = "It is so. It is so. It is so."
    html, lost = marked(markdown.render(source), [marking(source, "It is so.", start=10)])
    assert html.strip() == '<p>It is so. <u class="1">It is so.</u><i1> It is so.</p><b1>' and not lost


def test_several_sentences_of_a_paragraph_are_explained_below_it_in_their_order():
    assert drawn("A is b. C is d.\n\nEnd.", "A is b.", "C is d.") == (
        '<p><u class="1">A is b.</u><i1> <u class="2">C is d.</u><i2></p><b1><b2>\n<p>End.</p>'
    )


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("```\nYou live in Rome.\n```", "You live in Rome."),
        ("You live in Rome.", "You live in Oslo."),
        ("```\nx = 1\n```\nGo.", "Copy code"),
        ("!!! Rome", "!!!"),
        ("", "Rome is big."),
    ],
)
def test_what_stands_in_code_or_nowhere_is_left_to_the_caller(source, sentence):
    html = markdown.render(source)
    one = Marking(sentence, "", "<u>", "</u>", "<i>", "<b>")
    assert marked(html, [one]) == (html, [one])


def test_sentence_that_is_marked_already_is_not_marked_twice():
    html = markdown.render("You live in Rome.")
    first, second = Marking("You live in Rome.", "", "<u>", "</u>"), Marking("live in Rome.", "", "<s>", "</s>")
    assert marked(html, [first, second]) == ("<p><u>You live in Rome.</u></p>\n", [second])


WORDS = st.sampled_from(
    ["You", "live", "in", "Rome", "**big**", "*so*", "`x < 1`", "[here](https://a.example/?a=1&b=2)", "&amp;", "~~not~~",
     "<b>", "été", "1.", "\n- ", "\n\n", "\n> ", "\n| a | b |\n|---|---|\n| c | d |\n", "\n```\ncode\n```\n", "\n# ", "“yes”"]
)  # fmt: skip


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(WORDS, max_size=30), st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60)), max_size=4))
def test_text_and_elements_stay_whatever_is_marked(words, places):
    source = " ".join(words)
    html = markdown.render(source)
    markings = [
        Marking(
            text_of(markdown.render(source[at : at + length])), source[:at], f"<u{n}>", f"</u{n}>", f"<i{n}>", f"<b{n}>"
        )
        for n, (at, length) in enumerate(places)
    ]
    found, lost = marked(html, markings)
    assert text_of(found) == text_of(html)
    bare = found
    for number, one in enumerate(markings):
        for mark in (one.opening, one.closing, one.sign, one.below):
            bare = bare.replace(mark, "")
        wanted = one not in lost
        assert found.count(one.sign) == found.count(one.below) == wanted, number
        assert (one.opening in found) == wanted and found.count(one.opening) == found.count(one.closing)
    assert bare == html
