" `:make` checks the kernel; what warpcc complains of and what its checker finds becomes the quickfix list.
if exists('current_compiler')
  finish
endif
let current_compiler = 'warpcc'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif
CompilerSet makeprg=warpcc\ check\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,%f:%l:\ %m,%-G%.%#
