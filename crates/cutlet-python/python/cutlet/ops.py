"""Cutlet's kernels as operators of torch: attention, and products, also with weights of 4 bits.

=====================================  ==========================================================
``attention(q, k, v, ..)``             (B, H, S, D), any strides; gradients
``attention_varlen(q, k, v, ..)``      packed sequences (rows, H, D); gradients
``matmul(a, b, bias)``                 row- or column-major, batches; gradients
``linear_int4(x, weights, bias)``      (.., k), weights of ``pack_int4``; gradients of x and bias
=====================================  ==========================================================

They are ``torch.library`` operators (``torch.ops.cutlet``), with autograd and with fake kernels for
``torch.compile``. They launch on the current stream. A CUDA graph can capture an operator after a
first call outside of the capture, in which the driver compiles the kernels. For tensors on the CPU,
the emulator executes the same PTX and checks every access. It is for tests: it computes some
thousand elements a second.

If the kernels do not take an operand, the operators raise `OperatorError` with the values found and
the values allowed. The operands of attention are never copied. The gradient of a result is copied
if its layout is not one that the kernels read. `matmul` converts a bias that is not f32, and copies
an ``a`` that has more dimensions than ``b`` and whose rows do not form a view of a matrix.
"""

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

from . import _native
from ._errors import OperatorError

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise ImportError("cutlet.ops computes on tensors of torch, and torch cannot be imported: pip install torch") from error

from ._int4 import Int4Weights, linear_int4, pack_int4
from ._operators import GRADIENTS, INTERCEPTED, PLAIN, PLANS, Operator, Plan, check_alike, check_half, define, differentiable, in_vectors, key_of, number_of, remember, state_of
from ._recent import find, keep, recent

__all__ = ["Int4Weights", "attention", "attention_varlen", "kernels", "linear_int4", "matmul", "pack_int4"]

Window = Tuple[Optional[int], Optional[int]]

# A module's attribute is found faster than an attribute of torch.
_empty_like = torch.empty_like


def _heads(name: str, tensor: Tensor, dims: int) -> None:
    """Refuses a tensor that is not a tensor of heads."""
    if tensor.dim() != dims:
        order = "(batches, heads, rows, D)" if dims == 4 else "(rows, heads, D)"
        raise OperatorError(f"{name} has {tensor.dim()} dimensions; it must have {dims}: {order}")
    if tensor.stride(-1) != 1 and tensor.size(-1) > 1:
        raise OperatorError(f"the last dimension of {name} has stride {tensor.stride(-1)}; it must be 1: {name}.contiguous()")


def _strides(tensor: Tensor) -> Tuple[int, int, int]:
    """Returns the strides of rows, heads and batches."""
    if tensor.dim() == 3:
        return tensor.stride(0), tensor.stride(1), 0
    return tensor.stride(2), tensor.stride(1), tensor.stride(0)


def _attention_plan(
    q: Tensor,
    k: Tensor,
    tensors: Sequence[Tensor],
    sequences: Optional[int],
    mask: Tuple[int, int, float],
    scores: Tuple[float, bool, bool] = (0.0, False, False),
    with_lse: bool = True,
) -> Plan:
    """Returns the launches of an attention, whose tensors are Q, K, V and O, or the launches of its
    gradients if dO, dQ, dK and dV follow. ``scores`` are the soft cap, and whether there are slopes
    and sinks."""
    if sequences is None:
        (batches, heads, queries, dim), (key_heads, keys) = q.shape, k.shape[1:3]
    else:
        batches, (queries, heads, dim), (keys, key_heads) = 1, q.shape, k.shape[:2]
    strides = [_strides(of) for of in tensors]
    before, after, scale = mask
    soft_cap, alibi, sinks = scores
    problem: Dict[str, Any] = {
        "bf16": q.dtype == torch.bfloat16,
        "batches": batches,
        "heads": heads,
        "key_heads": key_heads,
        "queries": queries,
        "keys": keys,
        "dim": dim,
        "dim_v": tensors[2].size(-1),
        "before": None if before < 0 else before,
        "after": None if after < 0 else after,
        "scale": scale,
        "lse": with_lse,
        "strides": strides[:4],
        "gradients": strides[4:] or None,
        "sequences": sequences,
        "soft_cap": soft_cap if soft_cap != 0.0 else None,
        "alibi": alibi,
        "sinks": sinks,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }
    o = tensors[3]
    is_like_q = o.shape == q.shape and o.stride() == torch.empty_like(q).stride()
    return Plan(_native.attention(problem, number_of(q.device)), q.device, is_like_q)


