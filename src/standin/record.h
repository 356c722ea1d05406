// A launch of somebody else's program, written down: what `check KERNEL.ptx --launch` reads, and what buffers held.
#pragma once

#include <string>

#include "checker/device.h"
#include "llvm/Support/Error.h"

namespace warpcc::standin {

// Writes `launch-NUMBER.json` and the contents of its buffers into a folder.
llvm::Error record(const std::string& folder, unsigned number, const checker::PtxLaunch& launch,
                   checker::DeviceMemory& memory);

}  // namespace warpcc::standin
