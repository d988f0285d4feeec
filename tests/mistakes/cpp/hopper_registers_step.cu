#include "common.cuh"
#include <cutlass/arch/reg_reconfig.h>
// A producer and two consumer warp groups.
__global__ void __launch_bounds__(384, 1) kernel(float* d, float const* a, int) {
  int const group = threadIdx.x / 128;
  if (group == 0) cutlass::arch::warpgroup_reg_dealloc<40>();
  else if (group == 1) cutlass::arch::warpgroup_reg_alloc<RIGHT ? 232 : 236>();
  else cutlass::arch::warpgroup_reg_alloc<232>();
  d[threadIdx.x] = 2.f * a[threadIdx.x];
}
int main() { return map(kernel, {1, 384}, 384, 384, [](Numbers const& a, int i) { return 2.f * a[i]; }); }
