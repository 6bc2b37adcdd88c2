"""A tab of TensorBoard: whether the profiles of the logdir really recorded the GPU, and whether this machine can record one.

TensorBoard asks every plugin now and then whether it is active, and does not start without an answer, so nothing here waits: what takes time
is done by threads that die with the server.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional

from tensorboard.plugins import base_plugin  # type: ignore[import-not-found,import-untyped,unused-ignore]

_HERE = os.path.dirname(os.path.abspath(__file__))
#: A logdir may be a network's, with millions of files.
_MOST_FILES = 200_000
_MOST_PROFILES = 200
#: Seconds for which what was seen in the logdir is believed.
_BELIEVED = 15.0

Start = Callable[[str, "list[tuple[str, str]]"], Any]


class CulpritPlugin(base_plugin.TBPlugin):  # type: ignore[misc,unused-ignore]
    plugin_name = "culprit"

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self._logdirs = _logdirs(context)
        self._profiles = Background(lambda: list(profiles_below(self._logdirs)), _BELIEVED)
        self._machine = Background(_machine)
        self._lock = threading.Lock()
        # By file and what it was: a profile that is written anew is read anew.
        self._traces: dict[tuple[str, int, int], Background] = {}
        # By the time that somebody opens a browser it is mostly known.
        self._profiles.value(0.0)

    def is_active(self) -> bool:
        found = self._profiles.value(0.3)
        return isinstance(found, list) and bool(found)

    def frontend_metadata(self) -> Any:
        return base_plugin.FrontendMetadata(es_module_path="/tensorboard.js", tab_name="Culprit")

    def get_plugin_apps(self) -> dict[str, Callable[[dict[str, Any], Start], Iterable[bytes]]]:
        return {
            "/tensorboard.js": _file("tensorboard.js", "text/javascript; charset=utf-8"),
            "/tensorboard.css": _file("tensorboard.css", "text/css; charset=utf-8"),
            "/answers": self._answers,
        }

    def _answers(self, environ: dict[str, Any], start: Start) -> list[bytes]:
        """What is known by now; the page asks again while something is still being worked out."""
        found = self._profiles.value(10.0)
        if not isinstance(found, list):
            return _reply(environ, start, {"state": "working", "profiles": [], "left": 0, "machine": found})
        waiting = 0
        rows = []
        for name, file in found[:_MOST_PROFILES]:
            background = self._trace(file)
            answer = background.value(0.0) if background else {"problem": "it is not there any more"}
            waiting += answer is None
            rows.append({"name": name, "answer": answer})
        machine = self._machine.value(0.0)
        state = "working" if waiting or machine is None else "done"
        left = max(0, len(found) - _MOST_PROFILES)
        return _reply(environ, start, {"state": state, "profiles": rows, "left": left, "machine": machine})

    def _trace(self, file: str) -> Optional[Background]:
        try:
            seen = os.stat(file)
        except OSError:
            return None
        key = (file, seen.st_size, seen.st_mtime_ns)
        with self._lock:
            if key not in self._traces:
                self._traces = {other: kept for other, kept in self._traces.items() if other[0] != file}
                self._traces[key] = Background(lambda: _trace(file))
            return self._traces[key]


class Background:
    """A value that a thread works out when it is first asked for, and again when it is no longer believed."""

    # All profiles at once would take all processors from the training that is watched.
    _turn = threading.Semaphore(2)

    def __init__(self, work: Callable[[], Any], believed: Optional[float] = None) -> None:
        self._work = work
        self._believed = believed
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._value: Any = None
        self._made = 0.0
        self._is_running = False

    def value(self, patience: float) -> Any:
        """The value, or None where it is not there after so many seconds."""
        with self._lock:
            is_old = self._believed is not None and self._made + self._believed < time.monotonic()
            if not self._is_running and (not self._done.is_set() or is_old):
                self._is_running = True
                threading.Thread(target=self._run, name="culprit", daemon=True).start()
        self._done.wait(patience)
        return self._value

    def _run(self) -> None:
        try:
            with self._turn:
                self._value = self._work()
        except Exception as problem:
            self._value = {"problem": str(problem)}
        finally:
            with self._lock:
                self._made = time.monotonic()
                self._is_running = False
            self._done.set()


def _logdirs(context: Any) -> list[tuple[str, str]]:
    """Name and folder; only what lies on this machine can be read."""
    named: list[tuple[str, str]] = []
    spec = getattr(getattr(context, "flags", None), "logdir_spec", "") or ""
    for part in filter(None, spec.split(",")):
        name, colon, place = part.partition(":")
        named.append((name, place) if colon and not part.startswith("/") else ("", part))
    if not named and context.logdir:
        named.append(("", context.logdir))
    return [(name, os.path.abspath(os.path.expanduser(place))) for name, place in named if "://" not in place]


def profiles_below(logdirs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Profiles, as TensorFlow, JAX and torch name them, with how they are called in the tab."""
    seen = 0
    for name, top in logdirs:
        for folder, folders, files in os.walk(top):
            folders.sort()
            seen += len(files)
            if seen > _MOST_FILES:
                return
            for file in _recordings(files):
                place = os.path.join(folder, file)
                yield os.path.join(name, os.path.relpath(place, top)), place


def _recordings(files: list[str]) -> list[str]:
    spaces = [file for file in files if file.endswith(".xplane.pb")]
    torch = [file for file in files if file.endswith((".pt.trace.json", ".pt.trace.json.gz"))]
    # What TensorFlow and JAX write for the trace viewer is the same recording once more.
    viewers = [file for file in files if file.endswith((".trace.json", ".trace.json.gz")) and file not in torch and not spaces]
    return sorted([*spaces, *torch, *viewers])


def _trace(file: str) -> dict[str, Any]:
    from . import _shown, trace

    answer = trace(file)
    made = _shown.shown(answer)
    # The first line is the verdict, with its mark.
    return {"verdict": answer.files[0].verdict, "line": made["text"].split("\n")[0], "html": made["html"], "file": answer.data["files"][0]}


def _machine() -> dict[str, Any]:
    from . import _process, _shown

    # The profiler of the packages beside TensorBoard: mostly those that were trained with.
    answer = _process.check_packages(do="profile")
    return {"status": answer.status, "html": _shown.shown(answer)["html"]}


def _file(name: str, kind: str) -> Callable[[dict[str, Any], Start], list[bytes]]:
    def app(environ: dict[str, Any], start: Start) -> list[bytes]:
        with open(os.path.join(_HERE, name), "rb") as opened:
            return _send(environ, start, opened.read(), kind)

    return app


def _reply(environ: dict[str, Any], start: Start, value: object) -> list[bytes]:
    return _send(environ, start, json.dumps(value).encode(), "application/json; charset=utf-8")


def _send(environ: dict[str, Any], start: Start, body: bytes, kind: str) -> list[bytes]:
    if environ.get("REQUEST_METHOD") not in ("GET", "HEAD"):
        start("405 Method Not Allowed", [("Allow", "GET, HEAD"), ("Content-Length", "0"), ("X-Content-Type-Options", "nosniff")])
        return [b""]
    # TensorBoard asks for nosniff, and refuses what has none from 3.0 on.
    start(
        "200 OK",
        [("Content-Type", kind), ("Content-Length", str(len(body))), ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-cache")],
    )
    return [body]
