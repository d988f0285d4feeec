// Inclusive sums of a block's integers.
extern "C" __global__ void scan(const int *x, int *y, unsigned n) {
    extern __shared__ int ends[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) ends[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned w = 1; w < blockDim.x / 32; w++) ends[w] += ends[w - 1];
    __syncthreads();
    if (warp) v += ends[warp - 1];
    if (i < n) y[i] = v;
}
