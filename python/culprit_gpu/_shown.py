"""Answers in words, made by the code that prints them for the command."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _ask

if TYPE_CHECKING:
    from ._answers import Answer

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shown.js")

#: Options that take a value and change what is looked at; those that name the target come apart.
_TARGETS = ("--target", "--root")


def shown(answer: Answer, beside: tuple[str, ...] = (), columns: int | None = None, colours: bool = False) -> dict[str, str]:
    """``text``, ``html`` and ``markdown``; ``beside``: sentences to know besides."""
    wanted: dict[str, Any] = {"answer": answer.data, "asked": _asked(answer.asked), "beside": list(beside), "colours": colours}
    if columns is not None:
        wanted["columns"] = columns
    said = _ask.run((), json.dumps(wanted), program=_PROGRAM)
    try:
        made: dict[str, str] = json.loads(said.stdout)
    except ValueError:
        raise _ask.CulpritError(said.stderr.decode("utf-8", "replace").strip() or "the report could not be made") from None
    return made


def _asked(words: tuple[str, ...]) -> dict[str, Any]:
    """The question for commands that ask it again: its target, and the other options one by one."""
    target: list[str] = []
    options: list[list[str]] = []
    rest = list(words[1:])
    if words[:1] == ("check",) and rest and not rest[0].startswith("-"):
        target = ["--target", rest.pop(0)]
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            continue
        option = [word, rest.pop(0)] if rest and not rest[0].startswith("--") else [word]
        if word in _TARGETS:
            target = option
        else:
            options.append(option)
    return {"target": target, "options": options}
