autocmd BufNewFile,BufRead *.wk setfiletype wk
" `.sass` is also a language for style sheets: SASS text names its kernel.
autocmd BufNewFile,BufRead *.sass if search('^\.kernel\>', 'nw') | set filetype=wksass | endif
