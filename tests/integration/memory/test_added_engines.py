"""Engines that people add: who may, who sees them, what is kept of their keys, and how every process finds them."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings as configured
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from memory import bootstrap
from memory.adapters.language_models.request_form import StructuredOutput
from memory.adapters.language_models.scripted import Rule
from memory.adapters.language_models.scripted_server import Fault, ScriptedServer, ServerConfig
from memory.core.errors import ModelRefused, UnknownEngine
from memory.models import EngineRecord, Membership, Space
from memory.services import space_create
from memory.services.added_engines import engine_add, engine_change, engine_remove, engines_offer, key_of
from memory.services.members import member_add, member_remove

pytestmark = pytest.mark.django_db
KEY = "sk-very-secret-0123456789"
FORMED = Rule(when="as the JSON object", reply={"capital": "Paris"})
PLAIN = Rule(reply="Monday, Tuesday and so on.")
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture(autouse=True)
def fresh_engines(settings) -> Iterator[None]:
    settings.DSMART_HTTP_RETRIES = 0
    bootstrap.reset()
    yield
    bootstrap.reset()


@pytest.fixture
def running() -> Iterator[ScriptedServer]:
    config = ServerConfig(models=("tiny", "large"), api_key=KEY)
    with ScriptedServer([FORMED, PLAIN], config=config) as server:
        yield server


@pytest.fixture
def ana(ana: User) -> User:
    ana.is_staff = True
    ana.save()
    return ana


@pytest.fixture
def browser(ana: User) -> Client:
    return client_of(ana)


@pytest.fixture
def ben(db: None) -> User:
    return User.objects.create_user("ben")


@pytest.fixture
def added(ana: User, space: Space, running: ScriptedServer) -> EngineRecord:
    return engine_add(by=ana, name="Tiny", base_url=running.base_url, model="tiny", key=KEY)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def form_of(server: ScriptedServer, **others: str) -> dict[str, str]:
    return {"name": "Tiny", "base_url": server.base_url, "model": "tiny", "key": KEY, **others}


def outcome_of(browser: Client, engine: str) -> str:
    return browser.post(reverse("engine-test"), {"engine": engine}, **HTMX).content.decode()


# Adding and changing.


def test_person_adds_an_engine_and_its_key_is_never_shown_or_stored_in_plain(browser, ana, space, running, caplog):
    caplog.set_level(logging.DEBUG)
    answer = browser.post(reverse("engine-new"), form_of(running), follow=True)
    made = EngineRecord.objects.get()
    assert answer.redirect_chain == [(reverse("engine", args=[made.pk]), 302)]
    assert (made.name, made.base_url, made.model, made.added_by) == ("Tiny", running.base_url, "tiny", ana)
    assert list(made.offered_in.all()) == [space]
    assert KEY not in made.key and key_of(made) == KEY
    pages = [answer.content.decode()]
    pages += [browser.get(reverse("settings")).content.decode(), outcome_of(browser, made.engine)]
    pages += [browser.get(reverse(name, args=[space.pk])).content.decode() for name in ("space-settings",)]
    pages += [browser.get(reverse("api-spaces")).content.decode(), repr(made), str(made), caplog.text]
    assert not any(KEY in page or made.key in page for page in pages)
    assert "A key is kept." in pages[0] and "Answers, in" in pages[2]


def test_refused_form_says_why_and_does_not_repeat_the_key(browser, running):
    answer = browser.post(reverse("engine-new"), form_of(running, base_url="http://me:pw@host/v1", model=""))
    page = answer.content.decode()
    assert answer.status_code == 422 and not EngineRecord.objects.exists()
    assert "a key has a field of its own" in page and "Write which of the server" in page and KEY not in page
    spaced = browser.post(reverse("engine-new"), form_of(running, key="two words")).content.decode()
    assert "A key has no spaces" in spaced


def test_address_of_completions_is_cut_to_the_base(browser, running):
    browser.post(reverse("engine-new"), form_of(running, base_url=f"{running.base_url}/chat/completions/"))
    assert EngineRecord.objects.get().base_url == running.base_url


def test_key_stays_where_it_is_left_empty_goes_where_asked_and_never_to_another_server(browser, added, running):
    page = reverse("engine", args=[added.pk])
    browser.post(page, form_of(running, key="", name="Small"))
    added.refresh_from_db()
    assert (added.name, key_of(added)) == ("Small", KEY)
    elsewhere = browser.post(page, form_of(running, key="", base_url="http://elsewhere.example/v1"))
    assert elsewhere.status_code == 422 and "must not get the old key" in elsewhere.content.decode()
    added.refresh_from_db()
    assert added.base_url == running.base_url
    engine_change(engine=added, name="Small", base_url="http://elsewhere.example/v1", model="tiny")
    assert key_of(added) == ""
    browser.post(page, form_of(running))
    browser.post(page, form_of(running, key="", without_key="on"))
    added.refresh_from_db()
    assert key_of(added) == ""


def test_models_of_the_server_are_offered_with_the_kept_key_to_its_own_server_only(browser, added, running):
    own = reverse("engine-models", args=[added.pk])
    assert "The server has: large, tiny." in browser.post(own, {"base_url": running.base_url}).content.decode()
    with ScriptedServer([PLAIN], config=ServerConfig(models=("open",), api_key="other")) as other:
        assert "No list of models came" in browser.post(own, {"base_url": other.base_url}).content.decode()
    blank = reverse("engine-models-new")
    assert "No list of models came" in browser.post(blank, {"base_url": running.base_url}).content.decode()
    listed = browser.post(blank, {"base_url": running.base_url, "key": KEY}).content.decode()
    assert "large, tiny" in listed and KEY not in listed
    assert "no address of a server" in browser.post(blank, {"base_url": "nonsense"}).content.decode()


# Whose it is.


def test_only_staff_adds_unless_the_setting_lets_everybody(ben, running, settings):
    bens = client_of(ben)
    assert [
        bens.get(reverse("engine-new")).status_code,
        bens.post(reverse("engine-new"), form_of(running)).status_code,
    ] == [403, 403]
    assert bens.post(reverse("engine-models-new"), {"base_url": running.base_url}).status_code == 403
    assert "Add an engine" not in bens.get(reverse("settings")).content.decode()
    settings.DSMART_ADD_ENGINES = "everybody"
    bens.post(reverse("engine-new"), form_of(running))
    assert EngineRecord.objects.get().added_by == ben


def test_anothers_engine_is_not_found(added, ben, settings):
    settings.DSMART_ADD_ENGINES = "everybody"
    bens, theirs = client_of(ben), space_create(name="Ben's", owner=ben)
    assert bens.get(reverse("engine", args=[added.pk])).status_code == 404
    paths = [reverse(name, args=[added.pk]) for name in ("engine", "engine-models", "engine-remove")]
    assert [bens.post(path, {"base_url": added.base_url}).status_code for path in paths] == [404] * 3
    assert bens.post(reverse("space-engines", args=[theirs.pk]), {"engines": [added.pk]}).status_code == 404
    assert "There is no engine of that name." in outcome_of(bens, added.engine)
    assert EngineRecord.objects.filter(pk=added.pk).exists() and not theirs.engines.exists()
    pages = [reverse("settings"), reverse("space-settings", args=[theirs.pk]), reverse("talk")]
    assert not any("Tiny" in bens.get(page).content.decode() for page in pages)


def test_owner_offers_what_is_theirs_or_shared_and_members_only_see_it(browser, ana, added, ben):
    team = space_create(name="Team", owner=ben)
    offer, bens = reverse("space-engines", args=[team.pk]), client_of(ben)
    assert bens.post(offer, {"engines": [added.pk]}).status_code == 404
    engine_change(engine=added, name="Tiny", base_url=added.base_url, model="tiny", is_shared=True)
    assert "Tiny" in bens.get(reverse("space-settings", args=[team.pk])).content.decode()
    bens.post(offer, {"engines": [added.pk]})
    assert list(team.engines.all()) == [added]
    assert "Team" not in browser.get(reverse("settings")).content.decode()
    member = client_of(User.objects.create_user("cleo"))
    assert member.post(offer, {}).status_code == 404
    member_add(space=team, user=User.objects.get(username="cleo"))
    assert member.post(offer, {}).status_code == 403
    assert "<li>Tiny</li>" in member.get(reverse("space-settings", args=[team.pk])).content.decode()
    assert "Answers, in" in outcome_of(member, added.engine)
    engine_change(engine=added, name="Tiny", base_url=added.base_url, model="tiny")
    assert not team.engines.exists() and added.offered_in.exists()


def test_engine_is_offered_at_first_where_its_adder_is_alone(ana, ben, space, running):
    team = space_create(name="Team", owner=ana)
    member_add(space=team, user=ben)
    made = engine_add(by=ana, name="Tiny", base_url=running.base_url, model="tiny")
    assert list(made.offered_in.all()) == [space]


def test_who_leaves_a_memory_takes_their_engines_along(ana, added, space, ben):
    Membership.objects.create(space=space, user=ben, role=Membership.Role.OWNER)
    member_remove(membership=Membership.objects.get(space=space, user=ana))
    assert not space.engines.exists()


def test_forgetting_a_memory_and_closing_an_account_leave_no_engine_behind(ana, added, space):
    space.delete()
    assert EngineRecord.objects.filter(pk=added.pk).exists()
    ana.delete()
    assert not EngineRecord.objects.exists()


# Testing.


def test_test_shows_what_the_model_can(browser, added, running):
    shown = " ".join(outcome_of(browser, added.engine).split())
    assert "Answers, in" in shown and "Streams: first words after" in shown and "it keeps to a schema." in shown
    assert [request.body.get("stream") for request in running.requests] == [False, True]


@pytest.mark.parametrize(
    ("config", "rules", "words"),
    [
        ({"structured_output": StructuredOutput.JSON_OBJECT}, [FORMED, PLAIN], "answers in JSON when told to"),
        ({"structured_output": StructuredOutput.NONE}, [FORMED, PLAIN], "keeps to a schema that it is only shown."),
        ({}, [Rule(when="JSON", reply="It is Paris."), PLAIN], "did not keep to the form that was asked for"),
        ({}, [FORMED, Rule(reply="Monday")], "Does not stream"),
    ],
)
def test_test_tells_a_lesser_model_apart(browser, ana, space, config, rules, words):
    with ScriptedServer(rules, config=ServerConfig(**config)) as server:
        made = engine_add(by=ana, name="Tiny", base_url=server.base_url, model="scripted")
        assert words in outcome_of(browser, made.engine)


def test_test_says_what_is_wrong_and_what_to_do_in_words_of_the_page(browser, added, running, settings):
    def after(**change: str) -> str:
        engine_change(
            engine=added, **{"name": "Tiny", "base_url": running.base_url, "model": "tiny", "key": KEY, **change}
        )
        page = outcome_of(browser, added.engine)
        assert KEY not in page and "DSMART_HTTP_BASE_URL" not in page and "DSMART_ENGINE" not in page
        assert "sk-wrong" not in page
        return page

    place = f'<a href="{reverse("settings")}#engines">Settings &gt; Engines</a>'
    assert f"refused the key. Check its key in {place}." in after(key="sk-wrong")
    assert f"It has: large, tiny. Set its model in {place} to one of them." in after(model="huge")
    assert f"Check its address in {place} (it usually ends in /v1)" in after(base_url=running.base_url + "/v7")
    assert "does not answer (ConnectError)" in after(base_url="http://127.0.0.1:9/v1")
    settings.DSMART_HTTP_TIMEOUT_S = 0.3
    with ScriptedServer([PLAIN], faults=[Fault(hangs_s=2)]) as slow:
        assert "said nothing for 0.3 s" in after(base_url=slow.base_url, model="scripted")
    with ScriptedServer([PLAIN], faults=[Fault(status=302, headers={"Location": running.base_url})]) as moving:
        assert f"sends us on to {running.base_url}" in after(base_url=moving.base_url, model="scripted")


def test_private_addresses_are_refused_where_the_setting_says_so(browser, added, running, settings):
    settings.DSMART_PRIVATE_ADDRESSES = False
    assert "is in a private network" in outcome_of(browser, added.engine)
    assert (
        "No list of models"
        in browser.post(reverse("engine-models", args=[added.pk]), {"base_url": running.base_url}).content.decode()
    )
    assert running.requests == []


def test_key_under_another_secret_is_asked_for_again(browser, added, settings):
    settings.SECRET_KEY = "rotated" * 8
    browser = client_of(added.added_by)
    words = "The key of this engine cannot be read any more"
    assert words in outcome_of(browser, added.engine)
    assert words in browser.get(reverse("engine", args=[added.pk])).content.decode()
    assert browser.get(reverse("settings")).status_code == 200


# Resolving.


def test_client_is_made_once_and_anew_after_a_change(added, running):
    def model():
        return bootstrap.engine(added.engine).language_model

    first = model()
    assert model() is first and first.name == "http:tiny"
    engine_change(engine=added, name="Tiny", base_url=running.base_url, model="large")
    assert (model() is first, model().name) == (False, "http:large")
    assert not any(value is first for value in bootstrap.engines._made.values())


def test_removed_engine_is_no_more_and_its_client_is_dropped(browser, added):
    name, made = added.engine, bootstrap.engine(added.engine).language_model
    browser.post(reverse("engine-remove", args=[added.pk]))
    assert not EngineRecord.objects.exists()
    with pytest.raises(UnknownEngine, match="There is no such engine here"):
        bootstrap.engine(name)
    assert not any(value is made for value in bootstrap.engines._made.values())
    assert (bootstrap.still_served(name), bootstrap.still_served("builtin")) == ("", "builtin")


@pytest.mark.parametrize("name", ["added:", "added:x", "added:-1", "added:99999999999999999999", "added:7"])
def test_name_of_no_row_is_an_unknown_engine(name):
    with pytest.raises(UnknownEngine):
        bootstrap.engine(name)


@pytest.mark.django_db(transaction=True)
def test_another_process_finds_the_engine_its_change_and_its_end(ana, running):
    made = engine_add(by=ana, name="Tiny", base_url=running.base_url, model="tiny", key=KEY)
    asking = """
