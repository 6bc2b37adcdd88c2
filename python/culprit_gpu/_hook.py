"""Errors that explain themselves."""

from __future__ import annotations

import os
import re
import sys
import traceback
from types import TracebackType
from typing import Optional

# Whether it is worth asking: anything else costs nothing but this.
_CONCERNS = re.compile(
    r"cuda|cudnn|cublas|cupti|cufft|curand|cusparse|cusolver|nvrtc|nvjitlink|nvtx|nccl|nvml|nvidia|tensorrt|\bgpus?\b|libtorch|\btorch\b|"
    r"tensorflow|jaxlib|\bxla\b|triton|cupy|onnxruntime|bitsandbytes|\.so(?:\.\d+)*: |undefined symbol|GLIBCXX_|\brocm\b|\bhip\b|multiarray",
    re.IGNORECASE,
)
#: Text of a traceback that is read; its end tells most.
_MOST = 200_000
#: Seconds for an explanation: a program that has failed is waited for.
PATIENCE = 60.0

_is_installed = False


def install_excepthook() -> None:
    """From now on an ImportError, OSError or RuntimeError about a GPU stack that ends the program, or a cell of a notebook, is explained
    below its traceback, joined with what this process shows. Nothing else changes; a second call does nothing."""
    global _is_installed
    if _is_installed:
        return
    _is_installed = True
    before = sys.excepthook

    def hook(kind: type[BaseException], value: BaseException, trace: Optional[TracebackType]) -> None:
        before(kind, value, trace)
        report(value)

    sys.excepthook = hook
    shell = _notebook_shell()
    if shell is not None:
        from ._notebook import explain_failures

        explain_failures(shell)


def report(error: BaseException) -> None:
    """Prints what is to blame, if that can be told. Whatever goes wrong here is nobody's concern."""
    try:
        if not concerns(error):
            return
        from . import _process
        from ._shown import shown

        answer = _process.explain(text_of(error), is_at_import(error), PATIENCE)
        if not any(diagnosis.cause != "benign-warning" for diagnosis in answer.diagnoses):
            return
        is_terminal = sys.stderr.isatty()
        columns = os.get_terminal_size(sys.stderr.fileno()).columns if is_terminal else None
        colours = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        said = shown(answer, _process.beside(), columns, colours)["text"]
        print(f"\nculprit:\n{said}", end="", file=sys.stderr, flush=True)
    except (Exception, KeyboardInterrupt):
        pass


def concerns(error: BaseException) -> bool:
    """Whether this, or what led to it, may be about a GPU stack."""
    seen: set[int] = set()
    at: Optional[BaseException] = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        if isinstance(at, (ImportError, OSError, RuntimeError)) and _CONCERNS.search(str(at)[:_MOST]):
            return True
        at = at.__cause__ or at.__context__
    return False


def text_of(error: BaseException) -> str:
    """The traceback without those who only called the user's code (IPython, for a cell): they have nothing to do with it."""
    whole = traceback.TracebackException(type(error), error, error.__traceback__)
    at: Optional[traceback.TracebackException] = whole
    while at is not None:
        own = [frame for frame in at.stack if not re.search("/(?:IPython|ipykernel)/", frame.filename)]
        at.stack = traceback.StackSummary.from_list(own)
        at = at.__cause__ or at.__context__
    return "".join(whole.format())[-_MOST:]


def is_at_import(error: BaseException) -> bool:
    """Whether an installed package failed before it was there, so that little of it is loaded."""
    if isinstance(error, ImportError):
        return True
    return any(
        frame.f_code.co_name == "<module>" and re.search("/(?:site|dist)-packages/", frame.f_code.co_filename)
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def _notebook_shell() -> object:
    # Not imported for this: where it is in use, it is there.
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
