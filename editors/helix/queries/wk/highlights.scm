; Colours of `.wk` in Helix, by its scopes, with the grammar of editors/tree-sitter-wk. No two patterns meet in one word: which of them
; counts has changed between Helix's versions.

(line_comment) @comment.line
(block_comment) @comment.block
(doc_comment) @comment.line.documentation
(string) @string
(escape) @constant.character.escape
(number) @constant.numeric.integer
(boolean) @constant.builtin.boolean

; ---- Words of the grammar

["use" "as"] @keyword.control.import
["fn" "proc" "kernel" "role" "start" "finish"] @keyword.function
["param" "const" "let" "regs" "shared" "tensor" "global" "pipe" "barrier" "enum" "struct" "layout" "logical" "tv" "physical"] @keyword.storage.type
["producer" "consumer" "block"] @keyword.storage.type
(register_kind) @keyword.storage.type
["if" "else" "match" "when" "require" "tune"] @keyword.control.conditional
["for" "in" "by" "loop" "break"] @keyword.control.repeat
["on" "fill" "take" "drain" "turn"] @keyword.control
["out" "inout" "kept" "ring" "warp" "warps" "warpgroup" "warpgroups" "of" "grid" "cluster" "registers"] @keyword.storage.modifier
["carries" "from" "to" "across" "broadcast" "at"] @keyword.storage.modifier
"is" @keyword.operator

; ---- What is declared

(use name: (identifier) @namespace)
(param name: (identifier) @constant)
(constant name: (identifier) @constant)
(let name: (identifier) @constant)
(function name: (identifier) @function)
(proc name: (identifier) @function)
(kernel name: (identifier) @function)
(role name: (identifier) @function)
(enum name: (identifier) @type)
(struct name: (identifier) @type)
(enum_case name: (identifier) @type.enum.variant)
(typed name: (identifier) @variable.parameter)
(formal name: (identifier) @variable.parameter)
(global name: (identifier) @variable.parameter)
(end name: (identifier) @variable.parameter)

; ---- What is used

(opcode) @function.macro
(call_statement function: (path . (identifier) @function .))
(call_statement function: (path . (identifier) @namespace (member_name) @function))
((call function: (identifier) @function)
  (#not-any-of? @function "min" "max" "ceil_div" "log2" "bytes" "compose" "complement" "divide" "product"))
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "min" "max" "ceil_div" "log2" "bytes" "compose" "complement" "divide" "product"))
(member_access member: (member_name) @variable.other.member)
(hold end: (path (member_name) @variable.other.member))
(guard (path (member_name) @variable.other.member))
(named_argument name: (identifier) @variable.parameter)
(field name: (identifier) @variable.parameter)
(pin axis: (identifier) @variable.parameter)
(axis name: (identifier) @variable.parameter)
((path . (identifier) @type.builtin .)
  (#any-of? @type.builtin "int" "bool" "string" "type" "f16" "bf16" "f32" "f64" "tf32" "f8e4m3" "f8e5m2" "f6e2m3" "f6e3m2" "f4e2m1" "s8" "u8" "s16" "u16" "s32" "u32" "s64" "u64" "b32" "b64"))
((identifier) @constant.builtin
  (#any-of? @constant.builtin "row_major" "col_major" "k_major" "mn_major" "sm_90a" "sm_100a" "target" "lane" "one" "inside" "cluster_id"))

; ---- Signs

(binary operator: _ @operator)
(unary operator: _ @operator)
["=" "=>" "->" ".." "+:" "@"] @operator
(guard "!" @operator)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[";" "," ":" "."] @punctuation.delimiter