def _result(q: Tensor, v: Tensor) -> Tensor:
    """Returns a new O. Its dimensions have the order of Q's in memory if it has as many columns as
    Q."""
    if q.size(-1) == v.size(-1):
        return torch.empty_like(q)
    return q.new_empty((*q.shape[:-1], v.size(-1)))


def _rows(q: Tensor) -> Tuple[int, ...]:
    """Returns the shape of the log-sum-exp: (batches, heads, rows), or (heads, rows) for packed
    sequences."""
    return tuple(q.shape[:3]) if q.dim() == 4 else (q.size(1), q.size(0))


def _lse(q: Tensor) -> Tensor:
    """Returns a new tensor for the log-sum-exp of each row."""
    return q.new_empty(_rows(q), dtype=torch.float32)


def _check(q: Tensor, k: Tensor, v: Tensor, dims: int) -> None:
    """Refuses tensors that are not the operands of one attention with this number of dimensions."""
    check_half("q", q)
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        _heads(name, tensor, dims)
        check_alike(name, tensor, "q", q)
    if k.shape[:-1] != v.shape[:-1]:
        raise OperatorError(f"k is {tuple(k.shape)} and v {tuple(v.shape)}; all but their last dimensions must be equal")
    if k.size(-1) != q.size(-1):
        raise OperatorError(f"k has {k.size(-1)} columns; it must have q's {q.size(-1)}")
    if dims == 4 and k.size(0) != q.size(0):
        raise OperatorError(f"k has {k.size(0)} batches; it must have q's {q.size(0)}")


def _check_results(q: Tensor, v: Tensor, o: Tensor, lse: Tensor, grad: Tensor) -> None:
    """Refuses tensors that are not the results of the forward pass and the gradient of o."""
    shape = (*q.shape[:-1], v.size(-1))
    for name, of in (("o", o), ("the gradient of o", grad)):
        _heads(name, of, q.dim())
        check_alike(name, of, "q", q)
        if tuple(of.shape) != shape:
            raise OperatorError(f"{name} is {tuple(of.shape)}; it must be {shape}")
    if lse.dtype != torch.float32 or tuple(lse.shape) != _rows(q) or not lse.is_contiguous():
        raise OperatorError(f"lse is {tuple(lse.shape)} of {lse.dtype}; it must be {_rows(q)} of torch.float32, contiguous")
    if lse.device != q.device:
        raise OperatorError(f"lse is on {lse.device}; it must be on q's {q.device}")


def _check_starts(q: Tensor, starts: Tuple[Tensor, ...]) -> int:
    """Refuses starts that are no list of packed sequences. Returns the number of sequences."""
    for name, tensor in zip(("cu_seqlens_q", "cu_seqlens_k"), starts):
        if tensor.dtype not in (torch.int32, getattr(torch, "uint32", torch.int32)):
            raise OperatorError(f"{name} is of {tensor.dtype}; it must be of torch.int32")
        if tensor.device != q.device:
            raise OperatorError(f"{name} is on {tensor.device}; it must be on q's {q.device}")
        if tensor.dim() != 1 or not tensor.is_contiguous() or tensor.numel() < 2:
            raise OperatorError(f"{name} is {tuple(tensor.shape)}; it must be contiguous, (sequences + 1,)")
    if starts[0].numel() != starts[1].numel():
        raise OperatorError(f"cu_seqlens_k has {starts[1].numel()} numbers; it must have cu_seqlens_q's {starts[0].numel()}")
    return int(starts[0].numel()) - 1


def _of_heads(name: str, tensor: Tensor, q: Tensor) -> None:
    """Refuses a tensor that does not have one number for each head of Q."""
    heads = q.size(1)
    if tensor.dtype != torch.float32 or tuple(tensor.shape) != (heads,) or not tensor.is_contiguous():
        raise OperatorError(f"{name} is {tuple(tensor.shape)} of {tensor.dtype}; it must be ({heads},) of torch.float32, contiguous")
    if tensor.device != q.device:
        raise OperatorError(f"{name} is on {tensor.device}; it must be on q's {q.device}")


