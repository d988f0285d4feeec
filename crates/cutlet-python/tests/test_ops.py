"""Tests the operators: their results against torch's on the CPU, their gradients,
``torch.compile``, and what they refuse.

On the CPU the emulator executes the kernels. If there is a GPU, the same tests run on it, too.
"""

import importlib
import shutil
import sys

import cutlet
import pytest

torch = pytest.importorskip("torch")
ops = importlib.import_module("cutlet.ops")
_recent = importlib.import_module("cutlet._recent")
if ops.kernels() == 0:
    pytest.skip("the package was built without kernels", allow_module_level=True)

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
sdpa = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(0)
    return request.param


def heads(device, batches=1, heads=2, rows=20, dim=64, dtype=torch.bfloat16):
    return torch.randn(batches, heads, rows, dim).to(device, dtype)


def reference(q, k, v, causal=False, window=None, scale=None, soft_cap=None, alibi_slopes=None, sinks=None):
    """Computes attention in float64. In its mask, the last query has the position of the last key.
    """
    q, k, v = (of.double() for of in (q, k, v))
    group = q.size(1) // k.size(1)
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    place = torch.arange(q.size(2), device=q.device)[:, None] + k.size(2) - q.size(2)
    distance = torch.arange(k.size(2), device=q.device)[None, :] - place
    before, after = window or (None, None)
    seen = torch.ones_like(distance, dtype=torch.bool)
    if causal:
        after = 0
    if before is not None:
        seen &= distance >= -before
    if after is not None:
        seen &= distance <= after
    scores = (q.size(-1) ** -0.5 if scale is None else scale) * q @ k.mT
    if soft_cap is not None:
        scores = soft_cap * torch.tanh(scores / soft_cap)
    if alibi_slopes is not None:
        scores = scores - alibi_slopes.double()[:, None, None] * distance.abs()
    scores = scores.masked_fill(~seen, float("-inf"))
    if sinks is not None:
        scores = torch.cat([scores, sinks.double()[:, None, None].expand(q.size(0), -1, q.size(2), 1)], -1)
        v = torch.nn.functional.pad(v, (0, 0, 0, 1))
        seen = torch.nn.functional.pad(seen, (0, 1), value=True)
    some = seen.any(-1)
    lse = torch.logsumexp(scores, -1)
    p = torch.softmax(scores.masked_fill(~some[:, None], 0.0), -1) * some[:, None]
    return p @ v, lse


