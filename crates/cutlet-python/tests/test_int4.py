"""Tests products with weights of 4 bits: packing, results against float64, gradients, refusals.

On the CPU the emulator executes Hopper's kernels. If there is a Hopper GPU, the tests run on it,
too.
"""

import copy
import importlib
import io

import cutlet
import pytest

torch = pytest.importorskip("torch")
ops = importlib.import_module("cutlet.ops")
if ops.kernels() == 0:
    pytest.skip("the package was built without kernels", allow_module_level=True)

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
DEVICES = ["cpu"] + (["cuda"] if HOPPER else [])
BF16, F16 = torch.bfloat16, torch.float16
# For kernels that `.ci/kernels_python` lists: the columns of a group, whether there are zeros, the
# type of x, and the largest number of rows of x.
PRODUCTS = [(128, False, BF16, 40), (64, False, F16, 16), (32, False, BF16, 8), (128, True, F16, 8), (64, True, BF16, 70), (32, True, F16, 32)]


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(0)
    return request.param


def quantised(n, k, group, zeros, dtype):
    """Returns codes, scales, zeros or None, and W (n, k) in float64, computed by its definition."""
    codes = torch.randint(0, 16, (n, k))
    scales = (torch.rand(n, k // group) - 0.5).to(dtype)
    of_zeros = torch.randint(0, 16, scales.shape) if zeros else None
    less = 8 if of_zeros is None else of_zeros.repeat_interleave(group, 1)
    return codes, scales, of_zeros, (codes - less) * scales.double().repeat_interleave(group, 1)


def packed(device, n, k, group, zeros, dtype):
    codes, scales, of_zeros, w = quantised(n, k, group, zeros, dtype)
    codes, scales, of_zeros = (None if of is None else of.to(device) for of in (codes, scales, of_zeros))
    return ops.pack_int4(codes, scales, of_zeros), w.to(device)


def close(found, expected, tolerance=2e-2):
    torch.testing.assert_close(found.double(), expected.double(), rtol=tolerance, atol=tolerance)


def gptq_words(codes):
    """Packs (n, k) as GPTQ publishes it: words of 8 neighbours along k, (k / 8, n)."""
    n, k = codes.shape
    parts = codes.T.reshape(k // 8, 8, n)
    return sum(parts[:, i] << (4 * i) for i in range(8)).to(torch.int64).to(torch.int32)


def awq_words(numbers):
    """Packs (rows, n) as AWQ publishes it: words of 8 neighbours along n, the even ones first."""
    parts = numbers.reshape(numbers.shape[0], -1, 8)
    return sum(parts[..., of] << (4 * i) for i, of in enumerate((0, 2, 4, 6, 1, 3, 5, 7))).to(torch.int32)


def words(numbers):
    """Packs (rows, n) into words of 8 neighbours along n."""
    parts = numbers.reshape(numbers.shape[0], -1, 8)
    return sum(parts[..., i] << (4 * i) for i in range(8)).to(torch.int32)


@pytest.mark.parametrize("dtype", [BF16, F16])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("group", [32, 64, 128])
def test_packed_weights_are_the_numbers_of_their_definition(device, group, zeros, dtype):
    # The rows and columns of W end inside a block of packed rows and columns.
    for n, k in ((40, 3 * group), (129, 256), (16, group)):
        weights, w = packed(device, n, k, group, zeros, dtype)
        assert (weights.n, weights.k, weights.group_size, weights.zeros, weights.dtype) == (n, k, group, zeros, dtype)
        assert weights.codes.device == w.device and weights.dequantised().shape == (n, k)
        assert torch.equal(weights.dequantised(), w.to(dtype))


@pytest.mark.parametrize("group", [32, 128])
def test_published_orders_are_packed_alike(device, group):
    n, k = 48, 256
    codes, scales, zeros, w = quantised(n, k, group, True, F16)
    expected = ops.pack_int4(codes, scales, zeros)
    of_groups, turned = zeros.T.contiguous(), scales.T.contiguous()
    published = {
        "gptq": (gptq_words(codes), turned, words((of_groups - 1) & 15)),
        "gptq_v2": (gptq_words(codes), turned, words(of_groups)),
        "awq": (awq_words(codes.T.contiguous()), turned, awq_words(of_groups)),
    }
    for order, tensors in published.items():
        found = ops.pack_int4(*(of.to(device) for of in tensors), order=order, g_idx=torch.arange(k) // group)
        assert torch.equal(found.codes.cpu(), expected.codes) and torch.equal(found.groups.cpu(), expected.groups), order
    # The comparison finds a code that was changed.
    other = ops.pack_int4(gptq_words(codes ^ 1), *published["gptq_v2"][1:], order="gptq_v2")
    assert not torch.equal(other.codes, expected.codes)
    assert torch.equal(expected.dequantised(), w.to(F16))


def test_zeros_of_8_alone_are_not_kept():
    codes, scales, _, w = quantised(24, 128, 64, False, BF16)
    plain = ops.pack_int4(codes, scales)
    with_zeros = ops.pack_int4(codes, scales, torch.full((24, 2), 8))
    symmetric = ops.pack_int4(gptq_words(codes), scales.T, torch.full((2, 3), 0x77777777, dtype=torch.int32), order="gptq")
    for of in (plain, with_zeros, symmetric):
        assert not of.zeros and torch.equal(of.codes, plain.codes) and torch.equal(of.groups, plain.groups)


def test_scales_are_rounded_to_the_type_of_x():
    codes, scales, zeros, _ = quantised(24, 64, 32, True, F16)
    for found in (ops.pack_int4(codes, scales, zeros, dtype=BF16), ops.pack_int4(codes.to(torch.uint8), scales.float(), zeros, dtype=BF16)):
        assert found.dtype == BF16
        assert torch.equal(found.groups, ops.pack_int4(codes, scales.to(BF16), zeros).groups)


@pytest.mark.parametrize("group, zeros, dtype, most", PRODUCTS)
def test_products_are_those_of_float64(device, group, zeros, dtype, most):
    for m, n, k in ((1, 40, 128), (most, 130, 3 * 128)):
        weights, w = packed(device, n, k, group, zeros, dtype)
        x = torch.randn(m, k).to(device, dtype)
        expected = x.double() @ w.T
        scale = (x.double().abs() @ w.abs().T).max()
        close(ops.linear_int4(x, weights) / scale, expected / scale, 4e-3)
        bias = torch.randn(n).to(device)
        close(weights(x, bias) / scale, (expected + bias.double()) / scale, 4e-3)


def test_a_wrong_scale_is_found(device):
    weights, w = packed(device, 40, 128, 128, False, BF16)
    x = torch.randn(3, 128).to(device, BF16)
    with pytest.raises(AssertionError):
        close(ops.linear_int4(x, weights), 1.1 * x.double() @ w.T)


def test_x_of_any_dimensions_and_strides(device):
    weights, w = packed(device, 24, 128, 128, False, BF16)
    wide = torch.randn(2, 3, 136).to(device, BF16)
    row = torch.randn(128).to(device, BF16)
    taken = [wide[..., :128], wide[:, 1, 8:], wide[..., 3:131], row, row.expand(2, 1, 128), wide[0, :, :128].T.contiguous().T, wide[:, ::2, :128], wide.flatten()[: 3 * 129].view(3, 129)[:, :128]]
    # The second call has a known plan.
    for x in 2 * taken:
        found = ops.linear_int4(x, weights)
        assert found.shape == (*x.shape[:-1], 24) and found.dtype == BF16 and found.is_contiguous()
        close(found, x.double() @ w.T, 5e-2)
    for shape in ((0, 128), (2, 0, 128)):
        x = torch.empty(shape, device=device, dtype=BF16, requires_grad=True)
        found = ops.linear_int4(x, weights)
        assert found.shape == (*shape[:-1], 24)
        found.sum().backward()
        assert x.grad.shape == shape


@pytest.mark.parametrize("group, zeros, dtype, most", PRODUCTS[:2] + PRODUCTS[4:5])
def test_the_gradients_are_those_of_float64(device, group, zeros, dtype, most):
    weights, w = packed(device, 24, 128, group, zeros, dtype)
    x = torch.randn(2, 4, 128).to(device, dtype).requires_grad_()
    bias = torch.randn(24).to(device).requires_grad_()
    grad = torch.randn(2, 4, 24).to(device, dtype)
    dx, dbias = torch.autograd.grad(ops.linear_int4(x, weights, bias), (x, bias), grad)
    assert dx.dtype == dtype and dbias.dtype == torch.float32
    expected = grad.double() @ w
    close(dx / expected.abs().max(), expected / expected.abs().max(), 1e-2)
    close(dbias, grad.double().sum((0, 1)), 1e-2)
    # The gradient of a sum is one number that is expanded. The bias needs no gradient.
    (dx,) = torch.autograd.grad(ops.linear_int4(x, weights, bias.detach()).sum(), x)
    close(dx, w.sum(0).expand(2, 4, 128), 5e-2)


def test_torch_checks_the_operators(device):
    weights, _ = packed(device, 24, 128, 64, True, BF16)
    of = (weights.codes, weights.groups)
    form = weights.format
    bias = torch.randn(24).to(device)
    x = torch.randn(2, 3, 128).to(device, BF16)
    torch.library.opcheck(torch.ops.cutlet.linear_int4.default, (x.requires_grad_(), *of, bias.requires_grad_(), form))
    torch.library.opcheck(torch.ops.cutlet.linear_int4.default, (x.detach()[0], *of, None, form))
    torch.library.opcheck(torch.ops.cutlet.dequantise_int4.default, (*of, form))


class Layer(torch.nn.Module):
    """A product with trained weights, followed by a product with weights of 4 bits."""

    def __init__(self, weights):
        super().__init__()
        self.first = torch.nn.Parameter(torch.randn(128, 32) / 6)
        self.weights = weights
        self.bias = torch.nn.Parameter(torch.zeros(weights.n))

    def forward(self, x):
        return ops.linear_int4(ops.matmul(x, self.first.mT), self.weights, self.bias)


def test_a_layer_is_compiled_without_a_break(device):
    weights, w = packed(device, 24, 128, 128, False, BF16)
    layer = Layer(weights).to(device, BF16)
    x = torch.randn(2, 3, 32).to(device, BF16)
    found = []
    for run in (layer, torch.compile(layer, fullgraph=True, backend="aot_eager")):
        layer.zero_grad()
        loss = run(x).float().square().mean()
        loss.backward()
        found.append((loss.detach(), layer.first.grad.clone(), layer.bias.grad.clone()))
    for of, by in zip(*found):
        assert torch.equal(of, by)
    first = layer.first.detach().double().requires_grad_()
    loss = ((x.double() @ first.T) @ w.T).square().mean()
    loss.backward()
    close(found[0][0], loss, 5e-2)
    scale = first.grad.abs().max()
    close(found[0][1] / scale, first.grad / scale)


def test_weights_are_saved_moved_and_cast_with_their_layer(device):
    weights, w = packed(device, 24, 128, 128, False, BF16)
    layer = Layer(weights)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    other = Layer(packed("cpu", 24, 128, 128, False, BF16)[0])
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other.weights.dequantised(), w.cpu().to(BF16))
    cast = copy.deepcopy(layer).half()
    assert torch.equal(cast.weights.codes, weights.codes) and torch.equal(cast.weights.groups, weights.groups)
    assert repr(weights) == "Int4Weights(n=24, k=128, group_size=128, zeros=False, dtype=torch.bfloat16)"
    of_f16 = Layer(packed("cpu", 24, 128, 128, False, F16)[0])
    with pytest.raises(cutlet.OperatorError, match="the state is of weights int4:128:bf16:24x128; these are int4:128:f16:24x128"):
        of_f16.load_state_dict(layer.state_dict())


@pytest.mark.skipif(not HOPPER, reason="a graph is captured on a GPU")
def test_a_captured_graph_computes_new_contents():
    weights, w = packed("cuda", 256, 512, 128, False, BF16)
    x = torch.randn(4, 512).to("cuda", BF16)
    # This call makes the driver compile the kernel.
    ops.linear_int4(x, weights)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        d = ops.linear_int4(x, weights)
    for _ in range(20):
        x.normal_()
        graph.replay()
        torch.testing.assert_close(d.double(), x.double() @ w.T, rtol=2e-2, atol=0.5)


@pytest.mark.skipif(not torch.cuda.is_available() or HOPPER, reason="a GPU that is no Hopper refuses")
def test_another_gpu_is_refused():
    weights, _ = packed("cuda", 24, 128, 128, False, BF16)
    with pytest.raises(cutlet.OperatorError, match="for compute capability 9.0; this GPU has"):
        ops.linear_int4(torch.zeros(1, 128, device="cuda", dtype=BF16), weights)


def case(call, said):
    return pytest.param(call, said, id=said[:40])


@pytest.mark.parametrize(
    "call, said",
    [
        case(lambda x, w: ops.linear_int4(x.float(), w), "x is of torch.float32; the kernels are for torch.float16 and torch.bfloat16"),
        case(lambda x, w: ops.linear_int4(x.half(), w), "x is of torch.float16; it must be of the torch.bfloat16 that the weights were packed for"),
        case(lambda x, w: ops.linear_int4(x[:, :64], w), "x has 64 columns; it must have the weights' 128"),
        case(lambda x, w: ops.linear_int4(x[0, 0], w), r"x has no dimension; it must be \(.., k\)"),
        case(lambda x, w: ops.linear_int4(x, w, x[0]), r"bias is \(128,\); it must be \(24,\)"),
        case(
            lambda x, w: torch.ops.cutlet.linear_int4(x, w.codes, w.groups, None, "int4:64:bf16:24x128"),
            r"groups is \(256,\) of torch.uint8; it must be \(512,\) of torch.uint8, contiguous",
        ),
        case(lambda x, w: torch.ops.cutlet.linear_int4(x, w.codes, w.groups, None, "int4:48:bf16:24x96"), "a group has 48 columns; it must have 32, 64 or 128"),
        case(
            lambda x, w: torch.ops.cutlet.dequantise_int4(w.codes, w.groups, "int4:128:bf16:24x100"),
            "24 rows and 100 columns; both must be at least 1, and the columns a multiple of 128",
        ),
        case(lambda x, w: torch.ops.cutlet.dequantise_int4(w.codes, w.groups, "int4:128:f32:24x128"), "the format is 'int4:128:f32:24x128'; it must be as"),
        case(lambda x, w: torch.ops.cutlet.dequantise_int4(w.codes, w.groups, "int4"), "the format is 'int4'; it must be as"),
    ],
)
def test_what_no_kernel_takes_is_refused(call, said):
    weights, _ = packed("cpu", 24, 128, 128, False, BF16)
    with pytest.raises(cutlet.OperatorError, match=said):
        call(torch.zeros(2, 128, dtype=BF16), weights)


CODES, SCALES = torch.zeros(16, 128, dtype=torch.int32), torch.ones(16, 2, dtype=F16)


@pytest.mark.parametrize(
    "of, said",
    [
        ({"order": "marlin"}, "the order is 'marlin'; it must be 'rows', 'gptq', 'gptq_v2' or 'awq'"),
        ({"scales": SCALES.float()}, "the type of x is torch.float32; it must be torch.float16 or torch.bfloat16: dtype="),
        ({"codes": CODES[0]}, r"codes is \(128,\) and scales \(16, 2\) of torch.float16; they must be matrices"),
        ({"scales": SCALES.int(), "dtype": F16}, r"scales \(16, 2\) of torch.int32; they must be matrices, the scales floats"),
        ({"scales": SCALES[:, :1].expand(16, 3)}, r"scales is \(16, 3\) for 16 rows and 128 columns; there must be one for each row and 32, 64 or 128 columns"),
        ({"scales": SCALES[:8]}, r"scales is \(8, 2\) for 16 rows and 128 columns"),
        ({"codes": CODES + 16}, "codes are from 16 to 16; they must be from 0 to 15"),
        ({"codes": CODES - 1}, "codes are from -1 to -1; they must be from 0 to 15"),
        ({"codes": CODES.float()}, "codes are of torch.float32; they must be integers"),
        ({"zeros": CODES[:, :2] + 16}, "zeros are from 16 to 16; they must be from 0 to 15"),
        ({"zeros": CODES[:, :3]}, r"zeros is \(16, 3\); it must be \(16, 2\)"),
        ({"order": "gptq", "codes": CODES.long()}, r"codes is \(16, 128\) of torch.int64; it must be \(k / 8, n\) of torch.int32"),
        ({"order": "awq", "codes": CODES.short()}, r"codes is \(16, 128\) of torch.int16; it must be \(k, n / 8\) of torch.int32"),
        ({"order": "gptq", "codes": CODES, "scales": SCALES[:2, :1].expand(2, 128), "zeros": CODES[:2, :16].long()}, r"zeros is \(2, 16\) of torch.int64"),
        ({"order": "gptq", "codes": CODES, "scales": SCALES[:2, :1].expand(2, 128), "g_idx": torch.arange(128) % 2}, r"g_idx is not column // 64: .*\(desc_act\)"),
    ],
)
def test_what_is_not_packed_is_said(of, said):
    with pytest.raises(cutlet.OperatorError, match=said):
        ops.pack_int4(**{"codes": CODES, "scales": SCALES, **of})
