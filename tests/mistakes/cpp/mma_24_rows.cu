#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  using SmemA = Layout<Shape<_24, _32>, Stride<_32, _1>>;
};
#else
struct P : Setup {
};
#endif
int main() { return run_product<P>(); }