def _check_all(
    q: Tensor, k: Tensor, v: Tensor, starts: Tuple[Tensor, ...], slopes: Optional[Tensor], sinks: Optional[Tensor]
) -> Optional[int]:
    """Refuses tensors that are not the operands of one attention. Returns the number of packed
    sequences, or None if the sequences are not packed."""
    _check(q, k, v, 3 if starts else 4)
    sequences = _check_starts(q, starts) if starts else None
    for name, of in (("alibi_slopes", slopes), ("sinks", sinks)):
        if of is not None:
            _of_heads(name, of, q)
    return sequences


def _forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    starts: Tuple[Tensor, ...],
    slopes: Optional[Tensor],
    sinks: Optional[Tensor],
    soft_cap: float,
    *mask: Any,
    with_lse: bool = True,
    call: Any = None,
) -> Tuple[Tensor, Optional[Tensor]]:
    """Computes a problem, with a plan that is made if there is none yet. ``call`` is the key under
    which the plan is kept if nothing intercepts the call."""
    more = _more(starts, slopes, sinks)
    compared = _compared((q, k, v), more, starts)
    of_problem = _problem(mask, soft_cap, with_lse, slopes, compared)
    plan = recent(of_problem, compared)
    if plan is None:
        key: Any = (of_problem, key_of(q, k, v, *more))
        plan = PLANS.get(key)
        if plan is not None:
            keep(of_problem, plan, compared, is_dispatched=True)
    if plan is None:
        sequences = _check_all(q, k, v, starts, slopes, sinks)
        o, lse = _result(q, v), _lse(q)
        if o.numel() == 0:
            return o, lse
        if k.numel() == 0:
            # A row's denominator is its head's sink alone.
            of_rows = q.new_full((q.size(1),), float("-inf"), dtype=torch.float32) if sinks is None else sinks
            return o.zero_(), lse.copy_(of_rows[:, None])
        scores = (soft_cap, slopes is not None, sinks is not None)
        plan = remember(key, _attention_plan(q, k, (q, k, v, o), sequences, mask, scores, with_lse))
    if call is not None:
        keep(call, plan, compared)
    return _attend(plan, q, k, v, more, with_lse)


def _problem(mask: Tuple[Any, ...], soft_cap: float, with_lse: bool, slopes: Optional[Tensor], compared: Tuple[Tensor, ...]) -> Any:
    """Returns the key of an attention, without the properties of its tensors."""
    return (_forward, mask, soft_cap, with_lse, slopes is None, len(compared))


def _more(starts: Tuple[Tensor, ...], slopes: Optional[Tensor], sinks: Optional[Tensor]) -> Tuple[Tensor, ...]:
    """Returns the tensors that follow Q, K and V in the launches."""
    if slopes is None and sinks is None:
        return starts
    return (*starts, *(of for of in (slopes, sinks) if of is not None))


def _compared(tensors: Tuple[Tensor, ...], more: Tuple[Tensor, ...], starts: Tuple[Tensor, ...]) -> Tuple[Tensor, ...]:
    """Returns those tensors of a call that are compared with the tensors of earlier calls. Each
    tensor occurs once, since a guard takes no tensor twice, and packed sequences often have one
    list of starts for queries and keys."""
    return tensors + (more[1:] if starts and starts[0] is starts[1] else more)


def _attend(plan: Plan, q: Tensor, k: Tensor, v: Tensor, more: Tuple[Tensor, ...], with_lse: bool) -> Tuple[Tensor, Optional[Tensor]]:
    """Launches a planned attention, whose results are new tensors."""
    o = _empty_like(q) if plan.is_like_first else _result(q, v)
    lse = _lse(q) if with_lse else None
    plan.run(o, lse, q, k, v, *more)
    return o, lse


