#include "common.cuh"
#include <cuda/std/numeric>
#include <numeric>
__global__ void kernel(float* d, float const* a, int n) {
#ifdef MISTAKE
  d[threadIdx.x] = std::accumulate(a, a + n, 0.f);
#else
  d[threadIdx.x] = cuda::std::accumulate(a, a + n, 0.f);
#endif
}
int main() { return map(kernel, {1, 32}, 128, 32, total); }
