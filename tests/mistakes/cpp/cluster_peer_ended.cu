#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(16) float tile[128];
  int const i = threadIdx.x, block = blockIdx.x;
  for (int j = 0; j < 4; ++j) tile[4 * i + j] = a[128 * block + 4 * i + j];
  cluster_sync();
  uint32_t const peer = set_block_rank(cast_smem_ptr_to_uint(tile + 4 * i), block ^ 1);
  float four[4];
#if defined(__CUDA_ARCH__)
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3]) : "r"(peer));
#endif
  if (RIGHT) cluster_sync();
  for (int j = 0; j < 4; ++j) d[128 * block + 4 * i + j] = four[j];
}
int main() { return map(kernel, {2, 32, 0, 2}, 256, 256, [](Numbers const& a, int i) { return a[i ^ 128]; }); }
