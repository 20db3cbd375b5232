"""The rules of the house that import-linter cannot say."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("dsmart_web", "memory", "conversations", "evaluation")
CODE = {"manage.py", *APPS, "templates", "static", "tests"}
DOCUMENTS = {
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE", "Makefile", "pyproject.toml", "docs",
    "requirements.txt", "requirements-dev.txt", "requirements.lock", "requirements-dev.lock", "package.json",
    "package-lock.json", "Dockerfile", "compose.yaml", "compose.env.example",
}  # fmt: skip
MADE_HERE = {"var", "artifacts", "node_modules"}
CORE_MAY_IMPORT = {"numpy", "networkx", "rdflib", "jinja2", "pydantic"}
CORE_EXCEPTIONS = {
    "memory/core/grounded_generation/graph_encoder": {"torch", "torch_geometric"},
    "memory/core/knowledge_graph/extraction/amr": {"penman"},
    "evaluation/core/": {"nltk", "rouge_score", "sacrebleu", "scipy"},
}
SHARED_PACKAGES = {"english", "types"}
DRAWERS = {"utils", "util", "common", "helpers", "helper", "misc", "manager", "managers"}


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported_names(source: str, package: str) -> Iterator[str]:
    """Yield the absolute name of every module that `source` imports, also inside functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_of(path: Path) -> list[str]:
    package = ".".join(path.relative_to(ROOT).with_suffix("").parts[:-1])
    return list(imported_names(path.read_text(), package))


def is_allowed_in_core(name: str, path: Path) -> bool:
    first, *rest = name.split(".")
    if first in APPS:
        return rest[:1] == ["core"] or not rest
    exceptions = {
        name for folder, names in CORE_EXCEPTIONS.items() if relative(path).startswith(folder) for name in names
    }
    return first in sys.stdlib_module_names or first in CORE_MAY_IMPORT | exceptions


def room_of(name: str) -> str | None:
    """Return the room of memory's core that a module lives in, or None for what all rooms share."""
    parts = name.split(".")
    if parts[:2] != ["memory", "core"] or len(parts) < 3 or parts[2] in SHARED_PACKAGES:
        return None
    return parts[2] if (ROOT / "memory" / "core" / parts[2]).is_dir() else None


def test_imported_names_are_found_wherever_they_are_written() -> None:
    source = "import os.path\ndef f():\n    from django.db import models\nfrom ..types import Triple\n"
    found = list(imported_names(source, "memory.core.knowledge_graph"))
    assert {"os.path", "django.db", "django.db.models", "memory.core.types", "memory.core.types.Triple"} <= set(found)
    core = ROOT / "memory" / "core" / "ports.py"
    assert core in modules("memory/core")
    assert not is_allowed_in_core("django.db", core)
    assert not is_allowed_in_core("memory.models", core)
    assert not is_allowed_in_core("torch", core)
    assert is_allowed_in_core("torch", ROOT / "memory/core/grounded_generation/graph_encoder.py")
    assert is_allowed_in_core("memory.core.types", core)


def test_core_imports_only_what_is_allowed() -> None:
    found = {
        relative(path): refused
        for path in modules(*(f"{app}/core" for app in APPS))
        if (refused := [name for name in imports_of(path) if not is_allowed_in_core(name, path)])
    }
    assert found == {}


def test_rooms_of_the_papers_do_not_import_each_other() -> None:
    found = {
        relative(path): others
        for path in modules("memory/core")
        if (own := room_of(".".join(path.relative_to(ROOT).with_suffix("").parts)))
        and (others := {room for name in imports_of(path) if (room := room_of(name)) and room != own})
    }
    assert found == {}


def test_top_level_holds_only_what_was_given() -> None:
    found = {entry.name for entry in ROOT.iterdir() if not entry.name.startswith((".", "__"))}
    assert found - CODE - DOCUMENTS - MADE_HERE == set()


def test_no_module_is_a_drawer() -> None:
    found = [relative(path) for path in modules(*APPS) if DRAWERS & {path.stem, path.parent.name}]
    assert found == []


def test_environment_is_read_by_the_settings_alone() -> None:
    switch_of_hugging_face = "memory/adapters/language_models/weights.py"
    reading = {"os.environ", "os.getenv", "environ.get"}
    found = [
        relative(path)
        for path in modules("memory", "conversations", "evaluation")
        if relative(path) != switch_of_hugging_face
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call | ast.Subscript)
        and ast.unparse(node.func if isinstance(node, ast.Call) else node.value) in reading | {"os.environ.get"}
        and not isinstance(getattr(node, "ctx", None), ast.Store)
    ]
    assert found == []


def test_files_are_sent_by_one_function_and_kept_by_no_cache() -> None:
    senders = [relative(path) for path in modules(*APPS) if "Content-Disposition" in path.read_text()]
    assert senders == ["memory/views/downloads.py"]
    assert 'response["Cache-Control"] = "private, no-store"' in (ROOT / senders[0]).read_text()


COUNTED = re.compile(r"(\w+)\{\{ [^}]+\|pluralize \}\}")


# Shown for more than one alone.
NEVER_ONE = {("evaluation/runs/run.html", "{{ run.plan.repeat }} times"), ("trace/stage.html", "{{ shown.count }} times"),
             ("memory/dashboard/digests.html", "{{ told_shown }} facts")}  # fmt: skip


def test_templates_write_no_plural_behind_a_count_that_may_be_one() -> None:
    folder = ROOT / "templates"
    pages = {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.html"))}
    nouns = {f"{noun}s" for words in pages.values() for noun in COUNTED.findall(words)} | {"levels"}
    glued = re.compile(r"\{\{ [^}]+ \}\} (?:\{% term \"\w+\" \")?(" + "|".join(sorted(nouns)) + r")\b")
    assert {(page, found[0]) for page, words in pages.items() for found in glued.finditer(words)} == NEVER_ONE


def test_rows_of_words_and_counts_keep_a_space_between_them() -> None:
    """A flex row drops the space between its words and an element with a count: it needs a gap."""
    rules = [
        (relative(path), rule[1].strip())
        for path in sorted((ROOT / "static" / "css").rglob("*.css"))
        for rule in re.finditer(r"([^{}]+)\{([^{}]*display: inline-flex[^{}]*)\}", path.read_text())
        if "gap:" not in rule[2]
    ]
    assert rules == []


def test_links_of_the_documents_lead_to_files() -> None:
    documents = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
    dead = [
        (relative(document), link)
        for document in documents
        for link in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", document.read_text())
        if "://" not in link and not link.startswith("mailto:") and not (document.parent / link).exists()
    ]
    assert dead == []
