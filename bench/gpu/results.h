// Rows as JSON, read again, and as the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure.h"
#include "runtime/json.h"

namespace warpcc::bench {

struct Machine {
  std::string gpu;
  int multiprocessors = 0;
  int driver = 0;            // as cuDriverGetVersion says it: 13000
  std::size_t cublaslt = 0;  // 130100
};

runtime::Json to_json(const Row& row);
// `rows` in an object with the machine that they are of.
std::string to_text(const Machine& machine, const std::vector<runtime::Json>& rows);

// The row of a cubin with this hash among results of the same machine; null where there is none.
const runtime::Json* row_of(const runtime::Json& results, const Machine& machine, std::string_view hash);

void print_table(const Machine& machine, const std::vector<runtime::Json>& rows);

}  // namespace warpcc::bench
