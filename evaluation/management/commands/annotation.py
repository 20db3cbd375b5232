"""`manage.py annotation WHAT`: files of labels in and out, samples of runs and conversations, and the machine's answers."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from evaluation.adapters.progress import progress_bar
from evaluation.core.errors import EvaluationError
from evaluation.models import AnnotationItem, AnnotationProject, MachinePass, ProjectOrder
from evaluation.selectors import space_named
from evaluation.selectors.annotation.projects import projects_of
from evaluation.services.annotation.files.importing import PEOPLE, items_import, project_import
from evaluation.services.annotation.files.writing import WRITTEN, project_export
from evaluation.services.annotation.from_conversations import conversations_sample
from evaluation.services.annotation.from_runs import run_sample
from evaluation.services.annotation.machine import machine_promise, machine_run
from evaluation.quality.options import most_of
from evaluation.quality.run import user_of
from evaluation.selectors.runs import runs_of
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.services import space_personal
