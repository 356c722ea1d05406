// Reading a layout: `(128, (64, 2)) : (64, (1, 8192)) swizzle 128`.
#pragma once

#include "layout/layout.h"
#include "llvm/Support/Error.h"
#include "sass/cursor.h"

namespace warpcc::sass {

// Shape and strides alone.
llvm::Expected<layout::Map> read_map(Cursor& at);
llvm::Expected<layout::Physical> read_layout(Cursor& at);

}  // namespace warpcc::sass
