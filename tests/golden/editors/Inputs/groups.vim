" vim -es -Nu NONE --cmd 'let folder = …' -S groups.vim FILE: the group of each word that stands behind `shows:` in the file's comments, at its
" first place above that comment. Vim's command line has the folder of the syntax files as `folder`.
execute 'set runtimepath^=' . fnameescape(folder)
filetype plugin on
syntax on
edit
let lines = []
for number in range(1, line('$'))
  let words = matchstr(getline(number), 'shows: \zs.*')
  for word in split(words)
    call cursor(number - 1, 1)
    if search('\V' . escape(word, '\'), 'cW', number - 1) == 0
      call add(lines, 'line ' . number . ' has no ' . word . ' above it')
    else
      call add(lines, (number - 1) . ': ' . word . ' ' . synIDattr(synID(line('.'), col('.'), 1), 'name'))
    endif
  endfor
endfor
call writefile(lines, '/dev/stdout')
quitall!
