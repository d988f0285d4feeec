def load():
    global flash_attn_func
    from flash_attn.cute.interface import flash_attn_func

    return {"version": version_of("flash-attn-4")}


def prepare(asked):
    # (batches, rows, heads, dim), contiguous, as FlashAttention-4's users have their tensors.
    of_heads = [of if of is None else of.detach().transpose(1, 2).contiguous() for of in tensors(asked)]
    q, k, v = (of.requires_grad_("d_o" in asked) for of in of_heads[:3])

    def attend():
        out = flash_attn_func(q, k, v, softmax_scale=asked["scale"], causal=asked["causal"], deterministic=asked.get("deterministic", False))
        return out[0] if isinstance(out, tuple) else out

    def begin():
        work, results = forward_or_gradients(attend, (q, k, v), of_heads[3])
        # `compared` counts rows in the order of our tensors.
        return work, lambda: [of.transpose(1, 2).contiguous() for of in results()]

    return {"FlashAttention-4": begin}
