"""Reads files of knowledge, one format a module, line by line: triples, names of things, and passages."""

from memory.adapters.knowledge_files.catalogue import FORMS, KnowledgeForm, form_told
from memory.adapters.knowledge_files.lines import KnowledgeFileRefused, Lines
from memory.adapters.knowledge_files.records import NameKind, StatedName, StatedPassage, StatedTriple