def _backward(
    grad: Tensor,
    saved: Tuple[Tensor, ...],
    starts: Tuple[Tensor, ...],
    slopes: Optional[Tensor],
    sinks: Optional[Tensor],
    soft_cap: float,
    *mask: Any,
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    q, k, v, o, lse = saved
    # Autograd's gradients may be views that no kernel can read, such as one number that is
    # expanded.
    grad = in_vectors(grad)
    more = _more(starts, slopes, sinks)
    deterministic = torch.are_deterministic_algorithms_enabled()
    key: Any = (_backward, mask, soft_cap, deterministic, slopes is None, key_of(q, k, v, o, grad, lse, *more))
    plan = PLANS.get(key)
    dq, dk, dv, d_sinks = _empty_gradients(q, k, v, sinks)
    if plan is None:
        sequences = _check_all(q, k, v, starts, slopes, sinks)
        if q.numel() == 0 or k.numel() == 0:
            return dq.zero_(), dk.zero_(), dv.zero_(), d_sinks.zero_()
        _check_results(q, v, o, lse, grad)
        scores = (soft_cap, slopes is not None, sinks is not None)
        plan = remember(key, _attention_plan(q, k, (q, k, v, o, grad, dq, dk, dv), sequences, mask, scores))
    of_sinks = () if sinks is None else (d_sinks,)
    plan.run(dq, dk, dv, q, k, v, o, grad, lse, None, *more, *of_sinks)
    return dq, dk, dv, d_sinks


def _empty_gradients(q: Tensor, k: Tensor, v: Tensor, sinks: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns new tensors for the gradients of q, k, v and the sinks. Without sinks the last one is
    empty."""
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v), q.new_empty((0,), dtype=torch.float32) if sinks is None else torch.empty_like(sinks)


def _no_second_gradients(ctx: Any, *grads: Any) -> None:
    """Refuses gradients of gradients. Without this function, torch would take them to be zero."""
    raise OperatorError("the gradients of attention have no gradients: no kernel computes them")


_MASK = "int before, int after, float scale"
_SCORES = "Tensor? slopes, Tensor? sinks, float soft_cap"
_attention_backward = define(
    "attention_backward",
    f"(Tensor grad, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, {_SCORES}, {_MASK}) -> (Tensor, Tensor, Tensor, Tensor)",
    lambda grad, q, k, v, o, lse, *of_scores: _backward(grad, (q, k, v, o, lse), (), *of_scores),
    lambda grad, q, k, v, o, lse, slopes, sinks, *of_scores: _empty_gradients(q, k, v, sinks),
    _no_second_gradients,
)
_attention_varlen_backward = define(
    "attention_varlen_backward",
    f"(Tensor grad, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor starts_q, Tensor starts_k, {_SCORES}, {_MASK})"
    " -> (Tensor, Tensor, Tensor, Tensor)",
    lambda grad, q, k, v, o, lse, starts_q, starts_k, *of_scores: _backward(grad, (q, k, v, o, lse), (starts_q, starts_k), *of_scores),
    lambda grad, q, k, v, o, lse, starts_q, starts_k, slopes, sinks, *of_scores: _empty_gradients(q, k, v, sinks),
    _no_second_gradients,
)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    """Saves the tensors from which the gradients are computed: the operands, O and the log-sum-exp.
    Marks the log-sum-exp as having no gradient."""
    q, k, v, *starts, slopes, sinks, soft_cap, before, after, scale = inputs
    ctx.of_scores = soft_cap, before, after, scale
    o, lse = output
    ctx.mark_non_differentiable(lse)
    ctx.save_for_backward(q, k, v, o, lse, *starts, slopes, sinks)


def _gradients(of: Any) -> Any:
    """Computes the gradients of q, k, v and the sinks by an operator. Returns None for the other
    arguments: the starts of packed sequences, the slopes, and the numbers."""

    def gradients(ctx: Any, grad: Tensor, _: Any) -> Tuple[Any, ...]:
        # Read once: checkpoints compute them again, and refuse a second time.
        saved = ctx.saved_tensors
        starts_and_slopes, sinks = saved[5:-1], saved[-1]
        *of_tensors, d_sinks = of(grad, *saved, *ctx.of_scores)
        numbers = [None] * len(ctx.of_scores)
        return (*of_tensors, *[None] * len(starts_and_slopes), None if sinks is None else d_sinks, *numbers)

    return gradients


_attention = define(
    "attention",
    f"(Tensor q, Tensor k, Tensor v, {_SCORES}, {_MASK}) -> (Tensor, Tensor)",
    lambda q, k, v, *more: _forward(q, k, v, (), *more),
    lambda q, k, v, *more: (_result(q, v), _lse(q)),
    _gradients(_attention_backward),
    _keep,
)
_attention_varlen = define(
    "attention_varlen",
    f"(Tensor q, Tensor k, Tensor v, Tensor starts_q, Tensor starts_k, {_SCORES}, {_MASK}) -> (Tensor, Tensor)",
    lambda q, k, v, starts_q, starts_k, *more: _forward(q, k, v, (starts_q, starts_k), *more),
    lambda q, k, v, starts_q, starts_k, *more: (_result(q, v), _lse(q)),
    _gradients(_attention_varlen_backward),
    _keep,
)


class _Training(NamedTuple):
    """What is known of a call with gradients to come: its plan, the function of autograd that takes it,
    and the operator's numbers."""

    plan: Plan
    function: Any
    numbers: Tuple[Any, ...]


def _by_plan(name: str, gradients_of: Operator) -> Any:
    """Makes the function of autograd of an attention whose plan is known: the operator's, less its
    checks. Its arguments are the `_Training`, then the operator's tensors."""
    gradients = _gradients(gradients_of)

    def forward(ctx: Any, known: _Training, q: Tensor, k: Tensor, v: Tensor, *more: Any) -> Any:
        *starts, slopes, sinks = more
        results = _attend(known.plan, q, k, v, _more(tuple(starts), slopes, sinks), True)
        _keep(ctx, (q, k, v, *more, *known.numbers), results)
        return results

    def backward(ctx: Any, *grads: Any) -> Tuple[Any, ...]:
        # The numbers are in the first argument.
        return (None, *gradients(ctx, *grads)[: -len(ctx.of_scores)])

    return differentiable(name, forward, backward)


_attention_by_plan = _by_plan("attention_by_plan", _attention_backward)
_attention_varlen_by_plan = _by_plan("attention_varlen_by_plan", _attention_varlen_backward)


def _keep_trained(
    call: Any,
    tensors: Tuple[Tensor, ...],
    starts: Tuple[Tensor, ...],
    slopes: Optional[Tensor],
    sinks: Optional[Tensor],
    numbers: Tuple[Any, ...],
) -> None:
    """Keeps the plan of a call that needs gradients and that nothing intercepts, if the call has a
    plan: an empty problem has none."""
    q, k, v = tensors
    more = _more(starts, slopes, sinks)
    compared = _compared(tensors, more, starts)
    soft_cap, *mask = numbers
    plan = PLANS.get((_problem(tuple(mask), soft_cap, True, slopes, compared), key_of(q, k, v, *more)))
    if plan is not None:
        known = _Training(plan, _attention_varlen_by_plan if starts else _attention_by_plan, numbers)
        keep(call, known, compared, has_gradients=True)


def _mask(causal: bool, window: Optional[Window]) -> Tuple[int, int]:
    """Returns the numbers of keys that a query sees before and after its own position, or -1 for
    all."""
    if window is None:
        return -1, 0 if causal else -1
    # No tensor has more than `most` keys, so a larger window covers all keys.
    most = 1 << 31
    if len(window) != 2 or not all(of is None or isinstance(of, int) for of in window):
        raise OperatorError(f"window is {window}; it must be a pair: the keys before a query and after it, integers or None for all")
    before, after = window
    for name, number in (("before", before), ("after", after)):
        if number is not None and number < 0:
            raise OperatorError(f"the window has {number} keys {name} a query; it must have 0 or more, or None for all")
    if causal:
        after = 0
    return (
        -1 if before is None or before >= most else before,
        -1 if after is None or after >= most else after,
    )


def _pair(window: Any) -> Any:
    """A window as a key: a tuple, whatever sequence was given."""
    return tuple(window) if isinstance(window, (tuple, list)) else (window,)


def _call(operator: Operator, tensors: Tuple[Tensor, ...], starts: Tuple[Tensor, ...], of_scores: Tuple[Any, ...], options: Tuple[Any, ...]) -> Any:
    """Calls an operator: by the plan of an equal earlier call, by the operator's kernel if nothing
    intercepts the call, or through torch's dispatcher. ``options`` are the options of `attention`,
    as the caller gave them."""
    q, k, v = tensors
    slopes, sinks = of_scores
    more = starts if slopes is None and sinks is None else _more(starts, slopes, sinks)
    compared = _compared(tensors, more, starts) if more else tensors
    key = (operator, options, slopes is None, len(compared))
    known = find(key, compared)
    causal, window, scale, soft_cap, return_lse = options
    if known is not None:
        if type(known) is Plan:
            # As `_attend`, which would be one more call.
            o = _empty_like(q) if known.is_like_first else _result(q, v)
            lse = _lse(q) if return_lse else None
            known.run(o, lse, *tensors, *more)
        else:
            o, lse = known.function.apply(known, q, k, v, *starts, slopes, sinks)
        return (o, lse) if return_lse else o
    before, after = _mask(causal, window)
    numbers = soft_cap or 0.0, before, after, q.size(-1) ** -0.5 if scale is None else scale
    if torch.compiler.is_compiling():
        o, lse = operator(q, k, v, *starts, slopes, sinks, *numbers)
    else:
        state = state_of((q, k, v, *more))
        if state == PLAIN:
            o, lse = _forward(q, k, v, starts, slopes, sinks, *numbers, with_lse=return_lse, call=key)
        else:
            o, lse = operator.by_state(state, q, k, v, *starts, slopes, sinks, *numbers)
            if state == GRADIENTS:
                _keep_trained(key, (q, k, v), starts, slopes, sinks, numbers)
    return (o, lse) if return_lse else o


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    window: Optional[Window] = None,
    scale: Optional[float] = None,
    soft_cap: Optional[float] = None,
    alibi_slopes: Optional[Tensor] = None,
    sinks: Optional[Tensor] = None,
    return_lse: bool = False,
) -> Any:
    """Computes ``softmax(scale q kᵀ + mask) v`` for every head of every batch, as
    ``torch.nn.functional.scaled_dot_product_attention`` does.

    ``q`` is (batches, heads, queries, D), ``k`` is (batches, key heads, keys, D), and ``v`` is
    (batches, key heads, keys, D) or has another number of columns. All are of f16 or bf16. The
    number of heads is a multiple of the number of key heads, and neighbouring heads share a key
    head. The last dimension has stride 1. The other dimensions have any strides that are multiples
    of 8, so a view of (batches, rows, heads, D) is not copied, and the result has the same order of
    dimensions in memory.

    The last query has the position of the last key. With torch's ``is_causal``, the first query has
    the position of the first key instead. ``causal`` means that a query sees the keys up to its own
    position. ``window`` is a pair: how many keys a query sees before its own position, and how many
    after it, where ``None`` means all. ``scale`` is ``1 / sqrt(D)`` unless it is given. The result
    of a query that sees no key is zeros.

    ``soft_cap`` changes scaled scores to ``soft_cap tanh(score / soft_cap)``. With
    ``alibi_slopes``, f32 (heads,), each score is reduced by the head's slope times the number of
    keys between the query's own position and the key. With ``sinks``, f32 (heads,), each head has a
    logit whose exponential is added to the denominator in the head's rows. Sinks have a gradient.
    Slopes have none, because they are not trained.

    With ``return_lse`` the result is a pair. Its second part is the log-sum-exp of each row,
    (batches, heads, queries) in f32, which has no gradient. Gradients need a v with as many columns
    as k, and have no gradients themselves. Gradients have the same bits on every run, except for
    long sequences on Hopper, where the gradient of q is accumulated in memory in any order.
    ``torch.use_deterministic_algorithms(True)`` selects kernels that add in a fixed order.

    Raises `OperatorError` if no kernel computes the problem.
    """
    options = causal, None if window is None else _pair(window), scale, soft_cap, return_lse
    return _call(_attention, (q, k, v), (), (alibi_slopes, sinks), options)


def attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    causal: bool = False,
    window: Optional[Window] = None,
    scale: Optional[float] = None,
    soft_cap: Optional[float] = None,
    alibi_slopes: Optional[Tensor] = None,
    sinks: Optional[Tensor] = None,
    return_lse: bool = False,
) -> Any:
    """Computes `attention` of packed sequences: sequences of any lengths that follow each other
    without padding, as in flash-attn's ``flash_attn_varlen_func``.

    ``q`` is (rows of all, heads, D), and ``k`` and ``v`` are (rows of all, key heads, D).
    ``cu_seqlens_q`` and ``cu_seqlens_k`` are the rows at which each sequence begins, and the end of
    the last sequence: int32, (sequences + 1,), on the tensors' device. The host does not read them.
    They must not decrease, and must not exceed the number of rows. The mask applies to each
    sequence separately. The log-sum-exp is (heads, rows of all).

    Rows of no sequence stay unwritten, in the result, in the log-sum-exp and in the gradients. On
    Hopper, these rows of q, k, v and the result's gradient must be finite numbers.
    """
    options = causal, None if window is None else _pair(window), scale, soft_cap, return_lse
    return _call(_attention_varlen, (q, k, v), (cu_seqlens_q, cu_seqlens_k), (alibi_slopes, sinks), options)


