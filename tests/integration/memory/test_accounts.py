"""Accounts: the first one, one-time links, passwords, and what stands between a guesser and an account."""

from __future__ import annotations

import threading
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dsmart_web.management.commands import serve
from memory.core.types import Role
from memory.models import AliasRecord, EntityRecord, Space
from memory.services import round_complete, round_open, space_maintain
from memory.services.accounts import (
    LINK_LIFETIME_S,
    AccountRefused,
    account_create,
    account_rename,
    link_redeem,
    link_tokens,
    owner_account,
    sign_in_path,
    speaker_name,
)
from memory.sign_in_limits import FAILURES_A_NAME
from tests.integration.memory.dialogues import START, new_session, say
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough phrase"


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


@pytest.fixture
def browser() -> Client:
    return Client()


def signed_in(browser: Client) -> str | None:
    return browser.session.get("_auth_user_id")


def test_owner_account_is_made_once_and_can_only_sign_in_by_link():
    first = owner_account()
    assert (first.username, first.is_superuser, first.is_staff) == ("owner", True, True)
    assert not first.has_usable_password()
    assert owner_account() == first
    assert User.objects.count() == 1


def test_owner_account_takes_the_oldest_superuser_under_any_name():
    boss = User.objects.create_superuser("boss")
    User.objects.create_superuser("second")
    assert owner_account() == boss


