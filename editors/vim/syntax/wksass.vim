" SASS text, as `warpcc expand` writes it (docs/sass-text.md).
if exists('b:current_syntax')
  finish
endif

syntax case match

syntax match wksassDirective '^\.\a\+\>'
syntax match wksassLabel '^\h\w*:$'
syntax match wksassMark '^[+~]'
syntax match wksassGuard '@!\=\h\w*'
syntax match wksassOpcode '\%(^[+~ ]\s*\|^[+~ ]\s*@!\=\h\w*\s\+\)\@<=\u[A-Z0-9]*\%(\.\w\+\)*\>'
syntax match wksassNumber '\w\@<!-\=\%(0x\x\+\|\d\+\)\>'
syntax keyword wksassZero RZ URZ PT UPT
syntax match wksassRegister '\<\%(UR\|UP\|R\|P\|SB\)\d\+\>'
syntax match wksassSpecial '\<SR_[A-Za-z0-9_.]\+'
syntax match wksassDescriptor '\<\%(gdesc\|idesc\|tmem\|desc\)\ze\['
syntax match wksassHeld '\s=\s.\{-}\ze\%(;\|$\)' contains=wksassNumber,wksassZero
syntax match wksassComment ';.*$'
syntax match wksassComment '^\s*#.*$'

highlight default link wksassDirective PreProc
highlight default link wksassLabel Label
highlight default link wksassMark Special
highlight default link wksassGuard PreProc
highlight default link wksassOpcode Function
highlight default link wksassNumber Number
highlight default link wksassZero Constant
highlight default link wksassRegister Identifier
highlight default link wksassSpecial Constant
highlight default link wksassDescriptor Type
highlight default link wksassHeld String
highlight default link wksassComment Comment

let b:current_syntax = 'wksass'