def _matrix(name: str, tensor: Tensor) -> Tuple[bool, int]:
    """Returns whether a matrix is row-major, and its leading dimension."""
    rows, columns = tensor.shape[-2:]
    by_row, by_column = tensor.stride()[-2:]
    if by_column == 1 or columns == 1:
        return True, by_row if rows > 1 else columns
    if by_row == 1 or rows == 1:
        return False, by_column if columns > 1 else rows
    raise OperatorError(f"the strides of {name} are {tuple(tensor.stride())}; one of its last two must be 1: {name}.contiguous()")


def _matmul_plan(a: Tensor, b: Tensor, bias: Optional[Tensor], alignment: int) -> Plan:
    (m, k), n = a.shape[-2:], b.size(-1)
    batches, batch_strides = (a.size(0), (a.stride(0), b.stride(0))) if a.dim() == 3 else (1, (0, 0))
    of = _matrix("a", a), _matrix("b", b)
    problem: Dict[str, Any] = {
        "bf16": a.dtype == torch.bfloat16,
        "m": m,
        "n": n,
        "k": k,
        "batches": batches,
        "rows": (of[0][0], of[1][0]),
        "ld": (of[0][1], of[1][1]),
        "batch_strides": (*batch_strides, m * n),
        "bias": bias is not None,
        "alignment": alignment,
    }
    return Plan(_native.matmul(problem, number_of(a.device)), a.device)


