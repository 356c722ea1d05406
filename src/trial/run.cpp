#include "trial/run.h"

#include <cstddef>
#include <string>

#include "trial/inputs.h"

namespace warpcc::trial {
namespace {

using runtime::check;
using runtime::Error;
using runtime::failure;
using runtime::Kernel;
using runtime::success;

// What the kernel has stored, tensor after tensor.
Error read_stored(const Kernel& kernel, const Tensors& tensors, std::vector<std::vector<std::byte>>& stored) {
  stored.clear();
  for (std::size_t i = 0; i < tensors.addresses.size(); ++i) {
    const runtime::Tensor& tensor = kernel.manifest().tensors[i];
    if (!tensor.written) continue;
    std::vector<std::byte>& bytes = stored.emplace_back(bytes_of(tensor));
    auto result = kernel.driver().copy_to_host(bytes.data(), tensors.addresses[i], bytes.size());
    if (Error error = check(kernel.driver(), result, "reading `" + tensor.name + "`")) return error;
  }
  return success();
}

class Runner {
 public:
  Runner(const Kernel& kernel, const Options& options, Report& report)
      : kernel_(kernel), options_(options), report_(report), memory_(kernel) {}

  Error run() {
    if (Error error = make_tensors(kernel_, options_.seed, memory_, tensors_)) return error;
    if (Error error = kernel_.bind(tensors_.given, call_)) return error;
    report_.product = product_of(kernel_.manifest());
    if (Error error = launch(1)) return error;
    std::vector<std::vector<std::byte>> first, last;
    if (Error error = read_stored(kernel_, tensors_, first)) return error;
    last = first;
    if (options_.launches > 1) {
      if (Error error = launch(options_.launches - 2)) return error;
      // Poisoned again, so that what an earlier launch stored is not taken for the last one's.
      if (Error error = poison(kernel_, tensors_)) return error;
      if (Error error = launch(1)) return error;
      if (Error error = read_stored(kernel_, tensors_, last)) return error;
    }
    report_.same = first == last;
    if (!report_.product) return success();
    ProductCheck check(*report_.product, options_.seed);
    warpcc_element element = kernel_.manifest().tensors[report_.product->c].element;
    report_.first = check.compare(numbers(first[0], element).data());
    report_.last = check.compare(numbers(last[0], element).data());
    return success();
  }

 private:
  Error launch(int times) {
    for (int i = 0; i < times; ++i) {
      if (Error error = call_.launch({nullptr, options_.dependent && i > 0})) return error;
    }
    return check(kernel_.driver(), kernel_.driver().context_synchronize(),
                 "running `" + kernel_.manifest().entry + "`");
  }

  const Kernel& kernel_;
  const Options& options_;
  Report& report_;
  Memory memory_;
  Tensors tensors_;
  runtime::Call call_;
};

}  // namespace

Memory::~Memory() {
  for (runtime::cuda::Address address : all_) kernel_.driver().free(address);
}

Error Memory::take(std::uint64_t bytes, runtime::cuda::Address& address) {
  auto result = kernel_.driver().allocate(&address, bytes);
  if (Error error = check(kernel_.driver(), result, "taking " + std::to_string(bytes) + " bytes")) return error;
  all_.push_back(address);
  return success();
}

Error make_tensors(const Kernel& kernel, std::uint64_t seed, Memory& memory, Tensors& tensors) {
  const std::vector<runtime::Tensor>& wanted = kernel.manifest().tensors;
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    const runtime::Tensor& tensor = wanted[i];
    if (bytes_of(tensor) == 0) {
      return failure(WARPCC_BAD_FILE,
                     "the manifest does not say how large `" + tensor.name + "` is: it cannot be made");
    }
    if (!tensor.written && !can_make(tensor.element)) {
      return failure(WARPCC_BAD_FILE, "`" + tensor.name + "`: inputs of elements of " +
                                          std::string(runtime::element_name(tensor.element)) + " cannot be made");
    }
    runtime::cuda::Address address = 0;
    if (Error error = memory.take(bytes_of(tensor), address)) return error;
    tensors.addresses.push_back(address);
    tensors.given.push_back(
        {tensor.name.c_str(), reinterpret_cast<void*>(address), tensor.element, 0, nullptr, nullptr});
    if (tensor.written) continue;
    std::vector<std::byte> made = make_input(tensor, i, seed);
    auto result = kernel.driver().copy_to_device(address, made.data(), made.size());
    if (Error error = check(kernel.driver(), result, "filling `" + tensor.name + "`")) return error;
  }
  return poison(kernel, tensors);
}

Error poison(const Kernel& kernel, const Tensors& tensors) {
  for (std::size_t i = 0; i < tensors.addresses.size(); ++i) {
    const runtime::Tensor& tensor = kernel.manifest().tensors[i];
    if (!tensor.written) continue;
    // No product: NaN in every floating-point type, and the least of all integers.
    const unsigned poison = tensor.element == WARPCC_S32 ? 0x80000000 : 0xffffffff;
    // A last word that is not whole stays as it is: memory is taken in larger units.
    auto result = kernel.driver().fill32(tensors.addresses[i], poison, bytes_of(tensor) / 4);
    if (Error error = check(kernel.driver(), result, "poisoning `" + tensor.name + "`")) return error;
  }
  return check(kernel.driver(), kernel.driver().context_synchronize(), "poisoning");
}

Error run(const Kernel& kernel, const Options& options, Report& report) {
  runtime::Entered entered(kernel.driver(), kernel.context());
  if (entered.error()) return entered.error();
  return Runner(kernel, options, report).run();
}

}  // namespace warpcc::trial
