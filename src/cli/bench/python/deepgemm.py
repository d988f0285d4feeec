def load():
    global deep_gemm
    import deep_gemm

    return {"version": getattr(deep_gemm, "__version__", None) or version_of("deep-gemm")}


def named(*names):
    """DeepGEMM's function with the first of these names that this version has."""
    for name in names:
        if hasattr(deep_gemm, name):
            return getattr(deep_gemm, name)
    raise AttributeError(f"this version has no {names[0]}")


def prepare(asked):
    def begin():
        if not asked["a_rows"] or asked["b_rows"]:
            raise ValueError("it is asked for A row-major and B column-major alone")
        (a, b), d = factors(asked), result_of(asked)
        if asked["dtype"] == "bf16":
            multiply = named("bf16_gemm_nt")
            work = lambda: multiply(a, b.T, d)
        elif asked["dtype"] == "e4m3" and "scales_a" in asked:
            m, n, k = (math.ceil(asked[name] / of) for name, of in (("m", 1), ("n", 128), ("k", 128)))
            # In our file the scales of all rows for one block of k are contiguous, as TMA reads them.
            of_a, of_b = read(asked["scales_a"], (k, m), "f32").T, read(asked["scales_b"], (n, k), "f32")
            align = named("get_mn_major_tma_aligned_tensor", "get_col_major_tma_aligned_tensor")
            left, right = (a, align(of_a)), (b.T, of_b)
            multiply = named("fp8_gemm_nt", "gemm_fp8_fp8_bf16_nt")
            work = lambda: multiply(left, right, d)
        else:
            raise ValueError(f"it is asked for products of bf16, and of e4m3 with scales of blocks, not of {asked['dtype']}")
        work()
        return work, lambda: [d]

    return {"DeepGEMM": begin}
