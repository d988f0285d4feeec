// A transpose of 16-bit elements, eight at a time, through dynamic shared memory; registers kept few.
extern "C" __global__ void __launch_bounds__(64, 2) transpose(const uint4 *x, uint4 *y, int rows8, int columns8) {
    extern __shared__ __align__(16) unsigned short tile[];
    for (int t = threadIdx.x; t < 64 * 8; t += 64) {
        int r = t / 8, c = t % 8;
        uint4 v = x[(blockIdx.y * 64 + r) * columns8 + blockIdx.x * 8 + c];
        *(uint4 *)&tile[r * 72 + c * 8] = v;
    }
    __syncthreads();
    for (int t = threadIdx.x; t < 64 * 8; t += 64) {
        int r = t / 8, c = t % 8;
        union { unsigned short s[8]; uint4 v; } u;
        for (int i = 0; i < 8; i++) u.s[i] = tile[(c * 8 + i) * 72 + r];
        y[(blockIdx.x * 64 + r) * rows8 + blockIdx.y * 8 + c] = u.v;
    }
}
