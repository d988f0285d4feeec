// Each thread sorts an array of its own, indexed at run time: local memory.
extern "C" __global__ void local_array(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[24];
    if (i >= n) return;
    int count = 8 + x[i] % 17;
    for (int j = 0; j < count; j++) {
        int v = (x[(i + j) % n] * 2654435761u >> 7) % 1000, p = j;
        while (p > 0 && a[p - 1] > v) a[p] = a[p - 1], p--;
        a[p] = v;
    }
    y[i] = a[count / 2] + 1000 * a[0] + 1000000 * a[x[i] % count];
}
