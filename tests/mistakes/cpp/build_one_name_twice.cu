#include "common.cuh"
// Kernels of two namespaces that the host finds by name.
namespace rows {
extern "C" __global__ void one_name_twice(float* d, float const* a, int) { d[threadIdx.x] = a[threadIdx.x]; }
}
namespace tiles {
#ifdef MISTAKE
extern "C" __global__ void one_name_twice(float* d, float const* a, int) { d[threadIdx.x] = 2 * a[threadIdx.x]; }
#else
extern "C" __global__ void another_name(float* d, float const* a, int) { d[threadIdx.x] = 2 * a[threadIdx.x]; }
#endif
}
int main() { return map(rows::one_name_twice, {1, 128}, 128, 128, [](Numbers const& a, int i) { return a[i]; }); }
