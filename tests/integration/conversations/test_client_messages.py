"""The messages of another program's chat are put where its history ends, and nothing is learnt twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from conversations import bootstrap
from conversations.core.client_chat import ClientMessage, Said
from conversations.core.errors import MessageRefused, TooManyWaiting
from conversations.models import ClientRound, Conversation, Reply, ReplyState
from conversations.services import client_message_post, message_post, reply_run, reply_stop
from conversations.services.client_messages import Posted
from memory.core.types import Role
from memory.models import MaintenanceState, Round, Space, Turn
from memory.services import space_personal
from tests.fakes.engines import WordByWordResponder

pytestmark = pytest.mark.django_db


class Chat:
    """Another program's end of a chat: it keeps what was said, and sends all of it each time."""

    def __init__(self, owner: User, space: Space, *, chat: str = "") -> None:
        self.owner, self.space, self.chat = owner, space, chat
        self.history: list[Said] = []

    def post(self, text: str, *, responder: str = "", **fields: object) -> Posted:
        message = ClientMessage(text, history=tuple(self.history), chat=self.chat, **fields)  # type: ignore[arg-type]
        return client_message_post(owner=self.owner, space=self.space, message=message, responder=responder)

    def say(self, text: str, *, responder: str = "", **fields: object) -> Reply:
        """Send a message, have it answered, and keep both."""
        reply = self.post(text, responder=responder, **fields).reply
        reply_run(reply_id=reply.pk)
        reply.refresh_from_db()
        self.history += [Said(Role.USER, text), Said(Role.ASSISTANT, reply.text)]
        return reply

    def back(self, rounds: int = 1) -> None:
        del self.history[-2 * rounds :]


@pytest.fixture
def chat(ana, answering) -> Chat:
    return Chat(ana, space_personal(user=ana))


@pytest.fixture
def titled(ana, answering) -> Chat:
    """A chat whose program sends its id."""
    return Chat(ana, space_personal(user=ana), chat="chat-1")


def turns(conversation: Conversation) -> list[tuple[str, str]]:
    rows = Turn.objects.filter(session=conversation.session_id).order_by("index")
    return list(rows.values_list("role", "text"))


def learnt(conversation: Conversation) -> list[str]:
    """Return the person's messages that are learnt from, in order."""
    rows = Turn.objects.filter(session=conversation.session_id, role=Role.USER)
    return list(
        rows.exclude(round__maintenance=MaintenanceState.SKIPPED).order_by("index").values_list("text", flat=True)
    )


def test_history_is_kept_up_to_the_length_of_a_message(chat, settings):
    settings.DSMART_MESSAGE_LIMIT = 100
    chat.history = [Said(Role.USER, "Hello."), Said(Role.ASSISTANT, "word " * 100)]
    reply = chat.say("Go on.")
    assert [len(text) for _, text in turns(reply.conversation)][:2] == [6, 100]


def test_continued_chat_continues_its_conversation(chat):
    chat.say("I live in Paris.")
    reply = chat.say("Where do I live?")
    conversation = Conversation.objects.get()
    assert reply.conversation == conversation
    assert turns(conversation) == [
        ("user", "I live in Paris."), ("assistant", "You live in Paris."),
        ("user", "Where do I live?"), ("assistant", "You live in Paris."),
    ]  # fmt: skip
    assert learnt(conversation) == ["I live in Paris.", "Where do I live?"]
    assert ClientRound.objects.filter(is_repeat=True).count() == 0


def test_reply_that_was_laid_out_anew_still_continues(chat):
    chat.say("I live in Paris.")
    chat.history[-1] = Said(Role.ASSISTANT, "**You** live in Paris.\n")
    chat.say("Where do I live?")
    assert Conversation.objects.count() == 1


def test_same_request_at_a_time_gives_one_reply(chat):
    first = chat.post("I live in Paris.")
    assert chat.post("I live in Paris.") == first
    assert (Reply.objects.count(), Round.objects.count()) == (1, 1)


def test_retry_of_an_answered_request_gives_its_reply(chat):
    reply = chat.say("I live in Paris.")
    chat.back()
    assert chat.post("I live in Paris.", is_retry=True).reply == reply
    assert Reply.objects.count() == 1


