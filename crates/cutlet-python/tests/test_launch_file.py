"""Tests launch files and tensor maps: results, findings, outputs, and the errors for values that are
not possible."""

import pathlib
import pickle
import re

import cutlet
import numpy as np
import pytest

FOREIGN = pathlib.Path(__file__).parents[2] / "emulator" / "tests" / "foreign"
TMA = FOREIGN / "ptx" / "tma_tile.ptx"

# A block of n threads writes shared memory and reads the neighbour's element.
NEIGHBOUR = """
ptx = "neighbour.ptx"
entry = "neighbour"
grid = 1
block = "n"
sizes = { n = [32, 64] }
parameters = [{ name = "x", type = "u32", length = "n", fill = "iota", output = OUTPUT }]
"""
PTX = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry neighbour(.param .u64 x) {
    .reg .b32 %r<6>; .reg .b64 %d<4>;
    .shared .align 4 .b8 memory[256];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, memory;
    add.u32 %r3, %r2, %r1;
    ld.param.u64 %d0, [x];
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r4, [%d2];
    st.shared.u32 [%r3], %r4;
    bar.sync 0;
    mov.u32 %r5, %ntid.x;
    shl.b32 %r5, %r5, 1;
    xor.b32 %r5, %r5, %r1;
    add.u32 %r5, %r5, %r2;
    ld.shared.u32 %r4, [%r5];
    st.global.u32 [%d2], %r4;
    ret;
}
"""


def written(folder, toml=NEIGHBOUR, ptx=PTX, output='"print"'):
    (folder / "neighbour.ptx").write_text(ptx)
    file = folder / "neighbour.toml"
    file.write_text(toml.replace("OUTPUT", output))
    return file


def test_a_launch_file_runs_at_its_sizes(tmp_path):
    file = written(tmp_path)
    reports = cutlet.check(file)
    assert [report.problem for report in reports] == ["n = 32", "n = 64"]
    assert reports[1].outputs == ["x = [32, 33, 34, 35, 36, 37, 38, 39, ..]"] and reports[1].findings == []
    assert reports[0].kernel == "neighbour" and reports[0].counters.global_sectors == 8
    (report,) = cutlet.check(str(file), sizes={"n": 16}, schedule="late")
    assert report.problem == "n = 16" and report.instructions > 0


def test_a_race_planted_into_a_launch_file_is_found(tmp_path):
    file = written(tmp_path, ptx=PTX.replace("bar.sync 0;", ""))
    with pytest.raises(cutlet.Finding) as found:
        cutlet.check(file)
    finding = found.value
    assert (finding.kind, finding.problem) == ("race", "n = 32") and finding.other is not None
    assert str(finding).startswith("n = 32: race") and "shared" in finding.instruction
    again = pickle.loads(pickle.dumps(finding))
    assert (str(again), again.problem) == (str(finding), "n = 32")
    reports = cutlet.check(file, all=True)
    assert [{finding.problem for finding in report.findings} for report in reports] == [{"n = 32"}, {"n = 64"}]


@pytest.mark.parametrize("name", ["reduce", "triton_softmax", "tma_tile"])
def test_launch_files_of_other_compilers_run(name):
    reports = cutlet.check(FOREIGN / f"{name}.toml")
    assert all(report.findings == [] for report in reports)
    asynchronous = name == "tma_tile"
    assert asynchronous == any("schedule seeded:1" in report.problem for report in reports)
    # Outputs have the same hash under each schedule.
    assert len({line for report in reports for line in report.outputs}) == len(reports) / (3 if asynchronous else 1)


def test_an_output_is_compared(tmp_path):
    expected = np.concatenate([np.arange(16, 32), np.arange(16)]).astype(np.uint32)
    np.save(tmp_path / "x.npy", expected)
    toml = NEIGHBOUR.replace("[32, 64]", "32")
    file = written(tmp_path, toml, output='{ compare = "x.npy" }')
    assert len(cutlet.check(file)) == 1
    expected[3] += 1
    np.save(tmp_path / "x.npy", expected)
    with pytest.raises(cutlet.OutputError, match=r"n = 32: wrong result in `x`: 1 element differs, the first is \[3\]: 19, expected 20") as wrong:
        cutlet.check(file)
    assert str(pickle.loads(pickle.dumps(wrong.value))) == str(wrong.value)
    (report,) = cutlet.check(file, all=True)
    assert report.wrong.output == "x"
    # A profile compares nothing.
    assert cutlet.profile(file).wrong is None
    save = written(tmp_path, toml, output='{ save = "saved.npy" }')
    cutlet.check(save)
    np.testing.assert_array_equal(np.load(tmp_path / "saved.npy")[:3], [16, 17, 18])


def test_a_launch_file_is_profiled(tmp_path):
    file = written(tmp_path)
    profile = cutlet.profile(file)
    assert profile.problem == "n = 32" and profile.counters.global_sectors == 8 and "neighbour, n = 32" in str(profile)
    assert cutlet.profile(file, sizes={"n": 64}, launch=1).counters.global_sectors == 16
    with pytest.raises(cutlet.LaunchError, match="has the launches 1 to 1, no launch 2"):
        cutlet.profile(file, launch=2)


@pytest.mark.parametrize(
    "change, arguments, error, words",
    [
        (('block = "n"', 'block = "m"'), {}, cutlet.LaunchFileError, r"neighbour.toml:5:\d+: unknown variable `m`; there are n"),
        (('"neighbour.ptx"', '"nowhere.ptx"'), {}, cutlet.LaunchError, "nowhere.ptx: cannot be read"),
        (('"neighbour"', '"other"'), {}, cutlet.LaunchError, "other"),
        (("[32, 64]", "2048"), {}, cutlet.LaunchError, "n = 2048: .*2048"),
        (("", ""), {"sizes": {"m": 1}}, cutlet.LaunchError, "has no size `m`; it has n"),
        (("", ""), {"schedule": "sometimes"}, cutlet.LaunchError, "sometimes"),
        (("", ""), {"grid": 1, "args": [1]}, cutlet.LaunchError, "takes sizes=, schedule=, budget= and all=, not grid=, args="),
        (("", ""), {"budget": 3}, cutlet.Finding, "n = 32: the block executed 3 warp instructions"),
    ],
)
def test_what_a_launch_file_cannot_be_is_said(tmp_path, change, arguments, error, words):
    file = written(tmp_path, NEIGHBOUR.replace(*change))
    with pytest.raises(error, match=words) as refused:
        cutlet.check(file, **arguments)
    if error is cutlet.LaunchFileError:
        assert (refused.value.line, refused.value.file.name) == (5, "neighbour.toml")


def test_launch_files_and_ptx_take_different_arguments(tmp_path):
    with pytest.raises(FileNotFoundError):
        cutlet.check(tmp_path / "nowhere.toml")
    with pytest.raises(cutlet.LaunchError, match="sizes=: only a launch file"):
        cutlet.check(PTX, grid=1, block=32, sizes={"n": 1})
    with pytest.raises(TypeError, match="grid= and block="):
        cutlet.check(PTX)
    with pytest.raises(cutlet.LaunchError, match="`kernels` takes PTX"):
        cutlet.kernels(written(tmp_path))
    with pytest.raises(cutlet.PtxError) as refused:
        cutlet.check(written(tmp_path, ptx=PTX.replace("xor.b32 %r5,", "xor.b32 %r9,")))
    assert refused.value.line == PTX.splitlines().index("    xor.b32 %r5, %r5, %r1;") + 1


def tile(x, y, **values):
    """Writes 3 x + the block's column to y by a kernel of nvcc that copies boxes of 8 rows of 32 by
    TMA."""
    grid = (-(-x.shape[1] // 32), -(-x.shape[0] // 8))
    maps = [cutlet.TensorMap(x, **{"box": (32, 8), **values}), cutlet.TensorMap(y, box=(32, 8))]
    return cutlet.check(TMA, grid=grid, block=32, args=maps)


@pytest.mark.parametrize("shape", [(16, 64), (21, 84)])
def test_a_kernel_that_uses_tma_takes_tensor_maps(shape):
    x, y = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape), np.full(shape, -1, np.int32)
    report = tile(x, cutlet.uninitialised(y)) if shape == (16, 64) else tile(x, y)
    np.testing.assert_array_equal(y, 3 * x + np.arange(shape[1]) // 32)
    assert report.findings == []
    # The launch file of the same kernel says the same with every value written out.
    values = {"extents": shape[::-1], "strides": [4 * shape[1]], "element": "i32", "swizzle": "none"}
    again = np.full(shape, -1, np.int32)
    tile(x, again, **values)
    np.testing.assert_array_equal(again, y)


def test_a_tensor_map_of_torch_is_the_same():
    torch = pytest.importorskip("torch")
    x, y = torch.arange(16 * 64, dtype=torch.int32).reshape(16, 64), torch.zeros(16, 64, dtype=torch.int32)
    tile(x, y)
    assert (y == 3 * x + torch.arange(64) // 32).all()
    of = cutlet.TensorMap(torch.zeros(4, 8, 64, dtype=torch.bfloat16), box=(64, 8, 1), swizzle=128)
    assert repr(of) == "TensorMap(bf16, extents=[64, 8, 4], strides=[128, 1024], box=[64, 8, 1], swizzle=128)"


def test_a_barrier_that_is_left_out_of_a_tma_kernel_is_found():
    text = TMA.read_text()
    x, y = np.zeros((16, 64), np.int32), np.zeros((16, 64), np.int32)
    maps = [cutlet.TensorMap(of, box=(32, 8)) for of in (x, y)]
    # The box must be as large as the bytes that the kernel waits for.
    raced = re.sub(r"fence\.proxy\.async\.shared::cta;", "", text)
    assert raced != text
    with pytest.raises(cutlet.Finding) as found:
        cutlet.check(raced, grid=(2, 2), block=32, args=maps)
    assert "proxy" in str(found.value)


@pytest.mark.parametrize(
    "values, words",
    [
        ({"swizzle": 48}, r'argument 0 \(tma_tile_param_0\): `swizzle` is 32, 64 or 128 bytes, or "none", not 48'),
        ({"swizzle": "wide"}, "not 'wide'"),
        ({"swizzle": 32}, "a row of the box has 128 bytes; a 32-byte swizzle takes at most 32"),
        ({"element": "half"}, r"`element` is one of u8, i8, .*tf32_ftz, not \"half\""),
        ({"oob_fill": "ones"}, r'`oob_fill` is "zeros" or "nan", not "ones"'),
        ({"oob_fill": "nan"}, "has no NaN to fill with"),
        ({"box": (32, 8, 1)}, "box.* were given for 2 dimensions"),
        ({"box": (32, 300)}, "extent 1 of the box is 300; it must be from 1 to 256"),
        ({"box": (32, -8)}, r"box = \[32, -8\]: numbers from 0"),
        ({"box": (33, 8)}, "a row of the box has 132 bytes; it must be a multiple of 16"),
        ({"strides": [260]}, "stride 1 of the tensor is 260 bytes; it must be a multiple of 16"),
        ({"extents": (64, 17), "strides": [256]}, "the tensor spans 4352 bytes; the buffer has 4096"),
        ({"extents": (64, 16)}, "0 strides were given for 2 dimensions; 1 are needed"),
        ({"offset": 8}, "the tensor begins at 0x8, which is no multiple of 16"),
        ({"element_strides": (2, 1)}, "element stride 0 is 2; it must be 1"),
    ],
)
def test_what_a_tensor_map_cannot_be_is_said(values, words):
    with pytest.raises(cutlet.LaunchError, match=words):
        tile(np.zeros((16, 64), np.int32), np.zeros((16, 64), np.int32), **values)


def test_tensor_maps_are_for_parameters_of_128_bytes():
    of = cutlet.TensorMap(np.zeros((16, 64), np.int32), box=(32, 8))
    with pytest.raises(cutlet.LaunchError, match="is a TensorMap, 128 bytes: the parameter is .*8 bytes"):
        cutlet.check(PTX, grid=1, block=32, args=[of])
    with pytest.raises(cutlet.LaunchError, match="the parameter is .*no pointer"):
        cutlet.check(TMA, grid=1, block=32, args=[np.zeros((16, 64), np.int32), of])
    with pytest.raises(cutlet.LaunchError, match="the target has 8.0"):
        cutlet.check(TMA.read_text().replace("sm_90a", "sm_80"), grid=1, block=32, args=[of, of], target="sm_80")
    with pytest.raises(cutlet.LaunchError, match="not of a list"):
        cutlet.TensorMap([1, 2], box=(2,))
    with pytest.raises(cutlet.LaunchError, match="complex64: element="):
        cutlet.TensorMap(np.zeros((16, 64), np.complex64), box=(32, 8))
