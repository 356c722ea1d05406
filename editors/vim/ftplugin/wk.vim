" Kernels of warpcc: comments, indentation by braces, `:make` compiles.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=s1:/*,mb:*,ex:*/,:///,://
setlocal commentstring=//\ %s
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal cindent cinoptions=+2,(0,W2
setlocal iskeyword=@,48-57,_
compiler warpcc

let b:undo_ftplugin = 'setlocal comments< commentstring< formatoptions< expandtab< shiftwidth< softtabstop< cindent< cinoptions< iskeyword< makeprg< errorformat<'
