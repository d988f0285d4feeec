def tensors(asked):
    """Q, K, V, and dO or None, each (batches, heads, rows, dim). Q, K and V require gradients if there is a dO."""
    shape = [asked[name] for name in ("batches", "heads", "rows", "dim")]
    q, k, v = (read(asked[name], shape, asked["dtype"]).requires_grad_("d_o" in asked) for name in ("q", "k", "v"))
    return q, k, v, read(asked["d_o"], shape, asked["dtype"]) if "d_o" in asked else None


def forward_or_gradients(attend, operands, d_o):
    """(What to time, what returns the results): O by `attend`, or with `d_o` the gradients of the operands. The graph of O stays for each call."""
    if d_o is None:
        return attend, lambda: [attend()]
    o = attend()
    gradients = lambda: torch.autograd.grad(o, operands, d_o, retain_graph=True)
    return gradients, gradients
