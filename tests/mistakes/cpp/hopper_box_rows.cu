#include "common.cuh"
#include <cute/atom/copy_traits_sm90_tma.hpp>
#ifdef MISTAKE
using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_512, _64>{}));
using Global = Layout<Shape<_1024, _512>, Stride<_512, _1>>;
#else
using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_256, _64>{}));
using Global = Layout<Shape<_1024, _512>, Stride<_512, _1>>;
#endif
// CuTe makes the tensor map on the host.
int main() {
  void* memory = nullptr;
  if (failed(cudaMalloc(&memory, 2 * cosize(Global{})), "cudaMalloc")) return 1;
  Tensor g = make_tensor(make_gmem_ptr((half_t*)memory), make_layout(make_shape(int(size<0>(Global{})), int(size<1>(Global{}))), make_stride(int64_t(stride<0>(Global{})), _1{})));
  auto tma = make_tma_copy(SM90_TMA_LOAD{}, g, SmemLayout{});
  std::printf("%s\n", size(tma) > 0 ? "right" : "wrong");
}
