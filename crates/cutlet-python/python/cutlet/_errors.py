"""The exceptions that the package raises."""

import os
from typing import Any, NamedTuple, Optional, Tuple


class CutletError(Exception):
    """The base class of all exceptions of the package."""


class NotationError(CutletError, ValueError):
    """The exception for an expression that has no value: a message, and the characters
    ``text[start:end]`` to which the message applies."""

    def __init__(self, message: str, text: str, start: int, end: int, help: Optional[str] = None) -> None:
        super().__init__(message, text, start, end, help)
        self.message, self.text, self.start, self.end, self.help = message, text, start, end, help

    def __str__(self) -> str:
        # The line of the text in which the marked part begins, with carets below this part.
        before = self.text[: self.start]
        first = before.rfind("\n") + 1
        line = self.text[first:].split("\n", 1)[0]
        width = max(1, min(self.end, first + len(line)) - self.start)
        shown = f"{self.message}\n    {line}\n    {' ' * (self.start - first)}{'^' * width}"
        return f"{shown}\n{self.help}" if self.help else shown


class DrawError(CutletError, ValueError):
    """The exception for a value that has no picture."""


class PtxError(CutletError, ValueError):
    """The exception for PTX that cannot be parsed, with ``line`` and ``column``, counted from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message, self.line, self.column = message, line, column

    def __str__(self) -> str:
        return self.message


class LaunchError(CutletError, ValueError):
    """The exception for a launch that cannot begin, for instance because of a wrong argument, a
    block that is too large or a missing kernel, or that the emulator ended."""


class LaunchFileError(LaunchError):
    """The exception for a launch file that cannot be used, with ``file``, ``line`` and ``column``,
    counted from 1."""

    def __init__(self, message: str, file: "os.PathLike[str]", line: int, column: int) -> None:
        super().__init__(message, file, line, column)
        self.message, self.file, self.line, self.column = message, file, line, column

    def __str__(self) -> str:
        return self.message


class OutputError(CutletError):
    """The exception for a launch whose ``output``, a buffer or a variable, is not what the launch
    file expects. ``problem`` has the sizes and the schedule."""

    def __init__(self, output: str, difference: str, problem: str) -> None:
        super().__init__(output, difference, problem)
        self.output, self.difference, self.problem = output, difference, problem

    def __str__(self) -> str:
        text = f"wrong result in `{self.output}`: {self.difference}"
        return f"{self.problem}: {text}" if self.problem else text


class OperatorError(CutletError, ValueError):
    """The exception for an operator that no kernel computes, because of a type, a shape or a
    stride. The message has the value found and the values allowed."""


class Place(NamedTuple):
    """A place in the code. A finding uses it for another access."""

    function: str
    instruction: str
    line: int
    source: Optional[Tuple[str, int, int]]


class Finding(CutletError):
    """An error of a kernel, found at an instruction. ``str(finding)`` is the whole message.

    ================  ========================================================================================
    ``kind``          ``race`` (shared memory), ``global_race``, ``out_of_bounds``, ``uninitialised``, ..
    ``what``          the sentence that describes the error
    ``kernel``        the kernel; ``function``: the kernel, or the function that it calls, with the error
    ``line``          the line of the PTX, from 1; ``instruction``: the instruction in this line
    ``source``        file, line and column of the source, if the PTX has them
    ``block``         the block; ``thread``: the thread, unless the whole warp or block is at fault
    ``warp``          the warp
    ``buffer``        the parameter or variable to which the address belongs; ``offset``: in bytes from its start
    ``element``       the element of the array
    ``address``       the address
    ``other``         a `Place`: the other access of a race, the later write of bytes that were read too early
    ``count``         the number of times the error was found, if the launch continued after it
    ``problem``       the sizes and the schedule, if a launch file has several; empty otherwise
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
    problem: str

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
