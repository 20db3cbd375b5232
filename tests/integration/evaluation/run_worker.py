"""Small players for runs, and a worker process over them that a test may kill."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module

import pytest
from django.db import connection

from conversations import bootstrap as conversation_bootstrap
from conversations.core.types import Delta, Grounds, GroundSentence, Query, ReplyPart
from evaluation.services.runs import run_work
from memory import bootstrap
from memory.core.types import SourceSentence
from memory.models import SentenceRecord
from tests.fakes.engines import small_models
from tests.product import ROOT

SYSTEMS = ("latest", "first", "silent")
BREAK = "Break off."
BROKE_OFF = "Something unexpected went wrong (RuntimeError). The log of the server says what."


class Homes:
    """Answers from the latest, or the first, sentence of a space that tells a home, and rests on it; or says nothing."""

    def __init__(self, name: str, space_id: int, pause_s: float) -> None:
        self.name = name
        self._space = space_id
        self._pause_s = pause_s

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        time.sleep(self._pause_s)
        if query.text == BREAK:
            raise RuntimeError("It broke off.")
        told = SentenceRecord.objects.filter(space=self._space, text__startswith="I live in").select_related("turn")
        found = told.order_by("-turn__said_at" if self.name == "latest" else "turn__said_at").first()
        if self.name == "silent" or found is None or "live" not in query.text:
            yield Delta("I don't know that.")
            return
        turn = found.turn
        source = SourceSentence(found.pk, found.text, turn.speaker, turn.said_at, turn.pk)
        yield Grounds(sentences=(GroundSentence(source, "it tells a home"),))
        yield Delta(f"You live in {found.text.removeprefix('I live in ').rstrip('.')}.")


def small_players(patch: pytest.MonkeyPatch, *, pause_s: float = 0.0) -> None:
    """Let these systems answer, over small providers."""
    # The pages take these names when they are loaded: that must be before they are replaced.
    import_module("dsmart_web.urls")
    small_models(patch)
    patch.setattr(bootstrap, "engine_warm", lambda name="": None)
    patch.setattr(conversation_bootstrap, "responder_names", lambda: list(SYSTEMS))
    patch.setattr(conversation_bootstrap, "responder_check", lambda name, *, engine: None)
    patch.setattr(conversation_bootstrap, "responder", lambda name, *, engine, space_id: Homes(name, space_id, pause_s))


WORKER = """
import sys
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
settings.DSMART_LEASE_S = float(sys.argv[3])
django.setup()
from memory.adapters.row_security.scope import EVERYTHING, enter
enter(EVERYTHING)
from tests.integration.evaluation.run_worker import work
work(int(sys.argv[2]), pause_s=float(sys.argv[4]))
"""


def worker(run_id: int, *, lease_s: float, pause_s: float) -> subprocess.Popen[bytes]:
    """Start a process that plays a run over the tests' database until nothing of it is left for it."""
    words = [connection.settings_dict["NAME"], str(run_id), str(lease_s), str(pause_s)]
    return subprocess.Popen([sys.executable, "-c", WORKER, *words], cwd=ROOT)


def work(run_id: int, *, pause_s: float) -> None:
    small_players(pytest.MonkeyPatch(), pause_s=pause_s)
    while run_work(run_id=run_id):
        pass
