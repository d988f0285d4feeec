// Votes, matches and barriers that count.
extern "C" __global__ void votes(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i % n];
    int r = __syncthreads_count(v > 3) + 1000 * __syncthreads_or(v == 11) + 2000 * __syncthreads_and(v < 100);
    unsigned same = __match_any_sync(~0u, v & 3);
    int all;
    r ^= same ^ __match_all_sync(~0u, v >> 3 & 1, &all) ^ all << 4;
    r += __ballot_sync(~0u, v & 1) ^ __any_sync(~0u, v == 2) ^ __all_sync(~0u, v < 90) << 3;
    r ^= __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v) * 3 + __reduce_xor_sync(~0u, (unsigned)v) * 5;
    if (v & 4) r += __popc(__activemask() & same & (1u << threadIdx.x % 32) - 1);
    if (i < n) y[i] = r;
}
