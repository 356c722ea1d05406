" What the compiler plugin makes of warpcc's lines.
execute 'set runtimepath^=' . fnameescape(folder)
compiler! warpcc
let said = [
      \ 'bad.wk:40:21: error: `inp.tile` may still be read by the `store` of line 37 [still-read]',
      \ '        @one arrive inp.empty;',
      \ '                    ^~~~~~~~~',
      \ 'copy.wk:36: hang: CTA 0 warp 1 waits on stage_full[0]',
      \ '    at `wait inp.full`',
      \ ]
cgetexpr said
call writefile(map(filter(getqflist(), 'v:val.valid'),
      \ {_, each -> bufname(each.bufnr) . ' ' . each.lnum . ' ' . each.col . ' ' . toupper(each.type) . ' ' . trim(each.text)}), '/dev/stdout')
quitall!
