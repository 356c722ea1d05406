; Colours of `.wk` in Neovim, by its capture names. Where two patterns meet, the later one counts.

(line_comment) @comment
(block_comment) @comment
(doc_comment) @comment.documentation
(string) @string
(escape) @string.escape
(number) @number
(boolean) @boolean

; ---- Words of the grammar

["use" "as"] @keyword.import
["fn" "proc" "kernel" "role" "start" "finish"] @keyword.function
["enum" "struct" "layout" "logical" "tv" "physical"] @keyword.type
["if" "else" "match" "when"] @keyword.conditional
["for" "in" "by" "loop" "break"] @keyword.repeat
["param" "const" "let" "require" "tune" "regs" "shared" "tensor" "global" "pipe" "barrier" "producer" "consumer" "block"] @keyword
["on" "fill" "take" "drain" "turn"] @keyword
["out" "inout" "kept" "ring" "warp" "warps" "warpgroup" "warpgroups" "of" "grid" "cluster" "registers"] @keyword.modifier
["carries" "from" "to" "across" "broadcast" "at"] @keyword.modifier
"is" @keyword.operator
(register_kind) @type.builtin

; ---- What is declared

(use name: (identifier) @module)
(param name: (identifier) @constant)
(constant name: (identifier) @constant)
(let name: (identifier) @constant)
(function name: (identifier) @function)
(proc name: (identifier) @function)
(kernel name: (identifier) @function)
(role name: (identifier) @function)
(enum name: (identifier) @type.definition)
(struct name: (identifier) @type.definition)
(enum_case name: (identifier) @constant)
(typed name: (identifier) @variable.parameter)
(struct (typed name: (identifier) @variable.member))
(formal name: (identifier) @variable.parameter)
(global name: (identifier) @variable.parameter)
(end name: (identifier) @variable.parameter)
(buffer name: (identifier) @variable)
(pipe name: (identifier) @variable)
(barrier name: (identifier) @variable)
(regs name: (identifier) @variable)
(declarator name: (identifier) @variable)
(loop name: (identifier) @variable)
(for name: (identifier) @variable)

; ---- What is used

(opcode) @function.macro
(call_statement function: (path . (identifier) @function.call .))
(call_statement function: (path . (identifier) @module (member_name) @function.call))
(member_access member: (member_name) @variable.member)
(call function: (identifier) @function.call)
(call function: (member_access of: (identifier) @module member: (member_name) @function.call))
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "min" "max" "ceil_div" "log2" "bytes" "compose" "complement" "divide" "product"))
(hold end: (path (member_name) @variable.member))
(turn end: (path (member_name) @variable.member))
(guard (path (member_name) @variable.member))
(named_argument name: (identifier) @variable.parameter)
(field name: (identifier) @variable.parameter)
(pin axis: (identifier) @variable.parameter)
(axis name: (identifier) @variable.parameter)
(instruction axis: (identifier) @variable.parameter)

(type (path (identifier) @type))
(tile element: (path (identifier) @type))
(formal_kind (path (identifier) @type))
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
