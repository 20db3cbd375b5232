"""The errors of measuring.

EvaluationError
├── AnnotationRefused       a label, item, project or role that cannot be as it is asked for
├── MalformedAnnotation     a definition of a kind, or a file of items or labels, that does not follow its form
├── MalformedBenchmark      a benchmark file that does not follow its format
├── MalformedExperiment     a definition of an experiment that cannot be read
├── MalformedReport         a file that holds no report of a measurement
├── OverrideRefused         a person's score that cannot stand in place of a measured one
├── RunRefused              a run that cannot be made, started or resumed as it is asked for
├── UnknownFormat           a file whose format cannot be told
└── UnknownName             a case, space, responder or bench that does not exist
"""

from __future__ import annotations


class EvaluationError(Exception):
    """The root of everything that evaluation raises on purpose. Its message is a sentence for a person."""


class AnnotationRefused(EvaluationError):
    """A label, an item, a project or a role that cannot be as it is asked for, with what to do about it."""


class MalformedAnnotation(EvaluationError):
    """A definition of a kind, or a file of items or labels: which row, which field, what was expected and what was there."""


class MalformedBenchmark(EvaluationError):
    """A benchmark file that does not follow its format: which record, which field, what was expected and what was there."""


class MalformedExperiment(EvaluationError):
    """A definition of an experiment that cannot be read: which file, which experiment, what is wrong about it."""


class MalformedReport(EvaluationError):
    """A file that holds no report of a measurement, with what is wrong about it."""


class OverrideRefused(EvaluationError):
    """A person's score that cannot stand in place of a measured one, with what to do about it."""


class RunRefused(EvaluationError):
    """A run that cannot be made, started or resumed as it is asked for, with what to do about it."""


class UnknownFormat(EvaluationError):
    """A file that none of the known formats recognises."""


class UnknownName(EvaluationError):
    """A name of a case, a space, a responder or a bench that does not exist."""
