# find_package(Cradle) gives the target Cradle::cradle, a static library, and its public headers;
# find_package(Cradle COMPONENTS show) gives Cradle::show as well: pictures, pages, CSV and JSON.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Cradle)
install(TARGETS cradle_core EXPORT CradleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(CRADLE_SHOW)
  install(TARGETS cradle_show EXPORT CradleShowTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT CradleShowTargets NAMESPACE Cradle:: DESTINATION ${package_folder})
  install(TARGETS cradle_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/cradle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY lib/std DESTINATION ${CMAKE_INSTALL_DATADIR}/cradle
        FILES_MATCHING PATTERN "*.cradle")
# The pages of `cradle docs`, if they are built.
install(DIRECTORY ${PROJECT_BINARY_DIR}/site DESTINATION ${CMAKE_INSTALL_DATADIR}/cradle OPTIONAL)
install(EXPORT CradleTargets NAMESPACE Cradle:: DESTINATION ${package_folder})
configure_package_config_file(cmake/CradleConfig.cmake.in CradleConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(CradleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CradleConfig.cmake
              ${PROJECT_BINARY_DIR}/CradleConfigVersion.cmake
        DESTINATION ${package_folder})
