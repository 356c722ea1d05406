#include "cublaslt.h"

#include <algorithm>

namespace warpcc::bench {
namespace {

using runtime::Error;
using runtime::failure;
using runtime::success;

// cublasLt.h and library_types.h of CUDA 12 and 13.
constexpr int kReal32 = 0, kHalf = 2, kBfloat = 14;  // cudaDataType_t
constexpr int kCompute32 = 68;                       // CUBLAS_COMPUTE_32F
constexpr int kTransposeA = 3, kTransposeB = 4;      // cublasLtMatmulDescAttributes_t
constexpr int kMaxWorkspace = 1;                     // cublasLtMatmulPreferenceAttributes_t
constexpr int kNotTransposed = 0, kTransposed = 1;   // cublasOperation_t

Error check(int status, const char* what) {
  if (status == 0) return success();
  return failure(WARPCC_DRIVER_FAILED, std::string(what) + " failed: cuBLAS status " + std::to_string(status));
}

void* pointer(runtime::cuda::Address address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace

Error Cublaslt::open() {
  if (Error error =
          library_.open(std::vector<std::string>{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"})) {
    return error;
  }
  library_.find("cublasLtCreate", create_);
  library_.find("cublasLtGetVersion", get_version_);
  library_.find("cublasLtMatmulDescCreate", operation_create_);
  library_.find("cublasLtMatmulDescSetAttribute", operation_set_);
  library_.find("cublasLtMatmulDescDestroy", operation_destroy_);
  library_.find("cublasLtMatrixLayoutCreate", layout_create_);
  library_.find("cublasLtMatrixLayoutDestroy", layout_destroy_);
  library_.find("cublasLtMatmulPreferenceCreate", preference_create_);
  library_.find("cublasLtMatmulPreferenceSetAttribute", preference_set_);
  library_.find("cublasLtMatmulPreferenceDestroy", preference_destroy_);
  library_.find("cublasLtMatmulAlgoGetHeuristic", heuristic_);
  library_.find("cublasLtMatmulAlgoConfigGetAttribute", algorithm_get_);
  library_.find("cublasLtMatmul", matmul_);
  if (Error error = library_.found()) return error;
  return check(create_(&handle_), "cublasLtCreate");
}

// cuBLASLt's matrices are column-major. Row-major C (m × n) is column-major Cᵀ (n × m) = B · Aᵀ, where B's memory is
// column-major k × n, to be transposed, and A's column-major k × m as it is.
Error Cublaslt::prepare(const trial::Product& product, warpcc_element element, Matmul& matmul) const {
  matmul.library_ = this;
  int type = element == WARPCC_BF16 ? kBfloat : kHalf;
  if (element != WARPCC_BF16 && element != WARPCC_F16)
    return failure(WARPCC_BAD_ARGUMENT, "operands of f16 or bf16 are compared");
  auto m = static_cast<std::uint64_t>(product.m), n = static_cast<std::uint64_t>(product.n),
       k = static_cast<std::uint64_t>(product.k);
  if (Error error = check(operation_create_(&matmul.operation_, kCompute32, kReal32), "cublasLtMatmulDescCreate")) {
    return error;
  }
  for (auto [attribute, value] : {std::pair{kTransposeA, kTransposed}, std::pair{kTransposeB, kNotTransposed}}) {
    int status = operation_set_(matmul.operation_, attribute, &value, sizeof value);
    if (Error error = check(status, "cublasLtMatmulDescSetAttribute")) return error;
  }
  struct Layout {
    void** layout;
    int type;
    std::uint64_t rows, columns;
  };
  for (const Layout& each :
       {Layout{&matmul.a_, type, k, n}, Layout{&matmul.b_, type, k, m}, Layout{&matmul.c_, kReal32, n, m}}) {
    int status = layout_create_(each.layout, each.type, each.rows, each.columns, static_cast<std::int64_t>(each.rows));
    if (Error error = check(status, "cublasLtMatrixLayoutCreate")) return error;
  }
  return find_algorithms(matmul);
}

Error Cublaslt::find_algorithms(Matmul& matmul) const {
  constexpr int kAsked = 128;
  for (std::size_t workspace : {kMostWorkspace, std::size_t{32} << 20, std::size_t{0}}) {
    void* preference = nullptr;
    if (Error error = check(preference_create_(&preference), "cublasLtMatmulPreferenceCreate")) return error;
    preference_set_(preference, kMaxWorkspace, &workspace, sizeof workspace);
    std::vector<Heuristic> results(kAsked);
    int returned = 0;
    // A workspace for which there is no algorithm is no error: the others may have some.
    heuristic_(handle_, matmul.operation_, matmul.a_, matmul.b_, matmul.c_, matmul.c_, preference, kAsked,
               results.data(), &returned);
    preference_destroy_(preference);
    for (int i = 0; i < returned; ++i) {
      const Heuristic& result = results[static_cast<std::size_t>(i)];
      if (result.state != 0) continue;
      bool is_known = std::any_of(matmul.algorithms_.begin(), matmul.algorithms_.end(),
                                  [&](const Algorithm& each) { return each.data == result.algorithm; });
      if (is_known) continue;
      matmul.algorithms_.push_back({result.algorithm, result.workspace, configuration(result.algorithm)});
    }
  }
  return matmul.algorithms_.empty() ? failure(WARPCC_DRIVER_FAILED, "cuBLASLt has no algorithm for this product")
                                    : success();
}

std::string Cublaslt::configuration(const std::array<std::uint64_t, 8>& algorithm) const {
  // cublasLtMatmulAlgoConfigAttributes_t, in its order.
  constexpr const char* kNames[] = {"id",     "tile",   "split", "reduction", "swizzle",
                                    "option", "stages", "inner", "cluster"};
  std::string text;
  for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i) {
    std::uint32_t value = 0;
    std::size_t written = 0;
    std::size_t bytes = i == 7 || i == 8 ? 2 : 4;
    if (algorithm_get_(algorithm.data(), i, &value, bytes, &written) != 0) continue;
    text += (text.empty() ? "" : " ") + std::string(kNames[i]) + " " + std::to_string(value);
  }
  return text;
}

Error Matmul::launch(const Algorithm& algorithm, const Operands& operands, runtime::cuda::Address workspace,
                     runtime::cuda::Stream stream) const {
  const float one = 1, zero = 0;
  int status = library_->matmul_(library_->handle_, operation_, &one, pointer(operands.b), a_, pointer(operands.a), b_,
                                 &zero, pointer(operands.c), c_, pointer(operands.c), c_, algorithm.data.data(),
                                 pointer(workspace), algorithm.workspace, stream);
  return check(status, "cublasLtMatmul");
}

Matmul::~Matmul() {
  if (library_ == nullptr) return;
  if (operation_ != nullptr) library_->operation_destroy_(operation_);
  for (void* layout : {a_, b_, c_}) {
    if (layout != nullptr) library_->layout_destroy_(layout);
  }
}

}  // namespace warpcc::bench