def close(found, expected, tolerance=2e-2):
    torch.testing.assert_close(found.double(), expected.double(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    "mask", [{}, {"causal": True}, {"window": (3, 0)}, {"window": (2, 4)}, {"window": (None, 5)}, {"window": (4, None), "causal": True}]
)
def test_attention_is_that_of_float64(device, dtype, mask):
    q, k, v = heads(device, 2, 4, 30, dtype=dtype), heads(device, 2, 2, 37, dtype=dtype), heads(device, 2, 2, 37, dtype=dtype)
    o, lse = ops.attention(q, k, v, return_lse=True, **mask)
    expected, of_rows = reference(q, k, v, **mask)
    assert o.shape == q.shape and o.dtype == dtype and lse.dtype == torch.float32
    close(o, expected)
    close(lse, of_rows, 1e-2)


def test_attention_is_torchs(device):
    q, k, v = (heads(device, 1, 2, 48) for _ in range(3))
    close(ops.attention(q, k, v, causal=True), sdpa(q, k, v, is_causal=True))
    close(ops.attention(q, k, v, window=(2**40, 0)), sdpa(q, k, v, is_causal=True))
    close(ops.attention(q, k, v, scale=0.3), sdpa(q, k, v, scale=0.3))


@pytest.mark.parametrize("dim", [80, 128, 256])
def test_head_dimensions(device, dim):
    q, k, v = heads(device, 1, 2, 33, dim), heads(device, 1, 1, 70, dim), heads(device, 1, 1, 70, dim)
    close(ops.attention(q, k, v, causal=True), reference(q, k, v, causal=True)[0])


def test_a_head_dimension_of_v_of_its_own(device):
    q, k, v = heads(device, dim=192), heads(device, dim=192), heads(device, dim=128)
    o = ops.attention(q, k, v)
    assert o.shape == v.shape
    close(o, reference(q, k, v)[0])


def test_scores_are_capped_and_biased(device):
    parts = {"soft_cap": 1.5, "alibi_slopes": torch.tensor([0.25, 0.1]), "sinks": torch.tensor([0.5, -1.0])}
    parts = {name: of.to(device) if torch.is_tensor(of) else of for name, of in parts.items()}
    q, k, v = (heads(device, rows=30, dtype=torch.float16) for _ in range(3))
    for names in (["soft_cap"], ["soft_cap", "alibi_slopes", "sinks"]):
        of = {name: parts[name] for name in names}
        o, lse = ops.attention(3 * q, k, v, causal=True, return_lse=True, **of)
        expected, of_rows = reference(3 * q, k, v, causal=True, **of)
        close(o, expected)
        close(lse, of_rows, 1e-2)
    q, k, v = (of.bfloat16() for of in (q, k, v))
    close(ops.attention(q, k, v, sinks=parts["sinks"]), reference(q, k, v, sinks=parts["sinks"])[0])
    starts = torch.tensor([0, 11, 30], dtype=torch.int32, device=device)
    rows = [of[0].transpose(0, 1).half() for of in (q, k, v)]
    packed = ops.attention_varlen(*rows, starts, starts, causal=True, soft_cap=1.5)
    close(packed, each(*rows, (starts, starts), causal=True, soft_cap=1.5))


def test_a_query_that_sees_no_key_has_zeros(device):
    q, k, v = heads(device, rows=10), heads(device, rows=4), heads(device, rows=4)
    o, lse = ops.attention(q, k, v, causal=True, return_lse=True)
    assert (o[:, :, :6] == 0).all() and torch.isneginf(lse[:, :, :6]).all()
    close(o, reference(q, k, v, causal=True)[0])


def test_views_are_taken_as_they_are(device):
    # The projections are (batches, rows, 3, heads, D), as a linear layer for Q, K and V makes them.
    qkv = torch.randn(2, 25, 3, 2, 64).to(device, torch.bfloat16)
    q, k, v = (of.transpose(1, 2) for of in qkv.unbind(2))
    assert not q.is_contiguous()
    o = ops.attention(q, k, v, causal=True)
    close(o, reference(q, k, v, causal=True)[0])
    # The result has Q's order in memory, in which the heads of a row are neighbours.
    assert o.transpose(1, 2).is_contiguous()
    # K and V are rows of a longer cache.
    cache, q = torch.randn(1, 2, 100, 64).to(device, torch.bfloat16), heads(device)
    k = cache[:, :, 7:40]
    close(ops.attention(q, k, k), reference(q, k, k)[0])


def gradients(function, tensors, grad):
    tensors = [of.detach().clone().requires_grad_() for of in tensors]
    out = function(*tensors)
    return torch.autograd.grad(out, tensors, grad.to(out.dtype))


@pytest.mark.parametrize("mask", [{}, {"causal": True}, {"window": (5, 2)}])
def test_the_gradients_are_those_of_float64(device, mask):
    q, k, v = heads(device, 1, 4, 40), heads(device, 1, 2, 50), heads(device, 1, 2, 50)
    grad = heads(device, 1, 4, 40)
    found = gradients(lambda *of: ops.attention(*of, **mask), (q, k, v), grad)
    expected = gradients(lambda *of: reference(*of, **mask)[0], [of.double() for of in (q, k, v)], grad)
    for of, by in zip(found, expected):
        assert of.dtype == torch.bfloat16
        close(of, by, 4e-2)


def test_the_gradients_with_a_soft_cap(device):
    dtype = torch.float16 if device == "cpu" else torch.bfloat16
    q, k, v, grad = (heads(device, 1, 2, 40, dtype=dtype) for _ in range(4))
    try:
        found = gradients(lambda *of: ops.attention(*of, causal=True, soft_cap=2.0), (q, k, v), grad)
    except cutlet.OperatorError as refused:
        # The list of kernels for the emulator has none of these kernels for f16.
        assert device == "cpu" and "attention's gradients with a soft cap for f16 and head dimension 64" in str(refused)
        return
    expected = gradients(lambda *of: reference(*of, causal=True, soft_cap=2.0)[0], [of.double() for of in (q, k, v)], grad)
    for of, by in zip(found, expected):
        close(of, by, 4e-2)


@pytest.mark.parametrize("name", ["alibi_slopes", "sinks"])
def test_the_gradients_with_slopes_and_with_sinks(device, name):
    numbers = torch.tensor([0.25, 0.1] if name == "alibi_slopes" else [0.5, -1.0], device=device)
    # Slopes have no gradient.
    more = [numbers] if name == "sinks" else []
    q, k, v, grad = heads(device, 1, 2, 40), heads(device, 1, 1, 50), heads(device, 1, 1, 50), heads(device, 1, 2, 40)
    starts = [torch.tensor([0, rows], dtype=torch.int32, device=device) for rows in (40, 50)]

    def part(of):
        return {"causal": True, name: of[0] if of else numbers}

    def packed_attention(q, k, v, *of):
        rows = [tensor[0].transpose(0, 1) for tensor in (q, k, v)]
        return ops.attention_varlen(*rows, *starts, **part(of)).transpose(0, 1)[None]

    doubles = [of.double() for of in (q, k, v)]
    expected = gradients(lambda q, k, v, *of: reference(q, k, v, **part(of))[0], [*doubles, *more], grad)
    for attention in (lambda q, k, v, *of: ops.attention(q, k, v, **part(of)), packed_attention):
        found = gradients(attention, [q, k, v, *more], grad)
        assert len(found) == len(expected)
        for of, by in zip(found, expected):
            close(of, by, 4e-2)


def test_the_gradient_of_a_sum_is_taken(device):
    # The gradient of o is one number that is expanded.
    q, k, v = (heads(device).requires_grad_() for _ in range(3))
    ops.attention(q, k, v).sum().backward()
    close(v.grad, gradients(lambda *of: reference(*of)[0], [of.double() for of in (q, k, v)], torch.ones_like(q))[2], 4e-2)


def test_a_gradient_that_begins_inside_a_vector_is_copied(device):
    q = heads(device, rows=8).requires_grad_()
    o = ops.attention(q, q, q)
    grad = torch.ones(o.numel() + 1, device=device, dtype=o.dtype)[1:].view(o.shape)
    (found,) = torch.autograd.grad(o, q, grad, retain_graph=True)
    (expected,) = torch.autograd.grad(o, q, torch.ones_like(o))
    close(found, expected)


def test_results_of_another_forward_pass_are_refused():
    q = heads("cpu", rows=8)
    o, lse = ops.attention(q, q, q, return_lse=True)
    of = torch.ops.cutlet.attention_backward
    with pytest.raises(cutlet.OperatorError, match=r"the gradient of o is \(1, 2, 7, 64\); it must be \(1, 2, 8, 64\)"):
        of(o[:, :, :7], q, q, q, o, lse, None, None, 0.0, -1, -1, 0.125)
    with pytest.raises(cutlet.OperatorError, match=r"lse is \(1, 1, 8\) of torch.float32; it must be \(1, 2, 8\)"):
        of(o, q, q, q, o, lse[:, :1], None, None, 0.0, -1, -1, 0.125)


def test_gradients_of_gradients_are_refused(device):
    q = heads(device, rows=8).requires_grad_()
    (grad,) = torch.autograd.grad(ops.attention(q, q, q).float().square().sum(), q, create_graph=True)
    with pytest.raises(cutlet.OperatorError, match="the gradients of attention have no gradients"):
        grad.float().square().sum().backward()


def packed(device, of_queries, of_keys, n=2, dim=64):
    starts = [torch.tensor([0, *of]).cumsum(0).to(device, torch.int32) for of in (of_queries, of_keys)]
    q, k, v = (torch.randn(int(of[-1]), n, dim).to(device, torch.bfloat16) for of in (starts[0], starts[1], starts[1]))
    return q, k, v, starts


def each(q, k, v, starts, **mask):
    """Computes attention of each sequence separately, in float64."""
    out = []
    for i in range(len(starts[0]) - 1):
        (a, b), (c, d) = starts[0][i : i + 2].tolist(), starts[1][i : i + 2].tolist()
        alone = [of.transpose(0, 1)[None] for of in (q[a:b], k[c:d], v[c:d])]
        out.append(reference(*alone, **mask)[0][0].transpose(0, 1))
    return torch.cat(out)


@pytest.mark.parametrize("mask", [{}, {"causal": True}])
def test_packed_sequences_are_each_alone(device, mask):
    q, k, v, starts = packed(device, [5, 17, 1, 9], [5, 20, 3, 9])
    o, lse = ops.attention_varlen(q, k, v, *starts, return_lse=True, **mask)
    close(o, each(q, k, v, starts, **mask))
    assert lse.shape == (2, 32)


def test_the_gradients_of_packed_sequences(device):
    q, k, v, starts = packed(device, [5, 17, 9], [5, 17, 9])
    grad = torch.randn_like(q)
    found = gradients(lambda *of: ops.attention_varlen(*of, *starts, causal=True), (q, k, v), grad)
    expected = gradients(lambda *of: each(*of, starts, causal=True), [of.double() for of in (q, k, v)], grad)
    for of, by in zip(found, expected):
        close(of, by, 4e-2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("order", ["tn", "nn", "tt", "nt"])
def test_products_of_any_order(device, dtype, order):
    m, n, k = 32, 24, 40
    a = torch.randn(m, k).to(device, dtype) if order[0] == "t" else torch.randn(k, m).to(device, dtype).mT
    b = torch.randn(n, k).to(device, dtype).mT if order[1] == "n" else torch.randn(k, n).to(device, dtype)
    bias = torch.randn(n).to(device, dtype)
    close(ops.matmul(a, b), a.double() @ b.double())
    close(ops.matmul(a, b, bias), a.double() @ b.double() + bias.double())


@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (3, 5, 7), (1, 64, 128), (65, 66, 67)])
def test_products_of_any_extents(device, m, n, k):
    a, b = torch.randn(m, k).to(device, torch.bfloat16), torch.randn(k, n).to(device, torch.bfloat16)
    close(ops.matmul(a, b), a.double() @ b.double())
    # The rows do not begin at multiples of 16 bytes.
    wide = torch.randn(m + 1, k + 3).to(device, torch.bfloat16)[1:, 1 : k + 1]
    close(ops.matmul(wide, b), wide.double() @ b.double())


