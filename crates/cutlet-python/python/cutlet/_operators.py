"""The common parts of the operators of torch: plans, the definition of an operator, and checks of
tensors.

tensors ─ key_of ─► PLANS ── known ─► Plan.run: torch's current stream, or the emulator
                      └───── new ─► checks, a plan of `_native`, `remember`

call of an operator ─ state_of ─┬─ nothing intercepts it ─► its kernel
                                └─ a mode, a transform, a tensor's own type ─► torch's dispatcher ─► its kernel
"""

import ctypes
from itertools import zip_longest
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _native
from ._errors import OperatorError

LIBRARY = torch.library.Library("cutlet", "DEF")
# A plan is made for the strides of its operands, so torch.compile must not change the strides.
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)


def _intercepts() -> bool:
    """Replaces a binding that this version of torch lacks. Every call then goes through the
    dispatcher."""
    return True


# torch's own bindings, which some versions lack: the number of active dispatch modes, the number of
# active function modes, whether a transform is active, whether a profiler is active, and the
# current stream of a GPU.
_modes: Any = getattr(torch._C, "_len_torch_dispatch_stack", _intercepts)
_functions: Any = getattr(torch._C, "_len_torch_function_stack", _intercepts)
_transforms: Any = getattr(torch._C, "_are_functorch_transforms_active", _intercepts)
_profiler: Any = getattr(torch.autograd, "_profiler_enabled", _intercepts)
_current_stream: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)
# Whether `torch.jit.trace` records calls.
_tracing: Any = getattr(torch._C, "_get_tracing_state", _intercepts)
# A tensor's dispatch keys, and the key of batched gradients (``is_grads_batched``): the transform that
# makes them is not active where a backward pass gets them.
_keys: Any = torch._C._dispatch_keys
_BATCHED: Any = torch._C._parse_dispatch_key("Batched")


# The numbers of roles in `Launches.buffers`.
OUTPUT, SCRATCH = 1, 2


class Plan:
    """An operator's launches for one problem on one device. ``is_like_first`` says that the result
    has the shape, the strides and the type of the first operand."""

    __slots__ = ("native", "launch", "buffers", "outputs", "scratch", "index", "is_direct", "is_like_first")

    def __init__(self, native: _native.Launches, device: Any, is_like_first: bool = False) -> None:
        self.native, self.launch = native, native.launch
        self.buffers = native.buffers()
        self.outputs = [place for place, (_, _, role) in enumerate(self.buffers) if role == OUTPUT]
        self.scratch = [(place, size) for place, (_, size, role) in enumerate(self.buffers) if role == SCRATCH and size > 0]
        self.index = number_of(device)
        # Most launches have no scratch: their addresses are the tensors' alone.
        self.is_direct = self.index is not None and not self.scratch
        self.is_like_first = is_like_first

    def run(self, *tensors: Optional[Tensor]) -> None:
        """Makes the launches, with one tensor for each buffer, in the buffers' order. Scratch, and
        buffers that the problem does not use, are ``None``. The caller may omit scratch at the end.
        """
        if self.is_direct and len(tensors) == len(self.buffers):
            self.launch(_current_stream(self.index), [0 if of is None else of.data_ptr() for of in tensors])
            return
        if self.index is None:
            self.emulate(tensors)
            return
        addresses = [0 if of is None else of.data_ptr() for of in tensors]
        if len(addresses) < len(self.buffers):
            addresses += [0] * (len(self.buffers) - len(addresses))
        # This reference keeps the scratch until the launches are enqueued. The allocator then
        # reuses the memory only on this stream, whose later work runs after the launches.
        held = self.scratch and self._new_scratch(addresses)
        self.launch(_current_stream(self.index), addresses)
        del held

    def _new_scratch(self, addresses: List[int]) -> List[Tensor]:
        """Allocates new scratch, and sets its addresses."""
        held = []
        for place, size in self.scratch:
            held.append(torch.empty(size, dtype=torch.uint8, device=f"cuda:{self.index}"))
            addresses[place] = held[-1].data_ptr()
        return held

    def emulate(self, tensors: Sequence[Optional[Tensor]]) -> None:
        """Runs the launches on the emulator, with tensors on the CPU."""
        held = zip_longest(tensors, self.buffers)
        results = self.native.emulate([b"" if tensor is None else ctypes.string_at(tensor.data_ptr(), of[1]) for tensor, of in held])
        for place, result in zip(self.outputs, results):
            tensor = tensors[place]
            if tensor is not None:
                ctypes.memmove(tensor.data_ptr(), result, len(result))


def number_of(device: Any) -> Optional[int]:
    """Returns the GPU's number, or ``None`` for the CPU."""
    return int(device.index) if device.type == "cuda" else None


def check_alike(name: str, tensor: Tensor, first: str, other: Tensor) -> None:
    """Refuses a tensor whose type or device differs from that of the first tensor."""
    if tensor.dtype != other.dtype:
        raise OperatorError(f"{name} is of {tensor.dtype}; it must be of {first}'s {other.dtype}")
    if tensor.device != other.device:
        raise OperatorError(f"{name} is on {tensor.device}; it must be on {first}'s {other.device}")


