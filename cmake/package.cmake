# What `cmake --install` puts where: the compiler, its kernels, the host library as a shared and a static one, and the files
# by which find_package(warpcc) finds them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The shared library brings its C++ library with it: a program may be linked with another.
add_library(warpcc_shared SHARED ${CMAKE_SOURCE_DIR}/cmake/empty.cpp)
target_link_libraries(warpcc_shared PRIVATE $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,warpcc_runtime>> -static-libstdc++ -static-libgcc
                                            -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/exports.map)
set_target_properties(warpcc_shared PROPERTIES OUTPUT_NAME warpcc VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME runtime
                                               LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
target_include_directories(warpcc_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(warpcc_runtime INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(warpcc_runtime PROPERTIES EXPORT_NAME runtime_static)
set_target_properties(warpcc PROPERTIES EXPORT_NAME compiler)

install(TARGETS warpcc warpcc_shared warpcc_runtime EXPORT warpcc)
install(TARGETS warpcc_standin DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpcc)
install(FILES src/runtime/warpcc.h TYPE INCLUDE)
install(DIRECTORY kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/warpcc FILES_MATCHING PATTERN "*.wk")
set(PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/warpcc)
install(EXPORT warpcc NAMESPACE warpcc:: FILE warpccTargets.cmake DESTINATION ${PACKAGE})
configure_package_config_file(cmake/warpccConfig.cmake.in ${CMAKE_BINARY_DIR}/warpccConfig.cmake INSTALL_DESTINATION ${PACKAGE}
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warpccConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/warpccConfig.cmake ${CMAKE_BINARY_DIR}/warpccConfigVersion.cmake DESTINATION ${PACKAGE})