def test_batches_of_products(device):
    a, b = torch.randn(3, 10, 16).to(device, torch.bfloat16), torch.randn(3, 16, 24).to(device, torch.bfloat16)
    close(ops.matmul(a, b), a.double() @ b.double())
    shared = b[:1].expand(3, 16, 24)
    close(ops.matmul(a, shared), a.double() @ shared.double())
    close(ops.matmul(a, b[0]), a.double() @ b[0].double())


def test_the_gradients_of_a_product(device):
    a, w, bias = torch.randn(2, 9, 32), torch.randn(24, 32), torch.randn(24)
    a, w, bias = (of.to(device, torch.bfloat16) for of in (a, w, bias))
    grad = torch.randn(2, 9, 24).to(device, torch.bfloat16)
    found = gradients(lambda a, w, bias: ops.matmul(a, w.mT, bias), (a, w, bias), grad)
    expected = gradients(lambda a, w, bias: a @ w.mT + bias, [of.double() for of in (a, w, bias)], grad)
    for of, by in zip(found, expected):
        close(of, by, 4e-2)


def test_torch_checks_the_operators(device):
    tensors = tuple(heads(device, rows=8).requires_grad_() for _ in range(3))
    torch.library.opcheck(torch.ops.cutlet.attention.default, (*tensors, None, None, 0.0, -1, 0, 0.125))
    views = tuple(torch.randn(1, 8, 2, 64).to(device, torch.bfloat16).transpose(1, 2) for _ in range(3))
    torch.library.opcheck(torch.ops.cutlet.attention.default, (*views, None, None, 0.0, -1, -1, 0.125))
    o, lse = ops.attention(*(of.detach() for of in tensors), return_lse=True)
    saved = (torch.randn_like(o), *(of.detach() for of in tensors), o, lse)
    torch.library.opcheck(torch.ops.cutlet.attention_backward.default, (*saved, None, None, 0.0, -1, -1, 0.125))
    sinks = torch.zeros(2, device=device)
    torch.library.opcheck(torch.ops.cutlet.attention_backward.default, (*saved, None, sinks, 0.0, -1, -1, 0.125))
    q, k, v, starts = packed(device, [3, 5], [3, 5])
    of = tuple(of.requires_grad_() for of in (q, k, v))
    torch.library.opcheck(torch.ops.cutlet.attention_varlen.default, (*of, *starts, None, None, 0.0, -1, 0, 0.125))
    a, b = torch.randn(8, 16).to(device, torch.float16), torch.randn(16, 8).to(device, torch.float16)
    bias = torch.randn(8).to(device, torch.float16)
    torch.library.opcheck(torch.ops.cutlet.matmul.default, (a.requires_grad_(), b.requires_grad_(), bias.requires_grad_()))


