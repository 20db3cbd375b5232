"""What OpenAI's clients send, read or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.core.client_chat import ClientMessage, Said
from conversations.core.errors import MessageRefused
from conversations.doors.openai.answers import Telling
from conversations.doors.openai.refusals import Refused
from conversations.doors.openai.requests import NOT_HERE, Asked, ChatRequest, asked_in
from memory.core.types import Message, MessageRole, Role, SamplingConfig
from tests.hypothesis_profiles import examples

HELLO = {"role": "user", "content": "Hello"}


def asked(headers: dict[str, str] | None = None, **fields: object):
    body = {"model": "default", "messages": [HELLO], **fields}
    return asked_in(json.dumps(body).encode(), headers or {})


def test_messages_are_instruction_history_and_question():
    found = asked(
        {"X-DSMART-Chat": " c1 ", "X-Stainless-Retry-Count": "1", "X-DSMART-Remember": "No"},
        messages=[
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "I live"}, {"type": "text", "text": "in Paris."}]},
            {"role": "assistant", "content": None},
            {"role": "assistant", "content": "Noted.", "name": "d-smart"},
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": " Where? "},
        ],
    )
    assert found.message == ClientMessage(
        text="Where?",
        history=(Said(Role.USER, "I live\nin Paris."), Said(Role.ASSISTANT, "Noted.")),
        instruction="Be brief.\n\nBe kind.",
        chat="c1",
        is_retry=True,
        is_remembered=False,
    )
    assert found.prompt_messages() == (
        Message(MessageRole.SYSTEM, "Be brief.\n\nBe kind."),
        Message(MessageRole.USER, "I live\nin Paris."),
        Message(MessageRole.ASSISTANT, "Noted."),
        Message(MessageRole.USER, "Where?"),
    )


def test_what_an_earlier_message_holds_besides_words_is_left_out():
    image = {"type": "image_url", "image_url": {"url": "x"}}
    found = asked(
        messages=[
            {"role": "user", "content": [{"type": "text", "text": "Look"}, image, {"type": ["text"]}, None]},
            {"role": "user", "content": [image]},
            {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "1"}], "function_call": {}},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "2"}]},
            {"role": "tool", "content": "42", "tool_call_id": "1"},
            {"role": "function", "content": {"any": "thing"}, "name": "f"},
            {"role": "system", "content": [image, {"type": "text", "text": "Be brief."}]},
            HELLO,
            {"role": "system", "content": "Be kind."},
        ],
    )
    assert found.message == ClientMessage(
        text="Hello",
        history=(Said(Role.USER, "Look"), Said(Role.ASSISTANT, "I look.")),
        instruction="Be brief.\n\nBe kind.",
    )


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["text", "user"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "role"]), inner),
    max_leaves=6,
)
PARTS = st.fixed_dictionaries({}, optional={"type": JSON_VALUES, "text": JSON_VALUES}) | JSON_VALUES
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]) | JSON_VALUES},
    optional={"content": st.text() | st.lists(PARTS, max_size=3) | JSON_VALUES, "tool_calls": JSON_VALUES},
)
BODIES = st.fixed_dictionaries(
    {"model": st.just("default"), "messages": st.lists(MESSAGES | JSON_VALUES, max_size=4) | JSON_VALUES},
    optional={
        name: JSON_VALUES for name in (*NOT_HERE, *ChatRequest.model_fields) if name not in {"model", "messages"}
    },
)


@given(body=BODIES | JSON_VALUES)
@settings(max_examples=examples(2000), deadline=None)
def test_any_json_is_read_or_refused(body):
    found = read_or_refused(json.dumps(body).encode())
    if isinstance(found, Refused):
        assert found.status == 400 and found.message.endswith(".") and json.dumps(found.body)
    else:
        assert found.message.text.strip() and found.prompt_messages()[-1].role is MessageRole.USER


def read_or_refused(body: bytes) -> Asked | Refused:
    try:
        return asked_in(body, {})
    except Refused as refused:
        return refused


def test_open_webuis_id_of_a_chat_is_known():
    assert asked({"X-OpenWebUI-Chat-Id": "c2"}).message == ClientMessage("Hello", chat="c2")


def test_harmless_parameters_are_taken_and_nothing_is_asked_by_nothing():
    found = asked(
        n=1, tools=[], tool_choice="none", logprobs=False, response_format={"type": "text"}, modalities=["text"],
        stop=["x"], presence_penalty=1, store=True, metadata={"a": "b"}, user=None, stream_options=None, seed=3,
        temperature=0, max_completion_tokens=7,
    )  # fmt: skip
    assert found.body.sampling() == SamplingConfig(temperature=0, max_tokens=7, seed=3)
    assert asked().body.sampling() == SamplingConfig()
    assert asked(stream_options={"include_usage": True}).tells_usage


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"n": 2}, "n"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"messages": [{"role": "user"}]}, "messages"),
        ({"messages": [{**HELLO, "role": "function"}]}, "messages[0].role"),
        ({"messages": [HELLO, {"role": "tool", "content": "b", "tool_call_id": "1"}]}, "messages[1].role"),
        ({"messages": [HELLO, {"role": "assistant", "tool_calls": [{}]}]}, "messages"),
        ({"messages": [{"role": "system", "content": "Be brief."}]}, "messages"),
        ({"messages": [{**HELLO, "role": "wizard"}]}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": ["text"], "text": "a"}]}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": [{"type": {}, "text": "a"}]}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": {"type": "text"}}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": [HELLO, 5]}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": [{}]}]}, "messages[0].content[0].type"),
        ({"messages": [5]}, "messages"),
        ({"model": ""}, "model"),
        ({"model": None}, "model"),
        ({"stream": "perhaps"}, "stream"),
        ({"max_tokens": 0}, "max_tokens"),
    ],
)
def test_what_cannot_be_done_is_named(fields, param):
    with pytest.raises(Refused) as raised:
        asked(**fields)
    assert (raised.value.status, raised.value.param) == (400, param)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"messages": []},
            "'messages' has to be a list of one message or more, each with a role (system, developer, user, assistant, "
            "tool or function), and with words or parts as content.",
        ),
        ({"temperature": 7}, "'temperature' has to be a number from 0 to 2."),
        ({"stream_options": 1}, "'stream_options' has to be an object such as {\"include_usage\": true}."),
        ({"seed": "x"}, "'seed' has to be a whole number."),
    ],
)
def test_wrong_value_is_refused_with_what_it_has_to_be(fields, said):
    with pytest.raises(Refused) as raised:
        asked(**fields)
    assert str(raised.value) == said


def test_each_parameter_says_what_it_has_to_be():
    assert [name for name, field in ChatRequest.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("text", ["### Task:\nName this.", "  ### Task:\n"])
def test_task_of_a_program_is_told_by_its_mark(text):
    assert asked(messages=[{"role": "user", "content": text}]).is_task


def test_question_about_a_task_is_a_persons():
    assert not asked(messages=[{"role": "user", "content": "What does ### Task: mean?"}]).is_task


def test_reply_that_begins_anew_goes_on_where_it_was():
    telling = Telling()
    assert [telling.more("You "), telling.more("live ")] == ["You ", "live "]
    telling.said = ""
    assert [telling.more("You"), telling.more(" live in"), telling.more(" Paris")] == ["", "in", " Paris"]


def test_reply_that_begins_anew_in_other_words_is_refused():
    telling = Telling()
    telling.more("You live")
    telling.said = ""
    with pytest.raises(MessageRefused, match="began this reply anew"):
        telling.more("I think")
