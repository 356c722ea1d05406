# cmake -DOUT=FILE -DTEXTS=a.md;b.md -P embed_texts.cmake: the texts as C++ string literals, one a text, separated by commas.
set(literals "")
foreach(text IN LISTS TEXTS)
  file(READ "${text}" words)
  string(APPEND literals "R\"~~~(${words})~~~\",\n")
endforeach()
file(WRITE "${OUT}" "${literals}")