class _Seeing(torch.utils._python_dispatch.TorchDispatchMode):
    """Records the names of the operators that the dispatcher calls."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


class _Functions(torch.overrides.TorchFunctionMode):
    """Records the names of torch's functions that are called."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


class _Own(torch.Tensor):
    """A tensor of a class that is not torch's. It records the functions that are called with it."""

    seen = []

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.seen.append(str(function))
        return super().__torch_function__(function, types, args, kwargs or {})


def test_who_intercepts_operators_sees_the_call(device):
    # A call bypasses torch's dispatcher only if nothing intercepts it there, also if an equal call
    # was made before (`_recent`).
    q, k, v = (heads(device, rows=8) for _ in range(3))
    expected = ops.attention(q, k, v)
    assert _recent.find(CALL, (q, k, v)) is not None
    with _Seeing() as mode:
        ops.attention(q, k, v)
    assert "cutlet.attention.default" in mode.seen
    ops.attention(q.as_subclass(_Own), k, v)
    assert "cutlet.attention.default" in _Own.seen
    with _Functions() as mode:
        ops.attention(q, k, v)
    assert any("attention" in name for name in mode.seen)
    with torch.autograd.profiler.profile() as profile:
        ops.attention(q, k, v)
    assert "cutlet::attention" in {of.key for of in profile.key_averages()}
    with torch.autograd.forward_ad.dual_level():
        assert _recent.find(CALL, (q, k, v)) is None
    # The view's elements are lazily negated. The dispatcher makes a plain tensor of the view.
    torch.testing.assert_close(ops.attention(q, k, torch._neg_view(v)), -expected)
    traced = torch.fx.experimental.proxy_tensor.make_fx(lambda q: ops.attention(q, k, v))(q)
    assert "cutlet.attention" in traced.code
    a = torch.randn(3, 8, 16).to(device, torch.float16)
    torch.testing.assert_close(torch.func.vmap(lambda a: ops.matmul(a, a.mT))(a), torch.stack([ops.matmul(of, of.mT) for of in a]))
    # The gradients are the same whether the dispatcher calls the kernel or not.
    for requires in (True, False):
        q.requires_grad_(requires)
        assert ops.attention(q, k, v).requires_grad == requires
    for of in (q, k):
        with torch.no_grad():
            assert not ops.attention(q, k, v).requires_grad
        assert not ops.attention(q, k, v).requires_grad
        of.requires_grad_()
        # A call with gradients off is kept. It must not be found by a call with gradients on.
        for _ in range(2):
            with torch.no_grad():
                assert not ops.attention(q, k, v).requires_grad
        for _ in range(2):
            assert ops.attention(q, k, v).requires_grad
        of.requires_grad_(False)


