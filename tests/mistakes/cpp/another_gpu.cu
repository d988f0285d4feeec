// nvcc of the mistake: -arch=sm_100a
#include "common.cuh"
// Built for Blackwell's instructions alone, and run on a GPU of another generation.
__global__ void kernel(float* d, float const* a, int) { d[threadIdx.x] = a[threadIdx.x]; }
int main() { return map(kernel, {1, 128}, 128, 128, [](Numbers const& a, int i) { return a[i]; }); }