def _check_product(a: Tensor, b: Tensor, bias: Optional[Tensor]) -> None:
    """Refuses operands that have no product."""
    check_half("a", a)
    check_alike("b", b, "a", a)
    if a.dim() not in (2, 3) or a.dim() != b.dim() or a.size(-1) != b.size(-2) or a.shape[:-2] != b.shape[:-2]:
        raise OperatorError(f"a is {tuple(a.shape)} and b {tuple(b.shape)}; they must be (m, k) and (k, n), or (batches, m, k) and (batches, k, n)")
    if bias is not None and tuple(bias.shape) != (b.size(-1),):
        raise OperatorError(f"bias is {tuple(bias.shape)}; it must be ({b.size(-1)},)")
    if bias is not None and not bias.is_floating_point():
        raise OperatorError(f"bias is of {bias.dtype}; it must be of a floating type")
    if bias is not None and bias.device != a.device:
        raise OperatorError(f"bias is on {bias.device}; it must be on a's {a.device}")


def _product_key(a: Tensor, b: Tensor, bias: Optional[Tensor]) -> Any:
    """Returns the key of a product's plan: all properties on which the plan depends. One of them is
    the largest power of two up to 16 that divides both addresses."""
    addresses = a.data_ptr() | b.data_ptr() | 16
    return addresses & -addresses, None if bias is None else (bias.shape, bias.device), key_of(a, b)


