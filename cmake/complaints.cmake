# `warpcc explain` says what docs/complaints/ says: the pages become part of the program.
file(GLOB COMPLAINT_PAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/complaints/*.md)
set(COMPLAINT_TEXTS ${CMAKE_BINARY_DIR}/complaints/complaints.inc)
add_custom_command(
  OUTPUT ${COMPLAINT_TEXTS}
  COMMAND ${CMAKE_COMMAND} "-DOUT=${COMPLAINT_TEXTS}" "-DTEXTS=${COMPLAINT_PAGES}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_texts.cmake
  DEPENDS ${COMPLAINT_PAGES} ${CMAKE_SOURCE_DIR}/cmake/embed_texts.cmake
  VERBATIM)
add_custom_target(complaint_texts DEPENDS ${COMPLAINT_TEXTS})
add_dependencies(warpcc complaint_texts)
target_include_directories(warpcc PRIVATE ${CMAKE_BINARY_DIR}/complaints)
