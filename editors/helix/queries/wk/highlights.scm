; Kernels of warpcc by Rust's tree-sitter grammar, to which most of a kernel is text that it cannot make sense of: so words count, and not what
; they are part of. Of two patterns the earlier one counts.

(line_comment) @comment.line
(block_comment) @comment.block
(string_literal) @string
(integer_literal) @constant.numeric.integer
(boolean_literal) @constant.builtin.boolean

["if" "else" "match" "for" "in" "loop" "break"] @keyword.control
["use" "as"] @keyword.control.import
["const" "let" "fn" "enum" "struct" "type"] @keyword.storage.type

((identifier) @keyword.control
  (#any-of? @keyword.control "tune" "when" "by" "on" "fill" "take" "drain" "turn" "is" "require"))
((identifier) @keyword.storage.type
  (#any-of? @keyword.storage.type "param" "proc" "kernel" "role" "regs" "shared" "tensor" "global" "pipe" "barrier" "start" "finish" "producer" "consumer" "layout" "r" "ur" "p" "up"))
((identifier) @keyword.storage.modifier
  (#any-of? @keyword.storage.modifier "inout" "kept" "broadcast" "carries" "across" "at" "of" "ring" "warps" "warpgroups" "grid" "cluster" "registers"))
((identifier) @type.builtin
  (#any-of? @type.builtin "int" "bool" "string" "f16" "bf16" "f32" "tf32" "f8e4m3" "f8e5m2" "s8" "u8" "s32" "u32" "u64"))
((primitive_type) @type.builtin)
((identifier) @constant.builtin
  (#any-of? @constant.builtin "row_major" "col_major" "k_major" "mn_major" "sm_90a" "sm_100a" "target" "lane" "warp" "warpgroup" "one" "inside" "cluster_id"))
((identifier) @function.builtin
  (#any-of? @function.builtin "min" "max" "ceil_div" "log2" "bytes" "compose" "complement" "divide" "product"))
((identifier) @function.macro
  (#any-of? @function.macro "load" "store" "prefetch" "mma" "commit" "alloc" "relinquish" "free" "init" "arrive" "expect" "cancel" "wait" "probe" "sync" "warpsync" "fence" "mov" "umov" "iadd3" "uiadd3" "imad" "uimad" "isetp" "uisetp" "sel" "usel" "lds" "sts" "ldg" "stg" "redg" "s2r" "s2ur" "r2ur" "ld" "st"))
(type_identifier) @type
(identifier) @variable
