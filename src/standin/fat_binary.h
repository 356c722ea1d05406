// The PTX inside a program: what nvcc links in as a fat binary (the wrapper's layout: fatbinary_section.h of the CUDA
// toolkit; the entries' as published by tools that read them).
#pragma once

#include <optional>
#include <string>

namespace warpcc::standin {

// `wrapper`: what __cudaRegisterFatBinary is given. `architecture`: the GPU's, 100 or 90.
// Nothing, with `why` in words, where it holds no PTX that can be read.
std::optional<std::string> ptx_of(const void* wrapper, int architecture, std::string& why);

// The PTX of a module's image as cuModuleLoadData takes it: a fat binary, or PTX text itself.
std::optional<std::string> ptx_of_image(const void* image, int architecture, std::string& why);

}  // namespace warpcc::standin