def check_half(name: str, tensor: Tensor) -> None:
    """Refuses types other than f16 and bf16, and devices other than CUDA devices and the CPU."""
    if tensor.dtype not in (torch.bfloat16, torch.float16):
        raise OperatorError(f"{name} is of {tensor.dtype}; the kernels are for torch.float16 and torch.bfloat16")
    if tensor.device.type not in ("cuda", "cpu"):
        raise OperatorError(f"{name} is on {tensor.device}; the kernels run on cuda, and on cpu by the emulator")


# The plans, by a key of all properties on which a plan depends. A problem that has a plan has
# passed the checks.
PLANS: Dict[Any, Plan] = {}
MOST_PLANS = 4096


def remember(key: Any, plan: Plan) -> Plan:
    if len(PLANS) >= MOST_PLANS:
        PLANS.clear()
    PLANS[key] = plan
    return plan


def key_of(*tensors: Tensor) -> Tuple[Any, ...]:
    """Returns the properties of tensors on which a plan depends."""
    key: List[Any] = []
    for of in tensors:
        key += (of.shape, of.stride(), of.dtype, of.device)
    return tuple(key)


def in_vectors(tensor: Tensor) -> Tensor:
    """Returns the tensor as the kernels read it: its elements have stride 1, and its rows begin at
    multiples of 16 bytes and do not overlap. Copies the tensor if it does not have this form."""
    *outer, by_element = tensor.stride()
    if by_element == 1 and all(by % 8 == 0 and by >= tensor.size(-1) for by in outer) and tensor.data_ptr() % 16 == 0:
        return tensor
    # `contiguous` would not copy a contiguous view that begins inside a vector.
    return tensor.clone(memory_format=torch.contiguous_format)


# The types of arguments that are not tensors.
NOT_TENSORS = frozenset((int, float, bool, str, type(None)))
INTERCEPTED, PLAIN, GRADIENTS = range(3)


def is_watched() -> bool:
    """Whether something intercepts every call that no tensor's dispatch keys show: a dispatch mode, a
    function mode, a profiler, or derivatives of forward mode."""
    return bool(_modes() or _functions() or _profiler() or forward_ad._current_level >= 0)


def state_of(arguments: Sequence[Any]) -> int:
    """How torch's dispatcher would treat the call of an operator: ``INTERCEPTED`` by a mode, a
    transform, a profiler or a tensor's own type; ``GRADIENTS`` if only autograd takes part; else
    ``PLAIN``."""
    if _transforms() or _tracing() or is_watched():
        return INTERCEPTED
    state = PLAIN
    for of in arguments:
        kind = type(of)
        if kind is Tensor or kind is torch.nn.Parameter:
            # A lazily negated view, which the dispatcher materialises, or a batch of gradients.
            if of.is_neg() or _keys(of).has(_BATCHED):
                return INTERCEPTED
            if of.requires_grad:
                state = GRADIENTS
        elif kind not in NOT_TENSORS:
            return INTERCEPTED
    return state if torch.is_grad_enabled() else PLAIN


def is_plain(*arguments: Any) -> bool:
    """Whether the call of an operator with these arguments has no gradients and nothing intercepts
    it. The caller may then call the operator's kernel directly, and omit results that it does not
    need."""
    return not torch.compiler.is_compiling() and state_of(arguments) == PLAIN


class Operator:
    """An operator of torch. If nothing intercepts a call, the call does not go through torch's
    dispatcher: the dispatcher takes longer than a launch, and its part for gradients takes twice as
    long again."""

    __slots__ = ("dispatched", "compute", "function")

    def __init__(self, dispatched: Any, compute: Any, function: Any) -> None:
        # torch's operator, its kernel, and the function with gradients, or None if it has no
        # gradients.
        self.dispatched, self.compute, self.function = dispatched, compute, function

    def __call__(self, *arguments: Any) -> Any:
        if torch.compiler.is_compiling():
            return self.dispatched(*arguments)
        return self.by_state(state_of(arguments), *arguments)

    def by_state(self, state: int, *arguments: Any) -> Any:
        """Calls the operator with arguments that have this `state_of`."""
        if state == INTERCEPTED:
            return self.dispatched(*arguments)
        if state == PLAIN or self.function is None:
            return self.compute(*arguments)
        return self.function.apply(*arguments)


def differentiable(name: str, forward: Any, backward: Any) -> Any:
    """Makes a function of autograd from its forward and its backward pass."""
    return type(name, (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def define(name: str, schema: str, compute: Any, fake: Any, gradients: Any = None, keep: Any = None) -> Operator:
    """Defines an operator of torch from its kernel for GPUs and the CPU, its fake kernel, its
    gradients if it has some, and ``keep``, which saves the tensors that the gradients need."""
    LIBRARY.define(name + schema, tags=TAGS)
    for key in ("CUDA", "CPU"):
        LIBRARY.impl(name, compute, key)
    torch.library.register_fake(f"cutlet::{name}", fake, lib=LIBRARY)
    dispatched = getattr(torch.ops.cutlet, name).default
    if gradients is None:
        return Operator(dispatched, compute, None)
    torch.library.register_autograd(f"cutlet::{name}", gradients, setup_context=keep, lib=LIBRARY)

    def forward(ctx: Any, *arguments: Any) -> Any:
        results = compute(*arguments)
        if keep is not None:
            keep(ctx, arguments, results)
        return results

    return Operator(dispatched, compute, differentiable(name, forward, gradients))
