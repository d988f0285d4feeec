// Softmax of rows, a warp a row.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float m = -INFINITY, s = 0;
    for (int c = threadIdx.x; c < columns; c += 32) m = fmaxf(m, x[row * columns + c]);
    for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    for (int c = threadIdx.x; c < columns; c += 32) s += expf(x[row * columns + c] - m);
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    for (int c = threadIdx.x; c < columns; c += 32) y[row * columns + c] = expf(x[row * columns + c] - m) / s;
}
