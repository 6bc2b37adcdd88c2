"""IPython and Jupyter: ``%load_ext culprit_gpu``, ``%culprit``, ``%%culprit``."""

from __future__ import annotations

import shlex
from typing import Any, Optional

from . import _ask, _hook, _process
from ._answers import Answer, Check

_MAGIC = "%%culprit"


class Kernel:
    """This kernel: what it has loaded, and what its packages would do in a new one."""

    def __init__(self, loaded: Optional[Check], packages: Optional[Check], beside: tuple[str, ...] = ()) -> None:
        self.loaded = loaded
        self.packages = packages
        self.beside = beside

    def _parts(self) -> list[tuple[str, Check, tuple[str, ...]]]:
        parts: list[tuple[str, Check, tuple[str, ...]]] = []
        if self.loaded is not None:
            parts.append(("Loaded in this kernel", self.loaded, self.beside))
        if self.packages is not None:
            parts.append(("Its packages, in a new kernel" if parts else "The packages of this kernel", self.packages, () if parts else self.beside))
        return parts

    def _as(self, how: str, titled: str) -> str:
        from ._shown import shown

        parts = self._parts()
        return "\n".join(f"{titled.format(title)}{shown(answer, beside)[how]}" for title, answer, beside in parts)

    def __str__(self) -> str:
        return self._as("text", "{}\n\n")

    def _repr_html_(self) -> str:
        return self._as("html", "<div><strong>{}</strong></div>")

    def _repr_markdown_(self) -> str:
        return self._as("markdown", "**{}**\n\n")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def kernel() -> Kernel:
    """Both at once, since neither waits for the other."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as workers:
        loaded, packages = workers.submit(_process.check_loaded), workers.submit(_process.check_packages)
        mapped, installed = loaded.result(), packages.result()
    # What is loaded already is told by what is loaded.
    known = {judged.program for judged in mapped.judged} if mapped else set()
    is_told = mapped is not None and all(judged.program in known or judged.cpu_only for judged in installed.judged)
    return Kernel(mapped, None if is_told else installed, _process.beside())


class Text:
    """What another command printed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def magic(line: str, cell: Optional[str] = None) -> object:
    """``%culprit``: this kernel. ``%culprit COMMAND …``: any command, such as ``why cudnn``, ``list``, ``explain error.log``.

    ``%%culprit`` above a cell explains it if it fails.
    """
    if cell is not None:
        from IPython.core.error import UsageError  # type: ignore[import-not-found,unused-ignore]

        raise UsageError(f"{_MAGIC} stands alone on the first line of a cell")
    try:
        words = shlex.split(line)
        if not words:
            return kernel()
        return _asked(words)
    except (_ask.CulpritError, ValueError) as problem:
        print(f"culprit: {problem}")
        return None


def _asked(words: list[str]) -> object:
    from ._answers import Explanation, Listing, Loads, Trace, Why

    kinds: dict[str, type[Answer]] = {"check": Check, "why": Why, "loads": Loads, "list": Listing, "explain": Explanation, "trace": Trace}
    kind = kinds.get(words[0])
    is_plain = any(word in ("-h", "--help", "--json", "--html", "--markdown", "--sarif", "--format", "--each", "-q", "--quiet") for word in words)
    # Unless another one is named, the environment is that of the kernel.
    elsewhere = ("--target", "--root", "--python")
    is_here = words[0] in ("check", "why", "loads", "list") and not any(word.split("=")[0] in elsewhere for word in words)
    if words[0] in ("check", "list") and len(words) > 1 and not words[1].startswith("-"):
        is_here = False
    where = [word for place in _process.environments() for word in ("--python", place)] if is_here else []
    if kind is None or is_plain:
        done = _ask.run(words, variables=_process.variables())
        return Text((done.stdout + done.stderr).decode("utf-8", "replace"))
    return kind(*_ask.ask([*words, *where], {}, variables=_process.variables()))


# A cell is run by the shell itself, as if the line above it were not there: with its last value, its awaits and its own traceback. That it failed
# is known afterwards.
def _without_magic(lines: list[str]) -> list[str]:
    if not lines or lines[0].split() != [_MAGIC]:
        return lines
    # Another magic below it must be the first line of all; else an empty line keeps the numbers of the others.
    return lines[1:] if len(lines) > 1 and lines[1].startswith("%%") else ["\n", *lines[1:]]


def _is_ours(result: Any) -> bool:
    raw = getattr(getattr(result, "info", None), "raw_cell", None) or ""
    first = next((line for line in raw.splitlines() if line.strip()), "")
    return first.split() == [_MAGIC]


def _explained(result: Any) -> None:
    error = result.error_in_exec or result.error_before_exec
    if error is None or not _is_ours(result):
        return
    try:
        show(_process.explain(_hook.text_of(error), _hook.is_at_import(error), _hook.PATIENCE))
    except _ask.CulpritError as problem:
        print(f"culprit: {problem}")


def _explained_if_it_concerns(result: Any) -> None:
    error = result.error_in_exec
    if error is None or _is_ours(result):
        return
    try:
        if _hook.concerns(error):
            answer = _process.explain(_hook.text_of(error), _hook.is_at_import(error), _hook.PATIENCE)
            if any(diagnosis.cause != "benign-warning" for diagnosis in answer.diagnoses):
                show(answer)
    except (Exception, KeyboardInterrupt):
        pass


def show(answer: Answer) -> None:
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

    from ._shown import shown

    # With what is to be known besides, which an answer alone does not have.
    answer._shown = shown(answer, _process.beside())
    display(answer)  # type: ignore[no-untyped-call,unused-ignore]


def load_ipython_extension(shell: Any) -> None:
    shell.register_magic_function(magic, "line_cell", "culprit")
    if _without_magic not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(_without_magic)
        shell.events.register("post_run_cell", _explained)


def unload_ipython_extension(shell: Any) -> None:
    if _without_magic in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(_without_magic)
        shell.events.unregister("post_run_cell", _explained)


def explain_failures(shell: Any) -> None:
    """For ``install_excepthook``: a shell shows errors by itself, and calls no hook."""
    shell.events.register("post_run_cell", _explained_if_it_concerns)