@pytest.mark.parametrize("is_titled", [False, True], ids=["no id", "its id"])
def test_regenerated_message_is_answered_anew_in_its_place(chat, titled, is_titled):
    used = titled if is_titled else chat
    used.say("I live in Paris.")
    first = used.say("Where do I live?")
    used.back()
    second = used.say("Where do I live?")
    assert second.round.index == first.round.index and second != first
    assert [text for role, text in turns(Conversation.objects.get()) if role == "user"] == [
        "I live in Paris.", "Where do I live?",
    ]  # fmt: skip
    assert [one.replies.get().pk for one in Round.objects.order_by("index")][1:] == [second.pk]
    used.say("And where do I work?")
    assert Conversation.objects.count() == 1


def test_edited_last_message_takes_the_place_of_the_first(chat):
    chat.say("Hello")
    chat.say("I live in Pariss.")
    chat.back()
    chat.say("I live in Paris.")
    assert learnt(Conversation.objects.get()) == ["Hello", "I live in Paris."]
    chat.say("Where do I live?")
    assert Conversation.objects.count() == 1


def test_edited_first_message_is_known_by_the_id_of_the_chat(titled):
    titled.say("I live in Pariss.")
    titled.back()
    titled.say("I live in Paris.")
    assert learnt(Conversation.objects.get()) == ["I live in Paris."]


def test_first_message_of_another_chat_begins_another_conversation(chat):
    chat.say("I live in Paris.")
    chat.back()
    chat.say("I live in Lyon.")
    assert [learnt(one) for one in Conversation.objects.order_by("pk")] == [["I live in Paris."], ["I live in Lyon."]]


def test_same_first_message_later_is_another_chat_and_learnt_again(chat):
    chat.say("I live in Paris.")
    ClientRound.objects.update(created_at=ClientRound.objects.get().created_at - timedelta(hours=1))
    chat.back()
    chat.say("I live in Paris.")
    assert [learnt(one) for one in Conversation.objects.order_by("pk")] == [["I live in Paris."], ["I live in Paris."]]


def test_history_that_parts_begins_a_conversation_which_is_shown_it(chat):
    chat.say("I live in Paris.")
    chat.say("I work for Airbus.")
    chat.say("Where do I live?")
    chat.back(2)
    chat.say("I work for Boeing.")
    first, second = Conversation.objects.order_by("pk")
    assert turns(second) == [
        ("user", "I live in Paris."), ("assistant", "You live in Paris."),
        ("user", "I work for Boeing."), ("assistant", "You live in Paris."),
    ]  # fmt: skip
    assert learnt(first) == ["I live in Paris.", "I work for Airbus.", "Where do I live?"]
    assert learnt(second) == ["I work for Boeing."]
    chat.say("Where do I work?")
    assert learnt(second) == ["I work for Boeing.", "Where do I work?"]


def test_earlier_message_answered_anew_is_not_learnt_again(chat):
    chat.say("Hello")
    chat.say("I work for Airbus.")
    chat.say("Where do I live?")
    chat.back(2)
    chat.say("I work for Airbus.")
    second = Conversation.objects.latest("pk")
    assert learnt(second) == []
    chat.back()
    chat.say("I work for Airbus.")
    assert learnt(second) == [], "answering it anew does not make it new"


def test_changed_answer_begins_another_conversation(chat):
    chat.say("I live in Paris.")
    chat.history[-1] = Said(Role.ASSISTANT, "You live on the moon.")
    chat.say("Where do I live?")
    second = Conversation.objects.latest("pk")
    assert Conversation.objects.count() == 2
    assert turns(second)[1] == ("assistant", "You live on the moon.")
    assert Turn.objects.get(text="You live on the moon.").is_generated


def test_history_from_elsewhere_is_shown_and_not_learnt(chat):
    chat.history = [Said(Role.ASSISTANT, "Welcome"), Said(Role.USER, "I live in Oslo."), Said(Role.ASSISTANT, "Nice.")]
    chat.say("Where do I live?")
    conversation = Conversation.objects.get()
    assert [text for _, text in turns(conversation)] == [
        "Welcome", "I live in Oslo.", "Nice.", "Where do I live?", "You live in Paris.",
    ]  # fmt: skip
    assert learnt(conversation) == ["Where do I live?"]


def test_two_models_asked_at_once_learn_once(chat):
    chat.post("I live in Paris.", responder="graph")
    chat.post("I live in Paris.", responder="d_smart")
    first, second = Conversation.objects.order_by("pk")
    assert (first.responder, second.responder) == ("graph", "d_smart")
    assert (learnt(first), learnt(second)) == (["I live in Paris."], [])


