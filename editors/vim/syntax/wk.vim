" Kernels of warpcc (docs/language.md). Groups are linked to the standard ones, so every colour scheme works.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax sync fromstart

syntax match wkFunction '\<\h\w*\ze('
syntax match wkNumber '\%(\w\|\.\)\@<!\%(0x[0-9A-Fa-f_]\+\|\d[0-9_]*\)\>'
syntax match wkOperator '+:\|\.\.\|=>\|->\|&&\|||\|[=!<>]=\|[-+*/%&|^<>!=]'
syntax match wkGuard '@!\=\%(\h[A-Za-z0-9_.]*\)\=' contains=wkFact
syntax match wkMember '\.\%(full\|empty\|mine\|next\|last\|more\|shape\|depth\|swizzle\)\>'

syntax keyword wkControl tune when if else match for in by loop break on fill take drain turn require is
syntax keyword wkInclude use as
syntax keyword wkDeclaration param const let fn enum struct proc kernel role regs shared tensor global pipe barrier start finish producer consumer layout logical tv physical block
syntax keyword wkType int bool string type f16 bf16 f32 f64 tf32 f8e4m3 f8e5m2 s8 u8 s16 u16 s32 u32 s64 u64
syntax keyword wkBoolean true false
syntax keyword wkBuiltin min max ceil_div log2 bytes compose complement divide product
syntax keyword wkFact one inside lane warp warpgroup cluster_id target
syntax keyword wkConstant row_major col_major k_major mn_major sm_90a sm_100a
syntax match wkModifier '\<\%(out\|inout\|kept\|broadcast\|carries\|from\|to\|across\|at\|of\|ring\|warps\|warpgroups\|grid\|cluster\|registers\)\>\%(\s*[.=[]\)\@!'

" An opcode is the first word of a statement; what follows it says which other things such a word may be.
syntax match wkInstruction '\%(^\|[{;]\)\@<=\s*\zs\l[a-z0-9_]*\%(\.\w\+\)*\ze\%(\s*;\|\s\+[A-Za-z0-9_!(-]\)'
syntax match wkInstruction '\%(@!\=[A-Za-z_][A-Za-z0-9_.]*\|@([^()]*)\)\@<=\s\+\zs\l[a-z0-9_]*\%(\.\w\+\)*'
syntax match wkRegister '\%(^\|[{;]\)\@<=\s*\zs\%(ur\|up\|r\|p\)\ze\s\+\h\w*\s*[;,:[]'

syntax match wkDeclared '\%(\<\%(kernel\|role\|fn\|proc\|enum\|struct\|param\|pipe\|barrier\)\s\+\)\@<=\h\w*'
syntax region wkString start='"' skip='\\.' end='"\|$' oneline
syntax match wkComment '//.*$' contains=wkTodo,@Spell
syntax match wkDocumentation '///.*$' contains=@Spell
syntax region wkComment start='/\*' end='\*/' contains=wkTodo,@Spell
syntax keyword wkTodo TODO FIXME contained

highlight default link wkInstruction Function
highlight default link wkFunction Identifier
highlight default link wkNumber Number
highlight default link wkOperator Operator
highlight default link wkGuard PreProc
highlight default link wkMember Special
highlight default link wkControl Statement
highlight default link wkInclude Include
highlight default link wkDeclaration Keyword
highlight default link wkModifier StorageClass
highlight default link wkType Type
highlight default link wkBoolean Boolean
highlight default link wkBuiltin Function
highlight default link wkFact Constant
highlight default link wkConstant Constant
highlight default link wkRegister Type
highlight default link wkDeclared Identifier
highlight default link wkString String
highlight default link wkComment Comment
highlight default link wkDocumentation SpecialComment
highlight default link wkTodo Todo

let b:current_syntax = 'wk'
