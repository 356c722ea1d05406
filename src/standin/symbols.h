#pragma once

#define WARPCC_EXPORT __attribute__((visibility("default")))

namespace warpcc::standin {

// A function of the driver's interface by its name; null where there is none.
void* driver_function(const char* name);

}  // namespace warpcc::standin
