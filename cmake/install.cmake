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
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/cradle
        FILES_MATCHING PATTERN "*.cradle")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The manual page and what shells complete come from the program itself.
if(CRADLE_SHOW)
  foreach(part
      "man:${CMAKE_INSTALL_MANDIR}/man1/cradle.1"
      "bash:${CMAKE_INSTALL_DATADIR}/bash-completion/completions/cradle"
      "zsh:${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions/_cradle"
      "fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/cradle.fish")
    string(REPLACE ":" ";" part ${part})
    list(GET part 0 shell)
    list(GET part 1 file)
    install(CODE "
      set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
      cmake_path(GET file PARENT_PATH folder)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \"$<TARGET_FILE:cradle_program>\" completion ${shell}
                      OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS \"Installing: \${file}\")
    ")
  endforeach()
endif()
# The pages of `cradle docs`, if they are built.
install(DIRECTORY ${PROJECT_BINARY_DIR}/site DESTINATION ${CMAKE_INSTALL_DATADIR}/cradle OPTIONAL)
install(EXPORT CradleTargets NAMESPACE Cradle:: DESTINATION ${package_folder})
configure_package_config_file(cmake/CradleConfig.cmake.in CradleConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(CradleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CradleConfig.cmake
              ${PROJECT_BINARY_DIR}/CradleConfigVersion.cmake
        DESTINATION ${package_folder})

# cpack -G DEB in the build folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cradle)
set(CPACK_PACKAGE_VENDOR "The Cradle developers")
set(CPACK_PACKAGE_CONTACT "The Cradle developers <cradle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulator of hybrid bond graphs in hyperdense time")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
