"""An import that is killed leaves nothing to be seen, and begins anew."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from memory.adapters.wakeups import wait_until
from memory.models import KnowledgeBaseRecord, KnowledgeNameRecord, KnowledgeTripleRecord
from memory.services import space_create, space_forget
from memory.services.advisory_locks import advisory_lock
from memory.services.knowledge.importing import LOCK_BASE
from memory.stores import SpaceKnowledge
from tests.integration.memory.knowledge import BOOKS, base_of
from tests.product import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

IMPORT = """
import sys
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from memory.adapters.row_security.scope import EVERYTHING, enter
enter(EVERYTHING)
from django.core.management import call_command
call_command("import_knowledge", sys.argv[2], space=sys.argv[3], name="Books")
"""
WAIT_S = 60


def is_free(key: int) -> bool:
    with advisory_lock(key) as is_mine:
        return is_mine


def test_killed_import_leaves_nothing_and_begins_anew(tmp_path: Path):
    space = space_create(name="Ana's memory", owner=User.objects.create_user("ana"))
    file = tmp_path / "large.tsv"
    file.write_text("".join(f"thing {number}\tis near\tthing {number + 1}\n" for number in range(400_000)))
    words = [sys.executable, "-c", IMPORT, connection.settings_dict["NAME"], str(file), str(space.pk)]
    process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + WAIT_S
        while not KnowledgeBaseRecord.objects.filter(progress__gt=0).exists():
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.05)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    killed = KnowledgeBaseRecord.objects.get()
    assert killed.state == "importing" and killed.progress < 1
    assert not KnowledgeNameRecord.objects.exists() and not KnowledgeTripleRecord.objects.exists()
    assert SpaceKnowledge(space.pk).candidates(["thing 1"], limit=10) == []
    assert wait_until(lambda: is_free(LOCK_BASE | killed.pk), topic="nothing", within_s=WAIT_S)
    again = base_of(space)
    assert (again.pk, again.state, again.triples) == (killed.pk, "ready", len(BOOKS))
    space_forget(space=space)
    assert not KnowledgeNameRecord.objects.exists() and not KnowledgeTripleRecord.objects.exists()
