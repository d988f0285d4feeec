"""What the package raises."""

from typing import Any, NamedTuple, Optional, Tuple


class CutletError(Exception):
    """The base of all."""


class NotationError(CutletError, ValueError):
    """An expression that is no value: its message, and the characters ``text[start:end]`` that it is about."""

    def __init__(self, message: str, text: str, start: int, end: int, help: Optional[str] = None) -> None:
        super().__init__(message, text, start, end, help)
        self.message, self.text, self.start, self.end, self.help = message, text, start, end, help

    def __str__(self) -> str:
        # The line of the text in which the place begins, with carets below it.
        before = self.text[: self.start]
        first = before.rfind("\n") + 1
        line = self.text[first:].split("\n", 1)[0]
        width = max(1, min(self.end, first + len(line)) - self.start)
        shown = f"{self.message}\n    {line}\n    {' ' * (self.start - first)}{'^' * width}"
        return f"{shown}\n{self.help}" if self.help else shown


class DrawError(CutletError, ValueError):
    """A value that has no picture."""


class PtxError(CutletError, ValueError):
    """PTX that cannot be read, with ``line`` and ``column``, from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message, self.line, self.column = message, line, column

    def __str__(self) -> str:
        return self.message


class LaunchError(CutletError, ValueError):
    """A launch that cannot begin, or that the emulator ended: a wrong argument, a block too large, no such kernel."""


class OperatorError(CutletError, ValueError):
    """No kernel computes the operator: a type, a shape or a stride, with the value found and those allowed."""


class Place(NamedTuple):
    """A place in the code: another access, of which a finding tells."""

    function: str
    instruction: str
    line: int
    source: Optional[Tuple[str, int, int]]


class Finding(CutletError):
    """What a kernel does wrong, at its instruction. ``str(finding)`` is the whole message.

    ================  ========================================================================================
    ``kind``          ``race`` (shared memory), ``global_race``, ``out_of_bounds``, ``uninitialised``, ..
    ``what``          the sentence
    ``kernel``        the kernel; ``function``: where it happened, the kernel or what it calls
    ``line``          the line of the PTX, from 1; ``instruction``: what stands there
    ``source``        file, line and column of the source, where the PTX has them
    ``block``         the block; ``thread``: the thread, unless the whole warp or block is at fault
    ``warp``          the warp
    ``buffer``        the parameter or variable that the address belongs to; ``offset``: in bytes from its start
    ``element``       the element of the array
    ``address``       the address
    ``other``         a `Place`: the other access of a race, the later write of bytes that were read too early
    ``count``         how often it was found, where the launch went on
    ================  ========================================================================================
    """

    kind: str
    what: str
    kernel: str
    function: str
    instruction: str
    line: int
    source: Optional[Tuple[str, int, int]]
    block: Tuple[int, int, int]
    thread: Optional[Tuple[int, int, int]]
    warp: Optional[int]
    address: Optional[int]
    buffer: Optional[str]
    offset: Optional[int]
    element: Optional[str]
    other: Optional[Place]
    count: int

    def __init__(self, fields: Any) -> None:
        super().__init__(fields["text"])
        self._fields = dict(fields)
        for name, value in fields.items():
            if name == "other" and value is not None:
                value = Place(**value)
            elif name in ("block", "thread") and value is not None:
                value = tuple(value)
            if name != "text":
                setattr(self, name, value)

    def __reduce__(self) -> Any:
        return (Finding, (self._fields,))

    def __repr__(self) -> str:
        return f"Finding({self.kind!r}, line {self.line}: {self.instruction!r})"
