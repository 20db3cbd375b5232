"""Exports a space's graph as RDF and imports RDF into a space."""

from memory.services.exchange.import_job import graph_job_create
from memory.services.exchange.rdf_export import graph_export
from memory.services.exchange.rdf_import import GraphImported, graph_import