def test_each_of_two_models_goes_on_with_its_own_answer(chat, answering):
    first = Chat(chat.owner, chat.space)
    answering(WordByWordResponder("One answer"))
    first.say("Hello", responder="graph")
    answering(WordByWordResponder("Another answer"))
    chat.say("Hello", responder="d_smart")
    first.say("I work for Airbus.", responder="graph")
    chat.say("I work for Airbus.", responder="d_smart")
    conversations = list(Conversation.objects.order_by("pk"))
    assert [learnt(one) for one in conversations] == [["Hello", "I work for Airbus."], []]
    assert [one.responder for one in conversations] == ["graph", "d_smart"]


def test_another_model_goes_on_with_the_chat(chat):
    chat.say("I live in Paris.", responder="graph")
    reply = chat.say("Where do I live?", responder="d_smart")
    assert Conversation.objects.get().responder == reply.responder == "d_smart"


def test_question_at_the_same_time_as_another_takes_nothing_back(chat):
    chat.say("Hello")
    chat.post("I live in Paris.")
    chat.post("I work for Airbus.")
    assert sorted(text for one in Conversation.objects.all() for text in learnt(one)) == [
        "Hello", "I live in Paris.", "I work for Airbus.",
    ]  # fmt: skip


def test_message_waits_for_the_end_of_a_reply_that_is_being_stopped(chat):
    chat.say("Hello")
    reply = chat.post("I live in Paris.").reply
    Reply.objects.filter(pk=reply.pk).update(state=ReplyState.RUNNING, stop_requested=True)
    assert chat.post("I live in Lyon.") == Posted(reply, is_ending=True)
    Reply.objects.filter(pk=reply.pk).update(state=ReplyState.STOPPED)
    assert not chat.post("I live in Lyon.").is_ending
    assert learnt(Conversation.objects.get()) == ["Hello", "I live in Lyon."]


def test_chat_goes_on_after_a_part_of_a_stopped_reply(chat):
    reply = chat.post("I live in Paris.").reply
    reply_stop(reply=reply)
    chat.history = [Said(Role.USER, "I live in Paris."), Said(Role.ASSISTANT, "You l")]
    chat.say("Go on")
    assert learnt(Conversation.objects.get()) == ["I live in Paris.", "Go on"]


def test_conversation_that_went_on_in_the_browser_is_left_alone(chat):
    first = chat.say("Hello")
    browser = message_post(conversation=first.conversation, text="I live in Paris.")
    reply_run(reply_id=browser.pk)
    chat.say("I work for Airbus.")
    assert [learnt(one) for one in Conversation.objects.order_by("pk")] == [
        ["Hello", "I live in Paris."], ["I work for Airbus."],
    ]  # fmt: skip


def test_chats_of_two_people_and_of_two_spaces_never_meet(chat, ana):
    ben = User.objects.create_user("ben")
    mine = chat.say("Hello").conversation
    team = Space.objects.create(name="Team")
    others = [
        Chat(ben, space_personal(user=ben)).say("Hello").conversation,
        Chat(ana, team).say("Hello").conversation,
        Chat(ben, chat.space).say("Hello").conversation,
    ]
    assert len({one.pk for one in [mine, *others]}) == 4
    assert [learnt(one) for one in others] == [["Hello"]] * 3


def test_chat_that_is_not_remembered_is_one_of_its_own(chat):
    chat.say("Hello", is_remembered=False)
    chat.back()
    chat.say("Hello")
    first, second = Conversation.objects.order_by("pk")
    assert (first.session.is_remembered, second.session.is_remembered) == (False, True)
    assert (learnt(first), learnt(second)) == ([], ["Hello"])


def test_instruction_is_kept_with_the_reply_alone(chat, answering, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(bootstrap, "instructed", lambda responder, text: asked.append(text) or responder)
    reply = chat.say("Hello", instruction="Answer in French.")
    assert (reply.instruction, asked) == ("Answer in French.", ["Answer in French."])
    assert not Turn.objects.filter(text__contains="French").exists()
    assert chat.say("And now?").instruction == ""


def test_message_that_cannot_be_taken_leaves_nothing(chat, settings):
    for text in ("  ", "x" * (settings.DSMART_MESSAGE_LIMIT + 1)):
        with pytest.raises(MessageRefused):
            chat.post(text)
    settings.DSMART_WAITING_MESSAGES = 1
    chat.post("Hello")
    with pytest.raises(TooManyWaiting):
        chat.post("I live in Paris.")
    assert (Conversation.objects.count(), Round.objects.count(), ClientRound.objects.count()) == (1, 1, 1)
