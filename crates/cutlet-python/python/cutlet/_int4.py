"""Weights of 4 bits as operators of torch: packing, the product, and the dequantisation for the
product's gradient.

codes, scales, zeros ─ pack_int4, on the host ─► Int4Weights ─┬─ linear_int4 ─► y
                                                              └─ dequantised ─► W, by torch
"""

import ctypes
from functools import lru_cache
from typing import Any, Dict, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from . import _native
from ._errors import OperatorError
from ._operators import PLANS, Plan, check_half, define, in_vectors, is_plain, key_of, number_of, remember
from ._recent import find, keep

# Packing pads the rows and the columns of W to multiples of these numbers, as `kernel_abi::weights`
# does.
ROWS = UNIT = 128


class Format(NamedTuple):
    """The format of packed weights W (n, k)."""

    n: int
    k: int
    group: int
    zeros: bool
    dtype: torch.dtype

    def text(self) -> str:
        """Returns the format as one argument of the operators, which takes less time per call than
        five arguments."""
        kind, of = "uint4" if self.zeros else "int4", "bf16" if self.dtype == torch.bfloat16 else "f16"
        return f"{kind}:{self.group}:{of}:{self.n}x{self.k}"


@lru_cache(maxsize=None)
def format_of(text: str) -> Format:
    """Parses a format such as ``int4:128:bf16:28672x8192``."""
    try:
        kind, group, of, extents = text.split(":")
        n, k = (int(extent) for extent in extents.split("x"))
        found = Format(n, k, int(group), kind == "uint4", torch.bfloat16 if of == "bf16" else torch.float16)
    except ValueError:
        found = None
    if found is None or found.text() != text:
        raise OperatorError(f"the format is {text!r}; it must be as 'int4:128:bf16:28672x8192', int4 or uint4, of bf16 or f16")
    if found.group not in (32, 64, 128):
        raise OperatorError(f"a group has {found.group} columns; it must have 32, 64 or 128")
    if found.n < 1 or found.k < 1 or found.k % found.group:
        raise OperatorError(
            f"the weights have {found.n} rows and {found.k} columns; both must be at least 1, and the columns a multiple of {found.group}"
        )
    return found


class Int4Weights(torch.nn.Module):  # type: ignore[misc]
    """Packed weights W (n, k) of 4 bits, with their format. `pack_int4` makes them.

    The module has two buffers of bytes, ``codes`` and ``groups`` (the scales, with the zeros). As a
    submodule of a layer it moves with ``layer.to(device)``, is part of the layer's ``state_dict``,
    and keeps its bytes when the layer is cast to another type. ``dtype`` is the type of the scales
    and of x, ``zeros`` says whether groups have zeros, and ``format`` is the whole format as a
    string.
    """

    codes: Tensor
    groups: Tensor

    def __init__(self, codes: Tensor, groups: Tensor, of: Format) -> None:
        super().__init__()
        self.register_buffer("codes", codes)
        self.register_buffer("groups", groups)
        self.n, self.k, self.group_size, self.zeros, self.dtype = of
        self.format = of.text()

    def forward(self, x: Tensor, bias: Optional[Tensor] = None) -> Tensor:
        """Computes `linear_int4` with these weights."""
        return linear_int4(x, self, bias)

    def dequantised(self) -> Tensor:
        """Returns W (n, k) in ``dtype``: ``scale (code - zero)``, rounded once."""
        return _dequantised(self.codes, self.groups, self.format)

    def extra_repr(self) -> str:
        return f"n={self.n}, k={self.k}, group_size={self.group_size}, zeros={self.zeros}, dtype={self.dtype}"

    def get_extra_state(self) -> Dict[str, Any]:
        return {"format": self.format}

    def set_extra_state(self, state: Dict[str, Any]) -> None:
        """Refuses the state of weights of another shape or format, because there the same bytes
        represent other numbers."""
        if state["format"] != self.format:
            raise OperatorError(f"the state is of weights {state['format']}; these are {self.format}")


