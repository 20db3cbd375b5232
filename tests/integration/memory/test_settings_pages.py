"""The settings pages: what they show, what they change, and for whom."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memory import bootstrap
from memory.core.errors import ModelUnreachable
from memory.core.types import Completion
from memory.models import (
    ActRecord,
    EditRecord,
    Membership,
    Session,
    Space,
    SpaceInvitation,
    TokenRecord,
    TripleRecord,
    Turn,
)
from memory.services import space_create, space_maintain
from memory.services.members import member_add
from memory.services.tokens import token_account, token_make
from tests.fakes.engines import engine_of
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough phrase"
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def browser(ana) -> Client:
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def ben(db) -> User:
    return User.objects.create_user("ben")


@pytest.fixture
def bens(ben) -> Client:
    client = Client()
    client.force_login(ben)
    return client


class OneAnswer:
    """A model that gives one answer, in two pieces where it is streamed."""

    name = "http:test"

    def __init__(self, outcome: Completion | Exception) -> None:
        self.outcome = outcome

    def complete_many(self, prompts, *, config):
        return [self.outcome for _ in prompts]

    def stream(self, prompt, *, config):
        yield self.outcome.text[:1]
        yield self.outcome.text[1:]


def use_model(monkeypatch, outcome: Completion | Exception) -> None:
    made = engine_of(None, name="http:test", language_model=OneAnswer(outcome))
    monkeypatch.setattr(bootstrap, "engine", lambda name="": made)


def test_settings_name_the_engines_and_the_default(browser, settings):
    settings.DSMART_EXTRA_ENGINES = ["http:tiny"]
    page = browser.get(reverse("settings")).content.decode()
    assert "<code>builtin</code> <span" in page and "<code>http:tiny</code></span>" in page
    assert page.count(">default</span>") == 1


def test_settings_cost_a_constant_number_of_queries(browser, ana, django_assert_max_num_queries):
    space_create(name="One", owner=ana)
    with django_assert_max_num_queries(8):
        browser.get(reverse("settings"))
    for number in range(20):
        space_create(name=f"Space {number}", owner=ana)
    with django_assert_max_num_queries(8):
        browser.get(reverse("settings"))


def test_engine_test_shows_the_answer_and_its_time(browser, monkeypatch):
    use_model(monkeypatch, Completion(text="ready"))
    page = browser.post(reverse("engine-test"), {"engine": "builtin"}, **HTMX).content.decode()
    assert "Answers, in 0.0" in page and "ready" in page


def test_engine_test_shows_the_one_line_error(browser, monkeypatch):
    use_model(monkeypatch, ModelUnreachable("No server answers at http://127.0.0.1:8000/v1. Start it."))
    page = browser.post(reverse("engine-test"), {"engine": "builtin"}, **HTMX).content.decode()
    assert "No server answers at http://127.0.0.1:8000/v1. Start it." in page and "Answers, in" not in page


def test_engine_test_proves_the_built_in_engine_without_a_model(browser, extractor):
    page = browser.post(reverse("engine-test"), {"engine": "builtin"}, **HTMX).content.decode()
    assert "read 1 fact in" in page and extractor.seen == ["I live in Paris."]


def test_engine_test_refuses_what_is_not_configured(browser):
    page = browser.post(reverse("engine-test"), {"engine": "transformers:/etc/passwd"}, **HTMX).content.decode()
    assert "There is no engine of that name." in page


def test_profile_changes_the_name_in_dialogue(browser, ana):
    browser.post(reverse("profile"), {"first_name": "Anna", "last_name": "Souza"})
    assert "<strong>Anna Souza</strong>" in browser.get(reverse("settings")).content.decode()


def test_profile_refuses_what_is_too_long_and_keeps_the_name(browser, ana):
    answer = browser.post(reverse("profile"), {"first_name": "x" * 500, "last_name": ""})
    assert answer.status_code == 422 and "at most 150 characters" in answer.content.decode()
    assert "called <strong>Ana</strong>" in answer.content.decode()


def test_first_password_is_set_and_later_ones_ask_for_the_old(browser, ana):
    new = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    browser.post(reverse("password"), new)
    ana.refresh_from_db()
    assert ana.check_password(PASSWORD)
    assert browser.get(reverse("settings")).status_code == 200, "the browser stays signed in"
    other = {"new_password1": "another long phrase", "new_password2": "another long phrase"}
    assert browser.post(reverse("password"), other).status_code == 422
    browser.post(reverse("password"), {**other, "old_password": PASSWORD})
    ana.refresh_from_db()
    assert ana.check_password("another long phrase")


@pytest.mark.parametrize("chosen", [False, True])
def test_tokens_end_with_a_new_password_where_their_owner_so_chooses(browser, ana, chosen):
    page = browser.get(reverse("settings")).content.decode()
    assert 'name="end_tokens"' not in page
    other = User.objects.create_user("ben")
    kept, (one, two) = token_make(user=other), (token_make(user=ana), token_make(user=ana))
    page = browser.get(reverse("settings")).content.decode()
    assert "Also end my 2 API tokens, so that programs which use them are refused" in page
    weak = {"new_password1": "short", "new_password2": "short", "end_tokens": "on"}
    assert browser.post(reverse("password"), weak).status_code == 422
    assert token_account(one) and token_account(two)
    sent = {"new_password1": PASSWORD, "new_password2": PASSWORD, **({"end_tokens": "on"} if chosen else {})}
    said = browser.post(reverse("password"), sent, follow=True).content.decode()
    assert ("Other browsers were signed out. 2 API tokens were ended." in said) is chosen
    assert [token_account(token) is None for token in (one, two, kept)] == [chosen, chosen, False]
    ended = ActRecord.objects.filter(kind=ActRecord.Kind.TOKEN_REVOKED, actor=ana).count()
    assert ended == (2 if chosen else 0)


def test_weak_password_is_refused_with_the_reason(browser, ana):
    answer = browser.post(reverse("password"), {"new_password1": "short", "new_password2": "short"})
    assert answer.status_code == 422 and "at least 12 characters" in answer.content.decode()
    ana.refresh_from_db()
    assert not ana.has_usable_password()


NEW_TOKEN = {"name": "Script", "scope": "read", "lifetime": 90}


def api_status(token: str) -> int:
    return Client().get(reverse("api-spaces"), HTTP_AUTHORIZATION=f"Token {token}").status_code


def token_in(page: str) -> str:
    return page.split('id="fresh-token">')[1].split("<")[0]


def test_token_is_shown_once_works_and_is_not_stored(browser, ana):
    token = token_in(browser.post(reverse("token"), NEW_TOKEN).content.decode())
    assert api_status(token) == 200
    assert token not in browser.get(reverse("settings")).content.decode()
    stored = TokenRecord.objects.get(user=ana).digest
    assert stored not in token and api_status(stored) == 401


def test_tokens_are_several_listed_with_their_use_and_revoked_one_by_one(browser, bens, ana, space):
    first = token_in(browser.post(reverse("token"), NEW_TOKEN).content.decode())
    bound = {**NEW_TOKEN, "name": "Notes", "scope": "admin", "space": space.pk, "lifetime": 0}
    second = token_in(browser.post(reverse("token"), bound).content.decode())
    assert (api_status(first), api_status(second)) == (200, 200)
    page = " ".join(browser.get(reverse("settings")).content.decode().split())
    assert "Script <span" in page and "manage in Ana&#x27;s memory; until it is revoked; last used on" in page
    notes = TokenRecord.objects.get(name="Notes")
    assert bens.post(reverse("token-revoke", args=[notes.pk])).status_code == 404
    browser.post(reverse("token-revoke", args=[notes.pk]))
    assert (api_status(first), api_status(second)) == (200, 401)
    kinds = ActRecord.objects.filter(actor=ana).order_by("pk").values_list("kind", "space_id", "words")
    until = TokenRecord.objects.get().expires_at
    assert list(kinds)[-3:] == [
        ("token_made", None, f"Script: read, until {until:%Y-%m-%d}"),
        ("token_made", space.pk, "Notes: read, write and manage"),
        ("token_revoked", space.pk, "Notes: read, write and manage"),
    ]


@pytest.mark.parametrize("wrong", [{"name": " "}, {"scope": "all"}, {"lifetime": "-1"}, {"space": "other"}])
def test_token_form_refuses_what_it_does_not_offer(browser, bens, ben, wrong):
    others = Space.objects.create(name="Ben's")
    others.memberships.create(user=ben)
    given = {**NEW_TOKEN, **{key: others.pk if value == "other" else value for key, value in wrong.items()}}
    assert browser.post(reverse("token"), given).status_code == 422
    assert not TokenRecord.objects.exists()


def test_person_has_a_bounded_number_of_tokens(browser, ana, monkeypatch):
    monkeypatch.setattr("memory.services.tokens.TOKENS_A_PERSON", 1)
    browser.post(reverse("token"), NEW_TOKEN)
    page = browser.post(reverse("token"), NEW_TOKEN, follow=True).content.decode()
    assert "1 tokens is the most that a person may have." in page and TokenRecord.objects.count() == 1


def test_space_is_made_renamed_and_listed(browser, ana):
    browser.post(reverse("space-new"), {"name": "Team <b>"})
    space = Space.objects.get()
    assert Membership.objects.get(space=space, user=ana).role == Membership.Role.OWNER
    assert "Team &lt;b&gt;" in browser.get(reverse("settings")).content.decode()
    browser.post(reverse("space-rename", args=[space.pk]), {"name": "Crew"})
    space.refresh_from_db()
    assert space.name == "Crew"
    assert browser.post(reverse("space-new"), {"name": " "}).status_code == 422


def invited(space: Space, username: str) -> SpaceInvitation:
    return SpaceInvitation.objects.get(space=space, username=username)


def test_owner_invites_a_member_who_accepts_and_is_removed(browser, bens, space, ben):
    page = reverse("space-settings", args=[space.pk])
    browser.post(reverse("member-new", args=[space.pk]), {"username": "ben"})
    assert bens.get(page).status_code == 404
    assert "invites you" in bens.get(reverse("settings")).content.decode()
    answer = bens.post(reverse("invitation-accept", args=[invited(space, "ben").pk]), follow=True)
    assert answer.redirect_chain == [(page, 302)] and bens.get(page).status_code == 200
    assert not SpaceInvitation.objects.exists() and "invites you" not in bens.get(reverse("settings")).content.decode()
    again = browser.post(reverse("member-new", args=[space.pk]), {"username": "ben"})
    assert again.status_code == 422 and "ben is a member already." in again.content.decode()
    browser.post(reverse("member-remove", args=[space.pk, ben.pk]))
    assert bens.get(page).status_code == 404


def test_removing_and_leaving_ask_first_and_say_what_becomes_of_the_conversations(browser, bens, space, ana, ben):
    member_add(space=space, user=ben)
    asked = re.compile(r'<details class="inplace">.*?</details>', re.DOTALL)
    for reader, act, told in (
        (browser, "Remove ben", "They lose this memory"),
        (bens, "Leave", "You lose this memory"),
    ):
        page = reader.get(reverse("space-settings", args=[space.pk])).content.decode()
        removal = reverse("member-remove", args=[space.pk, ben.pk])
        (question,) = [part for part in asked.findall(page) if removal in part]
        assert told in question and "can no longer open" in question and act in question.partition("<form")[2]
        assert removal not in asked.sub("", page)


def test_invitation_does_not_tell_which_names_exist(browser, bens, space, ben, django_assert_num_queries):
    """The answer, the page, the queries and the rows are the same for a name of an account and for one of nobody."""
    seen, asked = [], []
    for name in ("ben", "nob"):
        with CaptureQueriesContext(connection) as queries:
            answer = browser.post(reverse("member-new", args=[space.pk]), {"username": name}, follow=True)
        page = re.sub(
            r"csrfmiddlewaretoken[^>]*>|x-csrftoken[^}]*}|<time.*?</time>|/invited/\d+/", "", answer.content.decode()
        )
        seen.append((answer.status_code, page.replace(name, "NAME")))
        asked.append([re.sub(r"'[^']*'|\d+|\$\d+", "?", query["sql"]) for query in queries])
        invited(space, name).delete()
    assert seen[0] == seen[1] and "If there is an account NAME" in seen[0][1]
    assert asked[0] == asked[1] and not any('where "auth_user"."username"' in sql.lower() for sql in asked[0])


def test_declined_invitation_is_not_told_and_not_made_again(browser, bens, space, ben):
    page = reverse("space-settings", args=[space.pk])
    browser.post(reverse("member-new", args=[space.pk]), {"username": "ben"})
    bens.post(reverse("invitation-decline", args=[invited(space, "ben").pk]))
    assert 'ben <span class="meta">waits until' in browser.get(page).content.decode()
    browser.post(reverse("member-new", args=[space.pk]), {"username": "ben"})
    assert "invites you" not in bens.get(reverse("settings")).content.decode()
    assert bens.post(reverse("invitation-accept", args=[invited(space, "ben").pk])).status_code == 404
    browser.post(reverse("member-uninvite", args=[space.pk, invited(space, "ben").pk]))
    assert "waits until" not in browser.get(page).content.decode()


def test_invitation_that_ran_out_or_is_another_persons_is_not_found(browser, bens, space, ben):
    for name, ends in (("ben", timedelta(seconds=-1)), ("cleo", timedelta(days=1))):
        row = SpaceInvitation.objects.create(space=space, username=name, expires_at=timezone.now() + ends)
        for act in ("invitation-accept", "invitation-decline"):
            assert bens.post(reverse(act, args=[row.pk])).status_code == 404
    assert bens.post(reverse("member-uninvite", args=[space.pk, row.pk])).status_code == 404
    assert (
        not space.memberships.filter(user=ben).exists()
        and "Invited" in browser.get(reverse("space-settings", args=[space.pk])).content.decode()
    )


def test_no_more_invitations_wait_than_a_hundred(browser, space):
    until = timezone.now() + timedelta(days=1)
    SpaceInvitation.objects.bulk_create(
        SpaceInvitation(space=space, username=f"n{number}", expires_at=until) for number in range(100)
    )
    refused = browser.post(reverse("member-new", args=[space.pk]), {"username": "one-more"})
    assert refused.status_code == 422 and "100 invitations wait already." in refused.content.decode()
    assert browser.post(reverse("member-new", args=[space.pk]), {"username": "n7"}).status_code == 302


def test_member_reads_and_leaves_but_changes_nothing(bens, space, ana, ben):
    member_add(space=space, user=ben)
    forms = {"space-rename": {"name": "x"}, "member-new": {"username": "ana"}, "space-forget": {"name": space.name}}
    for name, form in forms.items():
        assert bens.post(reverse(name, args=[space.pk]), form).status_code == 403
    assert bens.post(reverse("member-remove", args=[space.pk, ana.pk])).status_code == 403
    assert "Forget everything" not in bens.get(reverse("space-settings", args=[space.pk])).content.decode()
    bens.post(reverse("member-remove", args=[space.pk, ben.pk]))
    assert list(space.memberships.values_list("user__username", flat=True)) == ["ana"]


def test_last_owner_stays(browser, space, ana):
    browser.post(reverse("member-remove", args=[space.pk, ana.pk]))
    assert space.memberships.get().user == ana
    assert "A memory needs an owner." in browser.get(reverse("space-settings", args=[space.pk])).content.decode()


def test_forgetting_asks_for_the_name_says_what_goes_and_takes_it_all(browser, space, extractor):
    say(new_session(space), "I live in Paris.", "I live in Lyon.")
    space_maintain(space_id=space.pk)
    page = browser.get(reverse("space-settings", args=[space.pk])).content.decode()
    assert "1 fact, 1 replaced one" in page and "4 sentences with their search index" in page
    refused = browser.post(reverse("space-forget", args=[space.pk]), {"name": "something else"})
    assert refused.status_code == 422 and "Nothing was forgotten." in refused.content.decode()
    assert TripleRecord.objects.count() == 2
    browser.post(reverse("space-forget", args=[space.pk]), {"name": space.name})
    assert not any(model.objects.exists() for model in (Space, Session, Turn, TripleRecord))


@pytest.mark.django_db(transaction=True)
async def test_export_is_one_whole_json_document(ana, space, extractor, monkeypatch):
    monkeypatch.setattr("memory.services.space_json.PAGE", 5)

    def fill() -> None:
        say(new_session(space), *[f"I live in Town{number}." for number in range(12)])
        space_maintain(space_id=space.pk)

    await sync_to_async(fill)()
    client = AsyncClient()
    await client.aforce_login(ana)
    answer = await client.get(reverse("space-export", args=[space.pk]))
    assert answer["Content-Disposition"] == 'attachment; filename="anas-memory.json"'
    assert answer["Cache-Control"] == "private, no-store"
    document = json.loads(b"".join([piece async for piece in answer.streaming_content]))
    await sync_to_async(connections.close_all)()
    counts = {name: len(document[name]) for name in ("sessions", "turns", "triples", "conflicts")}
    assert counts == {"sessions": 1, "turns": 24, "triples": 12, "conflicts": 11}
    assert document["triples"][0]["sentence"] == "I live in Town0."
    assert document["triples"][0]["superseded_by"] == document["triples"][1]["id"]


def test_changes_by_hand_are_listed_with_who_made_them_and_undone_by_any_member(
    browser, bens, space, ben, extractor, django_assert_max_num_queries
):
    member_add(space=space, user=ben)
    say(new_session(space), "I live in Paris.")
    space_maintain(space_id=space.pk)
    assert "Changed by hand" not in browser.get(reverse("space-settings", args=[space.pk])).content.decode()
    for value in ("Lyon", "Nantes", "Brest"):
        fact = TripleRecord.objects.get(superseded_at=None)
        browser.post(reverse("triple-correct", args=[fact.pk]), {"value": value})
    with django_assert_max_num_queries(13):
        page = " ".join(bens.get(reverse("space-settings", args=[space.pk])).content.decode().split())
    newest = EditRecord.objects.latest("pk")
    assert f'{newest.summary} <span class="meta">Ana,&nbsp;' in page
    assert page.count(">Undo</button>") == 3
    answer = bens.post(reverse("edit-undo", args=[newest.pk]), {"back": "space"}, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("space-settings", args=[space.pk])
    page = answer.content.decode()
    assert "; undone " in page and page.count(">Undo</button>") == 2
    assert TripleRecord.objects.get(superseded_at=None).value == "Nantes"


def test_pages_of_another_persons_space_are_not_found(bens, space, ben):
    spaces = [("space-settings", []), ("space-export", [])]
    changes = [("space-rename", []), ("member-new", []), ("space-forget", []), ("member-remove", [ben.pk])]
    assert [bens.get(reverse(name, args=[space.pk, *more])).status_code for name, more in spaces] == [404] * 2
    assert [bens.post(reverse(name, args=[space.pk, *more])).status_code for name, more in changes] == [404] * 4
    assert Space.objects.filter(pk=space.pk).exists()


def test_every_change_needs_the_form_token(ana, space):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ana)
    names = [
        "profile",
        "password",
        "token",
        "engine-test",
        "space-new",
        "engine-new",
        "engine-models-new",
    ]
    paths = [reverse(name) for name in names]
    paths += [
        reverse(name, args=[space.pk]) for name in ("space-rename", "member-new", "space-forget", "space-engines")
    ]
    paths.append(reverse("member-remove", args=[space.pk, ana.pk]))
    assert [strict.post(path, {"name": space.name}).status_code for path in paths] == [403] * len(paths)
    assert Space.objects.filter(pk=space.pk).exists()
