"""Answers as objects: typed names for what ``--json`` prints, which ``to_dict()`` gives whole."""

from __future__ import annotations

import copy
from typing import Any, Generic, TypeVar, overload

R = TypeVar("R", bound="Record")


class Field(Generic[R]):
    """One field of an answer; ``name`` where JSON calls it otherwise."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __set_name__(self, owner: type[Record], name: str) -> None:
        self.name = self.name or name


class Text(Field[Any]):
    def __get__(self, record: Record, owner: object = None) -> str:
        return str(record.data.get(self.name, ""))


class Maybe(Field[Any]):
    """A text that may be absent."""

    def __get__(self, record: Record, owner: object = None) -> str | None:
        value = record.data.get(self.name)
        return None if value is None else str(value)


class Flag(Field[Any]):
    def __get__(self, record: Record, owner: object = None) -> bool:
        return record.data.get(self.name) is True


class Number(Field[Any]):
    def __get__(self, record: Record, owner: object = None) -> int:
        return int(record.data.get(self.name) or 0)


class Texts(Field[Any]):
    def __get__(self, record: Record, owner: object = None) -> tuple[str, ...]:
        return tuple(map(str, record.data.get(self.name) or ()))


class Facts(Field[Any]):
    """What has no class of its own here."""

    def __get__(self, record: Record, owner: object = None) -> dict[str, Any]:
        return copy.deepcopy(record.data.get(self.name) or {})


class Many(Field[R]):
    def __init__(self, kind: type[R], name: str = "") -> None:
        super().__init__(name)
        self.kind = kind

    @overload
    def __get__(self, record: None, owner: object = None) -> Many[R]: ...
    @overload
    def __get__(self, record: Record, owner: object = None) -> tuple[R, ...]: ...
    def __get__(self, record: Record | None, owner: object = None) -> Many[R] | tuple[R, ...]:
        if record is None:
            return self
        return tuple(map(self.kind, record.data.get(self.name) or ()))


class Record:
    __slots__ = ("data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints of it; a copy."""
        return copy.deepcopy(self.data)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Record) and other.data == self.data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        told = [f"{name}={value!r}" for name, value in self.data.items() if isinstance(value, (str, int)) and name != "schema"]
        return f"<{type(self).__name__} {', '.join(told[:4])}>".replace(" >", ">")


class Answer(Record):
    """What came of a question. ``print`` gives the report of the command, a notebook shows it."""

    __slots__ = ("asked", "_shown")

    #: ``culprit/check@2``
    schema = Text()
    #: The day of the knowledge that it rests on.
    knowledge = Maybe()

    def __init__(self, data: dict[str, Any], asked: tuple[str, ...] = ()) -> None:
        super().__init__(data)
        #: The words of the command that asked.
        self.asked = asked
        self._shown: dict[str, str] | None = None

    def __str__(self) -> str:
        return self._as("text")

    def _repr_html_(self) -> str:
        return self._as("html")

    def _repr_markdown_(self) -> str:
        return self._as("markdown")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _as(self, how: str) -> str:
        if self._shown is None:
            from ._shown import shown

            self._shown = shown(self)
        return self._shown[how]


class Affected(Record):
    __slots__ = ()
    #: A framework, or the path of an executable.
    framework = Text()
    activity = Text()


class Advice(Record):
    __slots__ = ()
    words = Text()
    command = Texts()
    #: ``once``, ``shell``, ``file`` or ``install``: how far it reaches.
    scope = Maybe()


class Fix(Record):
    __slots__ = ()
    fix = Text()
    title = Maybe()
    safety = Text()
    commands = Texts()
    proof = Facts()


class Finding(Record):
    __slots__ = ()
    rule = Text()
    cause = Text()
    #: ``error``, ``warning`` or ``info``.
    severity = Text()
    #: ``certain``, ``likely`` or ``possible``.
    certainty = Text()
    subject = Text()
    message = Text()
    short = Maybe()
    because = Texts()
    evidence = Texts()
    sources = Texts()
    facts = Facts()
    advice = Many(Advice)
    #: What fails or loses the GPU.
    breaks = Many(Affected)
    #: What runs, at risk or slower.
    endangers = Many(Affected)
    fixes = Many(Fix)


