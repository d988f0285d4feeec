#include "common.cuh"
// A tile of (96,64) is stored in chunks of (32,32).
__global__ void kernel(float* d, float const* a, int) {
  auto tile = Layout<Shape<_96, _64>, Stride<_64, _1>>{};
  Tensor g_a = zipped_divide(make_tensor(make_gmem_ptr(a), tile), Shape<_32, _32>{}); // ((32,32),(3,2))
  Tensor g_d = zipped_divide(make_tensor(make_gmem_ptr(d), tile), Shape<_32, _32>{});
  for (int chunk = 0; chunk < (RIGHT ? size<1>(g_d) : 4); ++chunk)
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) g_d(i, chunk) = g_a(i, chunk);
}
int main() { return map(kernel, {1, 128}, 6144, 6144, [](Numbers const& a, int i) { return a[i]; }); }
