"""Runs PTX kernels on the emulator, and returns their findings and counters."""

import html
import os
import re
import struct
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native
from ._errors import Finding, LaunchError

Ptx = Union[str, "os.PathLike[str]"]
Extents = Union[int, Sequence[int]]


class uninitialised:
    """An array whose contents the kernel must not read before it has written them: ``check(..,
    args=[x, uninitialised(out)])``."""

    def __init__(self, array: Any) -> None:
        self.array = array


class Counters(NamedTuple):
    """The counters of a launch or of an instruction, summed over all warps."""

    executed: int
    flops: int
    shared_requests: int
    shared_wavefronts: int
    bank_conflicts: int
    shared_bytes: int
    global_requests: int
    global_sectors: int
    global_bytes: int
    local_requests: int


class Line(NamedTuple):
    """An instruction of the PTX, with its counters."""

    line: int
    instruction: str
    function: str
    source: Optional[Tuple[str, int]]
    lanes: Optional[int]
    diverged: Optional[int]
    counters: Counters


def _counters(found: Dict[str, Any], executed: int) -> Counters:
    return Counters(executed, *(found[name] for name in Counters._fields[1:]))


class Report:
    """The report of a launch that ended without an exception.

    ``instructions``, ``blocks`` and ``warps`` are numbers, and ``counters`` has the sums over all
    instructions. ``lines`` are the executed instructions in the order of the PTX. ``opcodes`` are
    the numbers of executions by opcode. ``output`` is what the kernel printed. ``findings`` are the
    findings after which the launch continued.
    """

    def __init__(self, kernel: str, found: Dict[str, Any]) -> None:
        self.kernel = kernel
        self.instructions: int = found["instructions"]
        self.blocks: int = found["blocks"]
        self.warps: int = found["warps"]
        self.opcodes: Dict[str, int] = found["opcodes"]
        self.output: str = found["output"]
        self.counters = _counters(found, found["instructions"])
        self.findings: List[Finding] = [Finding(fields) for fields in found["findings"]]
        self.lines: List[Line] = [
            Line(
                line["line"],
                line["instruction"],
                line["function"],
                line["source"],
                line["lanes"],
                line["diverged"],
                _counters(line, line["executed"]),
            )
            for line in found["lines"]
        ]

    def __repr__(self) -> str:
        count = len(self.findings)
        return (
            f"<{self.kernel}: {self.instructions} warp instructions of {self.blocks} blocks, "
            f"{count} finding{'' if count == 1 else 's'}>"
        )


