KINDS = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}


def factors(asked):
    """A (m, k) and B (k, n), each in the order of its file: row-major, or the transpose of a row-major matrix."""
    m, n, k = (asked[name] for name in "mnk")
    a = read(asked["a"], (m, k), asked["dtype"]) if asked["a_rows"] else read(asked["a"], (k, m), asked["dtype"]).T
    b = read(asked["b"], (k, n), asked["dtype"]) if asked["b_rows"] else read(asked["b"], (n, k), asked["dtype"]).T
    return a, b


def result_of(asked):
    """D (m, n), filled with NaN so that an unwritten element shows."""
    if asked["out"] not in KINDS:
        raise ValueError(f"it is not asked for results of {asked['out']}")
    return torch.full((asked["m"], asked["n"]), math.nan, dtype=getattr(torch, KINDS[asked["out"]]), device="cuda")
