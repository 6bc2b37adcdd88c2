"""Questions to the program, with the names of its commands and options: ``check(programs="torch", do="profile")`` is
``culprit check --for torch --do profile --json``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _caller, _node
from ._answers import Check, Explanation, Listing, Loads, Trace, Why

if TYPE_CHECKING:
    from typing_extensions import Unpack

Words = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]


class CulpritError(Exception):
    """The program could not answer; its one sentence says why."""


class Situation(TypedDict, total=False):
    """Where it is looked, and what is asked as if it were so: the options of the same names."""

    root: str | os.PathLike[str]
    #: Python environments to look in.
    python: Words
    env: Mapping[str, str]
    unset: Words
    module: Words
    driver: str
    gpu: Words
    cwd: str | os.PathLike[str]
    cpu: str
    ldconfig: bool
    knowledge: str | os.PathLike[str]
    #: Any other words of the command line.
    more: Iterable[str]
    #: Seconds after which the question is given up; without it, as long as it takes.
    timeout: float | None


class Where(Situation, total=False):
    #: A root folder, a snapshot file, ``pid:N``, ``image:FILE`` or ``ssh:HOST``; without one, this machine.
    target: str | os.PathLike[str]


def check(target: str | os.PathLike[str] | None = None, *, programs: Words = (), do: Words = (), **where: Unpack[Situation]) -> Check:
    """What does not fit together in a GPU stack: which library is to blame, why, and what it breaks (``culprit check``)."""
    words = ["check", *([os.fspath(target)] if target is not None else []), *_listed("for", programs), *_listed("do", do)]
    return Check(*ask(words, where))


def explain(text: str | bytes, *, here: bool = False, **where: Unpack[Where]) -> Explanation:
    """What is to blame in an error text; with ``here``, ``target`` or ``root`` joined with what a machine shows (``culprit explain``)."""
    return Explanation(*ask(["explain", "-", *(["--here"] if here else [])], where, text))


def loads(*programs: str | os.PathLike[str], do: Words = (), **where: Unpack[Where]) -> Loads:
    """What a program, a library or frameworks in one process would load, in order, and why (``culprit loads``)."""
    return Loads(*ask(["loads", *_words(programs), *_listed("do", do)], where))


def why(library: str, *, programs: Words = (), do: Words = (), **where: Unpack[Where]) -> Why:
    """One library: the search, path by path, who wins, and what would change that (``culprit why``)."""
    return Why(*ask(["why", library, *_listed("for", programs), *_listed("do", do)], where))


def list(*frameworks: str, **where: Unpack[Where]) -> Listing:  # noqa: A001
    """Every driver, GPU, toolkit, environment and library copy; what each framework would load (``culprit list``)."""
    return Listing(*ask(["list", *frameworks], where))


def trace(*paths: str | os.PathLike[str], with_machine: bool = False, **where: Unpack[Where]) -> Trace:
    """Whether profiles really recorded the GPU, what was lost and why (``culprit trace``)."""
    return Trace(*ask(["trace", *_words(paths), *(["--with-machine"] if with_machine else [])], where))


def ask(
    words: Iterable[str], where: Situation, text: str | bytes = b"", variables: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The answer, and the words that asked for it."""
    asked = (*words, *_options(where))
    said = run((*asked, "--json"), text, where.get("timeout"), variables)
    try:
        answer = json.loads(said.stdout)
    except ValueError:
        raise CulpritError(_problem(said)) from None
    if not isinstance(answer, dict):
        raise CulpritError(_problem(said))
    return answer, asked


def run(
    words: Iterable[str],
    text: str | bytes = b"",
    timeout: float | None = None,
    variables: Mapping[str, str] | None = None,
    program: str | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The program as a child, with what it printed; ``program``: another file of this package."""
    try:
        command = _node.command()
        return subprocess.run(
            [*command[:-1], program or command[-1], *words],
            input=text.encode("utf-8", "replace") if isinstance(text, str) else text,
            capture_output=True,
            timeout=timeout,
            env=dict(variables) if variables is not None else _caller.variables(sys.executable),
        )
    except _node.NoNode as problem:
        raise CulpritError(str(problem)) from None
    except subprocess.TimeoutExpired:
        raise CulpritError(f"there was no answer within {timeout:g} seconds") from None
    except OSError as problem:
        raise CulpritError(f"{problem.filename or 'Node'} cannot be started: {problem.strerror}") from None


def _problem(said: subprocess.CompletedProcess[bytes]) -> str:
    sentence = said.stderr.decode("utf-8", "replace").strip()
    if sentence.startswith("culprit: "):
        sentence = sentence[len("culprit: ") :]
    return sentence or f"the program ended with {said.returncode} and said nothing"


def _options(where: Situation) -> tuple[str, ...]:
    words: tuple[str, ...] = ()
    for name, value in where.items():
        if name == "timeout" or value is None or value is False:
            continue
        if name == "more":
            words += tuple(value)  # type: ignore[arg-type]
        elif value is True:
            words += (f"--{name}",)
        elif isinstance(value, Mapping):
            words += tuple(word for key, each in value.items() for word in ("--env", f"{key}={each}"))
        else:
            words += _each(name, value)  # type: ignore[arg-type]
    return words


def _each(name: str, given: Words) -> tuple[str, ...]:
    return tuple(word for each in _words(given) for word in (f"--{name}", each))


def _listed(name: str, given: Words) -> tuple[str, ...]:
    words = _words(given)
    return (f"--{name}", ",".join(words)) if words else ()


def _words(given: Words) -> tuple[str, ...]:
    return (os.fspath(given),) if isinstance(given, (str, os.PathLike)) else tuple(os.fspath(each) for each in given)
