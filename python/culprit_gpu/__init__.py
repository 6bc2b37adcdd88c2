"""Which library is to blame when a GPU software stack does not fit together.

The same program as the npm package ``culprit``, and the same answers::

    import culprit_gpu

    answer = culprit_gpu.check()                    # this environment, as this process would start a program
    answer = culprit_gpu.explain(open("error.log").read())
    answer = culprit_gpu.loads("torch", do="convolution")
    answer.to_dict()                                # what ``culprit … --json`` prints

    culprit_gpu.install_excepthook()                # a failing import or run explains itself

In a notebook: ``%load_ext culprit_gpu``, then ``%culprit``, or ``%%culprit`` above a cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# All of it is loaded when it is asked for: the command needs none of it, and starts twice as fast without.
if TYPE_CHECKING:
    from ._answers import Advice as Advice
    from ._answers import Answer as Answer
    from ._answers import Check as Check
    from ._answers import Copy as Copy
    from ._answers import Diagnosis as Diagnosis
    from ._answers import Environment as Environment
    from ._answers import Evidence as Evidence
    from ._answers import Explanation as Explanation
    from ._answers import Failure as Failure
    from ._answers import Finding as Finding
    from ._answers import Fix as Fix
    from ._answers import Framework as Framework
    from ._answers import JudgedProgram as JudgedProgram
    from ._answers import Listing as Listing
    from ._answers import Load as Load
    from ._answers import Loads as Loads
    from ._answers import Trace as Trace
    from ._answers import TraceFile as TraceFile
    from ._answers import Unknown as Unknown
    from ._answers import Why as Why
    from ._ask import CulpritError as CulpritError
    from ._ask import check as check
    from ._ask import explain as explain
    from ._ask import list as list
    from ._ask import loads as loads
    from ._ask import trace as trace
    from ._ask import why as why
    from ._hook import install_excepthook as install_excepthook
    from ._notebook import load_ipython_extension as load_ipython_extension
    from ._notebook import unload_ipython_extension as unload_ipython_extension

    __version__: str

_HOMES = {
    "_answers": "Advice Answer Check Copy Diagnosis Environment Evidence Explanation Failure Finding Fix Framework JudgedProgram "
    "Listing Load Loads Trace TraceFile Unknown Why",
    "_ask": "CulpritError check explain list loads trace why",
    "_hook": "install_excepthook",
    "_notebook": "load_ipython_extension unload_ipython_extension",
    "_version": "__version__",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Answer",
    "Check",
    "CulpritError",
    "Explanation",
    "Listing",
    "Loads",
    "Trace",
    "Why",
    "__version__",
    "check",
    "explain",
    "install_excepthook",
    "list",
    "loads",
    "trace",
    "why",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> "list[str]":  # type: ignore[valid-type]
    return sorted(__all__)
