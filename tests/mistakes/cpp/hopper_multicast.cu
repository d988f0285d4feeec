#include "common.cuh"
// Block 0 of a cluster of two loads 512 bytes into the shared memory of both.
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(128) float tile[128];
  __shared__ uint64_t barrier;
  int const i = threadIdx.x, block = blockIdx.x;
  if (i == 0) {
    initialize_barrier(barrier, 1);
    cutlass::arch::fence_barrier_init();
    set_barrier_transaction_bytes(barrier, 512);
  }
  cluster_sync();
  uint16_t const mask = RIGHT ? 0b11 : 0b101;
#if defined(__CUDA_ARCH__)
  if (i == 0 && block == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 512, [%2], %3;" ::"r"(
                     cast_smem_ptr_to_uint(tile)), "l"(a), "r"(cast_smem_ptr_to_uint(&barrier)), "h"(mask) : "memory");
#endif
  wait_barrier(barrier, 0);
  d[128 * block + i] = tile[127 - i];
  cluster_sync();
}
int main() { return map(kernel, {2, 128, 0, 2}, 128, 256, [](Numbers const& a, int i) { return a[127 - i % 128]; }); }
