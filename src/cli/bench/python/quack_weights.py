COLD = 300_000_000  # Bytes of all copies of the weights, as in our benchmark.


def load():
    global gemm_w4a16, prepare_w4_weight, itertools
    import itertools
    from quack.gemm_w4 import gemm_w4a16, prepare_w4_weight

    return {"version": version_of("quack-kernels")}


def prepare(asked):
    """The product with the weights given; without these, a product to time, with cold random weights: each launch reads another copy."""
    m, n, k, group = (asked[name] for name in ("m", "n", "k", "group"))
    form = "int4" if group == 128 else f"int4_g{group}"

    def given():
        x, packed = read(asked["x"], (m, k), "bf16"), read(asked["packed"], (n, k // 2), "u8")
        weights = prepare_w4_weight(packed, read(asked["scales"], (n, k // group), "bf16"), form)
        work = lambda: gemm_w4a16(x, *weights, n_out=n, wformat=form)
        return work, lambda: [work()]

    def cold():
        x = torch.full((m, k), 0.5, dtype=torch.bfloat16, device="cuda")
        packed = torch.randint(0, 256, (n, k // 2), dtype=torch.uint8, device="cuda")
        blob, strip = prepare_w4_weight(packed, torch.full((n, k // group), 0.01, dtype=torch.bfloat16, device="cuda"), form)
        count = max(2, math.ceil(COLD / (blob.numel() + 2 * strip.numel())))
        turn = itertools.cycle([(blob.clone(), strip.clone()) for _ in range(count)])
        return lambda: gemm_w4a16(x, *next(turn), n_out=n, wformat=form), lambda: []

    return {"quack": given if "packed" in asked else cold}
