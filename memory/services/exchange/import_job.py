"""RDF files that are imported in the background: all of a file or nothing, also where it is stopped or its worker dies."""

from __future__ import annotations

from typing import Any, BinaryIO

from django.contrib.auth.models import User

from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.models import ImportJobRecord, Space
from memory.services.exchange.rdf_import import graph_import
from memory.services.import_jobs import Kind, State, Telling, job_create, job_work

# What is larger is imported in the background.
AT_ONCE_BYTES = 256 * 1024


def graph_job_create(*, space: Space, by: User, content: bytes, form: GraphFormat, name: str) -> ImportJobRecord:
    """Queue the import of a file, and return its job."""
    return job_create(
        space=space, by=by, kind=Kind.GRAPH, name=name, form=form.value, content=[content], state=State.IMPORTING
    )


def graph_job_work(*, job_id: int) -> bool:
    """Import the file of a job; False where that is not to be done here."""
    return job_work(job_id=job_id, steps={State.IMPORTING: graph_step})


def graph_step(job: ImportJobRecord, file: BinaryIO, told: Telling) -> dict[str, Any]:
    added = graph_import(
        space=job.space, content=file.read(), form=GraphFormat(job.form), name=job.name, by=job.by, on_progress=told
    )
    return {"state": State.DONE, "progress": 1.0, "outcome": str(added)}
