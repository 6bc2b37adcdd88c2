"""Questions about the process that asks: a notebook's kernel, or a program that fails."""

from __future__ import annotations

import os
import re
import sys

from . import _ask
from ._answers import Check, Explanation


# What frameworks read from os.environ when they get to it, so that a change in the process counts; names that may hold a key are never
# put on a command line.
_READ_LATE = re.compile(
    r"^(?:CUDA|CUDNN|CUPTI|NCCL_|NVIDIA_|NV_|TF_|XLA_|JAX_|TORCH|PYTORCH_|CUPY_|TRITON_|BNB_|NUMBA_|KINETO_|NVTX_|ORT_|TENSORRT)\w*$"
)
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS")
# The loader reads these once, before the program begins (ld.so(8)).
_READ_AT_START = re.compile(r"^(?:LD_\w+|GLIBC_TUNABLES)$")

_FRAMEWORKS = re.compile(
    r"/(?:site|dist)-packages/(?:torch|tensorflow|jaxlib|jax_cuda\w*|jax_plugins|cupy\w*|onnxruntime|paddle|mxnet|triton|tensorrt\w*|nvidia)/"
)


def _variables_at_start() -> dict[str, str]:
    try:
        with open("/proc/self/environ", "rb") as opened:
            pairs = opened.read().split(b"\0")
    except OSError:
        return dict(os.environ)
    texts = [pair.decode("utf-8", "surrogateescape").partition("=") for pair in pairs if pair]
    return {name: value for name, _, value in texts}


def variables() -> dict[str, str]:
    """As a library of this process sees them: what the loader reads is as it was when the process began."""
    start = _variables_at_start()
    kept = {name: value for name, value in os.environ.items() if not _READ_AT_START.match(name)}
    return {**kept, **{name: value for name, value in start.items() if _READ_AT_START.match(name)}}


def changed() -> _ask.Situation:
    """What was set or unset since, and is read late."""
    start = _variables_at_start()
    late = {name for name in {*start, *os.environ} if _READ_LATE.match(name) and not _SECRET.search(name)}
    env = {name: os.environ[name] for name in sorted(late) if name in os.environ and os.environ[name] != start.get(name)}
    unset = [name for name in sorted(late) if name not in os.environ]
    where: _ask.Situation = {}
    if env:
        where["env"] = env
    if unset:
        where["unset"] = unset
    return where


def beside() -> tuple[str, ...]:
    """What somebody may believe to have changed, and has not."""
    start = _variables_at_start()
    names = sorted(name for name in {*start, *os.environ} if _READ_AT_START.match(name) and start.get(name) != os.environ.get(name))
    return tuple(
        f"{name} was changed after this process had begun: the loader read it at the start, so it changes nothing here, "
        "only in programs that are started from here"
        for name in names
    )


def environments() -> list[str]:
    """The Python environments whose packages this process can import."""
    found = [sys.prefix]
    for place in sys.path:
        prefix = re.sub(r"/lib(?:64)?/python3[^/]*/site-packages/?$", "", place)
        is_other = prefix != place and prefix not in (*found, sys.base_prefix)
        if is_other and os.path.exists(os.path.join(prefix, "bin", "python3")):
            found.append(prefix)
    return found


def has_frameworks_loaded() -> bool:
    try:
        with open("/proc/self/maps", "rb") as opened:
            return _FRAMEWORKS.search(opened.read().decode("latin-1")) is not None
    except OSError:
        return False


def check_loaded(timeout: float | None = None) -> Check | None:
    """What this process has really mapped; nothing where no framework is among it."""
    if not has_frameworks_loaded():
        return None
    answer = Check(*_ask.ask(["check", f"pid:{os.getpid()}"], {**changed(), "timeout": timeout}))
    # A process of none that is known is judged as the executable that it is, which tells nothing about a kernel.
    return answer if any(not judged.program.startswith("/") for judged in answer.judged) or answer.findings else None


def check_packages(do: str | None = None, timeout: float | None = None) -> Check:
    """What the packages of this process would do in a new one that has its variables."""
    words = ["check", *(["--do", do] if do else []), *(word for place in environments() for word in ("--python", place))]
    return Check(*_ask.ask(words, {"timeout": timeout}, variables=variables()))


def explain(text: str, failed_at_import: bool, timeout: float | None = None) -> Explanation:
    """An error of this process, joined with what it has mapped, or, where it got no further than an import, with its packages."""
    if has_frameworks_loaded() and not failed_at_import:
        try:
            return Explanation(*_ask.ask(["explain", "-", "--target", f"pid:{os.getpid()}"], {**changed(), "timeout": timeout}, text))
        except _ask.CulpritError:
            # A process may be closed to everybody, itself included.
            pass
    words = ["explain", "-", "--here", *(word for place in environments() for word in ("--python", place))]
    return Explanation(*_ask.ask(words, {"timeout": timeout}, text, variables()))
