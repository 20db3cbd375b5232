"""What commands import before they do anything: it is what each of them waits for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NEVER = {"torch", "transformers", "spacy", "sentence_transformers", "scipy", "owlready2", "networkx", "onnxruntime"}
LATER = {"rdflib", "httpx", "tokenizers", "penman", "redis"}
OTHERS = {"memory.admin", "memory.forms", "celery.apps.worker", "conversations.services", "evaluation.services.scores"}
AFTER = """
import atexit, sys
atexit.register(lambda: sys.stderr.write("imported " + " ".join(sorted(sys.modules))))
sys.argv = ["manage.py", *sys.argv[1:]]
sys.path.insert(0, "")
from manage import main
main()
"""


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (["help"], NEVER | LATER | OTHERS),
        (["ask", "--help"], NEVER | LATER),
        (["evaluate", "--help"], NEVER),
        (["check"], NEVER),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_command_imports_what_is_heavy_when_it_is_needed(words: list[str], without: set[str]) -> None:
    done = subprocess.run([sys.executable, "-c", AFTER, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    said, _, imported = done.stderr.rpartition("imported ")
    assert done.returncode == 0, said
    assert without & set(imported.split()) == set()