def _product(a: Tensor, b: Tensor, bias: Optional[Tensor]) -> Tensor:
    key = _product_key(a, b, bias)
    plan = PLANS.get(key)
    if plan is None:
        _check_product(a, b, bias)
    d = a.new_empty((*a.shape[:-1], b.size(-1)))
    if plan is None:
        if d.numel() == 0:
            return d
        if a.size(-1) == 0:
            return d.zero_() if bias is None else d.copy_(bias)
        plan = remember(key, _matmul_plan(a, b, bias, key[0]))
    return _multiply(plan, d, a, b, bias)


def _multiply(plan: Plan, d: Tensor, a: Tensor, b: Tensor, bias: Optional[Tensor]) -> Tensor:
    """Launches a planned product, whose result is a new tensor."""
    if bias is not None:
        # The kernel adds it in f32, before the result is rounded.
        bias = bias.to(torch.float32).contiguous()
    plan.run(d, a, b, None, bias, None)
    return d


def _keep_operands(ctx: Any, inputs: Any, output: Any) -> None:
    a, b, bias = inputs
    ctx.bias = None if bias is None else bias.dtype
    ctx.save_for_backward(a, b)


def _matmul_gradients(ctx: Any, grad: Tensor) -> Tuple[Any, ...]:
    a, b = ctx.saved_tensors
    # Only the last three count, because the function of a known call has its plan as a further
    # argument.
    da, db, dbias = ctx.needs_input_grad[-3:]
    grad = grad.contiguous()
    return (
        _matmul(grad, b.mT, None) if da else None,
        _matmul(a.mT, grad, None) if db else None,
        grad.flatten(0, -2).sum(0, dtype=torch.float32).to(ctx.bias) if dbias else None,
    )


