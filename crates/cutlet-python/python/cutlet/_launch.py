"""Runs PTX kernels and launch files on the emulator, and returns their findings and counters."""

import html
import operator
import os
import re
import struct
import sys
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

from . import _native
from ._errors import Finding, LaunchError, OutputError

Ptx = Union[str, "os.PathLike[str]"]
Extents = Union[int, Sequence[int]]


class uninitialised:
    """An array whose contents the kernel must not read before it has written them: ``check(..,
    args=[x, uninitialised(out)])``."""

    def __init__(self, array: Any) -> None:
        self.array = array


class TensorMap:
    """A tensor map of an array, for a parameter of 128 bytes: what a kernel's TMA copies take.
    ``check(.., args=[TensorMap(x, box=(64, 8), swizzle=128), y])``.

    The values are those of a launch file and of CUDA's ``cuTensorMapEncodeTiled``. Their lists begin
    with the innermost dimension, which is the last one of the array.

    =====================  =====================================================================================
    ``array``              a contiguous numpy array or torch tensor, or ``uninitialised(array)``
    ``box``                the number of elements that the box spans along each dimension
    ``extents``            the number of elements along each dimension; the array's if omitted
    ``strides``            the bytes between neighbours along each dimension except the innermost; the array's
                           if ``strides`` and ``extents`` are omitted
    ``swizzle``            the span of the swizzle in bytes, 32, 64 or 128, or ``"none"``
    ``element``            the format: ``u8``, ``i8``, .. ``f64``, ``tf32``, ``f32_ftz``, ``tf32_ftz``; the
                           array's if omitted
    ``element_strides``    along each dimension, the box contains every n-th of the elements that it spans
    ``oob_fill``           what elements outside the tensor read as: ``"zeros"`` or ``"nan"``
    ``offset``             the bytes from the array's start to the tensor, a multiple of 16
    =====================  =====================================================================================

    The launch raises `LaunchError` for values that no tensor map can have.

    >>> import numpy
    >>> TensorMap(numpy.zeros((8, 64), numpy.float16), box=(64, 8), swizzle=128)
    TensorMap(f16, extents=[64, 8], strides=[128], box=[64, 8], swizzle=128)
    """

    def __init__(
        self,
        array: Any,
        *,
        box: Sequence[int],
        extents: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None,
        swizzle: Union[int, str] = "none",
        element: Optional[str] = None,
        element_strides: Optional[Sequence[int]] = None,
        oob_fill: str = "zeros",
        offset: int = 0,
    ) -> None:
        self.array = array
        of = array.array if isinstance(array, uninitialised) else array
        if not _is_array(of):
            raise LaunchError(f"a TensorMap is of an array, not of a {type(of).__name__}")
        shape = [int(extent) for extent in reversed(of.shape)]
        if strides is None:
            strides, size = [], int(of.dtype.itemsize)
            # Without extents the tensor is the whole array.
            for extent in shape[:-1] if extents is None else ():
                size *= extent
                strides.append(size)
        self.extents = _numbers("extents", shape if extents is None else extents, 1 << 64)
        self.strides = _numbers("strides", strides, 1 << 64)
        self.box = _numbers("box", box, 1 << 32)
        self.element_strides = None if element_strides is None else _numbers("element_strides", element_strides, 1 << 32)
        self.element = _format(of) if element is None else element
        self.swizzle = swizzle
        self.oob_fill = oob_fill
        (self.offset,) = _numbers("offset", [offset], 1 << 64)

    def __repr__(self) -> str:
        return f"TensorMap({self.element}, extents={self.extents}, strides={self.strides}, box={self.box}, swizzle={self.swizzle})"

    def _native(self, place: str, buffer: int) -> Dict[str, Any]:
        """Returns the values for the emulator, which checks them."""
        swizzle = None if self.swizzle == "none" else self.swizzle
        if swizzle is not None and (isinstance(swizzle, bool) or not isinstance(swizzle, int)):
            raise LaunchError(f'{place}: `swizzle` is 32, 64 or 128 bytes, or "none", not {self.swizzle!r}')
        return {
            "place": place,
            "buffer": buffer,
            "offset": self.offset,
            "element": str(self.element),
            "extents": self.extents,
            "strides": self.strides,
            "box": self.box,
            "element_strides": self.element_strides,
            "swizzle": swizzle,
            "oob_fill": str(self.oob_fill),
        }


def _numbers(what: str, values: Sequence[int], end: int) -> List[int]:
    """Returns integers of 0 or more, below ``end``."""
    found = []
    for value in values:
        try:
            number = operator.index(value)
        except TypeError:
            number = -1
        if not 0 <= number < end:
            raise LaunchError(f"{what} = {list(values)!r}: numbers from 0 to {end - 1}, the innermost dimension first")
        found.append(number)
    return found


