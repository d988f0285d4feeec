#include "common.cuh"
using Plain = Layout<Shape<_32, _32>, Stride<_32, _1>>;
using Swizzled = decltype(composition(Swizzle<3, 2, 3>{}, Plain{}));
#ifdef MISTAKE
using Read = Plain;
#else
using Read = Swizzled;
#endif
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(1024) float memory[1024];
  Tensor written = make_tensor(make_smem_ptr(memory), Swizzled{});
  Tensor read = make_tensor(make_smem_ptr(memory), Read{});
  int const column = threadIdx.x;
  for (int row = 0; row < 32; ++row) written(row, column) = a[32 * row + column];
  __syncthreads();
  for (int row = 0; row < 32; ++row) d[32 * row + column] = read(row, column);
}
int main() { return map(kernel, {1, 32}, 1024, 1024, [](Numbers const& a, int i) { return a[i]; }); }