_matmul = define(
    "matmul",
    "(Tensor a, Tensor b, Tensor? bias) -> Tensor",
    _product,
    lambda a, b, bias: a.new_empty((*a.shape[:-1], b.size(-1))),
    _matmul_gradients,
    _keep_operands,
)


def matmul(a: Tensor, b: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    """Computes ``a @ b + bias``, accumulated in f32 and rounded once.

    ``a`` is (.., m, k) and ``b`` is (k, n), of f16 or bf16. Alternatively both have batches,
    (batches, m, k) and (batches, k, n), and either may be expanded along the batches. Each may be
    row- or column-major, with any leading dimension and alignment, so ``weight.mT`` is not copied.
    ``bias`` is (n,), of any floating type, on the same device. The same kernels compute the
    gradients.

    Raises `OperatorError` if no kernel computes the product.
    """
    tensors = (a, b) if bias is None else (a, b, bias)
    call = (_matmul, bias is None)
    known = find(call, tensors)
    if known is not None and not _are_aligned(a, b):
        known = None
    if known is not None and not known.has_gradients:
        return _multiply(known.plan, a.new_empty_strided(*known.of_result), a, b, bias)
    rows = a.flatten(0, -2) if b.dim() == 2 and a.dim() > 2 else a
    d = _matmul(rows, b, bias) if known is None else _product_by_plan.apply(known, rows, b, bias)
    d = d if rows is a else d.unflatten(0, a.shape[:-1])
    if known is None:
        _keep_product(call, tensors, rows, b, bias, d)
    return d


def _are_aligned(a: Tensor, b: Tensor) -> bool:
    """Whether operands begin at multiples of 16 bytes, as the operands of every call that is kept
    do."""
    return bool((a.data_ptr() | b.data_ptr()) % 16 == 0)


class _Product(NamedTuple):
    """What is known about a call of `matmul`: its plan, the shape and the strides of its result,
    and whether it needs gradients. If it does, the shape and the strides are those for `a` without
    batches."""

    plan: Plan
    of_result: Tuple[Tuple[int, ...], Tuple[int, ...]]
    has_gradients: bool


def _keep_product(call: Any, tensors: Tuple[Tensor, ...], rows: Tensor, b: Tensor, bias: Optional[Tensor], d: Tensor) -> None:
    """Keeps the plan of a call that nothing intercepted, if the call has a plan, its operands are
    aligned, and the rows of `a` were not copied."""
    state = INTERCEPTED if torch.compiler.is_compiling() else state_of(tensors)
    if state == INTERCEPTED or not _are_aligned(*tensors[:2]) or rows.data_ptr() != tensors[0].data_ptr():
        return
    plan = PLANS.get(_product_key(rows, b, bias))
    if plan is None:
        return
    if state == GRADIENTS:
        of_result = (*rows.shape[:-1], b.size(-1))
        strides = d.stride() if d.dim() == rows.dim() else d.stride()[-2:]
        keep(call, _Product(plan, (of_result, strides), True), tensors, has_gradients=True)
    else:
        # torch makes a tensor with given strides in less time than a tensor with only a shape.
        keep(call, _Product(plan, (tuple(d.shape), d.stride()), False), tensors)


def _forward_of_product(ctx: Any, known: _Product, a: Tensor, b: Tensor, bias: Optional[Tensor]) -> Tensor:
    _keep_operands(ctx, (a, b, bias), None)
    return _multiply(known.plan, a.new_empty_strided(*known.of_result), a, b, bias)


# A product by a known plan, with gradients: the function of the operator without its checks.
_product_by_plan = differentiable("matmul_by_plan", _forward_of_product, lambda ctx, grad: (None, *_matmul_gradients(ctx, grad)))


def kernels() -> int:
    """Returns the number of kernels in the package, or 0 if it was built without a file of kernels.
    """
    return _native.kernel_count()