@pytest.mark.django_db(transaction=True)
def test_owner_account_is_one_under_a_race():
    gate, made = threading.Barrier(4), []

    def ask() -> None:
        try:
            gate.wait()
            made.append(owner_account().pk)
        finally:
            connection.close()

    threads = [seeing_thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(made) == 4 and len(set(made)) == 1


def test_link_signs_in_on_the_button_and_not_on_a_preview(browser):
    path = sign_in_path(owner_account())
    for _ in range(3):
        page = browser.get(path)
        assert page.status_code == 200 and "This link works once." in page.content.decode()
    assert signed_in(browser) is None
    answer = browser.post(path)
    assert (answer.status_code, answer.url) == (302, reverse("talk"))
    assert signed_in(browser) == str(owner_account().pk)


def test_link_works_once(browser):
    path = sign_in_path(owner_account())
    browser.post(path)
    other = Client()
    answer = other.post(path)
    assert answer.status_code == 410 and "sign_in_link" in answer.content.decode()
    assert signed_in(other) is None
    assert other.get(path).status_code == 410


def test_link_made_within_a_second_of_a_sign_in_still_works_only_once():
    owner = owner_account()
    moment = timezone.now().replace(microsecond=100)
    User.objects.filter(pk=owner.pk).update(last_login=moment)
    owner.refresh_from_db()
    token = link_tokens.make_token(owner)
    User.objects.filter(pk=owner.pk).update(last_login=moment.replace(microsecond=200))
    owner.refresh_from_db()
    assert not link_tokens.check_token(owner, token)


@pytest.mark.django_db(transaction=True)
def test_link_used_twice_at_once_signs_in_once():
    _, _, uid, token, _ = sign_in_path(owner_account()).split("/")
    gate, who = threading.Barrier(2), []

    def use() -> None:
        try:
            gate.wait()
            who.append(link_redeem(uid=uid, token=token))
        finally:
            connection.close()

    threads = [seeing_thread(target=use) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(user is None for user in who) == [False, True]


def test_link_dies_of_age(monkeypatch):
    owner = owner_account()
    token = link_tokens.make_token(owner)
    now = link_tokens._now
    later = timedelta(seconds=LINK_LIFETIME_S - 60)
    monkeypatch.setattr(link_tokens, "_now", lambda: now() + later)
    assert link_tokens.check_token(owner, token)
    later = timedelta(seconds=LINK_LIFETIME_S + 60)
    assert not link_tokens.check_token(owner, token)


def test_link_dies_with_a_new_password_and_with_the_account(browser):
    owner = owner_account()
    path = sign_in_path(owner)
    owner.set_password(PASSWORD)
    owner.save()
    assert browser.post(path).status_code == 410
    fresh = sign_in_path(owner)
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert browser.post(fresh).status_code == 410


@pytest.mark.parametrize("uid", ["x", "!!!!", "OTk5OTk5", "LTE", "w6k", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5"])
def test_link_of_nobody_is_a_page_and_not_an_error(browser, uid):
    assert browser.get(f"/sign-in/{uid}/abc-def/").status_code == 410
    assert browser.post(f"/sign-in/{uid}/abc-def/").status_code == 410


def test_link_of_one_account_does_not_open_another(browser):
    ana, ben = account_create(username="ana"), account_create(username="ben")
    token = sign_in_path(ana).split("/")[3]
    assert browser.post(sign_in_path(ben).replace(sign_in_path(ben).split("/")[3], token)).status_code == 410


def test_link_and_sign_out_need_the_form_token():
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(sign_in_path(owner_account())).status_code == 403
    strict.force_login(owner_account())
    assert strict.post(reverse("sign-out")).status_code == 403
    assert signed_in(strict)


def test_sign_out_is_by_post_only(browser):
    browser.force_login(owner_account())
    assert browser.get(reverse("sign-out")).status_code == 405
    assert signed_in(browser)
    browser.post(reverse("sign-out"))
    assert signed_in(browser) is None


def test_password_signs_in_and_next_stays_on_this_host(browser):
    account_create(username="ana", password=PASSWORD)
    form = {"username": "ana", "password": PASSWORD}
    away = browser.post(reverse("sign-in"), {**form, "next": "https://evil.example/"})
    assert away.url == reverse("talk")
    browser.post(reverse("sign-out"))
    here = browser.post(reverse("sign-in"), {**form, "next": "/settings/"})
    assert here.url == "/settings/"


def test_sign_in_page_tells_of_the_link_and_never_which_part_was_wrong(browser):
    account_create(username="ana", password=PASSWORD)
    assert "manage.py sign_in_link" in browser.get(reverse("sign-in")).content.decode()
    pages = [
        browser.post(reverse("sign-in"), {"username": name, "password": "wrong"}).content.decode()
        for name in ("ana", "nobody")
    ]
    assert all("No account has this name with this password." in page for page in pages)


def test_guessing_is_stopped_and_others_still_get_in(browser):
    account_create(username="ana", password=PASSWORD)
    for _ in range(FAILURES_A_NAME):
        browser.post(reverse("sign-in"), {"username": "ana", "password": "wrong"})
    refused = browser.post(reverse("sign-in"), {"username": "ANA", "password": "wrong"})
    assert "Too many attempts" in refused.content.decode()
    right = {"username": "ana", "password": PASSWORD}
    assert signed_in(browser) is None
    browser.post(reverse("sign-in"), right)
    assert signed_in(browser) is None
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    elsewhere.post(reverse("sign-in"), right)
    assert signed_in(elsewhere)


def test_guessing_at_the_administrators_door_is_stopped_by_the_same_count(browser):
    boss = User.objects.create_superuser("boss", password=PASSWORD)
    door, right = reverse("admin:login"), {"username": boss.username, "password": PASSWORD}
    for number in range(FAILURES_A_NAME):
        browser.post((door, reverse("sign-in"))[number % 2], {**right, "password": "wrong"})
    refused = browser.post(door, right)
    assert "Too many attempts failed. Wait a quarter of an hour" in refused.content.decode()
    assert signed_in(browser) is None
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert elsewhere.post(door, right).status_code == 302 and signed_in(elsewhere) == str(boss.pk)


def test_administrators_door_is_for_staff(browser):
    account_create(username="ana", password=PASSWORD)
    browser.post(reverse("admin:login"), {"username": "ana", "password": PASSWORD})
    assert signed_in(browser) is None


def test_success_forgets_the_failures_before_it(browser):
    account_create(username="ana", password=PASSWORD)
    for _ in range(3):
        for _ in range(FAILURES_A_NAME - 1):
            browser.post(reverse("sign-in"), {"username": "ana", "password": "wrong"})
        browser.post(reverse("sign-in"), {"username": "ana", "password": PASSWORD})
        assert signed_in(browser)
        browser.post(reverse("sign-out"))


@pytest.mark.parametrize("name", ["x" * 5000, "é" * 150, "' or 1=1 --", ""])
def test_hostile_names_are_refused_politely(browser, name):
    answer = browser.post(reverse("sign-in"), {"username": name, "password": "wrong"})
    assert answer.status_code == 200 and signed_in(browser) is None


def test_pages_want_a_sign_in(browser):
    for name in ("settings", "talk", "api-docs"):
        answer = browser.get(reverse(name))
        assert answer.status_code == 302 and answer.url.startswith(reverse("sign-in"))


def test_command_prints_a_link_that_works(browser):
    out = StringIO()
    call_command("sign_in_link", "--address", "http://here:1/", stdout=out)
    address = out.getvalue().strip()
    assert address.startswith("http://here:1/sign-in/")
    browser.post(address.removeprefix("http://here:1"))
    assert signed_in(browser) == str(owner_account().pk)


def test_command_prints_the_address_at_which_the_product_starts():
    out = StringIO()
    call_command("sign_in_link", stdout=out)
    assert out.getvalue().startswith(f"http://localhost:{serve.PORT}/sign-in/")


def test_command_makes_an_account_only_when_asked():
    with pytest.raises(CommandError, match="--create"):
        call_command("sign_in_link", "--user", "ben", stdout=StringIO())
    call_command("sign_in_link", "--user", "ben", "--create", stdout=StringIO())
    assert not User.objects.get(username="ben").is_superuser
    with pytest.raises(CommandError, match="username"):
        call_command("sign_in_link", "--user", "no spaces allowed", "--create", stdout=StringIO())
    User.objects.filter(username="ben").update(is_active=False)
    with pytest.raises(CommandError, match="switched off"):
        call_command("sign_in_link", "--user", "ben", stdout=StringIO())


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"username": "ana"}, "already"),
        ({"username": "two words"}, "valid username"),
        ({"username": ""}, "blank"),
        ({"username": "ben", "password": "short"}, "too short"),
    ],
)
def test_account_is_refused_with_a_reason(wanted, reason):
    account_create(username="ana")
    with pytest.raises(AccountRefused, match=reason):
        account_create(**wanted)
    assert User.objects.count() == 1


