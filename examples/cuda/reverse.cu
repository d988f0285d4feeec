extern "C" __global__ void reverse(float *d, const float *a, int n) {
    __shared__ float tile[128];
    int i = threadIdx.x;
    tile[i] = a[i];
    d[i] = tile[n - 1 - i];
}
// d[i] = a[n - 1 - i], by one block of n threads, without the barrier that it needs: the planted bug
// of docs/guide/from-cuda.md. nvcc -ptx -arch=sm_80 -lineinfo reverse.cu
