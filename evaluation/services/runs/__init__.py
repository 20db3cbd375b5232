"""Runs: made whole from a file, played case by case by any number of workers, stopped and resumed."""

from evaluation.services.runs.making import run_create
from evaluation.services.runs.playing import run_work
from evaluation.services.runs.rows import run_rows
from evaluation.services.runs.state import run_delete, run_resume, run_start, run_stop
