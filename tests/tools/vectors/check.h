// What the tool says of one record of each file.
#pragma once

#include <string>
#include <utility>

#include "record.h"

namespace warpcc::layout::vectors {

struct Verdict {
  enum class Kind { agrees, refused, differs };
  Kind kind = Kind::agrees;
  std::string why;  // the same words for all records of one case, as they are counted

  static Verdict agrees(std::string how = "") { return {Kind::agrees, std::move(how)}; }
  static Verdict refused(std::string why) { return {Kind::refused, std::move(why)}; }
  static Verdict differs(std::string why) { return {Kind::differs, std::move(why)}; }
};

Verdict check_layout_op(const Record& record);               // layout_ops.json
Verdict check_mma_atom(const Record& record);                // mma_atoms.json
Verdict check_operand_descriptor(const Record& record);      // umma_desc.json
Verdict check_wgmma_descriptor(const Record& record);        // gmma_desc.json
Verdict check_instruction_descriptor(const Record& record);  // idesc.json
Verdict check_shared_atom(const Record& record);             // smem_atoms.json
Verdict check_tensor_load(const Record& record);             // tmem_frag.json
Verdict check_accumulator(const Record& record);             // tmem_acc.json
Verdict check_tensor_map(const Record& record);              // tma_box.json

}  // namespace warpcc::layout::vectors