@pytest.mark.parametrize("part", ["none", "alibi_slopes", "sinks"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_gradients_of_a_call_made_before_are_the_same(device, monkeypatch, part, is_packed):
    q, k, v = (heads(device, rows=8).requires_grad_() for _ in range(3))
    numbers = torch.tensor([0.25, 0.5], device=device).requires_grad_(part == "sinks")
    leaves = [q, k, v, numbers] if part == "sinks" else [q, k, v]
    options = {"causal": True} | ({} if part == "none" else {part: numbers})
    starts = [torch.tensor([0, 3, 8], dtype=torch.int32, device=device) for _ in range(2)]
    grad = torch.randn_like(q)

    def call():
        if not is_packed:
            return ops.attention(q, k, v, **options)
        rows = [of[0].transpose(0, 1) for of in (q, k, v)]
        return ops.attention_varlen(*rows, *starts, **options).transpose(0, 1)[None]

    first = call()
    expected = torch.autograd.grad(first, leaves, grad)

    def planned(*_, **more):
        raise AssertionError("it is planned again")

    monkeypatch.setattr(ops, "_forward", planned)
    for _ in range(2):
        again = call()
        assert torch.equal(again, first)
        for of, by in zip(torch.autograd.grad(again, leaves, grad), expected):
            assert torch.equal(of, by)
    with torch.no_grad():
        assert not call().requires_grad


@pytest.mark.parametrize("shapes", [((16, 24), (24, 8)), ((2, 3, 24), (24, 8)), ((2, 8, 16), (2, 16, 8))])
@pytest.mark.parametrize("with_bias", [False, True])
def test_gradients_of_a_product_made_before_are_the_same(device, monkeypatch, shapes, with_bias):
    a, b = ((torch.randn(of) / 4).to(device, torch.bfloat16).requires_grad_() for of in shapes)
    bias = torch.randn(8, device=device, dtype=torch.bfloat16).requires_grad_() if with_bias else None
    leaves = [a, b, bias] if with_bias else [a, b]
    first = ops.matmul(a, b, bias)
    grad = torch.randn_like(first)
    expected = torch.autograd.grad(first, leaves, grad)
    calls = []
    planned = ops._product_key
    monkeypatch.setattr(ops, "_product_key", lambda a, b, bias: calls.append((a, b)) or planned(a, b, bias))
    again = ops.matmul(a, b, bias)
    assert not calls and torch.equal(again, first)
    for of, by in zip(torch.autograd.grad(again, leaves, grad), expected):
        assert torch.equal(of, by)
    with torch.no_grad():
        assert not ops.matmul(a, b, bias).requires_grad
    # Only one operand needs a gradient.
    c = b.detach()
    for _ in range(2):
        (found,) = torch.autograd.grad(ops.matmul(a, c, bias), a, grad)
        assert torch.equal(found, expected[0])


def test_the_calls_that_are_found_stay_known(device):
    from cutlet import _recent

    q, k, v = (heads(device, rows=8) for _ in range(3))
    ops.attention(q, k, v)
    for number in range(2 * _recent.MOST):
        # Other strides of rows, so other calls with the same key and shapes; then other shapes.
        padded = torch.zeros(1, 2, 8, 64 + 8 * (number + 1), device=device, dtype=q.dtype)[..., :64]
        ops.attention(padded, k, v)
        assert _recent.find(CALL, (q, k, v)) is not None
        other = heads(device, rows=number + 9)
        ops.attention(other, k, v)
        assert _recent.find(CALL, (other, k, v)) is not None
    assert len(_recent._CALLS[_recent._with_shapes(CALL, (q, k))]) == _recent.MOST


def test_a_known_call_is_not_made_behind_a_mode(device):
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

    a, b = (torch.randn(16, 16).to(device, torch.bfloat16).requires_grad_() for _ in range(2))
    for _ in range(2):
        ops.matmul(a, b)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert type(ops.matmul(a, b)).__name__ == "FakeTensor"
    seen = []

    def policy(_, of, *arguments, **more):
        seen.append(str(of))
        return CheckpointPolicy.MUST_SAVE

    checkpoint(ops.matmul, a, b, use_reentrant=False, context_fn=lambda: create_selective_checkpoint_contexts(policy)).sum().backward()
    assert any("cutlet.matmul" in of for of in seen)


def test_a_trace_records_the_operators(device):
    a, b = (torch.randn(16, 16).to(device, torch.bfloat16) for _ in range(2))
    traced = torch.jit.trace(lambda a: ops.matmul(a, b), (a,))
    assert "cutlet::matmul" in str(traced.graph)
    other = torch.randn_like(a)
    torch.testing.assert_close(traced(other), ops.matmul(other, b))


def test_checkpoints_and_batched_gradients(device):
    from torch.utils.checkpoint import checkpoint

    q, k, v = (heads(device, rows=8).requires_grad_() for _ in range(3))
    for _ in range(2):
        found = torch.autograd.grad(checkpoint(ops.attention, q, k, v, use_reentrant=False).sum(), (q, k, v))
        expected = torch.autograd.grad(ops.attention(q, k, v).sum(), (q, k, v))
        for of, by in zip(found, expected):
            assert torch.equal(of, by)
    a, b = (torch.randn(16, 16).to(device, torch.bfloat16).requires_grad_() for _ in range(2))
    grads = torch.randn(3, 16, 16).to(device, torch.bfloat16)
    for _ in range(2):
        (found,) = torch.autograd.grad(ops.matmul(a, b), a, grads, is_grads_batched=True)
        torch.testing.assert_close(found, torch.stack([of @ b.mT for of in grads]), rtol=2e-2, atol=2e-2)


# The key of a call of `attention` whose arguments are only tensors.
CALL = ops._attention, (False, None, None, None, False), True, 3


def test_a_call_made_before_is_planned_no_more(device, monkeypatch):
    q, k, v = (heads(device, rows=8) for _ in range(3))
    a, b = (torch.randn(shape).to(device, torch.bfloat16) for shape in ((16, 24), (24, 8)))
    ops.attention(q, k, v)
    ops.matmul(a, b)
    # An address that is not a multiple of 16 needs another plan, even if the call is otherwise
    # equal.
    moved = torch.empty(16 * 24 + 1, device=device, dtype=a.dtype)[1:].view(16, 24).copy_(a)
    torch.testing.assert_close(ops.matmul(moved, b), ops.matmul(a, b))
    # The calls have the same shapes, but other strides, another type, or new contents.
    rows = heads(device, rows=2, heads=8).transpose(1, 2)
    close(ops.attention(rows, k, v), reference(rows, k, v)[0])
    halves = [of.half() for of in (q, k, v)]
    close(ops.attention(*halves), reference(*halves)[0])
    q.mul_(2)

    def planned(*_, **more):
        raise AssertionError("it is planned again")

    # Queries and keys have the same list of starts. torch's guards do not take the same tensor
    # twice.
    flat, starts = [of[0].transpose(0, 1).contiguous() for of in (q, k, v)], torch.tensor([0, 8], device=device, dtype=torch.int32)
    found = ops.attention_varlen(*flat, starts, starts, window=[2, 1])
    monkeypatch.setattr(ops, "_forward", planned)
    close(ops.attention_varlen(*flat, starts, starts, window=[2, 1]), found)
    close(found.transpose(0, 1)[None], reference(q, k, v, window=(2, 1))[0])
    close(ops.attention(q, k, v), reference(q, k, v)[0])
    close(ops.attention(rows, k, v), reference(rows, k, v)[0])
    monkeypatch.setattr(ops, "_product_key", planned)
    close(ops.matmul(a, b), a.double() @ b.double())
    with pytest.raises(AssertionError, match="planned again"):
        ops.matmul(moved, b)


def test_torchs_check_of_gradients(device):
    # bf16 represents these numbers and the steps between them exactly, so that all errors are
    # errors of the results.
    def numbers(*shape):
        return (torch.randn(*shape) * 4).round().div(8).to(device).double().requires_grad_()

    q, k, v = (numbers(1, 1, 2, 64) for _ in range(3))

    def attention(*of):
        return ops.attention(*(one.bfloat16() for one in of), causal=True).double()

    def product(a, b):
        return ops.matmul(a.bfloat16(), b.bfloat16()).double()

    # Results up to 2 are rounded by up to 2^-8, and a difference of results is divided by 2 eps.
    bounds = {"eps": 2**-3, "atol": 4e-2, "rtol": 4e-2}
    if device == "cpu":
        # gradcheck makes a step for each number. On the emulator, only the numbers of v are
        # checked.
        assert torch.autograd.gradcheck(lambda v: attention(q.detach(), k.detach(), v), (v,), **bounds)
    else:
        assert torch.autograd.gradcheck(attention, (q, k, v), **bounds)
    sinks = torch.tensor([0.5], dtype=torch.float64, device=device, requires_grad=True)
    halves = [of.detach().bfloat16() for of in (q, k, v)]
    assert torch.autograd.gradcheck(lambda of: ops.attention(*halves, causal=True, sinks=of.float()).double(), (sinks,), **bounds)
    assert torch.autograd.gradcheck(product, (numbers(3, 8), numbers(8, 4)), **bounds)


class Block(torch.nn.Module):
    """Attention with its projections, made of Cutlet's operators or of torch's."""

    def __init__(self, ours):
        super().__init__()
        self.ours = ours
        self.qkv = torch.nn.Parameter(torch.randn(3 * 128, 64) / 8)
        self.out = torch.nn.Parameter(torch.randn(64, 128) / 11)

    def forward(self, x):
        linear = ops.matmul if self.ours else torch.matmul
        q, k, v = linear(x, self.qkv.mT).view(*x.shape[:2], 3, 2, 64).transpose(1, 3).unbind(2)
        o = ops.attention(q, k, v, causal=True) if self.ours else sdpa(q, k, v, is_causal=True)
        return linear(o.transpose(1, 2).flatten(2), self.out.mT)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_step_of_training_is_torchs(device, compiled):
    blocks = [Block(ours).to(device, torch.bfloat16) for ours in (True, False)]
    blocks[1].load_state_dict(blocks[0].state_dict())
    x = torch.randn(1, 16, 64).to(device, torch.bfloat16)
    # Inductor needs a C compiler.
    backend = "inductor" if device == "cuda" and (shutil.which("cc") or shutil.which("gcc")) else "aot_eager"
    losses = []
    for block in blocks:
        run = torch.compile(block, fullgraph=True, backend=backend) if compiled and block.ours else block
        loss = run(x).float().square().mean()
        loss.backward()
        losses.append(loss.detach())
    close(losses[0], losses[1], 1e-2)
    close(blocks[0].qkv.grad, blocks[1].qkv.grad, 3e-2)
    close(blocks[0].out.grad, blocks[1].out.grad, 3e-2)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="a graph is captured on a GPU")
def test_a_captured_graph_computes_new_contents():
    q, k, v = (heads("cuda", 2, 4, 300) for _ in range(3))
    a, b = torch.randn(256, 512).to("cuda", torch.float16), torch.randn(512, 384).to("cuda", torch.float16)
    # These calls make the driver compile the kernels.
    ops.attention(q, k, v), ops.matmul(a, b)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        o, d = ops.attention(q, k, v, causal=True), ops.matmul(a, b)
    for _ in range(20):
        for of in (q, k, v, a, b):
            of.normal_()
        graph.replay()
        close(o, reference(q, k, v, causal=True)[0])
        torch.testing.assert_close(d.double(), a.double() @ b.double(), rtol=1e-2, atol=1e-1)


def test_empty_tensors(device):
    q, none = heads(device), heads(device, rows=0)
    assert ops.attention(none, q, q).shape == (1, 2, 0, 64)
    o, lse = ops.attention(q, none, none, return_lse=True)
    assert (o == 0).all() and torch.isneginf(lse).all()
    none = none.requires_grad_()
    (grad,) = torch.autograd.grad(ops.attention(none, none, none).sum(), none)
    assert grad.shape == none.shape
    a = torch.randn(4, 0).to(device, torch.float16)
    assert (ops.matmul(a, a.mT) == 0).all() and ops.matmul(a.mT, a).shape == (0, 0)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda q: ops.attention(q.float(), q.float(), q.float()), "torch.float32; the kernels are for torch.float16 and torch.bfloat16"),
        (lambda q: ops.attention(q, q.half(), q), "k is of torch.float16; it must be of q's torch.bfloat16"),
        (lambda q: ops.attention(*[q[0]] * 3), "q has 3 dimensions; it must have 4"),
        (lambda q: ops.attention(q, q[0], q[0]), "k has 3 dimensions; it must have 4"),
        (lambda q: ops.attention(q[0, 0], q, q), "q has 2 dimensions; it must have 4"),
        (lambda q: ops.attention(q, q[:, :, :5], q), "all but their last dimensions must be equal"),
        (lambda q: ops.attention(q[..., :32], q, q), "k has 64 columns; it must have q's 32"),
        (lambda q: ops.attention(q.mT.contiguous().mT, q, q), "the last dimension of q has stride 20; it must be 1"),
        (lambda q: ops.attention(*[q[..., :40]] * 3), "no kernel of attention for bf16 and head dimension 40: those here have .*64"),
        (lambda q: ops.attention(q, q[:, :, :1].expand(-1, -1, 20, -1), q), "the row stride of K is 0; it must be at least 64"),
        (lambda q: ops.attention(*[torch.zeros(1, 2, 20, 65, dtype=torch.bfloat16)[..., :64]] * 3), "the row stride of Q is 65; it must be a multiple of 8"),
        (lambda q: ops.attention(q.expand(1, 3, 2, 20, 64)[0, :, 0][None], q, q), "heads is 3; it must be a multiple of 2"),
        (lambda q: ops.attention(q, q, q, scale=-1.0), "the scale is -1; it must be above 0 and finite"),
        (lambda q: ops.attention(q, q, q, soft_cap=-1.0), "the soft cap is -1; it must be above 0 and finite"),
        (lambda q: ops.attention(q, q, q, sinks=torch.zeros(3)), r"sinks is \(3,\) of torch.float32; it must be \(2,\)"),
        (lambda q: ops.attention(q, q, q, window=(-3, 0)), "-3 keys before a query"),
        (lambda q: ops.attention_varlen(q, q, q, torch.tensor([0, 1]), torch.tensor([0, 1])), "q has 4 dimensions; it must have 3"),
        (lambda q: ops.attention_varlen(*[q[0]] * 3, *[torch.tensor([0, 1])] * 2), "cu_seqlens_q is of torch.int64"),
        (lambda q: ops.matmul(q[0, 0], q[0, 0]), r"they must be \(m, k\) and \(k, n\)"),
        (lambda q: ops.matmul(q[0, 0, :, ::2], q[0, 0, :, ::2].mT), r"the strides of a are \(64, 2\); one of its last two must be 1"),
        (lambda q: ops.matmul(q[0, 0], q[0, 0].mT, torch.zeros(3)), r"bias is \(3,\); it must be \(20,\)"),
    ],
)
def test_what_no_kernel_takes_is_refused(call, words):
    with pytest.raises(cutlet.OperatorError, match=words):
        call(heads("cpu"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="two devices are a GPU and the CPU")
def test_a_bias_of_another_device_is_refused():
    a = torch.zeros(8, 8, device="cuda", dtype=torch.float16)
    with pytest.raises(cutlet.OperatorError, match="bias is on cpu; it must be on a's cuda:0"):
        ops.matmul(a, a, torch.zeros(8))


def test_the_docstrings_name_every_operator():
    assert all(f"``{name}(" in ops.__doc__ for name in ("attention", "attention_varlen", "matmul"))
    assert cutlet.ops is ops


def test_without_torch_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "cutlet.ops")
    monkeypatch.delattr(cutlet, "ops", raising=False)
    with pytest.raises(ImportError, match="pip install torch"):
        importlib.import_module("cutlet.ops")