import os, sys, json, django
django.setup()
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
from memory import bootstrap
from memory.core.types import Message, MessageRole, Prompt, SamplingConfig
for line in sys.stdin:
    try:
        model = bootstrap.engine(line.strip()).language_model
        (outcome,) = model.complete_many([Prompt((Message(MessageRole.USER, "Hello"),))], config=SamplingConfig())
        print(json.dumps([model.name, getattr(outcome, "text", str(outcome))]), flush=True)
    except Exception as error:
        print(json.dumps([type(error).__name__, str(error)]), flush=True)
"""
    worker = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", asking, connection.settings_dict["NAME"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=configured.BASE_DIR,
    )
    assert worker.stdin is not None and worker.stdout is not None

    def told() -> list[str]:
        worker.stdin.write(f"{made.engine}\n")
        worker.stdin.flush()
        return json.loads(worker.stdout.readline())

    try:
        assert told() == ["http:tiny", "Monday, Tuesday and so on."]
        engine_change(engine=made, name="Tiny", base_url=running.base_url, model="large", key="sk-wrong")
        assert told()[1].endswith("refused the key. Check its key in Settings > Engines.")
        name = made.engine
        engine_remove(engine=made)
        made.pk = int(name.removeprefix("added:"))
        assert told() == ["UnknownEngine", bootstrap.GONE]
    finally:
        worker.stdin.close()
        worker.wait(20)


def test_key_that_cannot_be_read_is_a_refusal_and_no_crash(added, settings):
    settings.SECRET_KEY = "rotated" * 8
    with pytest.raises(ModelRefused, match=r"Enter the key again in Settings > Engines\."):
        _ = bootstrap.engine(added.engine).language_model


def test_offering_replaces_what_was_offered(added, space):
    engines_offer(space=space, engines=[])
    assert not space.engines.exists()


# Engines that a command names.


def test_command_may_name_any_engine_with_its_address(running, settings):
    settings.DSMART_EXTRA_ENGINES, settings.DSMART_HTTP_API_KEY = [], KEY
    name = f"http:tiny@{running.base_url}"
    with pytest.raises(UnknownEngine):
        bootstrap.engine(name)
    bootstrap.engine_admit(name)
    model = bootstrap.engine(name).language_model
    assert (model.name, model.models()) == ("http:tiny", None), "the key is for the configured server alone"
    settings.DSMART_HTTP_BASE_URL = running.base_url
    bootstrap.reset()
    bootstrap.engine_admit(name)
    assert bootstrap.engine(name).language_model.models() == ["large", "tiny"]


@pytest.mark.parametrize("name", ["http:", "nonsense", "ftp:model@http://x"])
def test_command_may_name_no_nonsense(name):
    with pytest.raises(UnknownEngine, match="is not the name of an engine"):
        bootstrap.engine_admit(name)
