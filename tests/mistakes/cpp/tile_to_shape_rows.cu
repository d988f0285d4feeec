#include "common.cuh"
#ifdef MISTAKE
using TileLayout = Shape<Int<100>, _32>;
#else
using TileLayout = Shape<Int<104>, _32>;
#endif
int main() {
  auto smem = tile_to_shape(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}), TileLayout{});
  Numbers found(1, float(size(smem)));
  return compare(found, [](int) { return double(size(TileLayout{})); });
}