class JudgedProgram(Record):
    __slots__ = ()
    program = Text()
    version = Maybe()
    environment = Maybe()
    activities = Texts()
    cpu_only = Flag("cpuOnly")


class Unknown(Record):
    __slots__ = ()
    subject = Text()
    kind = Text()
    reason = Text()


class Check(Answer):
    __slots__ = ()
    #: ``ok``, ``findings``, ``incomplete`` or ``nothing-to-check``.
    status = Text()
    target = Facts()
    judged = Many(JudgedProgram)
    unknown = Many(Unknown)
    findings = Many(Finding)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")


class Evidence(Record):
    __slots__ = ()
    line = Number()
    text = Text()


class Diagnosis(Record):
    __slots__ = ()
    cause = Text()
    name = Maybe()
    library = Maybe()
    required = Maybe()
    found = Maybe()
    certainty = Text()
    symptom = Maybe()
    message = Text()
    because = Texts()
    evidence = Many(Evidence)
    #: What the machine showed that the text was joined with.
    machine = Texts()
    next = Texts()
    fixes = Many(Fix)


class Explanation(Answer):
    __slots__ = ()
    #: Most likely first; empty: it cannot be told from this text.
    diagnoses = Many(Diagnosis)
    next = Texts()
    fell_back_to_cpu = Flag("fellBackToCpu")
    lines = Number()


class Load(Record):
    __slots__ = ()
    name = Text()
    library = Maybe()
    version = Maybe()
    #: The file after all links.
    file = Text()
    path = Text()
    requested_by = Text("requestedBy")
    via = Text()
    activity = Text()
    certainty = Text()
    unmapped = Flag()
    tried = Texts()


class Failure(Record):
    __slots__ = ()
    name = Text()
    requested_by = Text("requestedBy")
    activity = Text()
    reason = Text()
    #: What the loader would say.
    message = Text()
    tried = Texts()


class Loads(Answer):
    __slots__ = ()
    program = Facts()
    loads = Many(Load)
    #: What stops the program or the activity.
    failures = Many(Failure)
    #: What is not found, and need not be.
    missed = Many(Failure)


class Request(Record):
    __slots__ = ()
    name = Text()
    requested_by = Text("requestedBy")
    file = Maybe()
    via = Maybe()


class Loser(Record):
    __slots__ = ()
    file = Text()
    because = Text()
    version = Maybe()


class Why(Answer):
    __slots__ = ()
    library = Text()
    program = Facts()
    requests = Many(Request)
    losers = Many(Loser)
    unknown = Many(Unknown)


class Package(Record):
    __slots__ = ()
    name = Text()
    version = Text()


class Environment(Record):
    __slots__ = ()
    prefix = Text()
    kind = Text()
    python = Maybe()
    version = Text()
    packages = Many(Package)


class Copy(Record):
    """One installed file of a known GPU library."""

    __slots__ = ()
    library = Text()
    file = Text()
    version = Maybe()
    soname = Maybe()
    owner = Facts()


class Framework(Record):
    __slots__ = ()
    framework = Text()
    package = Text()
    version = Text()
    environment = Text()
    verdict = Text()
    compiled_for = Facts("compiledFor")
    would_load = Facts("wouldLoad")


class Listing(Answer):
    __slots__ = ()
    driver = Facts()
    environments = Many(Environment)
    copies = Many(Copy)
    frameworks = Many(Framework)
    unknown = Many(Unknown)


class TraceFile(Record):
    __slots__ = ()
    file = Text()
    format = Text()
    #: ``healthy``, ``partial``, ``no-gpu-events``, ``cpu-only``, ``not-gpu``, ``damaged`` or ``not-a-trace``.
    verdict = Text()
    because = Texts()
    kernels = Number()
    launches = Number()
    unmatched_launches = Number("unmatchedLaunches")
    versions = Facts()


class Trace(Answer):
    __slots__ = ()
    files = Many(TraceFile)