# The format of a tensor map by the name of an array's type.
_FORMATS = {
    **{f"{sign}int{bits}": f"{letter}{bits}" for sign, letter in (("u", "u"), ("", "i")) for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    "bfloat16": "bf16",
    # Copies move bytes, whatever 8-bit format these are of.
    "float8_e4m3fn": "u8",
    "float8_e5m2": "u8",
}


def _format(array: Any) -> str:
    name = str(array.dtype).rsplit(".", 1)[-1]
    if name not in _FORMATS:
        raise LaunchError(f"a TensorMap of {name}: element= names its format; arrays of {', '.join(_FORMATS)} have one")
    return _FORMATS[name]


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

    For a launch of a launch file, ``problem`` has the sizes and the schedule. The last report of a
    case has ``outputs``, the lines that the file prints, and with ``all`` it has ``wrong``, the
    `OutputError` for an output that is not what the file expects.
    """

    def __init__(self, kernel: str, found: Dict[str, Any], problem: str = "") -> None:
        self.kernel = kernel
        self.problem = problem
        self.outputs: List[str] = []
        self.wrong: Optional[OutputError] = None
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
        name = f"{self.kernel}, {self.problem}" if self.problem else self.kernel
        return (
            f"<{name}: {self.instructions} warp instructions of {self.blocks} blocks, "
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


def _is_launch_file(ptx: Ptx) -> bool:
    text = os.fspath(ptx)
    return text.endswith(".toml") and "\n" not in text


def _text(ptx: Ptx) -> str:
    """Returns the PTX: the string itself, or the contents of the file that it names."""
    if isinstance(ptx, str) and ("\n" in ptx or ".version" in ptx):
        return ptx
    path = os.fspath(ptx)
    if _is_launch_file(ptx):
        raise LaunchError(f"{path} is a launch file: `check` and `profile` take it, `kernels` takes PTX")
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
        self.native: List[Union[bytes, int, Dict[str, Any]]] = []
        self.buffers: List[Dict[str, Any]] = []
        self._views: List[Any] = []
        self._places: List[str] = []
        known: Dict[Tuple[int, int], int] = {}
        for number, (argument, (name, size, ty)) in enumerate(zip(given, params)):
            place = f"argument {number} ({name})"
            tensor_map = argument if isinstance(argument, TensorMap) else None
            of = argument if tensor_map is None else tensor_map.array
            initialised = not isinstance(of, uninitialised)
            array = of if initialised else of.array
            if tensor_map is not None and size != 128:
                raise LaunchError(f"{place} is a TensorMap, 128 bytes: the parameter is {ty}, {size} bytes")
            if not initialised and not _is_array(array):
                raise LaunchError(f"{place} is a {type(array).__name__}: only an array is uninitialised")
            if _is_array(array):
                if size != 8 and tensor_map is None:
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
                self.native.append(known[where] if tensor_map is None else tensor_map._native(place, known[where]))
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


def _of_file(
    path: str,
    sizes: Optional[Mapping[str, int]],
    schedule: Optional[str],
    budget: int,
    profile: bool,
    go_on: bool,
) -> List[List[Report]]:
    """Runs a launch file, and returns the reports of each run, one for each launch. Raises the
    first finding."""
    # The same exception as for PTX that is not there.
    os.stat(path)
    runs = _native.LaunchFile(path).run(
        {
            "sizes": None if sizes is None else [(str(name), operator.index(value)) for name, value in sizes.items()],
            "schedule": schedule,
            "profile": profile,
            "go_on": go_on,
            "budget": budget,
        }
    )
    kind = Profile if profile else Report
    found = []
    for run in runs:
        if run["fault"] is not None:
            raise Finding(run["fault"])
        reports = [kind(kernel, report, run["problem"]) for kernel, report in zip(run["kernels"], run["reports"])]
        reports[-1].outputs = run["outputs"]
        if run["wrong"] is not None:
            output, difference = run["wrong"]
            wrong = OutputError(output, difference, run["problem"])
            if not go_on:
                raise wrong
            reports[-1].wrong = wrong
        found.append(reports)
    return found


def _only_ptx(path: Ptx, given: Mapping[str, Any], takes: str) -> None:
    """Refuses arguments that a launch file itself gives."""
    names = [f"{name}=" for name, value in given.items() if value is not None]
    if names:
        raise LaunchError(f"{os.fspath(path)} is a launch file, which says itself how it is launched: it takes {takes}, not {', '.join(names)}")


def _only_files(given: Mapping[str, Any], grid: Optional[Extents], block: Optional[Extents]) -> Tuple[Extents, Extents]:
    """Refuses arguments that only a launch file takes. Returns the grid and the block, which PTX
    needs."""
    names = [f"{name}=" for name, value in given.items() if value is not None]
    if names:
        raise LaunchError(f"{', '.join(names)}: only a launch file (*.toml) takes it, PTX takes numbers as args=")
    if grid is None or block is None:
        raise TypeError("PTX needs grid= and block=; only a launch file (*.toml) has its own")
    return grid, block


@overload
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
    schedule: Optional[str] = None,
    budget: int = 1 << 36,
    all: bool = False,
) -> Report: ...
@overload
def check(
    ptx: Ptx,
    *,
    sizes: Optional[Mapping[str, int]] = None,
    schedule: Optional[str] = None,
    budget: int = 1 << 36,
    all: bool = False,
) -> List[Report]: ...
def check(
    ptx: Ptx,
    kernel: Optional[str] = None,
    *,
    grid: Optional[Extents] = None,
    block: Optional[Extents] = None,
    args: Sequence[Any] = (),
    shared: int = 0,
    cluster: Optional[Extents] = None,
    target: Optional[str] = None,
    sizes: Optional[Mapping[str, int]] = None,
    schedule: Optional[str] = None,
    budget: int = 1 << 36,
    all: bool = False,
) -> Union[Report, List[Report]]:
    """Runs a kernel on the emulator, and raises the first `Finding`: a race, an access out of
    bounds, a read of memory that was never written, ..

    ``ptx`` is PTX or the path of a file. ``kernel`` may be omitted if the PTX has only one kernel.
    ``grid``, ``block`` and ``cluster`` are one to three numbers each, and ``shared`` is the dynamic
    shared memory in bytes. ``args`` has one argument for each parameter of the PTX, also for
    parameters that the compiler added (Triton adds two pointers at the end: pass ``None``). An
    argument is a contiguous numpy array or a torch tensor on the CPU, which contains the results
    after the call, or ``uninitialised(array)`` for an array that the kernel must write before it
    reads it, or a `TensorMap` of an array, or a number, or ``bytes`` for a struct.

    ``target`` is the chip. It is ``sm_90`` unless the PTX is for a newer chip. ``schedule`` says
    when asynchronous copies and products happen: ``early`` if omitted, ``late`` or
    ``seeded:NUMBER``. A correct kernel has the same result with each. ``budget`` is the number of
    warp instructions that the kernel may execute. With ``all`` the kernel continues after findings
    if it can, and `Report.findings` contains them.

    If ``ptx`` is the path of a launch file (``*.toml``), the call does what ``cutlet check FILE``
    does: it runs the file's launches at all its sizes with every check, and under ``early``,
    ``late`` and ``seeded:1`` if a kernel has asynchronous copies or products. ``sizes`` replaces
    the file's sizes, as in ``{"n": 1000}``, and ``schedule`` names the only schedule. The call
    returns a list with a `Report` for each launch of each run, and raises `OutputError` for an
    output that is not what the file expects.

    Raises `Finding`. Raises `PtxError` for a string that is not PTX, `LaunchFileError` for a launch
    file that cannot be used, and `LaunchError` for a launch that is not possible.
    """
    if _is_launch_file(ptx):
        given = {"kernel": kernel, "grid": grid, "block": block, "cluster": cluster, "target": target}
        _only_ptx(ptx, {**given, "args": args if len(args) else None, "shared": shared or None}, "sizes=, schedule=, budget= and all=")
        runs = _of_file(os.fspath(ptx), sizes, schedule, budget, False, all)
        return [report for reports in runs for report in reports]
    grid, block = _only_files({"sizes": sizes}, grid, block)
    return Report(*_run(ptx, kernel, grid, block, args, shared, cluster, target, schedule or "early", budget, False, all))


@overload
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
    schedule: Optional[str] = None,
    budget: int = 1 << 36,
) -> Profile: ...
@overload
def profile(
    ptx: Ptx,
    *,
    sizes: Optional[Mapping[str, int]] = None,
    launch: Optional[int] = None,
    schedule: Optional[str] = None,
    budget: int = 1 << 36,
) -> Profile: ...
def profile(
    ptx: Ptx,
    kernel: Optional[str] = None,
    *,
    grid: Optional[Extents] = None,
    block: Optional[Extents] = None,
    args: Sequence[Any] = (),
    shared: int = 0,
    cluster: Optional[Extents] = None,
    target: Optional[str] = None,
    sizes: Optional[Mapping[str, int]] = None,
    launch: Optional[int] = None,
    schedule: Optional[str] = None,
    budget: int = 1 << 36,
) -> Profile:
    """Runs a kernel as `check` does, and counts executions, lanes, wavefronts and bank conflicts of
    shared memory, sectors of global memory, and operations, by instruction and by line of the
    source. It does not measure times. Findings are in ``findings``. The call raises a finding only
    if no kernel can continue after it.

    If ``ptx`` is the path of a launch file (``*.toml``), the call runs the file's first sizes, or
    ``sizes`` in their place, under one schedule. It saves and compares no output, and returns the
    profile of the last launch, or of the launch with the number ``launch``, counted from 1.
    """
    if _is_launch_file(ptx):
        given = {"kernel": kernel, "grid": grid, "block": block, "cluster": cluster, "target": target}
        _only_ptx(ptx, {**given, "args": args if len(args) else None, "shared": shared or None}, "sizes=, launch=, schedule= and budget=")
        (reports,) = _of_file(os.fspath(ptx), sizes or {}, schedule or "early", budget, True, True)
        number = len(reports) if launch is None else launch
        if not 1 <= number <= len(reports):
            raise LaunchError(f"{os.fspath(ptx)} has the launches 1 to {len(reports)}, no launch {number}")
        found = reports[number - 1]
        assert isinstance(found, Profile)
        return found
    grid, block = _only_files({"sizes": sizes, "launch": launch}, grid, block)
    return Profile(*_run(ptx, kernel, grid, block, args, shared, cluster, target, schedule or "early", budget, True, True))
