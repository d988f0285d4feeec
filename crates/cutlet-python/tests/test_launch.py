"""Tests kernels of other compilers: results, findings, counters, and the errors for launches that
are not possible."""

import pathlib
import pickle
import re

import cutlet
import numpy as np
import pytest

PTX = pathlib.Path(__file__).parents[2] / "emulator" / "tests" / "foreign" / "ptx"

# A block of 64 threads writes shared memory and reads the neighbour's element. Tests remove the
# barrier.
NEIGHBOUR = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry neighbour(.param .u64 p, .param .f32 scale) {
    .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .f32 %f<4>;
    .shared .align 4 .b8 memory[256];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, memory;
    add.u32 %r3, %r2, %r1;
    ld.param.u64 %d0, [p];
    ld.param.f32 %f2, [scale];
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.f32 %f0, [%d2];
    mul.f32 %f0, %f0, %f2;
    st.shared.f32 [%r3], %f0;
    bar.sync 0;
    xor.b32 %r4, %r1, 128;
    add.u32 %r5, %r2, %r4;
    ld.shared.f32 %f1, [%r5];
    st.global.f32 [%d2], %f1;
    ret;
}
"""


def test_a_kernel_of_triton_computes():
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(1000, dtype=np.float32) for _ in range(2))
    z = np.empty(1000, np.float32)
    report = cutlet.check(PTX / "triton_add.ptx", grid=4, block=128, args=[x, y, cutlet.uninitialised(z), 1000, None, None])
    # The named kernel adds y twice.
    np.testing.assert_allclose(z, x + 2 * y, rtol=1e-6)
    assert report.blocks == 4 and report.findings == [] and report.counters.global_sectors > 0


def softmax(text, columns=200):
    x = np.random.default_rng(2).standard_normal((3, columns), dtype=np.float32)
    y = np.zeros_like(x)
    report = cutlet.check(text, grid=3, block=128, shared=16, args=[x, cutlet.uninitialised(y), columns, None, None])
    return x, y, report


def test_a_race_planted_into_a_kernel_of_triton_is_found():
    text = (PTX / "triton_softmax.ptx").read_text()
    x, y, _ = softmax(text)
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, expected / expected.sum(1, keepdims=True), rtol=1e-4)
    raced = re.sub(r"bar\.sync\s+0;", "", text)
    assert raced != text
    with pytest.raises(cutlet.Finding) as found:
        softmax(raced)
    finding = found.value
    assert "shared" in finding.instruction and finding.kernel == "triton_softmax"
    # Triton's PTX has the lines of its source, also those of inlined functions.
    assert finding.source[1] > 0 and "triton_kernels.py" in str(finding)
    assert finding.kind == "race" and finding.other is not None
    assert f"PTX line {finding.line}" in str(finding)
    lines = raced.splitlines()
    assert finding.instruction.split()[0] in lines[finding.line - 1]


def test_a_finding_is_an_object():
    x = np.arange(64, dtype=np.float32)
    cutlet.check(NEIGHBOUR, grid=1, block=64, args=[x, 2.0])
    np.testing.assert_array_equal(x, 2 * np.arange(64).reshape(2, 32)[::-1].reshape(-1))
    with pytest.raises(cutlet.Finding) as found:
        cutlet.check(NEIGHBOUR.replace("bar.sync 0;", ""), grid=1, block=64, args=[x, 2.0])
    finding = found.value
    assert "race" in finding.kind or finding.kind == "uninitialised"
    assert finding.instruction.startswith(("ld.shared", "st.shared")) and len(finding.block) == 3
    again = pickle.loads(pickle.dumps(finding))
    assert (str(again), again.line, again.other) == (str(finding), finding.line, finding.other)
    # With `all`, the report has all findings, and the counters too.
    report = cutlet.check(NEIGHBOUR.replace("bar.sync 0;", ""), grid=1, block=64, args=[x, 2.0], all=True)
    assert report.findings and all(finding.count >= 1 for finding in report.findings)


def test_an_access_behind_an_array_names_it():
    short = np.zeros(50, np.float32)
    with pytest.raises(cutlet.Finding) as found:
        cutlet.check(NEIGHBOUR, grid=1, block=64, args=[short, 1.0])
    finding = found.value
    assert finding.buffer is not None and "p" in finding.buffer and finding.offset >= 200
    assert finding.thread is not None and finding.thread[0] >= 50


def test_a_profile_counts():
    x = np.zeros(64, np.float32)
    profile = cutlet.profile(NEIGHBOUR, grid=1, block=64, args=[x, 1.0])
    assert profile.counters.global_sectors == 16 and profile.counters.bank_conflicts == 0
    assert profile.counters.executed == sum(line.counters.executed for line in profile.lines) == profile.instructions
    assert profile.counters.flops == 64
    assert profile.top("global_sectors", 1)[0].instruction.startswith(("ld.global", "st.global"))
    conflicted = NEIGHBOUR.replace("shl.b32 %r1, %r0, 2;", "mul.lo.u32 %r1, %r0, 4;").replace("xor.b32 %r4, %r1, 128;", "and.b32 %r4, %r1, 0;")
    assert "ld.shared.f32" in str(profile) and "<table>" in profile._repr_html_()
    assert cutlet.profile(conflicted, grid=1, block=64, args=[x, 1.0]).counters.shared_wavefronts == 4
    triton = cutlet.profile(
        PTX / "triton_add.ptx", grid=4, block=128, args=[np.zeros(1000, np.float32)] * 3 + [1000, None, None]
    )
    assert all(name.endswith("triton_kernels.py") for name, _ in triton.sources())


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"args": [np.zeros(64, np.float32)]}, "2 parameters"),
        ({"args": [np.zeros(64, np.float32), np.zeros(4)]}, "no pointer"),
        ({"args": [np.zeros((8, 16), np.float32)[:, ::2], 1.0]}, "not contiguous"),
        ({"args": [np.array([None]), 1.0]}, "object"),
        ({"args": [b"1234", 1.0]}, "4 bytes"),
        ({"args": [1 << 64, 1.0]}, "does not fit"),
        ({"args": [np.zeros(64, np.float32), "one"]}, "str"),
        ({"block": 2048}, "2048"),
        ({"grid": (1, 2, 3, 4)}, "one to three"),
        ({"grid": 0}, "one to three"),
        ({"kernel": "other"}, "neighbour"),
        ({"target": "volta"}, "sm_90"),
        ({"schedule": "sometimes"}, "sometimes"),
    ],
)
def test_what_cannot_be_launched_is_said(arguments, words):
    usual = {"grid": 1, "block": 64, "args": [np.zeros(64, np.float32), 1.0]}
    with pytest.raises(cutlet.LaunchError, match=words):
        cutlet.check(NEIGHBOUR, **{**usual, **arguments})


def test_arrays_keep_what_they_are():
    x = np.ones(64, np.float32)
    x.flags.writeable = False
    with pytest.raises(cutlet.LaunchError, match="read-only"):
        cutlet.check(NEIGHBOUR, grid=1, block=64, args=[x, 3.0])
    assert (x == 1).all()
    # A numpy scalar is passed as its bytes.
    y = np.ones(64, np.float32)
    cutlet.check(NEIGHBOUR, grid=1, block=64, args=[y, np.float32(3)])
    assert (y == 3).all()


def test_a_text_that_is_no_ptx_has_its_place():
    with pytest.raises(cutlet.PtxError) as refused:
        cutlet.check(NEIGHBOUR.replace("xor.b32 %r4,", "xor.b32 %r9,"), grid=1, block=64, args=[np.zeros(64, np.float32), 1.0])
    assert refused.value.line == NEIGHBOUR.splitlines().index("    xor.b32 %r4, %r1, 128;") + 1
    with pytest.raises(FileNotFoundError):
        cutlet.check("nowhere.ptx", grid=1, block=1)


def test_an_endless_loop_ends():
    text = ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {\nL: bra L;\n}"
    with pytest.raises(cutlet.CutletError):
        cutlet.check(text, grid=1, block=1, budget=10_000)


def test_the_docstrings_hold():
    import doctest

    for name in ("_launch", "_layout"):
        module = __import__(f"cutlet.{name}", fromlist=[name])
        assert doctest.testmod(module).failed == 0