class Profile(Report):
    """A report with a printed form: ``print(profile)``, or a table in a notebook."""

    _COLUMNS = ("executed", "shared_wavefronts", "bank_conflicts", "global_requests", "global_sectors", "flops")

    def top(self, by: str = "executed", count: int = 20) -> List[Line]:
        """Returns the instructions with the highest values of a counter."""
        if by not in Counters._fields:
            raise ValueError(f"there is no counter {by!r}: {', '.join(Counters._fields)}")
        return sorted(self.lines, key=lambda line: -getattr(line.counters, by))[:count]

    def sources(self) -> Dict[Tuple[str, int], Counters]:
        """Returns the sums of the counters by file and line of the source, if the PTX has source
        lines."""
        sums: Dict[Tuple[str, int], Counters] = {}
        for line in self.lines:
            if line.source is not None:
                before = sums.get(line.source, Counters(*[0] * len(Counters._fields)))
                sums[line.source] = Counters(*map(sum, zip(before, line.counters)))
        return sums

    def _rows(self) -> Iterator[Tuple[str, ...]]:
        for line in self.lines:
            numbers = (getattr(line.counters, name) for name in self._COLUMNS)
            yield (str(line.line), *(f"{number:,}" if number else "" for number in numbers), line.instruction)

    def __str__(self) -> str:
        rows = [("line", *(name.replace("_", " ") for name in self._COLUMNS), "PTX"), *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        table = ["  ".join([*(cell.rjust(width) for cell, width in zip(row, widths)), row[-1]]) for row in rows]
        return "\n".join([repr(self), *table, *(f"\n{finding.count} times: {finding}" for finding in self.findings)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ("line", *self._COLUMNS))
        body = []
        for row in self._rows():
            cells = "".join(f"<td style='text-align:right;white-space:nowrap'>{cell}</td>" for cell in row[:-1])
            code = f"<td style='text-align:left'><code>{html.escape(row[-1])}</code></td>"
            body.append(f"<tr>{cells}{code}</tr>")
        found = "".join(f"<pre>{html.escape(str(finding))}</pre>" for finding in self.findings)
        table = f"<table><thead><tr>{head}<th style='text-align:left'>PTX</th></tr></thead><tbody>{''.join(body)}</tbody></table>"
        return f"<p>{html.escape(repr(self))}</p><div style='overflow-x:auto'>{table}</div>{found}"


def _text(ptx: Ptx) -> str:
    """Returns the PTX: the string itself, or the contents of the file that it names."""
    if isinstance(ptx, str) and ("\n" in ptx or ".version" in ptx):
        return ptx
    path = os.fspath(ptx)
    if path.endswith(".toml"):
        raise LaunchError(f"{path}: launch files are run by the program, `cutlet check {path}`; this takes PTX and arrays")
    with open(path, encoding="utf-8") as file:
        return file.read()


def _extents(what: str, extents: Extents) -> Tuple[int, int, int]:
    numbers = [extents] if isinstance(extents, int) else list(extents)
    if not 1 <= len(numbers) <= 3 or not all(isinstance(n, int) and 0 < n < 1 << 31 for n in numbers):
        raise LaunchError(f"{what} = {extents!r}: it is one to three positive numbers")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _target(target: Optional[str], module: str) -> Tuple[int, int]:
    """Returns the chip as (major, minor): ``target`` if it is given. Otherwise it is sm_90, or the
    module's own target if that is newer."""

    def read(text: str) -> Tuple[int, int]:
        found = re.fullmatch(r"sm_(\d+)(\d)[af]?", text)
        if not found:
            raise LaunchError(f"target = {text!r}: it is written as sm_90")
        return int(found[1]), int(found[2])

    return read(target) if target is not None else max((9, 0), read(module))


def _bytes_of(argument: Any, place: str) -> Any:
    """Returns the array as a numpy array of bytes that shares its memory."""
    import numpy

    torch = sys.modules.get("torch")
    if torch is not None and isinstance(argument, torch.Tensor):
        if argument.device.type != "cpu":
            raise LaunchError(f"{place} is on {argument.device}: the emulator takes tensors on the CPU")
        if not argument.is_contiguous():
            raise LaunchError(f"{place} is not contiguous: pass the tensor that it is a view of")
        return argument.detach().reshape(-1).view(torch.uint8).numpy()
    array = numpy.asarray(argument)
    if array.dtype.hasobject:
        raise LaunchError(f"{place} has elements of type {array.dtype}: a kernel takes numbers")
    if not array.flags.c_contiguous:
        raise LaunchError(f"{place} is not contiguous (strides {array.strides} bytes): pass the array that it is a view of")
    return array.reshape(-1).view(numpy.uint8)


def _scalar(value: Any, size: int, ty: str, place: str) -> bytes:
    """Returns a number as the bytes of a parameter of this type."""
    kind = ty.lstrip(".")
    if value is None and size == 8:
        # A null pointer.
        value = 0
    if isinstance(value, (bool, int)) and not kind.startswith("f"):
        low, high = (-(1 << (8 * size - 1)), 1 << (8 * size))
        if kind.startswith("u"):
            low = -(1 << (8 * size - 1)) if size < 8 else low
        if not low <= value < high:
            raise LaunchError(f"{place} = {value}: it does not fit into {size} bytes ({ty})")
        return (value % (1 << (8 * size))).to_bytes(size, "little")
    if isinstance(value, (bool, int, float)) and kind[:1] in "fb" and size in (2, 4, 8):
        try:
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value)
        except OverflowError:
            raise LaunchError(f"{place} = {value}: it does not fit into a float of {size} bytes ({ty})") from None
    raise LaunchError(f"{place} is a {type(value).__name__}: the parameter is {ty}, {size} bytes")


def _takes(ty: str, kind: str) -> bool:
    """Whether a parameter of this type of PTX takes a numpy scalar of this kind: an integer takes no
    float, whose bits would be another number."""
    return not (kind == "f" and ty.lstrip(".")[:1] in ("u", "s"))


def _is_array(argument: Any) -> bool:
    """Whether the argument is an array. A numpy scalar, which has no dimensions, is not an array.
    """
    return getattr(argument, "ndim", None) not in (None, 0)


class _Arguments:
    """The arguments in the form that the emulator takes, and the arrays into which results go."""

    def __init__(self, given: Sequence[Any], kernel: str, params: List[Tuple[str, int, str]]) -> None:
        if len(given) != len(params):
            listed = ", ".join(f"{name} {ty}" for name, _, ty in params) or "none"
            raise LaunchError(f"{kernel} has {len(params)} parameters ({listed}), and {len(given)} arguments are given")
        self.native: List[Union[bytes, int]] = []
        self.buffers: List[Dict[str, Any]] = []
        self._views: List[Any] = []
        self._places: List[str] = []
        known: Dict[Tuple[int, int], int] = {}
        for number, (argument, (name, size, ty)) in enumerate(zip(given, params)):
            place = f"argument {number} ({name})"
            initialised = not isinstance(argument, uninitialised)
            array = argument if initialised else argument.array
            if not initialised and not _is_array(array):
                raise LaunchError(f"{place} is a {type(array).__name__}: only an array is uninitialised")
            if _is_array(array):
                if size != 8:
                    raise LaunchError(f"{place} is an array: the parameter is {ty}, no pointer")
                view = _bytes_of(array, place)
                where = (view.__array_interface__["data"][0], view.nbytes)
                # If the same array is given twice, it is one buffer.
                if where not in known or view.nbytes == 0:
                    known[where] = len(self.buffers)
                    shape = [int(extent) for extent in array.shape]
                    strides = [1] * len(shape)
                    for mode in range(len(shape) - 1, 0, -1):
                        strides[mode - 1] = strides[mode] * shape[mode]
                    count = max(1, strides[0] * shape[0])
                    self.buffers.append(
                        {
                            "bytes": view.tobytes(),
                            "extents": shape,
                            "strides": strides,
                            "element_bytes": max(1, view.nbytes // count),
                            "initialised": initialised,
                        }
                    )
                    self._views.append(view)
                    self._places.append(place)
                self.native.append(known[where])
            elif isinstance(array, (bytes, bytearray)):
                if len(array) != size:
                    raise LaunchError(f"{place} has {len(array)} bytes: the parameter is {ty}, {size} bytes")
                self.native.append(bytes(array))
            elif hasattr(array, "dtype") and hasattr(array, "tobytes") and array.dtype.itemsize == size and _takes(ty, array.dtype.kind):
                # A numpy scalar is passed as its bytes.
                self.native.append(array.tobytes())
            else:
                value = array.item() if hasattr(array, "item") else array
                self.native.append(_scalar(value, size, ty, place))

    def store(self, results: List[bytes]) -> None:
        """Copies what the kernel wrote into the arrays."""
        import numpy

        for view, place, buffer, result in zip(self._views, self._places, self.buffers, results):
            if result != buffer["bytes"]:
                if not view.flags.writeable:
                    raise LaunchError(f"{place} is read-only, and the kernel wrote it")
                view[:] = numpy.frombuffer(result, numpy.uint8)


def kernels(ptx: Ptx) -> Dict[str, List[Tuple[str, int, str]]]:
    """Returns the kernels of PTX, given as a string or a file: for each parameter its name, its
    size in bytes and its type.

    >>> kernels(".version 7.0\\n.target sm_80\\n.address_size 64\\n.entry k(.param .u64 p, .param .u32 n) { ret; }")
    {'k': [('p', 8, '.u64'), ('n', 4, '.u32')]}
    """
    return dict(_native.Module(_text(ptx)).kernels())


def _run(
    ptx: Ptx,
    kernel: Optional[str],
    grid: Extents,
    block: Extents,
    args: Sequence[Any],
    shared: int,
    cluster: Optional[Extents],
    target: Optional[str],
    schedule: str,
    budget: int,
    profile: bool,
    go_on: bool,
) -> Tuple[str, Dict[str, Any]]:
    module = _native.Module(_text(ptx))
    known = dict(module.kernels())
    if kernel is None:
        if len(known) != 1:
            raise LaunchError(f"the PTX has {len(known)} kernels, and kernel= names none: {', '.join(known) or 'none'}")
        kernel = next(iter(known))
    if kernel not in known:
        raise LaunchError(f"the PTX has no kernel {kernel!r}: {', '.join(known) or 'none'}")
    arguments = _Arguments(args, kernel, known[kernel])
    settings = {
        "kernel": kernel,
        "grid": _extents("grid", grid),
        "block": _extents("block", block),
        "shared": shared,
        "cluster": None if cluster is None else _extents("cluster", cluster),
        "target": _target(target, module.target),
        "schedule": schedule,
        "profile": profile,
        "go_on": go_on,
        "budget": budget,
    }
    report, fault, results = module.launch(settings, arguments.native, arguments.buffers)
    arguments.store(results)
    if fault is not None:
        raise Finding(fault)
    assert report is not None
    return kernel, report


def check(
    ptx: Ptx,
    kernel: Optional[str] = None,
    *,
    grid: Extents,
    block: Extents,
    args: Sequence[Any] = (),
    shared: int = 0,
    cluster: Optional[Extents] = None,
    target: Optional[str] = None,
    schedule: str = "early",
    budget: int = 1 << 36,
    all: bool = False,
) -> Report:
    """Runs a kernel on the emulator, and raises the first `Finding`: a race, an access out of
    bounds, a read of memory that was never written, ..

    ``ptx`` is PTX or the path of a file. ``kernel`` may be omitted if the PTX has only one kernel.
    ``grid``, ``block`` and ``cluster`` are one to three numbers each, and ``shared`` is the dynamic
    shared memory in bytes. ``args`` has one argument for each parameter of the PTX, also for
    parameters that the compiler added (Triton adds two pointers at the end: pass ``None``). An
    argument is a contiguous numpy array or a torch tensor on the CPU, which contains the results
    after the call, or ``uninitialised(array)`` for an array that the kernel must write before it
    reads it, or a number, or ``bytes`` for a struct.

    ``target`` is the chip. It is ``sm_90`` unless the PTX is for a newer chip. ``schedule`` says
    when asynchronous copies and products happen: ``early``, ``late`` or ``seeded:NUMBER``. A
    correct kernel has the same result with each. ``budget`` is the number of warp instructions that
    the kernel may execute. With ``all`` the kernel continues after findings if it can, and
    `Report.findings` contains them.

    Raises `Finding`. Raises `PtxError` for a string that is not PTX, and `LaunchError` for a launch
    that is not possible.
    """
    return Report(*_run(ptx, kernel, grid, block, args, shared, cluster, target, schedule, budget, False, all))


def profile(
    ptx: Ptx,
    kernel: Optional[str] = None,
    *,
    grid: Extents,
    block: Extents,
    args: Sequence[Any] = (),
    shared: int = 0,
    cluster: Optional[Extents] = None,
    target: Optional[str] = None,
    schedule: str = "early",
    budget: int = 1 << 36,
) -> Profile:
    """Runs a kernel as `check` does, and counts executions, lanes, wavefronts and bank conflicts of
    shared memory, sectors of global memory, and operations, by instruction and by line of the
    source. It does not measure times. Findings are in ``findings``. The call raises a finding only
    if no kernel can continue after it."""
    return Profile(*_run(ptx, kernel, grid, block, args, shared, cluster, target, schedule, budget, True, True))