def test_speaker_is_called_by_the_full_name_or_the_account():
    assert speaker_name(User(username="ana")) == "ana"
    assert speaker_name(User(username="ana", first_name=" Ana ", last_name="de  Souza")) == "Ana de Souza"


def test_new_name_is_one_person_with_the_old_in_memory(ana, space, extractor):
    session = new_session(space)
    say(session, "I live in Paris.")
    space_maintain(space_id=space.pk)
    account_rename(user=ana, first_name="Anna", last_name="Souza")
    later = round_open(
        session=session, speaker=speaker_name(ana), role=Role.USER, text="I live in Lyon.", said_at=START
    )
    round_complete(round=later.round)
    space_maintain(space_id=space.pk)
    person = EntityRecord.objects.get(space=space, is_speaker=True)
    assert person.label == "Anna Souza"
    assert set(person.triples.values_list("value", flat=True)) == {"Paris", "Lyon"}


def test_new_name_does_not_take_over_somebody_else(ana, space, extractor):
    say(new_session(space), "I live in Paris.")
    say(new_session(space, key="ben"), "I live in Rome.", speaker="Ben")
    space_maintain(space_id=space.pk)
    account_rename(user=ana, first_name="Ben", last_name="")
    assert set(EntityRecord.objects.filter(is_speaker=True).values_list("label", flat=True)) == {"Ana", "Ben"}


def test_new_name_stays_within_the_persons_spaces(ana, space, extractor):
    foreign = Space.objects.create(name="Elsewhere")
    stranger = EntityRecord.objects.create(space=foreign, label="Ana", is_speaker=True)
    AliasRecord.objects.create(space=foreign, entity=stranger, text="Ana", key="ana")
    account_rename(user=ana, first_name="Anna", last_name="")
    assert EntityRecord.objects.get(space=foreign).label == "Ana"
