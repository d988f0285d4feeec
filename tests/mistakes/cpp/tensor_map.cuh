// Makes the tensor map of a tile of f16 on the host, as CuTe does. The program that includes this names the tile (`SmemLayout`) and
// the matrix (`Global`). It is included once in each program's namespace.
int main() {
  void* memory = nullptr;
  if (failed(cudaMalloc(&memory, 2 * cosize(Global{})), "cudaMalloc")) return 1;
  Tensor g = make_tensor(make_gmem_ptr((half_t*)memory), make_layout(make_shape(int(size<0>(Global{})), int(size<1>(Global{}))), make_stride(int64_t(stride<0>(Global{})), _1{})));
  auto tma = make_tma_copy(SM90_TMA_LOAD{}, g, SmemLayout{});
  std::printf("%s\n", size(tma) > 0 ? "right" : "wrong");
}
