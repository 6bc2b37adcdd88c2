"""The commands ``culprit`` and ``culprit-gpu``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    from . import _caller, _node

    try:
        # `python -m` puts the path of the module there, which says nothing about how Python was called.
        called = sys.executable if sys.argv[0].endswith("__main__.py") else sys.argv[0]
        variables = _caller.variables(called)
        words = _node.command()
        # The program takes the place of this one: signals, exit code, standard input and output are its own.
        os.execve(words[0], [*words, *sys.argv[1:]], variables)
    except _node.NoNode as problem:
        sys.exit(_said(str(problem)))
    except OSError as problem:
        sys.exit(_said(f"{problem.filename or 'Node'} cannot be started: {problem.strerror}"))


def _said(sentence: str) -> int:
    print(f"culprit: {sentence}", file=sys.stderr)
    return 2