def _padded(extent: int, to: int) -> int:
    return -(-extent // to) * to


def _check_packed(codes: Tensor, groups: Tensor, of: Format) -> None:
    """Refuses tensors that are not packed weights of this format."""
    elements = _padded(of.n, ROWS) * _padded(of.k, UNIT)
    of_groups = elements // of.group * (4 if of.zeros else 2)
    for name, tensor, size in (("codes", codes, elements // 2), ("groups", groups, of_groups)):
        if tensor.dtype != torch.uint8 or tuple(tensor.shape) != (size,) or not tensor.is_contiguous():
            raise OperatorError(f"{name} is {tuple(tensor.shape)} of {tensor.dtype}; it must be ({size},) of torch.uint8, contiguous")


# For each device, a tensor of places. At index n + 16 k it has the place of the code of row n and
# column k in a packed tile of 16 rows and 64 columns.
_PLACES: Dict[Any, Tensor] = {}


def _places(device: Any) -> Tensor:
    if device not in _PLACES:
        _PLACES[device] = torch.tensor(_native.int4_places(), device=device)
    return _PLACES[device]


def _dequantise(codes: Tensor, groups: Tensor, format: str) -> Tensor:
    n, k, group, zeros, dtype = of = format_of(format)
    _check_packed(codes, groups, of)
    blocks, units = _padded(n, ROWS) // 16, _padded(k, UNIT) // UNIT
    pairs = codes.view(blocks, 2 * units, 512)
    places = torch.stack((pairs & 15, pairs >> 4), -1).view(blocks, 2 * units, 1024)
    # Permutes (block, tile, column, row) to (block, row, tile, column).
    values = places.index_select(-1, _places(codes.device)).view(blocks, 2 * units, 64, 16).permute(0, 3, 1, 2)
    # A record belongs to a unit and to rows g and g + 8. It has two scales for each group, and then
    # two zeros if the format has zeros (`ScaleGroups`, `ZeroGroups`). This permutes (block, unit,
    # g, group, kind, half) to (kind, block, half, g, unit, group).
    records = groups.view(torch.int16).view(blocks, units, 8, UNIT // group, 2 if zeros else 1, 2).permute(4, 0, 5, 2, 1, 3)
    scales = records[0].contiguous().view(dtype).view(16 * blocks, -1, 1)
    w = values.reshape(16 * blocks, -1, group).to(dtype)
    w -= records[1].reshape(16 * blocks, -1, 1).to(dtype) if zeros else 8
    w *= scales
    return w.view(16 * blocks, -1)[:n, :k].contiguous()


def _fake_weights(codes: Tensor, groups: Tensor, format: str) -> Tensor:
    of = format_of(format)
    return codes.new_empty((of.n, of.k), dtype=of.dtype)


_dequantised = define("dequantise_int4", "(Tensor codes, Tensor groups, str format) -> Tensor", _dequantise, _fake_weights)


def _check(x: Tensor, bias: Optional[Tensor], codes: Tensor, groups: Tensor, of: Format) -> None:
    """Refuses operands that do not fit these weights."""
    check_half("x", x)
    _check_packed(codes, groups, of)
    if x.dtype != of.dtype:
        raise OperatorError(f"x is of {x.dtype}; it must be of the {of.dtype} that the weights were packed for")
    if x.dim() == 0:
        raise OperatorError("x has no dimension; it must be (.., k)")
    if x.size(-1) != of.k:
        raise OperatorError(f"x has {x.size(-1)} columns; it must have the weights' {of.k}")
    for name, tensor in (("the weights", codes), ("the scales", groups), ("bias", bias)):
        if tensor is not None and tensor.device != x.device:
            raise OperatorError(f"{name} is on {tensor.device}; it must be on x's {x.device}")
    if bias is not None and tuple(bias.shape) != (of.n,):
        raise OperatorError(f"bias is {tuple(bias.shape)}; it must be ({of.n},)")


def _plan(rows: Tensor, of: Format, bias: bool) -> Plan:
    problem = {
        "bf16": of.dtype == torch.bfloat16,
        "m": rows.size(0),
        "n": of.n,
        "k": of.k,
        "ld": rows.stride(0),
        "group": of.group,
        "zeros": of.zeros,
        "bias": bias,
    }
    return Plan(_native.linear_int4(problem, number_of(rows.device)), rows.device)


def _key(x: Tensor, codes: Tensor, groups: Tensor, bias: Optional[Tensor], format: str) -> Any:
    """Returns the key of a product's plan: all properties on which the plan depends."""
    return format, x.data_ptr() % 16, None if bias is None else (bias.shape, bias.device), key_of(x, codes, groups)


def _linear(x: Tensor, codes: Tensor, groups: Tensor, bias: Optional[Tensor], format: str) -> Tensor:
    key = _key(x, codes, groups, bias, format)
    plan, of = PLANS.get(key), format_of(format)
    rows = x
    if plan is None:
        _check(x, bias, codes, groups, of)
        rows = in_vectors(x[None] if x.dim() == 1 else x.flatten(0, -2))
        if rows.data_ptr() != x.data_ptr():
            # The copy has other strides or another alignment than x, and so another plan.
            return _linear(rows, codes, groups, bias, format).view(*x.shape[:-1], of.n)
        if rows.size(0) == 0:
            return x.new_empty((*x.shape[:-1], of.n))
        plan = remember(key, _plan(rows, of, bias is not None))
    # A plan is stored only if x needed no copy, so the rows begin at x's own address.
    return _multiply(plan, x.new_empty((*x.shape[:-1], of.n)), x, codes, groups, bias)


def _multiply(plan: Plan, d: Tensor, x: Tensor, codes: Tensor, groups: Tensor, bias: Optional[Tensor]) -> Tensor:
    """Launches a planned product, whose result is a new tensor."""
    if bias is not None:
        # The kernel adds it in f32, before the result is rounded.
        bias = bias.to(torch.float32).contiguous()
    plan.run(d, x, codes, groups, None, bias, None)
    return d


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    x, codes, groups, bias, ctx.format = inputs
    ctx.bias = None if bias is None else bias.dtype
    ctx.save_for_backward(codes, groups)


def _gradients(ctx: Any, grad: Tensor) -> Tuple[Any, ...]:
    needs = ctx.needs_input_grad
    dx = dbias = None
    if needs[0]:
        weights = _dequantised(*ctx.saved_tensors, ctx.format)
        rows = grad.reshape(-1, grad.size(-1)).contiguous()
        dx = torch.ops.cutlet.matmul(rows, weights, None).view(*grad.shape[:-1], weights.size(1))
    if needs[3]:
        dbias = grad.reshape(-1, grad.size(-1)).sum(0, dtype=torch.float32).to(ctx.bias)
    return dx, None, None, dbias, None


_linear_int4 = define(
    "linear_int4",
    "(Tensor x, Tensor codes, Tensor groups, Tensor? bias, str format) -> Tensor",
    _linear,
    lambda x, codes, groups, bias, format: x.new_empty((*x.shape[:-1], format_of(format).n)),
    _gradients,
    _keep,
)


def linear_int4(x: Tensor, weights: Int4Weights, bias: Optional[Tensor] = None) -> Tensor:
    """Computes ``x @ W.mT + bias`` with weights W (n, k) of 4 bits, accumulated in f32 and rounded
    once.

    ``x`` is (.., k). It has the type f16 or bf16 for which the weights were packed
    (``weights.dtype``), and is on their device. The result is (.., n). ``bias`` is (n,), of any
    floating type. The call copies x if its rows do not form a view of a matrix or do not begin at
    multiples of 16 bytes, and converts a bias that is not f32.

    The kernels are for GPUs of compute capability 9.0. On the CPU the emulator executes them. The
    kernels for few rows of x multiply a group's accumulator by the group's scale in f32. The
    kernels for many rows round each dequantised weight to x's type.

    x and the bias have gradients, and packed weights have none. For the gradient of x, torch's
    operations dequantise W (`Int4Weights.dequantised`, which takes memory for n k elements during
    the call), and `matmul` computes ``grad @ W``.

    Raises `OperatorError` if no kernel computes the product.
    """
    # Attributes are not used here, because a module looks them up in Python, which takes time.
    codes, groups = weights._buffers["codes"], weights._buffers["groups"]
    tensors = (x, codes, groups) if bias is None else (x, codes, groups, bias)
    call = (_linear_int4, weights.format, bias is None)
    known = find(call, tensors)
    # Calls are kept only if x begins at a multiple of 16 bytes.
    if known is not None and x.data_ptr() % 16 == 0:
        plan, of_result = known
        return _multiply(plan, x.new_empty_strided(*of_result), x, codes, groups, bias)
    d = _linear_int4(x, codes, groups, bias, weights.format)
    if is_plain(*tensors) and x.data_ptr() % 16 == 0:
        # There is no plan for this x if it was copied.
        plan = PLANS.get(_key(x, codes, groups, bias, weights.format))
        if plan is not None:
            keep(call, (plan, (tuple(d.shape), d.stride())), tensors)
    return d


def _on_host(tensor: Tensor) -> bytes:
    """Copies the bytes of a tensor to the host, row-major."""
    tensor = tensor.detach().cpu().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())


def _nibbles(name: str, tensor: Tensor) -> Tensor:
    """Returns the numbers as bytes. Refuses numbers that are not from 0 to 15."""
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        raise OperatorError(f"{name} are of {tensor.dtype}; they must be integers")
    if tensor.numel() and (int(tensor.min()) < 0 or int(tensor.max()) > 15):
        raise OperatorError(f"{name} are from {int(tensor.min())} to {int(tensor.max())}; they must be from 0 to 15")
    return tensor.to(torch.uint8)


def _check_words(name: str, tensor: Tensor, shape: str) -> None:
    """Refuses a tensor that is not a matrix of 32-bit words. Each word has 8 codes."""
    if tensor.dtype not in (torch.int32, getattr(torch, "uint32", torch.int32)) or tensor.dim() != 2:
        raise OperatorError(f"{name} is {tuple(tensor.shape)} of {tensor.dtype}; it must be {shape} of torch.int32")


def pack_int4(
    codes: Tensor,
    scales: Tensor,
    zeros: Optional[Tensor] = None,
    *,
    order: str = "rows",
    g_idx: Optional[Tensor] = None,
    dtype: Optional[torch.dtype] = None,
) -> Int4Weights:
    """Packs weights ``W[n, k] = scale (code - zero)`` of 4-bit codes for `linear_int4`.

    Each group of 32, 64 or 128 neighbouring columns of a row has one scale. The size of a group
    follows from the shapes of the tensors. ``order`` is the layout of the tensors:

    =============  ============================  ===========  ======================================
    ``order``      ``codes``                     ``scales``   ``zeros``
    =============  ============================  ===========  ======================================
    ``"rows"``     (n, k), 0 to 15               (n, groups)  (n, groups), 0 to 15
    ``"gptq"``     ``qweight``, int32 (k/8, n)   (groups, n)  ``qzeros``, int32 (groups, n/8), - 1
    ``"gptq_v2"``  ``qweight``, int32 (k/8, n)   (groups, n)  ``qzeros``, int32 (groups, n/8)
    ``"awq"``      ``qweight``, int32 (k, n/8)   (groups, n)  ``qzeros``, int32 (groups, n/8)
    =============  ============================  ===========  ======================================

    ``- 1`` means that ``qzeros`` contains each zero minus one. Without ``zeros`` every zero is 8,
    so the code of a signed number q is ``q + 8``. ``g_idx`` is GPTQ's group of each column.
    `pack_int4` refuses a ``g_idx`` that permutes the columns (``desc_act``). ``dtype``, f16 or
    bf16, is the type of x, to which the scales are rounded. The default is the scales' type.

    The host packs the weights, on whatever device the tensors are. The result is on the device of
    ``codes``.

    Raises `OperatorError` for other tensors.
    """
    if order not in ("rows", "gptq", "gptq_v2", "awq"):
        raise OperatorError(f"the order is {order!r}; it must be 'rows', 'gptq', 'gptq_v2' or 'awq'")
    dtype = scales.dtype if dtype is None else dtype
    if dtype not in (torch.bfloat16, torch.float16):
        raise OperatorError(f"the type of x is {dtype}; it must be torch.float16 or torch.bfloat16: dtype=..")
    if codes.dim() != 2 or scales.dim() != 2 or not scales.is_floating_point():
        raise OperatorError(f"codes is {tuple(codes.shape)} and scales {tuple(scales.shape)} of {scales.dtype}; they must be matrices, the scales floats")
    if order == "rows":
        (n, k), (rows, groups) = codes.shape, scales.shape
        of_zeros = (n, groups)
    else:
        _check_words("codes", codes, "(k, n / 8)" if order == "awq" else "(k / 8, n)")
        n, k = (8 * codes.size(1), codes.size(0)) if order == "awq" else (codes.size(1), 8 * codes.size(0))
        groups, rows = scales.shape
        of_zeros = (groups, n // 8)
    if rows != n or groups == 0 or n == 0 or k not in (32 * groups, 64 * groups, 128 * groups):
        raise OperatorError(
            f"scales is {tuple(scales.shape)} for {n} rows and {k} columns; "
            "there must be one for each row and 32, 64 or 128 columns, which divide the columns"
        )
    group = k // groups
    if zeros is not None:
        if tuple(zeros.shape) != of_zeros or (order != "rows" and n % 8):
            raise OperatorError(f"zeros is {tuple(zeros.shape)}; it must be {of_zeros}, and n, {n}, a multiple of 8 if words hold them")
        if order != "rows":
            _check_words("zeros", zeros, str(of_zeros))
    if g_idx is not None and not torch.equal(g_idx.detach().cpu().long(), torch.arange(k) // group):
        raise OperatorError(f"g_idx is not column // {group}: no kernel reads columns whose groups are permuted (desc_act)")
    if order == "rows":
        codes = _nibbles("codes", codes)
        stored = codes[:, 0::2] | codes[:, 1::2] << 4
        zeros = None if zeros is None else _nibbles("zeros", zeros)
    else:
        stored, scales = codes, scales.mT
    packed_codes, records, has_zeros = _native.pack_int4(
        {
            "bf16": dtype == torch.bfloat16,
            "n": n,
            "k": k,
            "group": group,
            "order": order.removesuffix("_v2"),
            "codes": _on_host(stored),
            "scales": _on_host(scales.to(dtype)),
            "zeros": None if zeros is None else _on_host(zeros),
            "stored_less": 1 if order == "gptq" else 0,
        }
    )
    buffers = [torch.frombuffer(bytearray(of), dtype=torch.uint8).to(codes.device) for of in (packed_codes, records)]
    return Int4Weights(buffers[0], buffers[1], Format(n, k, group, has_zeros, dtype))
